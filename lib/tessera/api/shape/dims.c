/*
 * dims.c - the public functions on names of dimensions and on coordinates.
 */
#include "array/dims/dims.h"
#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geom/index_map.h"
#include "task/watch.h"

#include <tessera/attr.h>
#include <tessera/convert.h>
#include <tessera/dims.h>
#include <tessera/meta.h>

#include <inttypes.h>
#include <string.h>

// -- names

// The names point into *value, which is to be freed, also after a failure.
static tess_status
get_names(const tess_array *a, tess_value **value, struct names *names, tess_error *err)
{
    *value = NULL;
    const tess_status st = tess_attr_get(a, TESS_DIMS_ATTRIBUTE, value, err);
    return st == TESS_OK ? names_take(a, *value, names, err) : st;
}

TESS_API tess_status
tess_dims_get(const tess_array *a, const char ***names, tess_error *err)
{
    UNCANCELLED;
    tess_value *value;
    struct names own;
    if (!names)
        return err_set(err, TESS_ERR_ARG, -1, "no place for names is given");
    *names = NULL;
    tess_status st = get_names(a, &value, &own, err);
    if (st == TESS_OK)
        st = names_copy(&own, a->g->ndim, names, err);
    mem_free(value);
    return st;
}

TESS_API tess_status
tess_dims_set(tess_array *a, const char *const *names, tess_error *err)
{
    UNCANCELLED;
    uint8_t *content = NULL;
    size_t size = 0;
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = check_no_view(a, err);
    if (st == TESS_OK && !names && a->g->ndim > 0)
        st = err_set(err, TESS_ERR_ARG, -1, "no names are given");
    if (st == TESS_OK)
        st = names_pack(names, a->g->ndim, &content, &size, err);
    if (st == TESS_OK)
        st = tess_vlmeta_set(a, TESS_DIMS_ATTRIBUTE, content, size, err);
    mem_free(content);
    return st;
}

TESS_API tess_status
tess_dims_find(const tess_array *a, const char *name, int *axis, tess_error *err)
{
    UNCANCELLED;
    tess_value *value;
    struct names names;
    if (!name || name[0] == '\0' || !axis)
        return err_set(err, TESS_ERR_ARG, -1, "no name, or no place for an axis is given");
    tess_status st = get_names(a, &value, &names, err);
    int found = 0;
    while (st == TESS_OK && found < a->g->ndim && strcmp(names.of[found], name) != 0)
        found++;
    if (st == TESS_OK && found == a->g->ndim)
        st = err_set(err, TESS_ERR_NOT_FOUND, -1, "no axis is called \"%.80s\"", name);
    if (st == TESS_OK)
        *axis = found;
    mem_free(value);
    return st;
}

// -- coordinates

// Whether an array can be the coordinate of an axis.
static tess_status
check_coord(const tess_array *a, int base_axis, const char *name, const tess_array *coord,
            tess_error *err)
{
    const int64_t n = view_base_const(a)->g->shape[base_axis];
    if (coord->g->ndim != 1)
        return err_set(err, TESS_ERR_TYPE, -1, "the array \"%.80s\" has %d dimensions, not 1", name,
                       coord->g->ndim);
    if (coord->g->shape[0] != n)
        return err_set(err, TESS_ERR_TYPE, -1,
                       "the array \"%.80s\" has %" PRId64 " items, the axis %" PRId64, name,
                       coord->g->shape[0], n);
    return TESS_OK;
}

// A coordinate of the base becomes that of a view, and closes with it.
static tess_status
follow_view(const tess_array *a, int axis, const struct index_map *map, tess_array **coord,
            tess_error *err)
{
    const int b = map->axis[axis];
    const int64_t count = a->g->shape[axis], first = count > 0 ? map->first[b] : 0;
    tess_array *view = NULL;
    if (!a->view)
        return TESS_OK;
    const tess_status st = view_slice(*coord, &first, &count, &map->step[b], &view, err);
    array_free(*coord);
    *coord = view;
    return st;
}

static tess_status
open_coord(const tess_array *a, int axis, const char *name, const tess_context *context,
           tess_array **coord, tess_error *err)
{
    struct index_map map;
    tess_array *found = NULL;
    tess_status st = view_map(a, &map, err);
    if (st == TESS_OK && name[0] == '\0')
        st = err_set(err, TESS_ERR_NOT_FOUND, -1, "axis %d has no name", axis);
    if (st == TESS_OK)
        st = beside_open(a, name, context, &found, err);
    if (st == TESS_OK)
        st = check_coord(a, map.axis[axis], name, found, err);
    if (st == TESS_OK)
        st = follow_view(a, axis, &map, &found, err);
    if (st != TESS_OK) {
        array_free(found);
        return st;
    }
    *coord = found;
    return TESS_OK;
}

TESS_API tess_status
tess_coord_open(const tess_array *a, int axis, const tess_context *context, tess_array **coord,
                tess_error *err)
{
    UNCANCELLED;
    tess_value *value = NULL;
    struct names names;
    tess_context own;
    tess_executor executor;
    if (!coord)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a coordinate is given");
    *coord = NULL;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (axis < 0 || axis >= a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d of an array with %d dimensions", axis,
                       a->g->ndim);
    tess_status st = take_context(&own, &executor, context, err);
    if (st == TESS_OK)
        st = get_names(a, &value, &names, err);
    if (st == TESS_OK)
        st = open_coord(a, axis, names.of[axis], context ? &own : NULL, coord, err);
    mem_free(value);
    return st;
}

// A search, from the look at the ends on.
struct coord_search {
    struct coord c;
    struct reading r;
};

static tess_status
search_begin(struct coord_search *s, const tess_array *coord, tess_error *err)
{
    tess_conversion how;
    s->r.locked = false;
    s->c.items = NULL;
    if (!coord)
        return err_set(err, TESS_ERR_ARG, -1, "no coordinate is given");
    tess_status st = view_check(coord, err);
    if (st == TESS_OK)
        st = tess_conversion_from_attributes(coord, &how, err);
    if (st == TESS_OK)
        st = coord_init(&s->c, coord, &how, err);
    return st == TESS_OK ? reading_begin(&s->r, coord, s->c.n, err) : st;
}

static tess_status
search_end(struct coord_search *s, tess_status st, tess_error *err)
{
    coord_finish(&s->c);
    return s->r.locked ? reading_end(&s->r, st, err) : st;
}

// given NULL: no bound.
static tess_status
check_coord_value(const tess_number *value, bool bound, tess_error *err)
{
    if (!value && !bound)
        return err_set(err, TESS_ERR_ARG, -1, "no value is given");
    if (!value)
        return TESS_OK;
    if (value->kind != TESS_KIND_INT && value->kind != TESS_KIND_UINT &&
        value->kind != TESS_KIND_FLOAT)
        return err_set(err, TESS_ERR_ARG, -1, "a value of kind %d", (int)value->kind);
    return order_is_nan(value) ? err_set(err, TESS_ERR_ARG, -1, "NaN is in no order") : TESS_OK;
}

TESS_API tess_status
tess_coord_find(const tess_array *coord, const tess_number *value, tess_match match, int64_t *index,
                tess_error *err)
{
    UNCANCELLED;
    struct coord_search s;
    int64_t found = 0;
    if (!index)
        return err_set(err, TESS_ERR_ARG, -1, "no place for an index is given");
    if (match < TESS_MATCH_EXACT || match > TESS_MATCH_AT_OR_AFTER)
        return err_set(err, TESS_ERR_ARG, -1, "match %d is not known", (int)match);
    tess_status st = check_coord_value(value, false, err);
    if (st != TESS_OK)
        return st;
    st = search_begin(&s, coord, err);
    if (st == TESS_OK)
        st = coord_look(&s.c, &s.r.watch, err);
    if (st == TESS_OK)
        st = coord_find(&s.c, value, match, &found, err);
    st = search_end(&s, st, err);
    if (st == TESS_OK)
        *index = found;
    return st;
}

TESS_API tess_status
tess_coord_range(const tess_array *coord, const tess_number *from, const tess_number *to,
                 int64_t *start, int64_t *stop, tess_error *err)
{
    UNCANCELLED;
    struct coord_search s;
    int64_t begin = 0, end = 0;
    if (!start || !stop)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a range is given");
    tess_status st = check_coord_value(from, true, err);
    if (st == TESS_OK)
        st = check_coord_value(to, true, err);
    if (st != TESS_OK)
        return st;
    st = search_begin(&s, coord, err);
    if (st == TESS_OK)
        st = coord_look(&s.c, &s.r.watch, err);
    if (st == TESS_OK)
        st = coord_range(&s.c, from, to, &begin, &end, err);
    st = search_end(&s, st, err);
    if (st == TESS_OK) {
        *start = begin;
        *stop = end;
    }
    return st;
}

TESS_API tess_status
tess_coord_order(const tess_array *coord, tess_order *order, tess_error *err)
{
    UNCANCELLED;
    struct coord_search s;
    tess_order found = TESS_ORDER_NONE;
    if (!order)
        return err_set(err, TESS_ERR_ARG, -1, "no place for an order is given");
    tess_status st = search_begin(&s, coord, err);
    if (st == TESS_OK)
        st = coord_order(&s.c, &s.r.watch, &found, err);
    st = search_end(&s, st, err);
    if (st == TESS_OK)
        *order = found;
    return st;
}
