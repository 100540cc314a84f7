/*
 * lock.h - the lock that other implementations know (io/lock_file.h), around reads and changes.
 *
 * Shared around what reads a frame that others may find, by any number of threads; taken from the
 * first byte that is written until the commit, or until it is known that there will be none.
 */
#ifndef FRAME_COMMIT_LOCK_H
#define FRAME_COMMIT_LOCK_H

#include "base/error.h"

struct frame;
struct frame_options;

// Where there is no such lock, nothing happens. Share and take compare the state on the disk:
// TESS_ERR_STALE. To take a lock that is held is fine, and so is to release one that is not.
tess_status frame_lock_share(const struct frame *f, tess_error *err);
void frame_lock_unshare(const struct frame *f);
// The same for a frame that is yet to be opened.
tess_status frame_lock_share_early(const struct frame_options *options, tess_error *err);
void frame_lock_unshare_early(const struct frame_options *options);
tess_status frame_lock_take(const struct frame *f, tess_error *err);
// For a frame that is to be removed, and was not opened; whatever others changed.
tess_status frame_lock_take_early(const struct frame_options *options, tess_error *err);
// To publish a new frame: the frame that it replaces is not compared, since it is not read.
tess_status frame_lock_take_name(const struct frame *f, tess_error *err);
void frame_lock_release(const struct frame *f);
// Take it, and keep it whatever would release it, commits of the library included.
tess_status frame_lock_hold(struct frame *f, tess_error *err);
void frame_lock_let_go(struct frame *f); // and release it; not held: nothing happens
// A failure to change a frame may be that others changed it meanwhile: TESS_ERR_STALE then.
tess_status frame_lock_blame(const struct frame *f, tess_status st, tess_error *err);

#endif
