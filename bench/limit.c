/*
 * limit.c - the streams of an array, encoded and decoded by the codec alone.
 *
 * Streams of one repeated byte and streams that do not shrink are treated as the format does:
 * neither goes through the codec.
 */
#include "limit.h"

#include "raw.h"
#include "support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ITEMS (25 * 50 * 50)
#define BLOCK_SIZE (BLOCK_ITEMS * LAYOUT_ITEM)
#define ROWS_AHEAD 20 // how far prefetching runs before the copy
#define ZSTD_SPLIT_LEVEL_MAX 5

static const int64_t block_shape[LAYOUT_NDIM] = LAYOUT_BLOCK;

struct limit_blocks {
    int64_t side;
    int64_t grid[LAYOUT_NDIM]; // blocks along each axis
    int64_t nblocks;
    enum limit_filter filter;
    uint8_t *bytes; // BLOCK_SIZE each, in C order
};

struct stream {
    size_t offset, size;
    enum { CODED, STORED, CONSTANT } kind;
};

struct limit_streams {
    const struct limit_blocks *blocks;
    const struct raw_codec *codec;
    struct raw_state *state;
    int level;
    int per_block;
    size_t neblock; // uncompressed bytes of a stream
    struct stream *streams;
    uint8_t *bytes;
    uint8_t *scratch; // one block
};

// The items of one block that a box covers, as rows on both sides.
struct overlap {
    int64_t in_block, in_dst; // first item of the first row
    int64_t planes, rows, row_items;
    int64_t dst_plane, dst_row; // items from one to the next
};

static bool
overlap_init(struct overlap *o, const struct layout_box *box, const int64_t *origin)
{
    int64_t lo[LAYOUT_NDIM], n[LAYOUT_NDIM], extent[LAYOUT_NDIM];

    for (int i = 0; i < LAYOUT_NDIM; i++) {
        const int64_t end = origin[i] + block_shape[i];
        lo[i] = box->start[i] > origin[i] ? box->start[i] : origin[i];
        n[i] = (box->stop[i] < end ? box->stop[i] : end) - lo[i];
        extent[i] = box->stop[i] - box->start[i];
        if (n[i] <= 0)
            return false;
    }
    *o = (struct overlap){
        .in_block = ((lo[0] - origin[0]) * block_shape[1] + lo[1] - origin[1]) * block_shape[2] +
                    lo[2] - origin[2],
        .in_dst = ((lo[0] - box->start[0]) * extent[1] + lo[1] - box->start[1]) * extent[2] +
                  lo[2] - box->start[2],
        .planes = n[0],
        .rows = n[1],
        .row_items = n[2],
        .dst_plane = extent[1] * extent[2],
        .dst_row = extent[2],
    };
    return true;
}

// Ask for the row that comes `ahead` rows after row j of plane i on the user's side. The hint must
// be a constant for the compiler, hence a macro.
#define PREFETCH_ROW(o, base, i, j, write)                                                        \
    do {                                                                                          \
        const int64_t r_ = (j) + ROWS_AHEAD;                                                      \
        const int64_t i_ = (i) + r_ / (o)->rows, j_ = r_ % (o)->rows;                             \
        if (i_ < (o)->planes)                                                                     \
            for (int64_t k_ = 0; k_ < (o)->row_items; k_ += 16)                                   \
                __builtin_prefetch((base) + i_ * (o)->dst_plane + j_ * (o)->dst_row + k_, write); \
    } while (0)

static void
place(const struct overlap *o, const uint8_t *block, float *dst)
{
    dst += o->in_dst;
    for (int64_t i = 0; i < o->planes; i++)
        for (int64_t j = 0; j < o->rows; j++) {
            const int64_t item = o->in_block + (i * block_shape[1] + j) * block_shape[2];
            PREFETCH_ROW(o, dst, i, j, 1);
            memcpy(dst + i * o->dst_plane + j * o->dst_row, block + item * LAYOUT_ITEM,
                   (size_t)o->row_items * LAYOUT_ITEM);
        }
}

static void
gather(const struct overlap *o, const float *src, uint8_t *block)
{
    src += o->in_dst;
    for (int64_t i = 0; i < o->planes; i++)
        for (int64_t j = 0; j < o->rows; j++) {
            const int64_t item = o->in_block + (i * block_shape[1] + j) * block_shape[2];
            PREFETCH_ROW(o, src, i, j, 0);
            memcpy(block + item * LAYOUT_ITEM, src + i * o->dst_plane + j * o->dst_row,
                   (size_t)o->row_items * LAYOUT_ITEM);
        }
}

static void
shuffle(uint8_t *restrict dst, const uint8_t *restrict src)
{
    for (int64_t i = 0; i < BLOCK_ITEMS; i++)
        for (int j = 0; j < LAYOUT_ITEM; j++)
            dst[j * BLOCK_ITEMS + i] = src[i * LAYOUT_ITEM + j];
}

// Bit k of byte j of all items together; items behind the last whole group of 8 stay.
static void
bitshuffle(uint8_t *restrict dst, const uint8_t *restrict src)
{
    const int64_t groups = BLOCK_ITEMS / 8;

    memcpy(dst, src, BLOCK_SIZE);
    for (int64_t i = 0; i < groups; i++)
        for (int j = 0; j < LAYOUT_ITEM; j++)
            for (int k = 0; k < 8; k++) {
                int bits = 0;
                for (int b = 0; b < 8; b++)
                    bits |= ((src[(8 * i + b) * LAYOUT_ITEM + j] >> k) & 1) << b;
                dst[(8 * j + k) * groups + i] = (uint8_t)bits;
            }
}

static void
block_origin(const struct limit_blocks *b, int64_t index, int64_t *origin)
{
    for (int i = LAYOUT_NDIM - 1; i >= 0; i--) {
        origin[i] = index % b->grid[i] * block_shape[i];
        index /= b->grid[i];
    }
}

static struct layout_box
whole(const struct limit_blocks *b)
{
    return (struct layout_box){{0}, {b->side, b->side, b->side}};
}

struct limit_blocks *
limit_blocks_new(const float *field, int64_t side, enum limit_filter filter)
{
    struct limit_blocks *const b = bench_alloc(sizeof *b);
    uint8_t *const plain = bench_alloc(BLOCK_SIZE);

    *b = (struct limit_blocks){.side = side, .nblocks = 1, .filter = filter};
    for (int i = 0; i < LAYOUT_NDIM; i++) {
        b->grid[i] = side / block_shape[i];
        b->nblocks *= b->grid[i];
    }
    b->bytes = bench_alloc((size_t)b->nblocks * BLOCK_SIZE);
    for (int64_t n = 0; n < b->nblocks; n++) {
        const struct layout_box box = whole(b);
        uint8_t *const dst = b->bytes + n * BLOCK_SIZE;
        int64_t origin[LAYOUT_NDIM];
        struct overlap o;

        block_origin(b, n, origin);
        overlap_init(&o, &box, origin);
        gather(&o, field, plain);
        if (filter == LIMIT_SHUFFLE)
            shuffle(dst, plain);
        else if (filter == LIMIT_BITSHUFFLE)
            bitshuffle(dst, plain);
        else
            memcpy(dst, plain, BLOCK_SIZE);
    }
    free(plain);
    return b;
}

void
limit_blocks_free(struct limit_blocks *b)
{
    if (!b)
        return;
    free(b->bytes);
    free(b);
}

struct limit_streams *
limit_streams_new(const struct limit_blocks *b, int codec, int level)
{
    const bool fast = codec == RAW_LZ4 || (codec == RAW_ZSTD && level <= ZSTD_SPLIT_LEVEL_MAX);
    const int per_block = fast && b->filter == LIMIT_SHUFFLE ? LAYOUT_ITEM : 1;
    struct limit_streams *s;

    if (!raw_codec_by_id(codec))
        return NULL;
    s = bench_alloc(sizeof *s);
    *s = (struct limit_streams){
        .blocks = b,
        .codec = raw_codec_by_id(codec),
        .state = raw_state_new(),
        .level = level,
        .per_block = per_block,
        .neblock = (size_t)(BLOCK_SIZE / per_block),
        .streams = bench_alloc((size_t)(b->nblocks * per_block) * sizeof *s->streams),
        .bytes = bench_alloc((size_t)b->nblocks * BLOCK_SIZE),
        .scratch = bench_alloc(BLOCK_SIZE),
    };
    return s;
}

void
limit_streams_free(struct limit_streams *s)
{
    if (!s)
        return;
    raw_state_free(s->state);
    free(s->streams);
    free(s->bytes);
    free(s->scratch);
    free(s);
}

static bool
is_constant(const uint8_t *src, size_t n)
{
    return src[0] == src[n / 2] && src[0] == src[n - 1] && memcmp(src, src + 1, n - 1) == 0;
}

void
limit_encode(struct limit_streams *s)
{
    size_t offset = 0;

    for (int64_t i = 0; i < s->blocks->nblocks * s->per_block; i++) {
        const uint8_t *const src = s->blocks->bytes + (size_t)i * s->neblock;
        uint8_t *const dst = s->bytes + offset;
        struct stream *const stream = &s->streams[i];

        *stream = (struct stream){.offset = offset, .kind = CODED};
        if (is_constant(src, s->neblock)) {
            stream->kind = CONSTANT;
            stream->size = 1;
            dst[0] = src[0];
        } else {
            stream->size = s->codec->encode(s->state, s->level, src, s->neblock, dst, s->neblock);
            if (stream->size == 0 || stream->size >= s->neblock) {
                stream->kind = STORED;
                stream->size = s->neblock;
                memcpy(dst, src, s->neblock);
            }
        }
        offset += stream->size;
    }
}

void
limit_gather(const struct limit_blocks *b, const float *field)
{
    const struct layout_box box = whole(b);
    uint8_t *const scratch = bench_alloc(BLOCK_SIZE);

    for (int64_t n = 0; n < b->nblocks; n++) {
        int64_t origin[LAYOUT_NDIM];
        struct overlap o;

        block_origin(b, n, origin);
        overlap_init(&o, &box, origin);
        gather(&o, field, scratch);
        __asm__ volatile("" : : "r"(scratch) : "memory"); // the copies are wanted
    }
    free(scratch);
}

static void
decode_block(struct limit_streams *s, int64_t block)
{
    for (int j = 0; j < s->per_block; j++) {
        const struct stream *const stream = &s->streams[block * s->per_block + j];
        const uint8_t *const src = s->bytes + stream->offset;
        uint8_t *const dst = s->scratch + (size_t)j * s->neblock;

        if (stream->kind == CONSTANT)
            memset(dst, src[0], s->neblock);
        else if (stream->kind == STORED)
            memcpy(dst, src, s->neblock);
        else if (!s->codec->decode(s->state, src, stream->size, dst, s->neblock))
            bench_die("the codec does not decode its own stream");
    }
}

void
limit_decode(struct limit_streams *s, const struct layout_box *box, float *dst)
{
    const struct limit_blocks *const b = s->blocks;
    int64_t first[LAYOUT_NDIM], last[LAYOUT_NDIM];

    for (int i = 0; i < LAYOUT_NDIM; i++) {
        first[i] = box->start[i] / block_shape[i];
        last[i] = (box->stop[i] - 1) / block_shape[i];
    }
    for (int64_t i = first[0]; i <= last[0]; i++)
        for (int64_t j = first[1]; j <= last[1]; j++)
            for (int64_t k = first[2]; k <= last[2]; k++) {
                const int64_t index = (i * b->grid[1] + j) * b->grid[2] + k;
                int64_t origin[LAYOUT_NDIM];
                struct overlap o;

                decode_block(s, index);
                block_origin(b, index, origin);
                if (dst && overlap_init(&o, box, origin))
                    place(&o, s->scratch, dst);
            }
}

void
limit_check(struct limit_streams *s)
{
    for (int64_t n = 0; n < s->blocks->nblocks; n++) {
        decode_block(s, n);
        if (memcmp(s->scratch, s->blocks->bytes + n * BLOCK_SIZE, BLOCK_SIZE) != 0)
            bench_die("block %lld does not survive the codec", (long long)n);
    }
}
