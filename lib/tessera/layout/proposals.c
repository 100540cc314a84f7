/*
 * proposals.c - the grids that are worth measuring.
 */
#include "layout/proposals.h"

#include "geom/access.h"
#include "geom/model.h"

#include <string.h>

#define STEPS_MOST 256 // of one climb; each makes the mix cheaper
#define BLOCK_OF_L2 8 // a block that is started with takes this part of the cache
#define CHUNK_BLOCKS 32

// Keep it among the cheapest, once.
static void
keep_proposal(struct proposals *p, int ndim, const struct proposal *one)
{
    int at = p->count;

    for (int i = 0; i < p->count; i++)
        if (grids_equal(ndim, &p->items[i].grid, &one->grid))
            return;
    while (at > 0 && p->items[at - 1].predicted > one->predicted)
        at--;
    if (at == PROPOSALS_MAX)
        return;
    if (p->count < PROPOSALS_MAX)
        p->count++;
    memmove(&p->items[at + 1], &p->items[at], (size_t)(p->count - 1 - at) * sizeof p->items[0]);
    p->items[at] = *one;
}

static void
climb(struct proposals *p, const struct model *model, const struct mix *mix,
      const struct grid_space *space, const struct grid *start)
{
    struct proposal here = {.grid = *start};

    if (!grids_is_valid(space, start))
        return;
    here.predicted = mix_predict(mix, model, space, &here.grid);
    keep_proposal(p, space->ndim, &here);
    for (int steps = 0; steps < STEPS_MOST; steps++) {
        struct proposal best = here, next;
        struct grid_step step = {0};

        while (grids_next(space, &here.grid, &step, &next.grid)) {
            if (!grids_is_valid(space, &next.grid))
                continue;
            next.predicted = mix_predict(mix, model, space, &next.grid);
            keep_proposal(p, space->ndim, &next);
            if (next.predicted < best.predicted)
                best = next;
        }
        if (best.predicted >= here.predicted)
            return;
        here = best;
    }
}

// A cell of the form of a box, of at most so many items, inside `most`.
static void
cell_like(int ndim, const int64_t *form, const int64_t *most, int64_t items, int64_t *cell)
{
    int64_t count = 1;

    for (int i = 0; i < ndim; i++)
        cell[i] = 1;
    while (count <= items / 2) {
        int shortest = -1;

        for (int i = 0; i < ndim; i++)
            if (cell[i] < most[i] &&
                (shortest < 0 || (double)cell[i] / (double)form[i] <
                                     (double)cell[shortest] / (double)form[shortest]))
                shortest = i;
        if (shortest < 0)
            return;
        const int64_t before = cell[shortest];
        cell[shortest] = 2 * before < most[shortest] ? 2 * before : most[shortest];
        count = grids_items(ndim, cell);
        if (count > items) {
            cell[shortest] = before;
            return;
        }
    }
}

static void
start_like(const struct model *model, const struct access *a, const struct grid_space *space,
           struct grid *g)
{
    const int64_t block = model->l2 / BLOCK_OF_L2 / space->typesize;
    int64_t form[TESS_MAX_NDIM];

    access_extent(a, space->ndim, space->shape, form);
    if (!space->fixed_chunks)
        cell_like(space->ndim, form, space->shape, CHUNK_BLOCKS * block, g->chunk);
    if (!space->fixed_blocks)
        cell_like(space->ndim, form, g->chunk, block, g->block);
}

void
proposals_make(struct proposals *p, const struct model *model, const struct mix *mix,
               const struct grid_space *space, const struct grid *starts, int nstarts)
{
    p->count = 0;
    for (int i = 0; i < nstarts; i++)
        climb(p, model, mix, space, &starts[i]);
    for (int i = 0; i < mix->count; i++) {
        struct grid g = starts[0]; // for what is fixed

        start_like(model, &mix->accesses[i], space, &g);
        climb(p, model, mix, space, &g);
    }
}
