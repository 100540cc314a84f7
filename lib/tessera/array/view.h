/*
 * view.h - an array that is another one, seen through slices and with its axes in another order.
 *
 * A view has a shape of its own and the grid of its base. Its indices become those of the base in
 * array/items/box.c, before anything else happens: nothing of a view is
 * stored, cached or encoded, and the modules below know no views. A view of a view is one of the
 * same base.
 *
 * A view holds its base: `users` of the base counts it, atomically. `moved` and `discarded` of the
 * base are read by view_check() without a lock, as they change with exclusive access to the base,
 * which includes its views. Any number of threads may read through a view, and through its base at
 * once.
 */
#ifndef ARRAY_VIEW_H
#define ARRAY_VIEW_H

#include "array/array.h"
#include "geom/index_map.h"

struct view {
    tess_array *base; // held; no view itself
    bool read_only;
    int64_t moved; // the base's, when the view was made
    struct geometry g; // of the view
    struct index_map map;
};

// The array that has the items: the base of a view, else the array itself.
tess_array *view_base(tess_array *a);
const tess_array *view_base_const(const tess_array *a);

// The array whose chunks are those of `a` in number and order: the base of a view that has all of
// its items, without or with axes of length 1; else `a` itself.
const tess_array *view_of_chunks(const tess_array *a);

// Whether the base still is as the view knows it. Also for arrays that are no views.
tess_status view_check(const tess_array *a, tess_error *err);

// The map from an array's indices to those of its grid, after view_check().
tess_status view_map(const tess_array *a, struct index_map *map, tess_error *err);

/*
 * New views, to be ended with array_free(); arguments are checked. A slice is count[i] items from
 * first[i] on, step[i] apart (of any sign). `axes` are those that stay, or come, in order: numbers
 * of axes of `a`, or -1 for a new one.
 */
tess_status view_slice(tess_array *a, const int64_t *first, const int64_t *count,
                       const int64_t *step, tess_array **view, tess_error *err);
tess_status view_axes(tess_array *a, int ndim, const int *axes, tess_array **view, tess_error *err);
// All of an array, which this view, and views of it, cannot write to.
tess_status view_read_only(const tess_array *a, tess_array **view, tess_error *err);

#endif
