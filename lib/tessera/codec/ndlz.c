/*
 * ndlz.c - the NDLZ encoder, and NDLZ as one of the codecs.
 *
 * References go to literal rows of earlier cells: groups of them (two, three, all) are remembered
 * in a hash table by their bytes. Each cell takes the shortest token that a lookup finds; what a
 * lookup finds is compared before it is used.
 *
 * Offsets stay below what the 16-bit arithmetic of other decoders for side 4 can take.
 */
#include "codec/private.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/codecs.h"

#include <inttypes.h>
#include <string.h>

enum {
    OFFSET_MAX = 65530,
    CELL_MAX = NDLZ_SIDE_MAX * NDLZ_SIDE_MAX,
    TABLE_BITS = 14,
};

_Static_assert(NDLZ_TABLE_SIZE == 1 << TABLE_BITS, "the hash fills the table");

// Tokens in the order in which they are tried: the fewer bytes the better.
static const uint8_t tokens4[] = {0xe0, 0xe8, 0xf0, 0xf8, 0x88, 0xb0, 0x80, 0x90, 0x98, 0xb8};
static const uint8_t pairs4[] = {0x28, 0x30, 0x38};
static const uint8_t tokens8[] = {0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0x88,
                                  0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e};

struct writer {
    int side;
    const uint8_t *rows_of; // ndlz_rows4 or ndlz_rows8
    uint8_t *dst;
    size_t at;
    size_t size;
    uint32_t *table; // positions in dst; 0: none
};

static size_t
hash(const uint8_t *bytes, size_t size)
{
    uint64_t h = size;
    for (size_t i = 0; i < size; i += 4)
        h = (h ^ get_u32le(bytes + i)) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> (64 - TABLE_BITS));
}

static void
ndlz_encode_remember(struct writer *w, size_t position, size_t size)
{
    w->table[hash(w->dst + position, size)] = (uint32_t)position;
}

// The offset from here to an earlier place with the same bytes; 0: none is known.
static uint16_t
ndlz_encode_find(const struct writer *w, const uint8_t *bytes, size_t size)
{
    const size_t position = w->table[hash(bytes, size)];
    if (position == 0 || w->at - position > OFFSET_MAX || size > w->at - position ||
        memcmp(w->dst + position, bytes, size) != 0)
        return 0;
    return (uint16_t)(w->at - position);
}

// The rows of `mask`, one after the other; returns their size.
static size_t
gather(uint8_t *dst, const uint8_t *cell, unsigned mask, int side)
{
    size_t size = 0;
    for (int i = 0; i < side; i++)
        if (mask >> i & 1) {
            memcpy(dst + size, cell + i * side, (size_t)side);
            size += (size_t)side;
        }
    return size;
}

static uint16_t
ndlz_encode_find_rows(const struct writer *w, const uint8_t *cell, unsigned mask)
{
    uint8_t rows[CELL_MAX];
    const size_t size = gather(rows, cell, mask, w->side);
    return ndlz_encode_find(w, rows, size);
}

static void
ndlz_encode_put(struct writer *w, uint8_t byte)
{
    w->dst[w->at++] = byte;
}

static void
put_offset(struct writer *w, uint16_t offset)
{
    ndlz_encode_put(w, (uint8_t)offset);
    ndlz_encode_put(w, (uint8_t)(offset >> 8));
}

// Rows as they are; what is in them can be referred to from now on.
static void
put_rows(struct writer *w, const uint8_t *cell, unsigned mask)
{
    const size_t start = w->at;
    const size_t side = (size_t)w->side;
    const size_t size = gather(w->dst + start, cell, mask, w->side);

    w->at += size;
    for (size_t n = 2; n <= 3; n++)
        for (size_t i = 0; i + n * side <= size; i += side)
            ndlz_encode_remember(w, start + i, n * side);
    if (size == side * side)
        ndlz_encode_remember(w, start, size);
}

static bool
put_run(struct writer *w, const uint8_t *cell)
{
    const size_t size = (size_t)(w->side * w->side);
    if (memcmp(cell, cell + 1, size - 1) != 0)
        return false;
    ndlz_encode_put(w, NDLZ_RUN);
    ndlz_encode_put(w, cell[0]);
    return true;
}

static bool
put_reference(struct writer *w, const uint8_t *cell, uint8_t token)
{
    const unsigned all = (1u << w->side) - 1;
    const unsigned rows = w->rows_of[token];
    const uint16_t offset = ndlz_encode_find_rows(w, cell, rows);
    if (offset == 0)
        return false;
    ndlz_encode_put(w, token);
    put_offset(w, offset);
    put_rows(w, cell, all & ~rows);
    return true;
}

static bool
put_two_pairs(struct writer *w, const uint8_t *cell, uint8_t token)
{
    const unsigned rows = ndlz_first_pair(token);
    const uint16_t first = ndlz_encode_find_rows(w, cell, rows);
    const uint16_t second = first ? ndlz_encode_find_rows(w, cell, 0xf & ~rows) : 0;
    if (second == 0)
        return false;
    ndlz_encode_put(w, token);
    put_offset(w, first);
    put_offset(w, second);
    return true;
}

static bool
put_any(struct writer *w, const uint8_t *cell, const uint8_t *tokens, size_t ntokens,
        bool (*try)(struct writer *, const uint8_t *, uint8_t))
{
    for (size_t i = 0; i < ntokens; i++)
        if (try(w, cell, tokens[i]))
            return true;
    return false;
}

static void
put_cell(struct writer *w, const uint8_t *cell)
{
    if (put_run(w, cell) || put_reference(w, cell, NDLZ_CELL))
        return;
    if (w->side == 4 ? put_any(w, cell, pairs4, sizeof pairs4, put_two_pairs) ||
                           put_any(w, cell, tokens4, sizeof tokens4, put_reference)
                     : put_any(w, cell, tokens8, sizeof tokens8, put_reference))
        return;
    ndlz_encode_put(w, NDLZ_LITERAL);
    put_rows(w, cell, (1u << w->side) - 1);
}

// A cell of h x w bytes that the border cuts off.
static void
put_partial(struct writer *w, const uint8_t *src, size_t stride, size_t height, size_t width)
{
    ndlz_encode_put(w, NDLZ_LITERAL);
    for (size_t i = 0; i < height; i++) {
        memcpy(w->dst + w->at, src + i * stride, width);
        w->at += width;
    }
}

size_t
ndlz_encode(int side, const uint8_t *src, int32_t rows, int32_t columns, uint8_t *dst,
            size_t dst_size, uint32_t *table)
{
    struct writer w = {
        .side = side,
        .rows_of = side == 4 ? ndlz_rows4 : ndlz_rows8,
        .dst = dst,
        .size = dst_size,
        .table = table,
    };
    const size_t n = (size_t)side;
    const size_t nrows = (size_t)rows, stride = (size_t)columns;

    if (dst_size < NDLZ_HEADER_SIZE)
        return 0;
    memset(table, 0, NDLZ_TABLE_SIZE * sizeof *table);
    ndlz_encode_put(&w, 2);
    put_i32le(dst + 1, rows);
    put_i32le(dst + 5, columns);
    w.at = NDLZ_HEADER_SIZE;

    for (size_t y = 0; y < nrows; y += n)
        for (size_t x = 0; x < stride; x += n) {
            const uint8_t *const from = src + y * stride + x;
            const size_t height = nrows - y < n ? nrows - y : n;
            const size_t width = stride - x < n ? stride - x : n;
            uint8_t cell[CELL_MAX];

            if (w.size - w.at < 1 + n * n) // more than any token takes
                return 0;
            if (height < n || width < n) {
                put_partial(&w, from, stride, height, width);
                continue;
            }
            for (size_t i = 0; i < n; i++)
                memcpy(cell + i * n, from + i * stride, n);
            put_cell(&w, cell);
        }
    return w.at;
}

// -- as one of the codecs

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
