/*
 * dtype.c - type strings of a stranger, alone and as a part of larger ones, and items of that type
 * printed.
 *
 * Input: the string, a NUL, the extents of up to three axes (their number, then a byte each), and
 * items, in turn. What is printed is one line per row, and text, whatever the items are.
 */
#include "fuzz/fuzz.h"
#include "meta/text.h"
#include "text/print.h"

#include <tessera/dtype.h>

enum {
    NDIM = 3,
    DEPTH = 30, // brackets of a string that fits into others
    ITEM_MAX = 1 << 12,
    PRINTED_MAX = 1 << 14, // bytes of items
};

static tess_dtype
parse_inside(const char *before, const char *text, const char *after)
{
    const size_t size = strlen(before) + strlen(text) + strlen(after) + 1;
    char *const whole = (char *)exact_memory(size);

    snprintf(whole, size, "%s%s%s", before, text, after);
    const tess_dtype type = tess_dtype_parse(whole);
    free(whole);
    return type;
}

static bool
is_nested(const char *text)
{
    int n = 0;

    for (text = strpbrk(text, "[{("); text; text = strpbrk(text + 1, "[{("))
        n++;
    return n > DEPTH;
}

// A type is as large as a field of it, and a sub-array of two is twice as large.
static void
must_fit_into_others(const char *text, const tess_dtype *type)
{
    const bool scalar = !strchr("[{(", text[0]);
    const char *const quote = scalar ? "'" : "";
    char before[20], after[20];

    if (is_nested(text))
        return;
    snprintf(before, sizeof before, "[('x', %s", quote);
    snprintf(after, sizeof after, "%s)]", quote);
    const tess_dtype field = parse_inside(before, text, after);
    must(field.kind == TESS_KIND_STRUCT && field.order == '|' && field.size == type->size,
         "a field of %d bytes is an item of %d", type->size, field.size);

    snprintf(before, sizeof before, "(%s", quote);
    snprintf(after, sizeof after, "%s, (2,))", quote);
    const tess_dtype pair = parse_inside(before, text, after);
    must(pair.size == (type->size <= INT32_MAX / 2 ? 2 * type->size : 0),
         "two items of %d bytes are %d", type->size, pair.size);
}

static void
try_type(const char *text)
{
    const tess_dtype type = tess_dtype_parse(text);

    must(type.size >= 0, "an item of %d bytes", type.size);
    must(type.size > 0 || (type.kind == TESS_KIND_OPAQUE && type.order == '|'),
         "what is not understood is of kind %d", (int)type.kind);
    must(type.order == '<' || type.order == '>' || type.order == '|', "byte order %d", type.order);
    if (type.size > 0)
        must_fit_into_others(text, &type);
}

// All at once, or one by one. Returns the text, to be freed.
static char *
print(const struct item_format *format, int ndim, const int64_t *shape, const uint8_t *items,
      int64_t n, bool one_by_one)
{
    char *text = NULL;
    size_t size;
    struct printer p;
    FILE *const out = open_memstream(&text, &size);

    must(out, "no memory");
    printer_begin(&p, out, format, ndim, shape);
    for (int64_t i = 0; i < n && one_by_one; i++)
        printer_items(&p, items + i * format->typesize, 1);
    if (!one_by_one)
        printer_items(&p, items, n);
    printer_end(&p);
    must(fclose(out) == 0 && strlen(text) == size, "a NUL was printed, or no memory");
    return text;
}

static void
must_be_rows(const char *text, int ndim, const int64_t *shape, int64_t nitems)
{
    const size_t size = strlen(text);
    int64_t rows = 1;
    int64_t lines = 0;

    for (int i = 0; i + 1 < ndim && nitems > 0; i++)
        rows *= shape[i];
    must(utf8_valid(text, size), "what is printed is not UTF-8");
    for (size_t i = 0; i < size; i++) {
        must((unsigned char)text[i] >= 0x20 || text[i] == '\n', "a control character is printed");
        lines += text[i] == '\n';
    }
    must(lines == rows && text[size - 1] == '\n', "%lld rows are %lld lines", (long long)rows,
         (long long)lines);
}

static void
try_items(struct rd *r, const char *type)
{
    int64_t shape[NDIM] = {0};
    int64_t nitems = 1;
    struct item_format format;

    const int ndim = (int)draw_below(r, NDIM + 1);
    for (int i = 0; i < ndim; i++)
        nitems *= shape[i] = draw_below(r, 6);
    const int32_t size = tess_dtype_parse(type).size;
    const int32_t typesize = size > 0 ? size : 1 + (int32_t)draw_below(r, 20);
    if (typesize > ITEM_MAX || nitems * typesize > PRINTED_MAX)
        return;
    const size_t nbytes = (size_t)nitems * (size_t)typesize;
    uint8_t *const items = exact_memory(nbytes);
    for (size_t i = 0; i < nbytes && r->left > 0; i++)
        items[i] = r->at[i % r->left];
    item_format_init(&format, type, typesize);
    char *const text = print(&format, ndim, shape, items, nitems, false);
    char *const same = print(&format, ndim, shape, items, nitems, true);
    must_be_rows(text, ndim, shape, nitems);
    must(strcmp(text, same) == 0, "items are printed differently one by one");
    free(same);
    free(text);
    item_format_finish(&format);
    free(items);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = (char *)exact_memory(size + 1);

    if (size > 0)
        memcpy(text, data, size);
    const size_t used = strlen(text) + 1;
    char *const type = (char *)exact_copy((const uint8_t *)text, used);
    try_type(type);
    if (used < size) {
        struct rd r = rd_init(data + used, size - used);
        try_items(&r, type);
    }
    free(type);
    free(text);
    return 0;
}
