/*
 * block_filter.c - from the items of a block to the bytes that a codec gets.
 */
#include "chunk/encode/block_filter.h"

#include "chunk/header.h"
#include "filter/pipeline.h"

tess_status
block_filter(const struct encoding *x, int32_t nblock, const uint8_t *items,
             struct chunk_scratch *s, struct filtered *f, tess_error *err)
{
    const struct chunk_encoder *const e = x->e;
    const int32_t bsize = chunk_block_nbytes(&e->h, nblock);
    const bool shorter = bsize < e->h.blocksize;
    uint8_t *const tmp1 = items == s->buffer[1] ? s->buffer[0] : s->buffer[1];
    uint8_t *const tmp2 = items == s->buffer[2] ? s->buffer[0] : s->buffer[2];

    f->nstreams = e->h.split && !shorter ? e->h.typesize : 1;
    f->neblock = (size_t)(bsize / f->nstreams);
    return pipeline_forward(&e->pipeline, items, nblock, x->ref, tmp1, tmp2, (size_t)bsize,
                            &f->bytes, err);
}
