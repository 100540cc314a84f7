/*
 * map.c - the public functions that go through an array part by part: for a function of the
 * program, several arrays in step, for statistics. Arguments are checked here, once.
 */
#include "compute/map/map.h"
#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/convert.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "compute/parts/parts.h"
#include "compute/statistics/statistics.h"
#include "task/watch.h"

#include <tessera/map.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- one array

static tess_status
check_each(tess_unit unit, bool function, tess_error *err)
{
    if (unit != TESS_BLOCKS && unit != TESS_CHUNKS)
        return err_set(err, TESS_ERR_ARG, -1, "%d is no unit", (int)unit);
    if (!function)
        return err_set(err, TESS_ERR_ARG, -1, "no function is given");
    return TESS_OK;
}

TESS_API tess_status
tess_array_each(const tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
                tess_each_fn *fn, void *user, tess_error *err)
{
    UNCANCELLED;
    int64_t nitems = 0;
    struct box box = {start, stop, NULL};
    struct reading r;
    tess_status st = check_each(unit, fn != NULL, err);
    if (st == TESS_OK)
        st = check_box_or_all(a, &box, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_each(a, unit, box.start, box.stop, fn, user, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_change(tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
                  tess_change_fn *fn, void *user, tess_error *err)
{
    UNCANCELLED;
    int64_t nitems = 0;
    struct box box = {start, stop, NULL};
    struct watch watch;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_each(unit, fn != NULL, err);
    if (st == TESS_OK)
        st = check_box_or_all(a, &box, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    array_watch(&watch, a, nitems);
    return watch_end(&watch, array_change(a, unit, box.start, box.stop, fn, user, &watch, err));
}

TESS_API tess_status
tess_array_statistics_sized(const tess_array *a, const int64_t *start, const int64_t *stop,
                            tess_statistics *out, size_t out_size, tess_error *err)
{
    UNCANCELLED;
    tess_statistics own;
    int64_t nitems = 0;
    struct box box = {start, stop, NULL};
    struct reading r;
    tess_status st = check_box_or_all(a, &box, &nitems, err);
    if (st != TESS_OK)
        return st;
    if (!out)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the statistics is given");
    st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_statistics(a, box.start, box.stop, nitems, &own, &r.watch, err);
    st = reading_end(&r, st, err);
    if (st == TESS_OK)
        sized_give(out, out_size, &own, sizeof own);
    return st;
}

// -- several arrays in step

TESS_API void
tess_map_options_init_sized(tess_map_options *options, size_t struct_size)
{
    tess_map_options own = {.struct_size = struct_size, .edge = TESS_EDGE_ERROR};
    sized_give(options, struct_size, &own, sizeof own);
}

// given NULL: the defaults.
static tess_status
take_map_options(tess_map_options *own, const tess_map_options *given, tess_error *err)
{
    tess_map_options_init(own);
    const tess_status st =
        given ? sized_take(own, sizeof *own, SIZED_UP_TO(tess_map_options, input_dtypes), given,
                           "map_options", err)
              : TESS_OK;
    if (st != TESS_OK)
        return st;
    if (own->edge < TESS_EDGE_ERROR || own->edge > TESS_EDGE_MIRROR)
        return err_set(err, TESS_ERR_ARG, -1, "edge mode %d", own->edge);
    if (own->reserved != 0)
        return err_set(err, TESS_ERR_ARG, -1, "a reserved option is %d", own->reserved);
    return TESS_OK;
}

static tess_status
check_arrays_count(const char *what, const void *list, int n, tess_error *err)
{
    if (n < 0 || n > TESS_MAP_MAX_ARRAYS)
        return err_set(err, TESS_ERR_ARG, -1, "%d %ss, 0 to %d can be", n, what,
                       TESS_MAP_MAX_ARRAYS);
    if (n > 0 && !list)
        return err_set(err, TESS_ERR_ARG, -1, "no %ss are given", what);
    return TESS_OK;
}

// One call's mapping, and what it is made of.
struct map_call {
    struct mapping m;
    struct map_output outputs[TESS_MAP_MAX_ARRAYS];
    tess_map_options options;
    tess_conversion how; // of input_dtypes
    const tess_array *lead; // whose context it is
    tess_map_fn *fn;
    void *user;
};

static tess_status
take_outputs(struct map_call *c, tess_array *const *outputs, int n, tess_error *err)
{
    tess_status st = check_arrays_count("output", outputs, n, err);
    c->m.outputs = c->outputs;
    c->m.noutputs = st == TESS_OK ? n : 0;
    for (int k = 0; k < n && st == TESS_OK; k++) {
        c->outputs[k].a = outputs[k];
        st = check_items_writable(outputs[k], err);
        for (int i = 0; i < k && st == TESS_OK; i++)
            if (outputs[i]->grid == outputs[k]->grid)
                st = err_set(err, TESS_ERR_ARG, -1, "outputs %d and %d are the same array", i, k);
    }
    return st;
}

static tess_status
take_input(struct map_call *c, int k, const tess_array *a, tess_error *err)
{
    struct map_input *const in = &c->m.inputs[k];
    const tess_map_options *const o = &c->options;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "input %d is NULL", k);
    tess_status st = view_check(a, err);
    in->a = a;
    in->fill = o->fills ? o->fills[k] : NULL;
    in->itemsize = a->g->typesize;
    if (st != TESS_OK || !o->input_dtypes || !o->input_dtypes[k])
        return st;
    st = typed_init(&in->typed, a, o->input_dtypes[k], &c->how, false, err);
    if (st == TESS_OK && in->typed.converter.count > 0) {
        in->converts = true;
        in->itemsize = in->typed.itemsize;
    }
    return st;
}

static tess_status
take_inputs(struct map_call *c, const tess_array *const *inputs, int n, tess_error *err)
{
    tess_status st = check_arrays_count("input", inputs, n, err);
    if (st == TESS_OK && n + c->m.noutputs == 0)
        st = err_set(err, TESS_ERR_ARG, -1, "no arrays are given");
    if (st != TESS_OK)
        return st;
    tess_conversion_init(&c->how);
    c->m.inputs = mem_zeroed((size_t)n + 1, sizeof *c->m.inputs);
    if (!c->m.inputs)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d inputs", n);
    c->m.ninputs = n;
    for (int k = 0; k < n && st == TESS_OK; k++)
        st = take_input(c, k, inputs[k], err);
    return st;
}

// *empty: the box has no items.
static tess_status
take_box(struct map_call *c, const int64_t *start, const int64_t *stop, bool *empty,
         tess_error *err)
{
    struct mapping *const m = &c->m;
    *empty = false;
    if (!start != !stop && m->ndim > 0)
        return err_set(err, TESS_ERR_ARG, -1, "half a box is given");
    for (int i = 0; i < m->ndim; i++) {
        m->start[i] = start ? start[i] : 0;
        m->stop[i] = start ? stop[i] : m->shape[i];
        if (m->start[i] < 0 || m->start[i] > m->stop[i] || m->stop[i] > m->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "a box from %" PRId64 " to %" PRId64 " along axis %d of %" PRId64
                           " items",
                           m->start[i], m->stop[i], i, m->shape[i]);
        *empty |= m->start[i] == m->stop[i];
    }
    return TESS_OK;
}

static tess_status
take_halo(struct map_call *c, tess_error *err)
{
    struct mapping *const m = &c->m;
    m->edge = (tess_edge)c->options.edge;
    for (int i = 0; i < m->ndim && c->options.halo; i++) {
        const int64_t halo = m->halo[i] = c->options.halo[i];
        int64_t end;
        if (halo < 0 || !add_i64(m->shape[i], halo, &end))
            return err_set(err, TESS_ERR_ARG, -1, "a halo of %" PRId64 " items along axis %d", halo,
                           i);
        if (m->edge != TESS_EDGE_ERROR)
            continue;
        for (int k = 0; k < m->ninputs; k++)
            if (!m->inputs[k].broadcast[i] &&
                (m->start[i] < halo || m->stop[i] > m->shape[i] - halo))
                return err_set(err, TESS_ERR_ARG, -1,
                               "a halo of %" PRId64 " items leaves axis %d of input %d", halo, i,
                               k);
    }
    return TESS_OK;
}

// Which threads, and how much memory.
static void
choose_context(struct map_call *c)
{
    struct mapping *const m = &c->m;
    c->lead = m->noutputs > 0 ? m->outputs[0].a : m->inputs[0].a;
    m->memory = c->lead->context.memory;
    m->executor = c->lead->grid->context->executor;
    m->threads = 0;
    for (int k = 0; k < m->ninputs + m->noutputs; k++) {
        const tess_array *const a = k < m->ninputs ? m->inputs[k].a : m->outputs[k - m->ninputs].a;
        const int threads = a->grid->context->threads;
        if (threads > 0 && (m->threads == 0 || threads < m->threads))
            m->threads = threads;
    }
}

static tess_status
call_function(void *self, const tess_map_part *part, tess_each_next *next, tess_error *err)
{
    const struct map_call *const c = self;
    char at[16 * 24] = "";
    size_t size = 0;
    *next = c->fn(part, c->user);
    if (*next == TESS_EACH_NEXT || *next == TESS_EACH_CHANGED || *next == TESS_EACH_STOP)
        return TESS_OK;
    for (int i = 0; i < part->ndim && size < sizeof at; i++) {
        const int n = snprintf(at + size, sizeof at - size, i > 0 ? ", %" PRId64 : "%" PRId64,
                               part->start[i]);
        size += n > 0 ? (size_t)n : 0;
    }
    return err_set(err, TESS_ERR_CANCELLED, -1, "the function gave up at the box from [%s] on", at);
}

static tess_status
run_call(struct map_call *c, tess_error *err)
{
    struct watch watch;
    int64_t nitems = 1;
    for (int i = 0; i < c->m.ndim; i++)
        nitems *= c->m.stop[i] - c->m.start[i];
    choose_context(c);
    c->m.part = call_function;
    c->m.self = c;
    array_watch(&watch, c->lead, nitems);
    return watch_end(&watch, map_commit(&c->m, &watch, err));
}

TESS_API tess_status
tess_map(const tess_array *const *inputs, int ninputs, tess_array *const *outputs, int noutputs,
         const int64_t *start, const int64_t *stop, const tess_map_options *options,
         tess_map_fn *fn, void *user, tess_error *err)
{
    UNCANCELLED;
    struct map_call c = {.fn = fn, .user = user};
    bool empty = false;
    tess_status st = fn ? take_map_options(&c.options, options, err)
                        : err_set(err, TESS_ERR_ARG, -1, "no function is given");
    if (st == TESS_OK)
        st = take_outputs(&c, outputs, noutputs, err);
    if (st == TESS_OK)
        st = take_inputs(&c, inputs, ninputs, err);
    if (st == TESS_OK)
        st = map_shape(&c.m, err);
    if (st == TESS_OK)
        st = take_box(&c, start, stop, &empty, err);
    if (st == TESS_OK && !empty)
        st = take_halo(&c, err);
    if (st == TESS_OK && !empty)
        st = run_call(&c, err);
    mem_free(c.m.inputs);
    return st;
}
