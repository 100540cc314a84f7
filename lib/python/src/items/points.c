/*
 * points.c - several lists of indices as points, or as boxes of the slices beside them.
 *
 * The lists are broadcast against each other: each item of their common shape is a point. Slices
 * without steps make boxes of the points, which the library reads as such; those with steps make
 * more points.
 */
#include "items/points.h"

#include "base/memory.h"

#include <string.h>

static bool
widen_common(struct py_common *common, const Py_buffer *list)
{
    const int more = list->ndim - common->ndim;
    if (more > 0) {
        memmove(common->shape + more, common->shape, (size_t)common->ndim * sizeof(int64_t));
        for (int i = 0; i < more; i++)
            common->shape[i] = 1;
        common->ndim = list->ndim;
    }
    int64_t *const shape = common->shape + (common->ndim - list->ndim);
    for (int i = 0; i < list->ndim; i++) {
        if (shape[i] == 1)
            shape[i] = list->shape[i];
        else if (list->shape[i] != 1 && list->shape[i] != shape[i]) {
            PyErr_Format(PyExc_IndexError,
                         "shape mismatch: the lists of an index have %lld and %zd items along one "
                         "axis",
                         (long long)shape[i], list->shape[i]);
            return false;
        }
    }
    return true;
}

bool
py_points_common(struct py_common *common, const struct py_parts *parts)
{
    bool ok = true;
    *common = (struct py_common){.count = 1};
    for (int i = 0; ok && i < parts->n; i++) {
        struct py_memory memory = {0};
        if (parts->part[i].kind != PY_PART_LIST)
            continue;
        common->nlists++;
        common->list = i;
        ok = py_memory_hold(&memory, parts->part[i].array, false) &&
             widen_common(common, &memory.view);
        py_memory_drop(&memory);
    }
    for (int i = 0; i < common->ndim; i++)
        common->count *= common->shape[i]; // lists of so many items are in memory
    return ok;
}

// Write the indices of the slices behind those of each point: `inner` points for each.
static void
spread_slices(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
              int64_t inner)
{
    int64_t run = inner;
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (part->kind != PY_PART_SLICE)
            continue;
        run /= part->length;
        for (int64_t p = 0; p < s->npoints; p++)
            s->points[p * a->ndim + part->axis] = part->start + p / run % part->length * part->step;
    }
}

// Numbers from one item of a list to the next, per axis that all lists are broadcast to.
static void
list_steps(const struct py_common *common, const Py_buffer *list, int64_t *steps)
{
    int64_t step = 1;
    for (int i = common->ndim - 1, k = list->ndim - 1; i >= 0; i--, k--) {
        steps[i] = k < 0 || list->shape[k] == 1 ? 0 : step;
        step *= k < 0 ? 1 : list->shape[k];
    }
}

// Write the indices of a list into the points, each `inner` times.
static bool
spread_list(struct py_selection *s, const struct py_array *a, const struct py_part *part,
            const struct py_common *common, int64_t inner)
{
    struct py_memory memory = {0};
    int64_t steps[PY_MAX_NDIM], at[PY_MAX_NDIM] = {0}, offset = 0;
    int64_t *to = s->points + part->axis;
    bool ok = py_memory_hold(&memory, part->array, false);

    if (ok)
        list_steps(common, &memory.view, steps);
    for (int64_t n = 0; ok && n < common->count; n++) {
        const int64_t index = py_parts_wrap(((const int64_t *)memory.view.buf)[offset],
                                            a->shape[part->axis], part->axis);
        ok = index >= 0;
        for (int64_t k = 0; ok && k < inner; k++, to += a->ndim)
            *to = index;
        for (int i = common->ndim - 1; i >= 0; i--) { // the next item, in C order
            offset += steps[i];
            if (++at[i] < common->shape[i])
                break;
            offset -= steps[i] * common->shape[i];
            at[i] = 0;
        }
    }
    py_memory_drop(&memory);
    return ok;
}

// The indices of all points, `inner` for each item of the lists.
static bool
fill_points(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
            const struct py_common *common, int64_t inner)
{
    for (int64_t p = 0; p < s->npoints; p++)
        for (int axis = 0; axis < a->ndim; axis++)
            s->points[p * a->ndim + axis] = s->start[axis];
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (part->kind == PY_PART_LIST && part->axis >= 0 &&
            !spread_list(s, a, part, common, inner))
            return false;
    }
    if (s->pick == PY_PICK_POINTS && inner > 0)
        spread_slices(s, a, parts, inner);
    return true;
}

bool
py_points_take(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
               const struct py_common *common)
{
    int64_t inner = 1;
    bool boxes = false;

    s->raw[s->raw_ndim++] = common->count;
    for (int i = 0; i < a->ndim; i++)
        s->box[i] = 1;
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (part->kind != PY_PART_SLICE)
            continue;
        s->raw[s->raw_ndim++] = s->box[part->axis] = part->length;
        boxes |= part->length != 1;
        if (part->length > 0 && inner > PY_SSIZE_T_MAX / part->length) {
            PyErr_NoMemory();
            return false;
        }
        inner *= part->length;
    }
    for (int i = 0; i < parts->n; i++)
        if (parts->part[i].kind == PY_PART_SLICE && parts->part[i].step != 1)
            boxes = false;
    s->pick = boxes ? PY_PICK_BOXES : PY_PICK_POINTS;
    inner = boxes ? 1 : inner;
    if (inner > 0 && common->count > PY_SSIZE_T_MAX / 128 / inner) {
        PyErr_NoMemory();
        return false;
    }
    s->npoints = common->count * inner;
    s->points = py_selection_numbers(s, s->npoints * a->ndim);
    return s->points && fill_points(s, a, parts, common, inner);
}
