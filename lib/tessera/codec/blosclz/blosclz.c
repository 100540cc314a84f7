/*
 * blosclz.c - BloscLZ as one of the codecs.
 *
 * Not here: the codec itself (blosclz_encode.c, blosclz_decode.c).
 */
#include "codec/blosclz/blosclz.h"

#include "base/error.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/codecs.h"
#include "codec/state.h"

static void *
blosclz_make_table(int option)
{
    (void)option;
    return mem_alloc(BLOSCLZ_TABLE_SIZE * sizeof(uint32_t));
}

static const struct codec_context table_context = {blosclz_make_table, mem_free};

static tess_status
blosclz_encode_stream(const struct codec_call *call, const uint8_t *src, size_t src_size,
                      uint8_t *dst, size_t dst_size, size_t *out_size, tess_error *err)
{
    uint32_t *const table = codec_state_context(call->state, &table_context, 0);

    if (!table)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the BloscLZ encoder");
    *out_size = blosclz_encode(call->level, src, src_size, dst, dst_size, table);
    return TESS_OK;
}

static tess_status
blosclz_decode_part_of_stream(const struct codec_call *call, const uint8_t *src, size_t src_size,
                              uint8_t *dst, size_t need, size_t dst_size, tess_error *err)
{
    (void)call;
    if (!blosclz_decode_part(src, src_size, dst, need, dst_size))
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "these %zu bytes are no BloscLZ stream of %zu bytes", src_size, dst_size);
    return TESS_OK;
}

static tess_status
blosclz_decode_stream(const struct codec_call *call, const uint8_t *src, size_t src_size,
                      uint8_t *dst, size_t dst_size, tess_error *err)
{
    return blosclz_decode_part_of_stream(call, src, src_size, dst, dst_size, dst_size, err);
}

const struct codec codec_blosclz = {
    .id = TESS_CODEC_BLOSCLZ,
    .format = CODEC_FORMAT_BLOSCLZ,
    .name = "blosclz",
    .split_nitems_min = 32,
    .cost = {.encode = {10, 20, 40}, .decode = 3, .block = 350, .small = 20},
    .encode = blosclz_encode_stream,
    .decode = blosclz_decode_stream,
    .decode_part = blosclz_decode_part_of_stream,
};
