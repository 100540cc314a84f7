/*
 * codec.h - compressors of byte streams, one adapter each.
 *
 * The format has two numberings: the *codec id* names a compressor, the *codec format* (three bits
 * in a chunk) what a decoder has to understand. Adapters are stateless tables of functions; what
 * a codec keeps between calls (contexts, hash tables) lives in a codec_state, one per thread.
 *
 * Decoders are given bytes of a stranger: they read only src, write only dst, and succeed only if
 * they made exactly dst_size bytes.
 */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H

#include "base/error.h"
#include "base/grid.h"

#include <tessera/plugin.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum codec_id {
    CODEC_BLOSCLZ = 0,
    CODEC_LZ4 = 1,
    CODEC_LZ4HC = 2,
    CODEC_ZLIB = 4,
    CODEC_ZSTD = 5,
    CODEC_NDLZ = 32,
    CODEC_ZFP_ACCURACY = 33,
    CODEC_ZFP_PRECISION = 34,
    CODEC_ZFP_RATE = 35,
};

enum codec_format {
    CODEC_FORMAT_BLOSCLZ = 0,
    CODEC_FORMAT_LZ4 = 1,
    CODEC_FORMAT_ZLIB = 3,
    CODEC_FORMAT_ZSTD = 4,
    CODEC_FORMAT_OTHER = 6, // the chunk names a codec id
};

// Encoders of the libraries give up a few bytes before dst is full: with so many more of them, all
// streams that can get smaller do.
#define CODEC_SLACK 16

// Contexts of the libraries, created when first needed. Not for two threads at once.
struct codec_state;

struct codec_state *codec_state_new(void); // NULL: no memory
void codec_state_free(struct codec_state *s); // NULL is fine

struct codec;
struct codec_dict;

// What surrounds the bytes of a call. Zeroed but for the codec is fine.
struct codec_call {
    const struct codec *codec;
    struct codec_state *state;
    int level; // 1 to 9, when encoding
    int meta; // the codec's parameter byte
    const struct codec_dict *dict; // of the chunk; NULL: none
    const struct block_grid *grid; // shape of the block; NULL if it has none
    int32_t typesize; // of the chunk
    int32_t blocksize; // of the block that the stream is part of; 0 if they differ
};

struct codec {
    uint8_t id;
    uint8_t format;
    const char *name; // "lz4"
    const tess_user_codec *user; // what the program says of it; NULL: a codec of ours
    bool takes_dict; // its streams can refer to a dictionary
    bool needs_items; // works on the items of whole blocks: no split, nor filters but of items
    bool lossy; // does not bring back all that it was given
    bool slow_on_noise; // a look whether a stream can get smaller costs less than its encoder

    /*
     * May be NULL. Whether streams of `size` bytes can be encoded with this call's level, meta and
     * grid, asked once before any is. TESS_ERR_ARG, with a sentence.
     */
    tess_status (*check)(const struct codec_call *call, int32_t size, tess_error *err);

    /*
     * Compress src_size (> 0) bytes into at most dst_size bytes; *out_size receives how many.
     * Output that would not fit is no error: *out_size is 0 then, and the caller stores the bytes
     * as they are. dst and src do not overlap. TESS_ERR_NOMEM; TESS_ERR_ARG: the codec cannot work
     * on such blocks.
     */
    tess_status (*encode)(const struct codec_call *call, const uint8_t *src, size_t src_size,
                          uint8_t *dst, size_t dst_size, size_t *out_size, tess_error *err);

    /*
     * Decompress src into exactly dst_size (> 0) bytes.
     * TESS_ERR_CORRUPT, with a sentence that names the codec; TESS_ERR_NOMEM.
     */
    tess_status (*decode)(const struct codec_call *call, const uint8_t *src, size_t src_size,
                          uint8_t *dst, size_t dst_size, tess_error *err);

    /*
     * May be NULL. Decompress the first `need` bytes (0 < need <= dst_size) of a stream of dst_size
     * bytes, at least; what stands behind them in dst may be written to. Damage that lies behind
     * what was needed is not found. As decode otherwise.
     */
    tess_status (*decode_part)(const struct codec_call *call, const uint8_t *src, size_t src_size,
                               uint8_t *dst, size_t need, size_t dst_size, tess_error *err);
};

// The codec with this id; NULL if this build has none.
const struct codec *codec_by_id(int id);

// The codec that decodes a format (udcodec is looked at for CODEC_FORMAT_OTHER); NULL if none.
const struct codec *codec_by_format(int format, int udcodec);

// Name of an id, for messages and info: "lz4", "ndlz" (known, not built in), NULL if unknown.
const char *codec_name(int id);

#endif
