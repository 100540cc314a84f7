/*
 * boxes.c - many boxes of a grid, as a selection.
 *
 * A list says which box meets which block, sorted by block; what of the box is in the
 * block is computed again when it is needed, as this costs less than memory for it. Items go
 * between a block and a box row by row, by the same functions that serve a single box. Picks, which
 * are rows or items, remain for chunks that have no such blocks.
 */
#include "select/selection.h"

#include "base/checked.h"
#include "base/error.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/place.h"
#include "grid/read/plain.h"
#include "ndcopy/ndcopy.h"
#include "select/private.h"

#include <string.h>

// A block that is copied into boxes as often as this, in all, is better unshuffled once.
enum { COPIES_SHUFFLED_MAX = 2 };

// -- blocks and what boxes have of them

// A block in the array: the items from `origin` on; fewer than a cell where the chunk ends.
struct block_cell {
    int64_t origin[NDIM_MAX], extent[NDIM_MAX];
};

static void
locate_cell(const struct selection *s, int64_t chunk, int64_t block, struct block_cell *c)
{
    const struct geometry *const g = &s->grid->g;
    if (s->grid->plain) {
        c->origin[0] = plain_chunk_start(s->grid, chunk) / g->typesize;
        c->extent[0] = plain_chunk_start(s->grid, chunk + 1) / g->typesize - c->origin[0];
        return;
    }
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t inside = block % s->cells[i] * s->cell[i];
        c->origin[i] = chunk % g->grid[i] * g->chunkshape[i] + inside;
        c->extent[i] = min_i64(s->cell[i], g->chunkshape[i] - inside);
        block /= s->cells[i];
        chunk /= g->grid[i];
    }
}

// What a box has of a block.
struct box_part {
    struct walk w; // as if it stood on the block: ndim, lo, hi, count, step, at, last
    int64_t stride[NDIM_MAX]; // items of the caller from one item to the next, with the sign
    int64_t at; // of the caller's items, where the first one is
};

// False: nothing, as the box has steps.
static bool
cut_box(const struct selection *s, int64_t box, const struct block_cell *c, struct box_part *p)
{
    const struct box_list *const list = s->boxes;
    const int ndim = s->grid->g.ndim;
    const int64_t *const start = list->start + box * ndim, *const count = list->count + box * ndim;
    struct walk *const w = &p->w;

    w->ndim = ndim;
    p->at = list->at[box];
    for (int i = 0; i < ndim; i++) {
        const int64_t step = list->step[i], before = c->origin[i] - start[i];
        const int64_t from = before <= 0 ? 0 : step == 1 ? before : ceil_div(before, step);
        const int64_t lo = start[i] + from * step - c->origin[i];
        if (lo >= c->extent[i] || from >= count[i])
            return false;
        const int64_t room = c->extent[i] - lo; // items of the block, the first of them among them
        w->count[i] = min_i64(count[i] - from, step == 1 ? room : ceil_div(room, step));
        w->lo[i] = lo;
        w->hi[i] = lo + (w->count[i] - 1) * step + 1;
        w->step[i] = step;
        w->at[i] = w->last[i] = 0;
        p->stride[i] = list->turned[box] >> i & 1 ? -list->stride[i] : list->stride[i];
        p->at += from * p->stride[i];
    }
    return true;
}

// The parts of a block, one after the other.
struct box_parts {
    const struct selection *s;
    const struct sorted *next, *stop;
    struct block_cell cell;
    struct box_part now;
};

static void
box_parts_begin(struct box_parts *p, const struct selection *s, const struct part *block)
{
    const struct sorted *const list = s->own;
    p->s = s;
    p->next = list + block->first[0];
    p->stop = list + block->stop[0];
    locate_cell(s, p->next->chunk, p->next->block, &p->cell);
}

static bool
box_parts_next(struct box_parts *p)
{
    if (p->next == p->stop)
        return false;
    return cut_box(p->s, p->next++->at, &p->cell, &p->now); // true: or it would not be listed
}

// -- the kind

static void
stride_in_bytes(const struct selection *s, const struct box_part *p, int64_t *stride)
{
    for (int i = 0; i < p->w.ndim; i++)
        stride[i] = p->stride[i] * s->grid->g.typesize;
}

static int64_t
count_rows(const struct walk *w)
{
    int64_t n = 1;
    for (int i = 0; i < w->ndim - 1; i++)
        n *= w->count[i];
    return n;
}

static struct reach
boxes_reach_of(const struct selection *s, const struct part *block)
{
    struct reach r = {.first = INT64_MAX};
    struct box_parts p;
    box_parts_begin(&p, s, block);
    while (box_parts_next(&p)) {
        int64_t first = 0, last = 0;
        for (int i = 0; i < p.now.w.ndim; i++) {
            first = first * s->cell[i] + p.now.w.lo[i];
            last = last * s->cell[i] + p.now.w.hi[i] - 1;
        }
        r.first = min_i64(r.first, first);
        r.stop = max_i64(r.stop, last + 1);
        r.npicks += count_rows(&p.now.w);
    }
    return r;
}

static bool
boxes_fill_block(const struct selection *s, const struct part *block)
{
    struct box_parts p;
    box_parts_begin(&p, s, block);
    while (box_parts_next(&p)) {
        bool all = true;
        for (int i = 0; i < p.now.w.ndim; i++)
            all &= p.now.w.count[i] == s->cell[i];
        if (all)
            return true;
    }
    return false;
}

// Planes serve those best who want each item once or twice, in rows.
static struct block_need
boxes_need(const struct selection *s, const struct part *block, bool *whole)
{
    const struct geometry *const g = &s->grid->g;
    struct block_need need = {.itemsize = g->typesize, .first = INT32_MAX, .planes = true};
    int64_t stride[NDIM_MAX], nitems = 0;
    struct box_parts p;
    box_parts_begin(&p, s, block);
    while (box_parts_next(&p)) {
        stride_in_bytes(s, &p.now, stride);
        const struct block_need one = place_need(g, &p.now.w, stride);
        need.first = (int32_t)min_i64(need.first, one.first);
        need.stop = (int32_t)max_i64(need.stop, one.stop);
        need.planes &= one.planes;
        nitems += count_rows(&p.now.w) * (g->ndim > 0 ? p.now.w.count[g->ndim - 1] : 1);
    }
    need.planes &= nitems <= COPIES_SHUFFLED_MAX * g->block_nitems;
    *whole = boxes_fill_block(s, block);
    return need;
}

static bool
boxes_gather(const struct selection *s, const struct part *part, const struct decoded *block,
             uint8_t *dst)
{
    const struct geometry *const g = &s->grid->g;
    int64_t stride[NDIM_MAX];
    struct box_parts p;
    box_parts_begin(&p, s, part);
    while (box_parts_next(&p)) {
        stride_in_bytes(s, &p.now, stride);
        place_block(g, block, &p.now.w, dst + p.now.at * g->typesize, stride);
    }
    return true;
}

static void
boxes_scatter(const struct selection *s, const struct part *block, uint8_t *items,
              const uint8_t *src, bool same)
{
    const struct geometry *const g = &s->grid->g;
    int64_t stride[NDIM_MAX], item_stride[NDIM_MAX];
    struct box_parts p;
    (void)same; // only masks have that
    box_parts_begin(&p, s, block);
    while (box_parts_next(&p)) {
        int64_t to = 0;
        shape_strides(g->ndim, s->cell, g->typesize, item_stride);
        for (int i = 0; i < g->ndim; i++) {
            to += p.now.w.lo[i] * item_stride[i];
            item_stride[i] *= p.now.w.step[i];
        }
        stride_in_bytes(s, &p.now, stride);
        ndcopy(g->ndim, p.now.w.count, g->typesize, items + to, item_stride,
               src + p.now.at * g->typesize, stride);
    }
}

// -- picks

// p->k: the box, of those in the block. p->now: the next item, of its part; p->left: 0 at first.
static void
boxes_begin_picks(struct picks *p)
{
    memset(p->now, 0, sizeof p->now);
    p->k = p->block->first[0];
}

// Rows where they are rows of memory, too; else items.
static void
boxes_next_picks(struct picks *p)
{
    const struct selection *const s = p->s;
    const struct sorted *const e = (const struct sorted *)s->own + p->k;
    const int inner = s->grid->g.ndim - 1;
    struct block_cell cell;
    struct box_part part;
    bool more = true; // in this box

    locate_cell(s, e->chunk, e->block, &cell);
    cut_box(s, e->at, &cell, &part);
    const struct walk *const w = &part.w;
    const bool rows = inner >= 0 && w->step[inner] == 1 && part.stride[inner] == 1;
    while (more && p->n < PICKS_MAX) {
        struct pick *const pick = &p->list[p->n++];
        *pick = (struct pick){.at = part.at, .length = rows ? w->count[inner] : 1};
        for (int i = 0; i <= inner; i++) {
            pick->item = pick->item * s->cell[i] + w->lo[i] + p->now[i] * w->step[i];
            pick->at += p->now[i] * part.stride[i];
        }
        int axis = rows ? inner - 1 : inner;
        while (axis >= 0 && ++p->now[axis] == w->count[axis])
            p->now[axis--] = 0;
        more = axis >= 0;
    }
    if (!more)
        p->k++;
    p->more = p->k < p->block->stop[0];
}

static const struct selection_kind boxes_kind = {
    .chunk = sorted_chunk,
    .block = sorted_block,
    .reach = boxes_reach_of,
    .picks_begin = boxes_begin_picks,
    .picks_next = boxes_next_picks,
    .finish = sorted_finish,
    .fills_block = boxes_fill_block,
    .need = boxes_need,
    .gather = boxes_gather,
    .scatter = boxes_scatter,
};

// -- which box meets which block

// How many blocks a box meets at most, and, without steps, exactly.
static bool
count_met(const struct selection *s, int64_t box, int64_t *n)
{
    const struct geometry *const g = &s->grid->g;
    const int64_t *const start = s->boxes->start + box * g->ndim;
    const int64_t *const count = s->boxes->count + box * g->ndim;
    *n = s->boxes->at[box] >= 0;
    for (int i = 0; *n > 0 && i < g->ndim; i++) {
        const int64_t stop = start[i] + (count[i] - 1) * s->boxes->step[i];
        const struct place first = selection_locate(s, i, start[i]);
        const struct place last = selection_locate(s, i, stop);
        const int64_t met = (last.chunk - first.chunk) * s->cells[i] + last.block - first.block + 1;
        if (!mul_i64(*n, min_i64(met, count[i]), n))
            return false;
    }
    return true;
}

static void
list_block(struct selection *s, int64_t chunk, int64_t block, int64_t box)
{
    ((struct sorted *)s->own)[s->nown++] = (struct sorted){chunk, (int32_t)block, 0, box};
}

static void
list_plain(struct selection *s, int64_t box)
{
    const int64_t start = s->boxes->start[box], count = s->boxes->count[box];
    const int64_t last = start + (count - 1) * s->boxes->step[0];
    struct block_cell cell;
    struct box_part part;
    const int64_t end = selection_locate(s, 0, last).chunk;
    for (int64_t n = selection_locate(s, 0, start).chunk; n <= end; n++) {
        locate_cell(s, n, 0, &cell);
        if (cut_box(s, box, &cell, &part))
            list_block(s, n, 0, box);
    }
}

static void
list_blocks(struct selection *s, int64_t box)
{
    const struct geometry *const g = &s->grid->g;
    const struct box_list *const list = s->boxes;
    const int64_t *const start = list->start + box * g->ndim;
    int64_t stop[NDIM_MAX];
    struct walk chunks, blocks;

    for (int i = 0; i < g->ndim; i++)
        stop[i] = start[i] + (list->count[box * g->ndim + i] - 1) * list->step[i] + 1;
    for (bool more = walk_chunks(&chunks, g, &(struct box){start, stop, list->step}); more;
         more = walk_next(&chunks))
        for (bool next = walk_begin(&blocks, g->ndim, s->cell, s->cells,
                                    &(struct box){chunks.lo, chunks.hi, chunks.step});
             next; next = walk_next(&blocks))
            list_block(s, chunks.index, blocks.index, box);
}

static tess_status
list_all(struct selection *s, tess_error *err)
{
    const struct box_list *const boxes = s->boxes;
    int64_t n = 0, more;
    for (int64_t i = 0; i < boxes->n; i++)
        if (!count_met(s, i, &more) || !add_i64(n, more, &n))
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for 2^63 blocks or more");
    const tess_status st = sorted_allocate(s, n, "blocks that boxes meet", err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = 0; i < s->boxes->n; i++)
        if (boxes->at[i] >= 0)
            (s->grid->plain ? list_plain : list_blocks)(s, i);
    return sorted_sort(s, false, err);
}

tess_status
selection_of_boxes(struct selection *s, const struct chunk_grid *grid, const struct box_list *boxes,
                   tess_error *err)
{
    selection_begin(s, &boxes_kind, grid);
    s->boxes = boxes;
    const tess_status st = list_all(s, err);
    if (st != TESS_OK)
        selection_finish(s);
    return st;
}
