/*
 * codec.h - what a codec is: one constant object each, in a file of its own name.
 *
 * The format has two numberings: the *codec id* (tess_codec) names a compressor, the *codec format*
 * (three bits in a chunk) what a decoder has to understand. A struct codec holds all that differs
 * between codecs, and no state: what one keeps between calls lives in a codec_state, one per
 * thread. codecs.h is the table of the library's; codec_of_user() makes one of a codec of the
 * program.
 *
 * Decoders are given bytes of a stranger: they read only src, write only dst, and succeed only if
 * they made exactly dst_size bytes.
 */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H

#include "base/error.h"
#include "base/plugin.h"
#include "codec/noise.h"

#include <tessera/plugin.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum codec_format {
    CODEC_FORMAT_BLOSCLZ = 0,
    CODEC_FORMAT_LZ4 = 1,
    CODEC_FORMAT_ZLIB = 3,
    CODEC_FORMAT_ZSTD = 4,
    CODEC_FORMAT_OTHER = 6, // the chunk names a codec id
};

// Encoders give up a few bytes before dst is full: with so many more of them, all streams that can
// get smaller do.
#define CODEC_SLACK 80

struct codec;
struct codec_dict;
struct codec_dict_ops;
struct codec_state;

/*
 * What codecs keep from one call to the next: contexts of libraries, hash tables. A codec describes
 * its contexts, and asks for one when it needs it. Only one thread at a time uses a codec_state.
 */
// A kind of context: a constant object of the codec, whose address tells it from others.
struct codec_context {
    void *(*make)(int option); // NULL: no memory
    void (*free)(void *context);
};

struct codec_state *codec_state_new(void); // NULL: no memory
void codec_state_free(struct codec_state *s); // NULL is fine

// The context of a kind, made with the option when it is first asked for; each option has its own.
// It stays the state's. NULL: no memory.
void *codec_state_context(struct codec_state *s, const struct codec_context *kind, int option);

// What surrounds the bytes of a call. Zeroed but for the codec is fine.
struct codec_call {
    const struct codec *codec;
    struct codec_state *state;
    int level; // 1 to 9, when encoding
    int meta; // the codec's parameter byte
    enum repeats repeats; // of the stream to be encoded, if they were looked for
    const struct codec_dict *dict; // of the chunk; NULL: none
    const struct block_grid *grid; // shape of the block; NULL if it has none
    int32_t typesize; // of the chunk
    int32_t blocksize; // of the block that the stream is part of; 0 if they differ
};

// By what a codec makes a stream without a dictionary smaller. Where samples of the stream
// (noise.h) show nothing of it, the stream is stored without a call of encode().
enum codec_gain {
    GAIN_UNKNOWN, // encode() is always called
    GAIN_BY_REPEATS, // of words: LZ77
    GAIN_BY_FREQUENCIES, // of values, and by repeats: LZ77 and an entropy coder
};

// How long a codec takes, roughly, in tenths of a nanosecond per byte of shuffled floats that
// compress to a third. These numbers choose blocks: to change them is to change what is in files.
struct codec_cost {
    int encode[3]; // levels 1 to 3, 4 to 6, 7 to 9
    int decode; // 0: not measured
    int block; // nanoseconds more, for each block
    int small; // thousandths that a block below 32 KiB grows by with each half of it
};

struct codec {
    uint8_t id;
    uint8_t format;
    const char *name; // "lz4"
    const tess_user_codec *user; // what the program says of it; NULL: a codec of ours
    const struct codec_dict_ops *dict; // how its streams refer to a dictionary; NULL: they cannot
    bool needs_items; // works on the items of whole blocks: no split, nor filters but of items
    bool lossy; // does not bring back all that it was given
    enum codec_gain gain;

    /*
     * Where splitting is automatic: least items of a block, and highest level, at which a stream of
     * its own for each byte of an item gains. 0 items: it never does. 0 levels: it does at all.
     */
    int32_t split_nitems_min;
    int split_level_max;

    struct codec_cost cost;

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

// Codec number n of all that have a name, those of this build first; *codec is NULL for others.
// false: there are no more.
bool codec_at(int n, int *id, const struct codec **codec);

// Names of the codecs whose streams can refer to a dictionary, "a, b and c", for messages. Cut off
// if they do not fit.
void codec_names_with_dict(char *dst, size_t size);

// A codec of the program. Its description has to stay as long as the codec.
struct codec codec_of_user(const tess_user_codec *user);

#endif
