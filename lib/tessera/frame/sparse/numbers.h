/*
 * numbers.h - which file numbers of a sparse frame are taken.
 *
 * A number is free if neither the state on disk nor the one in memory uses it. New chunks get the
 * lowest free one: c-blosc2 3.x refuses numbers that are large beside the stored bytes.
 *
 * Requires exclusive access to the frame; a job that writes has it in its finish, on whichever
 * thread that runs (grid/write/store.h). There is no lock.
 */
#ifndef FRAME_SPARSE_NUMBERS_H
#define FRAME_SPARSE_NUMBERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// A set of numbers, of which the lowest that is not there is found at once: a bit per number, and
// above 64 bits one that says whether all of them are set. Zeroed: empty.
enum { BIT_TREE_LEVELS = 5 };
struct bit_tree {
    uint64_t *levels[BIT_TREE_LEVELS]; // the bits of the numbers first
    int64_t capacity;
};

struct numbers {
    uint8_t *state; // NUMBER_* per number
    int64_t count;
    int64_t capacity;
    struct bit_tree taken; // those that have a state
    int64_t stored; // bytes of all chunk files, as far as known
};

void numbers_finish(struct numbers *x); // zeroed: fine

// Number n is in use on the disk and in memory.
tess_status numbers_add(struct numbers *x, int64_t n, tess_error *err);
// Number n is never to be taken: it may be needed on the disk. Used already, or too large to be
// taken: fine.
tess_status numbers_keep(struct numbers *x, int64_t n, tess_error *err);
// Take the lowest free number, for the state in memory.
tess_status numbers_take(struct numbers *x, int64_t *n, tess_error *err);
// The state in memory does not use n any more; true if it is free now.
bool numbers_release(struct numbers *x, int64_t n);

// Take `count` numbers behind all others, for others to write files (commit/change.h). Each is free
// again with numbers_end_lease(), or becomes one of the state in memory with numbers_adopt().
tess_status numbers_lease(struct numbers *x, int64_t count, int64_t *first, tess_error *err);
void numbers_end_lease(struct numbers *x, int64_t n);
void numbers_adopt(struct numbers *x, int64_t n);

// The state in memory may be found on the disk from here on, and the old one too.
void numbers_written(struct numbers *x);
// Only the state in memory is found there: call `gone` for each number that it does not use.
void numbers_committed(struct numbers *x, void (*gone)(void *arg, int64_t n), void *arg);

// The largest number that the state in memory uses, or -1.
int64_t numbers_largest(const struct numbers *x);

// Whether it is used or leased; the lowest one that is not; the largest one that is, or -1.
bool numbers_is_taken(const struct numbers *x, int64_t n);
int64_t numbers_lowest_free(const struct numbers *x);
int64_t numbers_last(const struct numbers *x);

#endif
