/*
 * divide.c - in which parts an array is reduced.
 */
#include "compute/reduce/divide.h"

#include "base/checked.h"
#include "compute/reduce/state.h"
#include "geom/rechunk.h"
#include "geom/shape.h"
#include "grid/grid.h"

#include <string.h>

enum {
    PIECE_SIZE = 128 << 10, // bytes that are worth a read
    GRAIN_SIZE = 1 << 20, // bytes that are worth a state
    GRAINS_MAX = 1 << 16, // of an array of any size, about
    MERGE_LESS = 8, // bytes that are read for one of a state that is merged
    CUTS = 4, // blocks between two cuts of blocks
    TILE_SIZE = 64 << 20, // bytes of the array, enough for all threads
    PLAIN_PIECE = 1 << 16, // items, where there are no blocks
};

static int64_t
common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b, product;
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return mul_i64(a / x, b, &product) ? product : INT64_MAX;
}

static int64_t
nbytes_of(const struct granularity *d, const int64_t *shape)
{
    int64_t n = d->r->a->g->typesize;
    for (int i = 0; i < d->r->a->g->ndim; i++)
        if (!mul_i64(n, min_i64(shape[i], max_i64(d->r->a->g->shape[i], 1)), &n))
            return INT64_MAX;
    return n;
}

// Double the length along an axis, as long as it is below a limit.
static bool
extend(int64_t *shape, int axis, int64_t limit)
{
    if (shape[axis] >= limit)
        return false;
    shape[axis] *= 2;
    return true;
}

// Whole blocks of a chunk.
static void
choose_piece(struct granularity *d)
{
    const struct chunk_grid *const grid = d->r->a->grid;
    const struct geometry *const g = d->r->a->g;
    const bool whole = grid->linear && !d->r->a->view;
    const bool plain = grid->plain && !d->r->a->view;
    for (int i = 0; i < g->ndim; i++) {
        d->chunk[i] = plain ? PLAIN_PIECE : g->chunkshape[i];
        d->piece[i] = whole || plain ? d->chunk[i] : g->blockshape[i];
    }
    for (int i = g->ndim - 1; i >= 0; i--)
        while (d->piece[i] < d->chunk[i] && nbytes_of(d, d->piece) < PIECE_SIZE)
            d->piece[i] = min_i64(2 * d->piece[i],
                                  ceil_div(d->chunk[i], g->blockshape[i]) * g->blockshape[i]);
    d->piece_nitems = 1;
    for (int i = 0; i < g->ndim; i++)
        d->piece_nitems *= (size_t)min_i64(d->piece[i], max_i64(g->shape[i], 1));
}

// Whether grains can have all items of a cell along an axis. If not, it is long.
static bool
choose_aligned(struct granularity *d, int i)
{
    const int64_t f = d->r->cells.factor[i], p = d->piece[i], n = d->r->a->g->shape[i];
    const int64_t common = common_multiple(p, f);
    if (f == 1)
        d->grain[i] = p;
    else if (f >= n)
        return f <= p;
    else if (common <= CUTS * p)
        d->grain[i] = common;
    else if (f <= CUTS * p)
        d->grain[i] = CUTS * p / f * f;
    else
        return false;
    return true;
}

static int64_t
grain_cells(const struct granularity *d)
{
    const struct cells *const c = &d->r->cells;
    int64_t n = 1;
    for (int i = 0; i < c->ndim; i++)
        n *= ceil_div(min_i64(d->grain[i], max_i64(c->shape[i], 1)), c->factor[i]);
    return n;
}

// Merging costs little where a grain has many more bytes than its state.
static bool
is_small_grain(const struct granularity *d, int64_t least)
{
    const int64_t nbytes = nbytes_of(d, d->grain);
    return nbytes < least ||
           grain_cells(d) * state_cell_size(&d->r->gathering) > nbytes / MERGE_LESS;
}

static void
choose_grain(struct granularity *d)
{
    const struct cells *const c = &d->r->cells;
    const int64_t least = max_i64(nbytes_of(d, d->r->a->g->shape) / GRAINS_MAX, GRAIN_SIZE);
    bool is_long[NDIM_MAX];
    memcpy(d->grain, d->piece, sizeof d->grain);
    for (int i = 0; i < c->ndim; i++)
        is_long[i] = !choose_aligned(d, i);
    for (int k = 2 * c->ndim - 1; k >= 0; k--) { // first to the ends of a chunk
        const int i = k % c->ndim;
        const int64_t limit =
            k >= c->ndim ? min_i64(d->chunk[i], d->r->a->g->shape[i]) : d->r->a->g->shape[i];
        while (is_long[i] && is_small_grain(d, least) && extend(d->grain, i, limit))
            ;
    }
    for (int i = c->ndim - 1; i >= 0; i--)
        while (nbytes_of(d, d->grain) < PIECE_SIZE && extend(d->grain, i, d->r->a->g->shape[i]))
            ;
    d->split = false;
    for (int i = 0; i < c->ndim; i++)
        d->split |= d->grain[i] < c->shape[i] && d->grain[i] % c->factor[i] != 0;
}

// As large as memory allows, of whole chunks of the new array if possible.
void
divide_result(const struct granularity *d, const tess_array *out, int64_t *tile)
{
    const struct cells *const c = &d->r->cells;
    const struct geometry *const to = out->g;
    const int64_t cell_size = state_cell_size(&d->r->gathering) + 2 * d->r->result.size;
    struct rechunk r = {.ndim = c->ndim};
    int64_t cell = d->r->a->g->typesize;
    int n = 0;
    for (int i = 0; i < c->ndim; i++) {
        r.shape[i] = ceil_div(c->shape[i], c->factor[i]);
        r.shape[i] = max_i64(r.shape[i], 1);
        r.unit[i] = max_i64(d->grain[i] / c->factor[i], 1);
        r.chunk[i] = d->r->drop[i] ? 1 : to->chunkshape[n];
        r.block[i] = d->r->drop[i] ? 1 : to->blockshape[n];
        n += !d->r->drop[i];
        if (!mul_i64(cell, min_i64(c->factor[i], max_i64(c->shape[i], 1)), &cell))
            cell = TILE_SIZE;
    }
    if (c->ndim > 0)
        rechunk_piece(&r, max_i64(d->r->a->context.memory / 2 / cell_size, 1),
                      max_i64(TILE_SIZE / cell, 1), tile);
}

void
divide_source(struct granularity *d, const struct reduction *r)
{
    *d = (struct granularity){.r = r};
    choose_piece(d);
    choose_grain(d);
}
