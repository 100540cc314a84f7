/*
 * limits.h - what the format allows.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define NDIM_MAX 16 // dimensions of an array
#define TYPESIZE_MAX 536866816 // bytes of an item
#define BLOCK_NBYTES_MAX 536866816 // bytes of a block
#define CHUNK_NBYTES_MAX 2147483615 // bytes of a chunk: 2^31 - 1 - 32

#endif
