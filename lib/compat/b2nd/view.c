/*
 * view.c - arrays with fewer or more axes of length 1, without a copy.
 *
 * A view is a view of the library, which keeps what it needs of its base: they may be freed in any
 * order. Its metalayers are those of the base, with a `b2nd` of its own shape.
 */
#include "b2nd/array.h"
#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "schunk/access.h"
#include "schunk/metalist.h"
#include "schunk/schunk.h"
#include "schunk/wrap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/view.h>

// Shapes of a view.
struct shapes {
    int ndim;
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM];
    int32_t blockshape[B2ND_MAX_DIM];
    int8_t of_base[B2ND_MAX_DIM]; // axes, as b2_axes has them
};

static void
add_axis(struct shapes *v, const b2nd_array_t *array, int axis)
{
    const struct b2_schunk *const s = nd_schunk(array);

    v->shape[v->ndim] = array->shape[axis];
    v->chunkshape[v->ndim] = array->chunkshape[axis];
    v->blockshape[v->ndim] = array->blockshape[axis];
    v->of_base[v->ndim] = s->of.view ? s->axes.of_base[axis] : (int8_t)axis;
    v->ndim++;
}

static void
add_new_axis(struct shapes *v)
{
    v->shape[v->ndim] = v->chunkshape[v->ndim] = v->blockshape[v->ndim] = 1;
    v->of_base[v->ndim] = -1;
    v->ndim++;
}

// Other metalayers may describe axes.
static int
check_metalayers(const b2nd_array_t *array)
{
    for (int i = 0; i < array->sc->nmetalayers; i++)
        if (strcmp(array->sc->metalayers[i]->name, "b2nd") != 0 &&
            strcmp(array->sc->metalayers[i]->name, "caterva") != 0)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no view of an array with metalayer %s",
                           array->sc->metalayers[i]->name);
    return BLOSC2_ERROR_SUCCESS;
}

// -- views of the library

// Replace *a, a view that the caller owns if it is not base, by a view of it.
static int
step(tess_array *base, tess_array **a, bool squeeze, int axis)
{
    tess_array *next = NULL;
    tess_error err = {0};
    const tess_status st = squeeze ? tess_array_view_squeeze(*a, axis, &next, &err)
                                   : tess_array_view_expand(*a, axis, &next, &err);

    if (*a != base)
        tess_array_discard(*a); // views of it keep the base open
    *a = next;
    return b2_code(st, &err);
}

// The first items of base, as many as shape says.
static int
view_first(tess_array *base, int ndim, const int64_t *shape, tess_array **a)
{
    const int64_t start[B2ND_MAX_DIM] = {0};
    tess_error err = {0};
    const tess_status st = ndim > 0 ? tess_array_view_slice(base, start, shape, NULL, a, &err)
                                    : tess_array_view_squeeze(base, -1, a, &err);
    return b2_code(st, &err);
}

// The axis of a view that is the given one of its base; -1: none.
static int
find_axis(const struct b2_axes *axes, int axis)
{
    for (int i = 0; i < axes->ndim; i++)
        if (axes->of_base[i] == axis)
            return i;
    return -1;
}

// The view again, of another handle of its base, which may have grown.
static int
make_again(const struct b2_schunk *view, tess_array *base, tess_array **again)
{
    const struct b2_axes *const axes = &view->axes;
    int64_t shape[B2ND_MAX_DIM] = {0};
    tess_array *a = NULL;
    tess_info own, info;

    tess_array_info(view->a, &own);
    tess_array_info(base, &info);
    for (int i = 0; i < info.ndim; i++) {
        const int axis = find_axis(axes, i);
        shape[i] = axis < 0 ? 1 : own.shape[axis];
    }
    int rc = view_first(base, info.ndim, shape, &a);
    for (int i = info.ndim - 1; i >= 0 && rc == 0; i--)
        if (find_axis(axes, i) < 0)
            rc = step(base, &a, true, i);
    for (int i = 0; i < axes->ndim && rc == 0; i++)
        if (axes->of_base[i] < 0)
            rc = step(base, &a, false, i);
    *again = a;
    return rc;
}

// -- arrays over them

// A view of an array of Caterva is one of b2nd, as it has no file of its own: with a type.
static int
make_b2nd(b2nd_array_t *view)
{
    blosc2_schunk *const schunk = view->sc;
    const int index = blosc2_meta_exists(schunk, "caterva");
    char *const name = index < 0 ? NULL : strdup("b2nd");
    char dtype[16];

    if (index < 0)
        return BLOSC2_ERROR_SUCCESS;
    if (!name)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    free(schunk->metalayers[index]->name);
    schunk->metalayers[index]->name = name;
    if (view->dtype)
        return BLOSC2_ERROR_SUCCESS;
    snprintf(dtype, sizeof dtype, "|S%" PRId32, schunk->typesize);
    view->dtype = strdup(dtype);
    return view->dtype ? BLOSC2_ERROR_SUCCESS : BLOSC2_ERROR_MEMORY_ALLOC;
}

static int
show_shapes(b2nd_array_t *view, const struct shapes *v)
{
    uint8_t *content = NULL;
    int rc = nd_geometry_set(view, v->ndim, v->shape, v->chunkshape, v->blockshape);

    if (rc == 0)
        rc = make_b2nd(view);
    if (rc < 0)
        return rc;
    const int size =
        b2nd_serialize_meta(view->ndim, view->shape, view->chunkshape, view->blockshape,
                            view->dtype, view->dtype_format, &content);
    if (size < 0)
        return size;
    rc = b2_metas_show(nd_schunk(view), "b2nd", content, size);
    free(content);
    return rc < 0 ? rc : BLOSC2_ERROR_SUCCESS;
}

// a belongs to the view, or is closed.
static int
wrap(const b2nd_array_t *array, tess_array *a, const struct shapes *v, b2nd_array_t **view)
{
    blosc2_storage storage = *array->sc->storage;

    storage.urlpath = NULL;
    storage.contiguous = false;
    struct b2_access *const access = nd_schunk(array)->access;
    b2_access_share(access);
    struct b2_schunk *const s = b2_schunk_wrap(a, &storage, NULL, access, true);
    if (!s) {
        tess_array_close(a, NULL);
        b2_access_drop(access);
        return BLOSC2_ERROR_MEMORY_ALLOC;
    }
    s->view = make_again;
    s->axes.ndim = v->ndim;
    memcpy(s->axes.of_base, v->of_base, sizeof v->of_base);
    int rc = nd_new(s, view);
    if (rc < 0) {
        blosc2_schunk_free(&s->of);
        return rc;
    }
    rc = show_shapes(*view, v);
    if (rc < 0) {
        b2nd_free(*view);
        *view = NULL;
    }
    return rc;
}

static int
squeeze(const b2nd_array_t *array, b2nd_array_t **view, const bool *index)
{
    tess_array *const base = nd_handle(array);
    tess_array *a = base;
    struct shapes v = {0};
    int rc = check_metalayers(array);

    for (int i = 0; i < array->ndim && rc == 0; i++) {
        if (!index[i])
            add_axis(&v, array, i);
        else if (array->shape[i] != 1)
            rc = b2_fail(BLOSC2_ERROR_INVALID_INDEX, "axis %d does not have length 1", i);
    }
    for (int i = array->ndim - 1; i >= 0 && rc == 0; i--)
        if (index[i])
            rc = step(base, &a, true, i);
    if (rc == 0 && a == base)
        rc = view_first(base, array->ndim, array->shape, &a);
    if (rc == 0)
        return wrap(array, a, &v, view);
    if (a != base)
        tess_array_close(a, NULL);
    return rc;
}

int
b2nd_squeeze_index(b2nd_array_t *array, b2nd_array_t **view, const bool *index)
{
    if (view)
        *view = NULL;
    if (!array || !view || !index)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = nd_read_begin(array);
    if (rc < 0)
        return rc;
    rc = squeeze(array, view, index);
    nd_end(array);
    return rc;
}

int
b2nd_squeeze(b2nd_array_t *array, b2nd_array_t **view)
{
    bool index[B2ND_MAX_DIM] = {false};

    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    for (int i = 0; i < array->ndim; i++)
        index[i] = array->shape[i] == 1;
    return b2nd_squeeze_index(array, view, index);
}

static int
expand(const b2nd_array_t *array, b2nd_array_t **view, const bool *axis, int ndim)
{
    tess_array *const base = nd_handle(array);
    tess_array *a = base;
    struct shapes v = {0};
    int old = 0;
    int rc = check_metalayers(array);

    for (int i = 0; i < ndim && rc == 0; i++) {
        if (axis[i]) {
            add_new_axis(&v);
        } else if (old < array->ndim) {
            add_axis(&v, array, old);
            old++;
        } else {
            rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "the array has only %d dimensions",
                         array->ndim);
        }
    }
    if (rc == 0 && old < array->ndim)
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%d of %d dimensions are left out",
                     array->ndim - old, array->ndim);
    for (int i = 0; i < ndim && rc == 0; i++)
        if (axis[i])
            rc = step(base, &a, false, i);
    if (rc == 0 && a == base)
        rc = view_first(base, array->ndim, array->shape, &a);
    if (rc == 0)
        return wrap(array, a, &v, view);
    if (a != base)
        tess_array_close(a, NULL);
    return rc;
}

int
b2nd_expand_dims(const b2nd_array_t *array, b2nd_array_t **view, const bool *axis,
                 const uint8_t final_dims)
{
    if (view)
        *view = NULL;
    if (!array || !view || !axis)
        return BLOSC2_ERROR_NULL_POINTER;
    if (final_dims > B2ND_MAX_DIM)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%d dimensions, at most %d can be", final_dims,
                       B2ND_MAX_DIM);
    int rc = nd_read_begin(array);
    if (rc < 0)
        return rc;
    rc = expand(array, view, axis, final_dims);
    nd_end(array);
    return rc;
}
