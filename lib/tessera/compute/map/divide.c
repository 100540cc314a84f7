/*
 * divide.c - into which boxes a mapping is divided.
 *
 * A *unit* is what lies between two borders that the chunks of all outputs have in common. Boxes of
 * one unit are made longer, axis by axis, as long as that saves decoding, or shorter, until they
 * fit.
 */
#include "compute/map/private.h"

#include "array/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "compute/engine/engine.h"

#include <inttypes.h>
#include <string.h>

enum {
    SHARE = 8, // of the memory that a box may take if it is not one unit
    SMALL = 1 << 20, // bytes of a box that is made larger if there are many
    FEW = 64, // boxes that are left at least: threads share whole boxes, which may take long
};

// A box costs so much more than another that it is worth to be larger.
static const double worth = 1.02;

struct divider {
    const struct mapping *m;
    const bool *kept;
    int64_t memory, share;
    struct lattice *inputs, *outputs;
    struct division units;
    int64_t count[NDIM_MAX]; // units of a box
};

// -- chunks and blocks along an axis

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

// -- sizes

int64_t
map_input_size(const struct mapping *m, const struct map_input *in, const int64_t *shape)
{
    int64_t n = in->a->g->typesize + (in->converts ? in->itemsize : 0);
    for (int i = 0; i < m->ndim; i++) {
        int64_t length;
        if (in->broadcast[i])
            continue;
        if (!mul_i64(2, m->halo[i], &length) || !add_i64(length, shape[i], &length) ||
            !mul_i64(n, length, &n))
            return INT64_MAX;
    }
    return n;
}

int64_t
mapping_inputs_size(const struct mapping *m, const bool *kept, const int64_t *shape)
{
    int64_t all = 0;
    for (int k = 0; k < m->ninputs; k++)
        if (!kept[k] && !add_i64(all, map_input_size(m, &m->inputs[k], shape), &all))
            return INT64_MAX;
    return all;
}

int64_t
mapping_outputs_size(const struct mapping *m, const int64_t *shape)
{
    int64_t all = 0;
    for (int k = 0; k < m->noutputs; k++)
        all += m->outputs[k].a->g->typesize;
    for (int i = 0; i < m->ndim; i++)
        if (!mul_i64(all, shape[i], &all))
            return INT64_MAX;
    return all;
}

static int64_t
size_of_box(const struct divider *d, const int64_t *shape)
{
    int64_t size;
    return add_i64(mapping_inputs_size(d->m, d->kept, shape), mapping_outputs_size(d->m, shape),
                   &size)
               ? size
               : INT64_MAX;
}

// -- units

// The arrays whose chunks count: the outputs, or the first input that has the axis.
static const struct lattice *
lattices_of(const struct divider *d, int axis, int *n)
{
    *n = d->m->noutputs;
    if (*n > 0)
        return d->outputs;
    for (int k = 0; k < d->m->ninputs; k++)
        if (!d->m->inputs[k].broadcast[axis]) {
            *n = 1;
            return &d->inputs[k];
        }
    return NULL;
}

static tess_status
find_units(struct divider *d, tess_error *err)
{
    tess_status st = TESS_OK;
    d->units.ndim = d->m->ndim;
    for (int i = 0; i < d->m->ndim && st == TESS_OK; i++) {
        const int64_t stop = d->m->stop[i];
        int64_t at = d->m->start[i];
        int n;
        const struct lattice *const lattices = lattices_of(d, i, &n);
        st = division_begin(&d->units, i, at, err);
        while (at < stop && st == TESS_OK) {
            at = n > 0 ? lattices_next_chunk(lattices, n, i, at, stop) : stop;
            st = division_append(&d->units, i, at, err);
        }
    }
    return st;
}

// -- longer boxes

static void
shape_of_units(const struct divider *d, const int64_t *count, int64_t *shape)
{
    for (int i = 0; i < d->m->ndim; i++) {
        const struct division *const u = &d->units;
        shape[i] = min_i64(count[i] * u->longest[i], d->m->stop[i] - d->m->start[i]);
    }
}

// How often items of an input are decoded along an axis, about.
static double
times_decoded(const struct divider *d, int k, int axis, int64_t count)
{
    const struct division *const u = &d->units;
    const struct lattice *const l = &d->inputs[k];
    const int64_t nboxes = ceil_div(u->n[axis], count), halo = d->m->halo[axis];
    if (nboxes == 1)
        return 1;
    if (d->m->inputs[k].broadcast[axis])
        return (double)nboxes;
    const int64_t block = lattice_block(l, axis);
    const double length = (double)(d->m->stop[axis] - d->m->start[axis]) / (double)nboxes;
    const bool shares = lattice_share_block(l, axis, u->at[axis][count]) ||
                        (nboxes > 2 && lattice_share_block(l, axis, u->at[axis][2 * count]));
    const double more =
        shares ? (double)(2 * halo + block - 1) : (double)(2 * ceil_div(halo, block) * block);
    return (length + more) / length;
}

// Bytes of inputs that are decoded, about.
static double
bytes_decoded(const struct divider *d, const int64_t *count)
{
    double all = 1;
    for (int k = 0; k < d->m->ninputs; k++) {
        const struct map_input *const in = &d->m->inputs[k];
        double size = in->a->g->typesize;
        for (int i = 0; i < d->m->ndim && !d->kept[k]; i++)
            size *= times_decoded(d, k, i, count[i]) *
                    (in->broadcast[i] ? 1 : (double)(d->m->stop[i] - d->m->start[i]));
        all += d->kept[k] ? 0 : size;
    }
    return all;
}

// Twice as many units along an axis. False: there are no more, or they do not fit.
static bool
may_double(const struct divider *d, int axis, int64_t *count)
{
    int64_t shape[NDIM_MAX];
    memcpy(count, d->count, sizeof d->count);
    if (count[axis] >= d->units.n[axis])
        return false;
    count[axis] = min_i64(2 * count[axis], d->units.n[axis]);
    shape_of_units(d, count, shape);
    return size_of_box(d, shape) <= d->share;
}

// Double the axis that saves most. False: none is worth it.
static bool
double_best(struct divider *d)
{
    const double now = bytes_decoded(d, d->count);
    int64_t count[NDIM_MAX], best[NDIM_MAX];
    double least = now;
    for (int i = 0; i < d->m->ndim; i++)
        if (may_double(d, i, count) && bytes_decoded(d, count) < least) {
            least = bytes_decoded(d, count);
            memcpy(best, count, sizeof best);
        }
    if (now < least * worth)
        return false;
    memcpy(d->count, best, sizeof d->count);
    return true;
}

static bool
are_few(const struct divider *d, const int64_t *count)
{
    int64_t n = 1;
    for (int i = 0; i < d->m->ndim && n < FEW; i++)
        n *= min_i64(ceil_div(d->units.n[i], count[i]), FEW);
    return n < FEW;
}

// Boxes of which each costs more than its items do.
static void
double_small(struct divider *d)
{
    int64_t shape[NDIM_MAX], count[NDIM_MAX];
    shape_of_units(d, d->count, shape);
    for (int i = d->m->ndim - 1; i >= 0; i--)
        while (size_of_box(d, shape) < SMALL && may_double(d, i, count) && !are_few(d, count)) {
            memcpy(d->count, count, sizeof d->count);
            shape_of_units(d, d->count, shape);
        }
}

static tess_status
join_units(const struct divider *d, struct division *boxes, tess_error *err)
{
    tess_status st = TESS_OK;
    boxes->ndim = d->m->ndim;
    for (int i = 0; i < d->m->ndim && st == TESS_OK; i++) {
        const struct division *const u = &d->units;
        st = division_begin(boxes, i, u->at[i][0], err);
        for (int64_t n = d->count[i]; st == TESS_OK; n += d->count[i]) {
            st = division_append(boxes, i, u->at[i][min_i64(n, u->n[i])], err);
            if (n >= u->n[i])
                break;
        }
    }
    return st;
}

// -- shorter boxes

// Half as many blocks along an axis, or half of one.
static int64_t
halve(int64_t length, int64_t block)
{
    const int64_t n = ceil_div(length, block);
    return n > 1 ? min_i64(ceil_div(n, 2) * block, length - 1) : ceil_div(length, 2);
}

static tess_status
divide_units(struct divider *d, int64_t *shape, tess_error *err)
{
    while (size_of_box(d, shape) > d->share) {
        int64_t most = 0, block = 1;
        int axis = -1;
        for (int i = 0; i < d->m->ndim; i++) {
            int n;
            const struct lattice *const l = lattices_of(d, i, &n);
            const int64_t b = l ? lattice_block(l, i) : 1, blocks = ceil_div(shape[i], b);
            if (shape[i] > 1 && blocks > most) {
                most = blocks;
                block = b;
                axis = i;
            }
        }
        if (axis < 0)
            break;
        shape[axis] = halve(shape[axis], block);
    }
    const int64_t size = size_of_box(d, shape);
    return size <= d->memory
               ? TESS_OK
               : err_set(err, TESS_ERR_LIMIT, -1,
                         "one item of each array, with what is around it, takes %" PRId64
                         " bytes; there is memory for %" PRId64,
                         size, d->memory);
}

static tess_status
cut_units(const struct divider *d, const int64_t *shape, struct division *boxes, tess_error *err)
{
    tess_status st = TESS_OK;
    boxes->ndim = d->m->ndim;
    for (int i = 0; i < d->m->ndim && st == TESS_OK; i++) {
        const struct division *const u = &d->units;
        st = division_begin(boxes, i, u->at[i][0], err);
        for (int64_t n = 0; n < u->n[i]; n++)
            for (int64_t at = u->at[i][n]; at < u->at[i][n + 1] && st == TESS_OK;) {
                at += min_i64(shape[i], u->at[i][n + 1] - at);
                st = division_append(boxes, i, at, err);
            }
    }
    return st;
}

// -- all

static tess_status
divider_init(struct divider *d, tess_error *err)
{
    const int n = d->m->ninputs + d->m->noutputs;
    tess_status st = TESS_OK;
    d->inputs = mem_zeroed((size_t)n, sizeof *d->inputs);
    if (!d->inputs)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d arrays", n);
    d->outputs = d->inputs + d->m->ninputs;
    for (int k = 0; k < d->m->ninputs && st == TESS_OK; k++)
        st = lattice_init(&d->inputs[k], d->m->inputs[k].a, d->m->inputs[k].first, err);
    for (int k = 0; k < d->m->noutputs && st == TESS_OK; k++)
        st = lattice_init(&d->outputs[k], d->m->outputs[k].a, 0, err);
    return st == TESS_OK ? find_units(d, err) : st;
}

tess_status
division_init(struct division *boxes, const struct mapping *m, const bool *kept, int64_t memory,
              tess_error *err)
{
    struct divider d = {.m = m, .kept = kept, .memory = memory, .share = memory / SHARE};
    int64_t shape[NDIM_MAX];
    tess_status st = divider_init(&d, err);
    *boxes = (struct division){0};
    for (int i = 0; i < m->ndim; i++)
        d.count[i] = 1;
    if (st == TESS_OK) {
        shape_of_units(&d, d.count, shape);
        const int64_t most = m->noutputs > 0 ? memory : d.share;
        if (size_of_box(&d, shape) > most) {
            st = divide_units(&d, shape, err);
            if (st == TESS_OK)
                st = cut_units(&d, shape, boxes, err);
        } else {
            while (double_best(&d))
                continue;
            double_small(&d);
            st = join_units(&d, boxes, err);
        }
    }
    mem_free(d.inputs);
    division_finish(&d.units);
    return st;
}
