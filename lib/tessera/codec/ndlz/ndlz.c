/*
 * ndlz.c - NDLZ as one of the codecs.
 *
 * Not here: the codec itself (ndlz_encode.c, ndlz_decode.c).
 */
#include "codec/ndlz/ndlz.h"

#include "base/error.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/codecs.h"
#include "codec/state.h"

#include <inttypes.h>

static void *
ndlz_make_table(int option)
{
    (void)option;
    return mem_alloc(NDLZ_TABLE_SIZE * sizeof(uint32_t));
}

static const struct codec_context table_context = {ndlz_make_table, mem_free};

static tess_status
ndlz_check(const struct codec_call *call, int32_t size, tess_error *err)
{
    const struct block_grid *const g = call->grid;

    if (call->meta != 4 && call->meta != 8)
        return err_set(err, TESS_ERR_ARG, -1, "ndlz with cells of side %d, 4 and 8 can be",
                       call->meta);
    if (!g || g->ndim != 2)
        return err_set(err, TESS_ERR_ARG, -1, "ndlz needs an array of 2 dimensions, this has %d",
                       g ? g->ndim : 0);
    if ((int64_t)g->shape[0] * g->shape[1] != size)
        return err_set(err, TESS_ERR_ARG, -1,
                       "ndlz on streams of %" PRId32 " bytes for blocks of %" PRId32 " x %" PRId32
                       " items: it needs one byte per item, so larger items must be split",
                       size, g->shape[0], g->shape[1]);
    return TESS_OK;
}

// Blocks that have no whole cell are left as they are: other decoders expect one.
static tess_status
ndlz_encode_stream(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
                   size_t dst_size, size_t *out_size, tess_error *err)
{
    const tess_status st =
        ndlz_check(call, src_size <= INT32_MAX ? (int32_t)src_size : INT32_MAX, err);
    if (st != TESS_OK)
        return st;
    uint32_t *const table = codec_state_context(call->state, &table_context, 0);
    if (!table)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the NDLZ encoder");
    *out_size = 0;
    if (call->grid->shape[0] >= call->meta && call->grid->shape[1] >= call->meta)
        *out_size = ndlz_encode(call->meta, src, call->grid->shape[0], call->grid->shape[1], dst,
                                dst_size, table);
    return TESS_OK;
}

static tess_status
ndlz_decode_stream(const struct codec_call *call, const uint8_t *src, size_t src_size, uint8_t *dst,
                   size_t dst_size, tess_error *err)
{
    if (call->meta != 4 && call->meta != 8)
        return err_set(err, TESS_ERR_CORRUPT, -1, "NDLZ cells of side %d, 4 and 8 can be",
                       call->meta);
    if (!ndlz_decode(call->meta, src, src_size, dst, dst_size))
        return err_set(err, TESS_ERR_CORRUPT, -1, "these %zu bytes are no NDLZ stream of %zu bytes",
                       src_size, dst_size);
    return TESS_OK;
}

const struct codec codec_ndlz = {
    .id = TESS_CODEC_NDLZ,
    .format = CODEC_FORMAT_OTHER,
    .name = "ndlz",
    .check = ndlz_check,
    .encode = ndlz_encode_stream,
    .decode = ndlz_decode_stream,
};
