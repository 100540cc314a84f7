/*
 * plain.h - the list of chunks of a plain frame changes; and chunks for it, and the content of one.
 *
 * Each call is one change of the frame: done, or not at all. Chunks may have any sizes. As long as
 * all but the last have the same, and the last is no longer, the frame says that size
 * (frame_header.chunksize), and zeros, NaNs and chunks that were never written need no bytes. When
 * that ends, the frame becomes one of chunks of different sizes, and stays one.
 *
 * Requires exclusive access; no lock. Geometry and chunk_starts of the grid change with the list;
 * the sizes after a change are known before it is made (plain_sizes_after()).
 *
 * Reading: any number of threads at once, inside the gate of the grid. Chunks are made of what
 * stands in memory; nothing of the array changes.
 */
#ifndef ARRAY_PLAIN_PLAIN_H
#define ARRAY_PLAIN_PLAIN_H

#include "array/array.h"
#include "chunk/chunk.h"

// -- edit.c

struct chunk_grid;
struct plain_splice;

struct plain_sizes {
    int32_t chunksize; // of the frame (frame_header)
    int64_t nchunks, nbytes;
    // chunk_starts of the grid; NULL: the frame's chunks have the same size. `appended`: the grid's
    // own, longer, with nothing changed in front.
    int64_t *starts;
    bool appended;
    bool vlblocks; // of the frame
    bool whole; // all have whole items of the frame's typesize
};

tess_status plain_sizes_after(struct plain_sizes *x, struct chunk_grid *grid,
                              const struct plain_splice *s, tess_error *err);
tess_status plain_sizes_reordered(struct plain_sizes *x, const struct chunk_grid *grid,
                                  const int64_t *order, tess_error *err);
void plain_sizes_drop(struct plain_sizes *x); // not taken over

// The grid gets them.
void plain_sizes_install(struct plain_sizes *x, struct chunk_grid *grid);

// A chunk for a plain frame: its stored bytes, checked.
struct plain_chunk {
    const uint8_t *bytes; // not used of zeros, NaNs, and chunks that were never written
    int32_t cbytes;
    int32_t nbytes; // of its content, 1 at least
    enum chunk_special special;
    bool vlblocks; // blocks of different sizes
};

// From place `at` on, `removed` chunks go, and `added` times the same one comes.
struct plain_splice {
    int64_t at, removed;
    int64_t added;
    struct plain_chunk chunk; // if any is added
};

// at + removed <= nchunks.
tess_status plain_edit(tess_array *a, const struct plain_splice *s, tess_error *err);

// The size of all chunks but the last of a frame that has none yet, at most CHUNK_NBYTES_MAX.
tess_status plain_set_chunksize(tess_array *a, int32_t chunksize, tess_error *err);

// Stored bytes from anywhere, as for plain_chunk_check(), become chunk n.
tess_status plain_put_chunk(tess_array *a, int64_t n, const uint8_t *bytes, size_t size,
                            bool trusted, tess_error *err);

// Place i gets the chunk that was in place order[i]; each place stands there once.
tess_status plain_reorder(tess_array *a, const int64_t *order, tess_error *err);

// -- content.c

// All bytes of chunk n, in the order of its blocks, of any array that is no view.
tess_status chunk_content_read(const tess_array *a, int64_t n, uint8_t *dst, size_t dst_size,
                               struct watch *watch, tess_error *err);

// A chunk of items, encoded as the frame says. *room is to be freed, also after a failure.
tess_status plain_chunk_encode(const tess_array *a, const uint8_t *items, size_t size,
                               struct watch *watch, struct plain_chunk *chunk, uint8_t **room,
                               tess_error *err);
// `nbytes` bytes that are zeros, NaNs, or were never written.
tess_status plain_chunk_special(const tess_array *a, enum chunk_special special, int64_t nbytes,
                                struct plain_chunk *chunk, tess_error *err);
// Where such a chunk has to be stored: one item, again and again; or plain bytes, if they are no
// whole items. c-blosc2 reads zeros, NaNs and nothing out of the index of a file alone. *bytes is
// to be freed, also after a failure.
tess_status plain_special_encode(const tess_array *a, enum chunk_special special, int32_t nbytes,
                                 uint8_t **bytes, int32_t *cbytes, tess_error *err);
// Stored bytes from anywhere; trusted: blocks are not decoded as a check. Nothing is copied.
tess_status plain_chunk_check(const tess_array *a, const uint8_t *bytes, size_t size, bool trusted,
                              struct plain_chunk *chunk, tess_error *err);

#endif
