/*
 * current.h - whether a handle may rely on what it knows: by the disk, the path and the process.
 *
 * Other programs may commit to the same file. A handle compares what it read, or wrote last, with
 * what is there now: the header, the end of the trailer (or all of both), and, where no fingerprint
 * of ours covers chunks and index, the time of the file. After a fork() both processes have what is
 * in memory, the list of chunks and of free space; two that write by it would overwrite each other,
 * so one of them may.
 *
 * Any number of threads may ask.
 */
#ifndef FRAME_COMMIT_CURRENT_H
#define FRAME_COMMIT_CURRENT_H

#include "base/error.h"

#include <stdbool.h>

struct frame;

// Whether the file still is in the state that this frame was opened in, or committed last; else
// what was read just now may be of no state. TESS_ERR_STALE.
tess_status frame_check_current(const struct frame *f, tess_error *err);
// The same, looking at all of header and trailer: other implementations change metalayers alone.
tess_status frame_check_unchanged(const struct frame *f, tess_error *err);

/*
 * What is left of that when only the time of the file is looked at. Another program that writes a
 * trailer leaves it without our fingerprint. It may then replace a chunk by one of the same size
 * and leave header, index and trailer as they are, which shows in the time of the file only; in a
 * directory, also of a state of ours.
 */
tess_status frame_check_stamp(const struct frame *f, tess_error *err);
// This handle wrote to the file.
void frame_stamp_again(struct frame *f);

// Whether the path still leads to the frame, if it ever did: what is committed is found there only
// then. TESS_ERR_STALE.
tess_status frame_check_path(const struct frame *f, tess_error *err);

// Whether two frames were opened in the same state, by header and trailer.
bool frame_is_same_state(const struct frame *x, const struct frame *y);

// What holds the frame shows another state from now on, whatever it has: frame_check_current() and
// frame_check_unchanged() are TESS_ERR_STALE.
void frame_set_left_behind(struct frame *f, bool left_behind);

// -- the process that may change a frame in a file: the one that opened or made it

/*
 * Whether the frame is one in a file that another process opened for writing, which forked this
 * one. frame_check_forked() needs no system call and does not see processes that were made without
 * fork(); it is for callers that ask often. Checks are TESS_ERR_ARG.
 */
tess_status frame_check_forked(const struct frame *f, tess_error *err);
tess_status frame_check_owner(const struct frame *f, tess_error *err);
bool frame_is_inherited(const struct frame *f);
void frame_set_owner(struct frame *f);
// Whether this process keeps other writers from it; for callers that ask often.
bool frame_is_locked(const struct frame *f);

#endif
