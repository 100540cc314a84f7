/*
 * dict.c - dictionaries: bytes that every stream of a chunk may refer to.
 */
#include "codec/dict.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>
#include <zdict.h>

enum {
    PIECE = 1024, // of a sample: what follows can refer to the stream itself
    STATISTICS_SIZE = 128, // at most, near enough: what does not fit is cut off
    TRAINED_LEVEL = 7,
    TRAINED_CAPACITY = 4096,
};

// The part of a sample that is collected.
static size_t
piece_size(const struct samples *samples, unsigned i)
{
    return samples->sizes[i] < PIECE ? samples->sizes[i] : PIECE;
}

size_t
codec_dict_collect(const struct samples *samples, uint8_t *dst, size_t capacity)
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

/*
 * Training takes some milliseconds even for small chunks, and 60 times as long as LZ4 compresses
 * large ones; its dictionaries save up to 10 % more than starts of samples, or nothing more. So
 * only high levels train.
 */
bool
codec_dict_is_trained(int level, size_t capacity)
{
    return level >= TRAINED_LEVEL && capacity >= TRAINED_CAPACITY;
}

size_t
codec_dict_train(const struct samples *samples, uint8_t *dst, size_t capacity)
{
    const size_t size =
        ZDICT_trainFromBuffer(dst, capacity, samples->bytes, samples->sizes, samples->count);
    return ZDICT_isError(size) ? 0 : size;
}

size_t
codec_dict_add_statistics(const struct samples *samples, uint8_t *dst, size_t size, size_t capacity)
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

size_t
codec_dict_remove_statistics(uint8_t *dst, size_t size)
{
    const size_t header = ZDICT_getDictHeaderSize(dst, size);
    if (ZDICT_isError(header) || header >= size)
        return 0;
    memmove(dst, dst + header, size - header);
    return size - header;
}

size_t
codec_dict_make(const struct codec *codec, int level, const struct samples *samples, uint8_t *dst,
                size_t capacity)
{
    assert(codec->dict && capacity >= DICT_SIZE_MIN && capacity <= DICT_SIZE_MAX);
    return codec->dict->make(level, samples, dst, capacity);
}

static bool
dict_prepare(struct codec_dict *d, int level)
{
    if (level == 0) {
        if (d->ops->make_decoder)
            d->decoder = d->ops->make_decoder(d->bytes, d->size);
        return true;
    }
    d->encoder = d->ops->make_encoder(d->bytes, d->size, level);
    return d->encoder != NULL;
}

tess_status
codec_dict_init(struct codec_dict *d, const struct codec *codec, int level, const uint8_t *bytes,
                size_t size, tess_error *err)
{
    assert(codec->dict && size > 0 && size <= DICT_SIZE_MAX);
    *d = (struct codec_dict){.bytes = mem_alloc(size), .size = size, .ops = codec->dict};
    if (d->bytes) {
        memcpy(d->bytes, bytes, size);
        if (dict_prepare(d, level))
            return TESS_OK;
    }
    codec_dict_finish(d);
    if (codec->dict->is_damaged && codec->dict->is_damaged(bytes, size))
        return err_set(err, TESS_ERR_CORRUPT, -1, "a dictionary of %zu bytes is damaged", size);
    return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a dictionary of %zu bytes", size);
}

void
codec_dict_finish(struct codec_dict *d)
{
    if (d->encoder)
        d->ops->free_encoder(d->encoder);
    if (d->decoder)
        d->ops->free_decoder(d->decoder);
    mem_free(d->bytes);
    *d = (struct codec_dict){0};
}
