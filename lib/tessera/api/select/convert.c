/*
 * convert.c - the public functions on memory of another type: arguments are checked here, once.
 */
#include "api/check.h"
#include "api/select/strides.h"
#include "api/uncancelled.h"
#include "array/convert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "geom/shape.h"
#include "task/watch.h"

#include <tessera/attr.h>
#include <tessera/convert.h>

#include <math.h>
#include <string.h>

TESS_API void
tess_conversion_init_sized(tess_conversion *how, size_t struct_size)
{
    tess_conversion own = {.struct_size = struct_size, .misfit = TESS_MISFIT_ERROR, .scale = 1};
    sized_give(how, struct_size, &own, sizeof own);
}

static tess_status
check_number(const tess_number *x, const char *what, tess_error *err)
{
    if (x->kind == TESS_KIND_INT || x->kind == TESS_KIND_UINT || x->kind == TESS_KIND_FLOAT)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1, "%s of kind %d", what, (int)x->kind);
}

static tess_status
check_bound(const tess_number *x, const char *what, tess_error *err)
{
    if ((int)x->kind == 0)
        return TESS_OK;
    if (x->kind == TESS_KIND_FLOAT && isnan(x->f))
        return err_set(err, TESS_ERR_ARG, -1, "NaN as the %s valid value", what);
    return check_number(x, what, err);
}

static tess_status
check_conversion(const tess_conversion *how, tess_error *err)
{
    tess_status st = TESS_OK;
    if (how->misfit < TESS_MISFIT_ERROR || how->misfit > TESS_MISFIT_WRAP)
        return err_set(err, TESS_ERR_ARG, -1, "misfit %d", how->misfit);
    if (!isfinite(how->scale) || how->scale == 0 || !isfinite(how->offset))
        return err_set(err, TESS_ERR_ARG, -1, "a scale of %g, an offset of %g", how->scale,
                       how->offset);
    if (how->nmissing < 0 || how->nmissing > TESS_MISSING_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "%d missing values, at most %d", how->nmissing,
                       TESS_MISSING_MAX);
    for (int i = 0; i < how->nmissing && st == TESS_OK; i++)
        st = check_number(&how->missing[i], "a missing value", err);
    if (st == TESS_OK)
        st = check_bound(&how->least, "least", err);
    return st == TESS_OK ? check_bound(&how->most, "greatest", err) : st;
}

// given NULL: the defaults.
static tess_status
take_conversion(tess_conversion *own, const tess_conversion *given, tess_error *err)
{
    tess_conversion_init(own);
    const tess_status st = given ? sized_take(own, sizeof *own, SIZED_UP_TO(tess_conversion, most),
                                              given, "conversion", err)
                                 : TESS_OK;
    return st == TESS_OK ? check_conversion(own, err) : st;
}

// A box in memory of another type.
struct typed_box {
    struct typed typed;
    tess_conversion how;
    int64_t nitems; // 0: nothing is to be done
    int64_t count[NDIM_MAX], stride[NDIM_MAX];
};

static tess_status
check_box(struct typed_box *b, const tess_array *a, const int64_t *start, const int64_t *stop,
          tess_error *err)
{
    if (a->g->ndim > 0 && (!start || !stop))
        return err_set(err, TESS_ERR_ARG, -1, "no box is given");
    for (int i = 0; i < a->g->ndim; i++)
        b->count[i] = stop[i] - start[i];
    return geometry_check_box(a->g, start, stop, &b->nitems, err);
}

static tess_status
check_typed(struct typed_box *b, const tess_array *a, const int64_t *start, const int64_t *stop,
            const char *dtype, const tess_conversion *how, bool writing, tess_error *err)
{
    if (!dtype)
        return err_set(err, TESS_ERR_ARG, -1, "no type of items in memory is given");
    tess_status st = take_conversion(&b->how, how, err);
    if (st == TESS_OK)
        st = check_box(b, a, start, stop, err);
    return st == TESS_OK ? typed_init(&b->typed, a, dtype, &b->how, writing, err) : st;
}

static tess_status
check_memory(struct typed_box *b, const tess_array *a, const void *memory, size_t size,
             const int64_t *strides, tess_error *err)
{
    const int ndim = a->g->ndim;
    const int64_t itemsize = b->typed.itemsize;
    const tess_status st = strides_choose(ndim, b->count, itemsize, strides, b->stride, err);
    return st == TESS_OK
               ? strides_check_memory(ndim, b->count, itemsize, b->stride, memory, size, err)
               : st;
}

TESS_API tess_status
tess_array_read_as(const tess_array *a, const int64_t *start, const int64_t *stop,
                   const char *dtype, const tess_conversion *how, void *dst, size_t dst_size,
                   const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct typed_box b;
    struct strided to = {.items = dst};
    struct reading r;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = check_typed(&b, a, start, stop, dtype, how, false, err);
    if (st != TESS_OK || b.nitems == 0)
        return st;
    st = check_memory(&b, a, dst, dst_size, strides, err);
    if (st == TESS_OK)
        st = strides_check_disjoint(a->g->ndim, b.count, b.typed.itemsize, b.stride, err);
    if (st != TESS_OK)
        return st;
    memcpy(to.stride, b.stride, sizeof to.stride);
    st = reading_begin(&r, a, b.nitems, err);
    if (st == TESS_OK)
        st = typed_read(&b.typed, a, start, stop, &to, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_write_as(tess_array *a, const int64_t *start, const int64_t *stop, const char *dtype,
                    const tess_conversion *how, const void *src, size_t src_size,
                    const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct typed_box b;
    struct strided_const from = {.items = src};
    struct watch watch;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_typed(&b, a, start, stop, dtype, how, true, err);
    if (st != TESS_OK || b.nitems == 0)
        return st;
    st = check_memory(&b, a, src, src_size, strides, err);
    if (st != TESS_OK)
        return st;
    memcpy(from.stride, b.stride, sizeof from.stride);
    array_watch(&watch, a, b.nitems);
    return watch_end(&watch, typed_write(&b.typed, a, start, stop, &from, &watch, err));
}

TESS_API tess_status
tess_conversion_from_attributes_sized(const tess_array *a, tess_conversion *how, size_t how_size,
                                      tess_error *err)
{
    UNCANCELLED;
    tess_conversion own;
    tess_status st = TESS_OK;
    if (!how)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a conversion is given");
    tess_conversion_init_sized(how, how_size);
    tess_conversion_init(&own);
    for (int n = 0; n < PACKING_NAMES; n++) {
        tess_value *value;
        st = tess_attr_get(a, packing_names[n], &value, err);
        if (st == TESS_ERR_NOT_FOUND)
            continue;
        if (st == TESS_OK)
            st = packing_take(&own, n, value, err);
        mem_free(value);
        if (st != TESS_OK)
            return err_prefix(err, st, "attribute %s", packing_names[n]);
    }
    own.struct_size = how_size;
    sized_give(how, how_size, &own, sizeof own);
    return TESS_OK;
}
