/*
 * schunk.c - a super-chunk: the struct that programs see, and the handle behind it.
 *
 * `data` is for programs that go to the chunks in memory themselves, where there is no frame: a copy
 * of each chunk as it is stored, replaced after each call that changed the chunk.
 */
#include "compat/schunk/schunk.h"

#include "compat/blosc2/error.h"
#include "compat/blosc2/params.h"
#include "compat/schunk/metalist.h"

#include <stdlib.h>
#include <string.h>
#include <tessera/chunk.h>
#include <tessera/meta.h>

struct b2_schunk *
b2_schunk_of(blosc2_schunk *schunk)
{
    return (struct b2_schunk *)(void *)schunk;
}

void
b2_schunk_take_handle(struct b2_schunk *s, tess_array *a)
{
    s->a = a;
    s->access->handles++;
}

// -- the list of chunks

static int32_t
size_of(const uint8_t *chunk)
{
    int32_t cbytes = 0;

    return chunk && blosc2_cbuffer_sizes(chunk, NULL, &cbytes, NULL) == 0 ? cbytes : 0;
}

static void
forget(struct b2_chunks *c, int64_t first, int64_t behind)
{
    behind = behind < c->count ? behind : c->count;
    if (first >= behind)
        return;
    for (int64_t i = first; i < behind; i++) {
        c->cbytes -= size_of(c->list[i]);
        free(c->list[i]);
        c->list[i] = NULL;
    }
    const bool any = c->first < c->behind;
    c->first = any && c->first < first ? c->first : first;
    c->behind = any && c->behind > behind ? c->behind : behind;
}

void
b2_schunk_forget_chunks(struct b2_schunk *s, int64_t first, int64_t behind)
{
    pthread_mutex_lock(&s->access->counts);
    forget(&s->access->chunks, first, behind);
    pthread_mutex_unlock(&s->access->counts);
}

// NULL: there is no memory for it, or it is damaged.
static uint8_t *
copy_chunk(const struct b2_schunk *s, int64_t n)
{
    void *bytes = NULL;
    size_t size = 0;

    if (tess_array_get_chunk(s->a, n, &bytes, &size, NULL) != TESS_OK)
        return NULL;
    uint8_t *const chunk = malloc(size); // programs may free() it, which may be another function
    if (chunk)
        memcpy(chunk, bytes, size);
    tess_free(bytes);
    return chunk;
}

// Make the list as long as there are chunks. False: there is no memory, nothing happens.
static bool
set_count(struct b2_chunks *c, int64_t count)
{
    if (count > c->room) {
        const int64_t room = count < 8 ? 8 : count + count / 2;
        uint8_t **const list = realloc(c->list, (size_t)room * sizeof *list);
        if (!list)
            return false;
        c->list = list;
        c->room = room;
    }
    const int64_t before = c->count;
    forget(c, count, before);
    for (int64_t i = before; i < count; i++)
        c->list[i] = NULL;
    c->count = count;
    forget(c, before, count);
    c->behind = c->behind < count ? c->behind : count;
    return true;
}

void
b2_schunk_show_chunks(struct b2_schunk *s)
{
    if (s->of.frame)
        return;
    s->of.data = s->access->chunks.list;
    s->of.data_len = (size_t)s->access->chunks.count * sizeof *s->of.data;
    s->of.cbytes = s->access->chunks.cbytes; // those of one value have a header here, too
}

// The chunks are those of the base of a view, as long as it is there.
static void
list_chunks(struct b2_schunk *s)
{
    struct b2_chunks *const c = &s->access->chunks;
    struct b2_schunk *const owner = s->access->owner ? s->access->owner : s;

    if (owner->of.frame || !set_count(c, owner->of.nchunks))
        return;
    bool all = true;
    for (int64_t i = c->first; i < c->behind; i++) {
        if (!c->list[i]) {
            c->list[i] = copy_chunk(owner, i);
            c->cbytes += size_of(c->list[i]);
        }
        all &= c->list[i] != NULL;
    }
    if (all) // else the next call tries again
        c->first = c->behind = 0;
    b2_schunk_show_chunks(owner);
    b2_schunk_show_chunks(s);
}

// -- members

// Threads that read items may read a member: it is written if it changes.
#define SET(member, value)       \
    do {                         \
        if ((member) != (value)) \
            (member) = (value);  \
    } while (0)

static void
count(struct b2_schunk *s, const tess_info *info)
{
    blosc2_schunk *const of = &s->of;

    pthread_mutex_lock(&s->access->counts);
    if (s->missing > info->nchunks)
        s->missing = 0; // the array has another shape
    SET(of->nchunks, info->nchunks - s->missing);
    SET(of->nbytes, info->nbytes - s->missing * info->chunksize);
    of->cbytes = info->live >= 0 ? info->live : info->cbytes;
    if (!info->plain || info->nchunks > 0 || info->chunksize > 0)
        SET(of->chunksize, info->chunksize);
    else if (of->chunksize == 0)
        of->chunksize = -1; // until the program sets it, or the first chunk
    SET(of->flags2, info->vlblocks ? BLOSC2_VL_BLOCKS : 0);
    s->frame_is_old = true;
    s->access->unwritten = true;
    list_chunks(s);
    pthread_mutex_unlock(&s->access->counts);
}

void
b2_schunk_count(struct b2_schunk *s)
{
    tess_info info;

    tess_array_info(s->a, &info);
    count(s, &info);
}

static void
set_params(struct b2_schunk *s, const tess_info *info)
{
    blosc2_schunk *const of = &s->of;
    blosc2_cparams *const cparams = of->storage->cparams;
    const blosc2_cparams told = *cparams;
    blosc2_cparams encodes = told;

    b2_params_get(info, &encodes);
    if (!b2_params_same(&encodes, &s->encodes))
        b2_params_get(info, cparams); // else they are those of the program, which may set others
    s->encodes = encodes;
    if (s->access->unfit) {
        cparams->compcode = told.compcode;
        cparams->compcode_meta = told.compcode_meta;
        cparams->use_dict = told.use_dict;
        memcpy(cparams->filters, told.filters, sizeof told.filters);
        memcpy(cparams->filters_meta, told.filters_meta, sizeof told.filters_meta);
    }
    of->version = (uint8_t)info->frame_version;
    of->compcode = cparams->compcode;
    of->compcode_meta = cparams->compcode_meta;
    of->clevel = cparams->clevel;
    of->splitmode = (uint8_t)cparams->splitmode;
    of->typesize = cparams->typesize;
    of->blocksize = cparams->blocksize;
    of->flags2 = info->vlblocks ? BLOSC2_VL_BLOCKS : 0;
    of->use_dict = cparams->use_dict != 0;
    memcpy(of->filters, cparams->filters, sizeof of->filters);
    memcpy(of->filters_meta, cparams->filters_meta, sizeof of->filters_meta);
    of->ndim = (int8_t)(info->plain ? 0 : info->ndim);
    if (!info->plain && !info->view)
        memcpy(of->blockshape, info->blockshape, sizeof info->blockshape);
}

int
b2_schunk_reload(struct b2_schunk *s)
{
    const int splitmode = s->of.storage->cparams->splitmode;
    tess_info info;

    tess_array_info(s->a, &info);
    set_params(s, &info);
    if (splitmode == BLOSC_FORWARD_COMPAT_SPLIT && info.split == BLOSC_AUTO_SPLIT) {
        s->of.storage->cparams->splitmode = splitmode; // that of the program
        s->of.splitmode = (uint8_t)splitmode;
    }
    count(s, &info);
    s->of.change_tick++;
    const int rc = b2_metas_load(s);
    s->behind = rc < 0;
    return rc;
}

int
b2_schunk_reshaped(struct b2_schunk *s, tess_info *info)
{
    tess_metalayer layer;
    tess_error err = {0};

    tess_array_info(s->a, info);
    count(s, info);
    s->of.change_tick++;
    const tess_status st = tess_meta_get(s->a, info->layer, &layer, &err);
    if (st != TESS_OK)
        return b2_code(st, &err);
    return b2_metas_show(s, info->layer, layer.content, (int32_t)layer.size);
}
