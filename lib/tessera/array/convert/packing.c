/*
 * packing.c - a conversion from attributes, by the conventions of netCDF and CF for packed data.
 *
 * Sources: the NetCDF Users Guide, "Attribute Conventions", and section 8.1 of the CF conventions.
 */
#include "array/convert/packing.h"

#include <math.h>

enum { SCALE, OFFSET, FILL, MISSING, VALID_MIN, VALID_MAX, VALID_RANGE };

// The last one that sets a bound counts.
const char *const packing_names[PACKING_NAMES] = {
    [SCALE] = "scale_factor",      [OFFSET] = "add_offset",   [FILL] = "_FillValue",
    [MISSING] = "missing_value",   [VALID_MIN] = "valid_min", [VALID_MAX] = "valid_max",
    [VALID_RANGE] = "valid_range",
};

static bool
number_of(const tess_value *value, tess_number *x)
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
double_of(const tess_number *x)
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
    return number_of(value, x);
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
        if (!number_of(list ? &value->as.list.items[i] : value, &x))
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
        number_of(&value->as.list.items[0], &least) && number_of(&value->as.list.items[1], &most)) {
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
    else if (n == OFFSET && isfinite(double_of(&x)))
        how->offset = double_of(&x);
    else if (n == SCALE && isfinite(double_of(&x)) && double_of(&x) != 0)
        how->scale = double_of(&x);
    return TESS_OK;
}
