/*
 * owner.h - the process that may change a frame in a file: the one that opened or made it.
 *
 * Any number of threads may ask.
 */
#ifndef FRAME_COMMIT_OWNER_H
#define FRAME_COMMIT_OWNER_H

#include "base/error.h"

#include <stdbool.h>

struct frame;

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
