/*
 * zlib.c - zlib streams (RFC 1950), by libdeflate.
 */
#include "base/error.h"
#include "codec/adapters.h"
#include "codec/codec.h"
#include "codec/state.h"

/*
 * Levels of libdeflate for those of zlib: each the fastest whose output has, in the mean over five
 * kinds of arrays, at most 1.01 of the size that zlib-ng 2.2 makes at that level (single arrays up
 * to 1.06), in 0.3 to 1.0 of its time. Up to level 2 it is 0.65 to 0.87 of the size.
 */
static const uint8_t levels[10] = {0, 1, 2, 3, 4, 5, 6, 6, 7, 8};

static tess_status
encode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
       size_t dst_size, size_t *out_size, tess_error *err)
{
    struct libdeflate_compressor *const c = codec_state_deflate(call->state, levels[call->level]);

    if (!c)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the zlib encoder");
    *out_size = libdeflate_zlib_compress(c, src, src_size, dst, dst_size);
    return TESS_OK;
}

static tess_status
decode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
       size_t dst_size, tess_error *err)
{
    struct libdeflate_decompressor *const d = codec_state_inflate(call->state);
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

const struct codec codec_zlib = {
    .id = CODEC_ZLIB,
    .format = CODEC_FORMAT_ZLIB,
    .name = "zlib",
    .slow_on_noise = true,
    .encode = encode,
    .decode = decode,
};
