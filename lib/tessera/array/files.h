/*
 * files.h - what a path leads to, the frames that a file holds, by their headers, and removal.
 *
 * To look opens nothing as an array, and locks and changes nothing: any number of threads. Removal
 * is done by one thread, which holds the lock of a writer meanwhile.
 */
#ifndef ARRAY_FILES_H
#define ARRAY_FILES_H

#include "base/error.h"

#include <tessera/files.h>
#include <tessera/storage.h>

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

// What is at storage->path, a path of the file system.
tess_status array_remove(const tess_storage *storage, tess_error *err);

#endif
