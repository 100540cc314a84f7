/*
 * index_map.c - the indices of a view, and of a box that leaves an axis, as indices of the array
 * behind them.
 */
#include "geom/index_map.h"

#include "base/checked.h"

// -- views

static void
find_view_axes(struct index_map *map)
{
    for (int b = 0; b < map->base_ndim; b++)
        map->view_axis[b] = -1;
    for (int i = 0; i < map->ndim; i++)
        if (map->axis[i] >= 0)
            map->view_axis[map->axis[i]] = i;
    for (int b = 0; b < map->base_ndim; b++)
        if (map->view_axis[b] < 0)
            map->step[b] = 1;
}

void
index_map_identity(struct index_map *map, int ndim)
{
    *map = (struct index_map){.ndim = ndim, .base_ndim = ndim};
    for (int i = 0; i < ndim; i++) {
        map->axis[i] = i;
        map->step[i] = 1;
    }
    find_view_axes(map);
}

void
index_map_slice(struct index_map *map, const int64_t *first, const int64_t *count,
                const int64_t *step)
{
    for (int i = 0; i < map->ndim; i++) {
        const int b = map->axis[i];
        if (b < 0)
            continue;
        if (count[i] > 0) // else first may be any number
            map->first[b] += first[i] * map->step[b];
        map->step[b] = count[i] > 1 ? map->step[b] * step[i] : 1; // that of one item means nothing
    }
}

void
index_map_axes(struct index_map *map, int ndim, const int *axes)
{
    const struct index_map from = *map;
    map->ndim = ndim;
    for (int i = 0; i < ndim; i++)
        map->axis[i] = axes[i] < 0 ? -1 : from.axis[axes[i]];
    find_view_axes(map);
}

void
index_map_box(const struct index_map *map, const struct box *box, const int64_t *stride,
              struct index_box *base)
{
    base->box = (struct box){base->start, base->stop, base->step};
    base->offset = 0;
    for (int b = 0; b < map->base_ndim; b++) {
        const int i = map->view_axis[b];
        if (i < 0) {
            base->start[b] = map->first[b];
            base->stop[b] = map->first[b] + 1;
            base->step[b] = 1;
            base->stride[b] = 0;
            continue;
        }
        const int64_t by = box->step ? box->step[i] : 1;
        const int64_t first = map->first[b] + box->start[i] * map->step[b];
        const int64_t last = map->first[b] + (box->stop[i] - 1) * map->step[b];
        base->start[b] = min_i64(first, last);
        base->stop[b] = max_i64(first, last) + 1;
        base->step[b] = first == last ? 1 : by * max_i64(map->step[b], -map->step[b]);
        base->stride[b] = stride[i];
        if (map->step[b] < 0) { // the memory runs the other way
            base->offset += (box->stop[i] - 1 - box->start[i]) / by * stride[i];
            base->stride[b] = -stride[i];
        }
    }
}

// -- boxes that leave an axis

// The item that an index of the box shows. Mirrored at 0 and at length - 1, the axis repeats after
// 2 * (length - 1) items, and is the same in both directions.
static int64_t
edge_item(tess_edge mode, int64_t index, int64_t length)
{
    if (mode != TESS_EDGE_MIRROR)
        return max_i64(0, min_i64(index, length - 1));
    if (length == 1)
        return 0;
    const uint64_t period = 2 * (uint64_t)(length - 1);
    const uint64_t at = (index < 0 ? 0 - (uint64_t)index : (uint64_t)index) % period;
    return (int64_t)(at < (uint64_t)length ? at : period - at);
}

// Between two items at which the axis is mirrored, the box runs one way; the longest such run has
// all items that the others have.
static struct edge_run
read_mirrored(int64_t start, int64_t count, int64_t length)
{
    const int64_t way = length - 1;
    if (way == 0)
        return (struct edge_run){.n = 1};
    const int64_t past = start % way < 0 ? start % way + way : start % way;
    const int64_t turn = past == 0 ? 0 : way - past; // of the box, where it first turns
    struct edge_run run = {.n = min_i64(turn, count - 1) + 1};
    if (turn < count && min_i64(way, count - 1 - turn) + 1 > run.n)
        run = (struct edge_run){.at = turn, .n = min_i64(way, count - 1 - turn) + 1};
    const int64_t first = edge_item(TESS_EDGE_MIRROR, start + run.at, length);
    const int64_t last = edge_item(TESS_EDGE_MIRROR, start + run.at + run.n - 1, length);
    run.first = min_i64(first, last);
    run.turned = first > last;
    return run;
}

struct edge_run
edge_read(tess_edge mode, int64_t start, int64_t count, int64_t length)
{
    const int64_t lo = max_i64(start, 0), hi = min_i64(start + count, length);
    if (mode == TESS_EDGE_MIRROR)
        return read_mirrored(start, count, length);
    if (lo < hi)
        return (struct edge_run){.at = lo - start, .n = hi - lo, .first = lo};
    if (mode != TESS_EDGE_NEAREST)
        return (struct edge_run){0};
    return start < 0 ? (struct edge_run){.at = count - 1, .n = 1}
                     : (struct edge_run){.n = 1, .first = length - 1};
}

bool
edge_copies(tess_edge mode, int64_t start, int64_t count, int64_t length,
            const struct edge_run *run, int64_t to, struct edge_copy *copy)
{
    if (to >= run->at && to < run->at + run->n)
        to = run->at + run->n;
    if (to >= count)
        return false;
    const int64_t stop = to < run->at ? run->at : count;
    const int64_t item = edge_item(mode, start + to, length);
    const int64_t end = run->first + run->n - 1;
    *copy = (struct edge_copy){.to = to, .n = 1};
    copy->from = run->at + (run->turned ? end - item : item - run->first);
    int64_t before = item;
    for (; to + copy->n < stop; copy->n++) {
        const int64_t next = edge_item(mode, start + to + copy->n, length);
        const int64_t step = run->turned ? before - next : next - before;
        if (copy->n == 1)
            copy->step = step;
        else if (step != copy->step)
            break;
        before = next;
    }
    return true;
}
