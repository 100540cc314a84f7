/*
 * describe.c - what a chunk is, in the words of tessera/chunk.h.
 */
#include "array/chunks/describe.h"

#include "chunk/header.h"
#include "codec/codec.h"

#include <string.h>

static const tess_chunk_kind kinds[] = {
    [SPECIAL_NONE] = TESS_CHUNK_BLOCKS,   [SPECIAL_ZEROS] = TESS_CHUNK_ZEROS,
    [SPECIAL_NANS] = TESS_CHUNK_NANS,     [SPECIAL_VALUE] = TESS_CHUNK_VALUE,
    [SPECIAL_UNINIT] = TESS_CHUNK_UNINIT,
};

tess_chunk_kind
describe_special(enum chunk_special special)
{
    return kinds[special];
}

tess_chunk_kind
describe_kind(const struct chunk_header *h)
{
    return h->special == SPECIAL_NONE && h->nblocks == 0 ? TESS_CHUNK_PLAIN : kinds[h->special];
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

void
describe_chunk(const struct chunk *c, tess_chunk_info *info)
{
    *info = (tess_chunk_info){
        .kind = describe_kind(&c->h),
        .stored = true,
        .nbytes = c->h.nbytes,
        .cbytes = c->h.cbytes,
    };
    if (info->kind == TESS_CHUNK_BLOCKS)
        describe_blocks(c, info);
}
