/*
 * frames.h - what a path leads to, and the frames that a file holds, by their headers.
 *
 * Nothing is opened as an array, and nothing is locked or changed. Any number of threads.
 */
#ifndef ARRAY_FILES_FRAMES_H
#define ARRAY_FILES_FRAMES_H

#include "base/error.h"

#include <tessera/files.h>

#include <stdint.h>

struct io;
struct watch;

// The storage was checked.
tess_status frames_probe(const tess_storage *storage, tess_frame_info *frame, tess_error *err);

// All of them, from storage->offset on. *frames: allocated; NULL: there are none.
tess_status frames_list(const tess_storage *storage, tess_frame_info **frames, int64_t *count,
                        tess_error *err);

// What begins at a byte of an io; kind NONE: no frame.
tess_status frames_look(struct io *io, int64_t offset, int64_t size, const tess_limits *limits,
                        tess_frame_info *frame, tess_error *err);

#endif
