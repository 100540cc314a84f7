/*
 * chunk.c - the public functions on chunks and blocks as they are stored.
 */
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "chunk/decode.h"
#include "codec/codec.h"
#include "frame/frame.h"
#include "frame/lock.h"
#include "frame/query.h"
#include "frame/stored.h"
#include "grid/pool.h"
#include "grid/read/plain.h"
#include "grid/write/write_back.h"
#include "task/gate.h"

#include <tessera/chunk.h>

#include <inttypes.h>
#include <string.h>

// A chunk while it is looked at.
struct look {
    struct stored_chunk stored;
    struct chunk_scratch *scratch;
};

static tess_status
look_close(struct look *v, const tess_array *a, tess_status st, tess_error *err)
{
    stored_chunk_close(&v->stored);
    gate_leave(a->grid->gate);
    if (v->scratch)
        pool_give(a->grid->pool, v->scratch);
    st = check_current(a, st, err);
    frame_lock_unshare(a->grid->frame);
    return st;
}

static tess_status
look_open(struct look *v, const tess_array *a, int64_t n, tess_error *err)
{
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = write_back_all(a->grid, err);
    if (st != TESS_OK)
        return st;
    if (n < 0 || n >= frame_nchunks(a->grid->frame))
        return err_set(err, TESS_ERR_ARG, -1, "chunk %" PRId64 " of an array with %" PRId64, n,
                       frame_nchunks(a->grid->frame));
    st = frame_lock_share(a->grid->frame, err);
    if (st != TESS_OK)
        return st;
    v->scratch = pool_take(a->grid->pool);
    gate_enter(a->grid->gate);
    if (v->scratch)
        st = stored_chunk_open(&v->stored, a->grid->frame, n, v->scratch, err);
    else
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    return st == TESS_OK ? st : look_close(v, a, st, err);
}

static tess_chunk_kind
chunk_kind_of(const struct chunk_header *h)
{
    switch (h->special) {
    case SPECIAL_ZEROS:
        return TESS_CHUNK_ZEROS;
    case SPECIAL_NANS:
        return TESS_CHUNK_NANS;
    case SPECIAL_VALUE:
        return TESS_CHUNK_VALUE;
    case SPECIAL_UNINIT:
        return TESS_CHUNK_UNINIT;
    case SPECIAL_NONE:
        break;
    }
    return h->nblocks > 0 ? TESS_CHUNK_BLOCKS : TESS_CHUNK_PLAIN;
}

// What the chunk itself says; its decoder may be that of another codec of the format.
static int
said_codec(const struct chunk *c)
{
    const struct codec *const said = codec_by_format(c->h.codec_format, c->h.udcodec);
    return said ? said->id : c->codec->id;
}

static void
describe_blocks(const struct chunk *c, tess_chunk_info *info)
{
    info->nblocks = c->h.nblocks;
    info->blocksize = c->h.blocksize;
    info->codec = said_codec(c);
    memcpy(info->filters, c->h.filters, sizeof info->filters);
    memcpy(info->filters_meta, c->h.filters_meta, sizeof info->filters_meta);
    info->split = c->h.split && c->h.typesize > 1;
    info->dictionary_size = (int32_t)c->dict.size;
}

TESS_API tess_status
tess_array_chunk_sized(const tess_array *a, int64_t n, tess_chunk_info *info, size_t info_size,
                       tess_error *err)
{
    UNCANCELLED;
    tess_chunk_info own;
    struct look v = {0};
    if (!a || !info)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a chunk is given");
    const tess_status st = look_open(&v, a, n, err);
    if (st != TESS_OK)
        return st;
    const struct chunk *const c = &v.stored.chunk;
    own = (tess_chunk_info){
        .kind = chunk_kind_of(&c->h),
        .stored = v.stored.io != NULL,
        .offset = a->grid->plain ? plain_chunk_start(a->grid, n) / a->g->typesize : 0,
        .nbytes = c->h.nbytes,
        .cbytes = c->h.cbytes,
    };
    if (own.kind == TESS_CHUNK_BLOCKS)
        describe_blocks(c, &own);
    sized_give(info, info_size, &own, sizeof own);
    return look_close(&v, a, TESS_OK, err);
}

TESS_API tess_status
tess_array_chunk_blocks(const tess_array *a, int64_t n, int32_t *sizes, size_t count,
                        tess_error *err)
{
    UNCANCELLED;
    struct look v = {0};
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = look_open(&v, a, n, err);
    if (st != TESS_OK)
        return st;
    const struct stored_chunk *const sc = &v.stored;
    const int32_t nblocks = sc->chunk.h.nblocks;
    if (nblocks > 0 && (!sizes || count < (size_t)nblocks)) {
        st = err_set(err, TESS_ERR_ARG, -1,
                     "%zu places for the sizes of %" PRId32 " blocks of chunk %" PRId64,
                     sizes ? count : 0, nblocks, n);
    } else {
        st = chunk_block_sizes(&sc->chunk, &sc->bytes, v.scratch, sizes, err);
        if (st != TESS_OK)
            stored_chunk_blame(sc, n, st, err);
    }
    return look_close(&v, a, st, err);
}
