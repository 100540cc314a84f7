/*
 * commit.c - a mapping whose outputs change at its end, all or none.
 */
#include "compute/map/map.h"

#include "array/array.h"
#include "array/items/box.h"
#include "base/error.h"
#include "compute/engine/engine.h"
#include "frame/commit/change.h"
#include "grid/write/install.h"
#include "grid/write/turns.h"
#include "grid/write/write_back.h"
#include "task/gate.h"

#include <stdint.h>
#include <stdlib.h>

// NULL: the input is an output too.
static const tess_array *
array_to_lock(const struct mapping *m, const struct map_input *in)
{
    for (int k = 0; k < m->noutputs; k++)
        if (m->outputs[k].a->grid == in->a->grid)
            return NULL;
    return in->a;
}

struct changes {
    struct mapping *m;
    struct frame_staged staged[TESS_MAP_MAX_ARRAYS];
    struct turn turns[TESS_MAP_MAX_ARRAYS];
    int order[TESS_MAP_MAX_ARRAYS]; // of turns: by the addresses of the grids
    int begun; // turns
};

static struct chunk_grid *
grid_of(const struct changes *c, int k)
{
    return c->m->outputs[k].a->grid;
}

static void
sort_outputs(struct changes *c)
{
    for (int i = 0; i < c->m->noutputs; i++) {
        int at = i;
        for (; at > 0 && (uintptr_t)grid_of(c, c->order[at - 1]) > (uintptr_t)grid_of(c, i); at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = i;
    }
}

// The chunks of an output that the box meets.
static tess_status
choose_turn(const struct mapping *m, const tess_array *a, struct turn *turn, tess_error *err)
{
    static const uint8_t nothing;
    const struct box_memory_const memory = {.items = &nothing};
    struct box_memory_const unused;
    struct index_box box;
    if (!a->view) {
        turn_of_box(turn, &a->grid->g, &(struct box){m->start, m->stop, NULL});
        return TESS_OK;
    }
    const tess_status st =
        array_base_box(a, &(struct box){m->start, m->stop, NULL}, &memory, &box, &unused, err);
    if (st == TESS_OK)
        turn_of_box(turn, &a->grid->g, &box.box);
    return st;
}

static tess_status
begin_turns(struct changes *c, tess_error *err)
{
    tess_status st = TESS_OK;
    sort_outputs(c);
    for (int i = 0; i < c->m->noutputs && st == TESS_OK; i++) {
        const int k = c->order[i];
        st = choose_turn(c->m, c->m->outputs[k].a, &c->turns[k], err);
        if (st != TESS_OK)
            break;
        turns_begin(grid_of(c, k)->turns, &grid_of(c, k)->g, &c->turns[k]);
        c->begun++;
    }
    for (int k = 0; k < c->m->noutputs && st == TESS_OK; k++)
        st = write_back_turn(grid_of(c, k), &c->turns[k], err);
    return st;
}

static void
end_turns(struct changes *c)
{
    for (int i = 0; i < c->begun; i++)
        turns_end(grid_of(c, c->order[i])->turns, &c->turns[c->order[i]]);
}

// Before the first array changes, all that can fail of the last one is done; but for a sync that
// fails in between, which the call that syncs reports, too.
static tess_status
install_all(struct changes *c, tess_status st, tess_error *err)
{
    for (int k = 0; k < c->m->noutputs && st == TESS_OK; k++) {
        gate_close(grid_of(c, k)->gate);
        st = frame_install_prepare(grid_of(c, k)->frame, &c->staged[k], err);
        gate_open(grid_of(c, k)->gate);
    }
    for (int k = 0; k < c->m->noutputs; k++)
        st = grid_install(grid_of(c, k), &c->staged[k], st, err);
    return st;
}

tess_status
map_commit(struct mapping *m, struct watch *watch, tess_error *err)
{
    struct changes c = {.m = m};
    const tess_array *inputs[TESS_MAP_MAX_ARRAYS];
    int64_t locked = 0;
    for (int k = 0; k < m->ninputs; k++)
        inputs[k] = array_to_lock(m, &m->inputs[k]);
    for (int k = 0; k < m->noutputs; k++) {
        c.staged[k].again = true;
        m->outputs[k].staged = &c.staged[k];
    }
    tess_status st = TESS_OK;
    TRY(begin_turns(&c, err));
    TRY(array_lock_shared(inputs, m->ninputs, NULL, &locked, err));
    st = map_run(m, watch, err);
out:
    st = array_unlock_shared(inputs, NULL, locked, st, err);
    st = install_all(&c, st, err);
    end_turns(&c);
    for (int k = 0; k < m->noutputs && st == TESS_OK; k++)
        st = write_back_commit(grid_of(&c, k), err);
    return st;
}
