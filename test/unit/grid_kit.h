/*
 * grid_kit.h - random arrays for tests of lib/grid: the grid of one, and the items that it must
 * have.
 */
#ifndef UNIT_GRID_KIT_H
#define UNIT_GRID_KIT_H

#include "array/array.h"
#include "grid/grid.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct kit {
    tess_array *a;
    struct chunk_grid *grid; // of a
    struct reference ref;
};

static inline void
kit_random_box(struct random *r, const struct kit *k, int64_t *start, int64_t *stop)
{
    for (int i = 0; i < k->ref.ndim; i++) {
        start[i] = (int64_t)random_below(r, (uint64_t)k->ref.shape[i]);
        stop[i] = start[i] + 1 + (int64_t)random_below(r, (uint64_t)(k->ref.shape[i] - start[i]));
    }
}

// Items of few different values, in memory; 1 to 3 axes. cache: bytes.
static inline void
kit_begin(struct random *r, struct kit *k, int64_t cache)
{
    static const int32_t sizes[] = {1, 2, 4, 8, 3, 12};
    static const tess_codec codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_BLOSCLZ, TESS_CODEC_ZSTD};
    tess_context context;
    tess_storage storage;
    tess_params p;

    tess_params_init(&p);
    p.typesize = sizes[random_below(r, 6)];
    p.ndim = 1 + (int)random_below(r, 3);
    for (int i = 0; i < p.ndim; i++) {
        p.shape[i] = 1 + (int64_t)random_below(r, p.ndim == 1 ? 3000 : p.ndim == 2 ? 60 : 16);
        p.chunkshape[i] = 1 + (int64_t)random_below(r, (uint64_t)p.shape[i]);
        p.blockshape[i] = 1 + (int64_t)random_below(r, (uint64_t)p.chunkshape[i]);
    }
    p.codec = codecs[random_below(r, 3)];
    p.clevel = (int)random_below(r, 6);
    if (random_below(r, 3) == 0)
        p.filters[TESS_MAX_FILTERS - 2] = TESS_FILTER_DELTA;
    reference_init(&k->ref, p.ndim, p.shape, (size_t)p.typesize);
    for (size_t i = 0; i < reference_size(&k->ref); i++)
        k->ref.data[i] = (uint8_t)(random_below(r, 8) ? i / 7 : random_below(r, 256));
    if (random_below(r, 3) == 0) // chunks of zeros, or of one item
        for (size_t i = 0; i < reference_size(&k->ref) / (1 + random_below(r, 3)); i++)
            k->ref.data[i] = i < k->ref.typesize ? (uint8_t)random_below(r, 2)
                                                 : k->ref.data[i - k->ref.typesize];
    tess_context_init(&context);
    context.threads = 1 + (int)random_below(r, 4);
    context.cache = cache;
    tess_storage_init(&storage);
    storage.context = &context;
    assert_int_equal(
        tess_array_from(&storage, &p, k->ref.data, reference_size(&k->ref), &k->a, NULL), TESS_OK);
    k->grid = k->a->grid;
}

static inline void
kit_end(struct kit *k)
{
    tess_array_discard(k->a);
    reference_finish(&k->ref);
}

// Number of the chunk, and of the block in it, that hold an item; and the item in the block.
static inline void
kit_locate(const struct geometry *g, const int64_t *index, int64_t *chunk, int32_t *block,
           int64_t *item)
{
    *chunk = *item = *block = 0;
    for (int i = 0; i < g->ndim; i++) {
        const int64_t in_chunk = index[i] % g->chunkshape[i];

        *chunk = *chunk * g->grid[i] + index[i] / g->chunkshape[i];
        *block = (int32_t)(*block * g->bgrid[i] + in_chunk / g->blockshape[i]);
        *item = *item * g->blockshape[i] + in_chunk % g->blockshape[i];
    }
}

// Whether a block has an item of the array.
static inline bool
kit_has_items(const struct geometry *g, int64_t chunk, int32_t block)
{
    int64_t c = chunk, b = block;

    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t in_chunk = b % g->bgrid[i] * g->blockshape[i];

        if (in_chunk >= g->chunkshape[i] ||
            c % g->grid[i] * g->chunkshape[i] + in_chunk >= g->shape[i])
            return false;
        c /= g->grid[i];
        b /= g->bgrid[i];
    }
    return true;
}

// To the next index of a box, in C order; false behind the last.
static inline bool
kit_next(int ndim, const int64_t *start, const int64_t *stop, int64_t *index)
{
    for (int i = ndim - 1; i >= 0; i--) {
        if (++index[i] < stop[i])
            return true;
        index[i] = start[i];
    }
    return false;
}

static inline const uint8_t *
kit_item(const struct kit *k, const int64_t *index)
{
    int64_t n = 0;

    for (int i = 0; i < k->ref.ndim; i++)
        n = n * k->ref.shape[i] + index[i];
    return k->ref.data + (size_t)n * k->ref.typesize;
}

// All items, read through the public interface.
static inline void
kit_check(const struct kit *k)
{
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    const size_t size = reference_size(&k->ref);
    uint8_t *const items = malloc(size);

    assert_non_null(items);
    assert_int_equal(tess_array_read(k->a, zeros, k->ref.shape, items, size, NULL), TESS_OK);
    assert_memory_equal(items, k->ref.data, size);
    free(items);
}

#endif
