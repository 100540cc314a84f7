/*
 * layers.c - fixed metalayers that make the frame another one.
 */
#include "schunk/layers.h"

#include "blosc2/error.h"
#include "blosc2/storage.h"
#include "schunk/access.h"
#include "schunk/calls.h"
#include "schunk/list.h"
#include "schunk/plain_copy.h"

#include <b2nd.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/copy.h>
#include <tessera/schunk.h>

bool
b2_layers_is_nd(const char *name)
{
    return strcmp(name, "b2nd") == 0 || strcmp(name, "caterva") == 0;
}

// -- the frame that is there now

static int
use(struct b2_schunk *s, tess_array *a)
{
    tess_array *const before = s->a;

    b2_schunk_take_handle(s, a);
    b2_list_forget(s, 0, INT64_MAX);
    const int rc = b2_schunk_reload(s);
    const bool back = rc < 0 && !s->path; // a file is what it is now
    if (back) {
        b2_schunk_take_handle(s, before);
        s->behind = false;
        b2_list_forget(s, 0, INT64_MAX);
        b2_schunk_count(s);
    }
    tess_array_close(back ? a : before, NULL); // what it held is in the other one
    return rc;
}

// Open the file for reading, where it was replaced or changed by this process. s is locked
// exclusively, and reads.
static int
open_file(struct b2_schunk *s)
{
    struct b2_place place;
    tess_array *a = NULL;
    int rc = b2_access_place(s->access, &place, s->of.storage, s->path, TESS_MODE_READ);

    place.storage.offset = s->offset;
    if (rc == 0)
        rc = b2_access_open(s->access, &place, &a);
    return rc < 0 ? rc : use(s, a);
}

// The same for a frame in memory, of which this is a handle; it ends.
static int
open_memory(struct b2_schunk *s, tess_array *frame)
{
    struct b2_place place;
    tess_array *a = NULL;
    tess_error err = {0};
    int rc = b2_access_place(s->access, &place, s->of.storage, NULL, TESS_MODE_UPDATE);

    if (rc == 0)
        rc = b2_code(tess_array_image(frame, &place.storage.image, &place.storage.image_size, &err),
                     &err);
    if (rc == 0)
        rc = b2_access_open(s->access, &place, &a);
    tess_array_close(frame, NULL); // in memory: nothing can be lost
    return rc < 0 ? rc : use(s, a);
}

// No super-chunk of this process writes the file, and s is locked exclusively.
static int
file_begin(struct b2_schunk *s)
{
    for (;;) {
        int rc = b2_schunk_change_begin(s); // ends other writers
        if (rc < 0)
            return rc;
        b2_schunk_end(s);
        rc = b2_schunk_stop_writing(s);
        if (rc < 0)
            return rc;
        b2_schunk_alone_begin(s);
        if (!s->writable)
            return BLOSC2_ERROR_SUCCESS;
        b2_schunk_end(s); // another thread writes again
    }
}

// -- adding

// The metalayers that the copy shall have, in the order of the list, without that of an array.
static int
list_layers(const struct b2_schunk *s, const tess_metalayer *one_more, tess_metalayer *layers)
{
    int n = 0;

    for (int i = 0; i < s->of.nmetalayers; i++) {
        const blosc2_metalayer *const m = s->of.metalayers[i];
        if (s->access->plain || !b2_layers_is_nd(m->name))
            layers[n++] = (tess_metalayer){m->name, m->content, (size_t)m->content_len};
    }
    layers[n++] = *one_more;
    return n;
}

// The shapes and the type that an N-dimensional layer describes; free() *dtype.
static int
params_of_layer(tess_params *params, const tess_metalayer *layer, char **dtype)
{
    int32_t chunkshape[TESS_MAX_NDIM], blockshape[TESS_MAX_NDIM];
    int8_t ndim, dtype_format;
    const int rc =
        b2nd_deserialize_meta_inline(layer->content, (int32_t)layer->size, &ndim, params->shape,
                                     chunkshape, blockshape, dtype, &dtype_format);

    if (rc < 0)
        return rc;
    params->ndim = ndim;
    for (int i = 0; i < ndim; i++) {
        params->chunkshape[i] = chunkshape[i];
        params->blockshape[i] = blockshape[i];
    }
    params->dtype = *dtype;
    params->dtype_format = dtype_format;
    if (strcmp(layer->name, "caterva") == 0)
        params->layer = TESS_LAYER_CATERVA;
    return BLOSC2_ERROR_SUCCESS;
}

// A super-chunk without chunks becomes an array, whose chunks are to be appended.
static int
make_array(const tess_metalayer *layer, const struct b2_place *place, const tess_params *plain,
           tess_array **copy)
{
    tess_params params = *plain;
    char *dtype = NULL;
    tess_error err = {0};

    params.nmetalayers--; // the library writes it
    int rc = params_of_layer(&params, layer, &dtype);
    if (rc == 0)
        rc = b2_code(tess_array_uninit(&place->storage, &params, copy, &err), &err);
    free(dtype);
    if (rc < 0)
        return rc;
    rc = b2_code_io(tess_array_flush(*copy, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    if (rc < 0) {
        tess_array_discard(*copy);
        *copy = NULL;
    }
    return rc;
}

// Copy the array, with one metalayer more, to place.
static int
copy_with(struct b2_schunk *s, const tess_metalayer *one_more, struct b2_place *place,
          tess_array **copy)
{
    const bool nd = b2_layers_is_nd(one_more->name);
    tess_metalayer layers[BLOSC2_MAX_METALAYERS + 1];
    tess_params params;
    tess_info info;
    tess_error err = {0};
    tess_status st;

    tess_array_info(s->a, &info);
    tess_array_params(s->a, &params);
    params.metalayers = layers;
    params.nmetalayers = list_layers(s, one_more, layers);
    if (nd && !s->access->plain && s->of.nchunks == 0 && s->of.nvlmetalayers == 0 &&
        make_array(one_more, place, &params, copy) == 0)
        return BLOSC2_ERROR_SUCCESS; // else the layer is kept as it is
    place->storage.plain = nd || s->access->plain;
    if (info.plain)
        st = b2_plain_copy(s->a, &place->storage, &params, false, copy, &err);
    else
        st = tess_array_copy(s->a, &place->storage, &params, copy, &err);
    return b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

static int
add_to_file(struct b2_schunk *s, const tess_metalayer *layer)
{
    struct b2_place place;
    tess_array *copy = NULL;
    tess_error err = {0};
    int rc = b2_access_place(s->access, &place, s->of.storage, s->path, TESS_MODE_REPLACE);

    if (rc == 0)
        rc = copy_with(s, layer, &place, &copy);
    if (rc == 0)
        rc = b2_code_io(tess_array_close(copy, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    return rc < 0 ? rc : open_file(s);
}

static int
add_in_memory(struct b2_schunk *s, const tess_metalayer *layer)
{
    struct b2_place place;
    tess_array *copy = NULL;
    int rc = b2_access_place(s->access, &place, s->of.storage, NULL, TESS_MODE_UPDATE);

    if (rc == 0)
        rc = copy_with(s, layer, &place, &copy);
    if (rc < 0)
        return rc;
    return place.storage.plain ? open_memory(s, copy) : use(s, copy);
}

int
b2_layers_add(struct b2_schunk *s, const tess_metalayer *layer)
{
    int rc = s->path ? file_begin(s) : b2_schunk_change_begin(s);

    if (rc < 0)
        return rc;
    const int64_t nchunks = s->of.nchunks;
    rc = s->path ? add_to_file(s, layer) : add_in_memory(s, layer);
    if (rc == 0 && s->of.nchunks > nchunks) { // it was made an array
        s->missing = s->of.nchunks - nchunks;
        b2_schunk_count(s);
    }
    b2_schunk_end(s);
    return rc;
}

// -- replacing

// Without the chunks that the program has not appended.
static int
set_layer(int64_t missing, const tess_metalayer *layer, tess_array *frame)
{
    tess_info info;
    tess_error err = {0};
    tess_status st = tess_meta_set(frame, layer->name, layer->content, layer->size, &err);

    tess_array_info(frame, &info);
    if (st == TESS_OK && missing > 0)
        st = tess_schunk_remove(frame, info.nchunks - missing, missing, &err);
    if (st == TESS_OK)
        st = tess_array_flush(frame, &err);
    return b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

// In the frame at place, whatever it says now. *frame: NULL after a failure.
static int
replace_at(struct b2_place *place, int64_t missing, const tess_metalayer *layer, tess_array **frame)
{
    tess_error err = {0};

    place->storage.plain = true;
    int rc =
        b2_code_io(tess_array_open(&place->storage, frame, &err), &err, BLOSC2_ERROR_FILE_OPEN);
    if (rc == 0)
        rc = set_layer(missing, layer, *frame);
    if (rc < 0) {
        tess_array_discard(*frame);
        *frame = NULL;
    }
    return rc;
}

static int
replace_in_file(struct b2_schunk *s, int64_t missing, const tess_metalayer *layer)
{
    struct b2_place place;
    tess_array *frame = NULL;
    tess_error err = {0};
    int rc = b2_access_place(s->access, &place, s->of.storage, s->path, TESS_MODE_UPDATE);

    place.storage.offset = s->offset;
    if (rc == 0)
        rc = replace_at(&place, missing, layer, &frame);
    if (rc < 0)
        return rc;
    rc = b2_code_io(tess_array_close(frame, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    return rc < 0 ? rc : open_file(s);
}

static int
replace_in_memory(struct b2_schunk *s, int64_t missing, const tess_metalayer *layer)
{
    struct b2_place place;
    tess_array *frame = NULL;
    tess_error err = {0};
    int rc = b2_access_place(s->access, &place, s->of.storage, NULL, TESS_MODE_UPDATE);

    if (rc == 0)
        rc = b2_code(tess_array_image(s->a, &place.storage.image, &place.storage.image_size, &err),
                     &err);
    if (rc == 0)
        rc = replace_at(&place, missing, layer, &frame);
    return rc < 0 ? rc : open_memory(s, frame);
}

int
b2_layers_replace_nd(struct b2_schunk *s, const tess_metalayer *layer)
{
    int rc = s->path ? file_begin(s) : b2_schunk_change_begin(s);

    if (rc < 0)
        return rc;
    const int64_t missing = s->missing;
    s->missing = 0;
    rc = s->path ? replace_in_file(s, missing, layer) : replace_in_memory(s, missing, layer);
    if (rc < 0)
        s->missing = missing; // of the array that s still is
    b2_schunk_end(s);
    return rc;
}
