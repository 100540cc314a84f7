/*
 * points.c - single items at any coordinates, as a selection.
 *
 * Points are sorted by chunk and block, so those of a part stand together.
 */
#include "select/selection.h"

#include "base/checked.h"
#include "select/private.h"

static struct reach
points_reach_of(const struct selection *s, const struct part *block)
{
    const struct sorted *const first = (const struct sorted *)s->own + block->first[0];
    const int64_t n = block->stop[0] - block->first[0];
    struct reach r = {.first = first->item, .stop = first->item, .npicks = n};
    for (int64_t i = 0; i < n; i++) {
        r.first = min_i64(r.first, first[i].item);
        r.stop = max_i64(r.stop, first[i].item);
    }
    r.stop++;
    return r;
}

static void
points_begin_picks(struct picks *p)
{
    p->now[0] = p->block->first[0];
}

static void
points_next_picks(struct picks *p)
{
    const struct sorted *const points = p->s->own;
    while (p->n < PICKS_MAX && p->now[0] < p->block->stop[0]) {
        const struct sorted *const from = &points[p->now[0]++];
        p->list[p->n++] = (struct pick){from->item, from->at, 1};
    }
    p->more = p->now[0] < p->block->stop[0];
}

static const struct selection_kind kind = {
    .chunk = sorted_chunk,
    .block = sorted_block,
    .reach = points_reach_of,
    .picks_begin = points_begin_picks,
    .picks_next = points_next_picks,
    .finish = sorted_finish,
};

static struct sorted
point_at(const struct selection *s, const struct index_map *map, const int64_t *coords, int64_t at)
{
    const int64_t *const index = coords + at * map->ndim;
    struct sorted p = {.at = at};
    for (int i = 0; i < s->grid->g.ndim; i++) {
        const struct place place = selection_locate(s, i, index_map_index(map, i, index));
        p.chunk = p.chunk * s->grid->g.grid[i] + place.chunk;
        p.block = (int32_t)(p.block * s->cells[i] + place.block);
        p.item = (int32_t)(p.item * s->cell[i] + place.item);
    }
    return p;
}

tess_status
selection_of_points(struct selection *s, const struct chunk_grid *grid, const struct index_map *map,
                    int64_t npoints, const int64_t *coords, tess_error *err)
{
    selection_begin(s, &kind, grid);
    tess_status st = sorted_allocate(s, npoints, "points", err);
    if (st == TESS_OK) {
        struct sorted *const points = s->own;
        for (int64_t i = 0; i < npoints; i++)
            points[i] = point_at(s, map, coords, i);
        s->nown = npoints;
        st = sorted_sort(s, grid->plain || grid->linear, err); // those are read in order
    }
    if (st != TESS_OK)
        selection_finish(s);
    return st;
}
