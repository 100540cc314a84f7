/*
 * automatic.c - automatic chunk and block shapes.
 *
 * Blocks are searched for step by step: from nearly cubic ones, longer along the last axis, where
 * items are neighbours in memory, to the best of those with one axis twice or half as long, or one
 * twice and another half as long, until none is better. Chunks are grown from blocks.
 *
 * Costs are sums and products of doubles, whose last bits differ between processors. They decide
 * nothing, since a step has to gain more than a millionth.
 */
#include "geom/automatic.h"

#include "base/checked.h"
#include "geom/model.h"
#include "geom/shape.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    BLOCK_BYTES = 16 << 10, // where the search begins
    BLOCK_MOST = 128 << 10, // three of them are at work per thread
    CHUNK_BYTES = 4 << 20,
    CHUNK_MOST = 1 << 30, // where there would be more chunks than CHUNKS_MOST
    CHUNKS_MOST = (1 << 28) - 5, // of a frame: its index is a chunk, with 8 bytes for each
    LAST_AXIS_LONGER = 4,
    GROWING = 64, // what an axis of 0 items is taken for: it will grow
    GROWING_ALONE = 1 << 20, // in one dimension
    SMALL_BOX = 10, // items along each axis
    LARGE_BOX = 64,
    LEAST_READ = 1 << 10, // bytes that any access decodes, in blocks made for it
    BEST_BLOCK = 64 << 10, // bytes of a block made for a large access
    STEPS_MOST = 32, // of the search
    FEW_AXES = 4, // of which all pairs are tried
};

// How much worse than the best that can be is near it.
#define NEAR_TIME 1.13
#define NEAR_BYTES 1.05

#define GAIN (1 - 1e-6) // of a step that is worth it

static bool
is_unset(int ndim, const int64_t *shape)
{
    for (int i = 0; i < ndim; i++)
        if (shape[i] != 0)
            return false;
    return true;
}

// Double the shortest axis until the cell has `nitems`, in steps of `unit`, inside `shape`.
static void
grow_cell(int ndim, const int64_t *shape, const int64_t *unit, int64_t nitems, int64_t *cell)
{
    int64_t count = 1;
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        cell[i] = unit[i];
        fits = fits && mul_i64(count, unit[i], &count);
    }
    if (!fits)
        return; // far too large already; geometry_init() says so
    while (count <= nitems / 2) {
        int best = -1;
        int64_t best_length = 0;
        for (int i = 0; i < ndim; i++) {
            const int64_t length = i == ndim - 1 ? cell[i] / LAST_AXIS_LONGER : cell[i];
            if (cell[i] < shape[i] && (best < 0 || length <= best_length)) {
                best = i;
                best_length = length;
            }
        }
        if (best < 0)
            return;
        cell[best] *= 2;
        count *= 2;
    }
}

// As few cells as before, of nearly equal lengths: less of the last one is padding.
static void
even_out(int ndim, const int64_t *shape, const int64_t *unit, int64_t *cell)
{
    for (int i = 0; i < ndim; i++) {
        const int64_t cells = ceil_div(shape[i], cell[i]);
        cell[i] = max_i64(ceil_div(ceil_div(shape[i], cells), unit[i]), 1) * unit[i];
    }
}

// How many cells there are, or INT64_MAX.
static int64_t
count_cells(int ndim, const int64_t *shape, const int64_t *cell)
{
    int64_t count = 1;
    for (int i = 0; i < ndim; i++)
        if (!mul_i64(count, ceil_div(shape[i], cell[i]), &count))
            return INT64_MAX;
    return count;
}

// -- the standard mix

enum { READ_ALL, WRITE_ALL, SLICES, MIX_MOST = SLICES + 2 * NDIM_MAX + 4 };

struct mix {
    int count;
    struct access items[MIX_MOST];
    double best[MIX_MOST]; // seconds, with blocks made for it alone
};

struct search {
    int ndim;
    const int64_t *outer; // what blocks lie in: a chunk that was given, or the array
    const struct automatic_wish *wish;
    bool choose_chunks;
    bool empty; // there are no chunks yet
    int64_t chunk[NDIM_MAX]; // that was given
    struct mix mix;
};

static void
automatic_add(struct search *s, enum access_kind kind, int axis, int64_t along, int64_t others)
{
    struct access *const a = &s->mix.items[s->mix.count++];
    *a = (struct access){.kind = kind};
    for (int i = 0; i < s->ndim; i++)
        a->extent[i] = i == axis ? along : others;
}

// In blocks made for it alone.
static double
best_cost(const struct search *s, const struct access *a)
{
    const struct model *const m = &s->wish->model;
    int64_t extent[NDIM_MAX] = {0};
    double items = 1;
    int row = s->ndim - 1; // the axis along which items follow each other, in blocks one item thick

    access_extent(a, s->ndim, s->outer, extent);
    for (int i = 0; i < s->ndim; i++)
        items *= (double)extent[i];
    while (row > 0 && extent[row] == 1)
        row--;
    const double rows = items / (double)extent[row];
    const double bytes = items * (double)s->wish->typesize;
    return model_best(m, a->kind, a->kind == ACCESS_READ ? fmax(bytes, LEAST_READ) : bytes, rows,
                      BEST_BLOCK);
}

static void
make_mix(struct search *s)
{
    struct mix *const mix = &s->mix;

    mix->count = 0;
    automatic_add(s, ACCESS_READ, 0, ACCESS_WHOLE, ACCESS_WHOLE);
    automatic_add(s, ACCESS_WRITE, 0, ACCESS_WHOLE, ACCESS_WHOLE);
    for (int i = 0; i < s->ndim && s->ndim > 1; i++) {
        automatic_add(s, ACCESS_READ, i, 1, ACCESS_WHOLE);
        automatic_add(s, ACCESS_READ, i, ACCESS_WHOLE, 1);
    }
    automatic_add(s, ACCESS_READ, 0, 1, 1);
    automatic_add(s, ACCESS_READ, 0, SMALL_BOX, SMALL_BOX);
    automatic_add(s, ACCESS_READ, 0, LARGE_BOX, LARGE_BOX);
    automatic_add(s, ACCESS_APPEND, 0, 1, ACCESS_WHOLE);
    for (int i = 0; i < mix->count; i++)
        mix->best[i] = best_cost(s, &mix->items[i]);
}

// -- the search

// How bad blocks are: first by what is more than near the best in reading and writing everything
// and in bytes, then by the slices.
struct merit {
    double excess; // 1: nothing
    double slices; // what the worst one takes more than it could, times the mean of all
};

static void
chunk_for(const struct search *s, const int64_t *block, int64_t *chunk)
{
    if (!s->choose_chunks) {
        memcpy(chunk, s->chunk, (size_t)s->ndim * sizeof *chunk);
        return;
    }
    int64_t bytes = CHUNK_BYTES;
    do {
        grow_cell(s->ndim, s->outer, block, bytes / s->wish->typesize, chunk);
        even_out(s->ndim, s->outer, block, chunk);
        for (int i = 0; i < s->ndim; i++)
            chunk[i] = min_i64(chunk[i], max_i64(s->outer[i], block[i]));
        bytes *= 2;
    } while (!s->empty && bytes <= CHUNK_MOST &&
             count_cells(s->ndim, s->outer, chunk) > CHUNKS_MOST);
}

static struct merit
judge(const struct search *s, const int64_t *block)
{
    const struct model *const m = &s->wish->model;
    struct merit merit = {1, 1};
    double worst = 1, product = 1, padding = 1;
    struct model_counts counts;
    struct grid g = {0};

    memcpy(g.block, block, (size_t)s->ndim * sizeof *block);
    chunk_for(s, block, g.chunk);
    model_count(&counts, s->ndim, s->outer, (int32_t)s->wish->typesize, &g);
    for (int i = 0; i < s->ndim; i++) // compresses to nothing, and is hardly decoded
        padding *= counts.blocks[i] * (double)g.block[i] / (double)s->outer[i];
    merit.excess = fmax(1, model_growth(m, counts.block_bytes) / NEAR_BYTES);
    for (int i = 0; i < s->mix.count; i++) {
        const double regret = model_cpu(m, &s->mix.items[i], &counts) / s->mix.best[i];
        if (i < SLICES) {
            merit.excess = fmax(merit.excess, regret / padding / NEAR_TIME);
        } else {
            worst = fmax(worst, regret);
            product *= regret;
        }
    }
    merit.slices = worst * pow(product, 1.0 / (s->mix.count - SLICES));
    return merit;
}

static bool
is_better(const struct merit *a, const struct merit *b)
{
    if (a->excess < b->excess * GAIN)
        return true;
    return a->excess * GAIN <= b->excess && a->slices < b->slices * GAIN;
}

// Twice or half as long; false: it is as long or short as it can be.
static bool
layout_change(const struct search *s, int64_t *length, int axis, bool longer)
{
    const int64_t n = s->outer[axis], least = min_i64(n, s->wish->least);
    const int64_t before = *length;
    const int64_t wanted = longer ? min_i64(2 * before, n) : max_i64(before / 2, least);
    *length = ceil_div(n, ceil_div(n, wanted));
    if (*length < least)
        *length = least;
    return longer ? *length > before : *length < before;
}

static bool
layout_fits(const struct search *s, const int64_t *block)
{
    int64_t bytes = s->wish->typesize;
    for (int i = 0; i < s->ndim; i++)
        if (!mul_i64(bytes, block[i], &bytes))
            return false;
    return bytes <= BLOCK_MOST;
}

struct best {
    int64_t block[NDIM_MAX];
    struct merit merit;
};

// The block with one axis longer (-1: none) and another shorter, if it is better.
static bool
try_change(const struct search *s, const int64_t *from, int longer, int shorter, struct best *best)
{
    int64_t block[NDIM_MAX] = {0};
    memcpy(block, from, (size_t)s->ndim * sizeof *block);
    if ((longer >= 0 && !layout_change(s, &block[longer], longer, true)) ||
        (shorter >= 0 && !layout_change(s, &block[shorter], shorter, false)) ||
        !layout_fits(s, block))
        return false;
    const struct merit merit = judge(s, block);
    if (!is_better(&merit, &best->merit))
        return false;
    memcpy(best->block, block, sizeof block);
    best->merit = merit;
    return true;
}

static void
improve(const struct search *s, int64_t *block)
{
    struct best best = {.merit = judge(s, block)};
    bool better = true;

    for (int steps = 0; better && steps < STEPS_MOST; steps++) {
        better = false;
        for (int i = -1; i < s->ndim; i++)
            for (int k = -1; k < s->ndim; k++)
                if (i != k &&
                    (s->ndim <= FEW_AXES || i < 0 || k < 0 || k == s->ndim - 1 || i == s->ndim - 1))
                    better |= try_change(s, block, i, k, &best);
        if (better)
            memcpy(block, best.block, (size_t)s->ndim * sizeof *block);
    }
}

// Items of the first block, of which no axis is below the codec's cells.
static void
first_block(const struct search *s, int64_t *block)
{
    int64_t unit[NDIM_MAX] = {0};

    for (int i = 0; i < s->ndim; i++)
        unit[i] = max_i64(min_i64(s->wish->least, s->outer[i]), 1);
    grow_cell(s->ndim, s->outer, unit, BLOCK_BYTES / s->wish->typesize, block);
    for (int i = 0; i < s->ndim; i++)
        block[i] = max_i64(unit[i], ceil_div(s->outer[i], ceil_div(s->outer[i], block[i])));
}

void
automatic_choose(int ndim, const int64_t *shape, const struct automatic_wish *wish,
                 int64_t *chunkshape, int64_t *blockshape)
{
    int64_t outer[NDIM_MAX] = {0};
    struct search s = {.ndim = ndim, .outer = outer, .wish = wish};
    const bool choose_blocks = is_unset(ndim, blockshape);

    bool sane = ndim > 0; // else geometry_init() says what is wrong
    s.choose_chunks = is_unset(ndim, chunkshape);
    for (int i = 0; i < ndim; i++) {
        sane = sane && (s.choose_chunks || chunkshape[i] > 0);
        s.chunk[i] = chunkshape[i];
        outer[i] = !s.choose_chunks ? chunkshape[i] : shape[i];
        s.empty |= shape[i] <= 0;
        if (outer[i] <= 0)
            outer[i] = ndim == 1 ? GROWING_ALONE : GROWING;
    }
    if (choose_blocks) {
        first_block(&s, blockshape);
        if (sane && layout_fits(&s, blockshape)) {
            make_mix(&s);
            improve(&s, blockshape);
        }
    }
    if (s.choose_chunks) {
        for (int i = 0; i < ndim; i++)
            if (blockshape[i] <= 0)
                return; // the caller's blocks make no sense; geometry_init() says so
        chunk_for(&s, blockshape, chunkshape);
    }
}
