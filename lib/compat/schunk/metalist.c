/*
 * metalist.c - the lists of metalayers that a super-chunk shows.
 *
 * The lists are copies of what the array has. A list that is loaded again keeps its entries, and
 * the names of those whose content changed: programs hold pointers to them, and read fixed
 * metalayers without a lock (blosc2_meta_get() is inline). Variable-length metalayers are listed as
 * c-blosc2 has them, as chunks; theirs here are stored without compression. Metalayers of the
 * library are hidden by the library itself.
 */
#include "schunk/metalist.h"

#include "blosc2/error.h"

#include <stdlib.h>
#include <string.h>
#include <tessera/chunk.h>
#include <tessera/meta.h>

static void
free_layer(blosc2_metalayer *layer)
{
    if (!layer)
        return;
    free(layer->name);
    free(layer->content);
    free(layer);
}

void
b2_metas_free(struct b2_schunk *s)
{
    for (int i = 0; i < s->of.nmetalayers; i++)
        free_layer(s->of.metalayers[i]);
    for (int i = 0; i < s->of.nvlmetalayers; i++)
        free_layer(s->of.vlmetalayers[i]);
    memset(s->of.metalayers, 0, sizeof s->of.metalayers);
    memset(s->of.vlmetalayers, 0, (size_t)s->of.nvlmetalayers * sizeof *s->of.vlmetalayers);
    s->of.nmetalayers = 0;
    s->of.nvlmetalayers = 0;
}

// size bytes are allocated for the content, and copied if there is any.
static blosc2_metalayer *
new_layer(const char *name, const void *content, size_t size)
{
    blosc2_metalayer *const layer = calloc(1, sizeof *layer);

    if (!layer)
        return NULL;
    layer->name = strdup(name);
    layer->content = malloc(size > 0 ? size : 1);
    layer->content_len = (int32_t)size;
    if (!layer->name || !layer->content) {
        free_layer(layer);
        return NULL;
    }
    if (content && size > 0)
        memcpy(layer->content, content, size);
    return layer;
}

// A list, of which entries in front of some place are loaded.
struct list {
    blosc2_metalayer **layers;
    int count, most;
};

// Give place i of the list the layer, which then belongs to it: an old entry of its name, with its
// content, or itself.
static void
put_layer(struct list *list, int i, blosc2_metalayer *layer)
{
    blosc2_metalayer **const at = list->layers;
    int k = i;

    while (k < list->count && strcmp(at[k]->name, layer->name) != 0)
        k++;
    if (k == list->count && k == list->most)
        free_layer(at[--k]); // is not needed: there are at most that many
    else if (k < list->count) {
        blosc2_metalayer *const old = at[k];
        if (old->content_len != layer->content_len ||
            memcmp(old->content, layer->content, (size_t)old->content_len) != 0) {
            free(old->content);
            old->content = layer->content;
            old->content_len = layer->content_len;
            layer->content = NULL;
        }
        free_layer(layer);
        layer = old;
    } else {
        list->count++;
    }
    if (k != i)
        at[k] = at[i];
    if (at[i] != layer)
        at[i] = layer;
}

// Entries from place `count` on go.
static void
cut(struct list *list, int count)
{
    while (list->count > count) {
        free_layer(list->layers[--list->count]);
        list->layers[list->count] = NULL;
    }
}

static int
read_fixed(const struct b2_schunk *s, blosc2_metalayer **made, int count)
{
    tess_error err = {0};

    for (int i = 0; i < count; i++) {
        tess_metalayer layer;
        const tess_status st = tess_meta_at(s->a, i, &layer, &err);
        if (st != TESS_OK)
            return b2_code(st, &err);
        made[i] = new_layer(layer.name, layer.content, layer.size);
        if (!made[i])
            return BLOSC2_ERROR_MEMORY_ALLOC;
    }
    return BLOSC2_ERROR_SUCCESS;
}

// The content as a chunk.
static int
chunk_layer(const char *name, const void *content, size_t size, blosc2_metalayer **layer)
{
    const size_t room = tess_chunk_bound(size);
    tess_params params;
    tess_error err = {0};
    size_t cbytes = 0;

    *layer = room <= INT32_MAX ? new_layer(name, NULL, room) : NULL;
    if (!*layer)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    tess_params_init(&params);
    params.clevel = 0;
    const tess_status st =
        tess_chunk_encode(&params, content, size, (*layer)->content, room, &cbytes, &err);
    (*layer)->content_len = (int32_t)cbytes;
    if (st != TESS_OK) {
        free_layer(*layer);
        *layer = NULL;
    }
    return b2_code(st, &err);
}

static int
read_variable(const struct b2_schunk *s, blosc2_metalayer **made, int count)
{
    tess_error err = {0};

    for (int i = 0; i < count; i++) {
        const char *const name = tess_vlmeta_name(s->a, i);
        void *content = NULL;
        size_t size = 0;
        const tess_status st = tess_vlmeta_get(s->a, name, &content, &size, &err);
        const int rc =
            st == TESS_OK ? chunk_layer(name, content, size, &made[i]) : b2_code(st, &err);
        tess_free(content);
        if (rc < 0)
            return rc;
    }
    return BLOSC2_ERROR_SUCCESS;
}

// The list becomes the layers, which belong to it then. Needs no memory.
static void
put_all(struct list *list, blosc2_metalayer **layers, int count)
{
    for (int i = 0; i < count; i++) {
        put_layer(list, i, layers[i]);
        layers[i] = NULL;
    }
    cut(list, count);
}

static int
at_most(int count, int most)
{
    return count < most ? count : most;
}

int
b2_metas_load(struct b2_schunk *s)
{
    struct list fixed = {s->of.metalayers, s->of.nmetalayers, BLOSC2_MAX_METALAYERS};
    struct list variable = {s->of.vlmetalayers, s->of.nvlmetalayers, BLOSC2_MAX_VLMETALAYERS};
    tess_info info;

    tess_array_info(s->a, &info);
    const int nfixed = at_most(info.nmetalayers, fixed.most);
    const int nvariable = at_most(info.nvlmetalayers, variable.most);
    blosc2_metalayer **const made = calloc((size_t)(nfixed + nvariable) + 1, sizeof *made);
    if (!made)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    int rc = read_fixed(s, made, nfixed);
    if (rc == 0)
        rc = read_variable(s, made + nfixed, nvariable);
    if (rc == 0) {
        put_all(&fixed, made, nfixed);
        put_all(&variable, made + nfixed, nvariable);
        if (s->of.nmetalayers != fixed.count)
            s->of.nmetalayers = (uint16_t)fixed.count;
        s->of.nvlmetalayers = (int16_t)variable.count;
    }
    for (int i = 0; i < nfixed + nvariable; i++)
        free_layer(made[i]);
    free(made);
    return rc;
}

int
b2_metas_content(const struct b2_schunk *s, int index, uint8_t **content, int32_t *size)
{
    const blosc2_metalayer *const layer = s->of.vlmetalayers[index];
    int32_t nbytes = 0;
    tess_error err = {0};
    int rc = blosc2_cbuffer_sizes(layer->content, &nbytes, NULL, NULL);

    *content = NULL;
    *size = 0;
    if (rc < 0 || nbytes == 0)
        return rc < 0 ? rc : BLOSC2_ERROR_SUCCESS;
    uint8_t *const bytes = malloc((size_t)nbytes);
    if (!bytes)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    rc = b2_code(
        tess_chunk_decode(layer->content, (size_t)layer->content_len, bytes, (size_t)nbytes, &err),
        &err);
    if (rc < 0) {
        free(bytes);
        return rc;
    }
    *content = bytes;
    *size = nbytes;
    return BLOSC2_ERROR_SUCCESS;
}

int
b2_metas_show(struct b2_schunk *s, const char *name, const uint8_t *content, int32_t size)
{
    const int index = blosc2_meta_exists(&s->of, name);

    if (index < 0)
        return index;
    if (s->of.metalayers[index]->content_len == size) { // needs no memory, so it cannot fail
        memcpy(s->of.metalayers[index]->content, content, (size_t)size);
        return index;
    }
    blosc2_metalayer *const layer = new_layer(name, content, (size_t)size);
    if (!layer)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    free_layer(s->of.metalayers[index]);
    s->of.metalayers[index] = layer;
    return index;
}
