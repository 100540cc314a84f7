/*
 * ahead.c - boxes of an array, which may be a view, that a call will read one after the other.
 */
#include "array/items/ahead.h"

#include "array/view.h"
#include "base/error.h"
#include "base/memory.h"
#include "geom/index_map.h"
#include "grid/read/boxes_ahead.h"

#include <string.h>

struct array_ahead {
    struct boxes_ahead boxes;
    const tess_array *a;
    bool (*next_box)(void *arg, int64_t *start, int64_t *stop);
    void *arg;
};

static bool
next_base_box(void *arg, int64_t *start, int64_t *stop, int64_t *step)
{
    static const int64_t no_memory[NDIM_MAX];
    const struct array_ahead *const x = arg;
    const int ndim = x->a->g->ndim;
    int64_t from[NDIM_MAX], to[NDIM_MAX];
    struct index_box box;
    if (!x->next_box(x->arg, from, to))
        return false;
    if (x->a->view) {
        index_map_box(&x->a->view->map, from, to, NULL, no_memory, &box);
        memcpy(start, box.start, sizeof box.start);
        memcpy(stop, box.stop, sizeof box.stop);
        memcpy(step, box.step, sizeof box.step);
        return true;
    }
    for (int i = 0; i < ndim; i++) {
        start[i] = from[i];
        stop[i] = to[i];
        step[i] = 1;
    }
    return true;
}

tess_status
array_ahead_new(struct array_ahead **out, const tess_array *a,
                bool (*next_box)(void *arg, int64_t *start, int64_t *stop), void *arg,
                struct watch *watch, tess_error *err)
{
    *out = NULL;
    tess_status st = view_check(a, err);
    if (st != TESS_OK || !boxes_ahead_pays(a->grid))
        return st;
    struct array_ahead *const x = mem_zeroed(1, sizeof *x);
    if (!x)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    x->a = a;
    x->next_box = next_box;
    x->arg = arg;
    st = boxes_ahead_begin(&x->boxes, a->grid, next_base_box, x, watch, err);
    if (st == TESS_OK) {
        *out = x;
        return TESS_OK;
    }
    array_ahead_stop(x);
    array_ahead_free(x);
    return st;
}

void
array_ahead_stop(struct array_ahead *x)
{
    if (x)
        boxes_ahead_stop(&x->boxes);
}

void
array_ahead_free(struct array_ahead *x)
{
    if (!x)
        return;
    boxes_ahead_free(&x->boxes);
    mem_free(x);
}

tess_status
array_ahead_reach(struct array_ahead *x, int64_t k, tess_error *err)
{
    return x ? boxes_ahead_reach(&x->boxes, k, err) : TESS_OK;
}

void
array_ahead_leave(struct array_ahead *x, int64_t k)
{
    if (x)
        boxes_ahead_leave(&x->boxes, k);
}
