/*
 * schunk.c - a super-chunk: the struct that programs see, and the handle behind it.
 *
 * `data` is for programs that go to the chunks in memory themselves, where there is no frame. Of a
 * plain super-chunk it points to a copy of each chunk; of an array, to the header of a chunk of
 * zeros.
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

// Chunks that are listed; an entry that was forgotten is NULL.
static int64_t
count_listed(const struct b2_schunk *s)
{
    return (int64_t)(s->of.data_len / sizeof *s->of.data);
}

void
b2_schunk_forget_chunks(struct b2_schunk *s, int64_t first, int64_t behind)
{
    uint8_t **const data = s->of.data;
    const int64_t n = count_listed(s);

    for (int64_t i = first; i < n && i < behind; i++) {
        if (data[i] != s->header)
            free(data[i]);
        data[i] = NULL;
    }
    if (first < s->first_forgotten)
        s->first_forgotten = first;
}

// What stands for a chunk in the list.
static uint8_t *
chunk_of_list(struct b2_schunk *s, bool plain, int64_t n)
{
    void *bytes = NULL;
    size_t size = 0;

    if (!plain || tess_array_get_chunk(s->a, n, &bytes, &size, NULL) != TESS_OK)
        return s->header;
    uint8_t *const chunk = malloc(size);
    if (chunk)
        memcpy(chunk, bytes, size);
    tess_free(bytes);
    return chunk ? chunk : s->header;
}

// Whether the list has room for all chunks now.
static bool
make_room(struct b2_schunk *s)
{
    const int64_t n = s->of.nchunks;

    if (s->of.data && n <= s->room)
        return true;
    const int64_t room = n < 8 ? 8 : n + n / 2;
    uint8_t **const data = realloc(s->of.data, (size_t)room * sizeof *data);
    if (!data)
        return false;
    s->of.data = data;
    s->room = room;
    return true;
}

// Make the list as long as there are chunks; those that are on it stay.
static void
list_chunks(struct b2_schunk *s, bool plain)
{
    blosc2_schunk *const of = &s->of;
    const int64_t n = count_listed(s);

    if (of->frame || !make_room(s)) // without memory it stays as long as it is
        return;
    if (n > of->nchunks)
        b2_schunk_forget_chunks(s, of->nchunks, n);
    for (int64_t i = n; i < of->nchunks; i++)
        of->data[i] = NULL;
    of->data_len = (size_t)of->nchunks * sizeof *of->data;
    for (int64_t i = s->first_forgotten; i < of->nchunks; i++)
        if (!of->data[i])
            of->data[i] = chunk_of_list(s, plain, i);
    s->first_forgotten = of->nchunks;
}

// Where a block size is chosen for each chunk: that of the first. 0: there is none.
static int32_t
first_blocksize(const tess_array *a, const tess_info *info)
{
    tess_chunk_info first;

    if (!info->plain || info->nchunks == 0 || tess_array_chunk(a, 0, &first, NULL) != TESS_OK)
        return 0;
    return first.blocksize > 0 ? first.blocksize : (int32_t)first.nbytes;
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
    if (s->missing > info->nchunks)
        s->missing = 0; // the array has another shape
    SET(of->nchunks, info->nchunks - s->missing);
    SET(of->nbytes, info->nbytes - s->missing * info->chunksize);
    of->cbytes = info->live >= 0 ? info->live : info->cbytes;
    SET(of->chunksize,
        info->plain && info->nchunks == 0 && info->chunksize == 0 ? -1 : info->chunksize);
    if (info->blocksize > 0 || info->nchunks == 0 || of->blocksize == 0)
        SET(of->blocksize, info->blocksize > 0 ? info->blocksize : first_blocksize(s->a, info));
    SET(of->flags2, info->vlblocks ? BLOSC2_VL_BLOCKS : 0);
    s->frame_is_old = true;
    s->access->unwritten = true;
    list_chunks(s, info->plain);
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

    b2_params_get(info, cparams);
    of->version = (uint8_t)info->frame_version;
    of->compcode = cparams->compcode;
    of->compcode_meta = cparams->compcode_meta;
    of->clevel = cparams->clevel;
    of->splitmode = (uint8_t)cparams->splitmode;
    of->typesize = cparams->typesize;
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
