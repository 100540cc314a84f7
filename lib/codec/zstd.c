/*
 * zstd.c - Zstandard: one frame, by the library.
 *
 * Frames are decoded in one call, straight into dst: however large a window a frame claims, no
 * memory is allocated for it.
 */
#include "codec/adapters.h"
#include "codec/dict.h"
#include "codec/state.h"

#include "base/bytes.h"

#include <zstd_errors.h>

static tess_status
encode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
       size_t dst_size, size_t *out_size, tess_error *err)
{
    ZSTD_CCtx *const c = codec_state_zstd_encoder(call->state);

    if (!c)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the Zstandard encoder");
    const size_t n =
        call->dict ? ZSTD_compress_usingCDict(c, dst, dst_size, src, src_size, call->dict->encoder)
                   : ZSTD_compressCCtx(c, dst, dst_size, src, src_size, zstd_level(call->level));
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
decode(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
       size_t dst_size, tess_error *err)
{
    ZSTD_DCtx *const d = codec_state_zstd_decoder(call->state);

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

const struct codec codec_zstd = {
    .id = CODEC_ZSTD,
    .format = CODEC_FORMAT_ZSTD,
    .name = "zstd",
    .takes_dict = true,
    .slow_on_noise = true,
    .encode = encode,
    .decode = decode,
};
