/*
 * points.c - single items at any coordinates, as a selection.
 *
 * Points are sorted by chunk and block, so those of a part stand together.
 */
#include "select/points.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

// Sorted by chunk and block, and item where there are no blocks.
struct point {
    int64_t chunk;
    int32_t block;
    int32_t item; // of the block
    int64_t at;
};

// -- parts

// The first of [first, stop) that is in block `block` of the chunk, or behind it.
static int64_t
lower_point(const struct point *points, int64_t first, int64_t stop, int64_t chunk, int64_t block)
{
    while (first < stop) {
        const int64_t middle = first + (stop - first) / 2;
        const struct point *const p = &points[middle];
        if (p->chunk < chunk || (p->chunk == chunk && p->block < block))
            first = middle + 1;
        else
            stop = middle;
    }
    return first;
}

static bool
points_find_chunk(const struct selection *s, int64_t n, struct part *chunk)
{
    const struct point *const points = s->own;
    const int64_t first = lower_point(points, 0, s->nown, n, 0);
    if (first == s->nown)
        return false;
    chunk->n = points[first].chunk;
    chunk->first[0] = first;
    chunk->stop[0] = lower_point(points, first, s->nown, chunk->n + 1, 0);
    return true;
}

static bool
points_find_block(const struct selection *s, const struct part *chunk, int64_t n,
                  struct part *block)
{
    const struct point *const points = s->own;
    const int64_t stop = chunk->stop[0];
    const int64_t first = lower_point(points, chunk->first[0], stop, chunk->n, n);
    if (first == stop)
        return false;
    block->n = points[first].block;
    block->first[0] = first;
    block->stop[0] = lower_point(points, first, stop, chunk->n, block->n + 1);
    return true;
}

static struct reach
points_reach_of(const struct selection *s, const struct part *block)
{
    const struct point *const first = (const struct point *)s->own + block->first[0];
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
    const struct point *const points = p->s->own;
    while (p->n < PICKS_MAX && p->now[0] < p->block->stop[0]) {
        const struct point *const from = &points[p->now[0]++];
        p->list[p->n++] = (struct pick){from->item, from->at, 1};
    }
    p->more = p->now[0] < p->block->stop[0];
}

static void
points_finish(struct selection *s)
{
    free(s->own);
}

static const struct selection_kind kind = {
    .chunk = points_find_chunk,
    .block = points_find_block,
    .reach = points_reach_of,
    .picks_begin = points_begin_picks,
    .picks_next = points_next_picks,
    .finish = points_finish,
};

// -- from coordinates

static struct point
point_at(const struct selection *s, const struct index_map *map, const int64_t *coords, int64_t at)
{
    const int64_t *const index = coords + at * map->ndim;
    struct point p = {.at = at};
    for (int i = 0; i < s->grid->g.ndim; i++) {
        const struct place place = selection_locate(s, i, index_map_index(map, i, index));
        p.chunk = p.chunk * s->grid->g.grid[i] + place.chunk;
        p.block = (int32_t)(p.block * s->cells[i] + place.block);
        p.item = (int32_t)(p.item * s->cell[i] + place.item);
    }
    return p;
}

enum key { KEY_ITEM, KEY_BLOCK, KEY_CHUNK };

static int64_t
points_key_of(const struct point *p, enum key key)
{
    return key == KEY_CHUNK ? p->chunk : key == KEY_BLOCK ? p->block : p->item;
}

// Sort by one byte of a key. Points that are equal in it keep their order.
static void
sort_by_byte(const struct point *from, struct point *to, int64_t n, enum key key, int shift)
{
    int64_t start[256] = {0}, sum = 0;

    for (int64_t i = 0; i < n; i++)
        start[points_key_of(&from[i], key) >> shift & 0xff]++;
    for (int i = 0; i < 256; i++) {
        const int64_t count = start[i];
        start[i] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[start[points_key_of(&from[i], key) >> shift & 0xff]++] = from[i];
}

// Sort by one key, byte after byte from the lowest. *points and *spare may change places.
static void
sort_by(struct point **points, struct point **spare, int64_t n, enum key key)
{
    int64_t bits = 0; // that are set in any
    for (int64_t i = 0; i < n; i++)
        bits |= points_key_of(&(*points)[i], key);
    for (int shift = 0; bits >> shift > 0; shift += 8) {
        sort_by_byte(*points, *spare, n, key, shift);
        struct point *const sorted = *spare;
        *spare = *points;
        *points = sorted;
        if (shift == 56)
            return;
    }
}

static bool
before(const struct point *p, const struct point *q)
{
    return p->chunk < q->chunk || (p->chunk == q->chunk && p->block < q->block);
}

static int64_t
count_blocks(const struct point *points, int64_t n)
{
    int64_t count = 1;
    for (int64_t i = 1; i < n; i++)
        count += before(&points[i - 1], &points[i]);
    return count;
}

tess_status
selection_of_points(struct selection *s, const struct chunk_grid *grid, const struct index_map *map,
                    int64_t npoints, const int64_t *coords, tess_error *err)
{
    const bool by_item = grid->plain || grid->linear; // read in order
    struct point *points = NULL, *spare = NULL;
    size_t size;

    selection_begin(s, &kind, grid);
    if (to_size(npoints, &size) && size <= SIZE_MAX / 2 / sizeof *points) {
        points = malloc(size * sizeof *points);
        spare = malloc(size * sizeof *spare);
    }
    if (!points || !spare) {
        free(points);
        free(spare);
        *s = (struct selection){0};
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " points", npoints);
    }
    for (int64_t i = 0; i < npoints; i++)
        points[i] = point_at(s, map, coords, i);
    if (by_item)
        sort_by(&points, &spare, npoints, KEY_ITEM);
    sort_by(&points, &spare, npoints, KEY_BLOCK);
    sort_by(&points, &spare, npoints, KEY_CHUNK);
    free(spare);
    s->own = points;
    s->nown = npoints;
    s->nblocks = count_blocks(points, npoints);
    return TESS_OK;
}
