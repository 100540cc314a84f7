/*
 * turns.h - calls that change the same chunk take turns; others run at the same time.
 *
 * A call says which chunks it may change: a box of the grid, or a list. It waits until no call that
 * came before it has one of these. Calls wait in the order in which they came, so that none waits
 * for ever; as a call waits for earlier ones only, and has one turn, none waits in a circle.
 *
 * A call that has a turn must not begin another one, but for turns_begin_free(), which does not
 * wait; and but for a call that changes several arrays: it begins a turn of each in the order of
 * the addresses of their grids, before it does anything else, so that two such calls do not wait
 * for each other.
 *
 * Locks: one, for the list of turns; it is not held while a call waits or works.
 */
#ifndef GRID_WRITE_TURNS_H
#define GRID_WRITE_TURNS_H

#include "geom/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct turns;

// The chunks of a call. One of the two is set; what the list points to stays until the turn ends.
struct turn {
    int64_t lo[NDIM_MAX], hi[NDIM_MAX]; // a box of the grid of chunks, first and last index
    const int64_t *list; // chunks, ascending; NULL: the box
    size_t n; // of the list
    struct turn *next; // which came later
};

struct turns *turns_new(void); // NULL: no memory
void turns_free(struct turns *t); // NULL: fine

// The chunks that a box meets, which has items; or all.
void turn_of_box(struct turn *turn, const struct geometry *g, const struct box *box);
void turn_of_all(struct turn *turn, const struct geometry *g);
void turn_of_list(struct turn *turn, const int64_t *list, size_t n);

// Whether a chunk is one of them.
bool turn_has(const struct turn *turn, const struct geometry *g, int64_t chunk);

// Wait for the turn. g: of the grid, which does not change while there are turns. No turns, NULL:
// of an array that nothing is written to.
void turns_begin(struct turns *t, const struct geometry *g, struct turn *turn);
// A turn for those chunks of a list that no call has or waits for: the list becomes them, and its
// new length is returned. 0: there are none, and no turn has begun.
size_t turns_begin_free(struct turns *t, const struct geometry *g, struct turn *turn, int64_t *list,
                        size_t n);
void turns_end(struct turns *t, struct turn *turn);

// Whether several calls have turns, or wait for them; for a moment.
bool turns_are_shared(const struct turns *t);
// Whether there ever were several: the array has more than one writer.
bool turns_were_shared(const struct turns *t);

#endif
