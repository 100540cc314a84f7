/*
 * header.h - the header of a chunk, as the functions of blosc2.h show it.
 *
 * It says what a chunk claims. Whether the rest agrees is found out by decoding it.
 */
#ifndef COMPAT_CHUNK_HEADER_H
#define COMPAT_CHUNK_HEADER_H

#include <blosc2.h>

struct b2_header {
    int version, versionlz, flags;
    int32_t typesize; // 1 to 255
    int32_t nbytes, blocksize, cbytes; // of blocks that differ in size, blocksize is their number
    int special; // BLOSC2_SPECIAL_; only of extended headers
    bool vl_blocks; // the same
};

// From the first `size` bytes at hand; 16 are enough for what Blosc 1 has (special and vl_blocks
// are 0 then). On failure *h is zero.
int b2_header_read(const void *chunk, int32_t size, struct b2_header *h);

#endif
