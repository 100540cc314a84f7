/*
 * lz4.c - LZ4 and LZ4HC: one block without frame or size, by the LZ4 library and by ours.
 *
 * The two differ in the encoder, which is lz4_encode.c for streams of LZ4 without a dictionary up
 * to LZ4_ENCODE_MAX. Parts of a block, and whole ones of LZ4 where the processor allows, are
 * decoded by lz4_decode.c.
 */
#include "base/error.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/codecs.h"
#include "codec/dict.h"
#include "codec/lz4/lz4_decode.h"
#include "codec/lz4/lz4_encode.h"
#include "codec/noise.h"

#include <limits.h>
#include <lz4.h>
#include <lz4hc.h>
#include <string.h>

enum {
    END_SHARE = 32, // of a stream, that is not worth leaving out
    OURS_MAX = 6, // the highest level at which lz4_encode() encodes streams with few repeats
};

static void *
make_fast(int option)
{
    (void)option;
    return mem_alloc((size_t)LZ4_sizeofState());
}

static const struct codec_context fast_context = {make_fast, mem_free};

static void *
make_hc(int option)
{
    (void)option;
    return mem_alloc((size_t)LZ4_sizeofStateHC());
}

static const struct codec_context hc_context = {make_hc, mem_free};

static void *
make_table(int option)
{
    (void)option;
    return mem_alloc(LZ4_TABLE_SIZE * sizeof(uint16_t));
}

static const struct codec_context lz4_table_context = {make_table, mem_free};

static int
to_int(size_t size)
{
    return size < INT_MAX ? (int)size : INT_MAX;
}

static int
acceleration(int level)
{
    return 10 - level;
}

// Sources beyond LZ4_MAX_INPUT_SIZE are not compressed: the library returns 0.
static tess_status
encode_by_library(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
                  size_t dst_size, size_t *out_size, tess_error *err)
{
    void *const state = codec_state_context(call->state, &fast_context, 0);
    int made;

    if (!state)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the LZ4 encoder");
    if (call->dict) { // a copy, so that each stream starts from the dictionary alone
        memcpy(state, call->dict->encoder, (size_t)LZ4_sizeofState());
        made = LZ4_compress_fast_continue(state, (const char *)src, (char *)dst, to_int(src_size),
                                          to_int(dst_size), acceleration(call->level));
    } else {
        made = LZ4_compress_fast_extState(state, (const char *)src, (char *)dst, to_int(src_size),
                                          to_int(dst_size), acceleration(call->level));
    }
    *out_size = (size_t)made;
    return TESS_OK;
}

/*
 * lz4_encode() looks for longer matches than the library. A stream with many repeats is searched at
 * twice the positions of the library's level, in the same time. One with few repeats is left to the
 * library above level OURS_MAX, where its short matches make the stream smaller.
 */
static tess_status
encode_fast(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, size_t *out_size, tess_error *err)
{
    if (call->dict || src_size > LZ4_ENCODE_MAX)
        return encode_by_library(call, src, src_size, dst, dst_size, out_size, err);
    const enum repeats repeats =
        call->repeats == REPEATS_UNKNOWN ? bytes_repeat(src, src_size) : call->repeats;
    const int sparse = acceleration(call->level), dense = (sparse + 1) / 2;
    if (repeats != REPEATS_MANY && call->level > OURS_MAX)
        return encode_by_library(call, src, src_size, dst, dst_size, out_size, err);
    uint16_t *const table = codec_state_context(call->state, &lz4_table_context, 0);
    if (!table)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the LZ4 encoder");
    *out_size = lz4_encode(src, src_size, dst, dst_size,
                           (unsigned)(repeats == REPEATS_MANY ? dense : sparse), table);
    return TESS_OK;
}

static tess_status
encode_hc(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
          size_t dst_size, size_t *out_size, tess_error *err)
{
    void *const state = codec_state_context(call->state, &hc_context, 0);
    int made;

    if (!state)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the LZ4HC encoder");
    if (call->dict) {
        memcpy(state, call->dict->encoder, (size_t)LZ4_sizeofStateHC());
        made = LZ4_compress_HC_continue(state, (const char *)src, (char *)dst, to_int(src_size),
                                        to_int(dst_size));
    } else {
        made = LZ4_compress_HC_extStateHC(state, (const char *)src, (char *)dst, to_int(src_size),
                                          to_int(dst_size), call->level);
    }
    *out_size = (size_t)made;
    return TESS_OK;
}

static tess_status
lz4_refuse(size_t src_size, size_t dst_size, tess_error *err)
{
    return err_set(err, TESS_ERR_CORRUPT, -1, "these %zu bytes are no LZ4 block of %zu bytes",
                   src_size, dst_size);
}

// The library takes an empty or too long source for damaged by itself, and uses up all of it.
static tess_status
decode_by_library(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
                  size_t dst_size, tess_error *err)
{
    int made = -1;

    if (src_size <= INT_MAX && dst_size <= INT_MAX)
        made = LZ4_decompress_safe_usingDict((const char *)src, (char *)dst, (int)src_size,
                                             (int)dst_size,
                                             call->dict ? (const char *)call->dict->bytes : NULL,
                                             call->dict ? (int)call->dict->size : 0);
    if (made < 0 || (size_t)made != dst_size)
        return lz4_refuse(src_size, dst_size, err);
    return TESS_OK;
}

static tess_status
decode_by_ours(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
               size_t need, size_t dst_size, tess_error *err)
{
    struct lz4_dict dict = {0};

    if (call->dict)
        dict = (struct lz4_dict){call->dict->bytes, call->dict->size};
    if (!lz4_decode(src, src_size, &dict, dst, need, dst_size))
        return lz4_refuse(src_size, dst_size, err);
    return TESS_OK;
}

// Ours is the faster one on what the fast encoder makes, many short matches near by. Those of LZ4HC
// are long and far, and dictionaries slow it down.
static bool
ours_is_faster(const struct codec_call *call)
{
    return call->codec->id == TESS_CODEC_LZ4 && !call->dict && lz4_decode_is_fast();
}

static tess_status
lz4_decode_stream(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
                  size_t dst_size, tess_error *err)
{
    if (ours_is_faster(call))
        return decode_by_ours(call, src, src_size, dst, dst_size, dst_size, err);
    return decode_by_library(call, src, src_size, dst, dst_size, err);
}

// Where the library is a few per cent faster, so it is on a whole block than ours on nearly all.
static tess_status
lz4_decode_part(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
                size_t need, size_t dst_size, tess_error *err)
{
    if (dst_size - need < dst_size / END_SHARE && !ours_is_faster(call))
        return decode_by_library(call, src, src_size, dst, dst_size, err);
    return decode_by_ours(call, src, src_size, dst, need, dst_size, err);
}

static size_t
make_dict_fast(int level, const struct samples *samples, uint8_t *dst, size_t capacity)
{
    (void)level;
    return codec_dict_collect(samples, dst, capacity);
}

static void *
make_dict_encoder_fast(const uint8_t *bytes, size_t size, int level)
{
    void *const state = mem_alloc((size_t)LZ4_sizeofState());

    (void)level;
    if (!state)
        return NULL;
    (void)LZ4_initStream(state, (size_t)LZ4_sizeofState());
    (void)LZ4_loadDict(state, (const char *)bytes, (int)size);
    return state;
}

// LZ4 has no use for the statistics.
static size_t
make_dict_hc(int level, const struct samples *samples, uint8_t *dst, size_t capacity)
{
    if (!codec_dict_is_trained(level, capacity))
        return codec_dict_collect(samples, dst, capacity);
    const size_t size = codec_dict_train(samples, dst, capacity);
    return size > 0 ? codec_dict_remove_statistics(dst, size) : 0;
}

static void *
make_dict_encoder_hc(const uint8_t *bytes, size_t size, int level)
{
    void *const state = mem_alloc((size_t)LZ4_sizeofStateHC());

    if (!state)
        return NULL;
    (void)LZ4_initStreamHC(state, (size_t)LZ4_sizeofStateHC());
    LZ4_resetStreamHC_fast(state, level);
    (void)LZ4_loadDictHC(state, (const char *)bytes, (int)size);
    return state;
}

// A state that streams start from copies of.
static const struct codec_dict_ops dict_ops_fast = {
    .make = make_dict_fast, .make_encoder = make_dict_encoder_fast, .free_encoder = mem_free};
static const struct codec_dict_ops dict_ops_hc = {
    .make = make_dict_hc, .make_encoder = make_dict_encoder_hc, .free_encoder = mem_free};

const struct codec codec_lz4 = {
    .id = TESS_CODEC_LZ4,
    .format = CODEC_FORMAT_LZ4,
    .name = "lz4",
    .gain = GAIN_BY_REPEATS,
    .dict = &dict_ops_fast,
    .split_nitems_min = 32,
    .cost = {.encode = {8, 10, 15}, .decode = 3, .block = 350, .small = 15},
    .encode = encode_fast,
    .decode = lz4_decode_stream,
    .decode_part = lz4_decode_part,
};

const struct codec codec_lz4hc = {
    .id = TESS_CODEC_LZ4HC,
    .format = CODEC_FORMAT_LZ4,
    .name = "lz4hc",
    .dict = &dict_ops_hc,
    .gain = GAIN_BY_REPEATS,
    .cost = {.encode = {100, 200, 500}, .decode = 3, .block = 350, .small = 20},
    .encode = encode_hc,
    .decode = lz4_decode_stream,
    .decode_part = lz4_decode_part,
};
