/*
 * shape.c - arrays grow and shrink.
 *
 * As in c-blosc2, growth shows zeros, but a chunk at the edge whose items are all equal has its
 * item in the padding, too: where the array grows into it, that item appears.
 */
#include "b2nd/array.h"
#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "schunk/calls.h"
#include "schunk/content.h"
#include "schunk/schunk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/chunk.h>
#include <tessera/slice.h>

// -- what is asked for

static int
check_axis_start(const b2nd_array_t *array, int i, int64_t length, int64_t start)
{
    const int64_t old = array->shape[i], chunk = array->chunkshape[i];
    const bool at_end = length > old ? start == old : start == length;

    if (start < 0 || start > old)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "axis %d: start %" PRId64 " of %" PRId64 " items", i, start, old);
    if (length == old || at_end)
        return BLOSC2_ERROR_SUCCESS;
    if (length < old && start > length)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "axis %d: %" PRId64 " items cannot be deleted behind %" PRId64, i,
                       old - length, start);
    if (chunk == 0 || start % chunk != 0 || (length - old) % chunk != 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "axis %d: start %" PRId64 " and a change by %" PRId64
                       " items are to be multiples of %" PRId64 ", unless at the end",
                       i, start, length - old, chunk);
    return BLOSC2_ERROR_SUCCESS;
}

// Where the library inserts or removes items; start may be NULL.
static int
set_positions(const b2nd_array_t *array, const int64_t *shape, const int64_t *start,
              int64_t *positions)
{
    for (int i = 0; i < array->ndim; i++) {
        const int64_t old = array->shape[i];
        const int64_t end = shape[i] < old ? shape[i] : old;
        if (shape[i] < 0)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "axis %d: %" PRId64 " items", i, shape[i]);
        const int rc = start ? check_axis_start(array, i, shape[i], start[i]) : 0;
        if (rc < 0)
            return rc;
        positions[i] = start && shape[i] != old ? start[i] : end;
    }
    return BLOSC2_ERROR_SUCCESS;
}

// -- chunks at the edge whose items are all equal

// One of them, in the array that is to grow.
struct equal_chunk {
    int64_t start[TESS_MAX_NDIM];
    uint8_t item[]; // typesize bytes
};

struct equal_chunks {
    uint8_t *list; // `count` chunks of `size` bytes
    size_t size, count, room;
};

static struct equal_chunk *
chunk_at(const struct equal_chunks *c, size_t i)
{
    return (struct equal_chunk *)(void *)(c->list + i * c->size);
}

static struct equal_chunk *
add_chunk(struct equal_chunks *c)
{
    if (c->count == c->room) {
        const size_t room = c->room > 0 ? 2 * c->room : 16;
        uint8_t *const list = realloc(c->list, room * c->size);
        if (!list)
            return NULL;
        c->list = list;
        c->room = room;
    }
    return chunk_at(c, c->count++);
}

// Those of the last chunks along an axis, which grows into their padding. A chunk at several edges
// is found at each of them, with the same effect.
static int
find_equal_chunks(const b2nd_array_t *array, int axis, struct equal_chunks *c)
{
    const unsigned kinds = 1u << TESS_CHUNK_NANS | 1u << TESS_CHUNK_VALUE;
    int64_t start[TESS_MAX_NDIM] = {0};
    tess_chunk_run run;
    tess_error err = {0};

    tess_chunk_run_init(&run);
    run.item = malloc((size_t)nd_typesize(array));
    run.item_size = (size_t)nd_typesize(array);
    start[axis] = array->shape[axis] - array->shape[axis] % array->chunkshape[axis];
    int rc = run.item ? BLOSC2_ERROR_SUCCESS : BLOSC2_ERROR_MEMORY_ALLOC;
    while (rc == 0) {
        // One chunk after the other: a run of chunks that are not stored has no list of its own.
        rc = b2_code(tess_array_next_chunk(nd_handle(array), start, array->shape, run.number + 1,
                                           kinds, &run, &err),
                     &err);
        if (rc < 0 || run.number < 0)
            break;
        struct equal_chunk *const chunk = add_chunk(c);
        if (!chunk) {
            rc = BLOSC2_ERROR_MEMORY_ALLOC;
            break;
        }
        memcpy(chunk->start, run.start, sizeof chunk->start);
        memcpy(chunk->item, run.item, run.item_size);
    }
    free(run.item);
    return rc;
}

// Give the items that were padding of such chunks the item of the chunk. moved: by how much chunks
// at and behind positions have moved.
static int
fill_equal_chunks(b2nd_array_t *array, const struct equal_chunks *c, const int64_t *shape,
                  const int64_t *positions, const int64_t *moved)
{
    tess_error err = {0};

    for (size_t k = 0; k < c->count; k++) {
        struct equal_chunk *const chunk = chunk_at(c, k);
        int64_t stop[TESS_MAX_NDIM] = {0};
        for (int i = 0; i < array->ndim; i++) {
            if (chunk->start[i] >= positions[i])
                chunk->start[i] += moved[i];
            stop[i] = chunk->start[i] + array->chunkshape[i];
            if (stop[i] > shape[i])
                stop[i] = shape[i];
        }
        const tess_status st = tess_array_fill(nd_handle(array), chunk->start, stop, NULL,
                                               chunk->item, (size_t)nd_typesize(array), &err);
        if (st != TESS_OK)
            return b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
    }
    return BLOSC2_ERROR_SUCCESS;
}

// -- both

// The axis along which the shape changes; -1: none, or several.
static int
changed_axis(const b2nd_array_t *array, const int64_t *shape)
{
    int axis = -1;

    for (int i = 0; i < array->ndim; i++) {
        if (shape[i] != array->shape[i] && axis >= 0)
            return -1;
        if (shape[i] != array->shape[i])
            axis = i;
    }
    return axis;
}

static int
shrink(b2nd_array_t *array, const int64_t *shape, const int64_t *positions)
{
    int64_t shrunk[TESS_MAX_NDIM] = {0};
    bool any = false;
    tess_error err = {0};

    for (int i = 0; i < array->ndim; i++) {
        shrunk[i] = shape[i] < array->shape[i] ? shape[i] : array->shape[i];
        any |= shrunk[i] != array->shape[i];
    }
    if (!any)
        return BLOSC2_ERROR_SUCCESS;
    const tess_status st = tess_array_resize_at(nd_handle(array), shrunk, positions, &err);
    if (st != TESS_OK)
        return b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
    return nd_reshaped(array, changed_axis(array, shrunk), positions[0]);
}

static int
grow(b2nd_array_t *array, const int64_t *shape, const int64_t *positions)
{
    struct equal_chunks chunks = {0};
    int64_t moved[TESS_MAX_NDIM] = {0};
    bool any = false;
    tess_error err = {0};
    int rc = BLOSC2_ERROR_SUCCESS;

    chunks.size = sizeof(struct equal_chunk) + (size_t)nd_typesize(array);
    chunks.size += (8 - chunks.size % 8) % 8; // each aligned
    for (int i = 0; i < array->ndim && rc == 0; i++) {
        moved[i] = shape[i] - array->shape[i];
        any |= moved[i] > 0;
        if (moved[i] > 0 && array->nitems > 0 && positions[i] == array->shape[i] &&
            array->shape[i] % array->chunkshape[i] != 0)
            rc = find_equal_chunks(array, i, &chunks);
    }
    if (rc == 0 && any)
        rc = b2_code_io(tess_array_resize_at(nd_handle(array), shape, positions, &err), &err,
                        BLOSC2_ERROR_FILE_WRITE);
    if (rc == 0)
        rc = fill_equal_chunks(array, &chunks, shape, positions, moved);
    free(chunks.list);
    return rc < 0 || !any ? rc : nd_reshaped(array, changed_axis(array, shape), positions[0]);
}

// The array is locked for a change.
static int
resize(b2nd_array_t *array, const int64_t *shape, const int64_t *start)
{
    int64_t positions[TESS_MAX_NDIM] = {0};
    int rc = set_positions(array, shape, start, positions);

    if (rc == 0)
        rc = shrink(array, shape, positions);
    return rc < 0 ? rc : grow(array, shape, positions);
}

int
b2nd_resize(b2nd_array_t *array, const int64_t *new_shape, const int64_t *start)
{
    if (!array || !new_shape)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = nd_change_begin(array);
    if (rc < 0)
        return rc;
    rc = resize(array, new_shape, start);
    const int ended = b2_schunk_end_counted(nd_schunk(array));
    return rc < 0 ? rc : ended;
}

// -- along one axis

static int
check_axis(const b2nd_array_t *array, int axis)
{
    if (axis >= 0 && axis < array->ndim)
        return BLOSC2_ERROR_SUCCESS;
    return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "axis %d of %d dimensions", axis, array->ndim);
}

// How many indices of an axis buffersize bytes are; negative: a code.
static int64_t
count_layers(const b2nd_array_t *array, int axis, int64_t buffersize)
{
    int64_t layer = nd_typesize(array);

    for (int i = 0; i < array->ndim; i++)
        if (i != axis && !nd_multiply(layer, array->shape[i], INT64_MAX, &layer))
            return BLOSC2_ERROR_INVALID_PARAM;
    if (buffersize < 0 || layer == 0 || buffersize % layer != 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "%" PRId64 " bytes are no multiple of %" PRId64 ", one index of axis %d",
                       buffersize, layer, axis);
    return buffersize / layer;
}

// start -1: at the end. The array is locked for a change.
static int
insert(b2nd_array_t *array, const void *buffer, int64_t buffersize, int axis, int64_t start)
{
    tess_error err = {0};
    int rc = check_axis(array, axis);
    const int64_t count = rc < 0 ? rc : count_layers(array, axis, buffersize);

    if (count < 0)
        return (int)count;
    if (start < 0)
        start = array->shape[axis];
    rc = check_axis_start(array, axis, array->shape[axis] + count, start);
    if (rc < 0)
        return rc;
    const tess_status st = tess_array_insert(nd_handle(array), axis, start, count, buffer,
                                             (size_t)buffersize, NULL, &err);
    rc = b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
    if (rc == 0)
        rc = nd_reshaped(array, axis, start);
    if (rc < 0 || !b2_encodes_by_context(nd_schunk(array)))
        return rc;
    int64_t first[B2ND_MAX_DIM] = {0}, stop[B2ND_MAX_DIM];
    memcpy(stop, array->shape, sizeof stop);
    first[axis] = start;
    stop[axis] = start + count;
    rc = nd_written(array, first, stop);
    b2_schunk_count(nd_schunk(array));
    return rc;
}

static int
insert_locked(b2nd_array_t *array, const void *buffer, int64_t buffersize, int axis, int64_t start)
{
    if (!array || !buffer)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = nd_encodes(array);
    if (rc == 0)
        rc = nd_change_begin(array);
    if (rc < 0)
        return rc;
    rc = insert(array, buffer, buffersize, axis, start);
    const int ended = b2_schunk_end_counted(nd_schunk(array));
    return rc < 0 ? rc : ended;
}

int
b2nd_insert(b2nd_array_t *array, const void *buffer, int64_t buffersize, int8_t axis,
            int64_t insert_start)
{
    if (insert_start < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "start %" PRId64, insert_start);
    return insert_locked(array, buffer, buffersize, axis, insert_start);
}

int
b2nd_append(b2nd_array_t *array, const void *buffer, int64_t buffersize, int8_t axis)
{
    return insert_locked(array, buffer, buffersize, axis, -1);
}

static int
delete_layers(b2nd_array_t *array, int axis, int64_t start, int64_t count)
{
    int64_t shape[B2ND_MAX_DIM], positions[B2ND_MAX_DIM];
    int rc = check_axis(array, axis);

    if (rc < 0)
        return rc;
    memcpy(shape, array->shape, sizeof shape);
    memcpy(positions, array->shape, sizeof positions);
    if (count < 0 || count > shape[axis])
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "axis %d: %" PRId64 " of %" PRId64 " items",
                       axis, count, shape[axis]);
    shape[axis] -= count;
    positions[axis] = start;
    return resize(array, shape, positions);
}

int
b2nd_delete(b2nd_array_t *array, int8_t axis, int64_t delete_start, int64_t delete_len)
{
    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = nd_change_begin(array);
    if (rc < 0)
        return rc;
    rc = delete_layers(array, axis, delete_start, delete_len);
    const int ended = b2_schunk_end_counted(nd_schunk(array));
    return rc < 0 ? rc : ended;
}
