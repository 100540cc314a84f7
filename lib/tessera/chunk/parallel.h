/*
 * parallel.h - a chunk in memory, encoded or decoded by several threads.
 *
 * Without state: any number of threads may call. What comes out does not depend on the threads.
 */
#ifndef CHUNK_PARALLEL_H
#define CHUNK_PARALLEL_H

#include "chunk/chunk.h"
#include "chunk/decode.h"
#include "chunk/encode/encoder.h"
#include "task/task.h"

// Make the chunk of an encoder out of its nbytes bytes, in dst, which holds chunk_bound() bytes.
// *special: what the chunk says that it is; SPECIAL_VALUE if all items are equal, and one of them
// is smaller. The scratch is the calling thread's.
tess_status chunk_encode_parallel(const struct chunk_encoder *e, const uint8_t *src,
                                  struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes,
                                  enum chunk_special *special, const struct task_width *width,
                                  tess_error *err);

// Put all of the content of a chunk into dst, its nbytes bytes. Any number of threads fetch bytes.
tess_status chunk_decode_parallel(const struct chunk *c, const struct chunk_bytes *bytes,
                                  struct chunk_scratch *s, uint8_t *dst,
                                  const struct task_width *width, tess_error *err);

#endif
