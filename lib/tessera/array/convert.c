/*
 * convert.c - boxes of an array, which may be a view, in memory of another type.
 *
 * Sources, for packed data: the NetCDF Users Guide, "Attribute Conventions", and section 8.1 of the
 * CF conventions.
 */
#include "array/convert.h"

#include "array/items/box.h"
#include "array/update.h"
#include "base/error.h"
#include "meta/dtype.h"
#include "ndcopy/convert/times.h"

#include <math.h>
#include <string.h>

static const struct {
    tess_kind kind;
    int32_t size;
    int id;
} types[] = {
    {TESS_KIND_BOOL, 1, NUMBER_B1},     {TESS_KIND_INT, 1, NUMBER_I1},
    {TESS_KIND_INT, 2, NUMBER_I2},      {TESS_KIND_INT, 4, NUMBER_I4},
    {TESS_KIND_INT, 8, NUMBER_I8},      {TESS_KIND_UINT, 1, NUMBER_U1},
    {TESS_KIND_UINT, 2, NUMBER_U2},     {TESS_KIND_UINT, 4, NUMBER_U4},
    {TESS_KIND_UINT, 8, NUMBER_U8},     {TESS_KIND_FLOAT, 2, ITEM_F2},
    {TESS_KIND_FLOAT, 4, NUMBER_F4},    {TESS_KIND_FLOAT, 8, NUMBER_F8},
    {TESS_KIND_COMPLEX, 8, ITEM_C8},    {TESS_KIND_COMPLEX, 16, ITEM_C16},
    {TESS_KIND_DATETIME, 8, ITEM_TIME}, {TESS_KIND_TIMEDELTA, 8, ITEM_TIME},
};

static bool
parse_type(const char *dtype, struct item_type *type)
{
    const tess_dtype parsed = dtype_parse(dtype);
    *type = (struct item_type){.id = -1, .turned = dtype_is_turned(&parsed)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == parsed.kind && types[i].size == parsed.size)
            type->id = types[i].id;
    return type->id >= 0 && (type->id != ITEM_TIME || time_unit_parse(dtype, &type->unit));
}

static tess_status
memory_type(const char *dtype, struct item_type *type, tess_error *err)
{
    if (strcmp(dtype, TESS_DTYPE_BF16) == 0) {
        *type = (struct item_type){.id = ITEM_BF16};
        return TESS_OK;
    }
    return parse_type(dtype, type) ? TESS_OK
                                   : err_set(err, TESS_ERR_UNSUPPORTED, -1,
                                             "%.80s is no type of numbers or times", dtype);
}

tess_status
typed_init(struct typed *t, const tess_array *a, const char *dtype, const tess_conversion *how,
           bool writing, tess_error *err)
{
    const char *const stored = a->nd.dtype ? a->nd.dtype : "";
    struct item_type memory, array;
    tess_status st = memory_type(dtype, &memory, err);
    if (st == TESS_OK &&
        (!parse_type(stored, &array) || convert_item_size(&array) != a->g->typesize))
        st = err_set(err, TESS_ERR_UNSUPPORTED, -1,
                     "items of the array, of type \"%.80s\", are no numbers or times", stored);
    if (st != TESS_OK)
        return st;
    t->itemsize = convert_item_size(&memory);
    t->as = (struct converted){
        .how = &t->converter, .dtype = writing ? stored : dtype, .ndim = a->g->ndim};
    st = writing ? converter_init(&t->converter, &memory, &array, how, true, err)
                 : converter_init(&t->converter, &array, &memory, how, false, err);
    return st == TESS_OK ? st : err_prefix(err, st, "%.80s and %.80s", stored, dtype);
}

// Items have the indices of the caller.
static void
name_items(struct converted *as, const int64_t *start)
{
    for (int i = 0; i < as->ndim; i++) {
        as->axis[i] = i;
        as->first[i] = start[i];
        as->step[i] = 1;
    }
}

tess_status
typed_read(struct typed *t, const tess_array *a, const struct box *box,
           const struct box_memory *dst, struct watch *watch, tess_error *err)
{
    struct box_memory to = *dst;
    name_items(&t->as, box->start);
    to.as = t->converter.count > 0 ? &t->as : NULL;
    return array_read(a, box, &to, watch, err);
}

static tess_status
check_fit(const struct typed *t, const struct box *box, const struct box_memory_const *src,
          tess_error *err)
{
    static const int64_t none[NDIM_MAX] = {0};
    struct converted as = t->as;
    int64_t extent[NDIM_MAX];
    int64_t nitems = 1;
    if (t->converter.certain)
        return TESS_OK;
    for (int i = 0; i < as.ndim; i++) {
        extent[i] = box->stop[i] - box->start[i];
        nitems *= extent[i];
    }
    const int64_t done = convert_try(&t->converter, as.ndim, extent, src->items, src->stride);
    name_items(&as, box->start);
    return done == nitems ? TESS_OK : converted_misfit(&as, as.ndim, none, extent, done, err);
}

tess_status
typed_write(const struct typed *t, tess_array *a, const struct box *box,
            const struct box_memory_const *src, struct watch *watch, tess_error *err)
{
    struct box_memory_const from = *src;
    const tess_status st = check_fit(t, box, src, err);
    if (st != TESS_OK)
        return st;
    from.as = t->converter.count > 0 ? &t->converter : NULL;
    return array_update_box(a, box, &from, watch, err);
}

// -- a conversion from attributes, by the conventions of netCDF and CF for packed data

enum { SCALE, OFFSET, FILL, MISSING, VALID_MIN, VALID_MAX, VALID_RANGE };

// The last one that sets a bound counts.
const char *const packing_names[PACKING_NAMES] = {
    [SCALE] = "scale_factor",      [OFFSET] = "add_offset",   [FILL] = "_FillValue",
    [MISSING] = "missing_value",   [VALID_MIN] = "valid_min", [VALID_MAX] = "valid_max",
    [VALID_RANGE] = "valid_range",
};

static bool
number_of_value(const tess_value *value, tess_number *x)
{
    *x = (tess_number){0};
    switch (value->type) {
    case TESS_VALUE_BOOL:
        x->kind = TESS_KIND_INT;
        x->i = value->as.boolean;
        return true;
    case TESS_VALUE_INT:
        x->kind = TESS_KIND_INT;
        x->i = value->as.i64;
        return true;
    case TESS_VALUE_UINT:
        x->kind = TESS_KIND_UINT;
        x->u = value->as.u64;
        return true;
    case TESS_VALUE_FLOAT:
        x->kind = TESS_KIND_FLOAT;
        x->f = value->as.f64;
        return true;
    default:
        return false;
    }
}

static double
double_of_number(const tess_number *x)
{
    return x->kind == TESS_KIND_INT    ? (double)x->i
           : x->kind == TESS_KIND_UINT ? (double)x->u
                                       : x->f;
}

// A number, or a list of one, as netCDF makes of it.
static bool
single_of(const tess_value *value, tess_number *x)
{
    if (value->type == TESS_VALUE_LIST && value->as.list.count == 1)
        value = value->as.list.items;
    return number_of_value(value, x);
}

static bool
is_same(const tess_number *x, const tess_number *y)
{
    const bool none = x->kind == TESS_KIND_FLOAT && isnan(x->f);
    if (x->kind != y->kind)
        return false;
    return x->i == y->i && x->u == y->u && (x->f == y->f || (none && isnan(y->f)));
}

static tess_status
add_missing(tess_conversion *how, const tess_number *x, tess_error *err)
{
    for (int i = 0; i < how->nmissing; i++)
        if (is_same(&how->missing[i], x))
            return TESS_OK;
    if (how->nmissing == TESS_MISSING_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "more than %d missing values", TESS_MISSING_MAX);
    how->missing[how->nmissing++] = *x;
    return TESS_OK;
}

static tess_status
take_missing(tess_conversion *how, const tess_value *value, tess_error *err)
{
    const bool list = value->type == TESS_VALUE_LIST;
    const size_t n = list ? value->as.list.count : 1;
    for (size_t i = 0; i < n; i++) {
        tess_number x;
        if (!number_of_value(list ? &value->as.list.items[i] : value, &x))
            continue;
        const tess_status st = add_missing(how, &x, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

static void
take_bound(tess_number *bound, const tess_number *x)
{
    if (x->kind != TESS_KIND_FLOAT || isfinite(x->f))
        *bound = *x;
}

static void
take_range(tess_conversion *how, const tess_value *value)
{
    tess_number least, most;
    if (value->type == TESS_VALUE_LIST && value->as.list.count == 2 &&
        number_of_value(&value->as.list.items[0], &least) &&
        number_of_value(&value->as.list.items[1], &most)) {
        take_bound(&how->least, &least);
        take_bound(&how->most, &most);
    }
}

tess_status
packing_take(tess_conversion *how, int n, const tess_value *value, tess_error *err)
{
    tess_number x;
    if (n == FILL || n == MISSING)
        return take_missing(how, value, err);
    if (n == VALID_RANGE)
        take_range(how, value);
    if (n == VALID_RANGE || !single_of(value, &x))
        return TESS_OK;
    if (n == VALID_MIN)
        take_bound(&how->least, &x);
    else if (n == VALID_MAX)
        take_bound(&how->most, &x);
    else if (n == OFFSET && isfinite(double_of_number(&x)))
        how->offset = double_of_number(&x);
    else if (n == SCALE && isfinite(double_of_number(&x)) && double_of_number(&x) != 0)
        how->scale = double_of_number(&x);
    return TESS_OK;
}
