/*
 * compat.c - a frame, a chunk or a metalayer of a stranger, through the interface of c-blosc2.
 *
 * Input: the bytes, of which the last 48 are decisions, too. They are opened as a super-chunk or as
 * an array, which then goes through a few calls; or are one chunk, or the content of a metalayer.
 * What a call hands out must be as large as it says; whatever is refused is refused by a code.
 */
#include "fuzz/fuzz.h"

#include <b2nd.h>

enum {
    DECISIONS = 48,
    STEPS_MAX = 12,
    BYTES_MAX = 1 << 22, // of a chunk, and of all items
    NCHUNKS_MAX = 1 << 12,
};

struct subject {
    struct rd r;
    blosc2_schunk *sc;
    b2nd_array_t *array; // that has the super-chunk, or NULL
};

// What a call returned: a code, or a number that is not too large.
static void
fits(int64_t rc, int64_t most, int line)
{
    must(rc >= BLOSC2_ERROR_LOCK && rc <= (most > 0 ? most : 0), "line %d: %lld is returned", line,
         (long long)rc);
}

#define must_fit(rc, most) fits(rc, most, __LINE__)

static bool
is_small(const blosc2_schunk *sc)
{
    return sc->nchunks <= NCHUNKS_MAX && sc->nbytes <= BYTES_MAX && sc->chunksize <= BYTES_MAX &&
           sc->typesize <= BYTES_MAX;
}

static int64_t
draw_chunk(struct subject *s)
{
    return draw_below(&s->r, s->sc->nchunks + 2 < 256 ? s->sc->nchunks + 2 : 256) - 1;
}

// -- chunks

static void
read_chunk(const uint8_t *chunk, int32_t size, struct rd *r)
{
    int32_t nbytes = 0, cbytes = 0, blocksize = 0, nblocks = 0;
    const int32_t start = rd_u8(r), count = rd_u8(r);

    if (size < BLOSC_MIN_HEADER_LENGTH)
        return;
    const int known = blosc2_cbuffer_sizes(chunk, &nbytes, &cbytes, &blocksize);
    must_fit(known, 0);
    if (nbytes > BYTES_MAX)
        return;
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    uint8_t *const content = exact_memory((size_t)nbytes), *const items = exact_memory(600);
    bool mask[3] = {true, false, true};
    if (count % 4 == 0)
        must_fit(blosc2_set_maskout(dctx, mask, 1 + count % 3), 0);
    must_fit(blosc2_decompress_ctx(dctx, chunk, size, content, nbytes), nbytes);
    must_fit(blosc2_decompress_ctx(dctx, chunk, size, content, nbytes - 1), nbytes - 1);
    must_fit(blosc2_getitem_ctx(dctx, chunk, size, start, count, items, 600), 600);
    must_fit(blosc2_getitem_bytes_ctx(dctx, chunk, size, start, count, items, 600), 600);
    if (blosc2_vlchunk_get_nblocks(chunk, size, &nblocks) == 0 && nblocks < NCHUNKS_MAX) {
        void **const blocks = calloc((size_t)nblocks + 1, sizeof *blocks);
        int32_t *const sizes = calloc((size_t)nblocks + 1, sizeof *sizes);
        const int n = blosc2_vldecompress_ctx(dctx, chunk, size, blocks, sizes, nblocks);
        must_fit(n, nblocks);
        for (int i = 0; i < n; i++)
            free(blocks[i]);
        free(blocks);
        free(sizes);
        uint8_t *block = NULL;
        must_fit(blosc2_vldecompress_block_ctx(dctx, chunk, size, start, &block, &nbytes),
                 BYTES_MAX);
        free(block);
    }
    free(content);
    free(items);
    blosc2_free_ctx(dctx);
}

static void
describe_chunk(const uint8_t *chunk, size_t size)
{
    size_t nbytes, cbytes, blocksize, typesize;
    int flags, version, versionlz;

    if (size < BLOSC_MIN_HEADER_LENGTH)
        return;
    blosc1_cbuffer_sizes(chunk, &nbytes, &cbytes, &blocksize);
    blosc1_cbuffer_metainfo(chunk, &typesize, &flags);
    blosc2_cbuffer_versions(chunk, &version, &versionlz);
    (void)blosc2_cbuffer_complib(chunk);
    must_fit(blosc1_cbuffer_validate(chunk, size, &nbytes), 0);
}

// -- calls on a super-chunk

static void
do_decompress(struct subject *s)
{
    uint8_t *const content = exact_memory(BYTES_MAX);
    const int32_t room = BYTES_MAX >> draw_below(&s->r, 23);

    must_fit(blosc2_schunk_decompress_chunk(s->sc, draw_chunk(s), content, room), room);
    free(content);
}

static void
do_get_chunk(struct subject *s)
{
    uint8_t *chunk = NULL, *block = NULL;
    bool needs_free = false;
    int32_t size = 0;
    const int64_t n = draw_chunk(s);
    const int cbytes = rd_u8(&s->r) % 2
                           ? blosc2_schunk_get_chunk(s->sc, n, &chunk, &needs_free)
                           : blosc2_schunk_get_lazychunk(s->sc, n, &chunk, &needs_free);

    must_fit(cbytes, INT32_MAX);
    if (cbytes > 0) {
        uint8_t *const copy = exact_copy(chunk, (size_t)cbytes);
        read_chunk(copy, cbytes, &s->r);
        free(copy);
    }
    if (needs_free)
        free(chunk);
    must_fit(blosc2_schunk_get_vlblock(s->sc, n, rd_u8(&s->r) - 1, &block, &size), BYTES_MAX);
    free(block);
}

static void
do_slice(struct subject *s)
{
    const int64_t nitems = s->sc->nbytes / s->sc->typesize;
    const int64_t start = draw_below(&s->r, nitems < 65535 ? nitems + 1 : 65536);
    const int64_t stop = start + draw_below(&s->r, nitems < 65535 ? nitems + 1 : 65536);
    const int64_t coords[] = {stop, start, start};
    const size_t size = (size_t)(stop - start + 3) * (size_t)s->sc->typesize;

    if (size > 8 * (size_t)BYTES_MAX)
        return;
    uint8_t *const items = exact_memory(size);
    must_fit(blosc2_schunk_get_slice_buffer(s->sc, start, stop, items), 0);
    must_fit(blosc2_schunk_get_sparse_buffer(s->sc, 3, coords, items), 0);
    if (rd_u8(&s->r) % 2)
        must_fit(blosc2_schunk_set_slice_buffer(s->sc, start, stop, items), 0);
    free(items);
}

static void
do_layers(struct subject *s)
{
    uint8_t content[] = {1, 2, 3, 4}, *got = NULL;
    char **const names = calloc(BLOSC2_MAX_VLMETALAYERS, sizeof *names);
    int32_t size = 0;
    const int n = blosc2_vlmeta_get_names(s->sc, names), which = rd_u8(&s->r);

    must_fit(n, BLOSC2_MAX_VLMETALAYERS);
    for (int i = 0; i < n && i < 20; i++) {
        must_fit(blosc2_vlmeta_get(s->sc, names[i], &got, &size), n);
        free(got);
        got = NULL;
    }
    if (n > 0 && which % 4 == 0)
        must_fit(blosc2_vlmeta_delete(s->sc, names[which / 4 % n]), n);
    else if (n > 0 && which % 4 == 1)
        must_fit(blosc2_vlmeta_update(s->sc, names[which / 4 % n], content, 4, NULL), n);
    else if (which % 4 == 2)
        must_fit(blosc2_vlmeta_add(s->sc, "fuzz", content, which / 4 % 5, NULL), n);
    else if (s->sc->nmetalayers > 0)
        must_fit(blosc2_meta_update(s->sc, s->sc->metalayers[0]->name, content, which / 4 % 5), 16);
    if (which == 255)
        must_fit(blosc2_meta_add(s->sc, "fuzzed", content, 3), 16);
    for (int i = 0; i < s->sc->nmetalayers; i++) {
        must_fit(blosc2_meta_get(s->sc, s->sc->metalayers[i]->name, &got, &size), 16);
        free(got);
        got = NULL;
    }
    free(names);
}

static void
do_change(struct subject *s)
{
    uint8_t content[200] = {rd_u8(&s->r), 2, 3}, *chunk = NULL;
    bool needs_free = false;
    const int64_t n = draw_chunk(s);
    const int which = rd_u8(&s->r), size = 1 + rd_u8(&s->r) % 200;

    if (which % 6 == 0)
        must_fit(blosc2_schunk_append_buffer(s->sc, content, size), INT64_MAX);
    else if (which % 6 == 1)
        must_fit(blosc2_schunk_delete_chunk(s->sc, n), INT64_MAX);
    else if (which % 6 == 2)
        must_fit(blosc2_schunk_fill_special(s->sc, size, which / 6, which), INT64_MAX);
    else if (blosc2_schunk_get_chunk(s->sc, n, &chunk, &needs_free) > 0) {
        const int64_t to = draw_chunk(s);
        must_fit(which % 6 == 3   ? blosc2_schunk_append_chunk(s->sc, chunk, true)
                 : which % 6 == 4 ? blosc2_schunk_insert_chunk(s->sc, to, chunk, true)
                                  : blosc2_schunk_update_chunk(s->sc, to, chunk, true),
                 INT64_MAX);
    }
    if (needs_free)
        free(chunk);
}

static void
do_list(struct subject *s)
{
    int64_t *const order = calloc((size_t)s->sc->nchunks + 1, sizeof *order), *list = NULL;
    int64_t start[B2ND_MAX_DIM], stop[B2ND_MAX_DIM];

    for (int64_t i = 0; i < s->sc->nchunks; i++)
        order[i] = s->sc->nchunks - 1 - i;
    for (int i = 0; i < B2ND_MAX_DIM; i++) {
        start[i] = rd_u8(&s->r) % 8;
        stop[i] = start[i] + rd_u8(&s->r) % 8;
    }
    if (start[15] % 2)
        must_fit(blosc2_schunk_reorder_offsets(s->sc, order), 0);
    free(order);
    must_fit(blosc2_get_slice_nchunks(s->sc, start, stop, &list), INT64_MAX);
    free(list);
    free(blosc2_frame_get_offsets(s->sc));
    must_fit(blosc2_schunk_frame_len(s->sc), INT64_MAX);
}

// What was written is read again.
static void
do_frame(struct subject *s)
{
    uint8_t *frame = NULL;
    bool needs_free = false;
    const int64_t size = blosc2_schunk_to_buffer(s->sc, &frame, &needs_free);

    must_fit(size, INT64_MAX);
    if (size > 0) {
        uint8_t *const copy = exact_copy(frame, (size_t)size);
        blosc2_schunk *const again = blosc2_schunk_from_buffer(copy, size, false);
        must(again, "a frame that was written is refused");
        must(again->nbytes == s->sc->nbytes || s->array, "other items in a frame");
        must(blosc2_schunk_free(again) == 0, "a frame that was read cannot be closed");
        free(copy);
    }
    if (needs_free)
        free(frame);
}

static void
do_copy(struct subject *s)
{
    blosc2_storage storage = {.contiguous = rd_u8(&s->r) % 2};
    blosc2_schunk *const copy = blosc2_schunk_copy(s->sc, &storage);

    must(!copy || copy->nbytes == s->sc->nbytes || s->array, "a copy of other items");
    if (copy)
        must(blosc2_schunk_free(copy) == 0, "a copy cannot be closed");
}

// -- calls on an array

struct box {
    int64_t start[B2ND_MAX_DIM], stop[B2ND_MAX_DIM], shape[B2ND_MAX_DIM];
    int64_t size; // bytes
};

static bool
draw_box(struct subject *s, struct box *box)
{
    box->size = s->sc->typesize;
    for (int i = 0; i < s->array->ndim; i++) {
        const int64_t length = s->array->shape[i] < 1000 ? s->array->shape[i] + 2 : 1000;
        box->start[i] = draw_below(&s->r, length);
        box->stop[i] = box->start[i] + draw_below(&s->r, length);
        box->shape[i] = box->stop[i] - box->start[i];
        if (box->size > 0 && box->shape[i] > BYTES_MAX / box->size)
            return false;
        box->size *= box->shape[i];
    }
    return true;
}

static void
do_box(struct subject *s)
{
    struct box box;

    if (!draw_box(s, &box))
        return;
    uint8_t *const items = exact_memory((size_t)box.size);
    must_fit(b2nd_get_slice_cbuffer(s->array, box.start, box.stop, items, box.shape, box.size), 0);
    if (rd_u8(&s->r) % 2)
        must_fit(b2nd_set_slice_cbuffer(items, box.shape, box.size, box.start, box.stop, s->array),
                 0);
    free(items);
}

static void
do_shape(struct subject *s)
{
    int64_t shape[B2ND_MAX_DIM] = {0}, size = s->sc->typesize;
    const int which = rd_u8(&s->r), axis = rd_u8(&s->r) % B2ND_MAX_DIM;

    for (int i = 0; i < s->array->ndim; i++) {
        shape[i] = s->array->shape[i] + (i == axis ? which % 16 - 8 : 0);
        if (i != axis)
            size = shape[i] > BYTES_MAX / (size ? size : 1) ? BYTES_MAX : size * shape[i];
    }
    if (which >= 128) {
        must_fit(b2nd_resize(s->array, shape, NULL), 0);
    } else if (which >= 64) {
        must_fit(b2nd_delete(s->array, (int8_t)axis, which % 8, which % 5), 0);
    } else if (size < BYTES_MAX) {
        uint8_t *const items = exact_memory((size_t)size);
        must_fit(b2nd_append(s->array, items, size, (int8_t)axis), 0);
        must_fit(b2nd_insert(s->array, items, size, (int8_t)axis, which % 8), 0);
        free(items);
    }
}

static void
do_views(struct subject *s)
{
    b2nd_array_t *view = NULL;
    bool axes[B2ND_MAX_DIM];
    const int ndim = rd_u8(&s->r) % (B2ND_MAX_DIM + 2);

    for (int i = 0; i < B2ND_MAX_DIM; i++)
        axes[i] = rd_u8(&s->r) % 2;
    must_fit(b2nd_expand_dims(s->array, &view, axes, (uint8_t)ndim), 0);
    if (!view)
        must_fit(b2nd_squeeze(s->array, &view), 0);
    if (view && view->nitems * view->sc->typesize <= BYTES_MAX) {
        const int64_t size = view->nitems * view->sc->typesize;
        uint8_t *const items = exact_memory((size_t)size);
        must_fit(b2nd_to_cbuffer(view, items, size), 0);
        free(items);
    }
    if (view)
        must_fit(b2nd_free(view), 0); // what the array cannot commit is met here, too
}

static void
do_points(struct subject *s)
{
    int64_t list[3], sizes[B2ND_MAX_DIM], *lists[B2ND_MAX_DIM], size = s->sc->typesize;
    const int64_t count = rd_u8(&s->r) % 3;

    for (int k = 0; k < 3; k++)
        list[k] = rd_u8(&s->r) % 8;
    for (int i = 0; i < s->array->ndim; i++) {
        lists[i] = list;
        sizes[i] = count;
        size *= size < BYTES_MAX ? count : 1;
    }
    if (size >= BYTES_MAX)
        return;
    uint8_t *const items = exact_memory((size_t)size + 3 * (size_t)s->sc->typesize);
    must_fit(b2nd_get_orthogonal_selection(s->array, lists, sizes, items, sizes, size), 0);
    must_fit(b2nd_set_orthogonal_selection(s->array, lists, sizes, items, sizes, size), 0);
    must_fit(b2nd_get_sparse_cbuffer(s->array, 3, list, items, 3 * (int64_t)s->sc->typesize), 0);
    free(items);
}

static const struct {
    void (*run)(struct subject *);
    bool of_array;
} steps[] = {
    {do_decompress, false}, {do_get_chunk, false}, {do_slice, false}, {do_layers, false},
    {do_change, false},     {do_list, false},      {do_frame, false}, {do_copy, false},
    {do_box, true},         {do_shape, true},      {do_views, true},  {do_points, true},
};

static void
use_frame(uint8_t *frame, size_t size, const uint8_t *decisions, size_t ndecisions)
{
    struct subject s = {.r = rd_init(decisions, ndecisions)};
    const int how = rd_u8(&s.r);

    s.sc = blosc2_schunk_from_buffer(frame, (int64_t)size, how & 1);
    if (!s.sc)
        return;
    if (how & 2)
        must_fit(b2nd_from_schunk(s.sc, &s.array), 0);
    for (int64_t n = 1 + draw_below(&s.r, STEPS_MAX); n > 0 && is_small(s.sc); n--) {
        const size_t i = (size_t)draw_below(&s.r, sizeof steps / sizeof *steps);
        if (s.array || !steps[i].of_array)
            steps[i].run(&s);
    }
    if (s.array)
        (void)b2nd_free(s.array); // a stranger's index may be found damaged by the commit
    else
        (void)blosc2_schunk_free(s.sc);
}

static void
use_layer(const uint8_t *content, size_t size)
{
    int8_t ndim, dtype_format;
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM], blockshape[B2ND_MAX_DIM];
    char *dtype = NULL, *inline_dtype = NULL;
    const int rc = b2nd_deserialize_meta(content, (int32_t)size, &ndim, shape, chunkshape,
                                         blockshape, &dtype, &dtype_format);
    const int same = b2nd_deserialize_meta_inline(content, (int32_t)size, &ndim, shape, chunkshape,
                                                  blockshape, &inline_dtype, &dtype_format);

    must_fit(rc, (int64_t)size);
    must_fit(same, (int64_t)size);
    free(dtype);
    free(inline_dtype);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t tail = size < DECISIONS ? size : DECISIONS;
    uint8_t *const bytes = exact_copy(data, size);
    struct rd r = rd_init(data + size - tail, tail);

    use_layer(bytes, size);
    describe_chunk(bytes, size);
    read_chunk(bytes, (int32_t)size, &r);
    use_frame(bytes, size, data + size - tail, tail);
    free(bytes);
    return 0;
}
