/*
 * commit.h - when a state goes to the disk.
 *
 * Requires exclusive access. How it goes there is the container's (frame/container.h).
 */
#ifndef FRAME_COMMIT_COMMIT_H
#define FRAME_COMMIT_COMMIT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;

// To the disk. TESS_ERR_STALE: others changed the frame, or its path leads elsewhere.
tess_status frame_commit(struct frame *f, tess_error *err);
// The same, but a state that is not sealed (frame/private.h) is committed also if nothing else has
// changed. After a failure the frame is as before.
tess_status frame_commit_sealed(struct frame *f, tess_error *err);
// Whether enough was written or overwritten since the last commit for an automatic one; commit if
// so.
bool frame_commit_is_due(const struct frame *f);
tess_status frame_commit_if_large(struct frame *f, tess_error *err);
// How many overwritten bytes make an automatic commit due, about.
int64_t frame_batch(const struct frame *f);
// Give a new file its name, once the commit is on the disk. Before, and after a failure, no path
// leads to the frame, and it can be published later; once published, the call does nothing.
tess_status frame_publish(struct frame *f, tess_error *err);

/*
 * If it saves `least` bytes and is worth its time, a contiguous frame's file gets shorter: chunks
 * at its end move into free space, and it is cut (contiguous/shorten.c). All was committed, and the
 * frame is closed next: what fails here leaves a state on the disk that holds the same.
 */
void frame_shorten(struct frame *f, int64_t least);

#endif
