/*
 * zstd.c - Zstandard: one frame, by the library.
 *
 * Frames are decoded in one call, straight into dst: however large a window a frame claims, no
 * memory is allocated for it.
 */
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/codecs.h"
#include "codec/dict.h"

#ifdef HAVE_ZSTD_CUSTOM_MEMORY
#define ZSTD_STATIC_LINKING_ONLY // for contexts with an allocator
#endif
#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    NORMAL_LEVEL = 5,
    SHORT_STREAM = 16 << 10,
    SHORT_LEVEL = 7, // of the library
};

#ifdef HAVE_ZSTD_CUSTOM_MEMORY
static void *
zstd_alloc(void *unused, size_t size)
{
    (void)unused;
    return mem_alloc(size);
}

static void
zstd_free(void *unused, void *memory)
{
    (void)unused;
    mem_free(memory);
}

static const ZSTD_customMem memory = {.customAlloc = zstd_alloc, .customFree = zstd_free};
#endif

static void *
make_cctx(int option)
{
    (void)option;
#ifdef HAVE_ZSTD_CUSTOM_MEMORY
    if (mem_is_custom())
        return ZSTD_createCCtx_advanced(memory);
#endif
    return ZSTD_createCCtx();
}

static void
free_cctx(void *cctx)
{
    ZSTD_freeCCtx(cctx);
}

static void *
make_dctx(int option)
{
    (void)option;
#ifdef HAVE_ZSTD_CUSTOM_MEMORY
    if (mem_is_custom())
        return ZSTD_createDCtx_advanced(memory);
#endif
    return ZSTD_createDCtx();
}

static void
free_dctx(void *dctx)
{
    ZSTD_freeDCtx(dctx);
}

static const struct codec_context encoder_context = {make_cctx, free_cctx};
static const struct codec_context decoder_context = {make_dctx, free_dctx};

// The library's level for one of ours; c-blosc2's rule.
static int
library_level(int level)
{
    return level < 9 ? 2 * level - 1 : 22;
}

/*
 * At the normal level (9 of the library) more search finds next to nothing in filtered streams, be
 * they measured or made. Short ones the library would sort into a binary tree: level 7 makes them
 * 0.3 % larger (0.8 % at most) 1.4 to 3 times as fast. Of longer ones, a match put off once
 * instead of twice makes 0.2 % more (0.8 % at most) 1.15 to 1.3 times as fast. From level 6 on the
 * tree finds up to 2 % more, so it is left to callers that ask for it.
 */
static void
choose_search(ZSTD_CCtx *c, int level, size_t src_size)
{
    const bool normal = level == NORMAL_LEVEL;
    const bool is_short = src_size <= SHORT_STREAM;
    const int own_choice = 0;

    ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel,
                           normal && is_short ? SHORT_LEVEL : library_level(level));
    ZSTD_CCtx_setParameter(c, ZSTD_c_strategy, normal && !is_short ? ZSTD_lazy : own_choice);
}

static tess_status
zstd_encode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, size_t *out_size, tess_error *err)
{
    ZSTD_CCtx *const c = codec_state_context(call->state, &encoder_context, 0);
    size_t n;

    if (!c)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the Zstandard encoder");
    if (call->dict) {
        n = ZSTD_compress_usingCDict(c, dst, dst_size, src, src_size, call->dict->encoder);
    } else {
        choose_search(c, call->level, src_size);
        n = ZSTD_compress2(c, dst, dst_size, src, src_size);
    }
    if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for Zstandard at level %d", call->level);
    *out_size = ZSTD_isError(n) ? 0 : n;
    return TESS_OK;
}

// Exactly one frame of the current format, that does not claim another size than dst_size. The
// library by itself would also take a row of them, skippable ones, and formats of old.
static tess_status
check_frame(const uint8_t *src, size_t src_size, size_t dst_size, tess_error *err)
{
    if (src_size < 4 || get_u32le(src) != ZSTD_MAGICNUMBER)
        return err_set(err, TESS_ERR_CORRUPT, -1, "these %zu bytes are no Zstandard frame",
                       src_size);

    const unsigned long long claim = ZSTD_getFrameContentSize(src, src_size);
    if (claim != ZSTD_CONTENTSIZE_UNKNOWN && claim != ZSTD_CONTENTSIZE_ERROR && claim != dst_size)
        return err_set(err, TESS_ERR_CORRUPT, -1, "a Zstandard frame of %llu bytes instead of %zu",
                       claim, dst_size);

    const size_t frame_size = ZSTD_findFrameCompressedSize(src, src_size);
    if (ZSTD_isError(frame_size))
        return err_set(err, TESS_ERR_CORRUPT, -1, "Zstandard frame: %s",
                       ZSTD_getErrorName(frame_size));
    if (frame_size != src_size)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "a Zstandard frame of %zu bytes in a stream of %zu", frame_size, src_size);
    return TESS_OK;
}

static size_t
run_decoder(ZSTD_DCtx *d, const struct codec_dict *dict, uint8_t *dst, size_t dst_size,
            const uint8_t *src, size_t src_size)
{
    if (!dict)
        return ZSTD_decompressDCtx(d, dst, dst_size, src, src_size);
    if (dict->decoder)
        return ZSTD_decompress_usingDDict(d, dst, dst_size, src, src_size, dict->decoder);
    return ZSTD_decompress_usingDict(d, dst, dst_size, src, src_size, dict->bytes, dict->size);
}

static tess_status
zstd_decode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, tess_error *err)
{
    ZSTD_DCtx *const d = codec_state_context(call->state, &decoder_context, 0);

    if (!d)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the Zstandard decoder");
    const tess_status st = check_frame(src, src_size, dst_size, err);
    if (st != TESS_OK)
        return st;

    const size_t made = run_decoder(d, call->dict, dst, dst_size, src, src_size);
    if (ZSTD_getErrorCode(made) == ZSTD_error_memory_allocation)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a Zstandard frame");
    if (ZSTD_isError(made))
        return err_set(err, TESS_ERR_CORRUPT, -1, "Zstandard frame: %s", ZSTD_getErrorName(made));
    if (made != dst_size)
        return err_set(err, TESS_ERR_CORRUPT, -1, "a Zstandard frame of %zu bytes instead of %zu",
                       made, dst_size);
    return TESS_OK;
}

static size_t
make_dict(int level, const struct samples *samples, uint8_t *dst, size_t capacity)
{
    if (codec_dict_is_trained(level, capacity))
        return codec_dict_train(samples, dst, capacity);
    const size_t size = codec_dict_collect(samples, dst, capacity);
    return size > 0 ? codec_dict_add_statistics(samples, dst, size, capacity) : 0;
}

static void *
make_cdict(const uint8_t *bytes, size_t size, int level)
{
    return ZSTD_createCDict(bytes, size, library_level(level));
}

static void
free_cdict(void *cdict)
{
    ZSTD_freeCDict(cdict);
}

// None if the statistics are damaged: each stream reads them by itself then.
static void *
make_ddict(const uint8_t *bytes, size_t size)
{
#ifdef HAVE_ZSTD_CUSTOM_MEMORY
    if (mem_is_custom())
        return ZSTD_createDDict_advanced(bytes, size, ZSTD_dlm_byCopy, ZSTD_dct_auto, memory);
#endif
    return ZSTD_createDDict(bytes, size);
}

static void
free_ddict(void *ddict)
{
    ZSTD_freeDDict(ddict);
}

// The library's own kind of dictionary starts with statistics, which may contradict themselves.
static bool
is_damaged(const uint8_t *bytes, size_t size)
{
    return size >= 8 && get_u32le(bytes) == ZSTD_MAGIC_DICTIONARY &&
           ZSTD_getErrorCode(ZDICT_getDictHeaderSize(bytes, size)) ==
               ZSTD_error_dictionary_corrupted;
}

static const struct codec_dict_ops dict_ops = {
    .make = make_dict,
    .make_encoder = make_cdict,
    .free_encoder = free_cdict,
    .make_decoder = make_ddict,
    .free_decoder = free_ddict,
    .is_damaged = is_damaged,
};

const struct codec codec_zstd = {
    .id = TESS_CODEC_ZSTD,
    .format = CODEC_FORMAT_ZSTD,
    .name = "zstd",
    .dict = &dict_ops,
    .gain = GAIN_BY_FREQUENCIES,
    .split_nitems_min = 32,
    .split_level_max = 5,
    .cost = {.encode = {30, 100, 500}, .decode = 8, .block = 12000, .small = 20},
    .encode = zstd_encode,
    .decode = zstd_decode,
};
