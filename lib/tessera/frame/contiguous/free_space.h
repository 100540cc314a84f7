/*
 * free_space.h - what of a file is free when a contiguous frame is opened to be changed.
 *
 * To know what is free between the chunks means to read a few bytes of each. So of a frame with
 * many chunks nothing is known at first, and none of the space is used again. When a chunk is
 * stored, only as much is looked at as pays: a frame that is only appended to never needs all
 * (free_space.c says when). Chunks that share bytes are found before any space among those that
 * were looked at is used.
 *
 * Requires exclusive access to the frame; a job that writes has it in its finish, on whichever
 * thread that runs (grid/write/store.h). There is no lock.
 */
#ifndef FRAME_CONTIGUOUS_FREE_SPACE_H
#define FRAME_CONTIGUOUS_FREE_SPACE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;

// A frame was opened whose chunks end at section_end at the latest.
void free_space_init(struct frame *f, int64_t section_end);

// Before the list changes for the first time, which tells how many chunks are old, and whether some
// were replaced before.
void free_space_judge(struct frame *f);

// Learn what is free if it is worth it. The list in memory leads to all chunks that states on disk
// need, but for those that f->space waits for. TESS_ERR_CORRUPT: chunks share bytes.
tess_status free_space_reclaim(struct frame *f, tess_error *err);

// Release the chunk there if it is an old one, of which nothing is known; else false.
bool free_space_release_old(struct frame *f, int64_t position);

// Whether what stands behind the frame may be overwritten. TESS_ERR_UNSUPPORTED: another frame.
tess_status free_space_check_behind(const struct frame *f, tess_error *err);

#endif
