/*
 * schunk.c - a super-chunk: the struct that programs see, and the handle behind it.
 */
#include "schunk/schunk.h"

#include "blosc2/error.h"
#include "blosc2/params.h"
#include "schunk/list.h"
#include "schunk/metalist.h"
#include "schunk/special.h"

#include <stdlib.h>
#include <string.h>
#include <tessera/chunk.h>
#include <tessera/meta.h>

enum { MEASURED_AT_MOST = 128 }; // stored chunks, whose headers are read

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
    b2_special_forget_locked(s);
    if (s->missing > info->nchunks)
        s->missing = 0; // the array has another shape
    SET(of->nchunks, info->nchunks - s->missing);
    SET(of->nbytes, info->nbytes - s->missing * info->chunksize);
    of->cbytes = info->live >= 0 ? info->live : info->cbytes;
    if (of->chunksize > 0 && info->nchunks > 0 && info->chunksize == 0)
        b2_list_forget_all(&s->access->chunks); // special ones now record another size of blocks
    if (!info->plain || info->nchunks > 0 || info->chunksize > 0)
        SET(of->chunksize, info->chunksize); // else it is what it was
    SET(of->flags2, info->vlblocks ? BLOSC2_VL_BLOCKS : 0);
    SET(s->plain, info->plain);
    s->frame_is_old = true;
    s->access->unwritten = true;
    b2_list_complete(s, info);
    pthread_mutex_unlock(&s->access->counts);
}

// What is behind the handle; of a file with few chunks, the bytes of the chunks without holes,
// which each commit leaves.
static void
look(const struct b2_schunk *s, tess_info *info)
{
    tess_info measured;

    tess_array_info(s->a, info);
    if (s->path && info->live < 0 && info->contiguous && info->nstored <= MEASURED_AT_MOST &&
        tess_array_measure(s->a, &measured, NULL) == TESS_OK)
        info->live = measured.live;
}

void
b2_schunk_count(struct b2_schunk *s)
{
    tess_info info;

    look(s, &info);
    count(s, &info);
}

void
b2_schunk_count_bytes(struct b2_schunk *s)
{
    tess_info info;

    look(s, &info);
    pthread_mutex_lock(&s->access->counts);
    s->of.cbytes = info.live >= 0 ? info.live : info.cbytes;
    pthread_mutex_unlock(&s->access->counts);
}

void
b2_schunk_set_current(struct b2_schunk *s, int64_t nchunk)
{
    pthread_mutex_lock(&s->access->counts);
    s->of.current_nchunk = nchunk;
    pthread_mutex_unlock(&s->access->counts);
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
    of->version = 0; // as in c-blosc2, whatever the frame has
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
    if (info->plain)
        return; // the program may have described its blocks
    of->ndim = (int8_t)info->ndim;
    if (!info->view)
        memcpy(of->blockshape, info->blockshape, sizeof info->blockshape);
}

int
b2_schunk_reload(struct b2_schunk *s)
{
    const int splitmode = s->of.storage->cparams->splitmode;
    tess_info info;

    look(s, &info);
    if (!info.plain && !s->of.blockshape)
        s->of.blockshape = calloc(TESS_MAX_NDIM, sizeof *s->of.blockshape);
    if (!info.plain && !s->of.blockshape)
        return BLOSC2_ERROR_MEMORY_ALLOC;
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

    s->access->handles++; // views of the old shape end
    look(s, info);
    count(s, info);
    s->of.change_tick++;
    const tess_status st = tess_meta_get(s->a, info->layer, &layer, &err);
    if (st != TESS_OK)
        return b2_code(st, &err);
    return b2_metas_show(s, info->layer, layer.content, (int32_t)layer.size);
}
