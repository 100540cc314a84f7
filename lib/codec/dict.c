/*
 * dict.c - dictionaries: bytes that every stream of a chunk may refer to.
 */
#include "codec/dict.h"

#include "base/bytes.h"
#include "base/error.h"
#include "codec/state.h"

#include <assert.h>
#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>
#include <zstd_errors.h>

enum {
    PIECE = 1024, // of a sample: what follows can refer to the stream itself
    STATISTICS_SIZE = 128, // at most, near enough: what does not fit is cut off
    TRAINED_LEVEL = 7,
    TRAINED_CAPACITY = 4096,
};

static bool
is_zstd(const struct codec *codec)
{
    return codec->format == CODEC_FORMAT_ZSTD;
}

// The part of a sample that is collected.
static size_t
piece_size(const struct samples *samples, unsigned i)
{
    return samples->sizes[i] < PIECE ? samples->sizes[i] : PIECE;
}

// Starts of samples, one behind the other: of every so many, if there are more than fit.
static size_t
collect(const struct samples *samples, uint8_t *dst, size_t capacity)
{
    const uint8_t *at = samples->bytes;
    size_t total = 0, used = 0;

    for (unsigned i = 0; i < samples->count; i++)
        total += piece_size(samples, i);
    const size_t step = total / capacity + 1;
    for (unsigned i = 0; i < samples->count && used < capacity; i++) {
        size_t size = piece_size(samples, i);
        if (size > capacity - used)
            size = capacity - used;
        if (i % step == 0) {
            memcpy(dst + used, at, size);
            used += size;
        }
        at += samples->sizes[i];
    }
    return used;
}

// What occurs often in all samples.
static size_t
train(const struct samples *samples, uint8_t *dst, size_t capacity)
{
    const size_t size =
        ZDICT_trainFromBuffer(dst, capacity, samples->bytes, samples->sizes, samples->count);
    return ZDICT_isError(size) ? 0 : size;
}

// Zstandard's statistics in front of collected bytes.
static size_t
add_statistics(const struct samples *samples, uint8_t *dst, size_t size, size_t capacity)
{
    const ZDICT_params_t params = {0};
    uint8_t content[DICT_SIZE_MAX];

    if (size > capacity - STATISTICS_SIZE)
        size = capacity - STATISTICS_SIZE;
    memcpy(content, dst, size);
    size = ZDICT_finalizeDictionary(dst, capacity, content, size, samples->bytes, samples->sizes,
                                    samples->count, params);
    return ZDICT_isError(size) ? 0 : size;
}

// LZ4 has no use for the statistics.
static size_t
remove_statistics(uint8_t *dst, size_t size)
{
    const size_t header = ZDICT_getDictHeaderSize(dst, size);
    if (ZDICT_isError(header) || header >= size)
        return 0;
    memmove(dst, dst + header, size - header);
    return size - header;
}

/*
 * Training takes some milliseconds even for small chunks, and 60 times as long as LZ4 compresses
 * large ones; its dictionaries save up to 10 % more than starts of samples, or nothing more. It is
 * for those who wait.
 */
size_t
codec_dict_make(const struct codec *codec, int level, const struct samples *samples, uint8_t *dst,
                size_t capacity)
{
    assert(codec->takes_dict && capacity >= DICT_SIZE_MIN && capacity <= DICT_SIZE_MAX);
    if (codec->id != CODEC_LZ4 && level >= TRAINED_LEVEL && capacity >= TRAINED_CAPACITY) {
        const size_t size = train(samples, dst, capacity);
        return size > 0 && !is_zstd(codec) ? remove_statistics(dst, size) : size;
    }
    const size_t size = collect(samples, dst, capacity);
    return size > 0 && is_zstd(codec) ? add_statistics(samples, dst, size, capacity) : size;
}

static void *
prepare_lz4(const struct codec_dict *d)
{
    void *const state = malloc((size_t)LZ4_sizeofState());
    if (!state)
        return NULL;
    (void)LZ4_initStream(state, (size_t)LZ4_sizeofState());
    (void)LZ4_loadDict(state, (const char *)d->bytes, (int)d->size);
    return state;
}

static void *
prepare_lz4hc(const struct codec_dict *d, int level)
{
    void *const state = malloc((size_t)LZ4_sizeofStateHC());
    if (!state)
        return NULL;
    (void)LZ4_initStreamHC(state, (size_t)LZ4_sizeofStateHC());
    LZ4_resetStreamHC_fast(state, level);
    (void)LZ4_loadDictHC(state, (const char *)d->bytes, (int)d->size);
    return state;
}

static bool
prepare_encoder(struct codec_dict *d, const struct codec *codec, int level)
{
    if (is_zstd(codec)) {
        d->encoder = ZSTD_createCDict(d->bytes, d->size, zstd_level(level));
        return d->encoder != NULL;
    }
    d->lz4 = codec->id == CODEC_LZ4 ? prepare_lz4(d) : prepare_lz4hc(d, level);
    return d->lz4 != NULL;
}

// Zstandard's own kind of dictionary starts with statistics, which may contradict themselves.
static bool
is_damaged(const struct codec *codec, const uint8_t *bytes, size_t size)
{
    return is_zstd(codec) && size >= 8 && get_u32le(bytes) == ZSTD_MAGIC_DICTIONARY &&
           ZSTD_getErrorCode(ZDICT_getDictHeaderSize(bytes, size)) ==
               ZSTD_error_dictionary_corrupted;
}

// Damaged statistics are no failure here: without a decoder each stream reads them by itself.
static void
prepare_decoder(struct codec_dict *d, const struct codec *codec)
{
    if (is_zstd(codec))
        d->decoder = ZSTD_createDDict(d->bytes, d->size);
}

tess_status
codec_dict_init(struct codec_dict *d, const struct codec *codec, int level, const uint8_t *bytes,
                size_t size, tess_error *err)
{
    assert(codec->takes_dict && size > 0 && size <= DICT_SIZE_MAX);
    *d = (struct codec_dict){.bytes = malloc(size), .size = size};
    if (d->bytes)
        memcpy(d->bytes, bytes, size);
    if (d->bytes && level == 0)
        prepare_decoder(d, codec);
    if (d->bytes && (level == 0 || prepare_encoder(d, codec, level)))
        return TESS_OK;
    codec_dict_finish(d);
    if (is_damaged(codec, bytes, size))
        return err_set(err, TESS_ERR_CORRUPT, -1, "a dictionary of %zu bytes is damaged", size);
    return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a dictionary of %zu bytes", size);
}

void
codec_dict_finish(struct codec_dict *d)
{
    free(d->bytes);
    ZSTD_freeCDict(d->encoder);
    ZSTD_freeDDict(d->decoder);
    free(d->lz4);
    *d = (struct codec_dict){0};
}
