/*
 * block_copy.c - chosen items between a decoded block and the caller's memory: picks, which are
 * single items and short runs, and what the rows of a mask's bytes choose.
 *
 * Most picks are one item. Copying those is worth a loop for each of the usual sizes.
 *
 * Where a mask chooses about half of the items, branches for each are mispredicted and cost more
 * than all else. So every item is copied, and the place for the next one moves on if this was
 * chosen. What is sparse is looked for, eight bytes of the mask at a time.
 */
#include "select/private.h"

#include "filter/kernels.h"
#include "ndcopy/ndcopy.h"
#include "select/selection.h"

#include <string.h>

// -- picks

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

// -- rows of a mask

enum { AHEAD = 8 }; // pieces of rows

int64_t
mask_next(const uint8_t *bytes, int64_t k, int64_t n)
{
    uint64_t word;
    for (; n - k >= (int64_t)sizeof word; k += (int64_t)sizeof word) {
        memcpy(&word, bytes + k, sizeof word);
        if (word != 0)
            break;
    }
    while (k < n && !bytes[k])
        k++;
    return k;
}

int64_t
mask_chosen(const struct selection *s, const struct part *block)
{
    int64_t at = 0;
    for (int b = 0; b < s->grid->g.ndim; b++)
        at += block->first[b] * s->mask->block_step[b];
    return s->mask->chosen[at];
}

static const struct axis_pick *
mask_rows_pick_of(const struct selection *s, const struct part *block, int axis)
{
    return &s->axis[axis].picks[block->first[axis]];
}

void
mask_rows_begin(struct mask_rows *r, const struct selection *s, const struct part *block)
{
    const struct mask_index *const m = s->mask;
    *r = (struct mask_rows){.s = s, .block = block, .n = 1, .item_step = 1, .ahead = -1};
    for (int b = 0; b < s->grid->g.ndim; b++) {
        const struct axis_pick *const p = mask_rows_pick_of(s, block, b);
        r->item += p->item;
        if (!m->over[b])
            continue;
        r->offset += p->at * s->axis[b].at_step;
        r->piece += p->at * m->piece_step[b];
        if (b != m->row && p->length > 1)
            r->ahead = b;
    }
    if (m->row >= 0) {
        const int64_t at = block->first[m->row];
        r->piece += m->reversed ? s->axis[m->row].n - 1 - at : at;
        r->n = mask_rows_pick_of(s, block, m->row)->length;
        r->item_step = s->axis[m->row].item_step;
    }
}

// The next combination of the mask's axes but the row.
static bool
mask_rows_turn(struct mask_rows *r)
{
    const struct selection *const s = r->s;
    const struct mask_index *const m = s->mask;
    for (int b = s->grid->g.ndim - 1; b >= 0; b--) {
        const int64_t length = mask_rows_pick_of(s, r->block, b)->length;
        if (!m->over[b] || b == m->row || length == 1)
            continue;
        const int64_t by = ++r->now[b] < length ? 1 : 1 - length;
        r->offset += by * s->axis[b].at_step;
        r->piece += by * m->piece_step[b];
        r->item += by * s->axis[b].item_step;
        if (by == 1)
            return true;
        r->now[b] = 0;
    }
    return false;
}

// Pieces are far apart, in the mask and in the caller's memory, so a CPU does not guess where the
// next one is.
static void
mask_rows_look_ahead(struct mask_rows *r)
{
    const struct selection *const s = r->s;
    const int b = r->ahead;
    r->later = r->before;
    if (b < 0 || r->now[b] + AHEAD >= mask_rows_pick_of(s, r->block, b)->length)
        return;
    r->later = s->mask->before[r->piece + AHEAD * s->mask->piece_step[b]];
    __builtin_prefetch(r->bytes + AHEAD * s->axis[b].at_step);
}

bool
mask_rows_next(struct mask_rows *r)
{
    const struct mask_index *const m = r->s->mask;
    while (!r->begun || mask_rows_turn(r)) {
        const int64_t *const before = &m->before[r->piece];
        r->begun = true;
        if (before[0] == before[1])
            continue;
        r->before = before[0];
        r->count = before[1] - before[0];
        r->bytes = m->bytes + r->offset;
        mask_rows_look_ahead(r);
        return true;
    }
    return false;
}

// -- chosen items between a block and the caller's memory, row after row of a mask

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
