/*
 * coord.c - searching in a coordinate whose values rise or fall.
 */
#include "array/dims/dims.h"

#include "array/array.h"
#include "array/convert.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/swap.h"
#include "meta/dtype.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ITEM = 8, RUN_MOST = 1 << 16 };

// -- items

// As what items are read: doubles if they are floats or scaled, else integers; times as they are.
static tess_status
choose_type(struct coord *c, const tess_conversion *how, tess_error *err)
{
    const char *stored = c->a->nd.dtype ? c->a->nd.dtype : "";
    const tess_dtype dtype = dtype_parse(stored);
    const bool scaled = how->scale != 1 || how->offset != 0;
    const char *type = NULL;
    tess_conversion_init(&c->how);
    switch (dtype.kind) {
    case TESS_KIND_DATETIME:
    case TESS_KIND_TIMEDELTA:
        c->times = true;
        c->kind = TESS_KIND_INT;
        stored += strspn(stored, "<>=|");
        if (snprintf(c->dtype, sizeof c->dtype, "%c%s", machine_is_big_endian() ? '>' : '<',
                     stored) < (int)sizeof c->dtype)
            return TESS_OK;
        break;
    case TESS_KIND_INT:
        c->kind = TESS_KIND_INT;
        type = TESS_DTYPE_I64;
        break;
    case TESS_KIND_BOOL:
    case TESS_KIND_UINT:
        c->kind = TESS_KIND_UINT;
        type = TESS_DTYPE_U64;
        break;
    case TESS_KIND_FLOAT:
        c->kind = TESS_KIND_FLOAT;
        break;
    default:
        break;
    }
    if ((int)c->kind == 0 || c->times)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "items of type %.80s have no order that can be searched", stored);
    if (scaled || c->kind == TESS_KIND_FLOAT) {
        c->kind = TESS_KIND_FLOAT;
        c->how = *how;
        type = TESS_DTYPE_F64;
    }
    (void)snprintf(c->dtype, sizeof c->dtype, "%s", type);
    return TESS_OK;
}

tess_status
coord_init(struct coord *c, const tess_array *a, const tess_conversion *how, tess_error *err)
{
    *c = (struct coord){.a = a};
    if (a->g->ndim != 1)
        return err_set(err, TESS_ERR_ARG, -1, "a coordinate has 1 dimension, not %d", a->g->ndim);
    c->n = a->g->shape[0];
    c->run = max_i64(min_i64(a->g->blockshape[0], RUN_MOST), 1);
    const tess_status st = choose_type(c, how, err);
    return st == TESS_OK ? typed_init(&c->typed, a, c->dtype, &c->how, false, err) : st;
}

void
coord_finish(struct coord *c)
{
    mem_free(c->items);
    c->items = NULL;
}

static tess_status
read_items(struct coord *c, int64_t start, int64_t stop, uint8_t *dst, tess_error *err)
{
    const struct box_memory to = {.items = dst, .stride = {ITEM}};
    return typed_read(&c->typed, c->a, &(struct box){&start, &stop, NULL}, &to, c->watch, err);
}

static tess_status
not_in_order(int64_t index, tess_error *err)
{
    return err_set(err, TESS_ERR_TYPE, -1,
                   "the values neither rise nor fall: that of index %" PRId64 " is out of order",
                   index);
}

// *none: it is no number, but NaN, NaT, or missing.
static void
coord_number(const struct coord *c, const uint8_t *item, tess_number *x, bool *none)
{
    *x = (tess_number){.kind = c->kind};
    if (c->kind == TESS_KIND_INT)
        memcpy(&x->i, item, ITEM);
    else if (c->kind == TESS_KIND_UINT)
        memcpy(&x->u, item, ITEM);
    else
        memcpy(&x->f, item, ITEM);
    *none = order_is_nan(x) || (c->times && x->i == INT64_MIN);
}

static tess_status
checked_number(const struct coord *c, const uint8_t *item, int64_t index, tess_number *x,
               tess_error *err)
{
    bool none;
    coord_number(c, item, x, &none);
    return none ? err_set(err, TESS_ERR_TYPE, -1,
                          "the value of index %" PRId64 " is no number, or missing", index)
                : TESS_OK;
}

static tess_status
coord_at(struct coord *c, int64_t index, tess_number *x, tess_error *err)
{
    uint8_t item[ITEM];
    if (index >= c->start && index < c->stop)
        return checked_number(c, c->items + (index - c->start) * ITEM, index, x, err);
    const tess_status st = read_items(c, index, index + 1, item, err);
    return st == TESS_OK ? checked_number(c, item, index, x, err) : st;
}

static tess_status
load_run(struct coord *c, int64_t start, tess_error *err)
{
    const int64_t stop = min_i64(start + c->run, c->n);
    if (c->items && start == c->start && stop == c->stop)
        return TESS_OK;
    if (!c->items)
        c->items = mem_alloc((size_t)c->run * ITEM);
    if (!c->items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " values", c->run);
    c->start = c->stop = 0;
    const tess_status st = read_items(c, start, stop, c->items, err);
    if (st != TESS_OK)
        return st;
    c->start = start;
    c->stop = stop;
    return TESS_OK;
}

// -- order

tess_status
coord_look(struct coord *c, struct watch *watch, tess_error *err)
{
    c->watch = watch;
    if (c->n == 0)
        return TESS_OK;
    tess_status st = coord_at(c, 0, &c->first, err);
    if (st == TESS_OK)
        st = coord_at(c, c->n - 1, &c->last, err);
    if (st == TESS_OK)
        c->falling = order_compare(&c->first, &c->last) > 0;
    return st;
}

// In the order of the array.
static int
coord_compare(const struct coord *c, const tess_number *x, const tess_number *y)
{
    const int order = order_compare(x, y);
    return c->falling ? -order : order;
}

// Whether an item is not in front of a value; or, beyond: stands behind it.
static bool
is_past(const struct coord *c, const tess_number *x, const tess_number *value, bool beyond)
{
    const int order = coord_compare(c, x, value);
    return beyond ? order > 0 : order >= 0;
}

// A value between two that were seen in front of it and behind it.
static tess_status
check_between(const struct coord *c, const tess_number *low, const tess_number *x,
              const tess_number *high, int64_t index, tess_error *err)
{
    return coord_compare(c, low, x) <= 0 && coord_compare(c, x, high) <= 0
               ? TESS_OK
               : not_in_order(index, err);
}

// In the run that was loaded, whose values lie between low and high.
static tess_status
search_run(const struct coord *c, const tess_number *value, bool beyond, const tess_number *low,
           const tess_number *high, int64_t *index, tess_error *err)
{
    tess_number x, before = *low;
    tess_status st = TESS_OK;
    *index = c->stop;
    for (int64_t i = c->start; i < c->stop && st == TESS_OK; i++) {
        st = checked_number(c, c->items + (i - c->start) * ITEM, i, &x, err);
        if (st == TESS_OK)
            st = check_between(c, &before, &x, high, i, err);
        if (*index == c->stop && is_past(c, &x, value, beyond))
            *index = i;
        before = x;
    }
    return st;
}

// The first index whose item is past a value; n if there is none.
static tess_status
find_past(struct coord *c, const tess_number *value, bool beyond, int64_t *index, tess_error *err)
{
    int64_t low = 0,
            high = ceil_div(c->n, c->run); // runs: the first of low is not past, of high is
    tess_number x, low_x = c->first, high_x = c->last;
    tess_status st;
    *index = c->n;
    if (c->n == 0 || !is_past(c, &c->last, value, beyond))
        return TESS_OK;
    *index = 0;
    if (is_past(c, &c->first, value, beyond))
        return TESS_OK;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        st = coord_at(c, middle * c->run, &x, err);
        if (st == TESS_OK)
            st = check_between(c, &low_x, &x, &high_x, middle * c->run, err);
        if (st != TESS_OK)
            return st;
        if (is_past(c, &x, value, beyond)) {
            high = middle;
            high_x = x;
        } else {
            low = middle;
            low_x = x;
        }
    }
    st = load_run(c, low * c->run, err);
    return st == TESS_OK ? search_run(c, value, beyond, &low_x, &high_x, index, err) : st;
}

// -- searches

// The nearer one of the items in front of a place and behind it.
static tess_status
choose_nearest(struct coord *c, const tess_number *value, int64_t *index, tess_error *err)
{
    tess_number before, after;
    if (*index == 0 || *index == c->n) {
        *index -= *index == c->n;
        return TESS_OK;
    }
    tess_status st = coord_at(c, *index - 1, &before, err);
    if (st == TESS_OK)
        st = coord_at(c, *index, &after, err);
    if (st != TESS_OK)
        return st;
    const bool larger = c->falling ? order_is_nearer(&after, value, &before)
                                   : order_is_nearer(&before, value, &after);
    *index -= larger == c->falling; // the larger one is in front
    return TESS_OK;
}

// The first of the items that have the value of one.
static tess_status
first_of_equals(struct coord *c, int64_t *index, tess_error *err)
{
    tess_number x, before;
    tess_status st = coord_at(c, *index, &x, err);
    if (st != TESS_OK || *index == 0)
        return st;
    st = coord_at(c, *index - 1, &before, err);
    if (st == TESS_OK && order_compare(&before, &x) == 0)
        st = find_past(c, &x, false, index, err);
    return st;
}

static tess_status
there_is_none(const struct coord *c, tess_error *err)
{
    return err_set(err, TESS_ERR_NOT_FOUND, -1,
                   "none of the %" PRId64 " values of the coordinate matches", c->n);
}

tess_status
coord_find(struct coord *c, const tess_number *value, tess_match match, int64_t *index,
           tess_error *err)
{
    tess_number x;
    int64_t at;
    tess_status st = find_past(c, value, false, &at, err);
    if (st == TESS_OK && at < c->n) {
        st = coord_at(c, at, &x, err);
        if (st == TESS_OK && order_compare(&x, value) == 0) {
            *index = at;
            return TESS_OK;
        }
    }
    if (st != TESS_OK)
        return st;
    if (match == TESS_MATCH_NEAREST && c->n > 0)
        st = choose_nearest(c, value, &at, err);
    else if (match == TESS_MATCH_AT_OR_BEFORE)
        at--;
    if (st != TESS_OK)
        return st;
    if (match == TESS_MATCH_EXACT || at < 0 || at >= c->n)
        return there_is_none(c, err);
    st = first_of_equals(c, &at, err);
    if (st == TESS_OK)
        *index = at;
    return st;
}

tess_status
coord_range(struct coord *c, const tess_number *from, const tess_number *to, int64_t *start,
            int64_t *stop, tess_error *err)
{
    const tess_number *const first = c->falling ? to : from, *const last = c->falling ? from : to;
    int64_t begin = 0, end = c->n;
    tess_status st = TESS_OK;
    if (first)
        st = find_past(c, first, false, &begin, err);
    if (st == TESS_OK && last)
        st = find_past(c, last, true, &end, err);
    if (st != TESS_OK)
        return st;
    *start = begin;
    *stop = max_i64(begin, end);
    return TESS_OK;
}

tess_status
coord_order(struct coord *c, struct watch *watch, tess_order *order, tess_error *err)
{
    bool none = false, rises = false, falls = false;
    tess_number x, before = {0};
    tess_status st = TESS_OK;
    c->watch = watch;
    const struct watch_range all = watch_divide(watch);
    for (int64_t at = 0; at < c->n && st == TESS_OK && !none && !(rises && falls); at += c->run) {
        watch_part(watch, &all, min_i64(at + c->run, c->n), c->n);
        st = load_run(c, at, err);
        for (int64_t i = at; st == TESS_OK && i < c->stop && !none; i++) {
            coord_number(c, c->items + (i - at) * ITEM, &x, &none);
            const int sign = i > 0 && !none ? order_compare(&x, &before) : 0;
            rises |= sign > 0;
            falls |= sign < 0;
            before = x;
        }
    }
    if (st == TESS_OK)
        *order = none || (rises && falls) ? TESS_ORDER_NONE
                 : falls                  ? TESS_ORDER_FALLING
                                          : TESS_ORDER_RISING;
    return st;
}
