/*
 * private.h - what the units of a contiguous frame share.
 *
 * All of it requires exclusive access to the frame; a job that writes has it in its finish, on
 * whichever thread that runs (grid/write/store.h). There is no lock.
 */
#ifndef FRAME_CONTIGUOUS_PRIVATE_H
#define FRAME_CONTIGUOUS_PRIVATE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct checksums;
struct frame;

// -- commit.c: members of container_contiguous

tess_status contiguous_commit(struct frame *f, tess_error *err);
// Be sure that the state that is known is the one on the disk, after a sync that failed, too.
tess_status contiguous_settle(struct frame *f, tess_error *err);

// Where the state on disk ends: the ledger of an empty frame stands behind its trailer.
int64_t contiguous_state_end(const struct frame *f);

// -- commit.c: stored chunks go to another place in the file, as they are

// The stored bytes of the chunk of an entry, as its header says; they end at `end` at the latest.
tess_status move_size(const struct frame *f, int64_t entry, int64_t end, int32_t *cbytes,
                      tess_error *err);

// Copy these bytes to `start`, which nothing needs; *entry and its checksum follow. What the chunk
// took before is still to be released.
tess_status move_chunk(const struct frame *f, int64_t *entry, int32_t cbytes, int64_t start,
                       struct checksums *checksums, tess_error *err);

// -- free_space.c: what of a file is free when a frame is opened to be changed
//
// To know what is free between the chunks means to read a few bytes of each. So of a frame with
// many chunks nothing is known at first, and none of the space is used again. When a chunk is
// stored, only as much is looked at as pays: a frame that is only appended to never needs all
// (free_space.c says when). Chunks that share bytes are found before any space among those that
// were looked at is used.

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
