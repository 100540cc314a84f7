/*
 * frame.h - an ordered list of chunks with metalayers, in one file, buffer or directory: opening,
 * making, closing.
 *
 *     +--------+--------------------------------+-------+---------+
 *     | header | chunks and free space          | index | trailer |
 *     +--------+--------------------------------+-------+---------+
 *     0        header_len      header_len + cbytes        frame_len
 *
 * The header says where the index is and how long the frame is. Changes are made in memory (list of
 * chunks, metalayers) and in free space (the chunks); frame_commit() writes a new index and trailer
 * behind all chunks and then the header, with one small write: the state on disk is the old one
 * before that write and the new one after it.
 *
 * Elsewhere: what is known of a frame (query.h), its chunks (frame/chunks), changes of the list,
 * commits, locks, and whether the disk still has the state (frame/commit), whole copies and
 * compact directories (copy.h), damaged frames (rebuild.h, module salvage).
 *
 * Any number of threads may read one frame; what changes a frame requires exclusive access.
 */
#ifndef FRAME_FRAME_H
#define FRAME_FRAME_H

#include "base/error.h"
#include "chunk/header.h"

#include <tessera/context.h>
#include <tessera/storage.h>

#include <stdbool.h>
#include <stdint.h>

struct block_grid;
struct folder;
struct frame;
struct frame_header;
struct io;
struct io_path;
struct layers;
struct lock_file;
struct plugins;

// How a frame is handled, whatever it holds.
struct frame_options {
    tess_limits limits; // 0: default
    tess_durability durability;
    tess_checksums checksums;
    const struct plugins *plugins; // what its chunks may ask for; outlives the frame; NULL: nothing
    struct lock_file *lock_file; // belongs to the frame from here on; NULL: nothing to lock
    struct io_path *path; // that leads to it, or names it, likewise; NULL: neither
    const tess_context *context; // of calls that wait for locks; outlives the frame; NULL: none
    bool never_reuse; // bytes and file numbers that a state on disk had
    bool explicit_commits; // no automatic ones
    int64_t wait; // for locks that are kept, in milliseconds; negative: as long as it takes
    uint64_t number; // of the commit that a new frame's first one follows; 0: none
};

// Open the frame in an io, which belongs to the frame from here on, also after a failure.
// TESS_ERR_STALE: another program committed meanwhile, what was read is no state; try again.
tess_status frame_open(struct io *io, bool writable, const struct frame_options *options,
                       struct frame **frame, tess_error *err);

/*
 * Make a frame of `nchunks` special chunks, all of one kind, in an empty io. Nothing
 * is written before the first commit; frame_publish() gives a file its name then. h gives the
 * parameters (all but lengths); metas are taken over (emptied) on success. The io belongs to the
 * frame from here on, also after a failure.
 */
tess_status frame_create(struct io *io, const struct frame_header *h, struct layers *metas,
                         int64_t nchunks, enum chunk_special special,
                         const struct frame_options *options, struct frame **frame,
                         tess_error *err);

// frame_open() and frame_create() for a sparse frame, with a directory instead of an io.
tess_status frame_open_folder(struct folder *folder, bool writable,
                              const struct frame_options *options, struct frame **frame,
                              tess_error *err);
tess_status frame_create_folder(struct folder *folder, const struct frame_header *h,
                                struct layers *metas, int64_t nchunks, enum chunk_special special,
                                const struct frame_options *options, struct frame **frame,
                                tess_error *err);

// The defaults of limits that are 0, as a frame has them.
void frame_complete_limits(tess_limits *limits);

void frame_opened(struct frame *f); // what is kept for the opening may go
void frame_close(struct frame *f); // without a commit; NULL: fine

/*
 * What an array tells its frame. All of it requires exclusive access; what is pointed to outlives
 * the frame, or is replaced.
 */
// The grid of blocks that some filters and codecs look at; NULL: none.
void frame_set_grid(struct frame *f, const struct block_grid *grid);
// A frame that has no chunk yet, or the same already, gets a size of its chunks.
void frame_set_chunksize(struct frame *f, int32_t chunksize);
// Two frames change places: each struct is the other frame afterwards. They must then be attached
// to their new owners, without a grid.
void frame_swap(struct frame *a, struct frame *b);
void frame_attach(struct frame *f, const struct plugins *plugins, const tess_context *context);

/*
 * For this module. frame_new(): a frame that has its storage, and no state. The io or folder
 * belongs to the frame from here on; without memory for it, NULL, it is closed. frame_start(): give
 * a frame that has nothing on the disk the state of its first commit. metas: not copied.
 */
struct frame *frame_new(struct io *io, struct folder *folder, const struct frame_options *options);
void frame_start(struct frame *f, const struct frame_header *h, const struct layers *metas,
                 int64_t nchunks, enum chunk_special special);

#endif
