/*
 * mask.c - the results of a comparison as a new array.
 */
#include "compute/compare/compare.h"

#include "array/array.h"
#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "compute/engine/engine.h"
#include "compute/map/map.h"
#include "frame/query.h"
#include "grid/write/write_back.h"
#include "meta/dtype.h"

#include <inttypes.h>
#include <string.h>

enum { MEMORY_LEAST = 64 << 10 }; // bytes, whatever the context says

// Axes from here on, of all inputs, are one run of items in memory; *stride: from one to the next.
static int
last_run(const tess_map_part *part, int64_t *strides)
{
    int axis = part->ndim;
    int64_t n = 1;
    for (int k = 0; k < part->ninputs; k++)
        strides[k] = axis > 0 ? part->input_strides[k][axis - 1] : 0;
    while (axis > 0) {
        const int64_t length = part->stop[axis - 1] - part->start[axis - 1];
        for (int k = 0; k < part->ninputs; k++)
            if (length > 1 && n > 1 && part->input_strides[k][axis - 1] != n * strides[k])
                return axis;
        for (int k = 0; k < part->ninputs && n == 1; k++)
            strides[k] = part->input_strides[k][axis - 1];
        n *= length;
        axis--;
    }
    return 0;
}

static tess_status
compare_part(void *self, const tess_map_part *part, tess_each_next *next, tess_error *err)
{
    const struct comparison *const c = self;
    int64_t strides[2], at[NDIM_MAX] = {0}, n = 1;
    const int outer = last_run(part, strides);
    uint8_t *to = part->outputs[0];
    (void)next;
    (void)err;
    for (int i = outer; i < part->ndim; i++)
        n *= part->stop[i] - part->start[i];
    for (int64_t done = 0; done < part->nitems; done += n, to += n) {
        const uint8_t *items[2] = {NULL, NULL};
        for (int k = 0; k < part->ninputs; k++) {
            items[k] = part->inputs[k];
            for (int i = 0; i < outer; i++)
                items[k] += at[i] * part->input_strides[k][i];
        }
        c->row(c, items, strides, (size_t)n, to);
        for (int i = outer - 1; i >= 0 && ++at[i] == part->stop[i] - part->start[i]; i--)
            at[i] = 0;
    }
    return TESS_OK;
}

static void
compare_constant(void *self, const void *const *inputs, void *const *outputs)
{
    const struct comparison *const c = self;
    const uint8_t *items[2] = {NULL, NULL};
    int64_t strides[2] = {0};
    for (int k = 0; k < c->n; k++) {
        items[k] = inputs[k];
        strides[k] = c->side[k].a->g->typesize;
    }
    c->row(c, items, strides, 1, outputs[0]);
}

static void
mapping_begin(struct mapping *m, struct map_input *inputs, const struct comparison *c)
{
    *m = (struct mapping){.ninputs = c->n, .inputs = inputs};
    for (int k = 0; k < c->n; k++) {
        inputs[k].a = c->side[k].a;
        inputs[k].converts = false;
        inputs[k].fill = NULL;
        inputs[k].itemsize = inputs[k].a->g->typesize;
    }
}

// The grid of an array of that shape.
static void
choose_chunks(const struct comparison *c, tess_params *params)
{
    for (int k = 0; k < c->n; k++) {
        const struct geometry *const g = c->side[k].a->g;
        bool same = g->ndim == params->ndim && !c->side[k].a->grid->plain && g->nitems > 0;
        for (int i = 0; i < g->ndim && same; i++)
            same = g->shape[i] == params->shape[i] && params->chunkshape[i] == 0 &&
                   params->blockshape[i] == 0 && g->chunkshape[i] > 0 && g->blockshape[i] > 0;
        if (!same)
            continue;
        memcpy(params->chunkshape, g->chunkshape, sizeof g->chunkshape);
        memcpy(params->blockshape, g->blockshape, sizeof g->blockshape);
        return;
    }
}

tess_status
mask_plan(const struct comparison *c, tess_params *params, tess_error *err)
{
    struct map_input inputs[2];
    struct mapping m;
    mapping_begin(&m, inputs, c);
    const tess_status st = map_shape(&m, err);
    if (st != TESS_OK)
        return st;
    if (params->ndim != 0 && params->ndim != m.ndim)
        return err_set(err, TESS_ERR_ARG, -1, "params for %d dimensions, the mask has %d",
                       params->ndim, m.ndim);
    if (params->dtype && dtype_parse(params->dtype).kind != TESS_KIND_BOOL)
        return err_set(err, TESS_ERR_ARG, -1, "items of type \"%.64s\", a mask is of type |b1",
                       params->dtype);
    params->ndim = m.ndim;
    params->dtype = "|b1";
    params->typesize = 1;
    for (int i = 0; i < m.ndim; i++)
        params->shape[i] = m.shape[i];
    choose_chunks(c, params);
    return TESS_OK;
}

// Into the open change of a new array.
static tess_status
run_comparison(struct mapping *m, struct watch *watch, tess_error *err)
{
    const tess_array *inputs[2];
    int64_t locked = 0;
    tess_status st = TESS_OK;
    for (int k = 0; k < m->ninputs && st == TESS_OK; k++) {
        struct chunk_grid *const grid = m->inputs[k].a->grid;
        inputs[k] = m->inputs[k].a;
        if (frame_is_writable(grid->frame)) // chunks tell that they are constant if nothing waits
            st = write_back_all(grid, err);
    }
    if (st == TESS_OK)
        st = array_lock_shared(inputs, m->ninputs, NULL, &locked, err);
    if (st == TESS_OK)
        st = map_run(m, watch, err);
    return array_unlock_shared(inputs, NULL, locked, st, err);
}

static tess_status
make_mask(void *user, tess_array *out, struct watch *watch, tess_error *err)
{
    const struct comparison *const c = user;
    struct map_output output = {.a = out};
    struct map_input inputs[2];
    struct mapping m;
    mapping_begin(&m, inputs, c);
    m.outputs = &output;
    m.noutputs = 1;
    m.memory = max_i64(c->side[0].a->context.memory, MEMORY_LEAST);
    m.threads = c->side[0].a->grid->context->threads;
    m.executor = c->side[0].a->grid->context->executor;
    m.part = compare_part;
    m.constant = compare_constant;
    m.self = user;
    const tess_status st = map_shape(&m, err);
    for (int i = 0; i < m.ndim; i++) {
        m.stop[i] = m.shape[i];
        if (m.shape[i] == 0)
            return st;
    }
    return st == TESS_OK ? run_comparison(&m, watch, err) : st;
}

tess_status
mask_create(const struct comparison *c, const struct home *home, const tess_storage *storage,
            const tess_params *params, tess_array **mask, tess_error *err)
{
    struct comparison own = *c;
    const struct array_content content = {.special = SPECIAL_NONE, .make = make_mask, .user = &own};
    return array_create(home, storage, params, &content, mask, err);
}
