/*
 * chunks.h - the chunks of an array as they are stored: what each is, its bytes, its checksum; and
 * stored bytes of the program that become a chunk.
 *
 * Which chunks have items in a box is read from the list of chunks where that says it; a stored
 * chunk is opened for its kind alone, beside the chunks that readers share (grid/open_chunks.h),
 * which stay.
 *
 * Any number of threads at once, each with a loan of its own, inside the gate of the grid as long
 * as it has the loan.
 *
 * Checksums are loaded when one is asked for: an array that was opened for reading has them in its
 * frame only if each read compares them. To load them for each chunk that is copied would take as
 * long as there are chunks, so they stay. Locks: one inside, held while the ledger is read: threads
 * that come meanwhile wait for it instead of reading it, too. What was loaded does not change
 * before sums_forget(), which requires exclusive access.
 *
 * To put a chunk: the bytes come from a stranger. They are checked before anything changes; what is
 * stored is exactly what was checked, so the program must not change them meanwhile.
 *
 * Any number of threads at once; the call takes the turn of the chunk (grid/write/turns.h).
 */
#ifndef ARRAY_CHUNKS_CHUNKS_H
#define ARRAY_CHUNKS_CHUNKS_H

#include "array/array.h"
#include "base/error.h"
#include "chunk/chunk.h"
#include "chunk/header.h"
#include "frame/chunks/stored.h"

#include <tessera/chunk.h>

// -- stored.c

struct checksums;
struct frame;
struct sums;

tess_chunk_kind describe_kind(const struct chunk_header *h);

// A special chunk that is not stored.
tess_chunk_kind describe_special(enum chunk_special special);

// A chunk that is stored, on its own: offset is 0.
void describe_chunk(const struct chunk *c, tess_chunk_info *info);

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

// What chunk n is, by its header; the stored bytes of its blocks, for `count` of which there is
// room. The array is no view; nothing waits in the cache.
tess_status chunk_describe(const tess_array *a, int64_t n, tess_chunk_info *info, tess_error *err);
tess_status chunk_blocks(const tess_array *a, int64_t n, int32_t *sizes, size_t count,
                         tess_error *err);

/*
 * Fill in a run, but for what its program sets; number and last are -1 if there is none. The box
 * is inside the shape, the array no view, nothing waits in the cache; run->item has room.
 */
tess_status array_next_chunk(const tess_array *a, const struct box *box, int64_t from,
                             unsigned wanted, tess_chunk_run *run, struct watch *watch,
                             tess_error *err);

struct sums *sums_new(void); // NULL: no memory
void sums_free(struct sums *s); // NULL: fine

// Those of the frame's chunks: its own, if it has them. Inside the gate of the grid.
tess_status sums_get(struct sums *s, const struct frame *f, const struct checksums **checksums,
                     tess_error *err);

void sums_forget(struct sums *s); // the frame becomes another one

// -- put.c

struct whole_chunk;

// Whether frames of this library have chunks of such a format; whether all blocks can be decoded.
tess_status chunk_check_format(const struct chunk_header *h, tess_error *err);
tess_status chunk_check_blocks(const struct chunk_grid *grid, const struct whole_chunk *w,
                               tess_error *err);

// Whether stored bytes are a chunk that can stand at place n: header, table and dictionary, and all
// blocks, unless they are trusted. *special: what the chunk is. chunk_check_header(): the same of
// the header, of `cbytes` stored bytes, if no more is at hand.
tess_status chunk_check_put(const struct chunk_grid *grid, int64_t n, const uint8_t *chunk,
                            size_t size, bool trusted, enum chunk_special *special,
                            tess_error *err);
tess_status chunk_check_header(const struct chunk_grid *grid, int64_t n, const uint8_t *header,
                               int32_t cbytes, enum chunk_special *special, tess_error *err);

// The array is writable and no view. trusted: blocks are not decoded as a check. On failure nothing
// has changed.
tess_status array_put_chunk(tess_array *a, int64_t n, const uint8_t *chunk, size_t size,
                            bool trusted, tess_error *err);

#endif
