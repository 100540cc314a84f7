/*
 * raw.c - LZ4, libdeflate, Zstandard and our BloscLZ, called as plainly as they can be.
 */
#include "raw.h"

#include "codec/blosclz.h"
#include "support.h"

#include <libdeflate.h>
#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <zstd.h>

struct raw_state {
    void *lz4, *lz4hc;
    uint32_t *blosclz; // table of the encoder
    struct libdeflate_compressor *deflate;
    int deflate_level; // of the compressor
    struct libdeflate_decompressor *inflate;
    ZSTD_CCtx *zstd_encoder;
    ZSTD_DCtx *zstd_decoder;
};

struct raw_state *
raw_state_new(void)
{
    struct raw_state *const s = bench_alloc(sizeof *s);

    *s = (struct raw_state){
        .lz4 = bench_alloc((size_t)LZ4_sizeofState()),
        .blosclz = bench_alloc(BLOSCLZ_TABLE_SIZE * sizeof(uint32_t)),
        .lz4hc = bench_alloc((size_t)LZ4_sizeofStateHC()),
        .inflate = libdeflate_alloc_decompressor(),
        .zstd_encoder = ZSTD_createCCtx(),
        .zstd_decoder = ZSTD_createDCtx(),
    };
    if (!s->inflate || !s->zstd_encoder || !s->zstd_decoder)
        bench_die("no memory for the contexts of the codecs");
    return s;
}

void
raw_state_free(struct raw_state *s)
{
    if (!s)
        return;
    free(s->lz4);
    free(s->lz4hc);
    free(s->blosclz);
    libdeflate_free_compressor(s->deflate);
    libdeflate_free_decompressor(s->inflate);
    ZSTD_freeCCtx(s->zstd_encoder);
    ZSTD_freeDCtx(s->zstd_decoder);
    free(s);
}

static size_t
lz4_encode(struct raw_state *s, int level, const uint8_t *src, size_t src_size, uint8_t *dst,
           size_t dst_size)
{
    return (size_t)LZ4_compress_fast_extState(s->lz4, (const char *)src, (char *)dst, (int)src_size,
                                              (int)dst_size, 10 - level);
}

static size_t
lz4hc_encode(struct raw_state *s, int level, const uint8_t *src, size_t src_size, uint8_t *dst,
             size_t dst_size)
{
    return (size_t)LZ4_compress_HC_extStateHC(s->lz4hc, (const char *)src, (char *)dst,
                                              (int)src_size, (int)dst_size, level);
}

static bool
lz4_decode(struct raw_state *s, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size)
{
    (void)s;
    return LZ4_decompress_safe((const char *)src, (char *)dst, (int)src_size, (int)dst_size) ==
           (int)dst_size;
}

static bool
lz4_decode_part(struct raw_state *s, const uint8_t *src, size_t src_size, uint8_t *dst, size_t upto,
                size_t dst_size)
{
    (void)s;
    return LZ4_decompress_safe_partial((const char *)src, (char *)dst, (int)src_size, (int)upto,
                                       (int)dst_size) >= (int)upto;
}

static size_t
blosclz_encode_stream(struct raw_state *s, int level, const uint8_t *src, size_t src_size,
                      uint8_t *dst, size_t dst_size)
{
    return blosclz_encode(level, src, src_size, dst, dst_size, s->blosclz);
}

static bool
blosclz_decode_stream(struct raw_state *s, const uint8_t *src, size_t src_size, uint8_t *dst,
                      size_t dst_size)
{
    (void)s;
    return blosclz_decode(src, src_size, dst, dst_size) == dst_size;
}

static size_t
zlib_encode(struct raw_state *s, int level, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size)
{
    static const int mapped[10] = {0, 1, 2, 2, 4, 5, 6, 6, 6, 7};

    if (s->deflate_level != mapped[level]) {
        libdeflate_free_compressor(s->deflate);
        s->deflate = libdeflate_alloc_compressor(mapped[level]);
        s->deflate_level = mapped[level];
    }
    if (!s->deflate)
        bench_die("no memory for libdeflate");
    return libdeflate_zlib_compress(s->deflate, src, src_size, dst, dst_size);
}

static bool
zlib_decode(struct raw_state *s, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size)
{
    return libdeflate_zlib_decompress(s->inflate, src, src_size, dst, dst_size, NULL) ==
           LIBDEFLATE_SUCCESS;
}

static size_t
zstd_encode(struct raw_state *s, int level, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size)
{
    const size_t n = ZSTD_compressCCtx(s->zstd_encoder, dst, dst_size, src, src_size,
                                       level < 9 ? 2 * level - 1 : 22);

    return ZSTD_isError(n) ? 0 : n;
}

static bool
zstd_decode(struct raw_state *s, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size)
{
    return ZSTD_decompressDCtx(s->zstd_decoder, dst, dst_size, src, src_size) == dst_size;
}

const struct raw_codec *
raw_codec_by_id(int id)
{
    static const struct raw_codec codecs[] = {
        [RAW_BLOSCLZ] = {blosclz_encode_stream, blosclz_decode_stream, NULL},
        [RAW_LZ4] = {lz4_encode, lz4_decode, lz4_decode_part},
        [RAW_LZ4HC] = {lz4hc_encode, lz4_decode, lz4_decode_part},
        [RAW_ZLIB] = {zlib_encode, zlib_decode, NULL},
        [RAW_ZSTD] = {zstd_encode, zstd_decode, NULL},
    };

    if (id < 0 || id > RAW_ZSTD || !codecs[id].encode)
        return NULL;
    return &codecs[id];
}
