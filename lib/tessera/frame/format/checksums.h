/*
 * checksums.h - what the stored chunks of a frame hash to, found by their entries in the index.
 *
 * A chunk's checksum is XXH3 of 64 bits over all its stored bytes; the number 0 stands for one that
 * is not known, and a hash of 0 becomes 1. A chunk keeps its entry for as long as it is needed,
 * wherever in the list it goes, and so its checksum.
 *
 * Compared in frame/chunks/stored.c. Blocks have no checksum of their own.
 *
 * Part of a frame, of which it has the rule: any number of threads may read, what changes it
 * requires exclusive access. There is no lock.
 */
#ifndef FRAME_FORMAT_CHECKSUMS_H
#define FRAME_FORMAT_CHECKSUMS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct io;

uint64_t checksum_of(const void *chunk, size_t size);

// The same of a chunk that stands in an io, read piece by piece.
tess_status checksum_of_stored(struct io *io, int64_t position, int64_t size, uint64_t *checksum,
                               tess_error *err);

// Zeroed: none is known.
struct checksums {
    struct checksum_slot *slots;
    int64_t capacity; // 0, or a power of two
    int64_t count;
};

void checksums_finish(struct checksums *x); // zeroed: fine

// Make room for `more` entries.
tess_status checksums_reserve(struct checksums *x, int64_t more, tess_error *err);

// Set or replace the checksum of an entry >= 0; there is room. 0: forget it.
void checksums_set(struct checksums *x, int64_t entry, uint64_t checksum);

// 0: not known.
uint64_t checksums_get(const struct checksums *x, int64_t entry);

// Those of the entries >= 0 of n, in their order, of 8 bytes each in little-endian order.
void checksums_write(const struct checksums *x, const int64_t *entries, int64_t n, uint8_t *dst);

#endif
