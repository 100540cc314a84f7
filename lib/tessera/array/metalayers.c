/*
 * metalayers.c - the metalayers of an array: those in the header, of a size that stays, and those
 * of variable length, each a chunk of bytes in the trailer.
 *
 * The metalayer of the fill value is not shown: it belongs to the array (array/shape/shape.h).
 * Readers are inside the gate of the grid, writers close it.
 */
#include "array/array.h"

#include "array/shape/shape.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/flat.h"
#include "frame/format/trailer.h"
#include "frame/query.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "meta/value.h"
#include "task/gate.h"

#include <string.h>

enum { VLMETA_BLOCKSIZE = 1 << 16 };

static void
show(const struct layer *from, tess_metalayer *layer)
{
    *layer = (tess_metalayer){from->name, from->content, from->size};
}

// Inside the gate, or alone.
static tess_status
meta_find(const tess_array *a, bool variable, const char *name, struct layer **layer,
          tess_error *err)
{
    *layer =
        layers_find(variable ? frame_vlmetas(a->grid->frame) : frame_metas(a->grid->frame), name);
    if (!*layer || (!variable && array_is_fill_layer(a, *layer)))
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "there is no %smetalayer \"%.64s\"",
                       variable ? "variable-length " : "", name);
    return TESS_OK;
}

// -- of a size that stays

// The layer at that index of those that are shown, or NULL; *count: how many these are.
static const struct layer *
shown_at(const tess_array *a, int index, int *count)
{
    const struct layers *const l = frame_metas(a->grid->frame);
    const struct layer *found = NULL;
    *count = 0;
    for (int i = 0; i < l->count; i++) {
        if (array_is_fill_layer(a, &l->items[i]))
            continue;
        if (*count == index)
            found = &l->items[i];
        ++*count;
    }
    return found;
}

tess_status
array_meta_at(const tess_array *a, int index, tess_metalayer *layer, tess_error *err)
{
    int count;
    gate_enter(a->grid->gate);
    const struct layer *const found = shown_at(a, index, &count);
    if (found)
        show(found, layer);
    gate_leave(a->grid->gate);
    return found ? TESS_OK : err_set(err, TESS_ERR_ARG, -1, "metalayer %d of %d", index, count);
}

tess_status
array_meta_get(const tess_array *a, const char *name, tess_metalayer *layer, tess_error *err)
{
    struct layer *found = NULL;
    gate_enter(a->grid->gate);
    const tess_status st = meta_find(a, false, name, &found, err);
    if (st == TESS_OK)
        show(found, layer);
    gate_leave(a->grid->gate);
    return st;
}

static tess_status
set_fixed(tess_array *a, const char *name, const void *content, size_t content_size,
          tess_error *err)
{
    struct layer *layer = NULL;
    tess_status st = meta_find(a, false, name, &layer, err);
    if (st != TESS_OK)
        return st;
    if (content_size != layer->size || (content_size > 0 && !content))
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu bytes for the metalayer %s, whose size is %u for good",
                       content ? content_size : 0, name, layer->size);
    st = layer_set(layer, content, content_size, err);
    if (st == TESS_OK)
        frame_mark_changed(a->grid->frame);
    return st;
}

tess_status
array_meta_set(tess_array *a, const char *name, const void *content, size_t content_size,
               tess_error *err)
{
    if ((a->layer && strcmp(name, a->layer) == 0) || strcmp(name, FILL_LAYER) == 0)
        return err_set(err, TESS_ERR_ARG, -1, "the metalayer %s is written by the library", name);
    gate_close(a->grid->gate);
    const tess_status st = set_fixed(a, name, content, content_size, err);
    gate_open(a->grid->gate);
    return st;
}

// -- of variable length

const char *
array_vlmeta_name(const tess_array *a, int index)
{
    gate_enter(a->grid->gate);
    const struct layers *const l = frame_vlmetas(a->grid->frame);
    const char *const name = index >= 0 && index < l->count ? l->items[index].name : NULL;
    gate_leave(a->grid->gate);
    return name;
}

tess_status
array_vlmeta_get(const tess_array *a, const char *name, void **content, size_t *content_size,
                 tess_error *err)
{
    struct layer *layer;
    uint8_t *bytes;
    gate_enter(a->grid->gate);
    tess_status st = meta_find(a, true, name, &layer, err);
    if (st == TESS_OK) {
        st = chunk_content(layer->content, layer->size, frame_limits(a->grid->frame)->memory,
                           &bytes, content_size, err);
        if (st != TESS_OK)
            err_prefix(err, st, "variable-length metalayer %s", name);
    }
    gate_leave(a->grid->gate);
    if (st == TESS_OK)
        *content = bytes;
    return st;
}

tess_status
array_attr_get(const tess_array *a, const char *name, tess_value **value, tess_error *err)
{
    const tess_limits *const limits = frame_limits(a->grid->frame);
    void *content = NULL;
    size_t size = 0;
    tess_status st = array_vlmeta_get(a, name, &content, &size, err);
    if (st != TESS_OK)
        return st;
    st = value_parse(content, size, limits->nesting, limits->memory, value, err);
    if (st == TESS_ERR_CORRUPT)
        st = value_opaque(content, size, limits->memory, value, err);
    mem_free(content);
    return st == TESS_OK ? st : err_prefix(err, st, "attribute %s", name);
}

// How many there may be: c-blosc2 reads frames with more than LAYERS_VL_WRITE_MAX, but cannot
// change their files.
static int
most_variable(const tess_array *a)
{
    return frame_in_memory(a->grid->frame) ? LAYERS_VL_MAX : LAYERS_VL_WRITE_MAX;
}

// The content is encoded already.
static tess_status
set_variable(tess_array *a, const char *name, const uint8_t *chunk, int32_t size, tess_error *err)
{
    struct layers *const l = frame_edit_vlmetas(a->grid->frame);
    struct layer *const layer = layers_find(l, name);
    tess_status st = layer ? layer_set(layer, chunk, (size_t)size, err)
                           : layers_check_new(l, most_variable(a), name, err);
    if (st == TESS_OK && !layer)
        st = layers_add(l, most_variable(a), name, chunk, (size_t)size, err);
    if (st == TESS_OK)
        frame_mark_changed(a->grid->frame);
    return st;
}

// Whether one of that name can be set, before anything is copied.
static tess_status
check_settable(const tess_array *a, const char *name, tess_error *err)
{
    tess_status st = TESS_OK;
    gate_enter(a->grid->gate);
    const struct layers *const l = frame_vlmetas(a->grid->frame);
    if (!layers_find(l, name))
        st = layers_check_new(l, most_variable(a), name, err);
    gate_leave(a->grid->gate);
    return st;
}

tess_status
array_vlmeta_set(tess_array *a, const char *name, const void *content, size_t content_size,
                 tess_error *err)
{
    uint8_t *chunk = NULL;
    int32_t cbytes;
    if (strcmp(name, LEDGER_NAME) == 0)
        return err_set(err, TESS_ERR_ARG, -1, "the metalayer %s is written by the library", name);
    if (content_size > LAYER_CONTENT_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes of metadata, at most %d can be",
                       content_size, LAYER_CONTENT_MAX);
    tess_status st = check_settable(a, name, err);
    if (st == TESS_OK)
        st = chunk_of_bytes(content, content_size, VLMETA_BLOCKSIZE, &chunk, &cbytes, err);
    if (st != TESS_OK)
        return st;
    gate_close(a->grid->gate);
    st = set_variable(a, name, chunk, cbytes, err);
    gate_open(a->grid->gate);
    mem_free(chunk);
    return st;
}

tess_status
array_vlmeta_delete(tess_array *a, const char *name, tess_error *err)
{
    struct layer *layer;
    gate_close(a->grid->gate);
    const tess_status st = meta_find(a, true, name, &layer, err);
    if (st == TESS_OK) {
        layers_remove(frame_edit_vlmetas(a->grid->frame), layer);
        frame_mark_changed(a->grid->frame);
    }
    gate_open(a->grid->gate);
    return st;
}
