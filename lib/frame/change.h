/*
 * change.h - changes of a frame's list of chunks, which can be undone.
 *
 * A change (frame_begin() .. frame_keep() or frame_undo()) is what a caller does as one: undone,
 * the list is as it was. All of it requires exclusive access, but for frame_put_piece(), which
 * several threads may call for pieces that do not overlap.
 */
#ifndef FRAME_CHANGE_H
#define FRAME_CHANGE_H

#include "base/error.h"
#include "chunk/header.h"
#include "frame/container.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct frame_index;

void frame_begin(struct frame *f);
void frame_keep(struct frame *f);
void frame_undo(struct frame *f);
// Store a chunk at place n.
tess_status frame_put(struct frame *f, int64_t n, const uint8_t *chunk, int32_t size,
                      tess_error *err);

// The same for a chunk that is too large to be in memory: begun with room for all that it may
// become, then written in pieces, in any order. Nothing else is put meanwhile.
tess_status frame_put_begin(struct frame *f, int64_t n, int64_t room, struct frame_put *p,
                            tess_error *err);
tess_status frame_put_piece(const struct frame_put *p, int64_t offset, const uint8_t *bytes,
                            int64_t size, tess_error *err);
// All `size` bytes are there, 1 at least.
tess_status frame_put_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err);
void frame_put_abandon(struct frame *f, struct frame_put *p); // also after a failure; zeroed: fine

// Place n becomes a special chunk that is not stored.
tess_status frame_put_special(struct frame *f, int64_t n, enum chunk_special special,
                              tess_error *err);
// The list gets longer at its end (new places have that entry, which is special), or shorter.
tess_status frame_set_length(struct frame *f, int64_t nchunks, int64_t entry, tess_error *err);
// The list becomes `next` (taken over, emptied, on success). Place n of the old list is in the new
// one where kept[n] is set, and gone elsewhere.
tess_status frame_rearrange(struct frame *f, struct frame_index *next, const bool *kept,
                            tess_error *err);

#endif
