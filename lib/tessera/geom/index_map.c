/*
 * index_map.c - the indices of a view as indices of the array behind it.
 */
#include "geom/index_map.h"

#include "base/checked.h"

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
index_map_box(const struct index_map *map, const int64_t *start, const int64_t *stop,
              const int64_t *step, const int64_t *stride, struct index_box *box)
{
    box->offset = 0;
    for (int b = 0; b < map->base_ndim; b++) {
        const int i = map->view_axis[b];
        if (i < 0) {
            box->start[b] = map->first[b];
            box->stop[b] = map->first[b] + 1;
            box->step[b] = 1;
            box->stride[b] = 0;
            continue;
        }
        const int64_t by = step ? step[i] : 1;
        const int64_t first = map->first[b] + start[i] * map->step[b];
        const int64_t last = map->first[b] + (stop[i] - 1) * map->step[b];
        box->start[b] = min_i64(first, last);
        box->stop[b] = max_i64(first, last) + 1;
        box->step[b] = first == last ? 1 : by * max_i64(map->step[b], -map->step[b]);
        box->stride[b] = stride[i];
        if (map->step[b] < 0) { // the memory runs the other way
            box->offset += (stop[i] - 1 - start[i]) / by * stride[i];
            box->stride[b] = -stride[i];
        }
    }
}
