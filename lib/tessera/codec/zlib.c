/*
 * zlib.c - zlib streams (RFC 1950), by libdeflate.
 */
#include "base/error.h"
#include "codec/codec.h"
#include "codec/codecs.h"

#include <libdeflate.h>

/*
 * Levels of libdeflate for those of zlib: each the fastest whose output has, in the mean over five
 * kinds of arrays, at most 1.01 of the size that zlib-ng 2.2 makes at that level (single arrays up
 * to 1.06), in 0.3 to 1.0 of its time. Up to level 2 it is 0.65 to 0.87 of the size.
 */
static const uint8_t levels[10] = {0, 1, 2, 3, 4, 5, 6, 6, 7, 8};

static void *
make_compressor(int level)
{
    return libdeflate_alloc_compressor(level);
}

static void
free_compressor(void *compressor)
{
    libdeflate_free_compressor(compressor);
}

static void *
make_decompressor(int option)
{
    (void)option;
    return libdeflate_alloc_decompressor();
}

static void
free_decompressor(void *decompressor)
{
    libdeflate_free_decompressor(decompressor);
}

static const struct codec_context compressor_context = {make_compressor, free_compressor};
static const struct codec_context decompressor_context = {make_decompressor, free_decompressor};

static tess_status
zlib_encode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, size_t *out_size, tess_error *err)
{
    struct libdeflate_compressor *const c =
        codec_state_context(call->state, &compressor_context, levels[call->level]);

    if (!c)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the zlib encoder");
    *out_size = libdeflate_zlib_compress(c, src, src_size, dst, dst_size);
    return TESS_OK;
}

static tess_status
zlib_decode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
            size_t dst_size, tess_error *err)
{
    struct libdeflate_decompressor *const d =
        codec_state_context(call->state, &decompressor_context, 0);
    size_t used = 0;

    if (!d)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the zlib decoder");
    // Without a place for the size, libdeflate insists on filling dst.
    if (libdeflate_zlib_decompress_ex(d, src, src_size, dst, dst_size, &used, NULL) !=
            LIBDEFLATE_SUCCESS ||
        used != src_size)
        return err_set(err, TESS_ERR_CORRUPT, -1, "these %zu bytes are no zlib stream of %zu bytes",
                       src_size, dst_size);
    return TESS_OK;
}

/*
 * c-blosc2 never splits for zlib: in streams of their own, bytes that are noise cost next to
 * nothing, and measured data get 0.3 to 9 % smaller. Short streams of made data, each with a table
 * of codes, get larger.
 */
const struct codec codec_zlib = {
    .id = TESS_CODEC_ZLIB,
    .format = CODEC_FORMAT_ZLIB,
    .name = "zlib",
    .gain = GAIN_BY_FREQUENCIES,
    .split_nitems_min = 4096,
    .cost = {.encode = {80, 150, 400}, .decode = 10, .block = 12000, .small = 20},
    .encode = zlib_encode,
    .decode = zlib_decode,
};
