/*
 * lock.h - the lock file that other implementations know (io/lock_file.h), around reads and
 * changes.
 *
 * A call that reads a frame holds the lock shared, any number of threads at once. A handle that
 * writes holds it exclusively ("takes" it) from the first byte that it writes until the commit, or
 * until the change is undone. Without a lock file all functions succeed and do nothing.
 *
 * Sharing and releasing need no access to the frame (frame/private.h); the others require exclusive
 * access.
 */
#ifndef FRAME_COMMIT_LOCK_H
#define FRAME_COMMIT_LOCK_H

#include "base/error.h"

struct frame;
struct frame_options;

// Share it. Polls while another process holds it: for 10 seconds, or for tess_storage.wait if that
// is longer; then TESS_ERR_IO, EWOULDBLOCK. TESS_ERR_STALE: another program took it since this
// handle first had it.
tess_status frame_lock_share(const struct frame *f, tess_error *err);
void frame_lock_unshare(const struct frame *f);
// The same before the frame is opened.
tess_status frame_lock_share_early(const struct frame_options *options, tess_error *err);
void frame_lock_unshare_early(const struct frame_options *options);

// Take it, unless it is taken already, and compare the state on the disk with the known one:
// TESS_ERR_STALE. Of a frame that is not published yet nothing is taken.
tess_status frame_lock_take(const struct frame *f, tess_error *err);
// Take it to remove a frame that was not opened: nothing is compared.
tess_status frame_lock_take_early(const struct frame_options *options, tess_error *err);
// Take it to publish a new frame: the frame that it replaces is not compared, since it is not read.
tess_status frame_lock_take_name(const struct frame *f, tess_error *err);
// Release it, unless frame_lock_hold() keeps it. Not taken: fine.
void frame_lock_release(const struct frame *f);

// Take it for the caller: commits and undone changes do not release it, until frame_lock_let_go().
tess_status frame_lock_hold(struct frame *f, tess_error *err);
void frame_lock_let_go(struct frame *f); // and release it, unless it is needed; not held: fine

// After a failure `st` of a change: TESS_ERR_STALE if the state on the disk is another by now,
// which may be the cause; else st.
tess_status frame_lock_blame(const struct frame *f, tess_status st, tess_error *err);

#endif
