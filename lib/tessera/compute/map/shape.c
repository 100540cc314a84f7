/*
 * shape.c - arrays of different shapes as one.
 */
#include "compute/map/shape.h"

#include "base/checked.h"
#include "base/error.h"
#include "geom/shape.h"

#include <inttypes.h>
#include <string.h>

static tess_status
shape_of_outputs(struct mapping *m, tess_error *err)
{
    const struct geometry *const g = m->outputs[0].a->g;
    m->ndim = g->ndim;
    memcpy(m->shape, g->shape, sizeof m->shape);
    for (int k = 1; k < m->noutputs; k++) {
        const struct geometry *const other = m->outputs[k].a->g;
        if (other->ndim != g->ndim)
            return err_set(err, TESS_ERR_ARG, -1, "output %d has %d dimensions, output 0 has %d", k,
                           other->ndim, g->ndim);
        for (int i = 0; i < g->ndim; i++)
            if (other->shape[i] != g->shape[i])
                return err_set(err, TESS_ERR_ARG, -1,
                               "output %d has %" PRId64
                               " items along axis %d, output 0 has %" PRId64,
                               k, other->shape[i], i, g->shape[i]);
    }
    return TESS_OK;
}

// The longest axes of all inputs.
static void
shape_of_inputs(struct mapping *m)
{
    for (int k = 0; k < m->ninputs; k++)
        m->ndim = m->inputs[k].a->g->ndim > m->ndim ? m->inputs[k].a->g->ndim : m->ndim;
    for (int i = 0; i < m->ndim; i++)
        m->shape[i] = 1;
    for (int k = 0; k < m->ninputs; k++) {
        const struct geometry *const g = m->inputs[k].a->g;
        int64_t *const shape = m->shape + m->ndim - g->ndim;
        for (int i = 0; i < g->ndim; i++)
            if (g->shape[i] != 1 && shape[i] == 1)
                shape[i] = g->shape[i];
    }
}

static tess_status
fit_input(const struct mapping *m, int k, tess_error *err)
{
    struct map_input *const in = &m->inputs[k];
    const struct geometry *const g = in->a->g;
    in->first = m->ndim - g->ndim;
    if (in->first < 0)
        return err_set(err, TESS_ERR_ARG, -1, "input %d has %d dimensions, the outputs have %d", k,
                       g->ndim, m->ndim);
    for (int i = 0; i < m->ndim; i++) {
        const int64_t length = i < in->first ? 1 : g->shape[i - in->first];
        in->broadcast[i] = i < in->first || (length == 1 && m->shape[i] != 1);
        if (!in->broadcast[i] && length != m->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "input %d has %" PRId64 " items along its axis %d, which cannot be"
                           " broadcast to %" PRId64,
                           k, length, i - in->first, m->shape[i]);
    }
    return TESS_OK;
}

tess_status
map_shape(struct mapping *m, tess_error *err)
{
    int64_t nitems = 1;
    tess_status st = TESS_OK;
    m->ndim = 0;
    if (m->noutputs > 0)
        st = shape_of_outputs(m, err);
    else
        shape_of_inputs(m);
    for (int k = 0; k < m->ninputs && st == TESS_OK; k++)
        st = fit_input(m, k, err);
    for (int i = 0; i < m->ndim && st == TESS_OK; i++)
        if (m->shape[i] == 0)
            return TESS_OK;
    for (int i = 0; i < m->ndim && st == TESS_OK; i++)
        if (!mul_i64(nitems, m->shape[i], &nitems))
            st = err_set(err, TESS_ERR_LIMIT, -1, "the inputs broadcast to 2^63 items or more");
    return st;
}
