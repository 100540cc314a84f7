/*
 * options.h - how a frame is handled, whatever it holds.
 */
#ifndef FRAME_OPTIONS_H
#define FRAME_OPTIONS_H

#include <tessera/context.h>
#include <tessera/storage.h>

#include <stdbool.h>
#include <stdint.h>

struct io_path;
struct plugins;
struct lock_file;

struct frame_options {
    tess_limits limits; // 0: default
    tess_durability durability;
    tess_checksums checksums;
    const struct plugins *plugins; // what its chunks may ask for; outlives the frame; NULL: nothing
    struct lock_file *lock_file; // belongs to the frame from here on; NULL: nothing to lock
    struct io_path *path; // that leads to it, or names it, likewise; NULL: neither
    const tess_context *context; // of calls that wait for locks; outlives the frame; NULL: none
    bool never_reuse; // bytes and file numbers that a state on disk had
    bool explicit_commits; // no automatic ones
    int64_t wait; // for locks that are kept, in milliseconds; negative: as long as it takes
    uint64_t number; // of the commit that a new frame's first one follows; 0: none
};

#endif
