/*
 * container.h - where a frame keeps its chunks, and how its state gets to the disk.
 *
 * Two kinds: contiguous.c, all in one file or buffer; sparse.c, a directory with a file per chunk.
 * The rest of this module knows chunks by the entries of the index only. A third kind is a file
 * with such a table, chosen in frame_new(). Locating chunks and `current` are for any number of
 * threads; the rest requires exclusive access.
 */
#ifndef FRAME_CONTAINER_H
#define FRAME_CONTAINER_H

#include "base/error.h"
#include "chunk/header.h"
#include "frame/contiguous/extents.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct frame_staged;
struct io;
struct io_progress;

// Where the bytes of a stored chunk are.
struct chunk_place {
    struct io *io;
    bool owned; // the io is to be closed with the chunk
    int64_t position; // of the chunk's first byte in the io
    int64_t room; // bytes that the chunk may take there
};

// A chunk that is stored in pieces (frame_put_begin()).
struct frame_put {
    struct frame_staged *staged; // NULL: of the open change
    int64_t n;
    int64_t room;
    int64_t entry;
    struct io *io; // NULL: not begun, ended, or abandoned
    int64_t position; // of the chunk's first byte in the io
    bool whole; // written at once, with
    uint64_t checksum;
};

// A chunk that another process wrote to leased space (commit/change.h).
struct lent_chunk {
    int64_t n; // its number in the list
    int64_t at; // its first byte in the frame, or in a sparse frame the number of its file
    int32_t size; // stored bytes
    enum chunk_special special; // if it is one that is not stored: all else but n is nothing
    uint64_t checksum;
};

struct container {
    // Find the chunk of an entry >= 0. p: NULL, or what ends the opening of a file.
    tess_status (*locate)(const struct frame *f, int64_t entry, const struct io_progress *p,
                          struct chunk_place *place, tess_error *err);
    // What a frame that was opened needs before it can be changed.
    tess_status (*prepare)(struct frame *f, tess_error *err);
    // The list is about to change, perhaps for the first time since the frame was opened.
    void (*expect)(struct frame *f);
    // A chunk is to be stored, the first of a change that took none out of the list so far.
    tess_status (*reclaim)(struct frame *f, tess_error *err);
    // Store a chunk where no state on disk has anything.
    tess_status (*put)(struct frame *f, const uint8_t *chunk, int32_t size, int64_t *entry,
                       tess_error *err);
    // The same in pieces. begin: p->room bytes are set; the other members are made. Then end, after
    // which p is closed unless it failed, or abandon.
    tess_status (*begin)(struct frame *f, struct frame_put *p, tess_error *err);
    tess_status (*end)(struct frame *f, struct frame_put *p, int32_t size, tess_error *err);
    void (*abandon)(struct frame *f, struct frame_put *p);
    // The list in memory does not need the chunk of an entry any more. How many bytes stay for the
    // state on disk until the next commit, about. *size: its stored bytes. It is not set if they
    // cannot be learned, nor where the frame's live bytes, for which they count, are not known.
    int64_t (*release)(struct frame *f, int64_t entry, int64_t *size);
    // Space that others write to: `size` bytes of the file, or numbers of files. end_lease: of a
    // part that no list has.
    tess_status (*lease)(struct frame *f, int64_t size, int64_t *start, tess_error *err);
    void (*end_lease)(struct frame *f, struct extent e);
    // Whether chunks were written, as far as sizes of files tell; TESS_ERR_NOT_FOUND: *which of
    // them was not. Make room to adopt them; and one by one, when nothing can fail, make them as
    // those of put().
    tess_status (*find_lent)(const struct frame *f, const struct lent_chunk *chunks, int64_t n,
                             int64_t *which, tess_error *err);
    tess_status (*reserve_lent)(struct frame *f, int64_t n, tess_error *err);
    int64_t (*adopt)(struct frame *f, const struct lent_chunk *chunk); // its entry
    // Make the state in memory current on the disk.
    tess_status (*commit)(struct frame *f, tess_error *err);
    // What is current is on the disk when this returns, as far as the frame's durability asks.
    tess_status (*settle)(struct frame *f, tess_error *err);
    // Open what holds header, index and trailer as they are on the disk now.
    tess_status (*current)(const struct frame *f, struct io **io, bool *owned, tess_error *err);
    // Give the frame its name; its io is synced.
    tess_status (*publish)(struct frame *f, tess_error *err);
};

extern const struct container container_contiguous; // contiguous/contiguous.c
extern const struct container container_sparse; // sparse/sparse.c

#endif
