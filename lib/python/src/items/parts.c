/*
 * parts.c - parses an index into its parts (separated by commas), and assigns axes to them.
 */
#include "items/parts.h"

#include "base/dtype.h"
#include "base/memory.h"
#include "base/names.h"

#include <string.h>

int64_t
py_parts_wrap(int64_t index, int64_t length, int axis)
{
    if (index >= -length && index < length)
        return index < 0 ? index + length : index;
    PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld",
                 (long long)index, axis, (long long)length);
    return -1;
}

static bool
take_number(struct py_part *part, PyObject *value)
{
    part->kind = PY_PART_NUMBER;
    part->naxes = 1;
    part->start = PyNumber_AsSsize_t(value, PyExc_IndexError);
    return !PyErr_Occurred();
}

// An array of the program as one of `dtype` in C order.
static PyObject *
converted(PyObject *array, PyObject *dtype)
{
    return PyObject_CallFunction(py_names.asarray, "OOs", array, dtype, "C");
}

// Number of axes; -1: an exception is set.
static int
axes_of(PyObject *array)
{
    PyObject *const ndim = PyObject_GetAttrString(array, "ndim");
    const long n = ndim ? PyLong_AsLong(ndim) : -1;
    Py_XDECREF(ndim);
    return (int)n;
}

// Whether a value is an empty list or tuple, or holds nothing but such: NumPy makes floats of it.
static bool
is_empty_list(PyObject *value, PyObject *array)
{
    if (!PyList_Check(value) && !PyTuple_Check(value))
        return false;
    PyObject *const size = PyObject_GetAttrString(array, "size");
    const bool empty = size && PyLong_AsLong(size) == 0;
    Py_XDECREF(size);
    return empty;
}

// What NumPy makes an array of: a number, a list of numbers or a mask.
static bool
take_array(struct py_part *part, PyObject *value)
{
    PyObject *const array = PyObject_CallFunctionObjArgs(py_names.asarray, value, NULL);
    PyObject *const dtype = array ? PyObject_GetAttrString(array, "dtype") : NULL;
    const char kind = dtype ? py_dtype_kind(dtype) : 0;
    const int ndim = kind ? axes_of(array) : -1;
    const bool empty_list = ndim > 0 && is_empty_list(value, array);
    bool ok = ndim >= 0 && !PyErr_Occurred();

    if (ok && kind == 'b') {
        part->kind = PY_PART_MASK;
        part->naxes = ndim;
        part->array = converted(array, py_names.bytes_1);
    } else if (ok && ndim == 0 && (kind == 'i' || kind == 'u' || kind == 'O')) {
        ok = PyIndex_Check(value) || kind != 'O' ? take_number(part, value) : false;
    } else if (ok && (kind == 'i' || kind == 'u' || empty_list)) {
        part->kind = PY_PART_LIST;
        part->naxes = 1;
        part->array = converted(array, py_names.i8);
    } else {
        ok = false;
    }
    if (!ok && !PyErr_Occurred())
        PyErr_Format(PyExc_IndexError,
                     "an index is a number, a slice, '...', None, or an array of integers or bool, "
                     "not %R",
                     value);
    Py_XDECREF(dtype);
    Py_XDECREF(array);
    return ok && !PyErr_Occurred();
}

static bool
take_slice(struct py_part *part, PyObject *value)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(value, &start, &stop, &step) < 0)
        return false;
    part->kind = PY_PART_SLICE;
    part->naxes = 1;
    part->start = start;
    part->stop = stop;
    part->step = step;
    return true;
}

// Parse one part.
static bool
take_part(struct py_part *part, PyObject *value)
{
    *part = (struct py_part){.axis = -1};
    if (PyLong_CheckExact(value))
        return take_number(part, value);
    if (PySlice_Check(value))
        return take_slice(part, value);
    if (value == Py_None) {
        part->kind = PY_PART_NEW;
        return true;
    }
    return take_array(part, value);
}

static void
place_slice(struct py_part *part, int64_t length)
{
    Py_ssize_t start = (Py_ssize_t)part->start, stop = (Py_ssize_t)part->stop;
    const Py_ssize_t step = (Py_ssize_t)part->step;

    part->length = PySlice_AdjustIndices((Py_ssize_t)length, &start, &stop, step);
    part->start = start;
    // NumPy clips a slice by its length; the library requires a clipped end
    part->stop =
        part->length == 0 ? start : start + (part->length - 1) * step + (step > 0 ? 1 : -1);
}

// Whether a mask has the lengths of the axes that it is for.
static bool
mask_fits(const struct py_part *part, const int64_t *shape)
{
    struct py_memory memory = {0};
    bool ok = py_memory_hold(&memory, part->array, false);

    for (int i = 0; ok && i < part->naxes; i++)
        if (memory.view.shape[i] != shape[part->axis + i]) {
            PyErr_Format(PyExc_IndexError,
                         "boolean index did not match indexed array along dimension %d; dimension "
                         "is %lld but corresponding boolean dimension is %zd",
                         part->axis + i, (long long)shape[part->axis + i], memory.view.shape[i]);
            ok = false;
        }
    py_memory_drop(&memory);
    return ok;
}

// Give a part its axes, from *axis on.
static bool
place_part(struct py_part *part, const struct py_array *a, int *axis)
{
    if (part->naxes == 0)
        return true;
    part->axis = *axis;
    *axis += part->naxes;
    if (part->kind == PY_PART_SLICE)
        place_slice(part, a->shape[part->axis]);
    if (part->kind == PY_PART_MASK)
        return mask_fits(part, a->shape);
    if (part->kind == PY_PART_NUMBER) {
        part->start = py_parts_wrap(part->start, a->shape[part->axis], part->axis);
        return part->start >= 0;
    }
    return true;
}

// Whole axes, for an Ellipsis and behind the last part.
static bool
add_whole(struct py_parts *parts, const struct py_array *a, int count, int *axis)
{
    for (int i = 0; i < count; i++, (*axis)++) {
        if (parts->n == PY_MAX_PARTS)
            return false;
        parts->part[parts->n++] = (struct py_part){.kind = PY_PART_SLICE,
                                                   .axis = *axis,
                                                   .naxes = 1,
                                                   .stop = a->shape[*axis],
                                                   .step = 1,
                                                   .length = a->shape[*axis]};
    }
    return true;
}

static bool
too_many(const struct py_array *a, int used)
{
    PyErr_Format(PyExc_IndexError,
                 "too many indices for array: array is %d-dimensional, but %d were indexed",
                 a->ndim, used);
    return false;
}

bool
py_parts_place(struct py_parts *placed, const struct py_parts *parts, const struct py_array *a)
{
    const int missing = a->ndim - parts->used;
    int axis = 0;
    bool ok = missing >= 0 || too_many(a, parts->used);

    placed->n = 0;
    placed->used = a->ndim;
    placed->ellipsis = parts->ellipsis;
    for (int i = 0; i <= parts->n && ok; i++) {
        if (i == parts->ellipsis && missing == 0)
            placed->part[placed->n++] = (struct py_part){.kind = PY_PART_GAP, .axis = -1};
        if (i == parts->ellipsis || (parts->ellipsis < 0 && i == parts->n))
            ok = add_whole(placed, a, missing, &axis);
        if (i == parts->n || !ok)
            break;
        struct py_part *const part = &placed->part[placed->n++];
        *part = parts->part[i];
        Py_XINCREF(part->array);
        ok = place_part(part, a, &axis);
    }
    return ok;
}

bool
py_parts_parse(struct py_parts *parts, const struct py_array *a, PyObject *index)
{
    const bool several = PyTuple_Check(index);
    const Py_ssize_t count = several ? PyTuple_Size(index) : 1;

    parts->n = parts->used = 0;
    parts->ellipsis = -1;
    if (count > PY_MAX_NDIM - 2)
        return too_many(a, (int)(count > INT32_MAX ? INT32_MAX : count));
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *const value = several ? PyTuple_GetItem(index, i) : index;
        if (value == Py_Ellipsis) {
            if (parts->ellipsis >= 0) {
                PyErr_SetString(PyExc_IndexError,
                                "an index can only have a single ellipsis ('...')");
                return false;
            }
            parts->ellipsis = parts->n;
            continue;
        }
        struct py_part *const part = &parts->part[parts->n++];
        if (!take_part(part, value))
            return false;
        parts->used += part->naxes;
    }
    return true;
}

// True and False, which are masks of no axis: a list of one index of no axis, or of none.
static bool
open_flag(struct py_part *part)
{
    struct py_memory memory = {0};
    int64_t length = 0;

    if (!py_memory_hold(&memory, part->array, false))
        return false;
    length = *(const char *)memory.view.buf ? 1 : 0;
    py_memory_drop(&memory);
    if (!py_memory_empty(&memory, 1, &length, py_names.i8))
        return false;
    memset(memory.view.buf, 0, (size_t)length * sizeof(int64_t));
    Py_DECREF(part->array);
    part->array = py_memory_take(&memory);
    part->kind = PY_PART_LIST;
    return true;
}

// A mask of the parts, at `at`, as as many lists as it has axes.
static bool
open_mask(struct py_parts *parts, int at)
{
    const struct py_part mask = parts->part[at];
    const int more = mask.naxes - 1;
    PyObject *const lists = PyObject_CallFunctionObjArgs(py_names.nonzero, mask.array, NULL);

    if (!lists || parts->n + more > PY_MAX_PARTS) {
        Py_XDECREF(lists);
        return false;
    }
    memmove(&parts->part[at + 1 + more], &parts->part[at + 1],
            (size_t)(parts->n - at - 1) * sizeof mask);
    parts->n += more;
    for (int i = 0; i < mask.naxes; i++)
        parts->part[at + i] =
            (struct py_part){.kind = PY_PART_LIST, .axis = mask.axis + i, .naxes = 1};
    for (int i = 0; i < mask.naxes && !PyErr_Occurred(); i++)
        parts->part[at + i].array = converted(PyTuple_GetItem(lists, i), py_names.i8);
    Py_DECREF(mask.array);
    Py_DECREF(lists);
    return !PyErr_Occurred();
}

bool
py_parts_open_masks(struct py_parts *parts)
{
    for (int i = 0; i < parts->n; i++)
        if (parts->part[i].kind == PY_PART_MASK &&
            !(parts->part[i].naxes == 0 ? open_flag(&parts->part[i]) : open_mask(parts, i)))
            return false;
    return true;
}

void
py_parts_finish(struct py_parts *parts)
{
    for (int i = 0; i < parts->n; i++)
        Py_CLEAR(parts->part[i].array);
    parts->n = 0;
}
