/*
 * parallel.h - a chunk in memory, encoded or decoded by several threads.
 *
 * Without state: any number of threads may call. What comes out does not depend on the threads.
 */
#ifndef CHUNK_PARALLEL_H
#define CHUNK_PARALLEL_H

#include "chunk/encoder.h"
#include "chunk/whole.h"
#include "task/task.h"

// Make the chunk of an encoder out of its nbytes bytes, in dst, as chunk_encode_flat() does.
tess_status chunk_encode_parallel(const struct chunk_encoder *e, const uint8_t *src, uint8_t *dst,
                                  int32_t *cbytes, const struct task_width *width, tess_error *err);

// Put all of the content of a chunk into dst, its nbytes bytes.
tess_status whole_chunk_decode(const struct whole_chunk *w, uint8_t *dst,
                               const struct task_width *width, tess_error *err);

#endif
