/*
 * ndcopy.c - boxes as tiles of rows, and the inner loops over them.
 *
 * Writing short strided rows is what limits full reads, gathering them what limits writes: both
 * loops ask for the row 20 ahead before they need it (x 1.1 and x 2.5 measured).
 */
#include "ndcopy/ndcopy.h"

#include "base/rows_ahead.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    PIECE = 16,
    SHORT_SIZE = 48, // longer ones are as fast either way
};

// Merge the axes that continue each other; returns how many remain.
static int
merge_axes(int ndim, const int64_t *extent, const int64_t *dst_stride, const int64_t *src_stride,
           struct ndrows *r)
{
    int n = 0;
    for (int i = 0; i < ndim; i++) {
        if (extent[i] == 1)
            continue;
        if (n > 0 && r->dst_stride[n - 1] == extent[i] * dst_stride[i] &&
            r->src_stride[n - 1] == extent[i] * src_stride[i]) {
            r->extent[n - 1] *= extent[i];
            r->dst_stride[n - 1] = dst_stride[i];
            r->src_stride[n - 1] = src_stride[i];
            continue;
        }
        r->extent[n] = extent[i];
        r->dst_stride[n] = dst_stride[i];
        r->src_stride[n] = src_stride[i];
        n++;
    }
    return n;
}

bool
ndrows_begin(struct ndrows *r, int ndim, const int64_t *extent, int64_t itemsize,
             const int64_t *dst_stride, const int64_t *src_stride)
{
    *r = (struct ndrows){.rows = 1, .row_nitems = 1, .item_dst = itemsize, .item_src = itemsize};
    for (int i = 0; i < ndim; i++)
        if (extent[i] <= 0)
            return false;

    int n = merge_axes(ndim, extent, dst_stride, src_stride, r);
    if (n > 0) {
        n--;
        r->row_nitems = r->extent[n];
        r->item_dst = r->dst_stride[n];
        r->item_src = r->src_stride[n];
    }
    r->packed = r->item_dst == itemsize && r->item_src == itemsize;
    if (n > 0) {
        n--;
        r->rows = r->extent[n];
        r->row_dst = r->dst_stride[n];
        r->row_src = r->src_stride[n];
    }
    r->outer = n;
    return true;
}

bool
ndrows_next(struct ndrows *r)
{
    for (int i = r->outer - 1; i >= 0; i--) {
        if (++r->at[i] < r->extent[i]) {
            r->dst += r->dst_stride[i];
            r->src += r->src_stride[i];
            return true;
        }
        r->at[i] = 0;
        r->dst -= (r->extent[i] - 1) * r->dst_stride[i];
        r->src -= (r->extent[i] - 1) * r->src_stride[i];
    }
    return false;
}

// A short row in pieces of 16 bytes, the last of which overlaps the one before: a call of memcpy()
// costs as much as the copy.
INLINE void
copy_short_row(uint8_t *restrict dst, const uint8_t *restrict src, size_t size)
{
    for (size_t at = 0; size - at > PIECE; at += PIECE)
        memcpy(dst + at, src + at, PIECE);
    memcpy(dst + size - PIECE, src + size - PIECE, PIECE);
}

static void
copy_packed_rows(uint8_t *restrict dst, const uint8_t *restrict src, const struct ndrows *r,
                 size_t row_size)
{
    for (int64_t i = 0; i < r->rows; i++) {
        if (i + AHEAD_ROWS < r->rows) {
            __builtin_prefetch(dst + AHEAD_ROWS * r->row_dst, 1);
            __builtin_prefetch(src + AHEAD_ROWS * r->row_src, 0);
        }
        if (row_size >= PIECE && row_size <= SHORT_SIZE)
            copy_short_row(dst, src, row_size);
        else
            memcpy(dst, src, row_size);
        dst += r->row_dst;
        src += r->row_src;
    }
}

// The distances between items are constants where that makes vector code of the loop.
INLINE void
copy_row(uint8_t *restrict dst, int64_t item_dst, const uint8_t *restrict src, int64_t item_src,
         int64_t nitems, size_t itemsize)
{
    for (int64_t j = 0; j < nitems; j++)
        memcpy(dst + j * item_dst, src + j * item_src, itemsize);
}

// Rows of items that follow each other in dst.
INLINE void
copy_rows(uint8_t *restrict dst, const uint8_t *restrict src, const struct ndrows *r,
          int64_t item_src, int64_t itemsize)
{
    const int64_t size = r->row_nitems * itemsize;
    for (int64_t i = 0; i < r->rows; i++) {
        uint8_t *const row = dst + i * r->row_dst, *const ahead = row + AHEAD_ROWS * r->row_dst;
        for (int64_t at = 0; i + AHEAD_ROWS < r->rows && size <= AHEAD_SIZE_MOST && at < size;
             at += LINE_SIZE)
            __builtin_prefetch(ahead + at, 1);
        copy_row(row, itemsize, src + i * r->row_src, item_src, r->row_nitems, (size_t)itemsize);
    }
}

// Rows backwards and every other item are common; an instruction for several items does them.
INLINE void
copy_items(uint8_t *restrict dst, const uint8_t *restrict src, const struct ndrows *r,
           int64_t itemsize)
{
    if (r->item_dst == itemsize && r->item_src == -itemsize)
        copy_rows(dst, src, r, -itemsize, itemsize);
    else if (r->item_dst == itemsize && r->item_src == 2 * itemsize)
        copy_rows(dst, src, r, 2 * itemsize, itemsize);
    else
        for (int64_t i = 0; i < r->rows; i++)
            copy_row(dst + i * r->row_dst, r->item_dst, src + i * r->row_src, r->item_src,
                     r->row_nitems, (size_t)itemsize);
}

// The item size as a constant lets the compiler turn each copy into one load and one store.
static void
copy_strided(uint8_t *restrict dst, const uint8_t *restrict src, const struct ndrows *r,
             int64_t itemsize)
{
    switch (itemsize) {
    case 1:
        copy_items(dst, src, r, 1);
        break;
    case 2:
        copy_items(dst, src, r, 2);
        break;
    case 4:
        copy_items(dst, src, r, 4);
        break;
    case 8:
        copy_items(dst, src, r, 8);
        break;
    case 16:
        copy_items(dst, src, r, 16);
        break;
    default:
        copy_items(dst, src, r, itemsize);
        break;
    }
}

// Rows from their other end, forward in dst.
static void
turn_rows(struct ndrows *r)
{
    r->dst += (r->row_nitems - 1) * r->item_dst;
    r->src += (r->row_nitems - 1) * r->item_src;
    r->item_dst = -r->item_dst;
    r->item_src = -r->item_src;
}

void
ndcopy(int ndim, const int64_t *extent, int64_t itemsize, uint8_t *restrict dst,
       const int64_t *dst_stride, const uint8_t *restrict src, const int64_t *src_stride)
{
    struct ndrows r;
    bool more = ndrows_begin(&r, ndim, extent, itemsize, dst_stride, src_stride);
    if (more && r.item_dst < 0)
        turn_rows(&r);
    for (; more; more = ndrows_next(&r)) {
        if (r.packed)
            copy_packed_rows(dst + r.dst, src + r.src, &r, (size_t)(r.row_nitems * itemsize));
        else
            copy_strided(dst + r.dst, src + r.src, &r, itemsize);
    }
}

void
ndfill(int ndim, const int64_t *extent, int64_t itemsize, uint8_t *restrict dst,
       const int64_t *dst_stride, const uint8_t *restrict item)
{
    static const int64_t still[NDIM_MAX] = {0}; // one item, read again and again
    bool bytes_equal = true;
    for (int64_t i = 1; i < itemsize && bytes_equal; i++)
        bytes_equal = item[i] == item[0];

    struct ndrows r;
    for (bool more = ndrows_begin(&r, ndim, extent, itemsize, dst_stride, still); more;
         more = ndrows_next(&r)) {
        if (!bytes_equal || r.item_dst != itemsize) {
            copy_strided(dst + r.dst, item, &r, itemsize);
            continue;
        }
        for (int64_t i = 0; i < r.rows; i++)
            memset(dst + r.dst + i * r.row_dst, item[0], (size_t)(r.row_nitems * itemsize));
    }
}

bool
ndconstant(int ndim, const int64_t *extent, int64_t itemsize, const uint8_t *src,
           const int64_t *src_stride)
{
    const size_t size = (size_t)itemsize;
    struct ndrows r;
    if (!ndrows_begin(&r, ndim, extent, itemsize, src_stride, src_stride))
        return false;
    do {
        for (int64_t i = 0; i < r.rows; i++) {
            const uint8_t *const row = src + r.src + i * r.row_src;
            if (memcmp(row, src, size) != 0)
                return false;
            if (r.packed) { // all equal if the row equals itself one item further
                if (memcmp(row, row + size, (size_t)(r.row_nitems - 1) * size) != 0)
                    return false;
                continue;
            }
            for (int64_t j = 1; j < r.row_nitems; j++)
                if (memcmp(row + j * r.item_src, src, size) != 0)
                    return false;
        }
    } while (ndrows_next(&r));
    return true;
}
