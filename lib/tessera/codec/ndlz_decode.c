/*
 * ndlz_decode.c - the NDLZ decoder.
 *
 * For each cell it finds where its rows are, all inside the stream, then copies them. A reference
 * may run over the token that makes it: all of it is compressed bytes, there is nothing to wait
 * for.
 */
#include "codec/private.h"

#include "base/bytes.h"

#include <string.h>

struct stream {
    const uint8_t *src;
    size_t size;
    struct rd r;
};

// Rows of a cell, as they are found.
struct cell {
    const uint8_t *row[NDLZ_SIDE_MAX];
    uint8_t run[NDLZ_SIDE_MAX]; // a row of one byte repeated
};

const uint8_t ndlz_rows4[256] = {
    [NDLZ_CELL] = 0xf, [0xe0] = 0xe, [0xe8] = 0x7, [0xf0] = 0xb, [0xf8] = 0xd, [0x80] = 0xc,
    [0x88] = 0x3,      [0x90] = 0x5, [0x98] = 0x9, [0xb0] = 0x6, [0xb8] = 0xa,
};

const uint8_t ndlz_rows8[256] = {
    [NDLZ_CELL] = 0xff,
    // three rows
    [0xa8] = 0x07,
    [0xa9] = 0x0e,
    [0xaa] = 0x1c,
    [0xab] = 0x38,
    [0xac] = 0x70,
    [0xad] = 0xe0,
    // two rows
    [0x88] = 0x03,
    [0x89] = 0x06,
    [0x8a] = 0x0c,
    [0x8b] = 0x18,
    [0x8c] = 0x30,
    [0x8d] = 0x60,
    [0x8e] = 0xc0,
};

uint8_t
ndlz_first_pair(uint8_t token)
{
    switch (token) {
    case 0x28:
        return 0x3;
    case 0x30:
        return 0x5;
    case 0x38:
        return 0x9;
    default:
        return 0;
    }
}

// Give the rows of `mask` their places, one after the other.
static void
assign(struct cell *cell, unsigned mask, const uint8_t *bytes, size_t width)
{
    for (int i = 0; mask >> i != 0; i++)
        if (mask >> i & 1) {
            cell->row[i] = bytes;
            bytes += width;
        }
}

// The rows of `mask` follow in the stream.
static bool
take_rows(struct stream *s, struct cell *cell, unsigned mask, size_t width)
{
    const size_t size = (size_t)__builtin_popcount(mask) * width;
    const uint8_t *const bytes = rd_take(&s->r, size);
    if (!bytes)
        return false;
    assign(cell, mask, bytes, width);
    return true;
}

// An offset follows, back from the token, to where the rows of `mask` are.
static bool
refer_rows(struct stream *s, struct cell *cell, const uint8_t *token, unsigned mask, size_t width)
{
    const size_t size = (size_t)__builtin_popcount(mask) * width;
    const uint8_t *const at = rd_take(&s->r, 2);
    if (!at)
        return false;
    const size_t offset = (size_t)(at[0] | at[1] << 8);
    const size_t here = (size_t)(token - s->src);
    if (offset > here - NDLZ_HEADER_SIZE || size > s->size - (here - offset))
        return false;
    assign(cell, mask, token - offset, width);
    return true;
}

static bool
ndlz_decode_find_rows(struct stream *s, int side, struct cell *cell)
{
    const unsigned all = (1u << side) - 1;
    const size_t width = (size_t)side;
    const uint8_t *const token = rd_take(&s->r, 1);
    if (!token)
        return false;
    if (*token == NDLZ_LITERAL)
        return take_rows(s, cell, all, width);
    if (*token == NDLZ_RUN) {
        memset(cell->run, rd_u8(&s->r), sizeof cell->run);
        for (int i = 0; i < side; i++)
            cell->row[i] = cell->run;
        return !s->r.bad;
    }

    const unsigned pair = side == 4 ? ndlz_first_pair(*token) : 0;
    if (pair != 0)
        return refer_rows(s, cell, token, pair, width) &&
               refer_rows(s, cell, token, all & ~pair, width);
    const unsigned rows = side == 4 ? ndlz_rows4[*token] : ndlz_rows8[*token];
    return rows != 0 && refer_rows(s, cell, token, rows, width) &&
           take_rows(s, cell, all & ~rows, width);
}

// A cell of h x w bytes that the border cuts off.
static bool
decode_partial(struct stream *s, uint8_t *dst, size_t stride, size_t h, size_t w)
{
    const uint8_t *const token = rd_take(&s->r, 1);
    const uint8_t *const bytes = rd_take(&s->r, h * w);
    if (!token || !bytes || *token != NDLZ_LITERAL)
        return false;
    for (size_t i = 0; i < h; i++)
        memcpy(dst + i * stride, bytes + i * w, w);
    return true;
}

static bool
decode_full(struct stream *s, int side, uint8_t *dst, size_t stride)
{
    struct cell cell;
    if (!ndlz_decode_find_rows(s, side, &cell))
        return false;
    for (int i = 0; i < side; i++, dst += stride)
        if (side == 4)
            memcpy(dst, cell.row[i], 4);
        else
            memcpy(dst, cell.row[i], 8);
    return true;
}

bool
ndlz_decode(int side, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size)
{
    struct stream s = {.src = src, .size = src_size, .r = rd_init(src, src_size)};
    const size_t cell = side == 4 ? 4 : 8;
    const uint8_t ndim = rd_u8(&s.r);
    const int32_t rows = rd_i32le(&s.r);
    const int32_t columns = rd_i32le(&s.r);

    if (s.r.bad || ndim != 2 || rows < 0 || columns < 0 ||
        (uint64_t)rows * (uint64_t)columns != dst_size)
        return false;
    const size_t height = (size_t)rows, width = (size_t)columns;
    for (size_t y = 0; y < height; y += cell)
        for (size_t x = 0; x < width; x += cell) {
            const size_t h = height - y < cell ? height - y : cell;
            const size_t w = width - x < cell ? width - x : cell;
            uint8_t *const to = dst + y * width + x;
            if (h == cell && w == cell ? !decode_full(&s, (int)cell, to, width)
                                       : !decode_partial(&s, to, width, h, w))
                return false;
        }
    return s.r.left == 0;
}
