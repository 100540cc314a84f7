/*
 * current.h - whether a handle may rely on what it knows: by the disk, the path and the process.
 *
 * Other programs may commit to the same file. A handle compares what it read, or wrote last, with
 * what is there now: the header, the end of the trailer (or all of both), and, where no fingerprint
 * of ours covers chunks and index, the time of the file. After a fork() both processes have the
 * lists of chunks and of free space in memory, and would overwrite each other's chunks: only the
 * process that opened the frame may change it.
 *
 * Any number of threads may ask.
 */
#ifndef FRAME_COMMIT_CURRENT_H
#define FRAME_COMMIT_CURRENT_H

#include "base/error.h"

#include <stdbool.h>

struct frame;

// TESS_ERR_STALE if the file is not in the state that this frame was opened in, or committed last:
// what was read just now may then be a mixture of two states.
tess_status frame_check_current(const struct frame *f, tess_error *err);
// The same, looking at all of header and trailer: other implementations change metalayers alone.
tess_status frame_check_unchanged(const struct frame *f, tess_error *err);

/*
 * The part of these checks that looks at the time of the file only, and only where the time is
 * needed: in states without our fingerprint, and in directories. There another program may replace
 * a chunk by one of the same size and leave header, index and trailer as they are.
 */
tess_status frame_check_stamp(const struct frame *f, tess_error *err);
// This handle wrote to the file.
void frame_stamp_again(struct frame *f);

// TESS_ERR_STALE if the frame was published, and its path does not lead to it any more: what is
// committed would not be found there.
tess_status frame_check_path(const struct frame *f, tess_error *err);

// Whether two frames were opened in the same state, by header and trailer.
bool frame_is_same_state(const struct frame *x, const struct frame *y);

// From now on frame_check_current() and frame_check_unchanged() return TESS_ERR_STALE without a
// look at the file: the state is known to be gone. false: they look again.
void frame_set_left_behind(struct frame *f, bool left_behind);
bool frame_is_left_behind(const struct frame *f);
// The same for one that is written: nothing is written to it any more, and it is unlocked, but not
// before its last lease ends.
void frame_leave(struct frame *f);

// -- the process that may change a frame in a file: the one that opened or made it

/*
 * Whether the frame is one in a file that another process opened for writing, which forked this
 * one. frame_check_forked() needs no system call and does not see processes that were made without
 * fork(); it is for callers that ask often. Checks are TESS_ERR_ARG; frame_check_owner() is
 * TESS_ERR_STALE after frame_leave().
 */
tess_status frame_check_forked(const struct frame *f, tess_error *err);
tess_status frame_check_owner(const struct frame *f, tess_error *err);
bool frame_is_inherited(const struct frame *f);
void frame_set_owner(struct frame *f);
// Whether this process keeps other writers from it; for callers that ask often.
bool frame_is_locked(const struct frame *f);

#endif
