/*
 * npy.c - text that the command reads: headers of .npy files, slice expressions, shapes, and items
 * printed as a type string of a stranger says.
 *
 * Input: a byte that says what the rest is. Headers that are understood are written and read again;
 * a selection must lie inside the array.
 */
#include "formats/flat/npy.h"
#include "data/picked/select.h"
#include "data/shapes.h"
#include "fuzz/fuzz.h"
#include "text/items/item.h"
#include "text/text.h"

#include <tessera/dtype.h>

static void
write_and_read(const struct npy_header *header, int32_t typesize)
{
    struct npy_preamble preamble;
    struct npy_header again;
    tess_error err;
    char *bytes;
    size_t size;

    if (npy_header_make(header->dtype, typesize, header->ndim, header->shape, &bytes, &size,
                        &err) != TESS_OK)
        return; // the text may be longer than a header can be
    must(npy_preamble_parse((const uint8_t *)bytes, size, &preamble, &err) == TESS_OK, "%s",
         err.message);
    must(preamble.text_offset + preamble.text_size == size, "%zu bytes at %zu in a header of %zu",
         preamble.text_size, preamble.text_offset, size);
    must(npy_header_parse(bytes + preamble.text_offset, preamble.text_size, preamble.latin1, &again,
                          &err) == TESS_OK,
         "%s", err.message);
    must(!again.fortran && again.ndim == header->ndim &&
             memcmp(again.shape, header->shape, (size_t)header->ndim * sizeof *again.shape) == 0,
         "the shape differs");
    npy_header_finish(&again);
    free(bytes);
}

static void
try_header(const char *text, size_t size, bool latin1)
{
    struct npy_header header;
    tess_error err;

    if (npy_header_parse(text, size, latin1, &header, &err) != TESS_OK)
        return;
    must(header.ndim >= 0 && header.ndim <= TESS_MAX_NDIM, "%d dimensions", header.ndim);
    for (int i = 0; i < header.ndim; i++)
        must(header.shape[i] >= 0, "axis %d has %lld items", i, (long long)header.shape[i]);
    const int32_t typesize = tess_dtype_parse(header.dtype).size;
    if (typesize > 0)
        write_and_read(&header, typesize);
    npy_header_finish(&header);
}

static void
try_file(const uint8_t *src, size_t size)
{
    const size_t head = size < NPY_PREAMBLE_MAX ? size : NPY_PREAMBLE_MAX;
    uint8_t *const front = exact_copy(src, head);
    struct npy_preamble preamble;
    tess_error err;

    if (npy_preamble_parse(front, head, &preamble, &err) == TESS_OK &&
        preamble.text_offset <= size && preamble.text_size <= size - preamble.text_offset) {
        uint8_t *const text = exact_copy(src + preamble.text_offset, preamble.text_size);
        try_header((const char *)text, preamble.text_size, preamble.latin1);
        free(text);
    }
    free(front);
}

static void
must_be_inside(const struct slice_range *sel, const int64_t *shape)
{
    for (int i = 0; i < sel->ndim; i++) {
        must(sel->count[i] >= 0 && sel->step[i] != 0, "axis %d: count %lld, step %lld", i,
             (long long)sel->count[i], (long long)sel->step[i]);
        if (sel->count[i] == 0)
            continue;
        const int64_t last = sel->start[i] + (sel->count[i] - 1) * sel->step[i];
        must(sel->start[i] >= 0 && sel->start[i] < shape[i] && last >= 0 && last < shape[i],
             "axis %d leaves the array", i);
    }
    // What comes out is what was counted; axes given as an integer, of one item, may be gone.
    int k = 0;
    for (int i = 0; i < sel->ndim; i++) {
        if (k < sel->out_ndim && sel->out_shape[k] == sel->count[i])
            k++;
        else
            must(sel->count[i] == 1, "axis %d of %lld items is gone", i, (long long)sel->count[i]);
    }
    must(k == sel->out_ndim, "%d axes come out of %d", sel->out_ndim, sel->ndim);
}

static void
try_selection(struct rd *r)
{
    int64_t shape[TESS_MAX_NDIM] = {0};
    struct slice_range sel;
    tess_error err;

    const int ndim = (int)draw_below(r, TESS_MAX_NDIM + 1);
    for (int i = 0; i < ndim; i++) {
        shape[i] = rd_u8(r);
        if (shape[i] > 200)
            shape[i] = INT64_MAX >> (shape[i] - 201);
    }
    char *const text = (char *)exact_memory(r->left + 1);
    memcpy(text, r->at, r->left);
    text[r->left] = '\0';
    if (select_parse(text, ndim, shape, &sel, &err) == TESS_OK)
        must_be_inside(&sel, shape);
    free(text);
}

static void
try_shape(const char *text)
{
    int64_t shape[TESS_MAX_NDIM];
    int64_t value;
    int ndim;

    tess_error err;

    if (shapes_parse("", text, &ndim, shape, &err) == TESS_OK) {
        must(ndim >= 0 && ndim <= TESS_MAX_NDIM, "%d dimensions", ndim);
        for (int i = 0; i < ndim; i++)
            must(shape[i] >= 0, "axis %d has %lld items", i, (long long)shape[i]);
    }
    (void)text_int64(text, &value);
}

// The type, a NUL, and an item.
static void
try_item(const char *type, const uint8_t *item, size_t size)
{
    struct item_format format;
    char *printed = NULL;
    size_t printed_size;

    if (size == 0)
        return;
    uint8_t *const exact = exact_copy(item, size);
    FILE *const out = open_memstream(&printed, &printed_size);
    must(out, "no memory");
    item_format_init(&format, type, (int32_t)size);
    item_print(out, &format, exact);
    fclose(out);
    must(printed_size > 0, "an item without a text");
    free(printed);
    free(exact);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd r = rd_init(data, size);
    const int kind = rd_u8(&r) % 6;
    const size_t rest = r.left;
    char *const text = (char *)exact_memory(rest + 1);

    memcpy(text, r.at, rest);
    text[rest] = '\0';
    if (kind == 0) {
        try_file(r.at, rest);
    } else if (kind == 1 || kind == 2) {
        uint8_t *const exact = exact_copy(r.at, rest); // headers have no NUL at the end
        try_header((const char *)exact, rest, kind == 1);
        free(exact);
    } else if (kind == 3) {
        try_selection(&r);
    } else if (kind == 4) {
        try_shape(text);
    } else if (strlen(text) < rest) {
        const size_t type_size = strlen(text) + 1;
        try_item(text, r.at + type_size, rest - type_size);
    }
    free(text);
    return 0;
}
