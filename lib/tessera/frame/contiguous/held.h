/*
 * held.h - states of a contiguous frame that stay whole while later ones are committed.
 *
 * Whoever holds a state has its first bytes (io/front.h), which lead to all else; the frame sees to
 * it that nothing of that is written over. So several frames can be committed one after the other,
 * and all of it become current at once, or a reader stay on a state for as long as it likes.
 *
 * All of it requires exclusive access to the frame.
 */
#ifndef FRAME_CONTIGUOUS_HELD_H
#define FRAME_CONTIGUOUS_HELD_H

#include "base/error.h"
#include "frame/contiguous/extents.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;

// What a state needs, besides its first bytes.
struct held_state {
    int64_t *chunks; // where they start, ascending; owned
    size_t nchunks;
    struct extent body; // index, ledger and trailer; size 0: of an empty state, nothing
};

enum { FRAME_TAIL = 16 };

// How many of the first bytes of the file make the state on the disk: the header; of an empty
// state, which has its trailer behind that, all of it.
int64_t frame_front_size(const struct frame *f);

// These bytes, for the caller to free, and the last ones of the state, which no two states of
// frames have in common, unless these are copies.
tess_status frame_read_front(const struct frame *f, uint8_t **front, size_t *size, uint8_t *tail,
                             tess_error *err);

// Bytes of the state on the disk, from the first one on to where its index and trailer end: a copy
// of them is a frame in this state, with the space that is free in it.
int64_t frame_bytes(const struct frame *f);
tess_status frame_read_bytes(const struct frame *f, int64_t offset, void *dst, size_t size,
                             tess_error *err);

// Where the state ends of which these are the first bytes; -1: they are not those of a frame.
// *whole: these bytes are all of it.
int64_t frame_front_end(const uint8_t *front, size_t size, bool *whole);

// Nothing of the state on the disk, and of those to come, is written over from here on.
void frame_hold(struct frame *f);

// What a state needs, of which these are the first bytes, read from the frame's file. To be
// finished also after a failure.
tess_status held_load(struct held_state *state, const struct frame *f, const uint8_t *front,
                      size_t front_size, tess_error *err);
void held_finish(struct held_state *state); // zeroed: fine

// A frame that was opened holds n states as well, in which the file was before.
tess_status frame_hold_states(struct frame *f, const struct held_state *states, size_t n,
                              tess_error *err);

// Of all that is held, only what these n states need. The state on the disk is held no more.
void frame_let_go(struct frame *f, const struct held_state *states, size_t n);

#endif
