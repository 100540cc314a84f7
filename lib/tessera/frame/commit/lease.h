/*
 * lease.h - space of a frame that other processes write chunks to, and chunks that they wrote.
 *
 * A lease is an extent of the file, or numbers of files in a sparse frame (each counts as a byte
 * here). No list and no state has anything there, whatever is committed meanwhile. Chunks in it are
 * adopted where they are; what is left when the lease ends is free.
 *
 * While there are leases the lock file stays locked, since another program would take the same
 * space; and the frame is not made empty, since that starts its space anew.
 *
 * All of it requires exclusive access, but for frame_find_lent() and frame_is_leased(), which read.
 */
#ifndef FRAME_COMMIT_LEASE_H
#define FRAME_COMMIT_LEASE_H

#include "base/error.h"
#include "frame/container.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;

// `size` bytes or numbers, 1 at least. The frame is in a file or directory, and has chunks.
tess_status frame_lease(struct frame *f, int64_t size, struct extent *lease, tess_error *err);
// What is left of a lease where chunks were adopted: an extent between them. Then the lease ends.
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

#endif
