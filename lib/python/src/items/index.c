/*
 * index.c - converts indices of NumPy to selections of the library.
 *
 * Where lists of indices and slices meet, the lists are broadcast against each other, and their
 * axes stand in the result where the first list stood; or in front, if something else than a number
 * stands between two lists. Beside lists, a number is a list without axes. That is NumPy's rule.
 */
#include "items/index.h"

#include "base/memory.h"
#include "base/names.h"
#include "items/parts.h"
#include "items/points.h"

#include <string.h>

// Indices of an axis that a slice becomes where the library takes lists; longer slices are boxes.
#define LONG_LIST ((int64_t)1 << 20)

static bool
is_list_like(const struct py_part *part)
{
    return part->kind == PY_PART_LIST || part->kind == PY_PART_NUMBER;
}

static void
add_axis(struct py_selection *s, int64_t length)
{
    if (s->ndim < PY_MAX_NDIM)
        s->shape[s->ndim++] = length;
}

// What numbers and slices select of their axes.
static void
take_slices(struct py_selection *s, const struct py_parts *parts)
{
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (part->axis < 0 || !(part->kind == PY_PART_SLICE || part->kind == PY_PART_NUMBER))
            continue;
        const bool slice = part->kind == PY_PART_SLICE;
        s->start[part->axis] = part->start;
        s->stop[part->axis] = slice ? part->stop : part->start + 1;
        s->step[part->axis] = slice ? part->step : 1;
        s->length[part->axis] = slice ? part->length : 1;
    }
}

static bool
select_slice(struct py_selection *s, const struct py_array *a, const struct py_parts *parts)
{
    s->pick = PY_PICK_SLICE;
    s->raw_ndim = a->ndim;
    for (int i = 0; i < a->ndim; i++) {
        s->raw[i] = s->length[i];
        s->order[i] = i;
    }
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (part->axis >= 0)
            s->result_axis[part->axis] = part->kind == PY_PART_SLICE ? s->ndim : -1;
        if (part->kind == PY_PART_NEW || part->kind == PY_PART_SLICE)
            add_axis(s, part->kind == PY_PART_NEW ? 1 : part->length);
    }
    s->scalar = s->ndim == 0 && parts->ellipsis < 0;
    return true;
}

// Whether the parts are a mask of the first axes, and nothing else.
static bool
is_one_mask(const struct py_parts *parts, const struct py_array *a)
{
    if (parts->n == 0 || parts->part[0].kind != PY_PART_MASK || parts->part[0].naxes == 0)
        return false;
    for (int i = 1; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (part->kind != PY_PART_GAP && !(part->kind == PY_PART_SLICE && part->step == 1 &&
                                           part->length == a->shape[part->axis]))
            return false;
    }
    return true;
}

static bool
select_mask(struct py_selection *s, const struct py_array *a, const struct py_parts *parts)
{
    int64_t count = 0;

    s->pick = PY_PICK_MASK;
    s->mask_ndim = parts->part[0].naxes;
    if (!py_memory_hold(&s->mask, parts->part[0].array, false))
        return false;
    for (Py_ssize_t i = 0; i < s->mask.view.len; i++)
        count += ((const uint8_t *)s->mask.view.buf)[i] != 0;
    s->raw[s->raw_ndim++] = count;
    for (int i = s->mask_ndim; i < a->ndim; i++)
        s->raw[s->raw_ndim++] = a->shape[i];
    for (int i = 0; i < s->raw_ndim; i++) {
        s->order[i] = i;
        add_axis(s, s->raw[i]);
    }
    return true;
}

// Copy the indices of a list, counted from the start.
static bool
wrap_list(PyObject *list, const struct py_array *a, int axis, int64_t *to)
{
    struct py_memory memory = {0};
    bool ok = py_memory_hold(&memory, list, false);
    const int64_t count = ok ? (int64_t)(memory.view.len / (Py_ssize_t)sizeof(int64_t)) : 0;

    for (int64_t i = 0; ok && i < count; i++) {
        to[i] = py_parts_wrap(((const int64_t *)memory.view.buf)[i], a->shape[axis], axis);
        ok = to[i] >= 0;
    }
    py_memory_drop(&memory);
    return ok;
}

static int64_t
items_of(PyObject *array)
{
    struct py_memory memory = {0};
    int64_t count = -1;
    if (py_memory_hold(&memory, array, false))
        count = (int64_t)(memory.view.len / memory.view.itemsize);
    py_memory_drop(&memory);
    return count;
}

static bool
list_of_slice(struct py_selection *s, int axis)
{
    int64_t *const list = py_selection_numbers(s, s->length[axis]);
    if (!list)
        return false;
    for (int64_t i = 0; i < s->length[axis]; i++)
        list[i] = s->start[axis] + i * s->step[axis];
    s->lists[axis] = list;
    s->counts[axis] = s->length[axis];
    return true;
}

// A list of indices for each axis of the array.
static bool
take_lists(struct py_selection *s, const struct py_array *a, const struct py_parts *parts)
{
    s->pick = PY_PICK_LISTS;
    s->raw_ndim = a->ndim;
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        const int axis = part->axis;
        if (axis < 0)
            continue;
        if (part->kind == PY_PART_LIST) {
            s->length[axis] = s->counts[axis] = items_of(part->array);
            s->lists[axis] = py_selection_numbers(s, s->counts[axis]);
            if (!s->lists[axis] || !wrap_list(part->array, a, axis, s->lists[axis]))
                return false;
        } else if (!list_of_slice(s, axis)) {
            return false;
        }
        s->raw[axis] = s->length[axis];
    }
    return true;
}

// .oindex: each list is an axis of the result, in its place.
static bool
select_outer(struct py_selection *s, const struct py_array *a, const struct py_parts *parts)
{
    if (!take_lists(s, a, parts))
        return false;
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        struct py_memory memory = {0};
        if (part->kind == PY_PART_NEW)
            add_axis(s, 1);
        else if (part->kind == PY_PART_SLICE || part->kind == PY_PART_LIST)
            add_axis(s, part->axis < 0 ? 1 : s->length[part->axis]);
        if (part->kind != PY_PART_LIST)
            continue;
        const bool held = py_memory_hold(&memory, part->array, false);
        const bool one_axis = held && memory.view.ndim == 1 && part->axis >= 0;
        py_memory_drop(&memory);
        if (!one_axis) {
            if (held)
                PyErr_SetString(PyExc_IndexError, "a list of .oindex has more than one dimension");
            return false;
        }
    }
    for (int i = 0; i < a->ndim; i++)
        s->order[i] = i;
    return true;
}

// Whether the axes of the lists are the first ones of the result, wherever the lists stand.
static bool
lists_in_front(const struct py_parts *parts, enum py_index_way way)
{
    int first = -1, last = -1;
    for (int i = 0; i < parts->n; i++)
        if (is_list_like(&parts->part[i])) {
            first = first < 0 ? i : first;
            last = i;
        }
    for (int i = first; i <= last; i++)
        if (!is_list_like(&parts->part[i]))
            return true;
    return way == PY_INDEX_POINTS;
}

static void
add_common(struct py_selection *s, const struct py_common *common, int raw_axis, int *turned)
{
    for (int i = 0; i < common->ndim; i++)
        add_axis(s, common->shape[i]);
    s->order[(*turned)++] = raw_axis;
}

// The axes of the result, and which axes of the raw items they are: those of the array, or one for
// the points and one for each slice.
static void
order_axes(struct py_selection *s, const struct py_parts *parts, const struct py_common *common,
           enum py_index_way way)
{
    const bool lists = s->pick == PY_PICK_LISTS;
    const int common_axis = lists ? parts->part[common->list].axis : 0;
    bool placed = lists_in_front(parts, way);
    int turned = 0, slices = 0;

    if (placed)
        add_common(s, common, common_axis, &turned);
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (is_list_like(part) && !placed) {
            add_common(s, common, common_axis, &turned);
            placed = true;
        } else if (part->kind == PY_PART_NEW) {
            add_axis(s, 1);
        } else if (part->kind == PY_PART_SLICE) {
            add_axis(s, part->length);
            s->order[turned++] = lists ? part->axis : 1 + slices++;
        }
    }
    for (int i = 0; lists && i < parts->n; i++)
        if (parts->part[i].kind == PY_PART_NUMBER)
            s->order[turned++] = parts->part[i].axis;
    for (int i = 0; i < turned; i++)
        s->turned |= s->order[i] != i;
}

// Whether one list of indices is better taken as a list for each axis than as boxes: boxes cannot
// have steps, and lists need memory for each index of a slice.
static bool
lists_are_better(const struct py_parts *parts, const struct py_common *common)
{
    int64_t longest = 0;
    if (common->nlists != 1 || parts->part[common->list].axis < 0)
        return false;
    for (int i = 0; i < parts->n; i++) {
        const struct py_part *const part = &parts->part[i];
        if (part->kind == PY_PART_SLICE && part->step != 1)
            return true;
        if (part->kind == PY_PART_SLICE && part->length > longest)
            longest = part->length;
    }
    return longest <= LONG_LIST;
}

static bool
select_lists(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
             enum py_index_way way)
{
    struct py_common common;
    if (!py_points_common(&common, parts))
        return false;
    if (!(lists_are_better(parts, &common) ? take_lists(s, a, parts)
                                           : py_points_take(s, a, parts, &common)))
        return false;
    order_axes(s, parts, &common, way);
    return true;
}

static bool
has_lists(const struct py_parts *parts)
{
    for (int i = 0; i < parts->n; i++)
        if (parts->part[i].kind == PY_PART_LIST)
            return true;
    return false;
}

bool
py_index_select(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
                enum py_index_way way)
{
    struct py_parts placed;

    py_selection_init(s);
    s->array_ndim = a->ndim;
    s->typesize = a->typesize;
    bool ok = py_parts_place(&placed, parts, a);
    if (ok && way != PY_INDEX_OUTER && is_one_mask(&placed, a)) {
        ok = select_mask(s, a, &placed);
    } else if (ok && py_parts_open_masks(&placed)) {
        take_slices(s, &placed);
        ok = !has_lists(&placed)     ? select_slice(s, a, &placed)
             : way == PY_INDEX_OUTER ? select_outer(s, a, &placed)
                                     : select_lists(s, a, &placed, way);
    } else {
        ok = false;
    }
    py_parts_finish(&placed);
    return ok;
}

PyObject *
py_index_turn(const struct py_selection *s, PyObject *raw)
{
    int64_t order[TESS_MAX_NDIM + 1];
    for (int i = 0; i < s->raw_ndim; i++)
        order[i] = s->order[i];
    PyObject *const axes = py_memory_tuple(s->raw_ndim, order);
    PyObject *const shape = py_memory_tuple(s->ndim, s->shape);
    PyObject *const turned =
        axes && shape ? PyObject_CallMethod(raw, "transpose", "(O)", axes) : NULL;
    PyObject *const result = turned ? PyObject_CallMethod(turned, "reshape", "(O)", shape) : NULL;
    Py_XDECREF(turned);
    Py_XDECREF(shape);
    Py_XDECREF(axes);
    return result;
}

bool
py_index_numbers(PyObject *index, int *n, int64_t *numbers)
{
    const bool several = PyTuple_Check(index);
    const Py_ssize_t count = several ? PyTuple_Size(index) : 1;

    if (count > TESS_MAX_NDIM)
        return false;
    for (int i = 0; i < (int)count; i++) {
        PyObject *const value = several ? PyTuple_GetItem(index, i) : index;
        if (!PyLong_CheckExact(value))
            return false;
        numbers[i] = PyLong_AsLongLong(value);
        if (numbers[i] == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return false; // more than 64 bits: py_index_select() sets the exception
        }
    }
    *n = (int)count;
    return true;
}

bool
py_index_wrap(const struct py_array *a, const int64_t *numbers, int64_t *position)
{
    for (int axis = 0; axis < a->ndim; axis++) {
        position[axis] = py_parts_wrap(numbers[axis], a->shape[axis], axis);
        if (position[axis] < 0)
            return false;
    }
    return true;
}
