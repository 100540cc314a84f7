/*
 * check.h - the arguments of public functions.
 */
#ifndef API_CHECK_H
#define API_CHECK_H

#include "array/array.h"
#include "geom/shape.h"

static inline tess_status
check_writable(const tess_array *a, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    return array_check_writable(a, err);
}

// For what writes items, or changes a shape.
static inline tess_status
check_items_writable(const tess_array *a, tess_error *err)
{
    const tess_status st = check_writable(a, err);
    if (st == TESS_OK && a->grid->plain)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a super-chunk, which is written chunk by chunk (tess_schunk_update())");
    return st;
}

// For what deals with stored chunks, or with the shape of an array.
static inline tess_status
check_no_view(const tess_array *a, tess_error *err)
{
    if (a && a->view)
        return err_set(err, TESS_ERR_ARG, -1, "this cannot be done with a view of an array");
    return TESS_OK;
}

// A box, or all of the array where none is given; its items.
static inline tess_status
check_box_or_all(const tess_array *a, struct box *box, int64_t *nitems, tess_error *err)
{
    static const int64_t nowhere[NDIM_MAX];
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (!box->start != !box->stop && a->g->ndim > 0)
        return err_set(err, TESS_ERR_ARG, -1, "half a box is given");
    if (!box->start || !box->stop)
        *box = (struct box){nowhere, a->g->shape, NULL};
    return geometry_check_box(a->g, box, nitems, err);
}

// -- memory with strides: count[i] items along each axis, none of them 0; itemsize: bytes of an
// item in memory

// The strides to be used, in bytes: those of the caller, or for NULL C order without gaps; 0 where
// no step is taken (of the caller's). TESS_ERR_ARG: they lead further than memory can reach.
tess_status strides_choose(int ndim, const int64_t *count, int64_t itemsize, const int64_t *strides,
                           int64_t *chosen, tess_error *err);

// Whether memory of that size reaches as far as strides that were chosen lead upwards.
tess_status strides_check_memory(int ndim, const int64_t *count, int64_t itemsize,
                                 const int64_t *chosen, const void *memory, size_t size,
                                 tess_error *err);

// Whether each item has bytes of its own.
tess_status strides_check_disjoint(int ndim, const int64_t *count, int64_t itemsize,
                                   const int64_t *chosen, tess_error *err);

// -- slices

// count[i] items per axis, from first[i] on, step[i] apart (any sign; 1 where count is below 2).
struct slice {
    int64_t first[NDIM_MAX], count[NDIM_MAX], step[NDIM_MAX];
    int64_t nitems;
};

// step may be NULL: 1 everywhere.
tess_status slice_check(const tess_array *a, const int64_t *start, const int64_t *stop,
                        const int64_t *step, struct slice *s, tess_error *err);

#endif
