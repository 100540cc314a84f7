/*
 * history.h - an array whose every commit is known: each item tells its index and the commit that
 * wrote it.
 *
 * Commits come in epochs of eight. The first of an epoch may change the shape, and writes all
 * items; the others write a random box.
 */
#ifndef API_HISTORY_H
#define API_HISTORY_H

#include <tessera.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    HISTORY_EPOCH = 8,
    // Of an axis, at most: the chunks then have less than 256 KiB, so that nothing is committed but
    // by a flush. A commit on the way to it (array.h) would show a part of what a commit writes.
    HISTORY_LENGTH = 150,
    HISTORY_ITEMS = HISTORY_LENGTH * HISTORY_LENGTH,
    HISTORY_COMMITS = 1 << 22, // at most
};

struct history {
    bool small; // few items, so that many commits are made
    bool reshapes; // the shape changes with the epoch
    bool empties; // also to one without items
};

// What the array holds at one commit; commits count from HISTORY_EPOCH on.
struct moment {
    uint32_t commit, first; // of the epoch
    int64_t shape[2];
    struct {
        int64_t start[2], stop[2];
    } boxes[HISTORY_EPOCH]; // what first + k wrote
};
void moment_init(struct moment *m, const struct history *history, uint32_t commit);
uint64_t moment_item(const struct moment *m, int64_t row, int64_t column); // '<u8'

// The array as it is before its first commit is written; and one commit, but for the flush.
tess_params history_params(const struct history *history, tess_layout layout, int clevel);
tess_status history_write(const struct history *history, tess_array *a, uint32_t commit,
                          tess_error *err);

// Which one it is, by an attribute.
tess_status history_commit_of(const tess_array *a, uint32_t *commit, tess_error *err);

#endif
