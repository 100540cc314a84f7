/*
 * private.h - what the units of grid/write share: a chunk that is written anew, and blocks that are
 * held while they are changed.
 *
 *     write           a box: to the cache, or stored
 *       write_back    blocks in the cache: changed, and stored later
 *         hold          those of a small write, decoded and pinned
 *         replace       those that are stored
 *       store         edits of chunks, by many threads
 *         rewrite       one chunk
 *       install       what was stored becomes part of the array
 */
#ifndef GRID_WRITE_PRIVATE_H
#define GRID_WRITE_PRIVATE_H

#include "frame/container.h"
#include "grid/open_chunk.h"
#include "grid/write/store.h"

struct cached;

/*
 * Rewriting a chunk: kept blocks are copied, changed ones encoded.
 *
 *     rewrite_begin()   what its blocks share is there
 *     rewrite_items()   the content that a block will have; any thread
 *     rewrite_keep()    copies blocks up to the next one that was encoded
 *     rewrite_end()     to the frame
 *
 * Order: blocks are added to `out` in the order of their numbers, kept ones and encoded ones, and
 * `out.nblocks` is how many there are. `keep` implies that `old` is open, until rewrite_reset().
 *
 * Threads, in a job of store.h: rewrite_begin(), rewrite_end(), `at` and `in_flight` belong to next
 * and finish, which exclude each other. Workers call rewrite_items(), which only reads the struct
 * and writes to memory of its own block, and rewrite_fetch(). `out`, `bytes` and `put` are written
 * by rewrite_keep() and rewrite_add(): from next and finish, or, of a chunk that is one grain, by
 * the worker that has it.
 *
 * The gate of the grid is entered by what reads the frame and closed by what stores something in
 * it, for as short as that takes; so the calling thread is outside. The chunk stays the one that
 * was opened: calls that change it take turns.
 */

// Memory that is used again; its content is not kept when it grows.
struct buffer {
    uint8_t *bytes;
    int64_t size;
};
tess_status buffer_reserve(struct buffer *b, int64_t size, tess_error *err);

struct rewrite {
    struct chunk_grid *grid;
    const struct edit_source *source;
    struct chunk_scratch *s; // for what is done in order: next and finish
    struct edit edit;

    struct open_chunk *old; // NULL if nothing of it is needed
    bool keep; // stored blocks that are not touched are right as they are
    const uint8_t *item; // all items of the new chunk are this one; NULL: they differ
    bool constant; // needs no blocks
    bool unchanged; // the new items are those that are there
    uint8_t *ref;
    struct codec_dict dict;
    struct encoding encoding;
    struct assembly out;
    bool streamed; // blocks go to the frame one by one; `bytes` are what stands in front of them
    struct frame_put put;
    int64_t front; // bytes in front of the blocks
    uint8_t *items; // where the plain content of the chunk is collected; NULL: nowhere

    int32_t at; // next block to be handed out
    int32_t in_flight; // grains
    struct rewrite *next;
    struct buffer bytes; // of `out`
    struct buffer plain; // of `items`, unless the chunk is made of nothing else; of a piece on its
                         // way, if the chunk is streamed
};

// edit, source and s are set. expect_plain: blocks are likely not to get smaller, so that their
// content is collected while it is at hand.
tess_status rewrite_begin(struct rewrite *m, bool expect_plain, tess_error *err);

// Bytes of the old chunk that the new content of a block takes. rewrite_fetch() gets them; any
// thread, with a scratch of its own.
int64_t rewrite_old_size(const struct rewrite *m, int32_t nblock);
tess_status rewrite_fetch(const struct rewrite *m, int32_t nblock, uint8_t *dst,
                          struct chunk_scratch *s, tess_error *err);

// The new content of a block. fetched: what rewrite_fetch() got, or NULL to get it now. s is for
// decoding. *items is where the content goes, not in s; NULL, if something was fetched or nothing
// is needed: it receives which buffer of s, of blocksize bytes, has it.
tess_status rewrite_items(const struct rewrite *m, int32_t nblock, const uint8_t *fetched,
                          uint8_t **items, struct chunk_scratch *s, tess_error *err);

// Copy blocks that are kept, until `nblock` is next.
tess_status rewrite_keep(struct rewrite *m, int32_t nblock, struct chunk_scratch *s,
                         tess_error *err);

// The next block, encoded. It, or what is kept, is of the oldest chunk if that is streamed.
tess_status rewrite_add(struct rewrite *m, const uint8_t *bytes, int32_t size, tess_error *err);

// All is handed out and added. *plain: the chunk did not get smaller.
tess_status rewrite_end(struct rewrite *m, bool *plain, tess_error *err);

// Forget the chunk, keep the buffers; or all.
void rewrite_reset(struct rewrite *m);
void rewrite_free(struct rewrite *m); // NULL: fine

/*
 * Holding blocks: those that a small write touches, decoded in the cache and pinned until their
 * items are copied.
 *
 * Who writes says which blocks these are, one after the other (`step`). Blocks that are in the
 * cache are at hand; of the others, those that are kept in part are decoded, by as many threads as
 * pays, and added to the cache; those that are replaced get memory that others do not find yet. All
 * that can fail is done here, before the first item is changed.
 *
 * Threads: the calling thread is inside the gate of the grid in hold_blocks(), and has it closed,
 * or is inside, in hold_release(). `step` is called by one thread at a time.
 */

struct held_block {
    struct cached *b;
    bool found; // by others, too; those that are replaced only get their items before
};

struct hold {
    struct chunk_grid *grid;
    // Stand on the next touched block, in the order of chunks: set the next three; false: it was
    // the last.
    bool (*step)(struct hold *h);
    int64_t chunk;
    int32_t block;
    bool replaced; // nothing of the block is kept

    struct open_chunk *open; // of the chunk the step stands on
    struct held_block *blocks; // in the order of the steps
    size_t n;
};

// nbytes: of all blocks. On failure, too, hold_release() follows.
tess_status hold_blocks(struct hold *h, int64_t nbytes, tess_error *err);
void hold_release(struct hold *h);

// Let others find a block that was replaced and has its items, unless a reader was faster and added
// what is stored. The gate is closed.
void hold_show(const struct chunk_grid *grid, struct held_block *held);

#endif
