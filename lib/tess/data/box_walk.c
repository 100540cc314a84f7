/*
 * box_walk.c - visits a large shape in boxes of bounded size.
 *
 * A box starts as the whole shape and is cut down axis by axis, slowest first, until it is small
 * enough: to as many grains as fit or, when one is too much, to one (to what fits, in a stream)
 * and on to the next axis.
 */
#include "data/box_walk.h"

#include "report.h"
#include "signals.h"
#include "text/progress.h"

#include <stdlib.h>

// Product of all but one axis (-1: of all), INT64_MAX if it is larger than that.
static int64_t
product(int ndim, const int64_t *extent, int except)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++)
        if (i != except && __builtin_mul_overflow(n, extent[i], &n))
            return INT64_MAX;
    return n;
}

static int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool
is_fortran(const struct box_walk *w)
{
    return w->order == BOX_WALK_FORTRAN || w->order == BOX_WALK_STREAM_FORTRAN;
}

static bool
is_stream(const struct box_walk *w)
{
    return w->order == BOX_WALK_STREAM || w->order == BOX_WALK_STREAM_FORTRAN;
}

static void
choose_extent(struct box_walk *w, const struct box_walk_plan *plan)
{
    for (int k = 0; k < w->ndim && product(w->ndim, w->extent, -1) > plan->max_items; k++) {
        const int axis = is_fortran(w) ? w->ndim - 1 - k : k;
        const int64_t grain = plan->grain[axis];
        int64_t fit = plan->max_items / product(w->ndim, w->extent, axis);

        if (fit >= grain)
            fit -= fit % grain;
        else if (!is_stream(w))
            fit = grain;
        else if (fit == 0)
            fit = 1;
        w->extent[axis] = smaller(w->extent[axis], fit);
    }
    w->box_items = product(w->ndim, w->extent, -1);
}

void
box_walk_init(struct box_walk *w, const struct box_walk_plan *plan)
{
    *w = (struct box_walk){.ndim = plan->ndim, .order = plan->order};
    for (int i = 0; i < w->ndim; i++) {
        w->shape[i] = plan->shape[i];
        w->extent[i] = plan->most ? smaller(plan->shape[i], plan->most[i]) : plan->shape[i];
        if (w->shape[i] == 0)
            w->empty = true;
    }
    if (w->empty)
        return;
    choose_extent(w, plan);
    for (int i = 0; i < w->ndim; i++) // an axis in one piece has no borders to shift
        if (plan->skew && w->extent[i] < w->shape[i])
            w->skew[i] = plan->skew[i] % w->extent[i];
}

// The end of the box that starts at start[axis]: the next border of the grid, or the end.
static void
set_stop(struct box_walk *w, int axis)
{
    const int64_t into = (w->start[axis] % w->extent[axis] + w->skew[axis]) % w->extent[axis];
    const int64_t left = w->shape[axis] - w->start[axis];

    w->stop[axis] = w->start[axis] + smaller(left, w->extent[axis] - into);
}

bool
box_walk_step(struct box_walk *w)
{
    if (w->empty)
        return false;
    if (!w->begun) {
        w->begun = true;
        for (int i = 0; i < w->ndim; i++)
            set_stop(w, i);
    } else {
        int k = 0; // axes from the fastest on that have come to their end

        for (; k < w->ndim; k++) {
            const int axis = is_fortran(w) ? k : w->ndim - 1 - k;
            const bool more = w->stop[axis] < w->shape[axis];

            w->start[axis] = more ? w->stop[axis] : 0;
            set_stop(w, axis);
            if (more)
                break;
        }
        if (k == w->ndim) {
            w->empty = true;
            return false;
        }
    }
    w->items = 1;
    for (int i = 0; i < w->ndim; i++)
        w->items *= w->stop[i] - w->start[i];
    return true;
}

// The progress bar of box_walk_run(), which also follows the progress of calls inside a visit.
struct bar {
    struct progress progress;
    double items; // of the current box
};

// A tess_progress_fn: moves the bar, and cancels the call if a signal was received.
static bool
hear(int64_t done, int64_t total, void *user)
{
    struct bar *const bar = user;

    if (total > 0)
        progress_within(&bar->progress, bar->items * ((double)done / (double)total));
    return !signals_came();
}

// Set the progress function of the array. It cannot fail: other members of the context are kept.
static void
follow(tess_array *a, struct bar *bar, tess_context *before)
{
    if (!a)
        return;
    tess_array_get_context(a, before);
    tess_context context = *before;
    context.progress = hear;
    context.progress_user = bar;
    (void)!tess_array_set_context(a, &context, NULL);
}

tess_status
box_walk_run(const struct box_walk_plan *plan, int32_t typesize, box_walk_visit_fn *visit,
             void *user, tess_error *err)
{
    struct box_walk_plan sized = *plan;
    struct bar bar = {0};
    tess_context before;
    double total = 1;
    tess_status st = TESS_OK;
    struct box_walk w;

    if (sized.max_items == 0)
        sized.max_items = BOX_WALK_BYTES / typesize;
    box_walk_init(&w, &sized);
    const int64_t size = w.box_items * typesize;
    uint8_t *const buffer = malloc(size > 0 ? (size_t)size : 1);
    if (!buffer)
        return report_nomem(err, size);
    for (int i = 0; i < w.ndim; i++)
        total *= (double)w.shape[i];
    progress_begin(&bar.progress, plan->quiet ? 0 : total);
    follow(plan->array, &bar, &before);
    while (st == TESS_OK && box_walk_step(&w)) {
        bar.items = (double)w.items;
        st = visit(&w, buffer, user, err);
        progress_add(&bar.progress, (double)w.items);
    }
    if (plan->array)
        (void)!tess_array_set_context(plan->array, &before, NULL);
    progress_end(&bar.progress);
    free(buffer);
    return st;
}
