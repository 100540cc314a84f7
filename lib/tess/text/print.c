/*
 * print.c - values in nested brackets.
 *
 * What stands between two items depends on how many axes, from the last on, have come to their
 * end. No item is looked at twice and nothing is held back, so arrays of any size can be printed.
 */
#include "text/print.h"

#include "report.h"
#include "text/items/item.h"

#include <stdlib.h>
#include <string.h>

static void
repeat(FILE *out, char c, int n)
{
    while (n-- > 0)
        fputc(c, out);
}

static void
open_lists(struct printer *p, int n)
{
    if (!p->json)
        repeat(p->out, '[', n);
    while (p->json && n-- > 0)
        json_open(p->json, NULL, '[');
}

static void
close_lists(struct printer *p, int n)
{
    if (!p->json)
        repeat(p->out, ']', n);
    while (p->json && n-- > 0)
        json_close(p->json, ']');
}

void
printer_begin(struct printer *p, FILE *out, const struct item_format *format, int ndim,
              const int64_t *shape)
{
    *p = (struct printer){.out = out, .format = *format, .ndim = ndim};
    if (ndim > 0)
        memcpy(p->shape, shape, (size_t)ndim * sizeof shape[0]);
}

void
printer_begin_json(struct printer *p, struct json *json, const struct item_format *format, int ndim,
                   const int64_t *shape)
{
    printer_begin(p, json->out, format, ndim, shape);
    p->json = json;
}

// Between two members of a list, within which `ended` axes have come to their end.
static void
put_space(const struct printer *p, int ended)
{
    if (p->json)
        return;
    if (ended == 0) {
        fputc(' ', p->out);
        return;
    }
    repeat(p->out, '\n', p->spread ? ended : 1);
    repeat(p->out, ' ', p->ndim - ended);
}

// Before an item that is not the first: `ended` axes have started anew with it.
static void
separate(struct printer *p)
{
    int ended = 0;

    while (ended < p->ndim && p->index[p->ndim - 1 - ended] == 0)
        ended++;
    close_lists(p, ended);
    put_space(p, ended);
    const int axis = p->ndim - 1 - ended;
    if (axis >= 0 && p->gap[axis] > 0 && p->index[axis] == p->gap[axis]) {
        if (p->json)
            json_string(p->json, NULL, "...");
        else
            fputs("...", p->out);
        put_space(p, ended);
    }
    open_lists(p, ended);
}

// -- columns

// Columns that characters take, as far as bytes of UTF-8 say.
static int
columns(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static bool
is_aligned(const struct item_format *format)
{
    switch (format->type.kind) {
    case TESS_KIND_BOOL:
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
    case TESS_KIND_FLOAT:
    case TESS_KIND_COMPLEX:
    case TESS_KIND_DATETIME:
    case TESS_KIND_TIMEDELTA:
        return true;
    default:
        return false;
    }
}

// The decimal point of a float that has no exponent; else NULL.
static const char *
find_point(const struct item_format *format, const char *text)
{
    return format->type.kind == TESS_KIND_FLOAT && !strchr(text, 'e') ? strchr(text, '.') : NULL;
}

// The text of an item, to be freed, or NULL.
static char *
text_of(const struct item_format *format, const uint8_t *item)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    item_print(out, format, item);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

tess_status
printer_align(struct printer *p, const uint8_t *items, int64_t n, tess_error *err)
{
    int whole = 0;

    p->spread = true;
    if (!is_aligned(&p->format) || p->ndim == 0)
        return TESS_OK;
    for (; n > 0; n--, items += p->format.typesize) {
        char *const text = text_of(&p->format, items);

        if (!text)
            return report_nomem(err, p->format.typesize);
        const char *const point = find_point(&p->format, text);
        if (point) {
            p->left = larger(p->left, (int)(point - text));
            p->right = larger(p->right, columns(point));
        } else {
            whole = larger(whole, columns(text));
        }
        free(text);
    }
    p->left = larger(p->left, whole - p->right);
    return TESS_OK;
}

// A number at its place; without memory it stands where it comes.
static void
print_aligned(const struct printer *p, const uint8_t *item)
{
    char *const text = text_of(&p->format, item);

    if (!text) {
        item_print(p->out, &p->format, item);
        return;
    }
    const char *const point = find_point(&p->format, text);
    const int before = point ? p->left - (int)(point - text) : p->left + p->right - columns(text);
    repeat(p->out, ' ', before);
    fputs(text, p->out);
    repeat(p->out, ' ', point ? p->right - columns(point) : 0);
    free(text);
}

static void
advance(struct printer *p)
{
    for (int i = p->ndim - 1; i >= 0; i--) {
        if (++p->index[i] < p->shape[i])
            return;
        p->index[i] = 0;
    }
}

void
printer_items(struct printer *p, const uint8_t *items, int64_t n)
{
    for (; n > 0; n--, items += p->format.typesize) {
        if (p->begun)
            separate(p);
        else
            open_lists(p, p->ndim);
        p->begun = true;
        if (p->json)
            item_json(p->json, NULL, &p->format, items);
        else if (p->left + p->right > 0)
            print_aligned(p, items);
        else
            item_print(p->out, &p->format, items);
        advance(p);
    }
}

void
printer_end(struct printer *p)
{
    if (!p->begun)
        open_lists(p, 1);
    close_lists(p, p->begun ? p->ndim : 1);
    if (!p->json)
        fputc('\n', p->out);
}
