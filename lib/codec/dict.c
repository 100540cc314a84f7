/*
 * dict.c - dictionaries: bytes that every stream of a chunk may refer to.
 */
#include "codec/dict.h"

#include "codec/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>

enum { PIECE = 256 }; // of a sample: what follows can refer to the stream itself

static bool
is_zstd(const struct codec *codec)
{
    return codec->format == CODEC_FORMAT_ZSTD;
}

// Starts of samples, one behind the other.
static size_t
collect(const struct samples *samples, uint8_t *dst, size_t capacity)
{
    const uint8_t *at = samples->bytes;
    const unsigned step = (unsigned)(samples->count * (size_t)PIECE / capacity) + 1;
    size_t used = 0;

    for (unsigned i = 0; i < samples->count && used < capacity; i++) {
        size_t size = samples->sizes[i] < PIECE ? samples->sizes[i] : PIECE;
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

// Zstandard's builder finds what occurs often, which takes some 60 times as long as LZ4 compresses;
// LZ4HC and Zstandard themselves are for those who wait. LZ4 has no use for the statistics in front
// of the result.
size_t
codec_dict_train(const struct codec *codec, const struct samples *samples, uint8_t *dst,
                 size_t capacity)
{
    assert(codec->takes_dict);
    if (codec->id == CODEC_LZ4)
        return collect(samples, dst, capacity);
    const size_t size =
        ZDICT_trainFromBuffer(dst, capacity, samples->bytes, samples->sizes, samples->count);
    if (ZDICT_isError(size) || is_zstd(codec))
        return ZDICT_isError(size) ? 0 : size;

    const size_t header = ZDICT_getDictHeaderSize(dst, size);
    if (ZDICT_isError(header) || header >= size)
        return 0;
    memmove(dst, dst + header, size - header);
    return size - header;
}

static bool
prepare(struct codec_dict *d, const struct codec *codec, int level)
{
    if (is_zstd(codec)) {
        d->zstd = ZSTD_createCDict(d->bytes, d->size, zstd_level(level));
        return d->zstd != NULL;
    }
    if (codec->id == CODEC_LZ4HC)
        return true; // the tables are larger than what they are made from
    d->lz4 = malloc((size_t)LZ4_sizeofState());
    if (!d->lz4)
        return false;
    (void)LZ4_initStream(d->lz4, (size_t)LZ4_sizeofState());
    (void)LZ4_loadDict(d->lz4, (const char *)d->bytes, (int)d->size);
    return true;
}

tess_status
codec_dict_init(struct codec_dict *d, const struct codec *codec, int level, const uint8_t *bytes,
                size_t size, tess_error *err)
{
    assert(codec->takes_dict && size > 0 && size <= DICT_SIZE_MAX);
    *d = (struct codec_dict){.bytes = malloc(size), .size = size};
    if (d->bytes)
        memcpy(d->bytes, bytes, size);
    if (d->bytes && prepare(d, codec, level))
        return TESS_OK;
    codec_dict_finish(d);
    return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a dictionary of %zu bytes", size);
}

void
codec_dict_finish(struct codec_dict *d)
{
    free(d->bytes);
    ZSTD_freeCDict(d->zstd);
    free(d->lz4);
    *d = (struct codec_dict){0};
}
