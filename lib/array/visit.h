/*
 * visit.h - a chunk while its blocks are worked on.
 *
 * Shared by those who work on its blocks; the last one to release it closes it.
 */
#ifndef ARRAY_VISIT_H
#define ARRAY_VISIT_H

#include "array/array.h"
#include "frame/stored.h"

#include <stdatomic.h>

// How the blocks of a chunk can be had.
enum visit_kind {
    VISIT_SPECIAL, // all items are equal
    VISIT_MEMCPYED, // plain bytes, in the order of the grid's blocks
    VISIT_BLOCKS, // the chunk's blocks are the grid's
    VISIT_BYTES, // anything else: as bytes, in order
};

struct visit {
    struct stored_chunk stored;
    enum visit_kind kind;
    int64_t n; // number of the chunk
    int64_t generation; // of the frame's list, when the chunk was opened
    uint8_t *ref; // content of block 0, where the filters need it
    atomic_int users;
};

// Open chunk n, whether it is open already or not (visits.h); *v is held once. all: the caller
// wants all of its blocks.
tess_status visit_new(const tess_array *a, int64_t n, bool all, struct visit **v, tess_error *err);
void visit_hold(struct visit *v);
void visit_release(struct visit *v); // NULL: fine

// Bytes of memory it takes, about.
size_t visit_size(const struct visit *v);

// Stored bytes of the grid's block `nblock`: VISIT_BLOCKS and VISIT_MEMCPYED only.
struct span visit_span(const tess_array *a, const struct visit *v, int32_t nblock);

// Whether what the special chunk n repeats can be items of the array. TESS_ERR_CORRUPT.
tess_status visit_check_special(const tess_array *a, const struct chunk *c, int64_t n,
                                tess_error *err);

// The item of a VISIT_SPECIAL chunk, `typesize` bytes.
tess_status visit_item(const tess_array *a, const struct visit *v, uint8_t *item, tess_error *err);

// All items of the grid's block `nblock`, whatever the kind: blocksize bytes.
tess_status visit_block(const tess_array *a, const struct visit *v, int32_t nblock, uint8_t *dst,
                        struct chunk_scratch *s, tess_error *err);

#endif
