/*
 * map.h - several arrays in step: boxes of the inputs are read, a function makes those of the
 * outputs of them, and these are stored.
 *
 * Boxes go through in *waves*: as many as memory holds are read and computed, by all threads and in
 * any order; then the calling thread stores them in order, box by box, and threads help to encode
 * each. So what is stored does not depend on threads. With one thread, a wave is one box, which is
 * stored while it is in the cache of the CPU.
 *
 * Threads: a struct run belongs to the call. `walk` and `nslots` change in next of the job, which
 * is called by one thread at a time; a slot is written by the worker that has it, and read by the
 * calling thread after the job. `stopped` and `rooms` are atomic. No lock is held, and no gate
 * entered, while the function runs.
 */
#ifndef COMPUTE_MAP_MAP_H
#define COMPUTE_MAP_MAP_H

#include "compute/map/mapping.h"

// The mapping is complete, and its box has items. The caller has the turns of the chunks of the
// outputs, of which none is dirty, or exclusive access (compute/map/commit.h).
tess_status map_run(const struct mapping *m, struct watch *watch, tess_error *err);

#endif
