/*
 * state.h - what codecs keep from one call to the next, for one thread.
 *
 * Each function hands out one context, making it when it is first asked for; NULL: no memory. The
 * contexts stay the state's.
 */
#ifndef CODEC_STATE_H
#define CODEC_STATE_H

#include "codec/codec.h"

#include <libdeflate.h>
#include <zstd.h>

#define DEFLATE_LEVEL_MAX 12 // of libdeflate

// The library's level for one of ours; c-blosc2's rule.
static inline int
zstd_level(int level)
{
    return level < 9 ? 2 * level - 1 : 22;
}

uint32_t *codec_state_blosclz(struct codec_state *s); // BLOSCLZ_TABLE_SIZE entries
uint32_t *codec_state_ndlz(struct codec_state *s); // NDLZ_TABLE_SIZE entries
void *codec_state_lz4(struct codec_state *s);
void *codec_state_lz4hc(struct codec_state *s);
ZSTD_CCtx *codec_state_zstd_encoder(struct codec_state *s);
ZSTD_DCtx *codec_state_zstd_decoder(struct codec_state *s);
struct libdeflate_compressor *codec_state_deflate(struct codec_state *s, int level);
struct libdeflate_decompressor *codec_state_inflate(struct codec_state *s);

#endif
