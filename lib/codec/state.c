/*
 * state.c - contexts of the codecs, each made when it is first needed.
 *
 * A thread that only reads LZ4 needs none at all; one that writes at one level has one.
 */
#include "codec/state.h"

#include "codec/blosclz.h"
#include "codec/ndlz.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>

struct codec_state {
    uint32_t *blosclz;
    uint32_t *ndlz;
    void *lz4;
    void *lz4hc;
    ZSTD_CCtx *zstd_encoder;
    ZSTD_DCtx *zstd_decoder;
    struct libdeflate_compressor *deflate[DEFLATE_LEVEL_MAX + 1];
    struct libdeflate_decompressor *inflate;
};

struct codec_state *
codec_state_new(void)
{
    return calloc(1, sizeof(struct codec_state));
}

void
codec_state_free(struct codec_state *s)
{
    if (!s)
        return;
    free(s->blosclz);
    free(s->ndlz);
    free(s->lz4);
    free(s->lz4hc);
    ZSTD_freeCCtx(s->zstd_encoder);
    ZSTD_freeDCtx(s->zstd_decoder);
    for (int level = 0; level <= DEFLATE_LEVEL_MAX; level++)
        libdeflate_free_compressor(s->deflate[level]);
    libdeflate_free_decompressor(s->inflate);
    free(s);
}

uint32_t *
codec_state_blosclz(struct codec_state *s)
{
    if (!s->blosclz)
        s->blosclz = malloc(BLOSCLZ_TABLE_SIZE * sizeof *s->blosclz);
    return s->blosclz;
}

uint32_t *
codec_state_ndlz(struct codec_state *s)
{
    if (!s->ndlz)
        s->ndlz = malloc(NDLZ_TABLE_SIZE * sizeof *s->ndlz);
    return s->ndlz;
}

void *
codec_state_lz4(struct codec_state *s)
{
    if (!s->lz4)
        s->lz4 = malloc((size_t)LZ4_sizeofState());
    return s->lz4;
}

void *
codec_state_lz4hc(struct codec_state *s)
{
    if (!s->lz4hc)
        s->lz4hc = malloc((size_t)LZ4_sizeofStateHC());
    return s->lz4hc;
}

ZSTD_CCtx *
codec_state_zstd_encoder(struct codec_state *s)
{
    if (!s->zstd_encoder)
        s->zstd_encoder = ZSTD_createCCtx();
    return s->zstd_encoder;
}

ZSTD_DCtx *
codec_state_zstd_decoder(struct codec_state *s)
{
    if (!s->zstd_decoder)
        s->zstd_decoder = ZSTD_createDCtx();
    return s->zstd_decoder;
}

struct libdeflate_compressor *
codec_state_deflate(struct codec_state *s, int level)
{
    if (!s->deflate[level])
        s->deflate[level] = libdeflate_alloc_compressor(level);
    return s->deflate[level];
}

struct libdeflate_decompressor *
codec_state_inflate(struct codec_state *s)
{
    if (!s->inflate)
        s->inflate = libdeflate_alloc_decompressor();
    return s->inflate;
}
