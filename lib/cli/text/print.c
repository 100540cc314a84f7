/*
 * print.c - values in nested brackets.
 *
 * What stands between two items depends on how many axes, from the last on, have come to their
 * end. No item is looked at twice and nothing is held back, so arrays of any size can be printed.
 */
#include "cli/text/print.h"

#include "cli/text/item.h"

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

// Before an item that is not the first: `ended` axes have started anew with it.
static void
separate(struct printer *p)
{
    int ended = 0;

    while (ended < p->ndim && p->index[p->ndim - 1 - ended] == 0)
        ended++;
    close_lists(p, ended);
    if (!p->json) {
        fputc(ended > 0 ? '\n' : ' ', p->out);
        repeat(p->out, ' ', ended > 0 ? p->ndim - ended : 0);
    }
    open_lists(p, ended);
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
