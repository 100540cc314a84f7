/*
 * load.h - a chunk of an array as it is stored, all of its bytes.
 *
 * Any number of threads at once, each with a loan of its own, inside the gate of the grid as long
 * as it has the loan. The lock of sums.h is taken inside.
 */
#ifndef ARRAY_CHUNKS_LOAD_H
#define ARRAY_CHUNKS_LOAD_H

#include "array/array.h"
#include "chunk/header.h"
#include "frame/chunks/stored.h"

struct chunk_loan {
    const uint8_t *bytes;
    int32_t size;
    struct stored_chunk stored;
    struct chunk_scratch *scratch;
    uint8_t special[CHUNK_HEADER_SIZE]; // a chunk that is not stored
};

// The bytes of chunk n, compared with its checksum, if there is one. They stay until the loan is
// given back. The array is no view; nothing waits in the cache. On failure there is no loan.
tess_status chunk_borrow(struct chunk_loan *loan, const tess_array *a, int64_t n, tess_error *err);
void chunk_give_back(struct chunk_loan *loan, const tess_array *a);

#endif
