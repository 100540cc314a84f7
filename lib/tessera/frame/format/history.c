/*
 * history.c - headers of frames before c-blosc2 2.0.0-rc1, which Caterva 0.1 to 0.4 wrote.
 *
 * Both kinds share their first 63 bytes: the fields of today up to the sizes, without blocksize.
 * The betas then list filters, squeezed together, in eight slots; the alphas have none.
 */
#include "frame/format/history.h"

#include "base/bytes.h"
#include "filter/pipeline.h"
#include "frame/fields.h"

#include <string.h>

enum {
    V1_SIZE = 82,
    V1_SLOTS = 8,
    ALPHA_SIZE = 64,
    FLAGS_V1 = 0x21,
    FLAGS_ALPHA = 0x24,
    CODEC_MASK = 0x0f,
    LEVEL_SHIFT = 4,
    SPLIT_FORWARD_COMPATIBLE = 4,
    MARK_TRUE = 0xc3,
};

static void
parse_common(struct rd *r, struct frame_header *h, unsigned *flags)
{
    (void)rd_take(r, 11);
    h->header_len = rd_i32be(r);
    (void)rd_u8(r);
    h->frame_len = rd_i64be(r);
    (void)rd_u8(r);
    *flags = rd_u8(r);
    (void)rd_u8(r);
    const unsigned codec = rd_u8(r);
    (void)rd_take(r, 2);
    h->nbytes = rd_i64be(r);
    (void)rd_u8(r);
    h->cbytes = rd_i64be(r);
    (void)rd_u8(r);
    h->typesize = rd_i32be(r);
    (void)rd_u8(r);
    h->chunksize = rd_i32be(r);
    (void)rd_take(r, 6);

    h->codec = (int)(codec & CODEC_MASK);
    h->clevel = (int)(codec >> LEVEL_SHIFT);
    h->split = SPLIT_FORWARD_COMPATIBLE;
}

static tess_status
history_check(const struct rd *r, unsigned flags, unsigned expected, size_t size, size_t needed,
              tess_error *err)
{
    if (r->bad)
        return err_set(err, TESS_ERR_CORRUPT, 0, "a frame header needs %zu bytes, got %zu", needed,
                       size);
    if (flags != expected)
        return err_set(err, TESS_ERR_UNSUPPORTED, 25, "an old frame with flags 0x%02x, not 0x%02x",
                       flags, expected);
    return TESS_OK;
}

tess_status
frame_header_parse_v1(const uint8_t *src, size_t size, struct frame_header *h, tess_error *err)
{
    struct rd r = rd_init(src, size);
    unsigned flags;
    uint8_t ids[V1_SLOTS], metas[V1_SLOTS];

    parse_common(&r, h, &flags);
    h->has_vlmeta = rd_u8(&r) == MARK_TRUE;
    (void)rd_take(&r, 2);
    rd_bytes(&r, ids, V1_SLOTS);
    rd_bytes(&r, metas, V1_SLOTS);
    memcpy(h->filters, ids, FILTER_SLOTS);
    memcpy(h->filters_meta, metas, FILTER_SLOTS);

    h->version = 1;
    h->fixed_size = V1_SIZE;
    h->has_layers = h->has_trailer = true;
    return history_check(&r, flags, FLAGS_V1, size, V1_SIZE, err);
}

tess_status
frame_header_parse_alpha(const uint8_t *src, size_t size, struct frame_header *h, tess_error *err)
{
    struct rd r = rd_init(src, size);
    unsigned flags;

    parse_common(&r, h, &flags);
    h->has_layers = rd_u8(&r) == MARK_TRUE;
    h->version = 0;
    h->fixed_size = ALPHA_SIZE;
    return history_check(&r, flags, FLAGS_ALPHA, size, ALPHA_SIZE, err);
}
