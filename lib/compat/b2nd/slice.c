/*
 * slice.c - boxes of an array to and from memory.
 *
 * A box may reach beyond the end of an axis, as in c-blosc2: such items read as zeros, and are not
 * written. Memory that is laid out as the box goes to the library as it is; other memory is
 * told by its strides. Nothing is copied in between.
 */
#include "b2nd/array.h"
#include "b2nd/filtered.h"
#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "schunk/calls.h"
#include "schunk/content.h"

#include <inttypes.h>
#include <string.h>
#include <tessera/slice.h>

// A box without padding, and where its items are in memory.
struct box {
    int64_t stop[B2ND_MAX_DIM];
    int64_t strides[B2ND_MAX_DIM]; // bytes
    bool dense; // the memory has the items of the box without gaps
    bool empty;
    size_t nbytes; // of the items, with those beyond the end
    size_t room; // bytes of memory that the shape of the buffer makes, at most buffersize
};

static int
check_axis(int i, int64_t start, int64_t stop, int64_t length)
{
    if (start < 0 || stop < start)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "axis %d: items %" PRId64 " to %" PRId64, i,
                       start, stop);
    if (stop - start > length)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "axis %d: %" PRId64 " items, the buffer has room for %" PRId64, i,
                       stop - start, length);
    return BLOSC2_ERROR_SUCCESS;
}

static int
set_box(const b2nd_array_t *array, const int64_t *start, const int64_t *stop, const int64_t *shape,
        int64_t buffersize, struct box *box)
{
    int64_t needed = nd_typesize(array), room = needed;

    box->dense = true;
    box->empty = array->nitems == 0;
    for (int i = array->ndim - 1; i >= 0; i--) {
        const int rc = check_axis(i, start[i], stop[i], shape[i]);
        if (rc < 0)
            return rc;
        const int64_t clipped = stop[i] < array->shape[i] ? stop[i] : array->shape[i];
        box->stop[i] = clipped > start[i] ? clipped : start[i];
        box->empty |= clipped <= start[i];
        box->strides[i] = room;
        box->dense &= i == 0 || box->stop[i] - start[i] == shape[i];
        if (!nd_multiply(needed, stop[i] - start[i], INT64_MAX, &needed) ||
            !nd_multiply(room, shape[i], INT64_MAX, &room))
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a buffer of %" PRId64 " bytes is too small",
                           buffersize);
    }
    if (needed > buffersize)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "a buffer of %" PRId64 " bytes, %" PRId64 " are needed", buffersize, needed);
    box->dense &= array->ndim == 0 || box->stop[0] == stop[0];
    box->nbytes = (size_t)needed;
    box->room = (size_t)(room < buffersize ? room : buffersize);
    return BLOSC2_ERROR_SUCCESS;
}

static int
read_box(const b2nd_array_t *array, const int64_t *start, const struct box *box, void *buffer,
         const int64_t *shape, int64_t buffersize)
{
    const tess_array *const a = nd_handle(array);
    const size_t size = (size_t)buffersize;
    const bool filtered = !box->empty && b2_decodes_by_context(nd_schunk(array));
    tess_error err = {0};

    if (box->dense && !box->empty && !filtered) {
        const int rc = b2_code(tess_array_read(a, start, box->stop, buffer, size, &err), &err);
        if (rc == 0)
            memset((uint8_t *)buffer + box->nbytes, 0, box->room - box->nbytes);
        return rc;
    }
    memset(buffer, 0, box->room); // the gaps
    if (box->empty)
        return BLOSC2_ERROR_SUCCESS;
    if (filtered)
        return nd_read_filtered(array, start, box->stop, buffer, shape);
    return b2_code(
        tess_array_get_slice(a, start, box->stop, NULL, buffer, size, box->strides, &err), &err);
}

static int
check_pointers(const b2nd_array_t *array, const int64_t *start, const int64_t *stop,
               const void *buffer, const int64_t *buffershape)
{
    if (!array || !start || !stop || !buffer || !buffershape)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "array, start, stop, buffer or shape is missing");
    return BLOSC2_ERROR_SUCCESS;
}

static bool
is_beyond(const b2nd_array_t *array, const int64_t *stop)
{
    for (int i = 0; i < array->ndim; i++)
        if (stop[i] > array->shape[i])
            return true;
    return false;
}

// Begin a call that reads a box. One beyond the end may lie in what others have appended.
static int
read_begin(const b2nd_array_t *array, const int64_t *stop)
{
    int rc = nd_read_begin(array);

    if (rc < 0 || !is_beyond(array, stop))
        return rc;
    nd_end(array);
    rc = b2_schunk_follow(nd_schunk(array));
    return rc < 0 ? rc : nd_read_begin(array);
}

int
b2nd_get_slice_cbuffer(const b2nd_array_t *array, const int64_t *start, const int64_t *stop,
                       void *buffer, const int64_t *buffershape, int64_t buffersize)
{
    int tries = 0;
    int rc = check_pointers(array, start, stop, buffer, buffershape);

    if (rc < 0)
        return rc;
    do {
        struct box box;
        rc = read_begin(array, stop);
        if (rc < 0)
            return rc;
        rc = set_box(array, start, stop, buffershape, buffersize, &box);
        if (rc == 0)
            rc = read_box(array, start, &box, buffer, buffershape, buffersize);
        nd_end(array);
    } while (b2_schunk_try_again(nd_schunk(array), rc, &tries));
    return rc;
}

int
b2nd_to_cbuffer(const b2nd_array_t *array, void *buffer, int64_t buffersize)
{
    const int64_t start[B2ND_MAX_DIM] = {0};
    int64_t stop[B2ND_MAX_DIM];

    if (!array || !buffer)
        return BLOSC2_ERROR_NULL_POINTER;
    const int followed = b2_schunk_follow(nd_schunk(array)); // the whole array as it is now
    if (followed < 0)
        return followed;
    const int rc = nd_read_begin(array);
    if (rc < 0)
        return rc;
    memcpy(stop, array->shape, sizeof stop);
    nd_end(array);
    return b2nd_get_slice_cbuffer(array, start, stop, buffer, stop, buffersize);
}

static int
write_box(b2nd_array_t *array, const int64_t *start, const struct box *box, const void *buffer,
          int64_t buffersize)
{
    tess_array *const a = nd_handle(array);
    const size_t size = (size_t)buffersize;
    tess_error err = {0};
    tess_status st;

    if (box->empty)
        return BLOSC2_ERROR_SUCCESS;
    if (box->dense)
        st = tess_array_write(a, start, box->stop, buffer, size, &err);
    else
        st = tess_array_set_slice(a, start, box->stop, NULL, buffer, size, box->strides, &err);
    const int written = nd_written(array, start, box->stop); // also after a failure: in part
    return st == TESS_OK ? written : b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

int
b2nd_set_slice_cbuffer(const void *buffer, const int64_t *buffershape, int64_t buffersize,
                       const int64_t *start, const int64_t *stop, b2nd_array_t *array)
{
    struct box box;
    int rc = check_pointers(array, start, stop, buffer, buffershape);

    if (rc == 0)
        rc = nd_write_begin(array);
    if (rc < 0)
        return rc;
    rc = set_box(array, start, stop, buffershape, buffersize, &box);
    if (rc == 0)
        rc = write_box(array, start, &box, buffer, buffersize);
    const int ended = b2_schunk_end_change(nd_schunk(array)); // also after a failure: in part
    return rc < 0 ? rc : ended;
}
