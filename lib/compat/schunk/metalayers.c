/*
 * metalayers.c - the metalayers of a super-chunk: adding, replacing, getting, deleting.
 */
#include "blosc2/error.h"
#include "blosc2/plugins.h"
#include "schunk/calls.h"
#include "schunk/layers.h"
#include "schunk/metalist.h"
#include "schunk/schunk.h"

#include <stdlib.h>
#include <string.h>
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
    if (s->of.view || (b2_layers_is_nd(name) && !info.plain))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s cannot be added here", name);
    const tess_metalayer layer = {name, content, (size_t)content_len};
    rc = b2_layers_add(s, &layer);
    return rc < 0 ? rc : blosc2_meta_exists(schunk, name);
}

// The content becomes what is given in front; the rest stays.
static int
update_layer(struct b2_schunk *s, int index, const uint8_t *content, int32_t size)
{
    blosc2_metalayer *const layer = s->of.metalayers[index];
    tess_error err = {0};
    int rc = b2_schunk_change_begin(s);

    if (rc < 0)
        return rc;
    if (size > 0)
        memcpy(layer->content, content, (size_t)size);
    rc = b2_code_io(
        tess_meta_set(s->a, layer->name, layer->content, (size_t)layer->content_len, &err), &err,
        BLOSC2_ERROR_FILE_WRITE);
    if (rc == 0)
        s->of.change_tick++;
    const int ended = b2_schunk_end_change(s);
    return rc < 0 ? rc : ended;
}

// The same for a layer that says what the chunks are.
static int
update_nd_layer(struct b2_schunk *s, int index, const uint8_t *content, int32_t size)
{
    const blosc2_metalayer *const old = s->of.metalayers[index];

    if (size == 0 || memcmp(old->content, content, (size_t)size) == 0)
        return BLOSC2_ERROR_SUCCESS;
    if (s->of.view)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s of a view", old->name);
    char *const name = strdup(old->name);
    uint8_t *const whole = malloc((size_t)old->content_len);
    int rc = BLOSC2_ERROR_MEMORY_ALLOC;
    if (name && whole) {
        const tess_metalayer layer = {name, whole, (size_t)old->content_len};
        memcpy(whole, old->content, layer.size);
        memcpy(whole, content, (size_t)size);
        rc = b2_layers_replace_nd(s, &layer);
    }
    free(name);
    free(whole);
    return rc;
}

int
blosc2_meta_update(blosc2_schunk *schunk, const char *name, uint8_t *content, int32_t content_len)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    int rc = check_layer(schunk, name, content, content_len);
    const int index = rc == 0 ? blosc2_meta_exists(schunk, name) : rc;

    if (index < 0)
        return index;
    if (content_len > schunk->metalayers[index]->content_len)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s has %d bytes, %d are too many",
                       name, schunk->metalayers[index]->content_len, content_len);
    if (b2_layers_is_nd(name))
        rc = update_nd_layer(s, index, content, content_len);
    else
        rc = update_layer(s, index, content, content_len);
    return rc < 0 ? rc : blosc2_meta_exists(schunk, name);
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

    if (rc < 0 || b2_plugins_work_for(schunk))
        return rc < 0 ? rc : index_of(schunk, name);
    rc = b2_schunk_follow(b2_schunk_of(schunk));
    if (rc >= 0)
        rc = b2_schunk_read_begin(b2_schunk_of(schunk));
    if (rc < 0)
        return rc;
    const int index = index_of(schunk, name);
    b2_schunk_end(b2_schunk_of(schunk));
    return index;
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
    int index = index_of(schunk, name);
    if (wanted && index < 0)
        rc = index;
    else if (!wanted && index >= 0)
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "there is a metalayer %s already", name);
    else
        rc = b2_code_io(tess_vlmeta_set(s->a, name, content, (size_t)size, &err), &err,
                        BLOSC2_ERROR_FILE_WRITE);
    if (rc == 0)
        rc = b2_schunk_reload(s);
    index = index_of(schunk, name);
    const int ended = b2_schunk_end_change(s);
    return rc < 0 ? rc : ended < 0 ? ended : index;
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
    rc = b2_code_io(tess_vlmeta_delete(s->a, name, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    if (rc == 0)
        rc = b2_schunk_reload(s);
    const int left = schunk->nvlmetalayers;
    const int ended = b2_schunk_end_change(s);
    return rc < 0 ? rc : ended < 0 ? ended : left;
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
