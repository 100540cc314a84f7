/*
 * mask.c - the public functions on masks: arguments are checked here, once.
 */
#include "array/items/mask.h"
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "task/watch.h"

#include <inttypes.h>

static tess_status
check_mask_bytes(const tess_array *a, const tess_mask *mask, tess_error *err)
{
    int64_t needed = 1;
    bool fits = true;
    if (a->g->nitems == 0) // no byte is looked at
        return TESS_OK;
    for (int i = 0; i < mask->ndim; i++)
        fits = fits && mul_i64(needed, a->g->shape[i], &needed);
    if (!fits || (uint64_t)needed > mask->bytes_size)
        return err_set(err, TESS_ERR_ARG, -1, "a mask of %zu bytes, the axes have %" PRId64,
                       mask->bytes_size, needed);
    return TESS_OK;
}

static tess_status
check_mask(const tess_array *a, const tess_mask *mask, tess_error *err)
{
    if (!a || !mask)
        return err_set(err, TESS_ERR_ARG, -1, "no array or no mask is given");
    if (mask->ndim < 0 || mask->ndim > a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "a mask with %d dimensions for an array with %d",
                       mask->ndim, a->g->ndim);
    const tess_array *const m = mask->array;
    if (!m == !mask->bytes && a->g->nitems > 0)
        return err_set(err, TESS_ERR_ARG, -1, "a mask needs bytes or an array, not both");
    if (!m)
        return check_mask_bytes(a, mask, err);
    if (m->g->typesize != 1)
        return err_set(err, TESS_ERR_ARG, -1, "a mask with items of %" PRId32 " bytes",
                       m->g->typesize);
    if (m->g->ndim != mask->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "a mask with %d dimensions in an array with %d",
                       mask->ndim, m->g->ndim);
    for (int i = 0; i < mask->ndim; i++)
        if (m->g->shape[i] != a->g->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d has %" PRId64 " items in the mask, %" PRId64 " in the array", i,
                           m->g->shape[i], a->g->shape[i]);
    return view_check(m, err);
}

// The first part of a call that goes on with what is chosen, which takes longer.
static tess_status
begin_first(struct mask *m, const tess_array *a, const tess_mask *mask, struct watch *watch,
            tess_error *err)
{
    array_watch(watch, a, a->g->nitems);
    const struct watch_range all = watch_divide(watch);
    watch_part(watch, &all, 1, 10);
    const tess_status st = mask_begin(m, a, mask, watch, err);
    watch_part(watch, &all, 1, 1);
    return st;
}

TESS_API tess_status
tess_array_count_mask(const tess_array *a, const tess_mask *mask, int64_t *n, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    struct mask m = {0};
    if (!n)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the number is given");
    *n = 0;
    tess_status st = check_mask(a, mask, err);
    if (st != TESS_OK)
        return st;
    array_watch(&watch, a, a->g->nitems);
    st = watch_end(&watch, mask_begin(&m, a, mask, &watch, err));
    *n = st == TESS_OK ? m.count : 0;
    mask_finish(&m);
    return st;
}

static tess_status
get_mask(struct mask *m, const tess_array *a, void *dst, size_t dst_size, struct watch *watch,
         tess_error *err)
{
    if ((uint64_t)m->count > dst_size / (size_t)a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu bytes of memory for %" PRId64 " items of %" PRId32 " bytes", dst_size,
                       m->count, a->g->typesize);
    if (m->count == 0)
        return TESS_OK;
    if (!dst)
        return err_set(err, TESS_ERR_ARG, -1, "no memory is given");
    int64_t locked;
    const tess_status st = array_lock_shared(&a, 1, NULL, &locked, err);
    if (st != TESS_OK)
        return st;
    return array_unlock_shared(&a, NULL, locked, watch_end(watch, mask_get(m, dst, watch, err)),
                               err);
}

TESS_API tess_status
tess_array_get_mask(const tess_array *a, const tess_mask *mask, void *dst, size_t dst_size,
                    tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    struct mask m = {0};
    tess_status st = check_mask(a, mask, err);
    if (st != TESS_OK)
        return st;
    st = begin_first(&m, a, mask, &watch, err);
    if (st == TESS_OK)
        st = get_mask(&m, a, dst, dst_size, &watch, err);
    mask_finish(&m);
    return st;
}

static tess_status
set_mask(struct mask *m, tess_array *a, const void *src, size_t src_size, struct watch *watch,
         tess_error *err)
{
    const uint64_t typesize = (uint64_t)a->g->typesize;
    const bool each = src_size != typesize;
    if (each && src_size / typesize < (uint64_t)m->count)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu bytes for %" PRId64 " items of %" PRId32 " bytes", src_size, m->count,
                       a->g->typesize);
    if (m->count == 0)
        return TESS_OK;
    if (!src)
        return err_set(err, TESS_ERR_ARG, -1, "no memory is given");
    return watch_end(watch, array_update_mask(a, m, src, !each, watch, err));
}

TESS_API tess_status
tess_array_set_mask(tess_array *a, const tess_mask *mask, const void *src, size_t src_size,
                    tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    struct mask m = {0};
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_mask(a, mask, err);
    if (st != TESS_OK)
        return st;
    st = begin_first(&m, a, mask, &watch, err);
    if (st == TESS_OK && mask->array && view_base_const(mask->array) == view_base(a))
        st = err_set(err, TESS_ERR_ARG, -1, "an array cannot be its own mask");
    if (st == TESS_OK)
        st = set_mask(&m, a, src, src_size, &watch, err);
    mask_finish(&m);
    return st;
}
