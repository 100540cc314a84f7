/*
 * index.c - indices of NumPy as what a function of the library selects.
 *
 * Where lists of indices and slices meet, the lists are broadcast against each other, and their
 * axes stand in the result where the first list stood; or in front, if something else than a number
 * stands between two lists. Beside lists, a number is a list without axes. That is NumPy's rule.
 */
#include "python/src/items/index.h"

#include "python/src/base/memory.h"
#include "python/src/base/names.h"
#include "python/src/items/parts.h"

#include <string.h>

// Indices of an axis that a slice becomes where the library takes lists; longer slices are boxes.
#define LONG_LIST ((int64_t)1 << 20)

static bool
is_list_like(const struct py_part *part)
{
    return part->kind == PY_PART_LIST || part->kind == PY_PART_NUMBER;
}

// Memory that the selection owns; NULL: MemoryError is set.
static int64_t *
new_numbers(struct py_selection *s, int64_t count)
{
    int64_t *numbers = NULL;
    if (count >= 0 && count < PY_SSIZE_T_MAX / (Py_ssize_t)sizeof *numbers)
        numbers = PyMem_Malloc((size_t)(count + !count) * sizeof *numbers);
    if (!numbers)
        PyErr_NoMemory();
    else
        s->memory[s->nmemory++] = numbers;
    return numbers;
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
    s->scalar = s->ndim == 0 && !parts->ellipsis;
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
    s->pick = PY_PICK_MASK;
    s->mask = Py_NewRef(parts->part[0].array);
    s->mask_ndim = parts->part[0].naxes;
    s->raw[s->raw_ndim++] = -1;
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
    int64_t *const list = new_numbers(s, s->length[axis]);
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
            s->lists[axis] = new_numbers(s, s->counts[axis]);
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
                PyErr_SetString(PyExc_IndexError, "each list of .oindex has one axis");
            return false;
        }
    }
    for (int i = 0; i < a->ndim; i++)
        s->order[i] = i;
    return true;
}

// The shape to which all lists are broadcast.
struct common {
    int ndim;
    int64_t shape[PY_MAX_NDIM];
    int64_t count; // of its items
    int nlists;
    int list; // the part of one of them
};

static bool
widen_common(struct common *common, const Py_buffer *list)
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

static bool
find_common(struct common *common, const struct py_parts *parts)
{
    bool ok = true;
    *common = (struct common){.count = 1};
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
add_common(struct py_selection *s, const struct common *common, int raw_axis, int *turned)
{
    for (int i = 0; i < common->ndim; i++)
        add_axis(s, common->shape[i]);
    s->order[(*turned)++] = raw_axis;
}

// The axes of the result, and which axes of the raw items they are: those of the array, or one for
// the points and one for each slice.
static void
order_axes(struct py_selection *s, const struct py_parts *parts, const struct common *common,
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
list_steps(const struct common *common, const Py_buffer *list, int64_t *steps)
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
            const struct common *common, int64_t inner)
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
            const struct common *common, int64_t inner)
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

// Points, or boxes of the slices at points.
static bool
take_points(struct py_selection *s, const struct py_array *a, const struct py_parts *parts,
            const struct common *common)
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
    s->points = new_numbers(s, s->npoints * a->ndim);
    return s->points && fill_points(s, a, parts, common, inner);
}

// Whether one list of indices is better taken as a list for each axis than as boxes: boxes cannot
// have steps, and lists need memory for each index of a slice.
static bool
lists_are_better(const struct py_parts *parts, const struct common *common)
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
    struct common common;
    if (!find_common(&common, parts))
        return false;
    if (!(lists_are_better(parts, &common) ? take_lists(s, a, parts)
                                           : take_points(s, a, parts, &common)))
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
py_index_parse(struct py_selection *s, const struct py_array *a, PyObject *index,
               enum py_index_way way)
{
    struct py_parts parts;

    s->mask = NULL;
    s->nmemory = s->ndim = s->raw_ndim = 0;
    s->scalar = s->turned = false;
    bool ok = py_parts_parse(&parts, a, index);
    if (ok && way != PY_INDEX_OUTER && is_one_mask(&parts, a)) {
        ok = select_mask(s, a, &parts);
    } else if (ok && py_parts_open_masks(&parts)) {
        take_slices(s, &parts);
        ok = !has_lists(&parts)      ? select_slice(s, a, &parts)
             : way == PY_INDEX_OUTER ? select_outer(s, a, &parts)
                                     : select_lists(s, a, &parts, way);
    } else {
        ok = false;
    }
    py_parts_finish(&parts);
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

void
py_index_finish(struct py_selection *s)
{
    for (int i = 0; i < s->nmemory; i++)
        PyMem_Free(s->memory[i]);
    s->nmemory = 0;
    Py_CLEAR(s->mask);
}

int
py_index_item(const struct py_array *a, PyObject *index, int64_t *position)
{
    const bool several = PyTuple_Check(index);
    if ((several ? PyTuple_Size(index) : 1) != a->ndim)
        return 0;
    for (int axis = 0; axis < a->ndim; axis++) {
        PyObject *const value = several ? PyTuple_GetItem(index, axis) : index;
        if (!PyLong_CheckExact(value))
            return 0;
        const int64_t number = PyLong_AsLongLong(value);
        if (number == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return 0; // more than 64 bits: the long way has the words
        }
        position[axis] = py_parts_wrap(number, a->shape[axis], axis);
        if (position[axis] < 0)
            return -1;
    }
    return 1;
}
