/*
 * masked.c - what a mask chooses of a box, as a selection.
 *
 * The mask's bytes are looked at once, in order; that tells of how many blocks something is chosen,
 * and where in the caller's memory it goes. So blocks can be worked on in any order, by any thread.
 */
#include "select/selection.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "grid/read/plain.h"
#include "select/private.h"

#include <string.h>

enum { DENSE = 64 }; // of as many items, one is picked: a block is needed as a whole

static const struct axis_pick *
mask_pick_of(const struct selection *s, const struct part *block, int axis)
{
    return &s->axis[axis].picks[block->first[axis]];
}

// -- parts

static bool
meets_block(const struct selection *s, const struct part *block)
{
    return mask_chosen(s, block) > 0;
}

static bool
meets_chunk(const struct selection *s, const struct part *chunk)
{
    const struct mask_index *const m = s->mask;
    const int ndim = s->grid->g.ndim;
    struct part block = *chunk;
    for (;;) {
        int b = ndim - 1;
        if (meets_block(s, &block))
            return true;
        for (; b >= 0; b--) {
            if (m->over[b] && ++block.first[b] < chunk->stop[b])
                break;
            block.first[b] = chunk->first[b];
        }
        if (b < 0)
            return false;
    }
}

static bool
fills_block(const struct selection *s, const struct part *block)
{
    const struct mask_index *const m = s->mask;
    int64_t nbytes = 1, nitems = 1;
    for (int b = 0; b < s->grid->g.ndim; b++) {
        const int64_t length = s->axis[b].picks[block->first[b]].length;
        nitems *= length;
        nbytes *= m->over[b] ? length : 1;
    }
    return nitems == s->grid->g.block_nitems && mask_chosen(s, block) == nbytes;
}

static bool
mask_find_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    bool found = cells_chunk(s, n, chunk);
    while (found && !meets_chunk(s, chunk))
        found = cells_chunk(s, chunk->n + 1, chunk);
    return found;
}

static bool
mask_find_block(const struct selection *s, const struct part *chunk, int64_t n, struct part *block)
{
    bool found = cells_block(s, chunk, n, block);
    while (found && !meets_block(s, block))
        found = cells_block(s, chunk, block->n + 1, block);
    return found;
}

static struct reach
mask_reach_of(const struct selection *s, const struct part *block)
{
    const struct mask_index *const m = s->mask;
    struct reach reach = {.first = INT64_MAX};
    int64_t lower = 0, upper = 0, runs = 1; // of the items for one byte
    int64_t nitems = 1; // of the block
    struct mask_rows r;

    for (int b = 0; b < s->grid->g.ndim; b++) {
        const int64_t length = mask_pick_of(s, block, b)->length;
        const int64_t by = m->over[b] ? 0 : (length - 1) * s->axis[b].item_step;
        lower += min_i64(by, 0);
        upper += max_i64(by, 0);
        nitems *= s->cell[b];
        runs *= m->over[b] || (b == m->inner_row && s->axis[b].item_step == 1) ? 1 : length;
    }
    reach.npicks = mask_chosen(s, block) * runs;
    if (reach.npicks > nitems / DENSE) {
        reach.first = 0;
        reach.stop = nitems;
        return reach;
    }
    mask_rows_begin(&r, s, block);
    while (mask_rows_next(&r)) {
        const int64_t first = mask_next(r.bytes, 0, r.n);
        int64_t last = r.n - 1;
        while (!r.bytes[last])
            last--;
        const int64_t x = r.item + first * r.item_step, y = r.item + last * r.item_step;
        reach.first = min_i64(reach.first, min_i64(x, y) + lower);
        reach.stop = max_i64(reach.stop, max_i64(x, y) + upper + 1);
    }
    return reach;
}

// -- picks

// The next combination of the axes that the mask does not have; whole runs of them are one pick.
static bool
turn_inner(struct picks *p, bool runs)
{
    const struct selection *const s = p->s;
    const struct mask_index *const m = s->mask;
    for (int b = s->grid->g.ndim - 1; b >= 0; b--) {
        if (m->over[b] || (runs && b == m->inner_row))
            continue;
        if (++p->now[b] < mask_pick_of(s, p->block, b)->length)
            return true;
        p->now[b] = 0;
    }
    return false;
}

static struct pick
inner_pick(const struct picks *p, bool runs)
{
    const struct selection *const s = p->s;
    const struct mask_index *const m = s->mask;
    const struct mask_rows *const r = &p->rows;
    struct pick pick = {
        .item = r->item + p->k * r->item_step,
        .at = (r->before + r->count - p->left) * m->inner,
        .length = runs ? mask_pick_of(s, p->block, m->inner_row)->length : 1,
    };
    for (int b = 0; b < s->grid->g.ndim; b++)
        if (!m->over[b]) {
            pick.item += p->now[b] * s->axis[b].item_step;
            pick.at += (mask_pick_of(s, p->block, b)->at + p->now[b]) * s->axis[b].at_step;
        }
    return pick;
}

static void
mask_begin_picks(struct picks *p)
{
    mask_rows_begin(&p->rows, p->s, p->block);
    memset(p->now, 0, sizeof p->now);
    p->left = 0;
}

static void
mask_next_picks(struct picks *p)
{
    const struct mask_index *const m = p->s->mask;
    const struct mask_rows *const r = &p->rows;
    const bool inner = m->inner_row >= 0;
    const bool runs = inner && p->s->axis[m->inner_row].item_step == 1;

    while (p->n < PICKS_MAX) {
        if (p->left == 0) {
            p->more = mask_rows_next(&p->rows);
            if (!p->more)
                return;
            p->k = 0;
            p->left = r->count;
        }
        p->k = mask_next(r->bytes, p->k, r->n);
        struct pick *const pick = &p->list[p->n++];
        int64_t length = 1;
        if (inner) {
            *pick = inner_pick(p, runs);
            if (turn_inner(p, runs))
                continue;
        } else {
            while (r->item_step == 1 && length < p->left && r->bytes[p->k + length])
                length++;
            *pick = (struct pick){r->item + p->k * r->item_step, r->before + r->count - p->left,
                                  length};
        }
        p->k += length;
        p->left -= length;
    }
}

static void
finish_mask(struct selection *s)
{
    for (int i = 0; i < NDIM_MAX; i++)
        mem_free(s->axis[i].picks);
    if (!s->mask)
        return;
    mem_free(s->mask->before);
    mem_free(s->mask->chosen);
    mem_free(s->mask);
}

static const struct selection_kind masked = {
    .chunk = mask_find_chunk,
    .block = mask_find_block,
    .reach = mask_reach_of,
    .picks_begin = mask_begin_picks,
    .picks_next = mask_next_picks,
    .finish = finish_mask,
    .fills_block = fills_block,
    .gather = mask_gather,
    .scatter = mask_scatter,
};

// -- axes

// Items of the base along an axis, of which every step-th is one of the box.
struct line {
    int axis;
    int64_t first, step; // of the base
    int64_t n;
};

// The pick that starts with index i of the line.
static struct axis_pick
pick_at(const struct selection *s, const struct line *line, int64_t i)
{
    const struct chunk_grid *const grid = s->grid;
    const int64_t index = line->first + i * line->step;
    struct axis_pick p = {.at = i};
    int64_t start, size; // of the block

    if (grid->plain) { // chunks may be of any size
        p.chunk = plain_chunk_at(grid, index * grid->g.typesize);
        start = plain_chunk_start(grid, p.chunk) / grid->g.typesize;
        size = plain_chunk_start(grid, p.chunk + 1) / grid->g.typesize - start;
    } else {
        const int64_t chunkshape = grid->g.chunkshape[line->axis];
        const int64_t cell = s->cell[line->axis];
        p.chunk = index / chunkshape;
        p.block = index % chunkshape / cell;
        start = p.chunk * chunkshape + p.block * cell;
        size = min_i64(cell, (p.chunk + 1) * chunkshape - start);
    }
    p.item = index - start;
    p.length = line->step > 0 ? ceil_div(size - p.item, line->step) : p.item / -line->step + 1;
    p.length = min_i64(p.length, line->n - i);
    return p;
}

static tess_status
add_line(struct selection *s, const struct line *line, int64_t cell_step, tess_error *err)
{
    struct axis *const x = &s->axis[line->axis];
    int64_t n = 0;

    for (int64_t i = 0; i < line->n; n++)
        i += pick_at(s, line, i).length;
    x->picks = mem_alloc((size_t)n * sizeof *x->picks);
    if (!x->picks)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the blocks that a mask meets");
    x->n = n;
    x->item_step = cell_step * line->step;
    for (int64_t i = 0, k = 0; i < line->n; k++) {
        struct axis_pick *const p = &x->picks[line->step > 0 ? k : n - 1 - k];
        *p = pick_at(s, line, i);
        p->item *= cell_step;
        i += p->length;
    }
    return TESS_OK;
}

// The axes of the base, and what the mask's bytes have to do with them.
static tess_status
mask_add_axes(struct selection *s, const struct index_map *map, const int64_t *shape, int ndim,
              const struct box *box, tess_error *err)
{
    struct mask_index *const m = s->mask;
    struct line lines[NDIM_MAX];
    tess_status st = TESS_OK;
    int64_t cell_step = 1, bytes = 1;

    for (int b = 0; b < s->grid->g.ndim; b++) {
        lines[b] = (struct line){b, map->first[b], 1, 1};
        m->over[b] = true;
    }
    for (int i = map->ndim - 1; i >= 0; i--) {
        const int b = map->axis[i];
        if (b < 0)
            continue;
        const int64_t first = i < ndim ? box->start[i] : 0;
        const int64_t n = (i < ndim ? box->stop[i] : shape[i]) - first;
        const int64_t step = map->step[b];
        lines[b] = (struct line){b, lines[b].first + first * step, step, n};
        m->over[b] = i < ndim;
        s->axis[b].at_step = i < ndim ? bytes : m->inner;
        if (i < ndim) {
            m->row = m->row < 0 ? b : m->row;
            bytes *= n;
        } else {
            m->inner_row = m->inner_row < 0 ? b : m->inner_row;
            m->inner *= n;
        }
    }
    m->nbytes = bytes;
    for (int b = s->grid->g.ndim - 1; b >= 0 && st == TESS_OK; b--) {
        st = add_line(s, &lines[b], cell_step, err);
        cell_step *= s->cell[b];
    }
    m->reversed = m->row >= 0 && lines[m->row].step < 0;
    return st;
}

// -- bytes

// A bit for each byte that is not 0, at its lowest place.
static uint64_t
chosen_bytes(const uint8_t *bytes)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (((word & low) + low) | word) >> 7 & UINT64_C(0x0101010101010101);
}

static int64_t
count_chosen(const uint8_t *bytes, int64_t n)
{
    int64_t count = 0, k = 0;
    while (n - k >= 8) {
        const int64_t stop = min_i64(n - 7, k + 8 * 31); // 31 in each byte: the sum fits in one
        uint64_t sum = 0;
        for (; k < stop; k += 8)
            sum += chosen_bytes(bytes + k);
        count += (int64_t)(sum * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; k < n; k++)
        count += bytes[k] != 0;
    return count;
}

// The mask's rows, one after the other: which blocks they are in.
struct scan {
    const struct selection *s;
    int naxes;
    int axis[NDIM_MAX]; // of the base, but for the row, the mask's last first
    int64_t at[NDIM_MAX], pick[NDIM_MAX]; // of these
    int64_t block; // entry of `chosen`, for the first pick of the row
};

static int
by_step(const struct selection *s, int x, int y)
{
    return s->axis[x].at_step < s->axis[y].at_step;
}

static void
scan_begin(struct scan *scan, const struct selection *s)
{
    *scan = (struct scan){.s = s};
    for (int b = 0; b < s->grid->g.ndim; b++) {
        const struct axis *const x = &s->axis[b];
        if (!s->mask->over[b] || b == s->mask->row || (x->n == 1 && x->picks[0].length == 1))
            continue;
        int i = scan->naxes++;
        for (; i > 0 && by_step(s, b, scan->axis[i - 1]); i--)
            scan->axis[i] = scan->axis[i - 1];
        scan->axis[i] = b;
    }
    for (int i = 0; i < scan->naxes; i++) {
        const int b = scan->axis[i];
        scan->pick[i] = s->axis[b].picks[0].at == 0 ? 0 : s->axis[b].n - 1;
        scan->block += scan->pick[i] * s->mask->block_step[b];
    }
}

static void
scan_next(struct scan *scan)
{
    const struct mask_index *const m = scan->s->mask;
    for (int i = 0; i < scan->naxes; i++) {
        const int b = scan->axis[i];
        const struct axis *const x = &scan->s->axis[b];
        const struct axis_pick *const p = &x->picks[scan->pick[i]];
        const int64_t step = x->item_step > 0 ? 1 : -1;
        if (++scan->at[i] < p->at + p->length)
            return;
        const int64_t next = scan->pick[i] + step;
        const bool more = next >= 0 && next < x->n;
        const int64_t to = more ? next : step > 0 ? 0 : x->n - 1;
        scan->block += (to - scan->pick[i]) * m->block_step[b];
        scan->pick[i] = to;
        if (more)
            return;
        scan->at[i] = 0;
    }
}

static void
look_at_bytes(struct selection *s)
{
    static const struct axis_pick one = {.length = 1};
    struct mask_index *const m = s->mask;
    const struct axis *const x = m->row < 0 ? NULL : &s->axis[m->row];
    const int64_t npieces = x ? x->n : 1;
    const int64_t step = m->row < 0 ? 0 : m->block_step[m->row];
    int64_t *before = m->before;
    struct scan scan;

    scan_begin(&scan, s);
    for (const uint8_t *bytes = m->bytes; bytes < m->bytes + m->nbytes; scan_next(&scan))
        for (int64_t i = 0; i < npieces; i++) {
            const int64_t at = m->reversed ? npieces - 1 - i : i;
            const struct axis_pick *const p = x ? &x->picks[at] : &one;
            const int64_t count = count_chosen(bytes, p->length);
            *before++ = m->count;
            m->count += count;
            m->chosen[scan.block + at * step] += count;
            bytes += p->length;
        }
    *before = m->count;
}

static tess_status
mask_look(struct selection *s, tess_error *err)
{
    struct mask_index *const m = s->mask;
    const struct axis *const row = m->row < 0 ? NULL : &s->axis[m->row];
    int64_t length = 0, nblocks = 1;
    size_t size;

    for (int64_t i = 0; row && i < row->n; i++)
        length += row->picks[i].length;
    const int64_t nrows = row ? m->nbytes / length : 1;
    for (int b = 0; b < s->grid->g.ndim; b++) {
        if (!m->over[b]) {
            s->nblocks *= s->axis[b].n;
            continue;
        }
        m->block_step[b] = nblocks;
        nblocks *= s->axis[b].n;
        m->piece_step[b] = row && b != m->row ? s->axis[b].at_step / length * row->n : 0;
    }
    if (to_size(nrows * (row ? row->n : 1) + 1, &size)) {
        m->before = mem_zeroed(size, sizeof *m->before);
        m->chosen = mem_zeroed((size_t)nblocks, sizeof *m->chosen);
    }
    if (!m->before || !m->chosen)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the blocks that a mask meets");
    look_at_bytes(s);
    int64_t met = 0;
    for (int64_t i = 0; i < nblocks; i++)
        met += m->chosen[i] > 0;
    s->nblocks *= met;
    return TESS_OK;
}

tess_status
selection_of_mask(struct selection *s, const struct chunk_grid *grid, const struct index_map *map,
                  const int64_t *shape, int ndim, const struct box *box, const uint8_t *bytes,
                  tess_error *err)
{
    selection_begin(s, &masked, grid);
    s->nblocks = 1;
    s->mask = mem_zeroed(1, sizeof *s->mask);
    if (!s->mask) {
        selection_finish(s);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a mask");
    }
    s->mask->bytes = bytes;
    s->mask->row = s->mask->inner_row = -1;
    s->mask->inner = 1;
    tess_status st = mask_add_axes(s, map, shape, ndim, box, err);
    if (st == TESS_OK)
        st = mask_look(s, err);
    if (st != TESS_OK)
        selection_finish(s);
    return st;
}
