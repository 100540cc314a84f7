/*
 * layers.c - metalayers of header and trailer, the N-dimensional layer, item types.
 *
 * Input: a byte that says what the rest is. What is understood is written and read again, and must
 * come out the same.
 */
#include "meta/layers.h"
#include "fuzz/fuzz.h"
#include "meta/dtype.h"
#include "meta/ndlayer.h"

enum { BASE_HEADER = 87, BASE_TRAILER = 2 };

static void
must_equal_layers(const struct layers *a, const struct layers *b)
{
    must(a->count == b->count, "%d layers became %d", a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const struct layer *const x = &a->items[i];
        const struct layer *const y = &b->items[i];
        must(strcmp(x->name, y->name) == 0, "layer %d changed its name", i);
        must(x->size == y->size && (x->size == 0 || memcmp(x->content, y->content, x->size) == 0),
             "layer %d changed its content", i);
        must(layers_find(a, x->name) == x, "layer %d is not found by its name", i);
    }
}

static void
try_layers(const uint8_t *src, size_t size, enum layers_place place)
{
    const size_t base = place == LAYERS_HEADER ? BASE_HEADER : BASE_TRAILER;
    struct layers l;
    struct layers again;

    if (layers_parse(src, size, base, place, &l, NULL) != TESS_OK) {
        must(l.count == 0 && !l.items, "a list that was refused is not empty");
        return;
    }
    const size_t written_size = layers_size(&l);
    uint8_t *const written = exact_memory(written_size);
    layers_write(&l, base, place, written);
    must(layers_parse(written, written_size, base, place, &again, NULL) == TESS_OK,
         "what was written is not read");
    must_equal_layers(&l, &again);
    layers_finish(&again);
    layers_finish(&l);
    free(written);
}

static void
must_equal_ndlayers(const struct ndlayer *a, const struct ndlayer *b, bool caterva)
{
    // Without dimensions nothing says whether there is a grid of blocks.
    must(a->ndim == b->ndim && (a->linear == b->linear || a->ndim == 0), "the layer changed");
    for (int i = 0; i < a->ndim; i++)
        must(a->shape[i] == b->shape[i] && a->chunkshape[i] == b->chunkshape[i] &&
                 (a->linear || a->blockshape[i] == b->blockshape[i]),
             "axis %d changed", i);
    if (!caterva) {
        must(a->dtype_format == b->dtype_format, "the format of the type changed");
        must(strcmp(a->dtype ? a->dtype : "", b->dtype ? b->dtype : "") == 0, "the type changed");
    }
}

static void
try_ndlayer(const uint8_t *src, size_t size, bool caterva)
{
    struct ndlayer nd = {0};
    struct ndlayer again = {0};
    uint8_t *written;
    size_t written_size;

    if (ndlayer_parse(src, size, caterva, &nd, NULL) == TESS_OK) {
        // Five elements cannot say of all shapes that there is a grid of blocks.
        const bool as_caterva = nd.linear || (caterva && src[0] == 0x95);
        must(ndlayer_write(&nd, as_caterva, &written, &written_size, NULL) == TESS_OK,
             "what was read is not written");
        must(ndlayer_parse(written, written_size, as_caterva, &again, NULL) == TESS_OK,
             "what was written is not read");
        must_equal_ndlayers(&nd, &again, as_caterva);
        free(written);
        ndlayer_finish(&again);
    }
    ndlayer_finish(&nd);
}

static void
try_dtype(const uint8_t *src, size_t size)
{
    char *const text = (char *)exact_memory(size + 1);

    memcpy(text, src, size);
    text[size] = '\0';
    const tess_dtype type = dtype_parse(text);
    must(type.size >= 0, "an item of %d bytes", type.size);
    must(type.size > 0 || type.kind == TESS_KIND_OPAQUE || type.kind == TESS_KIND_BYTES ||
             type.kind == TESS_KIND_UNICODE || type.kind == TESS_KIND_STRUCT,
         "a number of no bytes");
    must(type.order == '<' || type.order == '>' || type.order == '|', "byte order %d", type.order);
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const size_t rest = size - 1;
    uint8_t *const src = exact_copy(data + 1, rest);

    switch (data[0] % 5) {
    case 0:
        try_layers(src, rest, LAYERS_HEADER);
        break;
    case 1:
        try_layers(src, rest, LAYERS_TRAILER);
        break;
    case 2:
        try_ndlayer(src, rest, false);
        break;
    case 3:
        try_ndlayer(src, rest, true);
        break;
    default:
        try_dtype(src, rest);
        break;
    }
    free(src);
    return 0;
}
