/*
 * shorten.h - a contiguous frame's file becomes shorter when the frame is closed.
 *
 * Requires exclusive access to the frame; there is no lock.
 */
#ifndef FRAME_CONTIGUOUS_SHORTEN_H
#define FRAME_CONTIGUOUS_SHORTEN_H

#include <stdint.h>

struct frame;

// If it saves `least` bytes and is worth its time: move chunks at the end of the file into free
// space, and cut it. All was committed, and the frame is closed next: what fails here leaves a
// state on the disk that holds the same.
void frame_shorten(struct frame *f, int64_t least);

#endif
