/*
 * map.c - several arrays in step: boxes in waves.
 *
 * An input that is broadcast would be read again for each box along that axis. If it is small, all
 * that is needed of it is read once, and stays in memory.
 */
#include "compute/map/map.h"

#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "compute/engine/engine.h"
#include "compute/map/private.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "task/task.h"
#include "task/watch.h"

#include <stdatomic.h>
#include <string.h>

enum {
    SLOTS = 64, // boxes of a wave, at most
    WAVE_SIZE = 32 << 20, // bytes of their outputs, about
    ALIGNMENT = ENGINE_ALIGNMENT,
    KEPT_SHARE = 8, // of the memory, for inputs that are broadcast
    ITEM_MOST = 64, // bytes of an item that is looked for in all of a box
};

// A box on its way from inputs to outputs.
struct slot {
    struct engine_box box;
    uint8_t *outputs; // one behind the other, each aligned
    bool stored; // it is to be
    bool constant; // outputs are one item each
};

// An input in memory.
struct kept {
    uint8_t *memory; // NULL: it is read box by box
    const uint8_t *first; // its item at the start of the mapping
    int64_t strides[NDIM_MAX];
};

struct run {
    const struct mapping *m;
    struct watch *watch;
    struct kept *kept;
    struct division boxes;
    struct engine engine;
    int64_t memory; // for everything that is not kept
    int threads;

    size_t outputs_size; // of a slot
    struct slot slots[SLOTS];
    int most; // of them; 0: nothing is stored
    int64_t first; // number of the first box of the wave
    int nslots; // of the wave
    atomic_bool stopped;
};

static size_t
to_cache_line(int64_t size)
{
    return ((size_t)size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int64_t
nitems_of(int ndim, const int64_t *start, const int64_t *stop)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= stop[i] - start[i];
    return n;
}

static void *
new_room(size_t size, tess_error *err)
{
    void *const room = mem_aligned(ALIGNMENT, size > 0 ? size : ALIGNMENT);
    if (!room)
        err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes of arrays", size);
    return room;
}

// -- a box

// Where the inputs of a box are.
struct views {
    const void *first[TESS_MAP_MAX_ARRAYS];
    const int64_t *list[TESS_MAP_MAX_ARRAYS];
    int64_t strides[TESS_MAP_MAX_ARRAYS][NDIM_MAX];
};

static tess_status
read_inputs(struct run *r, const struct slot *slot, uint8_t *room, struct views *v, tess_error *err)
{
    const struct mapping *const m = r->m;
    int64_t shape[NDIM_MAX];
    tess_status st = TESS_OK;
    for (int i = 0; i < m->ndim; i++)
        shape[i] = slot->box.stop[i] - slot->box.start[i];
    for (int k = 0; k < m->ninputs && st == TESS_OK; k++) {
        const struct map_input *const in = &m->inputs[k];
        const struct kept *const kept = &r->kept[k];
        const uint8_t *first = kept->first;
        v->list[k] = kept->memory ? kept->strides : v->strides[k];
        if (kept->memory) {
            for (int i = 0; i < m->ndim; i++)
                first += (slot->box.start[i] - m->start[i]) * kept->strides[i];
        } else {
            st = map_input_read(m, in, slot->box.start, slot->box.stop, room, &first, v->strides[k],
                                &r->engine.inner, err);
            room += to_cache_line(map_input_size(m, in, shape));
        }
        v->first[k] = first;
    }
    return st;
}

static void
list_outputs(const struct mapping *m, const struct slot *slot, int64_t nitems, void **list)
{
    uint8_t *to = slot->outputs;
    for (int k = 0; k < m->noutputs; k++) {
        list[k] = to;
        to += to_cache_line(nitems * m->outputs[k].a->g->typesize);
    }
}

static tess_status
compute_box(struct run *r, struct slot *slot, uint8_t *room, tess_error *err)
{
    const struct mapping *const m = r->m;
    void *outputs[TESS_MAP_MAX_ARRAYS];
    tess_each_next next = TESS_EACH_NEXT;
    struct views views;
    tess_map_part part = {
        .ndim = m->ndim,
        .nitems = slot->box.nitems,
        .ninputs = m->ninputs,
        .noutputs = m->noutputs,
        .inputs = views.first,
        .input_strides = views.list,
        .outputs = outputs,
    };
    memcpy(part.start, slot->box.start, (size_t)m->ndim * sizeof *part.start);
    memcpy(part.stop, slot->box.stop, (size_t)m->ndim * sizeof *part.stop);
    list_outputs(m, slot, part.nitems, outputs);
    tess_status st = read_inputs(r, slot, room, &views, err);
    if (st == TESS_OK)
        st = m->part(m->self, &part, &next, err);
    slot->stored = st == TESS_OK && (next == TESS_EACH_NEXT || next == TESS_EACH_CHANGED);
    if (st != TESS_OK || !slot->stored)
        atomic_store(&r->stopped, true);
    return st;
}

// Where each input is one item again and again, so are the outputs.
static tess_status
compute_constant(struct run *r, struct slot *slot, tess_error *err)
{
    const struct mapping *const m = r->m;
    _Alignas(16) uint8_t items[TESS_MAP_MAX_ARRAYS][ITEM_MOST];
    const void *inputs[TESS_MAP_MAX_ARRAYS];
    void *outputs[TESS_MAP_MAX_ARRAYS];
    bool constant = m->constant;
    tess_status st = TESS_OK;
    for (int k = 0; k < m->ninputs && constant && st == TESS_OK; k++) {
        const struct map_input *const in = &m->inputs[k];
        inputs[k] = items[k];
        constant = in->a->g->typesize <= ITEM_MOST;
        if (constant)
            st = map_input_is_constant(m, in, slot->box.start, slot->box.stop, &r->engine.inner,
                                       items[k], &constant, err);
    }
    if (st != TESS_OK || !constant)
        return st;
    list_outputs(m, slot, 1, outputs);
    m->constant(m->self, inputs, outputs);
    slot->constant = slot->stored = true;
    return TESS_OK;
}

static tess_status
map_work_on_box(void *self, void *tally, const struct engine_box *box, uint8_t *room,
                tess_error *err)
{
    struct run *const r = self;
    struct slot own = {.outputs = NULL};
    struct slot *const slot = r->most > 0 ? &r->slots[box->number - r->first] : &own;
    (void)tally;
    slot->box = *box;
    const tess_status st = compute_constant(r, slot, err);
    return st == TESS_OK && !slot->constant ? compute_box(r, slot, room, err) : st;
}

static void
box_of_input(const void *self, int k, const int64_t *start, const int64_t *stop, int64_t *own_start,
             int64_t *own_stop)
{
    const struct mapping *const m = ((const struct run *)self)->m;
    map_input_box(m, &m->inputs[k], start, stop, own_start, own_stop);
}

// -- a wave

static tess_status
store_box(const struct run *r, const struct slot *slot, tess_error *err)
{
    const struct mapping *const m = r->m;
    const struct watch_range all = watch_divide(r->watch);
    void *outputs[TESS_MAP_MAX_ARRAYS];
    int64_t shape[NDIM_MAX];
    tess_status st = TESS_OK;
    for (int i = 0; i < m->ndim; i++)
        shape[i] = slot->box.stop[i] - slot->box.start[i];
    list_outputs(m, slot, slot->constant ? 1 : slot->box.nitems, outputs);
    for (int k = 0; k < m->noutputs && st == TESS_OK; k++) {
        const struct map_output *const out = &m->outputs[k];
        struct box_memory_const src = {.items = outputs[k]};
        if (!slot->constant)
            shape_strides(m->ndim, shape, out->a->g->typesize, src.stride);
        watch_part(r->watch, &all, k + 1, m->noutputs);
        st = array_write(out->a, &(struct box){slot->box.start, slot->box.stop, NULL}, &src,
                         out->staged, r->watch, err);
    }
    return st;
}

static tess_status
store_wave(const struct run *r, tess_error *err)
{
    const struct watch_range all = watch_divide(r->watch);
    tess_status st = TESS_OK;
    for (int i = 0; i < r->nslots && st == TESS_OK; i++) {
        watch_part(r->watch, &all, i + 1, r->nslots);
        if (r->slots[i].stored)
            st = store_box(r, &r->slots[i], err);
    }
    return st;
}

static tess_status
run_wave(struct run *r, int64_t nitems, tess_error *err)
{
    const struct task_width width = {
        .threads = r->threads, .executor = r->m->executor, .cost = INT64_MAX, .watch = r->watch};
    const struct watch_range both = watch_divide(r->watch);
    const bool stores = r->most > 0;
    for (int i = 0; i < r->most; i++)
        r->slots[i].stored = r->slots[i].constant = false;
    r->first = r->engine.number;
    watch_part(r->watch, &both, 1, stores ? 2 : 1);
    watch_job(r->watch, nitems);
    const tess_status st = engine_run(&r->engine, stores ? r->most : INT64_MAX, &width, err);
    r->nslots = stores ? (int)(r->engine.number - r->first) : 0;
    watch_part(r->watch, &both, 1, 1);
    return st == TESS_OK ? store_wave(r, err) : st;
}

static tess_status
run_waves(struct run *r, tess_error *err)
{
    const struct mapping *const m = r->m;
    const struct watch_range all = watch_divide(r->watch);
    const int64_t nitems = nitems_of(m->ndim, m->start, m->stop);
    int64_t one = 1;
    tess_status st = TESS_OK;
    for (int i = 0; i < m->ndim; i++)
        one *= r->boxes.longest[i];
    while (engine_has_more(&r->engine) && st == TESS_OK) {
        const int64_t done = r->engine.nitems;
        const int64_t wave = r->most > 0 ? min_i64(r->most * one, nitems - done) : nitems; // about
        watch_part(r->watch, &all, min_i64(done + wave, nitems), nitems);
        st = run_wave(r, wave, err);
    }
    return st;
}

// -- memory

static bool
is_broadcast(const struct mapping *m, const struct map_input *in)
{
    bool some = false;
    for (int i = 0; i < m->ndim; i++)
        some |= in->broadcast[i] && m->stop[i] - m->start[i] > 1;
    return some;
}

// Read what stays in memory.
static tess_status
keep_inputs(struct run *r, bool *kept, tess_error *err)
{
    const struct mapping *const m = r->m;
    int64_t left = m->memory / KEPT_SHARE, shape[NDIM_MAX];
    tess_status st = TESS_OK;
    for (int i = 0; i < m->ndim; i++)
        shape[i] = m->stop[i] - m->start[i];
    for (int k = 0; k < m->ninputs && st == TESS_OK; k++) {
        const struct map_input *const in = &m->inputs[k];
        struct kept *const keep = &r->kept[k];
        const int64_t size = map_input_size(m, in, shape);
        kept[k] = is_broadcast(m, in) && size <= left;
        if (!kept[k])
            continue;
        left -= size;
        r->memory -= size;
        keep->memory = new_room(to_cache_line(size), err);
        st = keep->memory ? map_input_read(m, in, m->start, m->stop, keep->memory, &keep->first,
                                           keep->strides, r->watch, err)
                          : TESS_ERR_NOMEM;
    }
    return st;
}

static tess_status
reserve_slots(struct run *r, tess_error *err)
{
    for (int i = 0; i < r->most; i++) {
        r->slots[i].outputs = new_room(r->outputs_size, err);
        if (!r->slots[i].outputs)
            return TESS_ERR_NOMEM;
    }
    return TESS_OK;
}

// How many threads work, and how many boxes make a wave.
static void
choose_width(struct run *r, const bool *kept, size_t *inputs_size)
{
    const struct mapping *const m = r->m;
    const struct task_width width = {
        .threads = m->threads, .executor = m->executor, .cost = INT64_MAX};
    const int64_t in = mapping_inputs_size(m, kept, r->boxes.longest);
    const int64_t out = mapping_outputs_size(m, r->boxes.longest);
    int64_t nboxes = 1;
    for (int i = 0; i < m->ndim; i++)
        if (!mul_i64(nboxes, r->boxes.n[i], &nboxes))
            nboxes = INT64_MAX;
    *inputs_size = to_cache_line(in) + (size_t)m->ninputs * ALIGNMENT;
    r->outputs_size = to_cache_line(out) + (size_t)m->noutputs * ALIGNMENT;
    const int64_t fit = r->memory / max_i64(in + out, 1);
    r->threads = (int)max_i64(1, min_i64(task_threads(&width), min_i64(fit, nboxes)));
    if (m->noutputs == 0)
        return;
    const int64_t room = (r->memory - r->threads * in) / out;
    const int64_t wish = r->threads == 1 ? 1 : max_i64(2 * r->threads, WAVE_SIZE / out);
    r->most = (int)max_i64(1, min_i64(min_i64(wish, room), min_i64(SLOTS, nboxes)));
    r->threads = (int)min_i64(r->threads, r->most);
}

static void
run_finish(struct run *r)
{
    for (int k = 0; k < r->m->ninputs && r->kept; k++)
        mem_free(r->kept[k].memory);
    mem_free(r->kept);
    for (int i = 0; i < r->most; i++)
        mem_free(r->slots[i].outputs);
    division_finish(&r->boxes);
}

// All of the mapping is one box.
static tess_status
run_constant(struct run *r, bool *done, tess_error *err)
{
    struct slot *const slot = &r->slots[0];
    _Alignas(ALIGNMENT) uint8_t item[TESS_MAP_MAX_ARRAYS * ALIGNMENT];
    memcpy(slot->box.start, r->m->start, sizeof r->m->start);
    memcpy(slot->box.stop, r->m->stop, sizeof r->m->stop);
    slot->outputs = item;
    slot->constant = false;
    tess_status st = compute_constant(r, slot, err);
    *done = slot->constant;
    if (st == TESS_OK && *done)
        st = store_box(r, slot, err);
    slot->outputs = NULL;
    return st;
}

// The boxes, with what is kept in memory.
static tess_status
run_boxes(struct run *r, tess_error *err)
{
    const struct mapping *const m = r->m;
    struct engine_sink sink = {
        .self = r, .work = map_work_on_box, .box_of = box_of_input, .stopped = &r->stopped};
    const tess_array *arrays[TESS_MAP_MAX_ARRAYS];
    bool kept[TESS_MAP_MAX_ARRAYS];
    tess_status st = TESS_OK;

    TRY(keep_inputs(r, kept, err));
    TRY(division_init(&r->boxes, m, kept, r->memory, err));
    choose_width(r, kept, &sink.room_size);
    TRY(reserve_slots(r, err));
    for (int k = 0; k < m->ninputs; k++)
        arrays[k] = kept[k] ? NULL : m->inputs[k].a;
    TRY(engine_begin(&r->engine, &sink, &r->boxes, arrays, m->ninputs, r->watch, err));
    st = run_waves(r, err);
out:
    engine_end(&r->engine);
    return st;
}

tess_status
map_run(const struct mapping *m, struct watch *watch, tess_error *err)
{
    struct run r = {.m = m, .watch = watch, .memory = m->memory};
    bool done = false;
    watch_within(&r.engine.inner, watch);
    tess_status st = m->constant ? run_constant(&r, &done, err) : TESS_OK;
    if (st != TESS_OK || done)
        return st;
    r.kept = mem_zeroed((size_t)m->ninputs + 1, sizeof *r.kept);
    if (!r.kept)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d inputs", m->ninputs);
    st = run_boxes(&r, err);
    run_finish(&r);
    return st;
}
