/*
 * pick.c - reads what a slice expression selects.
 */
#include "data/picked/pick.h"

#include <tessera/slice.h>

#include <stdlib.h>
#include <unistd.h>

// Bytes of a box that is visited as a whole: a file that is compressed takes 10 to 30 MB a second,
// and between boxes the bar moves. Smaller ones cost time where items are copied only. Boxes of a
// stream, whose borders are not those of chunks, have BOX_WALK_BYTES.
#define VISIT_BYTES (INT64_C(8) << 20)

tess_status
pick_read(const tess_array *a, const struct slice_range *sel, const int64_t *start,
          const int64_t *stop, void *dst, size_t dst_size, tess_error *err)
{
    int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM];

    for (int i = 0; i < sel->ndim; i++) {
        from[i] = sel->start[i] + sel->step[i] * start[i];
        to[i] = sel->start[i] + sel->step[i] * (stop[i] - 1) + (sel->step[i] > 0 ? 1 : -1);
    }
    return tess_array_get_slice(a, from, to, sel->step, dst, dst_size, NULL, err);
}

void
pick_grid(const tess_info *info, const struct slice_range *sel, int64_t *grain, int64_t *skew)
{
    const int64_t *cell = info->chunksize > BOX_WALK_BYTES ? info->blockshape : info->chunkshape;

    for (int i = 0; i < sel->ndim; i++) {
        const int64_t step = llabs(sel->step[i]);

        grain[i] = cell[i] > step ? (cell[i] - 1) / step + 1 : 1;
        skew[i] = sel->step[i] == 1 && cell[i] > 0 ? sel->start[i] % cell[i] : 0;
    }
}

struct job {
    const tess_array *a;
    const struct slice_range *sel;
    size_t typesize;
    box_walk_visit_fn *visit;
    void *user;
};

static tess_status
read_and_visit(const struct box_walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    const struct job *const job = user;
    const tess_status st = pick_read(job->a, job->sel, w->start, w->stop, buffer,
                                     (size_t)w->items * job->typesize, err);

    return st == TESS_OK ? job->visit(w, buffer, job->user, err) : st;
}

tess_status
pick_run(const tess_array *a, const struct slice_range *sel, enum box_walk_order order, int copies,
         box_walk_visit_fn *visit, void *user, tess_error *err)
{
    struct job job = {.a = a, .sel = sel, .visit = visit, .user = user};
    int64_t grain[TESS_MAX_NDIM], skew[TESS_MAX_NDIM];
    const bool to_terminal = order == BOX_WALK_STREAM && isatty(STDOUT_FILENO);
    const int64_t bytes = order == BOX_WALK_STREAM ? BOX_WALK_BYTES : copies * VISIT_BYTES;
    tess_info info;

    tess_array_info(a, &info);
    job.typesize = (size_t)info.typesize;
    pick_grid(&info, sel, grain, skew);
    return box_walk_run(&(struct box_walk_plan){.ndim = sel->ndim,
                                                .shape = sel->count,
                                                .grain = grain,
                                                .skew = skew,
                                                .max_items = bytes / copies / info.typesize,
                                                .order = order,
                                                .quiet = to_terminal},
                        copies * info.typesize, read_and_visit, &job, err);
}
