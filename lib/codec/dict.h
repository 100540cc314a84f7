/*
 * dict.h - dictionaries: bytes that every stream of a chunk may refer to.
 *
 * Zstandard and LZ4 take any bytes; those that occur often in the streams serve best, and Zstandard
 * also takes statistics with them. One is made from samples, and prepared once for all streams.
 */
#ifndef CODEC_DICT_H
#define CODEC_DICT_H

#include "codec/codec.h"

#include <zstd.h>

// Shorter ones are of no use; longer ones the format does not know.
#define DICT_SIZE_MIN 256
#define DICT_SIZE_MAX 32768

// Any number of threads may use one.
struct codec_dict {
    uint8_t *bytes;
    size_t size; // 0: there is none
    ZSTD_CDict *encoder;
    ZSTD_DDict *decoder;
    void *lz4; // state of the encoder, LZ4's or LZ4HC's: streams start from copies
};

// `count` samples, one behind the other.
struct samples {
    const uint8_t *bytes;
    const size_t *sizes;
    unsigned count;
};

// Make one of at most `capacity` bytes (DICT_SIZE_MIN to DICT_SIZE_MAX) in dst, with an effort that
// goes with the level. Returns its size; 0: nothing useful was found.
size_t codec_dict_make(const struct codec *codec, int level, const struct samples *samples,
                       uint8_t *dst, size_t capacity);

// Copy the bytes and prepare them for a codec that takes dictionaries: to encode at a level, or to
// decode, level 0. TESS_ERR_NOMEM; to encode, TESS_ERR_CORRUPT (Zstandard makes no sense of them),
// which shows in streams when decoding. On failure *d is empty.
tess_status codec_dict_init(struct codec_dict *d, const struct codec *codec, int level,
                            const uint8_t *bytes, size_t size, tess_error *err);
void codec_dict_finish(struct codec_dict *d); // zeroed: fine

#endif
