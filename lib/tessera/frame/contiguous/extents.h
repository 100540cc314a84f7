/*
 * extents.h - sets of extents of a file, found by where they start and by their size.
 *
 * Every step takes a time that grows with the logarithm of their number, whatever the extents are:
 * a file may have been made to ask for the worst.
 *
 * A set has no lock and belongs to its owner: those of a frame (space.h) change with exclusive
 * access to the frame.
 */
#ifndef FRAME_CONTIGUOUS_EXTENTS_H
#define FRAME_CONTIGUOUS_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

struct extent {
    int64_t start;
    int64_t size;
};

struct extent_node;

// Extents that do not overlap; zeroed: none.
struct extents {
    struct extent_node *nodes; // number 0 stands for none
    uint32_t root[2]; // of the tree by start, and of the one by size
    uint32_t used; // nodes that are or were in the trees
    uint32_t capacity;
    uint32_t spare; // nodes that are not in the trees any more
    int64_t total; // bytes of all extents
};

void extents_finish(struct extents *x); // zeroed: fine
void extents_clear(struct extents *x);

// Make room for one more. False: no memory.
bool extents_reserve(struct extents *x);
bool extents_reserve_many(struct extents *x, int64_t n); // or n more

// Add one that stays as it is; there is room. owner: a number of the caller's, which parts of it
// have, too (extents_carve()); without one 0.
void extents_insert(struct extents *x, struct extent e);
void extents_insert_of(struct extents *x, struct extent e, uint32_t owner);

// Add one, joined with its neighbours. Size 0 or less: nothing. False: no memory, it is not there.
bool extents_join(struct extents *x, struct extent e);

// Take the one that starts there out. False: there is none.
bool extents_remove(struct extents *x, int64_t start, struct extent *e);

// Take out the one that ends there. False: there is none.
bool extents_remove_before(struct extents *x, int64_t end, struct extent *e);

// Take out a part of the one that has all of it; there is room for one more.
void extents_carve(struct extents *x, struct extent part);

// Whether one has `size` bytes.
bool extents_fit(const struct extents *x, int64_t size);

// Take `size` bytes from the front of the smallest extent that has them. False: none has.
bool extents_take(struct extents *x, int64_t size, int64_t *start);

// The first extent that starts at or behind `from`. False: there is none.
bool extents_next(const struct extents *x, int64_t from, struct extent *e);

// The extent that has the byte there. False: none has.
bool extents_at(const struct extents *x, int64_t position, struct extent *e);

// The owner of the one that starts there.
uint32_t extents_owner(const struct extents *x, int64_t start);

#endif
