/*
 * header.c - the fixed part at the front of a frame.
 *
 * Each field stands behind a msgpack marker that never varies; what spec 80 calls strict (the
 * markers, reserved bits) is let pass. Sizes are compared with each other and with the file here,
 * so that nothing else has to.
 *
 * Not here: metalayers (meta/layers.c).
 */
#include "frame/format/header.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/limits.h"
#include "codec/codec.h"

#include <inttypes.h>
#include <string.h>

enum {
    FIRST_BYTE = 0x9e,
    FIRST_BYTE_V1 = 0x9d,
    FIRST_BYTE_ALPHA = 0x9c,

    VERSION_MASK = 0x0f,
    OFFSETS_64 = 0x10,
    OFFSETS_MASK = 0x30,
    FLAG_VAR_CHUNKS = 0x40,
    FLAG_VLBLOCKS = 0x80,

    TYPE_CONTIGUOUS = 0,
    TYPE_SPARSE = 1,
    CODEC_MASK = 0x0f,
    CODEC_IN_BYTE_77 = 6,
    LEVEL_SHIFT = 4,
    SPLIT_MASK = 0x03,

    HAS_VLMETA_AT = 68,
    MARK_FALSE = 0xc2,
    MARK_TRUE = 0xc3,
    MARK_AT = 86,
    MARK = 0x54,
};

// Bytes that are always the same.
static const struct {
    uint8_t at, value;
} constants[] = {
    {0, 0x9e},          {1, 0xa8},  {2, 'b'},   {3, '2'},   {4, 'f'},   {5, 'r'},   {6, 'a'},
    {7, 'm'},           {8, 'e'},   {9, 0},     {10, 0xd2}, {15, 0xcf}, {24, 0xa4}, {29, 0xd3},
    {38, 0xd3},         {47, 0xd2}, {52, 0xd2}, {57, 0xd2}, {62, 0xd1}, {65, 0xd1}, {69, 0xd8},
    {70, FILTER_SLOTS},
};

static tess_status
parse_today(const uint8_t *src, size_t size, struct frame_header *h, tess_error *err)
{
    struct rd r = rd_init(src, size);
    (void)rd_take(&r, 10); // first byte and magic: looked at by the caller
    (void)rd_u8(&r);
    h->header_len = rd_i32be(&r);
    (void)rd_u8(&r);
    h->frame_len = rd_i64be(&r);
    (void)rd_u8(&r);
    const unsigned general = rd_u8(&r);
    const unsigned type = rd_u8(&r);
    const unsigned codec = rd_u8(&r);
    const unsigned other = rd_u8(&r);
    (void)rd_u8(&r);
    h->nbytes = rd_i64be(&r);
    (void)rd_u8(&r);
    h->cbytes = rd_i64be(&r);
    (void)rd_u8(&r);
    h->typesize = rd_i32be(&r);
    (void)rd_u8(&r);
    h->blocksize = rd_i32be(&r);
    (void)rd_u8(&r);
    h->chunksize = rd_i32be(&r);
    (void)rd_take(&r, 6); // threads used by the writer
    h->has_vlmeta = rd_u8(&r) == MARK_TRUE;
    (void)rd_u8(&r);
    const unsigned nfilters = rd_u8(&r);
    rd_bytes(&r, h->filters, FILTER_SLOTS);
    const int udcodec = rd_u8(&r);
    h->codec_meta = rd_u8(&r);
    rd_bytes(&r, h->filters_meta, FILTER_SLOTS);
    h->use_dict = rd_u8(&r) & 1;
    (void)rd_u8(&r);
    if (r.bad)
        return err_set(err, TESS_ERR_CORRUPT, 0, "a frame header needs %d bytes, got %zu",
                       FRAME_HEADER_SIZE, size);

    h->version = (int)(general & VERSION_MASK);
    h->fixed_size = FRAME_HEADER_SIZE;
    h->has_layers = h->has_trailer = true;
    h->sparse = type == TYPE_SPARSE;
    h->vlblocks = general & FLAG_VLBLOCKS;
    h->codec = (int)(codec & CODEC_MASK);
    if (h->codec == CODEC_IN_BYTE_77)
        h->codec = udcodec;
    h->clevel = (int)(codec >> LEVEL_SHIFT);
    h->split = (int)(other & SPLIT_MASK) + 1;

    if (h->version != 2 && h->version != 3)
        return err_set(err, TESS_ERR_UNSUPPORTED, FRAME_HEADER_AT_FLAGS,
                       "frame format version %d, 2 and 3 are known", h->version);
    if ((general & OFFSETS_MASK) != OFFSETS_64)
        return err_set(err, TESS_ERR_UNSUPPORTED, FRAME_HEADER_AT_FLAGS,
                       "frame with offsets of kind 0x%02x", general & OFFSETS_MASK);
    if (type != TYPE_CONTIGUOUS && type != TYPE_SPARSE)
        return err_set(err, TESS_ERR_UNSUPPORTED, FRAME_HEADER_AT_TYPE,
                       "frame type 0x%02x, 0 and 1 are known", type);
    if (nfilters > FILTER_SLOTS)
        return err_set(err, TESS_ERR_CORRUPT, 70, "%u filters, at most %d can be", nfilters,
                       FILTER_SLOTS);
    return TESS_OK;
}

static tess_status
check_lengths(const struct frame_header *h, int64_t room, tess_error *err)
{
    const int tail = h->has_trailer ? (h->version >= 2 ? FRAME_TRAILER_MIN : 30) : 0;
    int64_t end;

    if (h->frame_len < h->fixed_size + tail || h->frame_len > room)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_FRAME_LEN,
                       "frame of %" PRId64 " bytes, the file has %" PRId64 " from its start",
                       h->frame_len, room);
    if (h->header_len < h->fixed_size || h->header_len > h->frame_len - tail)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_LEN,
                       "header of %" PRId32 " bytes, %d to %" PRId64 " can be", h->header_len,
                       h->fixed_size, h->frame_len - tail);
    if (h->nbytes < 0 || h->cbytes < 0)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_NBYTES,
                       "chunks of %" PRId64 " bytes, stored in %" PRId64, h->nbytes, h->cbytes);
    if (h->nbytes > 0 && !h->sparse &&
        (!add_i64(h->header_len, h->cbytes, &end) || end > h->frame_len))
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_CBYTES,
                       "chunks of %" PRId64 " stored bytes in a frame of %" PRId64, h->cbytes,
                       h->frame_len);
    return TESS_OK;
}

static tess_status
header_check_sizes(const struct frame_header *h, tess_error *err)
{
    if (h->typesize < 1 || h->typesize > TYPESIZE_MAX)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_TYPESIZE,
                       "items of %" PRId32 " bytes, 1 to %d can be", h->typesize, TYPESIZE_MAX);
    if (h->blocksize < 0 || h->blocksize > BLOCK_NBYTES_MAX)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_BLOCKSIZE,
                       "blocks of %" PRId32 " bytes, 0 to %d can be", h->blocksize,
                       BLOCK_NBYTES_MAX);
    if (h->chunksize < -1 || h->chunksize > CHUNK_NBYTES_MAX ||
        (h->chunksize == -1 && h->nbytes > 0))
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_CHUNKSIZE,
                       "chunks of %" PRId32 " bytes", h->chunksize);
    return TESS_OK;
}

// -- before c-blosc2 2.0.0-rc1: headers that Caterva 0.1 to 0.4 wrote. Both kinds share their first
// 63 bytes: the fields of today up to the sizes, without blocksize. The betas then list filters,
// squeezed together, in eight slots; the alphas have none.

enum {
    V1_SIZE = 82,
    V1_SLOTS = 8,
    ALPHA_SIZE = 64,
    FLAGS_V1 = 0x21,
    FLAGS_ALPHA = 0x24,
    SPLIT_FORWARD_COMPATIBLE = 4,
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

static tess_status
parse_v1(const uint8_t *src, size_t size, struct frame_header *h, tess_error *err)
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

static tess_status
parse_alpha(const uint8_t *src, size_t size, struct frame_header *h, tess_error *err)
{
    struct rd r = rd_init(src, size);
    unsigned flags;

    parse_common(&r, h, &flags);
    h->has_layers = rd_u8(&r) == MARK_TRUE;
    h->version = 0;
    h->fixed_size = ALPHA_SIZE;
    return history_check(&r, flags, FLAGS_ALPHA, size, ALPHA_SIZE, err);
}

// -- all kinds

tess_status
frame_header_parse(const uint8_t *src, size_t size, int64_t room, struct frame_header *h,
                   tess_error *err)
{
    *h = (struct frame_header){0};
    if (size < FRAME_HEADER_MIN || memcmp(src + 2, FRAME_MAGIC, sizeof FRAME_MAGIC) != 0)
        return err_set(err, TESS_ERR_FORMAT, 2,
                       "not a Blosc2 frame: the magic \"b2frame\" is missing");

    tess_status st;
    switch (src[0]) {
    case FIRST_BYTE:
        st = parse_today(src, size, h, err);
        break;
    case FIRST_BYTE_V1:
        st = parse_v1(src, size, h, err);
        break;
    case FIRST_BYTE_ALPHA:
        st = parse_alpha(src, size, h, err);
        break;
    default:
        return err_set(err, TESS_ERR_FORMAT, 0, "a frame that starts with byte 0x%02x", src[0]);
    }
    if (st == TESS_OK)
        st = check_lengths(h, room, err);
    if (st == TESS_OK)
        st = header_check_sizes(h, err);
    return st;
}

static void
write_constants(uint8_t *head)
{
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        head[constants[i].at] = constants[i].value;
}

void
frame_header_write(const struct frame_header *h, uint8_t *dst)
{
    const int codec = h->codec > TESS_CODEC_ZSTD ? CODEC_IN_BYTE_77 : h->codec;

    memset(dst, 0, FRAME_HEADER_SIZE);
    write_constants(dst);
    put_u32be(dst + FRAME_HEADER_AT_LEN, (uint32_t)h->header_len);
    dst[FRAME_HEADER_AT_FLAGS] =
        (uint8_t)(h->version | OFFSETS_64 | (h->vlblocks ? FLAG_VLBLOCKS : 0));
    dst[FRAME_HEADER_AT_TYPE] = h->sparse ? TYPE_SPARSE : TYPE_CONTIGUOUS;
    dst[27] = (uint8_t)(codec | h->clevel << LEVEL_SHIFT);
    dst[28] = (uint8_t)(h->split - 1);
    put_u32be(dst + FRAME_HEADER_AT_TYPESIZE, (uint32_t)h->typesize);
    put_u32be(dst + FRAME_HEADER_AT_BLOCKSIZE, (uint32_t)h->blocksize);
    put_u16be(dst + 63, 1);
    put_u16be(dst + 66, 1);
    frame_header_update(dst, h);
    memcpy(dst + 71, h->filters, FILTER_SLOTS);
    dst[77] = (uint8_t)h->codec;
    dst[78] = (uint8_t)h->codec_meta;
    memcpy(dst + 79, h->filters_meta, FILTER_SLOTS);
    dst[85] = h->use_dict;
}

int64_t
frame_header_get_len(const uint8_t *head)
{
    return get_u32be(head + FRAME_HEADER_AT_LEN);
}

int64_t
frame_header_get_frame_len(const uint8_t *head)
{
    return (int64_t)get_u64be(head + FRAME_HEADER_AT_FRAME_LEN);
}

bool
frame_header_has_field(const uint8_t *head, int at)
{
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        if (constants[i].at == at - 1)
            return head[at - 1] == constants[i].value;
    return false;
}

int64_t
frame_header_get_nbytes(const uint8_t *head)
{
    return (int64_t)get_u64be(head + FRAME_HEADER_AT_NBYTES);
}

int64_t
frame_header_get_cbytes(const uint8_t *head)
{
    return (int64_t)get_u64be(head + FRAME_HEADER_AT_CBYTES);
}

int32_t
frame_header_get_chunksize(const uint8_t *head)
{
    return (int32_t)get_u32be(head + FRAME_HEADER_AT_CHUNKSIZE);
}

int32_t
frame_header_get_typesize(const uint8_t *head)
{
    return (int32_t)get_u32be(head + FRAME_HEADER_AT_TYPESIZE);
}

void
frame_header_set_lengths(uint8_t *head, int64_t frame_len, int64_t cbytes)
{
    put_u64be(head + FRAME_HEADER_AT_FRAME_LEN, (uint64_t)frame_len);
    put_u64be(head + FRAME_HEADER_AT_CBYTES, (uint64_t)cbytes);
}

void
frame_header_set_vlmeta(uint8_t *head, bool has_vlmeta)
{
    head[HAS_VLMETA_AT] = has_vlmeta ? MARK_TRUE : MARK_FALSE;
}

// Whether sizes differ stands twice; frames of before could not have it.
static void
update_flags(uint8_t *flags, const struct frame_header *h)
{
    const int sizes = (h->chunksize == 0 ? FLAG_VAR_CHUNKS : 0) | (h->vlblocks ? FLAG_VLBLOCKS : 0);
    if (h->version >= 3)
        *flags = (uint8_t)((*flags & ~(VERSION_MASK | FLAG_VAR_CHUNKS | FLAG_VLBLOCKS)) |
                           h->version | sizes);
}

void
frame_header_update(uint8_t *head, const struct frame_header *h)
{
    update_flags(&head[FRAME_HEADER_AT_FLAGS], h);
    frame_header_set_lengths(head, h->frame_len, h->cbytes);
    put_u64be(head + FRAME_HEADER_AT_NBYTES, (uint64_t)h->nbytes);
    put_u32be(head + FRAME_HEADER_AT_CHUNKSIZE, (uint32_t)h->chunksize);
    frame_header_set_vlmeta(head, h->has_vlmeta);
}

void
frame_header_mark(uint8_t *head)
{
    head[MARK_AT] = MARK;
}

bool
frame_header_is_marked(const uint8_t *head)
{
    return head[MARK_AT] == MARK;
}

void
frame_header_mend(uint8_t *head, const struct frame_header_facts *facts)
{
    uint8_t *const flags = &head[FRAME_HEADER_AT_FLAGS];
    const uint8_t version = *flags & (OFFSETS_MASK | VERSION_MASK);
    write_constants(head);
    if (version != (OFFSETS_64 | 2) && version != (OFFSETS_64 | 3))
        *flags = OFFSETS_64 | 2;
    head[FRAME_HEADER_AT_TYPE] = facts->sparse ? TYPE_SPARSE : TYPE_CONTIGUOUS;
    put_u32be(head + FRAME_HEADER_AT_LEN, (uint32_t)facts->header_len);
    if (!facts->is_array)
        return;
    put_u32be(head + FRAME_HEADER_AT_TYPESIZE, (uint32_t)facts->typesize);
    put_u64be(head + FRAME_HEADER_AT_NBYTES, (uint64_t)facts->nbytes);
    if (facts->chunksize > 0)
        put_u32be(head + FRAME_HEADER_AT_CHUNKSIZE, (uint32_t)facts->chunksize);
    *flags &= OFFSETS_MASK | VERSION_MASK;
    if (get_u32be(head + FRAME_HEADER_AT_BLOCKSIZE) > BLOCK_NBYTES_MAX)
        put_u32be(head + FRAME_HEADER_AT_BLOCKSIZE, (uint32_t)facts->blocksize);
}
