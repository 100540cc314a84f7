/*
 * boxes.c - many boxes of an array, which may be a view, to memory and back.
 *
 * A box that leaves the array is read in two steps. The selection has the part of it from which all
 * else can be made; then the rest of the box is copied from there, axis after axis, the last one
 * first: so what is copied along an axis is complete along those behind it.
 */
#include "array/items/boxes.h"

#include "array/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "geom/index_map.h"
#include "geom/shape.h"
#include "ndcopy/ndcopy.h"
#include "select/gather.h"
#include "select/selection.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>

// -- boxes of the base

static void
box_list_finish(struct box_list *list)
{
    mem_free(list->start);
    mem_free(list->count);
    mem_free(list->at);
    mem_free(list->turned);
}

// On failure it is half-built.
static tess_status
box_list_init(struct box_list *list, int64_t n, int ndim, tess_error *err)
{
    const size_t per_box = (size_t)max_i64(ndim, 1) * sizeof *list->start;
    size_t size;
    *list = (struct box_list){.n = n};
    if (to_size(n, &size) && size <= SIZE_MAX / 2 / per_box) {
        list->start = mem_alloc(size * per_box);
        list->count = mem_alloc(size * per_box);
        list->at = mem_alloc(size * sizeof *list->at);
        list->turned = mem_zeroed(size, sizeof *list->turned);
    }
    if (list->start && list->count && list->at && list->turned)
        return TESS_OK;
    return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " boxes", n);
}

// Along an axis of the array, the run of box n, as items of the base.
static void
list_run(struct box_list *list, const struct index_map *map, int axis, int64_t n,
         const struct edge_run *run, int64_t stride)
{
    const int b = map->axis[axis];
    list->at[n] += run->at * stride;
    if (b < 0)
        return;
    const int64_t step = map->step[b];
    const int64_t lowest = step < 0 ? run->first + run->n - 1 : run->first;
    const bool turned = run->turned != (step < 0);
    list->start[n * map->base_ndim + b] = map->first[b] + lowest * step;
    list->count[n * map->base_ndim + b] = run->n;
    if (turned) {
        list->turned[n] = (uint16_t)(list->turned[n] | 1U << b);
        list->at[n] += (run->n - 1) * stride;
    }
}

static void
list_box(struct box_list *list, const struct index_map *map, const tess_array *a,
         const struct boxes *boxes, int64_t n, const int64_t *strides)
{
    list->at[n] = n * boxes->nitems;
    for (int b = 0; b < map->base_ndim; b++) { // those that the view lacks stay so
        list->start[n * map->base_ndim + b] = map->first[b];
        list->count[n * map->base_ndim + b] = 1;
    }
    for (int i = 0; i < map->ndim; i++) {
        const struct edge_run run = edge_read(boxes->edge, boxes->starts[n * map->ndim + i],
                                              boxes->shape[i], a->g->shape[i]);
        if (run.n == 0) {
            list->at[n] = -1;
            return;
        }
        list_run(list, map, i, n, &run, strides[i]);
    }
}

static tess_status
list_boxes(const tess_array *a, const struct boxes *boxes, struct box_list *list, tess_error *err)
{
    int64_t strides[NDIM_MAX]; // items
    struct index_map map;
    tess_status st = view_map(a, &map, err);
    if (st == TESS_OK)
        st = box_list_init(list, boxes->n, map.base_ndim, err);
    if (st != TESS_OK)
        return st;
    shape_strides(map.ndim, boxes->shape, 1, strides);
    for (int b = 0; b < map.base_ndim; b++) {
        list->step[b] = max_i64(map.step[b], -map.step[b]);
        list->stride[b] = map.view_axis[b] < 0 ? 0 : strides[map.view_axis[b]];
    }
    for (int64_t n = 0; n < boxes->n; n++)
        list_box(list, &map, a, boxes, n, strides);
    return TESS_OK;
}

// -- past the edges

struct completion {
    const tess_array *a;
    const struct boxes *boxes;
    const uint8_t *fill;
    uint8_t *dst;
    int64_t next, run; // boxes; of a grain
};

struct completion_grain {
    int64_t first, stop;
};

// A part of a box in memory.
struct memory_part {
    int ndim;
    int64_t start[NDIM_MAX], extent[NDIM_MAX];
    int64_t stride[NDIM_MAX]; // bytes
    int64_t size; // of an item
    uint8_t *items; // of the box
};

static uint8_t *
memory_part_at(const struct memory_part *p)
{
    int64_t offset = 0;
    for (int i = 0; i < p->ndim; i++)
        offset += p->start[i] * p->stride[i];
    return p->items + offset;
}

// Layers across an axis: one value.
static void
fill_layers(const struct memory_part *p, int axis, int64_t start, int64_t n, const uint8_t *item)
{
    struct memory_part to = *p;
    to.start[axis] = start;
    to.extent[axis] = n;
    if (n > 0)
        ndfill(to.ndim, to.extent, to.size, memory_part_at(&to), to.stride, item);
}

// Layers across an axis: copies of others.
static void
copy_layers(const struct memory_part *p, int axis, const struct edge_copy *copy)
{
    struct memory_part to = *p, from = *p;
    to.start[axis] = copy->to;
    to.extent[axis] = copy->n;
    from.start[axis] = copy->from;
    from.stride[axis] *= copy->step;
    const uint8_t *const src = memory_part_at(p) + (copy->from - p->start[axis]) * p->stride[axis];
    ndcopy(to.ndim, to.extent, to.size, memory_part_at(&to), to.stride, src, from.stride);
}

static void
complete_axis(const struct completion *c, const struct memory_part *p, int axis, int64_t start,
              const struct edge_run *run)
{
    const int64_t count = c->boxes->shape[axis], length = c->a->g->shape[axis];
    struct edge_copy copy;
    if (c->boxes->edge == TESS_EDGE_FILL) {
        fill_layers(p, axis, 0, run->at, c->fill);
        fill_layers(p, axis, run->at + run->n, count - run->at - run->n, c->fill);
        return;
    }
    for (int64_t to = 0; edge_copies(c->boxes->edge, start, count, length, run, to, &copy);
         to = copy.to + copy.n)
        copy_layers(p, axis, &copy);
}

static void
complete_box(const struct completion *c, int64_t n)
{
    const struct geometry *const g = c->a->g;
    const int64_t *const start = c->boxes->starts + n * g->ndim;
    struct edge_run run[NDIM_MAX];
    struct memory_part p = {
        .ndim = g->ndim, .size = g->typesize, .items = c->dst + n * c->boxes->nitems * g->typesize};

    shape_strides(g->ndim, c->boxes->shape, g->typesize, p.stride);
    for (int i = 0; i < g->ndim; i++) {
        run[i] = edge_read(c->boxes->edge, start[i], c->boxes->shape[i], g->shape[i]);
        if (run[i].n == 0) {
            ndfill(g->ndim, c->boxes->shape, p.size, p.items, p.stride, c->fill);
            return;
        }
        p.start[i] = run[i].at;
        p.extent[i] = run[i].n;
    }
    for (int i = g->ndim - 1; i >= 0; i--) {
        complete_axis(c, &p, i, start[i], &run[i]);
        p.start[i] = 0;
        p.extent[i] = c->boxes->shape[i];
    }
}

static tess_status
completion_next(void *job, void *grain, bool *more, tess_error *err)
{
    struct completion *const c = job;
    struct completion_grain *const g = grain;
    (void)err;
    *more = c->next < c->boxes->n;
    g->first = c->next;
    g->stop = c->next += min_i64(c->run, c->boxes->n - c->next);
    return TESS_OK;
}

static tess_status
completion_work(void *job, void *grain, tess_error *err)
{
    const struct completion_grain *const g = grain;
    (void)err;
    for (int64_t n = g->first; n < g->stop; n++)
        complete_box(job, n);
    return TESS_OK;
}

static bool
stays_inside(const tess_array *a, const struct boxes *boxes)
{
    for (int64_t n = 0; n < boxes->n; n++)
        for (int i = 0; i < a->g->ndim; i++) {
            const int64_t start = boxes->starts[n * a->g->ndim + i];
            if (start < 0 || start + boxes->shape[i] > a->g->shape[i])
                return false;
        }
    return true;
}

static tess_status
complete_boxes(const tess_array *a, const struct boxes *boxes, uint8_t *dst, tess_error *err)
{
    enum { GRAIN_SIZE = 256 << 10 };
    static const struct task task = {.next = completion_next,
                                     .work = completion_work,
                                     .grain_size = sizeof(struct completion_grain)};
    const int64_t size = boxes->nitems * a->g->typesize;
    // About a nanosecond for four bytes.
    const struct task_width width = chunk_grid_width(a->grid, boxes->n * size / 4, NULL);
    struct completion c = {
        .a = a, .boxes = boxes, .dst = dst, .run = max_i64(GRAIN_SIZE / size, 1)};
    uint8_t *zeros = NULL;

    c.fill = boxes->fill ? boxes->fill : a->fill;
    if (!c.fill)
        c.fill = zeros = mem_zeroed(1, (size_t)a->g->typesize);
    const tess_status st = c.fill ? task_run(&task, &c, &width, err)
                                  : err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    mem_free(zeros);
    return st;
}

// -- all

tess_status
array_choose_boxes(const tess_array *a, const struct boxes *boxes, struct boxes_chosen *chosen,
                   tess_error *err)
{
    const tess_status st = list_boxes(a, boxes, &chosen->list, err);
    return st == TESS_OK ? selection_of_boxes(&chosen->selection, a->grid, &chosen->list, err) : st;
}

void
boxes_chosen_finish(struct boxes_chosen *chosen)
{
    selection_finish(&chosen->selection);
    box_list_finish(&chosen->list);
}

tess_status
array_get_boxes(const tess_array *a, const struct boxes *boxes, uint8_t *dst, struct watch *watch,
                tess_error *err)
{
    struct boxes_chosen chosen = {0};
    tess_status st = array_choose_boxes(a, boxes, &chosen, err);
    if (st == TESS_OK)
        st = selection_read(&chosen.selection, dst, watch, err);
    if (st == TESS_OK && !stays_inside(a, boxes))
        st = complete_boxes(a, boxes, dst, err);
    boxes_chosen_finish(&chosen);
    return st;
}
