/*
 * rebuild.h - a frame that is put together of parts that were found one by one, instead of being
 * read as its header says.
 *
 * What this module lends to the module salvage. In this order:
 *
 *     frame_rebuild_begin()    the frame has its storage, and no state
 *     frame_rebuild_load()     the state is read as frame_open() does, and its parts handed out; or
 *     frame_rebuild_header()   the header is set, by which entries lead to chunks
 * (stored_entry_*()) frame_rebuild_forget()   perhaps: no state again frame_rebuild_end()      the
 * parts become the state
 *
 * Nothing is written, and the frame can only be read, and copied with a frame_rescue (copy.h). One
 * thread has it until the end.
 */
#ifndef FRAME_REBUILD_H
#define FRAME_REBUILD_H

#include "base/error.h"
#include "frame/format/checksums.h"
#include "frame/format/index.h"
#include "meta/layers.h"

#include <stdbool.h>
#include <stdint.h>

struct folder;
struct frame;
struct frame_header;
struct frame_options;
struct io;

// All but the header. Zeroed: nothing was found.
struct frame_parts {
    struct layers metas;
    struct layers vlmetas;
    struct frame_index list; // INDEX_LOST: a chunk that was not found
    struct checksums checksums; // of chunks in the list
    uint64_t number; // of the commit; 0: not known
    bool sealed; // a fingerprint of ours confirms index and trailer
    bool fingerprint; // the trailer has one, right or not: Tessera wrote it

    // What frame_rebuild_load() says besides.
    bool header_differs; // the bytes in the file are not those that were committed
    bool metas_confirmed; // they are
};

void frame_parts_finish(struct frame_parts *p); // zeroed: fine; zeroes them

// io and folder (the other is NULL) belong to the frame from here on, also after a failure.
tess_status frame_rebuild_begin(struct io *io, struct folder *folder,
                                const struct frame_options *options, struct frame **frame,
                                tess_error *err);

// What holds header, index and trailer; it stays the frame's.
struct io *frame_rebuild_io(const struct frame *f);

tess_status frame_rebuild_load(struct frame *f, struct frame_header *h, struct frame_parts *parts,
                               tess_error *err);
void frame_rebuild_header(struct frame *f, const struct frame_header *h);
void frame_rebuild_forget(struct frame *f);

// The parts are taken over, emptied.
void frame_rebuild_end(struct frame *f, struct frame_parts *parts);

#endif
