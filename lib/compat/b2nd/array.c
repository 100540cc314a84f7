/*
 * array.c - an N-dimensional array: its members, and calls on it.
 */
#include "b2nd/array.h"

#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "blosc2/params.h"
#include "schunk/calls.h"
#include "schunk/content.h"
#include "schunk/list.h"

#include <stdlib.h>
#include <string.h>

struct b2_schunk *
nd_schunk(const b2nd_array_t *array)
{
    return b2_schunk_of(array->sc);
}

tess_array *
nd_handle(const b2nd_array_t *array)
{
    return nd_schunk(array)->a;
}

int64_t
nd_typesize(const b2nd_array_t *array)
{
    return array->sc->typesize;
}

b2nd_array_t *
nd_mutable(const b2nd_array_t *array)
{
    union {
        const b2nd_array_t *constant;
        b2nd_array_t *array;
    } same = {.constant = array};
    return same.array;
}

static int
set_dtype(b2nd_array_t *array, const tess_info *info)
{
    if (array->dtype && info->dtype && strcmp(array->dtype, info->dtype) == 0) {
        array->dtype_format = (int8_t)info->dtype_format; // needs no memory, so it cannot fail
        return BLOSC2_ERROR_SUCCESS;
    }
    char *const dtype = info->dtype ? strdup(info->dtype) : NULL;
    if (info->dtype && !dtype)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    free(array->dtype);
    array->dtype = dtype;
    array->dtype_format = (int8_t)info->dtype_format;
    return BLOSC2_ERROR_SUCCESS;
}

static int
set_members_from(b2nd_array_t *array, const tess_info *info)
{
    int32_t chunkshape[B2ND_MAX_DIM] = {0}, blockshape[B2ND_MAX_DIM] = {0};

    if (info->plain)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "the N-dimensional metalayer does not describe the chunks");
    for (int i = 0; i < info->ndim; i++) { // a chunk has less than 2 GiB
        chunkshape[i] = (int32_t)info->chunkshape[i];
        blockshape[i] = (int32_t)info->blockshape[i];
    }
    int rc = nd_geometry_set(array, info->ndim, info->shape, chunkshape, blockshape);
    if (rc == 0)
        rc = set_dtype(array, info);
    array->last_tick = array->sc->change_tick;
    return rc;
}

// The super-chunk is locked exclusively, or new.
static int
set_members(b2nd_array_t *array)
{
    tess_info info;

    tess_array_info(nd_handle(array), &info);
    return set_members_from(array, &info);
}

static b2nd_array_t *
new_array(struct b2_schunk *s)
{
    b2nd_array_t *const a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->sc = &s->of;
    a->chunk_cache.nchunk = -1;
    return a;
}

static void
free_array(b2nd_array_t *array)
{
    free(array->dtype);
    free(array);
}

int
nd_new(struct b2_schunk *s, b2nd_array_t **array)
{
    b2nd_array_t *const a = new_array(s);

    *array = NULL;
    if (!a)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    const int rc = set_members(a);
    if (rc == 0)
        *array = a;
    else
        free_array(a);
    return rc;
}

int
nd_new_without_chunks(struct b2_schunk *s, const struct nd_layer *layer, b2nd_array_t **array)
{
    b2nd_array_t *const a = new_array(s);

    *array = NULL;
    if (!a)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    int rc = nd_geometry_set(a, layer->ndim, layer->shape, layer->chunkshape, layer->blockshape);
    if (rc == 0 && layer->dtype && !(a->dtype = strdup(layer->dtype)))
        rc = BLOSC2_ERROR_MEMORY_ALLOC;
    a->dtype_format = layer->dtype_format;
    a->last_tick = s->of.change_tick - 1; // so that calls find that there are no chunks
    if (rc == 0)
        *array = a;
    else
        free_array(a);
    return rc;
}

int
b2nd_free(b2nd_array_t *array)
{
    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    const int rc = array->sc ? blosc2_schunk_free(array->sc) : BLOSC2_ERROR_SUCCESS;
    free_array(array);
    return rc;
}

// -- calls

static bool
is_behind(const b2nd_array_t *array)
{
    return array->last_tick != array->sc->change_tick;
}

int
nd_read_begin(const b2nd_array_t *array)
{
    struct b2_schunk *const s = nd_schunk(array);
    int rc = b2_schunk_read_begin(s);

    while (rc == 0 && is_behind(array)) {
        b2_schunk_end(s);
        b2_schunk_alone_begin(s);
        rc = is_behind(array) ? set_members(nd_mutable(array)) : 0;
        b2_schunk_end(s);
        if (rc == 0)
            rc = b2_schunk_read_begin(s);
    }
    return rc;
}

int
nd_encodes(const b2nd_array_t *array)
{
    const struct b2_schunk *const s = nd_schunk(array);

    if (!s->access->unfit || !b2_is_encoded(s->of.storage->cparams, s->of.chunksize))
        return BLOSC2_ERROR_SUCCESS;
    return b2_fail(BLOSC2_ERROR_FILTER_PIPELINE,
                   "items of the array cannot be encoded with its codec and filters");
}

int
nd_write_begin(b2nd_array_t *array)
{
    struct b2_schunk *const s = nd_schunk(array);
    int rc = nd_encodes(array);

    if (rc == 0)
        rc = b2_schunk_write_begin(s);

    if (rc == 0 && b2_encodes_by_context(s)) { // whole chunks, with the context alone
        b2_schunk_end(s);
        return nd_change_begin(array);
    }
    while (rc == 0 && is_behind(array)) {
        b2_schunk_end(s);
        b2_schunk_alone_begin(s);
        rc = is_behind(array) ? set_members(array) : 0;
        b2_schunk_end(s);
        if (rc == 0)
            rc = b2_schunk_write_begin(s);
    }
    return rc;
}

int
nd_change_begin(b2nd_array_t *array)
{
    struct b2_schunk *const s = nd_schunk(array);
    int rc = b2_schunk_change_begin(s);

    if (rc == 0 && is_behind(array)) {
        rc = set_members(array);
        if (rc < 0)
            b2_schunk_end(s);
    }
    return rc;
}

void
nd_end(const b2nd_array_t *array)
{
    b2_schunk_end(nd_schunk(array));
}

// -- chunks of a box

// From an axis on; n: number in the grid of the axes in front.
static int
walk_chunks(const b2nd_array_t *array, int axis, int64_t n, const int64_t *start,
            const int64_t *stop, int64_t *origin, nd_chunk_fn *run, void *arg)
{
    if (axis == array->ndim)
        return run(arg, n, origin);
    const int64_t chunk = array->chunkshape[axis], count = array->extshape[axis] / chunk;
    int rc = BLOSC2_ERROR_SUCCESS;
    for (int64_t i = start[axis] / chunk; i <= (stop[axis] - 1) / chunk && rc == 0; i++) {
        origin[axis] = i * chunk;
        rc = walk_chunks(array, axis + 1, n * count + i, start, stop, origin, run, arg);
    }
    return rc;
}

int
nd_each_chunk(const b2nd_array_t *array, const int64_t *start, const int64_t *stop,
              nd_chunk_fn *run, void *arg)
{
    int64_t origin[B2ND_MAX_DIM] = {0};
    return walk_chunks(array, 0, 0, start, stop, origin, run, arg);
}

// -- chunks that were written

struct written {
    struct b2_schunk *s;
    uint8_t *room; // for the content of a chunk that is encoded again by the context; NULL: none is
};

static int
end_chunk(void *arg, int64_t n, const int64_t *origin)
{
    const struct written *const w = arg;
    int rc = BLOSC2_ERROR_SUCCESS;

    (void)origin;
    if (w->room)
        rc = b2_chunk_read(w->s, n, w->room, w->s->of.chunksize);
    if (w->room && rc == 0)
        rc = b2_chunk_rewrite(w->s, n, w->room, w->s->of.chunksize);
    b2_list_forget(w->s, n, n + 1);
    return rc < 0 ? rc : BLOSC2_ERROR_SUCCESS;
}

int
nd_written(b2nd_array_t *array, const int64_t *start, const int64_t *stop)
{
    struct b2_schunk *const s = nd_schunk(array);
    const bool again = b2_encodes_by_context(s);
    bool empty = array->nitems == 0;

    for (int i = 0; i < array->ndim; i++)
        empty |= start[i] >= stop[i];
    if (empty || (s->of.frame && !again))
        return BLOSC2_ERROR_SUCCESS;
    struct written w = {s, again ? malloc((size_t)s->of.chunksize) : NULL};
    if (again && !w.room)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    const int rc = nd_each_chunk(array, start, stop, end_chunk, &w);
    free(w.room);
    return rc;
}

// The number of the first chunk of a row of chunks along axis 0.
static int64_t
first_of_row(const b2nd_array_t *array, int64_t index)
{
    int64_t n = index / array->chunkshape[0];

    for (int i = 1; i < array->ndim; i++)
        n *= array->extshape[i] / array->chunkshape[i];
    return n;
}

// The metalayer that the super-chunk shows has the new shape, too.
int
nd_reshaped(b2nd_array_t *array, int axis, int64_t position)
{
    tess_info info;
    const bool rows = axis == 0 && array->nitems > 0; // rows of chunks in front stay
    b2_list_forget(nd_schunk(array), rows ? first_of_row(array, position) : 0, INT64_MAX);
    const int rc = b2_schunk_reshaped(nd_schunk(array), &info);

    return rc < 0 ? rc : set_members_from(array, &info);
}

int
b2nd_refresh(b2nd_array_t *array)
{
    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    const int changed = b2_schunk_follow(nd_schunk(array));
    if (changed < 0)
        return changed;
    const bool behind = is_behind(array);
    const int rc = nd_read_begin(array);
    if (rc == 0)
        nd_end(array);
    return rc < 0 ? rc : changed > 0 && behind;
}
