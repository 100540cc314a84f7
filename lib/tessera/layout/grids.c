/*
 * grids.c - the shapes of chunks and blocks that a search considers, and their neighbours.
 *
 * An axis of n items is divided into k chunks of ceil(n / k), a chunk of c items into m blocks of
 * ceil(c / m): as little as possible is padding. Half the length is twice as many parts.
 */
#include "layout/private.h"

#include <tessera/array.h>

#include <string.h>

#define CHUNKS_MOST (INT64_C(1) << 22) // of an array
#define BLOCKS_MOST (INT64_C(1) << 15) // of a chunk

static int64_t
parts(int64_t n, int64_t length)
{
    return n / length + (n % length != 0);
}

int64_t
grids_items(int ndim, const int64_t *lengths)
{
    int64_t items = 1;

    for (int i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(items, lengths[i], &items))
            return INT64_MAX;
    return items;
}

bool
grids_equal(int ndim, const struct grid *a, const struct grid *b)
{
    const size_t size = (size_t)ndim * sizeof a->chunk[0];
    return memcmp(a->chunk, b->chunk, size) == 0 && memcmp(a->block, b->block, size) == 0;
}

bool
grids_is_valid(const struct grid_space *space, const struct grid *g)
{
    const int64_t block = grids_items(space->ndim, g->block);
    int64_t chunks = 1, blocks = 1, padded = 1, length;

    for (int i = 0; i < space->ndim; i++) {
        const int64_t m = parts(g->chunk[i], g->block[i]);

        if (g->block[i] > g->chunk[i] ||
            __builtin_mul_overflow(chunks, parts(space->shape[i], g->chunk[i]), &chunks) ||
            __builtin_mul_overflow(blocks, m, &blocks) ||
            __builtin_mul_overflow(m, g->block[i], &length) ||
            __builtin_mul_overflow(padded, length, &padded))
            return false;
    }
    if (!space->fixed_chunks &&
        (padded > space->chunk_most / space->typesize || chunks > CHUNKS_MOST))
        return false;
    return space->fixed_blocks ||
           (blocks <= BLOCKS_MOST && (block == 1 || block <= space->block_most / space->typesize) &&
            (block >= parts(space->block_least, space->typesize) ||
             (blocks == 1 && (chunks == 1 || space->fixed_chunks))));
}

// Twice as many parts, or half as many.
static int64_t
divide_length(int64_t n, int64_t length, bool finer)
{
    const int64_t k = parts(n, length);
    return parts(n, !finer ? k / 2 + k % 2 : k < n / 2 ? 2 * k : n);
}

static void
change_chunk(const struct grid_space *space, struct grid *g, int axis, bool finer)
{
    const int64_t before = g->block[axis];

    g->chunk[axis] = divide_length(space->shape[axis], g->chunk[axis], finer);
    if (!space->fixed_blocks) // about as long as before
        g->block[axis] = parts(g->chunk[axis], parts(g->chunk[axis], before));
}

static void
change_block(const struct grid_space *space, struct grid *g, int axis, bool finer)
{
    if (!finer && g->block[axis] == g->chunk[axis] && !space->fixed_chunks) {
        g->chunk[axis] = divide_length(space->shape[axis], g->chunk[axis], false);
        g->block[axis] = g->chunk[axis];
    } else {
        g->block[axis] = divide_length(g->chunk[axis], g->block[axis], finer);
    }
}

enum what { CHUNK, BLOCK, BOTH, WHATS };

static void
change_shapes(const struct grid_space *space, struct grid *g, enum what what, int axis, bool finer)
{
    if (what != BLOCK && !space->fixed_chunks)
        change_chunk(space, g, axis, finer);
    if (what != CHUNK && !space->fixed_blocks)
        change_block(space, g, axis, finer);
}

bool
grids_next(const struct grid_space *space, const struct grid *g, struct grid_step *step,
           struct grid *neighbour)
{
    const int axes = space->ndim + 1; // the last one: none
    const int number = step->number++;
    const int what = number % WHATS, finer = number / WHATS % axes, coarser = number / WHATS / axes;

    if (coarser >= axes)
        return false;
    *neighbour = *g;
    if (finer < space->ndim)
        change_shapes(space, neighbour, (enum what)what, finer, true);
    if (coarser < space->ndim)
        change_shapes(space, neighbour, (enum what)what, coarser, false);
    return true;
}

struct grid
grids_of(const tess_params *params)
{
    struct grid g;

    memcpy(g.chunk, params->chunkshape, sizeof g.chunk);
    memcpy(g.block, params->blockshape, sizeof g.block);
    return g;
}

void
grids_put(const struct grid *g, tess_params *params)
{
    memcpy(params->chunkshape, g->chunk, sizeof params->chunkshape);
    memcpy(params->blockshape, g->block, sizeof params->blockshape);
}

tess_status
grids_automatic(const tess_params *params, struct grid *g, int32_t *typesize, tess_error *err)
{
    tess_params plain = *params;
    tess_array *a = NULL;
    tess_storage storage;
    tess_info info;

    plain.layout = TESS_LAYOUT_CONTIGUOUS;
    tess_storage_init(&storage);
    const tess_status st = tess_array_uninit(&storage, &plain, &a, err);
    if (st != TESS_OK)
        return st;
    tess_array_info(a, &info);
    memcpy(g->chunk, info.chunkshape, sizeof g->chunk);
    memcpy(g->block, info.blockshape, sizeof g->block);
    *typesize = info.typesize;
    tess_array_discard(a);
    return TESS_OK;
}
