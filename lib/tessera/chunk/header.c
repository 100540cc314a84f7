/*
 * header.c - the fixed part at the front of a Blosc2 chunk.
 *
 * These bytes may come from a stranger. What spec 80 marks "strict" is let pass where the meaning
 * is clear all the same; each place says so.
 *
 * Not here: the table of block offsets (chunk.c), filters, codecs.
 */
#include "chunk/header.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "codec/codec.h"

#include <inttypes.h>

enum {
    FLAG_SHUFFLE = 0x01,
    FLAG_MEMCPYED = 0x02,
    FLAG_BITSHUFFLE = 0x04,
    FLAG_DELTA = 0x08,
    FLAG_NO_SPLIT = 0x10,
    FLAG_EXTENDED = FLAG_SHUFFLE | FLAG_BITSHUFFLE, // both: the header has 32 bytes
    CODEC_SHIFT = 5,

    FLAG2_DICT = 0x01,
    FLAG2_LAZY = 0x08,
    FLAG2_SPECIAL = 0x70,
    SPECIAL_SHIFT = 4,
    FLAG2_INSTRUMENTED = 0x80,

    FLAGS2_VLBLOCKS = 0x01,

    VERSION_OLDEST = 2,
    VERSION_ALPHA = 3, // 5 filter slots, no metas
    VERSION_WRITTEN = 5,
    VERSION_VLBLOCKS = 6,
    VERSION_NEWEST = 6,
};

// The filters of a 16-byte header are flags.
static void
filters_from_flags(struct chunk_header *h, unsigned flags)
{
    if (flags & FLAG_DELTA)
        h->filters[FILTER_SLOTS - 2] = TESS_FILTER_DELTA;
    if (flags & FLAG_SHUFFLE)
        h->filters[FILTER_SLOTS - 1] = TESS_FILTER_SHUFFLE;
    else if (flags & FLAG_BITSHUFFLE)
        h->filters[FILTER_SLOTS - 1] = TESS_FILTER_BITSHUFFLE;
}

static tess_status
parse_extension(struct rd *r, struct chunk_header *h, tess_error *err)
{
    rd_bytes(r, h->filters, sizeof h->filters);
    h->udcodec = rd_u8(r);
    h->codec_meta = rd_u8(r);
    rd_bytes(r, h->filters_meta, sizeof h->filters_meta);
    unsigned flags2 = rd_u8(r);
    const unsigned flags = rd_u8(r);
    if (r->bad)
        return err_set(err, TESS_ERR_CORRUPT, CHUNK_HEADER_MIN,
                       "a chunk header of %d bytes is cut off", CHUNK_HEADER_SIZE);

    if (h->version == VERSION_ALPHA) { // these bytes were not defined then
        h->filters[FILTER_SLOTS - 1] = TESS_FILTER_NONE;
        for (int i = 0; i < FILTER_SLOTS; i++)
            h->filters_meta[i] = 0;
        h->udcodec = h->codec_meta = 0;
        flags2 = 0;
    }
    if (flags2 & ~(unsigned)FLAGS2_VLBLOCKS)
        return err_set(err, TESS_ERR_UNSUPPORTED, 30, "chunk flags 0x%02x are not known", flags2);
    if (flags & FLAG2_LAZY)
        return err_set(err, TESS_ERR_CORRUPT, 31, "a lazy chunk, which must not be stored");

    h->vlblocks = flags2 & FLAGS2_VLBLOCKS;
    h->has_dict = flags & FLAG2_DICT;
    h->instrumented = flags & FLAG2_INSTRUMENTED;
    const unsigned special = (flags & FLAG2_SPECIAL) >> SPECIAL_SHIFT;
    if (special > SPECIAL_UNINIT)
        return err_set(err, TESS_ERR_CORRUPT, 31, "special value %u, 0 to 4 are known", special);
    h->special = (enum chunk_special)special;
    return TESS_OK;
}

static tess_status
check_header_sizes(const struct chunk_header *h, int64_t room, tess_error *err)
{
    if (h->version < VERSION_OLDEST || h->version > VERSION_NEWEST)
        return err_set(err, TESS_ERR_UNSUPPORTED, 0, "chunk format version %d, %d to %d are known",
                       h->version, VERSION_OLDEST, VERSION_NEWEST);
    if (h->typesize == 0)
        return err_set(err, TESS_ERR_CORRUPT, 3, "a chunk with items of 0 bytes");
    if (h->nbytes < 0 || h->nbytes > CHUNK_NBYTES_MAX)
        return err_set(err, TESS_ERR_CORRUPT, 4, "a chunk of %" PRId32 " bytes, 0 to %d can be",
                       h->nbytes, CHUNK_NBYTES_MAX);
    if (h->blocksize < 1 || h->blocksize > BLOCK_NBYTES_MAX)
        return err_set(err, TESS_ERR_CORRUPT, 8, "blocks of %" PRId32 " bytes, 1 to %d can be",
                       h->blocksize, BLOCK_NBYTES_MAX);
    if (h->cbytes < h->header_size || h->cbytes > room)
        return err_set(err, TESS_ERR_CORRUPT, 12,
                       "a chunk of %" PRId32 " stored bytes, %d to %" PRId64 " can be", h->cbytes,
                       h->header_size, room);
    return TESS_OK;
}

static tess_status
check_special_header(const struct chunk_header *h, tess_error *err)
{
    const int32_t item = h->cbytes - h->header_size;
    switch (h->special) {
    case SPECIAL_NANS:
        if ((h->typesize != 4 && h->typesize != 8) || h->nbytes % h->typesize != 0)
            return err_set(err, TESS_ERR_CORRUPT, 3,
                           "NaNs in %" PRId32 " bytes of items of %" PRId32, h->nbytes,
                           h->typesize);
        break;
    case SPECIAL_VALUE:
        if (item < 1 || h->nbytes % item != 0)
            return err_set(err, TESS_ERR_CORRUPT, 12,
                           "an item of %" PRId32 " bytes repeated in %" PRId32 " bytes", item,
                           h->nbytes);
        break;
    case SPECIAL_UNINIT:
        if (h->nbytes % h->typesize != 0)
            return err_set(err, TESS_ERR_CORRUPT, 4,
                           "%" PRId32 " uninitialised bytes of items of %" PRId32, h->nbytes,
                           h->typesize);
        break;
    case SPECIAL_NONE:
    case SPECIAL_ZEROS:
        break;
    }
    return TESS_OK;
}

// Sizes and number of the blocks of a regular chunk.
static tess_status
derive_blocks(struct chunk_header *h, int32_t itemsize, tess_error *err)
{
    if (h->vlblocks) { // the field is the number of blocks
        h->nblocks = h->blocksize;
        h->blocksize = 0;
        h->split = false;
    } else {
        // Writers of 3.0 to 3.3 left sizes that are not whole items; they cut the rounded ones.
        const int32_t item = itemsize > 255 && h->typesize == 1 ? itemsize : h->typesize;
        h->blocksize = (int32_t)min_i64(h->blocksize, h->nbytes);
        if (h->blocksize > item)
            h->blocksize -= h->blocksize % item;
        h->nblocks = (int32_t)ceil_div(h->nbytes, h->blocksize);
        h->leftover = h->nbytes % h->blocksize;
    }
    if (h->header_size + 4 * (int64_t)h->nblocks > h->cbytes)
        return err_set(err, TESS_ERR_CORRUPT, 8,
                       "%" PRId32 " blocks in a chunk of %" PRId32 " stored bytes", h->nblocks,
                       h->cbytes);
    return TESS_OK;
}

tess_status
chunk_header_parse(const uint8_t *src, size_t size, int64_t room, int32_t itemsize,
                   struct chunk_header *h, tess_error *err)
{
    struct rd r = rd_init(src, size);
    *h = (struct chunk_header){0};

    h->version = rd_u8(&r);
    (void)rd_u8(&r); // version of the codec's own format; 1 everywhere, and ignored by all readers
    const unsigned flags = rd_u8(&r);
    h->typesize = rd_u8(&r);
    h->nbytes = rd_i32le(&r);
    h->blocksize = rd_i32le(&r);
    h->cbytes = rd_i32le(&r);
    if (r.bad)
        return err_set(err, TESS_ERR_CORRUPT, 0, "a chunk header needs %d bytes, got %zu",
                       CHUNK_HEADER_MIN, size);

    const bool extended = (flags & FLAG_EXTENDED) == FLAG_EXTENDED;
    h->header_size = extended ? CHUNK_HEADER_SIZE : CHUNK_HEADER_MIN;
    h->codec_format = (int)(flags >> CODEC_SHIFT);
    h->memcpyed = flags & FLAG_MEMCPYED;
    h->split = !(flags & FLAG_NO_SPLIT);

    tess_status st = check_header_sizes(h, room, err);
    if (st == TESS_OK && extended)
        st = parse_extension(&r, h, err);
    if (st != TESS_OK)
        return st;
    if (!extended)
        filters_from_flags(h, flags);

    if (h->instrumented)
        return err_set(err, TESS_ERR_UNSUPPORTED, 31, "a chunk of codec measurements, not data");
    if (h->special != SPECIAL_NONE || h->memcpyed)
        h->has_dict = false; // some writers leave the flag there; no dictionary follows
    if (h->vlblocks && (h->special != SPECIAL_NONE || h->memcpyed))
        return err_set(err, TESS_ERR_CORRUPT, 30,
                       "blocks of different sizes in a chunk that has no blocks");

    if (h->special != SPECIAL_NONE) {
        h->memcpyed = false; // without meaning here
        return check_special_header(h, err);
    }
    if (h->memcpyed) {
        if (h->cbytes - h->header_size != h->nbytes)
            return err_set(err, TESS_ERR_CORRUPT, 12,
                           "%" PRId32 " bytes stored plainly in a chunk of %" PRId32, h->nbytes,
                           h->cbytes);
        return TESS_OK;
    }
    if (h->nbytes == 0)
        return TESS_OK;
    return derive_blocks(h, itemsize, err);
}

void
chunk_header_write(const struct chunk_header *h, uint8_t *dst)
{
    unsigned flags = FLAG_EXTENDED | (unsigned)h->codec_format << CODEC_SHIFT;
    if (h->memcpyed)
        flags |= FLAG_MEMCPYED;
    if (!h->split)
        flags |= FLAG_NO_SPLIT;
    for (int i = 0; i < FILTER_SLOTS; i++)
        if (h->filters[i] == TESS_FILTER_DELTA)
            flags |= FLAG_DELTA;

    dst[0] = h->vlblocks ? VERSION_VLBLOCKS : VERSION_WRITTEN;
    dst[1] = 1;
    dst[2] = (uint8_t)flags;
    dst[3] = (uint8_t)h->typesize;
    put_i32le(dst + 4, h->nbytes);
    put_i32le(dst + 8, h->vlblocks ? h->nblocks : h->blocksize);
    put_i32le(dst + 12, h->cbytes);
    memcpy(dst + 16, h->filters, FILTER_SLOTS);
    dst[22] = (uint8_t)h->udcodec;
    dst[23] = (uint8_t)h->codec_meta;
    memcpy(dst + 24, h->filters_meta, FILTER_SLOTS);
    dst[30] = h->vlblocks ? FLAGS2_VLBLOCKS : 0;
    dst[31] = (uint8_t)((unsigned)h->special << SPECIAL_SHIFT | (h->has_dict ? FLAG2_DICT : 0));
}
