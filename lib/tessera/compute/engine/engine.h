/*
 * engine.h - a box in smaller ones, worked on by all threads: what map, reductions and iteration
 * have in common.
 *
 * A *division* says where boxes begin along each axis: either lists of borders, which may be
 * anywhere, or the borders of a regular grid, which take no memory. Any thread reads one that does
 * not change.
 *
 * A *sink* says what is done with a box. Threads take boxes in order, work on them in any order,
 * and finish them in order; so what is merged in finish does not depend on threads. The stored
 * bytes of arrays that the boxes will be read from are fetched ahead.
 *
 *     st = engine_begin(&e, &sink, &boxes, arrays, n, watch, err);
 *     while (st == TESS_OK && engine_has_more(&e))
 *         st = engine_run(&e, most, &width, err);
 *     engine_end(&e);
 *
 * Threads: an engine belongs to the call. `walk`, `number` and `nitems` change in next of the job,
 * which one thread at a time calls (task/task.h); the rooms are atomic: one is taken and given back
 * with one exchange. No lock is held and no gate entered while a sink works.
 */
#ifndef COMPUTE_ENGINE_ENGINE_H
#define COMPUTE_ENGINE_ENGINE_H

#include "array/array.h"
#include "base/error.h"
#include "base/limits.h"
#include "task/task.h"
#include "task/watch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- the division

struct division {
    int ndim;
    int64_t n[NDIM_MAX]; // boxes per axis
    int64_t longest[NDIM_MAX]; // items of one along the axis, at most
    int64_t *at[NDIM_MAX]; // where boxes begin, and the end; owned; NULL: the grid has it
    int64_t capacity[NDIM_MAX]; // of the list
    int64_t start[NDIM_MAX], stop[NDIM_MAX], cell[NDIM_MAX]; // a box, in cells of a grid
};

// The parts of a box that has items in the cells of a grid.
void division_of_grid(struct division *d, int ndim, const int64_t *cell, const int64_t *start,
                      const int64_t *stop);

// Lists, axis by axis: the start, then each border in order, the last of which is the end.
tess_status division_begin(struct division *d, int axis, int64_t start, tess_error *err);
tess_status division_append(struct division *d, int axis, int64_t border, tess_error *err);

void division_finish(struct division *d); // zeroed: fine

// The boxes in C order.
struct division_walk {
    const struct division *d;
    bool more;
    int64_t index[NDIM_MAX];
};
void division_walk_begin(struct division_walk *w, const struct division *d);
void division_walk_next(struct division_walk *w, int64_t *start, int64_t *stop); // if w->more

// -- the engine

enum {
    ENGINE_ROOMS = 32, // that are used again
    ENGINE_TALLY_SIZE = 1024, // of what a sink keeps of a box, at most
    ENGINE_ALIGNMENT = 64, // of a room
};

struct engine_box {
    int64_t number; // in the order of the division
    int64_t nitems;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
};

// tally: tally_size bytes of the box, zeros at first.
struct engine_sink {
    void *self;
    // Any thread, several at once. room: room_size bytes, which no other thread has meanwhile.
    tess_status (*work)(void *self, void *tally, const struct engine_box *box, uint8_t *room,
                        tess_error *err);
    // Each may be NULL. One at a time, in order; once for each box that was begun, in the end.
    tess_status (*finish)(void *self, void *tally, tess_error *err);
    void (*drop)(void *self, void *tally);
    // The part of array k that a box is made of; NULL: the box itself.
    void (*box_of)(const void *self, int k, const int64_t *start, const int64_t *stop,
                   int64_t *own_start, int64_t *own_stop);
    const atomic_bool *stopped; // when true, no other box is begun; NULL: never
    size_t tally_size, room_size;
};

struct engine_ahead;

struct engine {
    const struct engine_sink *sink;
    struct division_walk walk; // stands on the next box
    int64_t number, nitems; // boxes that were begun, and their items
    int64_t stop; // the number at which this run ends
    struct watch *watch; // of the call
    struct watch inner; // within it, for jobs that a sink begins
    struct engine_ahead *ahead; // one for each array; NULL: nothing was begun
    int narrays;
    _Atomic(uint8_t *) rooms[ENGINE_ROOMS];
};

// arrays: those that boxes are read from; NULL among them: not to be read ahead. The sink, the
// division and the list stay until the end. To be ended also after a failure.
tess_status engine_begin(struct engine *e, const struct engine_sink *sink,
                         const struct division *boxes, const tess_array *const *arrays, int n,
                         struct watch *watch, tess_error *err);

bool engine_has_more(const struct engine *e);

// The next boxes, at most so many. Each counts its items in the watch.
tess_status engine_run(struct engine *e, int64_t most, const struct task_width *width,
                       tess_error *err);

void engine_end(struct engine *e); // zeroed: fine

#endif
