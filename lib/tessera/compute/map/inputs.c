/*
 * inputs.c - arrays of different shapes as one, and the boxes of an input in memory: with a halo,
 * broadcast, and converted.
 */
#include "compute/map/private.h"

#include "array/items/box.h"
#include "array/items/boxes.h"
#include "base/checked.h"
#include "base/error.h"
#include "compute/map/map.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "ndcopy/convert/convert.h"

#include <inttypes.h>
#include <string.h>

// -- shapes

static tess_status
shape_of_outputs(struct mapping *m, tess_error *err)
{
    const struct geometry *const g = m->outputs[0].a->g;
    m->ndim = g->ndim;
    memcpy(m->shape, g->shape, sizeof m->shape);
    for (int k = 1; k < m->noutputs; k++) {
        const struct geometry *const other = m->outputs[k].a->g;
        if (other->ndim != g->ndim)
            return err_set(err, TESS_ERR_ARG, -1, "output %d has %d dimensions, output 0 has %d", k,
                           other->ndim, g->ndim);
        for (int i = 0; i < g->ndim; i++)
            if (other->shape[i] != g->shape[i])
                return err_set(err, TESS_ERR_ARG, -1,
                               "output %d has %" PRId64
                               " items along axis %d, output 0 has %" PRId64,
                               k, other->shape[i], i, g->shape[i]);
    }
    return TESS_OK;
}

// The longest axes of all inputs.
static void
shape_of_inputs(struct mapping *m)
{
    for (int k = 0; k < m->ninputs; k++)
        m->ndim = m->inputs[k].a->g->ndim > m->ndim ? m->inputs[k].a->g->ndim : m->ndim;
    for (int i = 0; i < m->ndim; i++)
        m->shape[i] = 1;
    for (int k = 0; k < m->ninputs; k++) {
        const struct geometry *const g = m->inputs[k].a->g;
        int64_t *const shape = m->shape + m->ndim - g->ndim;
        for (int i = 0; i < g->ndim; i++)
            if (g->shape[i] != 1 && shape[i] == 1)
                shape[i] = g->shape[i];
    }
}

static tess_status
fit_input(const struct mapping *m, int k, tess_error *err)
{
    struct map_input *const in = &m->inputs[k];
    const struct geometry *const g = in->a->g;
    in->first = m->ndim - g->ndim;
    if (in->first < 0)
        return err_set(err, TESS_ERR_ARG, -1, "input %d has %d dimensions, the outputs have %d", k,
                       g->ndim, m->ndim);
    for (int i = 0; i < m->ndim; i++) {
        const int64_t length = i < in->first ? 1 : g->shape[i - in->first];
        in->broadcast[i] = i < in->first || (length == 1 && m->shape[i] != 1);
        if (!in->broadcast[i] && length != m->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "input %d has %" PRId64 " items along its axis %d, which cannot be"
                           " broadcast to %" PRId64,
                           k, length, i - in->first, m->shape[i]);
    }
    return TESS_OK;
}

tess_status
map_shape(struct mapping *m, tess_error *err)
{
    int64_t nitems = 1;
    tess_status st = TESS_OK;
    m->ndim = 0;
    if (m->noutputs > 0)
        st = shape_of_outputs(m, err);
    else
        shape_of_inputs(m);
    for (int k = 0; k < m->ninputs && st == TESS_OK; k++)
        st = fit_input(m, k, err);
    for (int i = 0; i < m->ndim && st == TESS_OK; i++)
        if (m->shape[i] == 0)
            return TESS_OK;
    for (int i = 0; i < m->ndim && st == TESS_OK; i++)
        if (!mul_i64(nitems, m->shape[i], &nitems))
            st = err_set(err, TESS_ERR_LIMIT, -1, "the inputs broadcast to 2^63 items or more");
    return st;
}

// -- boxes

// A box of an input along its own axes, which may leave its shape.
struct own_box {
    int64_t start[NDIM_MAX], stop[NDIM_MAX], shape[NDIM_MAX];
    int64_t nitems;
    bool inside;
};

static void
own_box_init(struct own_box *b, const struct mapping *m, const struct map_input *in,
             const int64_t *start, const int64_t *stop)
{
    const struct geometry *const g = in->a->g;
    b->nitems = 1;
    b->inside = true;
    for (int i = 0; i < g->ndim; i++) {
        const int axis = i + in->first;
        const bool broadcast = in->broadcast[axis];
        b->start[i] = broadcast ? 0 : start[axis] - m->halo[axis];
        b->stop[i] = broadcast ? 1 : stop[axis] + m->halo[axis];
        b->shape[i] = b->stop[i] - b->start[i];
        b->nitems *= b->shape[i];
        b->inside &= b->start[i] >= 0 && b->stop[i] <= g->shape[i];
    }
}

static tess_status
read_own(const struct mapping *m, const struct map_input *in, const struct own_box *b,
         uint8_t *room, const int64_t *strides, struct watch *watch, tess_error *err)
{
    const struct geometry *const g = in->a->g;
    struct box_memory to = {.items = room};
    const struct boxes box = {.n = 1,
                              .starts = b->start,
                              .shape = b->shape,
                              .nitems = b->nitems,
                              .edge = m->edge,
                              .fill = in->fill};
    if (!b->inside)
        return array_get_boxes(in->a, &box, room, watch, err);
    memcpy(to.stride, strides, (size_t)g->ndim * sizeof *strides);
    return array_read(in->a, &(struct box){b->start, b->stop, NULL}, &to, watch, err);
}

// To memory behind the items as they are stored.
static tess_status
convert_own(const struct map_input *in, const struct own_box *b, uint8_t *from,
            const int64_t *from_strides, uint8_t *to, const int64_t *strides, tess_error *err)
{
    static const int64_t none[NDIM_MAX];
    const int ndim = in->a->g->ndim;
    struct converted as = in->typed.as;
    const int64_t done =
        convert_box(&in->typed.converter, ndim, b->shape, to, strides, from, from_strides);
    for (int i = 0; i < ndim; i++) {
        as.axis[i] = i;
        as.first[i] = b->start[i];
        as.step[i] = 1;
    }
    return done == b->nitems ? TESS_OK : converted_misfit(&as, ndim, none, b->shape, done, err);
}

tess_status
map_input_read(const struct mapping *m, const struct map_input *in, const int64_t *start,
               const int64_t *stop, uint8_t *room, const uint8_t **first, int64_t *strides,
               struct watch *watch, tess_error *err)
{
    const struct geometry *const g = in->a->g;
    int64_t stored[NDIM_MAX], own[NDIM_MAX];
    struct own_box b;
    own_box_init(&b, m, in, start, stop);
    shape_strides(g->ndim, b.shape, g->typesize, stored);
    shape_strides(g->ndim, b.shape, in->itemsize, own);
    // The wider ones come first: then both are aligned.
    const bool behind = in->itemsize > g->typesize;
    uint8_t *const items = in->converts && behind ? room + b.nitems * in->itemsize : room;
    uint8_t *const given = in->converts && !behind ? room + b.nitems * g->typesize : room;
    tess_status st = read_own(m, in, &b, items, stored, watch, err);
    if (st == TESS_OK && in->converts)
        st = convert_own(in, &b, items, stored, given, own, err);
    *first = given;
    for (int i = 0; i < m->ndim; i++) {
        strides[i] = in->broadcast[i] ? 0 : own[i - in->first];
        *first += m->halo[i] * strides[i];
    }
    return st;
}

void
map_input_box(const struct mapping *m, const struct map_input *in, const int64_t *start,
              const int64_t *stop, int64_t *own_start, int64_t *own_stop)
{
    struct own_box b;
    own_box_init(&b, m, in, start, stop);
    for (int i = 0; i < in->a->g->ndim; i++) {
        own_start[i] = max_i64(b.start[i], 0);
        own_stop[i] = min_i64(b.stop[i], in->a->g->shape[i]);
    }
}

tess_status
map_input_is_constant(const struct mapping *m, const struct map_input *in, const int64_t *start,
                      const int64_t *stop, struct watch *watch, uint8_t *item, bool *is,
                      tess_error *err)
{
    struct own_box b;
    own_box_init(&b, m, in, start, stop);
    *is = false;
    if (in->converts || !b.inside || b.nitems == 0)
        return TESS_OK;
    return array_is_constant(in->a, &(struct box){b.start, b.stop, NULL}, CONSTANT_STORED, watch,
                             item, is, err);
}
