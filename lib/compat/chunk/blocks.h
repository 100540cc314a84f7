/*
 * blocks.h - functions of the program that make or change blocks, on the threads of a call.
 */
#ifndef COMPAT_CHUNK_BLOCKS_H
#define COMPAT_CHUNK_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

// Make or change one block. tid: of the thread, from 0 on; temporary: memory of its own. Returns 0,
// or a code, which ends the others.
typedef int b2_block_fn(void *arg, int32_t nblock, int tid, uint8_t *temporary);

// The size of that memory, for blocks of a size.
size_t b2_blocks_room(int32_t blocksize);

// Call the function for blocks [first, stop), by up to `nthreads` threads at once. Returns 0, or
// the first code.
int b2_blocks_run(int nthreads, int32_t first, int32_t stop, int32_t blocksize, b2_block_fn *run,
                  void *arg);

#endif
