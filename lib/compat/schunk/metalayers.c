/*
 * metalayers.c - the metalayers of a super-chunk: adding, replacing, getting, deleting.
 */
#include "compat/blosc2/error.h"
#include "compat/blosc2/plugins.h"
#include "compat/schunk/access.h"
#include "compat/schunk/calls.h"
#include "compat/schunk/metalist.h"
#include "compat/schunk/plain_copy.h"
#include "compat/schunk/schunk.h"

#include <b2nd.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/copy.h>
#include <tessera/meta.h>

// -- fixed metalayers

static int
check_layer(const blosc2_schunk *schunk, const char *name, const uint8_t *content, int32_t size)
{
    if (!schunk || !name)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a super-chunk and a name are needed");
    if (strlen(name) > BLOSC2_METALAYER_NAME_MAXLEN)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s: a name has at most %d bytes",
                       name, BLOSC2_METALAYER_NAME_MAXLEN);
    if (size < 0 || (size > 0 && !content))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s: %d bytes%s", name, size,
                       content ? "" : ", and none given");
    return BLOSC2_ERROR_SUCCESS;
}

static bool
is_nd_layer(const char *name)
{
    return strcmp(name, "b2nd") == 0 || strcmp(name, "caterva") == 0;
}

// The metalayers that the copy shall have, in the order of the list, but for the N-dimensional one.
static int
list_layers(const blosc2_schunk *schunk, const tess_metalayer *one_more, tess_metalayer *layers)
{
    int n = 0;

    for (int i = 0; i < schunk->nmetalayers; i++) {
        const blosc2_metalayer *const m = schunk->metalayers[i];
        if (!is_nd_layer(m->name))
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
make_array(struct b2_schunk *s, const tess_metalayer *layer, struct b2_place *place,
           tess_params *params, tess_array **copy)
{
    char *dtype = NULL;
    tess_error err = {0};

    if (s->of.nchunks > 0 || s->of.nvlmetalayers > 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "metalayer %s is to be the first of a super-chunk without chunks",
                       layer->name);
    params->nmetalayers--; // the library writes it
    int rc = params_of_layer(params, layer, &dtype);
    if (rc == 0)
        rc = b2_code(tess_array_uninit(&place->storage, params, copy, &err), &err);
    if (rc == 0)
        rc = b2_code_io(tess_array_flush(*copy, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    free(dtype);
    return rc;
}

// Copy the array, with one metalayer more, to place.
static int
copy_with(struct b2_schunk *s, const tess_metalayer *one_more, struct b2_place *place,
          tess_array **copy)
{
    tess_metalayer layers[BLOSC2_MAX_METALAYERS + 1];
    tess_params params;
    tess_info info;
    tess_error err = {0};
    tess_status st;

    tess_array_info(s->a, &info);
    tess_array_params(s->a, &params);
    params.metalayers = layers;
    params.nmetalayers = list_layers(&s->of, one_more, layers);
    if (is_nd_layer(one_more->name))
        return make_array(s, one_more, place, &params, copy);
    if (info.plain)
        st = b2_plain_copy(s->a, &place->storage, &params, false, copy, &err);
    else
        st = tess_array_copy(s->a, &place->storage, &params, copy, &err);
    return b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

// A file is replaced, which needs it to be open for reading.
static int
add_to_file(struct b2_schunk *s, const tess_metalayer *layer)
{
    struct b2_place place;
    int rc = b2_access_place(s->access, &place, s->of.storage, s->path, TESS_MODE_REPLACE);

    if (rc == 0)
        rc = b2_schunk_change_begin(s); // no other super-chunk writes the file
    if (rc < 0)
        return rc;
    b2_schunk_end(s);
    rc = b2_schunk_stop_writing(s);
    if (rc < 0)
        return rc;
    tess_array *copy = NULL;
    b2_schunk_alone_begin(s);
    rc = copy_with(s, layer, &place, &copy);
    b2_schunk_end(s);
    if (rc == 0) {
        tess_error err = {0};
        rc = b2_code_io(tess_array_close(copy, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    }
    return rc < 0 ? rc : b2_schunk_follow(s);
}

static int
add_in_memory(struct b2_schunk *s, const tess_metalayer *layer)
{
    struct b2_place place;
    tess_array *copy = NULL;
    int rc = b2_access_place(s->access, &place, s->of.storage, NULL, TESS_MODE_UPDATE);

    if (rc == 0)
        rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    rc = copy_with(s, layer, &place, &copy);
    if (rc == 0) {
        tess_array_close(s->a, NULL); // in memory: nothing can be lost
        s->a = copy;
        rc = b2_schunk_reload(s);
    }
    b2_schunk_end(s);
    return rc;
}

int
blosc2_meta_add(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    int rc = check_layer(schunk, name, content, content_len);

    if (rc < 0)
        return rc;
    if (blosc2_meta_exists(schunk, name) >= 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "there is a metalayer %s already", name);
    tess_info info;
    tess_array_info(s->a, &info);
    if (s->of.view || (is_nd_layer(name) && !info.plain))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s cannot be added here", name);
    const tess_metalayer layer = {name, content, (size_t)content_len};
    rc = s->path ? add_to_file(s, &layer) : add_in_memory(s, &layer);
    if (rc < 0)
        return rc;
    if (is_nd_layer(name)) {
        b2_schunk_alone_begin(s);
        s->missing = schunk->nchunks;
        b2_schunk_count(s);
        b2_schunk_end(s);
    }
    return blosc2_meta_exists(schunk, name);
}

// The content with what is given in front; the rest stays.
static int
update_layer(struct b2_schunk *s, int index, const uint8_t *content, int32_t size)
{
    blosc2_metalayer *const layer = s->of.metalayers[index];
    tess_error err = {0};

    if (size > 0)
        memcpy(layer->content, content, (size_t)size);
    if (is_nd_layer(layer->name))
        return BLOSC2_ERROR_SUCCESS;
    return b2_code(
        tess_meta_set(s->a, layer->name, layer->content, (size_t)layer->content_len, &err), &err);
}

int
blosc2_meta_update(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    int rc = check_layer(schunk, name, content, content_len);

    if (rc < 0)
        return rc;
    rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    const int index = blosc2_meta_exists(schunk, name);
    if (index < 0)
        rc = index;
    else if (content_len > schunk->metalayers[index]->content_len)
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s has %d bytes, %d are too many", name,
                     schunk->metalayers[index]->content_len, content_len);
    else
        rc = update_layer(s, index, content, content_len);
    if (rc == 0)
        schunk->change_tick++;
    b2_schunk_end(s);
    if (rc == 0)
        rc = b2_schunk_changed(s);
    return rc < 0 ? rc : index;
}

// -- variable-length metalayers

static int
index_of(const blosc2_schunk *schunk, const char *name)
{
    for (int i = 0; i < schunk->nvlmetalayers; i++)
        if (strcmp(schunk->vlmetalayers[i]->name, name) == 0)
            return i;
    return BLOSC2_ERROR_NOT_FOUND;
}

int
blosc2_vlmeta_exists(blosc2_schunk *schunk, const char *name)
{
    int rc = check_layer(schunk, name, NULL, 0);

    if (rc == 0 && !b2_plugins_work_for(schunk))
        rc = b2_schunk_follow(b2_schunk_of(schunk));
    return rc < 0 ? rc : index_of(schunk, name);
}

// wanted: whether there must be one of that name already.
static int
set_variable(blosc2_schunk *schunk, const char *name, const uint8_t *content, int32_t size,
             bool wanted)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_error err = {0};
    int rc = check_layer(schunk, name, content, size);

    if (rc == 0)
        rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    const int index = index_of(schunk, name);
    if (wanted && index < 0)
        rc = index;
    else if (!wanted && index >= 0)
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "there is a metalayer %s already", name);
    else
        rc = b2_code(tess_vlmeta_set(s->a, name, content, (size_t)size, &err), &err);
    if (rc == 0)
        rc = b2_schunk_reload(s);
    b2_schunk_end(s);
    if (rc == 0)
        rc = b2_schunk_changed(s);
    return rc < 0 ? rc : index_of(schunk, name);
}

int
blosc2_vlmeta_add(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len,
                  blosc2_cparams *cparams)
{
    (void)cparams; // the library compresses metalayers in its own way
    return set_variable(schunk, name, content, content_len, false);
}

int
blosc2_vlmeta_update(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len,
                     blosc2_cparams *cparams)
{
    (void)cparams; // as above
    return set_variable(schunk, name, content, content_len, true);
}

// The index, or a code.
static int
get_listed(const struct b2_schunk *s, const char *name, uint8_t **content, int32_t *size)
{
    const int index = index_of(&s->of, name);
    const int rc = index < 0 ? index : b2_metas_content(s, index, content, size);

    return rc < 0 ? rc : index;
}

int
blosc2_vlmeta_get(blosc2_schunk *schunk, const char *name, uint8_t **content, int32_t *content_len)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!content || !content_len)
        return BLOSC2_ERROR_INVALID_PARAM;
    *content = NULL;
    *content_len = 0;
    const int index = blosc2_vlmeta_exists(schunk, name);
    if (index < 0 || b2_plugins_work_for(schunk))
        return index < 0 ? index : get_listed(s, name, content, content_len);
    int rc = b2_schunk_read_begin(s);
    if (rc < 0)
        return rc;
    rc = get_listed(s, name, content, content_len);
    b2_schunk_end(s);
    return rc;
}

int
blosc2_vlmeta_delete(blosc2_schunk *schunk, const char *name)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_error err = {0};
    int rc = check_layer(schunk, name, NULL, 0);

    if (rc == 0)
        rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    rc = b2_code(tess_vlmeta_delete(s->a, name, &err), &err);
    if (rc == 0)
        rc = b2_schunk_reload(s);
    b2_schunk_end(s);
    if (rc == 0)
        rc = b2_schunk_changed(s);
    return rc < 0 ? rc : schunk->nvlmetalayers;
}

int
blosc2_vlmeta_get_names(blosc2_schunk *schunk, char **names)
{
    if (!schunk || !names)
        return BLOSC2_ERROR_NULL_POINTER;
    for (int i = 0; i < schunk->nvlmetalayers; i++)
        names[i] = schunk->vlmetalayers[i]->name;
    return schunk->nvlmetalayers;
}
