/*
 * pick_copy.c - single items and short runs out of a decoded block.
 *
 * Most picks are one item. Copying those is worth a loop for each of the usual sizes.
 */
#include "select/pick_copy.h"

#include "filter/kernels.h"
#include "ndcopy/ndcopy.h"

#include <string.h>

// An item out of planes costs as many loads as it has bytes, and undoing the shuffle of a whole
// block about one for 32. So it is undone when more than one item in 16 is picked.
enum { DENSE = 16 };

struct block_need
take_need(const struct geometry *g, const struct reach *reach)
{
    return (struct block_need){
        .itemsize = g->typesize,
        .first = (int32_t)reach->first,
        .stop = (int32_t)reach->stop,
        .planes = reach->npicks <= g->block_nitems / DENSE,
    };
}

// Always inlined with a size that the compiler knows, where it matters.
static inline void
copy_picks(uint8_t *dst, bool scatter, const uint8_t *src, size_t size, const struct pick *picks,
           int64_t n)
{
    for (const struct pick *p = picks; p < picks + n; p++) {
        const size_t to = (size_t)(scatter ? p->item : p->at) * size;
        const size_t from = (size_t)(scatter ? p->at : p->item) * size;
        if (p->length == 1)
            memcpy(dst + to, src + from, size);
        else
            memcpy(dst + to, src + from, (size_t)p->length * size);
    }
}

static void
copy_picks_of(uint8_t *dst, bool scatter, const uint8_t *src, size_t size, const struct pick *picks,
              int64_t n)
{
    switch (size) {
    case 1:
        copy_picks(dst, scatter, src, 1, picks, n);
        break;
    case 2:
        copy_picks(dst, scatter, src, 2, picks, n);
        break;
    case 4:
        copy_picks(dst, scatter, src, 4, picks, n);
        break;
    case 8:
        copy_picks(dst, scatter, src, 8, picks, n);
        break;
    case 16:
        copy_picks(dst, scatter, src, 16, picks, n);
        break;
    default:
        copy_picks(dst, scatter, src, size, picks, n);
        break;
    }
}

static void
take_from_planes(const struct decoded *block, const struct pick *picks, int64_t n, uint8_t *dst)
{
    const size_t width = (size_t)block->planes;
    const size_t plane = (size_t)block->nbytes / width;
    unshuffle_rows_fn *const unshuffle_rows = filter_kernels()->unshuffle_rows;

    for (const struct pick *p = picks; p < picks + n; p++) {
        const uint8_t *const from = block->bytes + p->item;
        uint8_t *const to = dst + (size_t)p->at * width;
        if (p->length > 1) {
            const struct plane_rows row = {.n = plane,
                                           .w = width,
                                           .first = (size_t)p->item,
                                           .rows = 1,
                                           .row_nitems = (size_t)p->length};
            unshuffle_rows(to, block->bytes, &row);
            continue;
        }
        for (size_t i = 0; i < width; i++)
            to[i] = from[i * plane];
    }
}

void
take_picks(const struct decoded *block, size_t typesize, const struct pick *picks, int64_t n,
           uint8_t *dst)
{
    if (block->planes > 0)
        take_from_planes(block, picks, n, dst);
    else
        copy_picks_of(dst, false, block->bytes, typesize, picks, n);
}

void
give_picks(uint8_t *items, size_t typesize, const struct pick *picks, int64_t n, const uint8_t *src)
{
    copy_picks_of(items, true, src, typesize, picks, n);
}

void
repeat_picks(const uint8_t *item, size_t typesize, const struct pick *picks, int64_t n,
             uint8_t *dst)
{
    const int64_t size = (int64_t)typesize;
    for (const struct pick *p = picks; p < picks + n; p++)
        if (p->length == 1)
            memcpy(dst + p->at * size, item, typesize);
        else
            ndfill(1, &p->length, size, dst + p->at * size, &size, item);
}
