/*
 * selection.c - what all kinds of selections have in common.
 */
#include "select/selection.h"

#include "grid/read/plain.h"

void
selection_begin(struct selection *s, const struct selection_kind *kind,
                const struct chunk_grid *grid)
{
    const struct geometry *const g = &grid->g;
    const bool whole = grid->plain || grid->linear;
    *s = (struct selection){.kind = kind, .grid = grid, .ncopies = 1};
    for (int i = 0; i < g->ndim; i++) {
        s->cell[i] = whole ? g->chunkshape[i] : g->blockshape[i];
        s->cells[i] = whole ? 1 : g->bgrid[i];
    }
}

void
selection_finish(struct selection *s)
{
    if (s->kind)
        s->kind->finish(s);
    *s = (struct selection){0};
}

struct place
selection_locate(const struct selection *s, int axis, int64_t index)
{
    const struct chunk_grid *const grid = s->grid;
    if (grid->plain) { // chunks may be of any size
        const int64_t chunk = plain_chunk_at(grid, index * grid->g.typesize);
        return (struct place){chunk, 0, index - plain_chunk_start(grid, chunk) / grid->g.typesize};
    }
    const int64_t chunk = index / grid->g.chunkshape[axis];
    const int64_t rest = index - chunk * grid->g.chunkshape[axis];
    const int64_t block = rest / s->cell[axis];
    return (struct place){chunk, block, rest - block * s->cell[axis]};
}

int64_t
selection_copy(const struct selection *s, int64_t n)
{
    int64_t at = 0;
    for (int i = 0; i < s->nnew; i++) {
        at += n % s->copies[i] * s->copy_step[i];
        n /= s->copies[i];
    }
    return at;
}

bool
selection_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    return s->kind->chunk(s, n, chunk);
}

bool
selection_block(const struct selection *s, const struct part *chunk, int64_t n, struct part *block)
{
    return s->kind->block(s, chunk, n, block);
}

struct reach
selection_reach(const struct selection *s, const struct part *block)
{
    return s->kind->reach(s, block);
}

bool
selection_fills_block(const struct selection *s, const struct part *block)
{
    return s->kind->fills_block && s->kind->fills_block(s, block);
}

void
picks_begin(struct picks *p, const struct selection *s, const struct part *block)
{
    p->s = s;
    p->block = block;
    p->more = true;
    s->kind->picks_begin(p);
}

bool
picks_next(struct picks *p)
{
    p->n = 0;
    if (p->more)
        p->s->kind->picks_next(p);
    return p->n > 0;
}
