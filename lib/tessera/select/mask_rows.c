/*
 * mask_rows.c - the rows of a mask's bytes, divided by the blocks that they are in.
 */
#include "select/mask_rows.h"

#include "select/selection.h"

#include <string.h>

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
