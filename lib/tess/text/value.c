/*
 * value.c - the value of an attribute as text for people.
 */
#include "text/value.h"

#include "report.h"
#include "text/items/real.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// What is printed stops a little behind the limit: values may be long.
struct writing {
    FILE *out;
    bool full;
};

static bool
is_enough(const struct writing *w)
{
    return !w->full && ftell(w->out) > VALUE_COLUMNS;
}

static void
write_string(const struct writing *w, const char *text, size_t size)
{
    const size_t most = !w->full && size > 2 * VALUE_COLUMNS ? 2 * VALUE_COLUMNS : size;

    fputc('"', w->out);
    text_write_quoted(w->out, text, most);
    if (most == size)
        fputc('"', w->out);
}

static void write_value(const struct writing *w, const tess_value *v);

static void
write_list(const struct writing *w, const tess_value *v)
{
    fputc('[', w->out);
    for (size_t i = 0; i < v->as.list.count && !is_enough(w); i++) {
        if (i > 0)
            fputs(", ", w->out);
        write_value(w, &v->as.list.items[i]);
    }
    fputc(']', w->out);
}

static void
write_map(const struct writing *w, const tess_value *v)
{
    fputc('{', w->out);
    for (size_t i = 0; i < v->as.map.count && !is_enough(w); i++) {
        if (i > 0)
            fputs(", ", w->out);
        write_value(w, &v->as.map.pairs[i].key);
        fputs(": ", w->out);
        write_value(w, &v->as.map.pairs[i].value);
    }
    fputc('}', w->out);
}

static void
write_value(const struct writing *w, const tess_value *v)
{
    char real[REAL_TEXT_SIZE];

    switch (v->type) {
    case TESS_VALUE_NULL:
        fputs("null", w->out);
        break;
    case TESS_VALUE_BOOL:
        fputs(v->as.boolean ? "true" : "false", w->out);
        break;
    case TESS_VALUE_INT:
        fprintf(w->out, "%" PRId64, v->as.i64);
        break;
    case TESS_VALUE_UINT:
        fprintf(w->out, "%" PRIu64, v->as.u64);
        break;
    case TESS_VALUE_FLOAT:
        real_format(v->as.f64, 8, real);
        fputs(real, w->out);
        break;
    case TESS_VALUE_STRING:
        write_string(w, v->as.string.data, v->as.string.size);
        break;
    case TESS_VALUE_LIST:
        write_list(w, v);
        break;
    case TESS_VALUE_MAP:
        write_map(w, v);
        break;
    default:
        fprintf(w->out, "%zu bytes", v->as.bytes.size);
    }
}

// Bytes of text that take so many columns at most, up to the end of a character.
static size_t
cut(const char *text, int most)
{
    size_t n = 0;

    for (int columns = 0; text[n]; n++) {
        columns += ((unsigned char)text[n] & 0xc0) != 0x80;
        if (columns > most)
            break;
    }
    return n;
}

static void
write_length(FILE *out, const tess_value *v)
{
    if (v->type == TESS_VALUE_LIST)
        fprintf(out, "... (%zu values)", v->as.list.count);
    else if (v->type == TESS_VALUE_MAP)
        fprintf(out, "... (%zu entries)", v->as.map.count);
    else
        fprintf(out, "... (%zu bytes)", v->as.string.size);
}

tess_status
value_write(FILE *out, const tess_value *v, bool full, tess_error *err)
{
    char *text = NULL;
    size_t size = 0;
    const struct writing w = {.out = open_memstream(&text, &size), .full = full};

    if (!w.out)
        return report_nomem(err, VALUE_COLUMNS);
    write_value(&w, v);
    if (fclose(w.out) != 0) {
        free(text);
        return report_nomem(err, (int64_t)size);
    }
    const size_t length = full ? size : cut(text, VALUE_COLUMNS);
    (void)fwrite(text, 1, length, out);
    if (length < size)
        write_length(out, v);
    free(text);
    return TESS_OK;
}
