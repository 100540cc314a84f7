/*
 * change.h - changes of a frame's list of chunks, which can be undone.
 *
 * A change (frame_begin() .. frame_keep() or frame_undo()) is what a caller does as one: undone,
 * the list is as it was.
 *
 * Several calls that write may store chunks at the same time. Each has a struct frame_staged of its
 * own instead of a change: the list stays as it is until frame_install() puts all of its chunks
 * there at once, as a change of its own or as part of an open one. So readers never see a part of a
 * call that fails later, and a commit in between has all of a call or nothing.
 *
 * All of it requires exclusive access, frame_put() and its like for as long as they run; but for
 * frame_put_piece() and frame_put_whole(). Any number of threads may write pieces that do not
 * overlap, also while others read the frame and store chunks, unless the frame is in memory.
 */
#ifndef FRAME_COMMIT_CHANGE_H
#define FRAME_COMMIT_CHANGE_H

#include "base/error.h"
#include "chunk/header.h"
#include "frame/container.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct change_put;
struct frame_index;

// Chunks that are stored, and not in the list yet. Zeroed at first.
struct frame_staged {
    struct change_put *puts;
    int64_t nputs;
    int64_t capacity;
    int64_t size; // bytes of the chunks
    bool begun; // the frame knows that there are some
    unsigned failures; // of the frame, when the first one was stored
    // Set by the caller: a place may be staged several times, and the last time counts.
    bool again;
    // Set by the caller: it is never installed, and the frame stays as it is.
    bool apart;
    int64_t *where; // again: for each place of the list, which of puts it is, plus 1; owned
};

void frame_begin(struct frame *f);
bool frame_is_changing(const struct frame *f); // a change is open
void frame_keep(struct frame *f);
void frame_undo(struct frame *f);

// Whether place n is staged: *entry is then what it becomes. Only if `again` is set.
bool frame_staged_entry(const struct frame_staged *staged, int64_t n, int64_t *entry);

// Reserve what frame_install() needs: it succeeds afterwards, unless a sync of the file fails in
// between. For a call that installs chunks in several frames, all or none.
tess_status frame_install_prepare(struct frame *f, const struct frame_staged *staged,
                                  tess_error *err);
// Put all that is staged into the list. After a failure the list is as before, and all is staged
// still; TESS_ERR_IO: a sync failed since, so that stored bytes may have been lost. frame_drop():
// release what is staged and not installed; call it also after success; zeroed: fine.
tess_status frame_install(struct frame *f, struct frame_staged *staged, tess_error *err);
void frame_drop(struct frame *f, struct frame_staged *staged);
// Place i of what is staged, 0 <= i < nputs: which chunk it is; and what it becomes, of how many
// stored bytes.
int64_t frame_staged_chunk(const struct frame_staged *staged, int64_t i);
int64_t frame_staged_put(const struct frame_staged *staged, int64_t i, int64_t *size);

// Store a chunk at place n. staged: NULL, in the open change.
tess_status frame_put(struct frame *f, struct frame_staged *staged, int64_t n, const uint8_t *chunk,
                      int32_t size, tess_error *err);

// The same for a chunk that is too large to be in memory: begun with room for all that it may
// become, then written in pieces, in any order.
tess_status frame_put_begin(struct frame *f, struct frame_staged *staged, int64_t n, int64_t room,
                            struct frame_put *p, tess_error *err);
tess_status frame_put_piece(const struct frame_put *p, int64_t offset, const uint8_t *bytes,
                            int64_t size, tess_error *err);
// All of the chunk; the only piece.
tess_status frame_put_whole(struct frame_put *p, const uint8_t *chunk, int32_t size,
                            tess_error *err);
// All `size` bytes are there, 1 at least.
tess_status frame_put_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err);
void frame_put_abandon(struct frame *f, struct frame_put *p); // also after a failure; zeroed: fine

// Learn what is free in the newest state, before space is taken.
tess_status frame_want_space(struct frame *f, tess_error *err);
// Instead of frame_put(), for n chunks whose bytes are in the file already: reserve room, then
// stage each of them by its entry. Then frame_install() cannot fail for want of memory.
tess_status frame_stage_begin(struct frame *f, struct frame_staged *staged, int64_t n,
                              tess_error *err);
void frame_stage(struct frame *f, struct frame_staged *staged, int64_t n, int64_t entry,
                 int64_t size, uint64_t checksum);

// Place n becomes a special chunk that is not stored.
tess_status frame_put_special(struct frame *f, struct frame_staged *staged, int64_t n,
                              enum chunk_special special, tess_error *err);
// Change the length of the list at its end; new chunks are special chunks of the given kind.
tess_status frame_set_length(struct frame *f, int64_t nchunks, enum chunk_special special,
                             tess_error *err);
// The list becomes `next` (taken over, emptied, on success). Place n of the old list is in the new
// one where kept[n] is set, and gone elsewhere.
tess_status frame_rearrange(struct frame *f, struct frame_index *next, const bool *kept,
                            tess_error *err);
// After these, in a plain frame: the chunks have `nbytes` bytes together; chunksize, vlblocks: as
// in frame_header. Without it, all chunks have as many as they had.
void frame_set_sizes(struct frame *f, int32_t chunksize, int64_t nbytes, bool vlblocks);

// -- leases: space of a frame that other processes write chunks to, and chunks that they wrote
//
// A lease is an extent of the file, or numbers of files in a sparse frame (each counts as a byte
// here). Neither commits nor changes use a lease; its chunks are adopted where they are, and the
// rest becomes free when the lease ends. While there are leases, the lock file stays taken, since
// another program would use the same space; and the frame cannot be made empty, since an empty
// frame has its trailer where its first chunks were. frame_find_lent() and frame_is_leased() only
// read.

// `size` bytes or numbers, 1 at least. The frame is in a file or directory, and has chunks.
tess_status frame_lease(struct frame *f, int64_t size, struct extent *lease, tess_error *err);
// To end a lease: free each extent of it that was not adopted, then frame_lease_end().
void frame_lease_free(struct frame *f, struct extent left);
void frame_lease_end(struct frame *f);

// Whether a chunk stands in a lease, where none was adopted.
bool frame_is_leased(const struct frame *f, const struct lent_chunk *chunk);
// Whether the bytes of chunks were written, as far as sizes of files tell. TESS_ERR_NOT_FOUND: they
// were not. *which: of the chunks, the one of a failure; -1: of none.
tess_status frame_find_lent(const struct frame *f, const struct lent_chunk *chunks, int64_t n,
                            int64_t *which, tess_error *err);
// The chunks get into the list, all or none. They do not overlap.
tess_status frame_adopt(struct frame *f, const struct lent_chunk *chunks, int64_t n,
                        tess_error *err);

// -- for put.c: the log of puts, which leads back to the list before the change

// Whether the list in memory leads to all that it led to when the change began.
bool change_is_untouched(const struct frame *f);
// Room for `wanted` puts; for n more changes of the list.
tess_status change_reserve_puts(struct change_put **puts, int64_t *capacity, int64_t wanted,
                                tess_error *err);
tess_status change_reserve(struct frame *f, int64_t n, tess_error *err);
// Place n of the list becomes that entry; there is room.
void change_put(struct frame *f, int64_t n, int64_t entry, int64_t size);

#endif
