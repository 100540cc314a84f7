/*
 * pick.c - reads what a slice expression selects.
 *
 * The library reads boxes. Where the steps are 1 that is all; otherwise the box around the
 * selected items is read in pieces, and they are picked out of it. Along axes whose steps leap
 * over whole blocks, each index is a piece of its own: nothing between is decoded.
 */
#include "cli/data/pick.h"

#include "cli/data/strided.h"
#include "cli/data/walk.h"
#include "cli/report.h"

#include <stdlib.h>

static bool
is_box(const struct selection *sel)
{
    for (int i = 0; i < sel->ndim; i++)
        if (sel->step[i] != 1)
            return false;
    return true;
}

// What is read around the items [start, stop) of a selection.
struct hull {
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    int64_t extent[TESS_MAX_NDIM]; // stop - start
    int64_t items;
};

// start < stop on all axes: pieces are not empty. `items` fits: the walk bounds it.
static void
hull_of(const struct selection *sel, const int64_t *start, const int64_t *stop, struct hull *hull)
{
    hull->items = 1;
    for (int i = 0; i < sel->ndim; i++) {
        const int64_t first = sel->start[i] + sel->step[i] * start[i];
        const int64_t last = sel->start[i] + sel->step[i] * (stop[i] - 1);

        hull->start[i] = first < last ? first : last;
        hull->stop[i] = (first < last ? last : first) + 1;
        hull->extent[i] = hull->stop[i] - hull->start[i];
        hull->items *= hull->extent[i];
    }
}

// From the hull in memory to the place of the piece in the box that begins at `start`.
static void
scatter(const struct selection *sel, const struct hull *hull, const struct walk *piece,
        size_t item_size, const uint8_t *src, uint8_t *dst, const int64_t *dst_strides)
{
    int64_t shape[TESS_MAX_NDIM], src_strides[TESS_MAX_NDIM];

    strided_c_order(sel->ndim, hull->extent, item_size, src_strides);
    for (int i = 0; i < sel->ndim; i++) {
        shape[i] = piece->stop[i] - piece->start[i];
        if (sel->step[i] < 0)
            src += (hull->extent[i] - 1) * src_strides[i];
        src_strides[i] *= sel->step[i];
        dst += piece->start[i] * dst_strides[i];
    }
    strided_copy(sel->ndim, shape, item_size, dst, dst_strides, src, src_strides);
}

// Pieces of a box of `shape` selected items, such that the hull of each is bounded.
static void
plan_pieces(const tess_info *info, const struct selection *sel, const int64_t *shape,
            struct walk *pieces)
{
    int64_t most[TESS_MAX_NDIM], grain[TESS_MAX_NDIM];
    int64_t spread = info->typesize; // bytes of the hull per item picked, at most

    for (int i = 0; i < sel->ndim; i++) {
        const int64_t step = llabs(sel->step[i]);
        const bool leaps = step > info->blockshape[i];

        most[i] = leaps ? 1 : INT64_MAX;
        grain[i] = 1;
        if (!leaps && __builtin_mul_overflow(spread, step, &spread))
            spread = INT64_MAX;
    }
    walk_init(pieces,
              &(struct walk_plan){.ndim = sel->ndim,
                                  .shape = shape,
                                  .grain = grain,
                                  .most = most,
                                  .max_items = spread < WALK_BYTES ? WALK_BYTES / spread : 1,
                                  .order = WALK_C});
}

static tess_status
read_pieces(const tess_array *a, const struct selection *sel, const int64_t *start,
            const int64_t *stop, uint8_t *dst, tess_error *err)
{
    int64_t shape[TESS_MAX_NDIM], strides[TESS_MAX_NDIM];
    uint8_t *buffer = NULL;
    size_t buffer_size = 0;
    tess_status st = TESS_OK;
    struct walk pieces;
    tess_info info;

    tess_array_info(a, &info);
    const size_t item_size = (size_t)info.typesize;
    for (int i = 0; i < sel->ndim; i++)
        shape[i] = stop[i] - start[i];
    strided_c_order(sel->ndim, shape, item_size, strides);
    plan_pieces(&info, sel, shape, &pieces);

    while (walk_step(&pieces)) {
        int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM];
        struct hull hull;

        for (int i = 0; i < sel->ndim; i++) {
            from[i] = start[i] + pieces.start[i];
            to[i] = start[i] + pieces.stop[i];
        }
        hull_of(sel, from, to, &hull);
        const size_t size = (size_t)hull.items * item_size;
        if (size > buffer_size) { // the first piece is not always the largest
            free(buffer);
            buffer = malloc(size);
            if (!buffer) {
                st = report_nomem(err, (int64_t)size);
                goto out;
            }
            buffer_size = size;
        }
        TRY(tess_array_read(a, hull.start, hull.stop, buffer, size, err));
        scatter(sel, &hull, &pieces, item_size, buffer, dst, strides);
    }
out:
    free(buffer);
    return st;
}

tess_status
pick_read(const tess_array *a, const struct selection *sel, const int64_t *start,
          const int64_t *stop, void *dst, size_t dst_size, tess_error *err)
{
    int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM];

    if (!is_box(sel))
        return read_pieces(a, sel, start, stop, dst, err);
    for (int i = 0; i < sel->ndim; i++) {
        from[i] = sel->start[i] + start[i];
        to[i] = sel->start[i] + stop[i];
    }
    return tess_array_read(a, from, to, dst, dst_size, err);
}

void
pick_grid(const tess_info *info, const struct selection *sel, int64_t *grain, int64_t *skew)
{
    const int64_t *cell = info->chunksize > WALK_BYTES ? info->blockshape : info->chunkshape;

    for (int i = 0; i < sel->ndim; i++) {
        const int64_t step = llabs(sel->step[i]);

        grain[i] = cell[i] > step ? (cell[i] - 1) / step + 1 : 1;
        skew[i] = sel->step[i] == 1 && cell[i] > 0 ? sel->start[i] % cell[i] : 0;
    }
}
