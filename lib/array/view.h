/*
 * view.h - an array that is another one, seen through slices and with its axes in another order.
 *
 * A view has a shape of its own and the frame of its base. Whatever reads or writes it asks here
 * for the items of the base that are meant, and goes on there: nothing of a view is stored, cached
 * or encoded. A view of a view is one of the same base.
 */
#ifndef ARRAY_VIEW_H
#define ARRAY_VIEW_H

#include "array/array.h"
#include "array/strided.h"

struct view {
    tess_array *base; // held; no view itself
    int64_t moved; // the base's, when the view was made
    int axis[NDIM_MAX]; // of the base, for each axis of the view; -1: a new one, of length 1
    // Per axis of the base: item i of the view's axis is first + i * step; where the view has no
    // such axis, first.
    int64_t first[NDIM_MAX], step[NDIM_MAX];
};

// The array that has the items: the base of a view, else the array itself.
tess_array *view_base(tess_array *a);
const tess_array *view_base_const(const tess_array *a);

// Whether the base still is as the view knows it. Also for arrays that are no views.
tess_status view_check(const tess_array *a, tess_error *err);

// A box of a view, and the memory for it, as one of its base (array/array.h).
struct view_box {
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX];
};
tess_status view_box(const tess_array *a, const int64_t *start, const int64_t *stop,
                     const int64_t *step, const struct strided_const *memory, struct view_box *box,
                     struct strided_const *base_memory, tess_error *err);

// The index along an axis of the base, for indices of the view.
int64_t view_index(const struct view *v, int ndim, int base_axis, const int64_t *index);
// The axis of the view that runs along one of the base; -1: none.
int view_axis_of(const struct view *v, int ndim, int base_axis);

/*
 * New views, to be ended with array_free(); arguments are checked. A slice is count[i] items from
 * first[i] on, step[i] apart (of any sign). `axes` are those that stay, or come, in order: numbers
 * of axes of `a`, or -1 for a new one.
 */
tess_status view_slice(tess_array *a, const int64_t *first, const int64_t *count,
                       const int64_t *step, tess_array **view, tess_error *err);
tess_status view_axes(tess_array *a, int ndim, const int *axes, tess_array **view, tess_error *err);

#endif
