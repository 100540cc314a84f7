/*
 * mask_copy.c - chosen items between a block and the caller's memory, row after row of a mask.
 *
 * Where about half of the items are chosen, branches for each are mispredicted and cost more
 * than all else. So every item is copied, and the place for the next one moves on if this was
 * chosen. What is sparse is looked for, eight bytes of the mask at a time.
 */
#include "select/mask_copy.h"

#include "select/mask_rows.h"

#include <string.h>

enum { SPARSE = 16 }; // of as many bytes of a row, one is chosen: better looked for

// -- rows; always inlined with a size that the compiler knows, where it matters

// Ends with the last item that is chosen, so nothing is written behind it.
static inline void
take_row(const struct mask_rows *r, const uint8_t *items, uint8_t *dst, size_t size)
{
    const int64_t step = r->item_step * (int64_t)size;
    const uint8_t *bytes = r->bytes, *src = items + r->item * (int64_t)size;
    uint8_t *to = dst + (size_t)r->before * size;
    const uint8_t *const end = to + (size_t)r->count * size;

    __builtin_prefetch(dst + (size_t)r->later * size, 1);
    if (r->count == r->n && r->item_step == 1) {
        memcpy(to, src, (size_t)r->n * size);
    } else if (r->count <= r->n / SPARSE) {
        for (int64_t k = 0; to < end; k++, to += size) {
            k = mask_next(bytes, k, r->n);
            memcpy(to, src + k * step, size);
        }
    } else {
        for (; to < end; src += step, bytes++) {
            memcpy(to, src, size);
            to += (size_t)(*bytes != 0) * size;
        }
    }
}

// A word from here or there.
static inline void
mask_copy_choose(uint8_t *to, const uint8_t *from, size_t size, bool chosen)
{
    uint64_t old = 0, new = 0;
    memcpy(&old, to, size);
    memcpy(&new, from, size);
    old ^= (old ^ new) & (0 - (uint64_t)chosen);
    memcpy(to, &old, size);
}

static inline void
give_row(const struct mask_rows *r, uint8_t *items, const uint8_t *src, size_t size, bool same)
{
    const int64_t step = r->item_step * (int64_t)size;
    const uint8_t *bytes = r->bytes, *from = src + (same ? 0 : (size_t)r->before * size);
    uint8_t *to = items + r->item * (int64_t)size;
    const size_t by = same ? 0 : size;
    int64_t left = r->count;

    if (!same)
        __builtin_prefetch(src + (size_t)r->later * size);
    if (left == r->n && r->item_step == 1 && !same) {
        memcpy(to, from, (size_t)r->n * size);
    } else if (left <= r->n / SPARSE || size > sizeof(uint64_t)) {
        for (int64_t k = 0; left > 0; k++, from += by, left--) {
            k = mask_next(bytes, k, r->n);
            memcpy(to + k * step, from, size);
        }
    } else {
        for (; left > 0; to += step, bytes++) {
            const bool chosen = *bytes != 0;
            mask_copy_choose(to, from, size, chosen);
            from += (size_t)chosen * by;
            left -= chosen;
        }
    }
}

// -- blocks

static inline void
mask_copy_take_rows(const struct selection *s, const struct part *block, const uint8_t *items,
                    uint8_t *dst, size_t size)
{
    struct mask_rows r;
    mask_rows_begin(&r, s, block);
    while (mask_rows_next(&r))
        take_row(&r, items, dst, size);
}

// The items for a byte of the mask, or of planes, are left to picks.
bool
mask_gather(const struct selection *s, const struct part *part, const struct decoded *block,
            uint8_t *dst)
{
    const uint8_t *const items = block->bytes;

    if (s->mask->inner_row >= 0 || block->planes != 0)
        return false;
    switch (s->grid->g.typesize) {
    case 1:
        mask_copy_take_rows(s, part, items, dst, 1);
        break;
    case 2:
        mask_copy_take_rows(s, part, items, dst, 2);
        break;
    case 4:
        mask_copy_take_rows(s, part, items, dst, 4);
        break;
    case 8:
        mask_copy_take_rows(s, part, items, dst, 8);
        break;
    case 16:
        mask_copy_take_rows(s, part, items, dst, 16);
        break;
    default:
        mask_copy_take_rows(s, part, items, dst, (size_t)s->grid->g.typesize);
        break;
    }
    return true;
}

static inline void
give_rows(const struct selection *s, const struct part *block, uint8_t *items, const uint8_t *src,
          size_t size, bool same)
{
    struct mask_rows r;
    mask_rows_begin(&r, s, block);
    while (mask_rows_next(&r))
        give_row(&r, items, src, size, same);
}

static void
give_inner(const struct selection *s, const struct part *block, uint8_t *items, const uint8_t *src,
           bool same)
{
    const size_t size = (size_t)s->grid->g.typesize;
    struct picks p;
    picks_begin(&p, s, block);
    while (picks_next(&p))
        for (const struct pick *pick = p.list; pick < p.list + p.n; pick++) {
            uint8_t *const to = items + (size_t)pick->item * size;
            if (!same)
                memcpy(to, src + (size_t)pick->at * size, (size_t)pick->length * size);
            for (int64_t i = 0; same && i < pick->length; i++)
                memcpy(to + (size_t)i * size, src, size);
        }
}

void
mask_scatter(const struct selection *s, const struct part *block, uint8_t *items,
             const uint8_t *src, bool same)
{
    if (s->mask->inner_row >= 0) {
        give_inner(s, block, items, src, same);
        return;
    }
    switch (s->grid->g.typesize) {
    case 1:
        give_rows(s, block, items, src, 1, same);
        break;
    case 2:
        give_rows(s, block, items, src, 2, same);
        break;
    case 4:
        give_rows(s, block, items, src, 4, same);
        break;
    case 8:
        give_rows(s, block, items, src, 8, same);
        break;
    default:
        give_rows(s, block, items, src, (size_t)s->grid->g.typesize, same);
        break;
    }
}
