/*
 * shift.c - items of a box from elsewhere, in bounded memory.
 *
 * Each is read and written by many threads, one piece after the other.
 */
#include "array/shift.h"

#include "base/checked.h"
#include "geom/walk.h"

#include <inttypes.h>
#include <stdlib.h>

// Pieces are the cells of a grid that begins with the first chunk of the box.
struct pieces {
    const struct geometry *g;
    const int64_t *start, *stop;
    const struct shift *shift;
    int64_t extent[NDIM_MAX]; // items of a piece, if it is not cut off
    int64_t origin[NDIM_MAX]; // of the grid
    int64_t count[NDIM_MAX];
};

// Chunks of the box along an axis.
static int64_t
chunks_along(const struct pieces *p, int axis)
{
    return ceil_div(p->stop[axis] - p->origin[axis], p->g->chunkshape[axis]);
}

// Let pieces be longer along an axis, up to `most` bytes, of *nbytes with what a chunk has there.
static void
extend(struct pieces *p, int axis, int64_t most, int64_t *nbytes)
{
    const int64_t n = min_i64(most / *nbytes, chunks_along(p, axis));
    if (n <= 1)
        return;
    p->extent[axis] *= n;
    *nbytes *= n;
}

static tess_status
choose_pieces(struct pieces *p, int64_t limit, size_t *size, tess_error *err)
{
    const struct geometry *const g = p->g;
    int64_t nbytes = g->typesize;

    for (int i = 0; i < g->ndim; i++) {
        p->origin[i] = p->start[i] - p->start[i] % g->chunkshape[i];
        p->extent[i] = g->chunkshape[i];
        nbytes *= g->chunkshape[i]; // fits: a chunk does
    }
    if (nbytes > limit)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "moving items takes a chunk of %" PRId64 " bytes, the limit is %" PRId64,
                       nbytes, limit);
    extend(p, p->shift->axis, SHIFT_PIECE, &nbytes);
    for (int i = g->ndim - 1; i >= 0; i--)
        if (i != p->shift->axis)
            extend(p, i, SHIFT_ENOUGH, &nbytes);
    nbytes = g->typesize;
    for (int i = 0; i < g->ndim; i++) {
        p->count[i] = ceil_div(p->stop[i] - p->origin[i], p->extent[i]);
        nbytes *= min_i64(p->extent[i], p->stop[i] - p->start[i]);
    }
    *size = (size_t)nbytes;
    return TESS_OK;
}

// The box of the piece at these coordinates, and where it comes from.
static void
piece_box(const struct pieces *p, const int64_t *at, int64_t *start, int64_t *stop, int64_t *from,
          int64_t *from_stop)
{
    for (int i = 0; i < p->g->ndim; i++) {
        const bool backwards = i == p->shift->axis && p->shift->by > 0;
        const int64_t cell = backwards ? p->count[i] - 1 - at[i] : at[i];
        const int64_t by = i == p->shift->axis ? p->shift->by : 0;
        start[i] = max_i64(p->start[i], p->origin[i] + cell * p->extent[i]);
        stop[i] = min_i64(p->stop[i], p->origin[i] + (cell + 1) * p->extent[i]);
        from[i] = start[i] - by;
        from_stop[i] = stop[i] - by;
    }
}

// Whether all chunks that a box meets have this entry.
static bool
all_are(const tess_array *a, const int64_t *start, const int64_t *stop, int64_t entry)
{
    struct walk w;
    for (bool more = walk_begin(&w, a->g.ndim, a->g.chunkshape, a->g.grid, start, stop, NULL); more;
         more = walk_next(&w))
        if (index_get(&a->frame->index, w.index) != entry)
            return false;
    return true;
}

// Whether the items are there already: in both places chunks that are not stored, of one kind.
static bool
is_there(const tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *from_start,
         const int64_t *from_stop)
{
    struct walk w;
    walk_begin(&w, a->g.ndim, a->g.chunkshape, a->g.grid, start, stop, NULL);
    const int64_t entry = index_get(&a->frame->index, w.index);
    return entry < 0 && all_are(a, start, stop, entry) && all_are(a, from_start, from_stop, entry);
}

static tess_status
shift_piece(tess_array *a, const struct pieces *p, const int64_t *at, uint8_t *items,
            struct watch *watch, tess_error *err)
{
    int64_t start[NDIM_MAX], stop[NDIM_MAX], from[NDIM_MAX], from_stop[NDIM_MAX];
    int64_t extent[NDIM_MAX];
    struct strided dst = {.items = items};
    struct strided_const src = {.items = items};

    piece_box(p, at, start, stop, from, from_stop);
    if (is_there(a, start, stop, from, from_stop))
        return TESS_OK;
    for (int i = 0; i < a->g.ndim; i++)
        extent[i] = stop[i] - start[i];
    shape_strides(a->g.ndim, extent, a->g.typesize, dst.stride);
    shape_strides(a->g.ndim, extent, a->g.typesize, src.stride);
    const struct watch_range both = watch_divide(watch);
    watch_part(watch, &both, 1, 2);
    const tess_status st = array_read(a, from, from_stop, NULL, &dst, watch, err);
    watch_part(watch, &both, 2, 2);
    return st == TESS_OK ? array_write(a, start, stop, NULL, &src, watch, err) : st;
}

// The next piece in C order; false behind the last one.
static bool
step(const struct pieces *p, int64_t *at)
{
    for (int i = p->g->ndim - 1; i >= 0; i--) {
        if (++at[i] < p->count[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static int64_t
pieces_number(const struct pieces *p)
{
    int64_t n = 1;
    for (int i = 0; i < p->g->ndim; i++)
        n *= p->count[i];
    return n;
}

tess_status
array_shift(tess_array *a, const int64_t *start, const int64_t *stop, const struct shift *shift,
            struct watch *watch, tess_error *err)
{
    struct pieces p = {.g = &a->g, .start = start, .stop = stop, .shift = shift};
    int64_t at[NDIM_MAX] = {0};
    size_t size = 0;

    for (int i = 0; i < a->g.ndim; i++)
        if (start[i] >= stop[i])
            return TESS_OK;
    tess_status st = choose_pieces(&p, a->frame->options.limits.memory, &size, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const items = malloc(size);
    if (!items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes of items", size);
    const struct watch_range all = watch_divide(watch);
    const int64_t n = pieces_number(&p);
    int64_t done = 0;
    do {
        watch_part(watch, &all, ++done, n);
        st = shift_piece(a, &p, at, items, watch, err);
    } while (st == TESS_OK && step(&p, at));
    free(items);
    return st;
}
