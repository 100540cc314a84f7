/*
 * select.c - items by lists of indices.
 */
#include "b2nd/array.h"
#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "schunk/calls.h"
#include "schunk/content.h"

#include <inttypes.h>
#include <stdlib.h>
#include <tessera/select.h>

// -- all combinations of indices

struct selection {
    int64_t counts[B2ND_MAX_DIM];
    const int64_t *indices[B2ND_MAX_DIM];
    int64_t nbytes; // of all items
    bool dense; // the shape of the buffer is that of the selection
};

static int
check_indices(const b2nd_array_t *array, int axis, const int64_t *indices, int64_t count)
{
    if (count < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "axis %d: %" PRId64 " indices", axis, count);
    if (!indices)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "axis %d has no list of indices", axis);
    for (int64_t k = 0; k < count; k++)
        if (indices[k] < 0 || indices[k] >= array->shape[axis])
            return b2_fail(BLOSC2_ERROR_INVALID_INDEX, "axis %d: index %" PRId64 " of %" PRId64,
                           axis, indices[k], array->shape[axis]);
    return BLOSC2_ERROR_SUCCESS;
}

static int
set_selection(const b2nd_array_t *array, int64_t **indices, const int64_t *counts,
              const int64_t *shape, int64_t buffersize, struct selection *s)
{
    s->nbytes = nd_typesize(array);
    s->dense = true;
    for (int i = 0; i < array->ndim; i++) {
        const int rc = check_indices(array, i, indices[i], counts[i]);
        if (rc < 0)
            return rc;
        s->indices[i] = indices[i];
        s->counts[i] = counts[i];
        s->dense &= i == 0 || shape[i] == counts[i];
        if (shape[i] < counts[i] || !nd_multiply(s->nbytes, counts[i], INT64_MAX, &s->nbytes))
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                           "axis %d: %" PRId64 " indices, the buffer has room for %" PRId64, i,
                           counts[i], shape[i]);
    }
    // c-blosc2 refuses larger buffers and does not see smaller ones.
    if (buffersize != s->nbytes && (s->dense || buffersize > s->nbytes))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "a buffer of %" PRId64 " bytes, %" PRId64 " are selected", buffersize,
                       s->nbytes);
    return BLOSC2_ERROR_SUCCESS;
}

// The items of a buffer with gaps, in memory to be freed.
static int
gather(const b2nd_array_t *array, const struct selection *s, const int64_t *shape,
       const void *buffer, void **items)
{
    const int64_t origin[B2ND_MAX_DIM] = {0};

    *items = malloc(s->nbytes > 0 ? (size_t)s->nbytes : 1);
    if (!*items)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    return b2nd_copy_buffer2(array->ndim, array->sc->typesize, buffer, shape, origin, s->counts,
                             *items, s->counts, origin);
}

static int
get_selection(const b2nd_array_t *array, const struct selection *s, const int64_t *shape,
              void *buffer)
{
    const int64_t origin[B2ND_MAX_DIM] = {0};
    void *const items = s->dense ? buffer : malloc(s->nbytes > 0 ? (size_t)s->nbytes : 1);
    tess_error err = {0};

    if (!items)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    const int rc = b2_code(tess_array_get_orthogonal(nd_handle(array), s->counts, s->indices, items,
                                                     (size_t)s->nbytes, &err),
                           &err);
    if (!s->dense) {
        if (rc == 0)
            b2nd_copy_buffer2(array->ndim, array->sc->typesize, items, s->counts, origin, s->counts,
                              buffer, shape, origin);
        free(items);
    }
    return rc;
}

// Chunks that a function of the program changes as they are read are read as boxes.
static int
check_no_postfilter(const b2nd_array_t *array)
{
    if (b2_decodes_by_context(nd_schunk(array)))
        return b2_fail(BLOSC2_ERROR_POSTFILTER,
                       "items by lists of indices, of an array with a postfilter");
    return BLOSC2_ERROR_SUCCESS;
}

int
b2nd_get_orthogonal_selection(const b2nd_array_t *array, int64_t **selection,
                              int64_t *selection_size, void *buffer, int64_t *buffershape,
                              int64_t buffersize)
{
    int tries = 0, rc;

    if (!array || !selection || !selection_size || !buffer || !buffershape)
        return BLOSC2_ERROR_NULL_POINTER;
    do {
        struct selection s;
        rc = nd_read_begin(array);
        if (rc < 0)
            return rc;
        rc = check_no_postfilter(array);
        if (rc == 0)
            rc = set_selection(array, selection, selection_size, buffershape, buffersize, &s);
        if (rc == 0)
            rc = get_selection(array, &s, buffershape, buffer);
        nd_end(array);
    } while (b2_schunk_try_again(nd_schunk(array), rc, &tries));
    return rc;
}

// The chunks of the smallest box that has all of them count as written.
static int
set_selection_items(b2nd_array_t *array, const struct selection *s, const void *items)
{
    int64_t start[B2ND_MAX_DIM] = {0}, stop[B2ND_MAX_DIM] = {0};
    tess_error err = {0};

    for (int i = 0; i < array->ndim; i++) {
        start[i] = s->counts[i] > 0 ? s->indices[i][0] : 0;
        for (int64_t k = 0; k < s->counts[i]; k++) {
            const int64_t index = s->indices[i][k];
            start[i] = index < start[i] ? index : start[i];
            stop[i] = index >= stop[i] ? index + 1 : stop[i];
        }
    }
    const tess_status st = tess_array_set_orthogonal(nd_handle(array), s->counts, s->indices, items,
                                                     (size_t)s->nbytes, &err);
    const int written = nd_written(array, start, stop);
    return st == TESS_OK ? written : b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

int
b2nd_set_orthogonal_selection(b2nd_array_t *array, int64_t **selection, int64_t *selection_size,
                              const void *buffer, int64_t *buffershape, int64_t buffersize)
{
    struct selection s;
    void *gathered = NULL;

    if (!array || !selection || !selection_size || !buffer || !buffershape)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = nd_write_begin(array);
    if (rc < 0)
        return rc;
    rc = set_selection(array, selection, selection_size, buffershape, buffersize, &s);
    if (rc == 0 && !s.dense)
        rc = gather(array, &s, buffershape, buffer, &gathered);
    if (rc == 0)
        rc = set_selection_items(array, &s, gathered ? gathered : buffer);
    free(gathered);
    const int ended = b2_schunk_end_change(nd_schunk(array)); // also after a failure: in part
    return rc < 0 ? rc : ended;
}

// -- items by their numbers in C order

static int
set_points(const b2nd_array_t *array, int64_t count, const int64_t *numbers, int64_t *points)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t number = numbers[k];
        if (number < 0 || number >= array->nitems)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "item %" PRId64 " of %" PRId64, number,
                           array->nitems);
        for (int i = array->ndim - 1; i >= 0; i--) {
            points[k * array->ndim + i] = number % array->shape[i];
            number /= array->shape[i];
        }
    }
    return BLOSC2_ERROR_SUCCESS;
}

// Numbers are points if there is one axis. The array is locked for reading.
static int
get_points(const b2nd_array_t *array, int64_t count, const int64_t *numbers, void *buffer,
           int64_t buffersize)
{
    int64_t nbytes, room;
    tess_error err = {0};

    if (array->ndim == 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "the array has no axes");
    if (!nd_multiply(count, nd_typesize(array), buffersize, &nbytes) ||
        !nd_multiply(count, array->ndim * (int64_t)sizeof *numbers, PTRDIFF_MAX, &room))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "a buffer of %" PRId64 " bytes for %" PRId64 " items of %" PRId64,
                       buffersize, count, nd_typesize(array));
    int64_t *const points = malloc((size_t)room);
    if (!points)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    int rc = set_points(array, count, numbers, points);
    if (rc == 0)
        rc = b2_code(
            tess_array_get_points(nd_handle(array), count, points, buffer, (size_t)nbytes, &err),
            &err);
    free(points);
    return rc;
}

int
b2nd_get_sparse_cbuffer(const b2nd_array_t *array, int64_t ncoords, const int64_t *coords,
                        void *buffer, int64_t buffersize)
{
    int tries = 0, rc;

    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    if (ncoords < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%" PRId64 " items", ncoords);
    if (ncoords == 0)
        return BLOSC2_ERROR_SUCCESS;
    if (!coords || !buffer)
        return BLOSC2_ERROR_NULL_POINTER;
    do {
        rc = nd_read_begin(array);
        if (rc < 0)
            return rc;
        rc = check_no_postfilter(array);
        if (rc == 0)
            rc = get_points(array, ncoords, coords, buffer, buffersize);
        nd_end(array);
    } while (b2_schunk_try_again(nd_schunk(array), rc, &tries));
    return rc;
}
