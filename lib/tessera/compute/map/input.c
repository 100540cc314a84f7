/*
 * input.c - the boxes of an input in memory: with a halo, broadcast, and converted.
 */
#include "compute/map/input.h"

#include "array/items/box.h"
#include "array/items/boxes.h"
#include "base/checked.h"
#include "base/error.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "ndcopy/convert/convert.h"

#include <string.h>

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
