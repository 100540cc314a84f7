/*
 * vl_encode.c - chunks of blocks that differ in size, out of bytes that stand in memory.
 *
 * A block is filtered as if it were the first of a chunk of its own, and is one stream: its size,
 * and what the codec makes of it, or the filtered bytes. There are no runs, and no plain chunks.
 */
#include "chunk/encode/vl_encode.h"

#include "base/bytes.h"
#include "base/error.h"
#include "chunk/encode/block_filter.h"
#include "chunk/encode/encode.h"
#include "chunk/header.h"
#include "chunk/scratch.h"

#include <string.h>

enum { SIZE_SIZE = 4 }; // of the size in front of a block, and of its place in the table

int64_t
chunk_vl_bound(int64_t nbytes, int64_t nblocks)
{
    return CHUNK_HEADER_SIZE + 2 * SIZE_SIZE * nblocks + nbytes + CODEC_SLACK;
}

static tess_status
encoder_of(const struct chunk_spec *spec, int32_t size, struct chunk_encoder *e, tess_error *err)
{
    struct chunk_spec own = *spec;
    own.nbytes = own.blocksize = size;
    own.split = SPLIT_NEVER;
    own.dictionary = false;
    own.grid = NULL;
    return chunk_encoder_init(e, &own, err);
}

static tess_status
encode_block(const struct chunk_encoder *e, const uint8_t *src, struct chunk_scratch *s,
             uint8_t *dst, int32_t *size, tess_error *err)
{
    const struct encoding x = {.e = e};
    struct filtered f;
    size_t csize = 0;
    tess_status st = scratch_reserve(s, e->h.blocksize, err);
    if (st != TESS_OK)
        return st;
    memcpy(s->buffer[0], src, (size_t)e->h.nbytes);
    st = block_filter(&x, 0, s->buffer[0], s, &f, err);
    if (st != TESS_OK)
        return st;
    const struct codec_call call = chunk_encoder_call(e, s->codec);
    put_i32le(dst, e->h.nbytes);
    if (e->level > 0)
        st = stream_encode(&call, f.bytes, f.neblock, dst + SIZE_SIZE, &csize, err);
    if (csize == 0) {
        csize = f.neblock;
        memcpy(dst + SIZE_SIZE, f.bytes, csize);
    }
    *size = SIZE_SIZE + (int32_t)csize;
    return st;
}

static void
write_header(const struct chunk_encoder *e, int32_t nbytes, int32_t nblocks, int32_t cbytes,
             uint8_t *dst)
{
    struct chunk_header h = e->h;
    h.vlblocks = true;
    h.nbytes = nbytes;
    h.nblocks = nblocks;
    h.cbytes = cbytes;
    chunk_header_write(&h, dst);
}

tess_status
chunk_encode_vl(const struct chunk_spec *spec, const uint8_t *src, const int32_t *sizes,
                int32_t nblocks, struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes,
                tess_error *err)
{
    struct chunk_encoder e;
    tess_status st = TESS_OK;
    int32_t at = CHUNK_HEADER_SIZE + SIZE_SIZE * nblocks;
    for (int32_t i = 0; i < nblocks && st == TESS_OK; i++) {
        int32_t size = 0;
        st = encoder_of(spec, sizes[i], &e, err);
        if (st == TESS_OK)
            st = encode_block(&e, src, s, dst + at, &size, err);
        put_i32le(dst + CHUNK_HEADER_SIZE + SIZE_SIZE * i, at);
        at += size;
        src += sizes[i];
    }
    if (st == TESS_OK)
        write_header(&e, spec->nbytes, nblocks, at, dst);
    *cbytes = at;
    return st;
}
