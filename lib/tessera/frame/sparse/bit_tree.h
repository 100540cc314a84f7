/*
 * bit_tree.h - a set of numbers, of which the lowest that is not there is found at once.
 *
 * A bit per number, and above 64 bits one that says whether all of them are set.
 *
 * A tree has no lock and belongs to its owner (numbers.h).
 */
#ifndef FRAME_SPARSE_BIT_TREE_H
#define FRAME_SPARSE_BIT_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BIT_TREE_LEVELS = 5,
    BIT_TREE_MAX = 1 << 30, // numbers are below
};

// Zeroed: empty.
struct bit_tree {
    uint64_t *levels[BIT_TREE_LEVELS]; // the bits of the numbers first
    int64_t capacity;
};

void bit_tree_finish(struct bit_tree *t); // zeroed: fine

// Make room for numbers below `count`. False: no memory.
bool bit_tree_reserve(struct bit_tree *t, int64_t count);

// There is room for n; to add or remove twice is fine.
void bit_tree_add(struct bit_tree *t, int64_t n);
void bit_tree_remove(struct bit_tree *t, int64_t n);

// The lowest number that is not in the set; there may be no room for it yet.
int64_t bit_tree_absent(const struct bit_tree *t);

#endif
