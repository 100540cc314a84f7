/*
 * lattice.c - where the chunks and blocks of an array, which may be a view, begin along its axes.
 */
#include "compute/map/lattice.h"

#include "array/view.h"
#include "base/checked.h"

tess_status
lattice_init(struct lattice *l, const tess_array *a, int first, tess_error *err)
{
    l->g = &a->grid->g;
    l->first = first;
    return view_map(a, &l->map, err);
}

// The axis of the grid; -1: the array does not have it, or no chunks along it.
static int
lattice_axis(const struct lattice *l, int axis)
{
    const int b = axis < l->first ? -1 : l->map.axis[axis - l->first];
    return b >= 0 && l->g->chunkshape[b] > 0 && l->g->blockshape[b] > 0 ? b : -1;
}

int64_t
lattice_next_chunk(const struct lattice *l, int axis, int64_t at, int64_t stop)
{
    const int b = lattice_axis(l, axis);
    if (b < 0)
        return stop;
    const int64_t inside = (l->map.first[b] + at * l->map.step[b]) % l->g->chunkshape[b];
    const int64_t step = l->map.step[b];
    const int64_t n = step > 0 ? ceil_div(l->g->chunkshape[b] - inside, step) : inside / -step + 1;
    return n < stop - at ? at + n : stop;
}

int64_t
lattices_next_chunk(const struct lattice *lattices, int n, int axis, int64_t at, int64_t stop)
{
    int64_t found = at + 1;
    for (bool same = false; !same && found < stop;) {
        same = true;
        for (int k = 0; k < n; k++) {
            const int64_t next = lattice_next_chunk(&lattices[k], axis, found - 1, stop);
            same &= next == found;
            found = next;
        }
    }
    return found;
}

bool
lattice_share_block(const struct lattice *l, int axis, int64_t at)
{
    const int b = lattice_axis(l, axis);
    if (b < 0)
        return true;
    const int64_t item = l->map.first[b] + at * l->map.step[b], before = item - l->map.step[b];
    const int64_t chunk = l->g->chunkshape[b], block = l->g->blockshape[b];
    return item / chunk == before / chunk && item % chunk / block == before % chunk / block;
}

int64_t
lattice_block(const struct lattice *l, int axis)
{
    const int b = lattice_axis(l, axis);
    if (b < 0)
        return 1;
    return ceil_div(l->g->blockshape[b], max_i64(l->map.step[b], -l->map.step[b]));
}
