/*
 * encoder.h - how chunks are to be made, checked once for all of them, and the filters of a block.
 */
#ifndef CHUNK_ENCODE_ENCODER_H
#define CHUNK_ENCODE_ENCODER_H

#include "chunk/header.h"
#include "chunk/plugins.h"
#include "chunk/scratch.h"

// Split modes; those above go by codec, filter and size.
enum {
    SPLIT_ALWAYS = 1,
    SPLIT_NEVER = 2,
};

// How chunks are to be made.
struct chunk_spec {
    int32_t itemsize; // real one; chunks record 1 when it is above 255
    int32_t nbytes;
    int32_t blocksize; // at most nbytes, a multiple of itemsize when larger
    int codec; // id
    int level; // 0 to 9
    int codec_meta;
    uint8_t filters[FILTER_SLOTS];
    uint8_t filters_meta[FILTER_SLOTS];
    int split; // SPLIT_ALWAYS, SPLIT_NEVER; 3 and 4: where it gains
    bool dictionary; // make one for each chunk where that pays; codecs that take one
    bool dictionary_always; // with `dictionary`: also where it does not pay
    const struct block_grid *grid; // outlives the encoder; NULL: not an array
    const struct plugins *plugins; // the same; NULL: none
};

// A checked spec. Any number of threads may encode with one.
struct chunk_encoder {
    struct chunk_header h; // of every chunk it makes, but for cbytes
    struct pipeline pipeline;
    const struct codec *codec;
    int level;
    bool dictionary, dictionary_always;
    int32_t itemsize;
    const struct block_grid *grid;
};

// What all blocks of a new chunk share.
struct encoding {
    const struct chunk_encoder *e;
    const uint8_t *ref; // content of block 0, if chunk_encoder_needs_reference()
    const struct codec_dict *dict; // NULL: none
};

// TESS_ERR_UNSUPPORTED: a codec or filter this build cannot write; TESS_ERR_ARG: a level or a
// filter's parameter that makes no sense.
tess_status chunk_encoder_init(struct chunk_encoder *e, const struct chunk_spec *spec,
                               tess_error *err);

// Room that any chunk of the encoder can be made in.
static inline int64_t
chunk_bound(const struct chunk_encoder *e)
{
    const int64_t plain = (int64_t)e->h.nbytes + CHUNK_HEADER_SIZE + CODEC_SLACK;
    const int64_t value = (int64_t)e->itemsize + CHUNK_HEADER_SIZE;
    return plain > value ? plain : value;
}

// Room that any block of the encoder can be encoded in.
static inline int64_t
block_bound(const struct chunk_encoder *e)
{
    return (int64_t)e->h.blocksize + 4 * (int64_t)(e->h.split ? e->h.typesize : 1) + CODEC_SLACK;
}

// Where the blocks of a chunk begin, if it has no dictionary.
static inline int64_t
chunk_blocks_start(const struct chunk_encoder *e)
{
    return CHUNK_HEADER_SIZE + 4 * (int64_t)e->h.nblocks;
}

// Whether all chunks are plain bytes.
bool chunk_encoder_is_plain(const struct chunk_encoder *e);

// Whether blocks other than the first need the content of the first.
static inline bool
chunk_encoder_needs_reference(const struct chunk_encoder *e)
{
    return e->pipeline.referring && e->h.nblocks > 1;
}

// What its codec is called with.
struct codec_call chunk_encoder_call(const struct chunk_encoder *e, struct codec_state *state);

// A block as the codec gets it: so many streams of neblock bytes each.
struct filtered {
    const uint8_t *bytes; // in the scratch, or the items themselves
    int32_t nstreams;
    size_t neblock;
};

// Filter the content of block `nblock`: chunk_block_nbytes() bytes, which may stand in a buffer of
// the scratch. The scratch has room for blocks of the encoder (scratch_reserve()).
tess_status block_filter(const struct encoding *x, int32_t nblock, const uint8_t *items,
                         struct chunk_scratch *s, struct filtered *f, tess_error *err);

#endif
