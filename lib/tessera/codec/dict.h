/*
 * dict.h - dictionaries: bytes that every stream of a chunk may refer to.
 *
 * Zstandard and LZ4 take any bytes; those that occur often in the streams serve best, and Zstandard
 * also takes statistics with them. One is made from samples, and prepared once for all streams.
 * What a codec does differently is its codec_dict_ops.
 */
#ifndef CODEC_DICT_H
#define CODEC_DICT_H

#include "codec/codec.h"

// Shorter ones are of no use; longer ones the format does not know.
#define DICT_SIZE_MIN 256
#define DICT_SIZE_MAX 32768

// Any number of threads may use one.
struct codec_dict {
    uint8_t *bytes;
    size_t size; // 0: there is none
    const struct codec_dict_ops *ops; // of the codec that it was prepared for
    void *encoder, *decoder; // what the codec prepared; NULL: nothing
};

// `count` samples, one behind the other.
struct samples {
    const uint8_t *bytes;
    const size_t *sizes;
    unsigned count;
};

struct codec_dict_ops {
    // As codec_dict_make().
    size_t (*make)(int level, const struct samples *samples, uint8_t *dst, size_t capacity);

    // The bytes stay as long as what is made of them. NULL: no memory, or is_damaged().
    void *(*make_encoder)(const uint8_t *bytes, size_t size, int level);
    void (*free_encoder)(void *encoder);

    // Both may be NULL: the decoder needs the bytes alone. NULL is no failure: the decoder has to
    // do with the bytes then, too.
    void *(*make_decoder)(const uint8_t *bytes, size_t size);
    void (*free_decoder)(void *decoder);

    // May be NULL: any bytes will do. Whether these contradict themselves.
    bool (*is_damaged)(const uint8_t *bytes, size_t size);
};

// Make one of at most `capacity` bytes (DICT_SIZE_MIN to DICT_SIZE_MAX) in dst, with an effort that
// goes with the level. Returns its size; 0: nothing useful was found.
size_t codec_dict_make(const struct codec *codec, int level, const struct samples *samples,
                       uint8_t *dst, size_t capacity);

// Copy the bytes and prepare them for a codec that takes dictionaries: to encode at a level, or to
// decode, level 0. TESS_ERR_NOMEM; to encode, TESS_ERR_CORRUPT (the codec makes no sense of them),
// which shows in streams when decoding. On failure *d is empty.
tess_status codec_dict_init(struct codec_dict *d, const struct codec *codec, int level,
                            const uint8_t *bytes, size_t size, tess_error *err);
void codec_dict_finish(struct codec_dict *d); // zeroed: fine

// For codec_dict_ops.make(). Starts of samples, one behind the other: of every so many, if there
// are more than fit. Returns how many bytes they are.
size_t codec_dict_collect(const struct samples *samples, uint8_t *dst, size_t capacity);

// Whether what occurs often in all samples is worth the time that it takes to find.
bool codec_dict_is_trained(int level, size_t capacity);

// What occurs often, behind Zstandard's statistics. Returns the size of both; 0: nothing was found.
size_t codec_dict_train(const struct samples *samples, uint8_t *dst, size_t capacity);

// Zstandard's statistics in front of `size` collected bytes, or away from in front of trained ones.
// Returns the size that is left; 0: nothing useful.
size_t codec_dict_add_statistics(const struct samples *samples, uint8_t *dst, size_t size,
                                 size_t capacity);
size_t codec_dict_remove_statistics(uint8_t *dst, size_t size);

#endif
