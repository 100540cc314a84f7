/*
 * copy.c - new arrays from arrays.
 *
 * What the library copies as a whole keeps stored chunks where the layout stays. Where the program
 * wants another type of the same size, or no metalayers, items are copied box by box: whole chunks
 * of the new array, at most 64 MiB at once, or one chunk.
 */
#include "b2nd/array.h"
#include "b2nd/context.h"
#include "b2nd/create.h"
#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "blosc2/storage.h"
#include "schunk/access.h"
#include "schunk/calls.h"
#include "schunk/content.h"
#include "schunk/frame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/copy.h>
#include <tessera/meta.h>

#define BOX_BYTES ((int64_t)64 << 20) // of items in transit, unless one chunk has more

// -- items, box by box

// Items of a box along each axis: whole chunks, along the last axes as many as there is room for.
static int64_t
choose_box(const b2nd_array_t *to, const int64_t *shape, int64_t *box)
{
    int64_t size = nd_typesize(to);

    for (int i = 0; i < to->ndim; i++) {
        box[i] = shape[i] < to->chunkshape[i] ? shape[i] : to->chunkshape[i];
        size *= box[i];
    }
    for (int i = to->ndim - 1; i >= 0; i--) {
        const int64_t chunk = box[i];
        const int64_t fit = BOX_BYTES / (size / chunk) / chunk * chunk;
        box[i] = fit >= shape[i] ? shape[i] : fit > chunk ? fit : chunk;
        size = size / chunk * box[i];
        if (box[i] < shape[i])
            break;
    }
    return size;
}

// The next box in C order; false behind the last one.
static bool
next_box(int ndim, const int64_t *shape, const int64_t *box, int64_t *at)
{
    for (int i = ndim - 1; i >= 0; i--) {
        at[i] += box[i];
        if (at[i] < shape[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static int
copy_box(const b2nd_array_t *from, const int64_t *from_start, b2nd_array_t *to,
         const int64_t *to_start, const int64_t *shape, void *items, int64_t size)
{
    int64_t from_stop[B2ND_MAX_DIM] = {0}, to_stop[B2ND_MAX_DIM] = {0};

    for (int i = 0; i < to->ndim; i++) {
        from_stop[i] = from_start[i] + shape[i];
        to_stop[i] = to_start[i] + shape[i];
    }
    const int rc = b2nd_get_slice_cbuffer(from, from_start, from_stop, items, shape, size);
    return rc < 0 ? rc : b2nd_set_slice_cbuffer(items, shape, size, to_start, to_stop, to);
}

// Copy a box of one array to a place in another.
static int
copy_items(const b2nd_array_t *from, const int64_t *from_start, b2nd_array_t *to,
           const int64_t *to_start, const int64_t *shape)
{
    int64_t box[B2ND_MAX_DIM] = {0}, at[B2ND_MAX_DIM] = {0};
    int rc = BLOSC2_ERROR_SUCCESS;

    for (int i = 0; i < to->ndim; i++)
        if (shape[i] == 0)
            return rc;
    const int64_t size = choose_box(to, shape, box);
    void *const items = malloc((size_t)size);
    if (!items)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    do {
        int64_t source[B2ND_MAX_DIM] = {0}, target[B2ND_MAX_DIM] = {0}, part[B2ND_MAX_DIM] = {0};
        for (int i = 0; i < to->ndim; i++) {
            source[i] = from_start[i] + at[i];
            target[i] = to_start[i] + at[i];
            part[i] = shape[i] - at[i] < box[i] ? shape[i] - at[i] : box[i];
        }
        rc = copy_box(from, source, to, target, part, items, size);
    } while (rc == 0 && next_box(to->ndim, shape, box, at));
    free(items);
    return rc;
}

// A new array did not get its items: it is freed, and its file removed.
static void
drop_new(const b2nd_context_t *ctx, b2nd_array_t **array)
{
    b2nd_free(*array);
    *array = NULL;
    b2_storage_remove(b2_storage_file(ctx->b2_storage));
}

// -- slices

static int
set_context(b2nd_context_t *ctx, const b2nd_array_t *src, const int64_t *start, const int64_t *stop)
{
    if (ctx->b2_storage->cparams->typesize != nd_typesize(src))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "items of %" PRId32 " bytes from those of %" PRId64,
                       ctx->b2_storage->cparams->typesize, nd_typesize(src));
    ctx->ndim = src->ndim;
    for (int i = 0; i < src->ndim; i++) {
        if (start[i] < 0 || stop[i] < start[i])
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "axis %d: items %" PRId64 " to %" PRId64, i,
                           start[i], stop[i]);
        ctx->shape[i] = stop[i] - start[i];
    }
    return BLOSC2_ERROR_SUCCESS;
}

int
b2nd_get_slice(b2nd_context_t *ctx, b2nd_array_t **array, const b2nd_array_t *src,
               const int64_t *start, const int64_t *stop)
{
    const int64_t origin[B2ND_MAX_DIM] = {0};

    if (array)
        *array = NULL;
    if (!ctx || !array || !src || !start || !stop)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = b2_schunk_follow(nd_schunk(src));
    if (rc >= 0)
        rc = nd_read_begin(src);
    if (rc < 0)
        return rc;
    nd_end(src);
    rc = set_context(ctx, src, start, stop);
    if (rc == 0)
        rc = b2nd_empty(ctx, array);
    if (rc == 0)
        rc = copy_items(src, start, *array, origin, ctx->shape);
    if (rc < 0 && *array)
        drop_new(ctx, array);
    return rc;
}

// -- copies

static bool
same_type(const b2nd_context_t *ctx, const b2nd_array_t *src)
{
    return !ctx->dtype_given || !src->dtype ||
           (strcmp(ctx->dtype, src->dtype) == 0 && ctx->dtype_format == src->dtype_format);
}

// The library copies all; the type is that of src. src is locked for reading.
static int
copy_whole(const b2nd_context_t *ctx, const b2nd_array_t *src, struct b2_access *access,
           tess_array **copy)
{
    tess_metalayer none[B2ND_MAX_METALAYERS];
    tess_params params;
    struct b2_place place;
    tess_error err = {0};
    const char *const path = b2_storage_file(ctx->b2_storage);
    int rc = nd_context_params(ctx, &params, none);

    params.dtype = NULL;
    params.nmetalayers = 0;
    if (rc == 0)
        rc = b2_access_place(access, &place, ctx->b2_storage, path, TESS_MODE_NEW);
    if (rc < 0)
        return rc;
    return b2_code_io(tess_array_copy(nd_handle(src), &place.storage, &params, copy, &err), &err,
                      BLOSC2_ERROR_FILE_OPEN);
}

static int
copy_with_type(const b2nd_context_t *ctx, const b2nd_array_t *src, b2nd_array_t **array)
{
    struct b2_access *access = NULL;
    tess_array *copy = NULL;
    int rc = b2_access_new(ctx->b2_storage, &access);

    if (rc == 0)
        rc = nd_read_begin(src);
    if (rc == 0) {
        rc = copy_whole(ctx, src, access, &copy);
        nd_end(src);
    }
    if (rc == 0)
        return nd_wrap_new(copy, access, ctx, array);
    b2_access_drop(access);
    return rc;
}

// The context with the metalayers of src.
static void
take_metalayers(b2nd_context_t *ctx, const b2nd_array_t *src)
{
    ctx->nmetalayers = 0;
    for (int i = 0; i < src->sc->nmetalayers; i++) {
        const blosc2_metalayer *const m = src->sc->metalayers[i];
        if (strcmp(m->name, "b2nd") != 0 && strcmp(m->name, "caterva") != 0 &&
            ctx->nmetalayers < B2ND_MAX_METALAYERS)
            ctx->metalayers[ctx->nmetalayers++] = *m;
    }
}

static int
copy_vlmetalayers(const b2nd_array_t *src, b2nd_array_t *to)
{
    for (int i = 0; i < src->sc->nvlmetalayers; i++) {
        char *const name = src->sc->vlmetalayers[i]->name;
        uint8_t *content = NULL;
        int32_t size = 0;
        int rc = blosc2_vlmeta_get(src->sc, name, &content, &size);
        if (rc >= 0)
            rc = blosc2_vlmeta_add(to->sc, name, content, size, NULL);
        free(content);
        if (rc < 0)
            return rc;
    }
    return BLOSC2_ERROR_SUCCESS;
}

// A copy of another type of the same size.
static int
copy_as_type(const b2nd_context_t *ctx, const b2nd_array_t *src, b2nd_array_t **array)
{
    const int64_t start[B2ND_MAX_DIM] = {0};
    b2nd_context_t own = *ctx;

    take_metalayers(&own, src);
    int rc = b2nd_get_slice(&own, array, src, start, src->shape);
    if (rc < 0)
        return rc;
    rc = copy_vlmetalayers(src, *array);
    if (rc < 0)
        drop_new(ctx, array);
    return rc;
}

int
b2nd_copy(b2nd_context_t *ctx, const b2nd_array_t *src, b2nd_array_t **array)
{
    const int64_t start[B2ND_MAX_DIM] = {0};

    if (array)
        *array = NULL;
    if (!ctx || !src || !array)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = b2_schunk_follow(nd_schunk(src));
    if (rc >= 0)
        rc = nd_read_begin(src);
    if (rc < 0)
        return rc;
    rc = set_context(ctx, src, start, src->shape);
    const bool same = same_type(ctx, src) && !b2_decodes_by_context(nd_schunk(src));
    nd_end(src);
    if (rc < 0)
        return rc;
    return same ? copy_with_type(ctx, src, array) : copy_as_type(ctx, src, array);
}

// -- one array behind another

static int
check_fit(const b2nd_array_t *first, const b2nd_array_t *second, int axis)
{
    if (axis < 0 || axis >= first->ndim || first->ndim != second->ndim)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "axis %d of %d and %d dimensions", axis,
                       first->ndim, second->ndim);
    if (nd_typesize(first) != nd_typesize(second))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items of %" PRId64 " and %" PRId64 " bytes",
                       nd_typesize(first), nd_typesize(second));
    for (int i = 0; i < first->ndim; i++)
        if (i != axis && first->shape[i] != second->shape[i])
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                           "axis %d has %" PRId64 " and %" PRId64 " items", i, first->shape[i],
                           second->shape[i]);
    return BLOSC2_ERROR_SUCCESS;
}

// Two arrays of one type: in one step. Both have their locks.
static int
append_whole(b2nd_array_t *to, const b2nd_array_t *other, int axis)
{
    tess_error err = {0};
    const int64_t position = to->shape[axis];
    const tess_status st = tess_array_append_array(nd_handle(to), axis, nd_handle(other), &err);
    const int rc = b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);

    return rc < 0 ? rc : nd_reshaped(to, axis, position);
}

// The members of an array, which other threads may change.
static int
copy_members(const b2nd_array_t *array, b2nd_array_t *members)
{
    const int rc = nd_read_begin(array);

    if (rc < 0)
        return rc;
    *members = *array;
    nd_end(array);
    return rc;
}

static int
append_items(b2nd_array_t *to, const b2nd_array_t *other, int axis)
{
    const int64_t origin[B2ND_MAX_DIM] = {0};
    int64_t shape[B2ND_MAX_DIM], start[B2ND_MAX_DIM] = {0}, count[B2ND_MAX_DIM];
    b2nd_array_t members;

    int rc = copy_members(to, &members);
    if (rc < 0)
        return rc;
    memcpy(shape, members.shape, sizeof shape);
    rc = copy_members(other, &members);
    if (rc < 0)
        return rc;
    memcpy(count, members.shape, sizeof count);
    start[axis] = shape[axis];
    if (count[axis] > INT64_MAX - shape[axis])
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "the array has 2^63 items or more");
    shape[axis] += count[axis];
    rc = b2nd_resize(to, shape, NULL);
    return rc < 0 ? rc : copy_items(other, origin, to, start, count);
}

static bool
same_types(const b2nd_array_t *a, const b2nd_array_t *b)
{
    return !a->dtype || !b->dtype ||
           (strcmp(a->dtype, b->dtype) == 0 && a->dtype_format == b->dtype_format);
}

static int
append_array(b2nd_array_t *to, const b2nd_array_t *other, int axis, bool whole)
{
    int rc = nd_encodes(to);
    if (rc < 0)
        return rc;
    if (!whole || b2_decodes_by_context(nd_schunk(other)))
        return append_items(to, other, axis);
    rc = b2_schunk_pair_begin(nd_schunk(other), nd_schunk(to));
    if (rc < 0)
        return rc;
    rc = append_whole(to, other, axis);
    const int ended = b2_schunk_pair_end_change(nd_schunk(other), nd_schunk(to));
    return rc < 0 ? rc : ended;
}

int
b2nd_concatenate(b2nd_context_t *ctx, const b2nd_array_t *src1, const b2nd_array_t *src2,
                 int8_t axis, bool copy, b2nd_array_t **array)
{
    if (array)
        *array = NULL;
    if (!src1 || !src2 || !array || (copy && !ctx))
        return BLOSC2_ERROR_NULL_POINTER;
    b2nd_array_t first, second;
    int rc = b2_schunk_follow(nd_schunk(src1));
    if (rc >= 0)
        rc = b2_schunk_follow(nd_schunk(src2));
    if (rc >= 0)
        rc = copy_members(src1, &first);
    if (rc >= 0)
        rc = copy_members(src2, &second);
    if (rc >= 0)
        rc = check_fit(&first, &second, axis);
    if (rc < 0)
        return rc;
    b2nd_array_t *to = copy ? NULL : nd_mutable(src1); // the caller gave up src1
    if (copy)
        rc = b2nd_copy(ctx, src1, &to);
    if (rc == 0)
        rc = append_array(to, src2, axis, same_types(copy ? to : &first, &second));
    if (rc == 0)
        *array = to;
    else if (copy && to)
        drop_new(ctx, &to);
    return rc;
}

int
b2nd_save(const b2nd_array_t *array, char *urlpath)
{
    if (!array || !urlpath)
        return BLOSC2_ERROR_NULL_POINTER;
    return b2_schunk_save(nd_schunk(array), urlpath, TESS_MODE_NEW, array->sc->storage->contiguous);
}
