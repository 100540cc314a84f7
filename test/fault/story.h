/*
 * story.h - a random workload on one array, and what of it was committed.
 *
 * What the array must hold is kept beside it. A step that fails changes nothing of that.
 */
#ifndef FAULT_STORY_H
#define FAULT_STORY_H

#include "fault/state.h"
#include "support/random.h"

#include <tessera.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum story_step {
    STORY_WHOLE, // write whole chunks
    STORY_PART,
    STORY_FILL,
    STORY_POINTS,
    STORY_GROW,
    STORY_SHRINK,
    STORY_APPEND,
    STORY_INSERT,
    STORY_DELETE,
    STORY_NOTE,
    STORY_VALUE,
    STORY_ADOPT, // chunks of a packet
    STORY_LEASE, // chunks that were written to a lease
    STORY_EMPTY,
    STORY_FLUSH,
    STORY_REOPEN, // after closing it
    STORY_DISCARD, // and open it
    STORY_REPLACE,
    STORY_SAVE,
    STORY_COMPACT, // after closing it, and open it
    STORY_STEPS,
};

// How often each step is made, beside the others.
struct workload {
    const char *name;
    int weights[STORY_STEPS];
    bool never_reuse; // an array that is opened again never reuses space
    int others; // attributes that a new array has besides those of its state
};

extern const struct workload workloads[];
extern const int workload_count;

// States that a path has led to, or was on the way to lead to.
struct commit {
    struct state state;
    size_t started, returned; // operations of the log; SIZE_MAX: it did not return, or failed
    size_t withdrawn; // the array could not be made, and nothing of it is left; SIZE_MAX: no
    bool solid; // the machine may stop once it has returned, at levels ordered and fsync
    int node; // that the path leads to since it returned; NAMES_NONE before
};

// How many were started and returned so far, for other processes.
struct board {
    atomic_int started, returned;
};

struct history {
    const char *name; // in the folder
    struct board *board; // NULL: nobody asks
    struct commit *commits;
    int count, capacity;
};

struct story {
    struct random r;
    const struct workload *workload;
    const char *folder; // where it happens; stays
    tess_layout layout;
    tess_durability durability;
    bool lock_file;
    tess_context context;
    tess_array *a; // NULL: not there
    int unpublished; // commits before it was made, if it has no name yet; -1: it has one
    struct state now;
    struct history main, copy;
    int next_number;
};

// Nothing is made before the first step.
void story_begin(struct story *s, const char *folder, const struct workload *workload,
                 tess_layout layout, tess_durability durability, uint64_t seed);
void story_end(struct story *s);

// Where a history happens, and how its array is opened; to be used before it is asked again.
void story_storage(const struct story *s, const struct history *h, tess_mode mode,
                   tess_storage *storage);

// Make the array, or open it again; nothing if it is there. Then a step of that kind; some change
// nothing. Making and saving, if they fail, are withdrawn; after a close that fails, and where the
// array is not there for another reason, story_found() says which commit is found.
tess_status story_ready(struct story *s, tess_error *err);
tess_status story_step(struct story *s, enum story_step step, tess_error *err);
enum story_step story_choose(struct story *s);
extern const char *const story_step_names[STORY_STEPS];

// Instead of making an array: one is there, and holds that.
void story_adopt(struct story *s, const struct state *state);

// The last commit that was not withdrawn, or -1: the array was never made.
int history_last(const struct history *h);

// The array is not open, and its path holds that commit.
void story_found(struct story *s, int commit);

#endif
