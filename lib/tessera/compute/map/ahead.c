/*
 * ahead.c - the boxes of all inputs that are read box by box, wanted before they are read.
 */
#include "compute/map/ahead.h"

#include "array/items/box.h"
#include "base/error.h"
#include "base/memory.h"
#include "compute/map/input.h"

struct input_ahead {
    const struct mapping *m;
    const struct map_input *in;
    struct division_walk coming; // boxes that were not asked for
    struct array_ahead *ahead;
};

static bool
next_input_box(void *arg, int64_t *start, int64_t *stop)
{
    struct input_ahead *const x = arg;
    int64_t from[NDIM_MAX], to[NDIM_MAX];
    if (!x->coming.more)
        return false;
    division_walk_next(&x->coming, from, to);
    map_input_box(x->m, x->in, from, to, start, stop);
    return true;
}

tess_status
inputs_ahead_begin(struct inputs_ahead *x, const struct mapping *m, const bool *kept,
                   const struct division *boxes, struct watch *watch, tess_error *err)
{
    tess_status st = TESS_OK;
    x->n = m->ninputs;
    x->list = mem_zeroed((size_t)x->n + 1, sizeof *x->list);
    if (!x->list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d inputs", x->n);
    for (int k = 0; k < x->n && st == TESS_OK; k++) {
        struct input_ahead *const own = &x->list[k];
        own->m = m;
        own->in = &m->inputs[k];
        division_walk_begin(&own->coming, boxes);
        if (!kept[k])
            st = array_ahead_new(&own->ahead, own->in->a, next_input_box, own, watch, err);
    }
    return st;
}

void
inputs_ahead_end(struct inputs_ahead *x)
{
    for (int k = 0; x->list && k < x->n; k++)
        array_ahead_stop(x->list[k].ahead);
    for (int k = 0; x->list && k < x->n; k++)
        array_ahead_free(x->list[k].ahead);
    mem_free(x->list);
    x->list = NULL;
}

tess_status
inputs_ahead_reach(struct inputs_ahead *x, int64_t box, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int k = 0; k < x->n && st == TESS_OK; k++)
        st = array_ahead_reach(x->list[k].ahead, box, err);
    return st;
}

void
inputs_ahead_leave(struct inputs_ahead *x, int64_t box)
{
    for (int k = 0; k < x->n; k++)
        array_ahead_leave(x->list[k].ahead, box);
}
