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
#include "compute/map/ahead.h"
#include "compute/map/divide.h"
#include "compute/map/input.h"
#include "geom/shape.h"
#include "grid/strided.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

enum {
    ROOMS = 32, // that are used again
    SLOTS = 64, // boxes of a wave, at most
    WAVE_SIZE = 32 << 20, // bytes of their outputs, about
    ALIGNMENT = 64,
    KEPT_SHARE = 8, // of the memory, for inputs that are broadcast
    ITEM_MOST = 64, // bytes of an item that is looked for in all of a box
};

// A box on its way from inputs to outputs.
struct slot {
    int64_t number; // of the box
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
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
    struct watch inner; // within it, for jobs that read inputs
    struct kept *kept;
    struct division boxes;
    struct division_walk walk;
    int64_t nboxes; // so far
    struct inputs_ahead ahead;
    int64_t memory; // for everything that is not kept
    int threads;

    size_t inputs_size, outputs_size; // of a room, and a slot
    _Atomic(uint8_t *) rooms[ROOMS]; // for inputs

    struct slot slots[SLOTS];
    int most; // of them; 0: nothing is stored
    int nslots; // of the wave
    atomic_bool stopped;
};

struct grain {
    struct slot *slot; // NULL: `own`
    struct slot own;
};

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

static size_t
aligned(int64_t size)
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

static uint8_t *
take_room(struct run *r, tess_error *err)
{
    for (int i = 0; i < ROOMS; i++) {
        uint8_t *const room = atomic_exchange(&r->rooms[i], NULL);
        if (room)
            return room;
    }
    return new_room(r->inputs_size, err);
}

static void
give_room(struct run *r, uint8_t *room)
{
    for (int i = 0; i < ROOMS && room; i++) {
        uint8_t *empty = NULL;
        if (atomic_compare_exchange_strong(&r->rooms[i], &empty, room))
            return;
    }
    mem_free(room);
}

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
        shape[i] = slot->stop[i] - slot->start[i];
    for (int k = 0; k < m->ninputs && st == TESS_OK; k++) {
        const struct map_input *const in = &m->inputs[k];
        const struct kept *const kept = &r->kept[k];
        const uint8_t *first = kept->first;
        v->list[k] = kept->memory ? kept->strides : v->strides[k];
        if (kept->memory) {
            for (int i = 0; i < m->ndim; i++)
                first += (slot->start[i] - m->start[i]) * kept->strides[i];
        } else {
            st = map_input_read(m, in, slot->start, slot->stop, room, &first, v->strides[k],
                                &r->inner, err);
            room += aligned(map_input_size(m, in, shape));
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
        to += aligned(nitems * m->outputs[k].a->g->typesize);
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
        .nitems = nitems_of(m->ndim, slot->start, slot->stop),
        .ninputs = m->ninputs,
        .noutputs = m->noutputs,
        .inputs = views.first,
        .input_strides = views.list,
        .outputs = outputs,
    };
    memcpy(part.start, slot->start, (size_t)m->ndim * sizeof *part.start);
    memcpy(part.stop, slot->stop, (size_t)m->ndim * sizeof *part.stop);
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
            st = map_input_is_constant(m, in, slot->start, slot->stop, &r->inner, items[k],
                                       &constant, err);
    }
    if (st != TESS_OK || !constant)
        return st;
    list_outputs(m, slot, 1, outputs);
    m->constant(m->self, inputs, outputs);
    slot->constant = slot->stored = true;
    return TESS_OK;
}

static tess_status
next_box(void *job, void *grain, bool *more, tess_error *err)
{
    struct run *const r = job;
    struct grain *const g = grain;
    *more = r->walk.more && (r->most == 0 || r->nslots < r->most) && !atomic_load(&r->stopped);
    if (!*more)
        return TESS_OK;
    g->slot = r->most > 0 ? &r->slots[r->nslots++] : NULL;
    struct slot *const slot = g->slot ? g->slot : &g->own;
    if (!g->slot)
        slot->outputs = NULL;
    slot->stored = slot->constant = false;
    division_walk_next(&r->walk, slot->start, slot->stop);
    slot->number = r->nboxes++;
    return inputs_ahead_reach(&r->ahead, slot->number, err);
}

static tess_status
compute_in_room(struct run *r, struct slot *slot, tess_error *err)
{
    uint8_t *const room = take_room(r, err);
    if (!room)
        return TESS_ERR_NOMEM;
    const tess_status st = compute_box(r, slot, room, err);
    give_room(r, room);
    return st;
}

static tess_status
work_on_box(void *job, void *grain, tess_error *err)
{
    struct run *const r = job;
    struct grain *const g = grain;
    struct slot *const slot = g->slot ? g->slot : &g->own;
    if (atomic_load(&r->stopped))
        return TESS_OK;
    tess_status st = compute_constant(r, slot, err);
    if (st == TESS_OK && !slot->constant)
        st = compute_in_room(r, slot, err);
    inputs_ahead_leave(&r->ahead, slot->number);
    if (st != TESS_OK || slot->constant)
        return st;
    watch_add(r->watch, nitems_of(r->m->ndim, slot->start, slot->stop));
    return st;
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
        shape[i] = slot->stop[i] - slot->start[i];
    list_outputs(m, slot, slot->constant ? 1 : nitems_of(m->ndim, slot->start, slot->stop),
                 outputs);
    for (int k = 0; k < m->noutputs && st == TESS_OK; k++) {
        const struct map_output *const out = &m->outputs[k];
        struct strided_const src = {.items = outputs[k]};
        if (!slot->constant)
            shape_strides(m->ndim, shape, out->a->g->typesize, src.stride);
        watch_part(r->watch, &all, k + 1, m->noutputs);
        st = array_write(out->a, slot->start, slot->stop, NULL, &src, out->staged, r->watch, err);
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

static int64_t
nitems_of_wave(const struct run *r)
{
    int64_t n = 0;
    for (int i = 0; i < r->nslots; i++)
        n += nitems_of(r->m->ndim, r->slots[i].start, r->slots[i].stop);
    return n;
}

static tess_status
run_wave(struct run *r, int64_t nitems, tess_error *err)
{
    const struct task task = {
        .next = next_box, .work = work_on_box, .grain_size = sizeof(struct grain)};
    const struct task_width width = {
        .threads = r->threads, .executor = r->m->executor, .cost = INT64_MAX, .watch = r->watch};
    const struct watch_range both = watch_divide(r->watch);
    const bool stores = r->most > 0;
    r->nslots = 0;
    watch_part(r->watch, &both, 1, stores ? 2 : 1);
    watch_job(r->watch, nitems);
    const tess_status st = task_run(&task, r, &width, err);
    watch_part(r->watch, &both, 1, 1);
    return st == TESS_OK ? store_wave(r, err) : st;
}

static tess_status
run_waves(struct run *r, tess_error *err)
{
    const struct mapping *const m = r->m;
    const struct watch_range all = watch_divide(r->watch);
    const int64_t nitems = nitems_of(m->ndim, m->start, m->stop);
    int64_t one = 1, done = 0;
    tess_status st = TESS_OK;
    for (int i = 0; i < m->ndim; i++)
        one *= r->boxes.longest[i];
    while (r->walk.more && st == TESS_OK && !atomic_load(&r->stopped)) {
        const int64_t wave = r->most > 0 ? min_i64(r->most * one, nitems - done) : nitems; // about
        watch_part(r->watch, &all, min_i64(done + wave, nitems), nitems);
        st = run_wave(r, wave, err);
        done += nitems_of_wave(r);
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
        keep->memory = new_room(aligned(size), err);
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
choose_width(struct run *r, const bool *kept)
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
    r->inputs_size = aligned(in) + (size_t)m->ninputs * ALIGNMENT;
    r->outputs_size = aligned(out) + (size_t)m->noutputs * ALIGNMENT;
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
    for (int i = 0; i < ROOMS; i++)
        mem_free(atomic_load(&r->rooms[i]));
    division_finish(&r->boxes);
}

// All of the mapping is one box.
static tess_status
run_constant(struct run *r, bool *done, tess_error *err)
{
    struct slot *const slot = &r->slots[0];
    _Alignas(ALIGNMENT) uint8_t item[TESS_MAP_MAX_ARRAYS * ALIGNMENT];
    memcpy(slot->start, r->m->start, sizeof slot->start);
    memcpy(slot->stop, r->m->stop, sizeof slot->stop);
    slot->outputs = item;
    slot->constant = false;
    tess_status st = compute_constant(r, slot, err);
    *done = slot->constant;
    if (st == TESS_OK && *done)
        st = store_box(r, slot, err);
    slot->outputs = NULL;
    return st;
}

tess_status
map_run(const struct mapping *m, struct watch *watch, tess_error *err)
{
    struct run r = {.m = m, .watch = watch, .memory = m->memory};
    bool kept[TESS_MAP_MAX_ARRAYS], done = false;
    watch_within(&r.inner, watch);
    tess_status st = m->constant ? run_constant(&r, &done, err) : TESS_OK;
    if (st != TESS_OK || done)
        return st;
    r.kept = mem_zeroed((size_t)m->ninputs + 1, sizeof *r.kept);
    if (!r.kept)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d inputs", m->ninputs);
    st = keep_inputs(&r, kept, err);
    if (st == TESS_OK)
        st = division_init(&r.boxes, m, kept, r.memory, err);
    if (st == TESS_OK) {
        choose_width(&r, kept);
        st = reserve_slots(&r, err);
    }
    if (st == TESS_OK)
        st = inputs_ahead_begin(&r.ahead, m, kept, &r.boxes, &r.inner, err);
    if (st == TESS_OK) {
        division_walk_begin(&r.walk, &r.boxes);
        st = run_waves(&r, err);
    }
    inputs_ahead_end(&r.ahead);
    run_finish(&r);
    return st;
}
