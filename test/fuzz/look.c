/*
 * look.c - all of an array looked at that is small enough.
 *
 * Corner boxes are read always, whatever shape the file claims; the whole array if it is small.
 * Items that are read twice must be the same.
 */
#include "fuzz/look.h"

enum {
    CORNER_ITEMS = 64, // in a corner box
    WHOLE_SIZE = 1 << 20, // bytes of an array that is read as a whole
    WHOLE_BLOCKS = 1 << 26, // bytes decoded for that, padding included
    CHUNKS_LOOKED_AT = 64,
};

// The box of two items along each axis, one where that is enough, at the first or last corner.
static int64_t
draw_corner(const tess_info *info, bool last, int64_t *start, int64_t *stop)
{
    int64_t nitems = 1;

    for (int i = 0; i < info->ndim; i++) {
        const int64_t most = nitems < CORNER_ITEMS ? 2 : 1;
        const int64_t n = info->shape[i] < most ? info->shape[i] : most;
        start[i] = last ? info->shape[i] - n : 0;
        stop[i] = start[i] + n;
        nitems *= n;
    }
    return nitems;
}

// A box in memory of its size; NULL if it cannot be read.
static uint8_t *
read_box(tess_array *a, const int64_t *start, const int64_t *stop, size_t size)
{
    uint8_t *const items = exact_memory(size);
    tess_error err = {0};
    const tess_status st = tess_array_read(a, start, stop, items, size, &err);

    if (st == TESS_OK)
        return items;
    must(err.status == st && err.message[0], "a failure without a sentence");
    must(st != TESS_ERR_ARG && st != TESS_ERR_STALE, "%s", err.message);
    free(items);
    return NULL;
}

static void
must_hold_corner(const tess_info *info, const uint8_t *whole, const int64_t *start,
                 const int64_t *stop, const uint8_t *corner)
{
    int64_t at[TESS_MAX_NDIM];
    const size_t ts = (size_t)info->typesize;
    int axis;

    memcpy(at, start, sizeof at);
    do {
        size_t n = 0;
        for (int i = 0; i < info->ndim; i++)
            n = n * (size_t)info->shape[i] + (size_t)at[i];
        must(memcmp(whole + n * ts, corner, ts) == 0, "item %zu differs when read alone", n);
        corner += ts;
        for (axis = info->ndim - 1; axis >= 0 && ++at[axis] == stop[axis]; axis--)
            at[axis] = start[axis];
    } while (axis >= 0);
}

static void
read_corner(tess_array *a, const tess_info *info, bool last, const uint8_t *whole)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};
    const int64_t nitems = draw_corner(info, last, start, stop);

    if (nitems > LOOK_MEMORY / info->typesize)
        return;
    uint8_t *const corner = read_box(a, start, stop, (size_t)nitems * (size_t)info->typesize);
    must(corner || !whole, "a box of an array that can be read cannot");
    if (whole && nitems > 0)
        must_hold_corner(info, whole, start, stop, corner);
    free(corner);
}

static bool
is_small(const tess_info *info)
{
    const int64_t block = info->blocksize > 0 ? info->blocksize : LOOK_MEMORY / 16;

    return info->nitems <= WHOLE_SIZE / info->typesize && info->nchunks <= WHOLE_BLOCKS / block;
}

static void
look_at_layers(tess_array *a, const tess_info *info)
{
    tess_metalayer layer;
    tess_metalayer same;
    void *content;
    size_t size;

    for (int i = 0; i < info->nmetalayers; i++) {
        must(tess_meta_at(a, i, &layer, NULL) == TESS_OK, "metalayer %d is missing", i);
        must(tess_meta_get(a, layer.name, &same, NULL) == TESS_OK && same.content == layer.content,
             "metalayer %d is not found by its name", i);
        free(exact_copy(layer.content, layer.size));
    }
    for (int i = 0; i < info->nvlmetalayers; i++) {
        const char *const name = tess_vlmeta_name(a, i);
        must(name, "variable-length metalayer %d has no name", i);
        if (tess_vlmeta_get(a, name, &content, &size, NULL) == TESS_OK) {
            free(exact_copy(content, size));
            tess_free(content);
        }
    }
}

// Sizes of blocks, if they can be had, are those of the chunk.
static void
look_at_blocks(tess_array *a, int64_t n, const tess_chunk_info *chunk)
{
    const size_t count = (size_t)chunk->nblocks;
    int32_t *const sizes = (int32_t *)(void *)exact_memory(count * sizeof *sizes);
    int64_t total = 0;
    tess_error err = {0};
    const tess_status st = tess_array_chunk_blocks(a, n, sizes, count, &err);

    must(st == TESS_OK || (err.status == st && err.message[0]), "a failure without a sentence");
    must(st == TESS_OK || chunk->blocksize == 0, "sizes of equal blocks: %s", err.message);
    if (st == TESS_OK) {
        for (size_t i = 0; i < count; i++) {
            must(sizes[i] > 0, "a block of %d bytes", sizes[i]);
            total += sizes[i];
        }
        must(total == (count > 0 ? chunk->nbytes : 0), "blocks of %lld bytes in a chunk of %lld",
             (long long)total, (long long)chunk->nbytes);
    }
    free(sizes);
}

// The first chunks; those of an array that can be read can be told, too.
static void
look_at_chunks(tess_array *a, const tess_info *info, bool readable)
{
    for (int64_t n = 0; n < info->nchunks && n < CHUNKS_LOOKED_AT; n++) {
        tess_chunk_info chunk;
        tess_error err = {0};
        const tess_status st = tess_array_chunk(a, n, &chunk, &err);

        must(st == TESS_OK || !readable, "a chunk that can be read cannot be told: %s",
             err.message);
        if (st == TESS_OK)
            look_at_blocks(a, n, &chunk);
        else
            must(err.status == st && err.message[0], "a failure without a sentence");
    }
}

uint8_t *
look_at(tess_array *a, const tess_limits *limits, size_t *size)
{
    static const int64_t origin[TESS_MAX_NDIM];
    uint8_t *whole = NULL;
    tess_info info;

    tess_array_info(a, &info);
    must(info.ndim >= 0 && info.ndim <= TESS_MAX_NDIM && info.typesize > 0, "%d axes, items of %d",
         info.ndim, info.typesize);
    must(limits->ndim == 0 || info.ndim <= limits->ndim, "%d axes in spite of the limit",
         info.ndim);
    must(info.nchunks <= limits->nchunks, "%lld chunks in spite of the limit",
         (long long)info.nchunks);
    if (info.dtype)
        (void)tess_dtype_parse(info.dtype);
    look_at_layers(a, &info);
    *size = 0;
    if (is_small(&info)) {
        *size = (size_t)(info.nitems * info.typesize);
        whole = read_box(a, origin, info.shape, *size);
    }
    read_corner(a, &info, false, whole);
    read_corner(a, &info, true, whole);
    look_at_chunks(a, &info, whole && info.nitems > 0);
    return whole;
}
