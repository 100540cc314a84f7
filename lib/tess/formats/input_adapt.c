/*
 * input_adapt.c - converts items if the attributes of input and array differ in missing values,
 * bounds, scale or offset.
 *
 * Copied unchanged, such items would change their meaning: a missing value of the input would be a
 * number in the array, and a packed number would be unpacked with the scale of the array. So items
 * are decoded with the attributes of the input into doubles, missing ones as NaN, and encoded with
 * the attributes of the array. The input is refused if the array has no missing value that encodes
 * NaN, or doubles cannot represent the items.
 *
 * Items of an input without such attributes (raw items) are taken as the array stores them.
 */
#include "formats/input.h"

#include "formats/attributes.h"
#include "report.h"

#include <tessera/attr.h>
#include <tessera/slice.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// In groups: scale and offset, missing values, bounds.
static const char *const names[] = {"scale_factor", "add_offset", "_FillValue", "missing_value",
                                    "valid_range",  "valid_min",  "valid_max"};
enum { SCALING = 0, MISSING = 2, BOUNDS = 4, NAMES = 7 };

// Input and array, whose attributes are compared.
struct sides {
    const tess_array *from, *to; // arrays with the attributes of input and array
    const char *from_dtype, *to_dtype;
    tess_conversion read, write;
};

static bool
has_any(const tess_array *a)
{
    for (int i = 0; i < NAMES; i++)
        if (attributes_of_array_have(a, names[i]))
            return true;
    return false;
}

// An attribute as JSON, or "none"; the caller frees it. NULL: no memory.
static char *
text_of(const tess_array *a, const char *name)
{
    char *json = NULL;
    if (!attributes_of_array_have(a, name) || tess_attr_get_json(a, name, &json, NULL) != TESS_OK)
        return strdup("none");
    char *const text = strdup(json);
    tess_free(json);
    return text;
}

// Fail with a message about the first attribute that differs, starting at names[first].
static tess_status
refuse(const struct sides *s, int first, const char *why, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int i = first; i < NAMES && st == TESS_OK; i++) {
        char *const from = text_of(s->from, names[i]), *const to = text_of(s->to, names[i]);
        if (!from || !to)
            st = report_nomem(err, 1);
        else if (strcmp(from, to) != 0)
            st = report_set(err, TESS_ERR_ARG, "attribute %s: %.60s here, %.60s in the array: %s",
                            names[i], from, to, why);
        free(from);
        free(to);
    }
    return st;
}

static double
double_of(const tess_number *x)
{
    return x->kind == TESS_KIND_INT    ? (double)x->i
           : x->kind == TESS_KIND_UINT ? (double)x->u
                                       : x->f;
}

static bool
is_missing(const tess_conversion *how, double v)
{
    for (int i = 0; i < how->nmissing; i++)
        if (double_of(&how->missing[i]) == v)
            return true;
    return false;
}

// Whether all missing values of `b` are missing values of `a`. NaN always is one.
static bool
has_all_missing(const tess_conversion *a, const tess_conversion *b)
{
    for (int i = 0; i < b->nmissing; i++)
        if (!isnan(double_of(&b->missing[i])) && !is_missing(a, double_of(&b->missing[i])))
            return false;
    return true;
}

static bool
is_same_bound(const tess_number *a, const tess_number *b)
{
    return ((int)a->kind == 0) == ((int)b->kind == 0) &&
           ((int)a->kind == 0 || double_of(a) == double_of(b));
}

static bool
is_same_scaling(const struct sides *s)
{
    return s->read.scale == s->write.scale && s->read.offset == s->write.offset;
}

static bool
has_bounds_of_its_own(const struct sides *s)
{
    return ((int)s->read.least.kind != 0 && !is_same_bound(&s->read.least, &s->write.least)) ||
           ((int)s->read.most.kind != 0 && !is_same_bound(&s->read.most, &s->write.most));
}

static bool
is_same(const struct sides *s)
{
    return is_same_scaling(s) && has_all_missing(&s->read, &s->write) &&
           has_all_missing(&s->write, &s->read) && !has_bounds_of_its_own(s);
}

static bool
is_packed(const tess_array *a)
{
    return attributes_of_array_have(a, "scale_factor") || attributes_of_array_have(a, "add_offset");
}

// Fail if the items cannot be converted.
static tess_status
check(const struct sides *s, tess_error *err)
{
    const tess_dtype x = tess_dtype_parse(s->from_dtype), y = tess_dtype_parse(s->to_dtype);
    const bool floats = y.kind == TESS_KIND_FLOAT;
    const bool valued = s->write.nmissing > 0 || floats; // there is a missing value to write

    if (!strchr("iuf", (char)x.kind) || !strchr("iuf", (char)y.kind) || x.size > 8 || y.size > 8)
        return refuse(s, SCALING, "only numbers are converted", err);
    if ((x.size == 8 && x.kind != TESS_KIND_FLOAT) || (y.size == 8 && !floats))
        return refuse(s, SCALING,
                      "doubles, in which items are converted, hold no integers of 8 bytes", err);
    if (!is_same_scaling(s) && is_packed(s->from) != is_packed(s->to) &&
        x.kind != TESS_KIND_FLOAT && !floats)
        return refuse(s, SCALING, "integers of which only some are packed", err);
    if (!valued && s->read.nmissing > 0)
        return refuse(s, MISSING, "no value of the array stands for missing ones", err);
    if (!valued && has_bounds_of_its_own(s))
        return refuse(s, BOUNDS, "no value of the array stands for items outside", err);
    return TESS_OK;
}

// Make an array without items that has the attributes of a source.
static tess_status
describe(struct source *source, tess_array **a, tess_error *err)
{
    const int64_t none = 0;
    tess_status st = TESS_OK;
    tess_storage memory;
    tess_params p;

    tess_storage_init(&memory);
    tess_params_init(&p);
    p.dtype = source->dtype;
    p.typesize = source->typesize;
    p.ndim = 1;
    p.shape[0] = none;
    TRY(tess_array_uninit(&memory, &p, a, err));
    if (source->describe)
        TRY(source->describe(source, err));
    for (int i = 0; i < NAMES; i++) {
        const struct attribute *const x = attributes_find(&source->attributes, names[i]);
        if (x)
            TRY(tess_attr_set(*a, names[i], &x->value, err));
    }
out:
    return st;
}

static tess_status
compare(struct input *in, struct sides *s, int misfit, tess_error *err)
{
    const bool floats_here = tess_dtype_parse(s->from_dtype).kind == TESS_KIND_FLOAT;
    const tess_kind there = tess_dtype_parse(s->to_dtype).kind;
    tess_status st = TESS_OK;

    TRY(tess_conversion_from_attributes(s->from, &s->read, err));
    TRY(tess_conversion_from_attributes(s->to, &s->write, err));
    // floats written to an array of packed integers are unpacked numbers: they are packed
    const bool packs =
        floats_here && (there == TESS_KIND_INT || there == TESS_KIND_UINT) && is_packed(s->to);
    if ((!has_any(s->from) && !packs) || is_same(s))
        return TESS_OK;
    TRY(check(s, err));
    if (is_same_scaling(s)) { // no unpacking: the stored numbers are kept exactly
        s->read.scale = s->write.scale = 1;
        s->read.offset = s->write.offset = 0;
    }
    s->write.misfit = misfit;
    in->converted = true;
    in->read = s->read;
    in->write = s->write;
    in->rounds = there != TESS_KIND_FLOAT;
    in->dtype = TESS_DTYPE_F64;
    in->typesize = sizeof(double);
    in->swapped = 0;
out:
    return st;
}

tess_status
input_adapt(struct input *in, const tess_array *a, const tess_info *info, int misfit,
            tess_error *err)
{
    struct sides s = {.from = in->array, .to = a, .from_dtype = in->dtype, .to_dtype = info->dtype};
    tess_array *scratch = NULL;
    tess_status st = TESS_OK;

    if (in->borrowed || !in->dtype || !info->dtype)
        return TESS_OK;
    if (in->source) {
        TRY(describe(in->source, &scratch, err));
        s.from = scratch;
    }
    TRY(compare(in, &s, misfit, err));
out:
    tess_array_discard(scratch);
    return st;
}

tess_status
input_compare(tess_array *from, const tess_array *to, const tess_info *info, tess_error *err)
{
    struct input in = {.array = from};
    struct sides s = {.from = from, .to = to, .to_dtype = info->dtype};
    tess_info other;

    tess_array_info(from, &other);
    in.dtype = s.from_dtype = other.dtype;
    if (!other.dtype || !info->dtype)
        return TESS_OK;
    const tess_status st = compare(&in, &s, TESS_MISFIT_ERROR, err);
    return st == TESS_OK && in.converted
               ? refuse(&s, SCALING, "tess append converts such items", err)
               : st;
}

// Convert the items of a source, at the start of dst, to doubles in place.
static tess_status
unpack(const struct input *in, int64_t count, void *dst, size_t size, tess_error *err)
{
    const int64_t zero = 0;
    tess_array *one = NULL;
    tess_status st = TESS_OK;
    tess_storage memory;
    tess_params p;

    tess_storage_init(&memory);
    tess_params_init(&p);
    p.dtype = in->source->dtype;
    p.ndim = 1;
    p.shape[0] = count;
    p.clevel = 0;
    TRY(tess_array_from(&memory, &p, dst, (size_t)(count * in->source->typesize), &one, err));
    TRY(tess_array_read_as(one, &zero, &count, TESS_DTYPE_F64, &in->read, dst, size, NULL, err));
out:
    tess_array_discard(one);
    return st;
}

tess_status
input_read_converted(const struct input *in, const int64_t *start, const int64_t *stop, void *dst,
                     size_t size, tess_error *err)
{
    if (in->array)
        return tess_array_read_as(in->array, start, stop, TESS_DTYPE_F64, &in->read, dst, size,
                                  NULL, err);
    const tess_status st = in->source->read(in->source, start, stop, dst, err);
    return st == TESS_OK ? unpack(in, (int64_t)(size / sizeof(double)), dst, size, err) : st;
}

// Fail if a number would be stored as a missing value of the array.
static tess_status
check_numbers(const struct input *in, const double *items, size_t n, tess_error *err)
{
    const tess_conversion *const how = &in->write;
    for (size_t i = 0; i < n && how->nmissing > 0; i++) {
        const double exact = (items[i] - how->offset) / how->scale;
        const double stored = in->rounds ? rint(exact) : exact;
        if (is_missing(how, stored))
            return report_set(err, TESS_ERR_LIMIT,
                              "%.17g is a number here, and would become %.17g in the array, which "
                              "stands for missing values there",
                              items[i], stored);
    }
    return TESS_OK;
}

tess_status
input_write(const struct input *in, tess_array *a, const int64_t *start, const int64_t *stop,
            const void *items, size_t size, const int64_t *strides, tess_error *err)
{
    if (!in->converted)
        return tess_array_set_slice(a, start, stop, NULL, items, size, strides, err);
    const tess_status st = check_numbers(in, items, size / sizeof(double), err);
    return st == TESS_OK ? tess_array_write_as(a, start, stop, in->dtype, &in->write, items, size,
                                               strides, err)
                         : st;
}
