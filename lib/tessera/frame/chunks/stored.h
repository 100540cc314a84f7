/*
 * stored.h - the chunks of a frame, found and read.
 *
 * A stored_chunk is opened by one thread, with a scratch of its own; afterwards any number of
 * threads may fetch bytes of it, each with another scratch. It must be closed before the frame
 * changes.
 */
#ifndef FRAME_CHUNKS_STORED_H
#define FRAME_CHUNKS_STORED_H

#include "base/error.h"
#include "chunk/chunk.h"
#include "chunk/decode.h"

#include <stdbool.h>
#include <stdint.h>

struct checksums;
struct chunk_scratch;
struct frame;
struct io;

// A chunk of a frame, ready to have its blocks decoded.
struct stored_chunk {
    struct chunk chunk;
    const struct frame *frame;
    struct io *io; // NULL for a special entry
    bool owns_io;
    int64_t position; // in the io
    bool all; // all of it is wanted: where requests take long, it is read at once
    bool loaded; // the scratch it was opened with has all of it
    uint8_t *whole; // all of it, in memory; NULL: blocks are read as they are asked for
    struct chunk_bytes bytes; // .from is this struct: it must not move
};

#define STORED_IN_LIST INT64_MAX // for an entry: that of the list

/*
 * Find chunk n and read what is needed once per chunk. Checked here: the chunk lies inside the
 * section, and has the size of its place (for frames with a chunksize). entry: STORED_IN_LIST, or
 * what place n will have, once it is installed (frame/commit/change.h). all: the caller wants all
 * of the chunk: of a far frame it is read with one request, where the limit for memory and a guess
 * at its size allow that.
 */
tess_status stored_chunk_open_entry(struct stored_chunk *sc, const struct frame *f, int64_t n,
                                    int64_t entry, bool all, struct chunk_scratch *s,
                                    tess_error *err);

static inline tess_status
stored_chunk_open(struct stored_chunk *sc, const struct frame *f, int64_t n,
                  struct chunk_scratch *s, tess_error *err)
{
    return stored_chunk_open_entry(sc, f, n, STORED_IN_LIST, false, s, err);
}

void stored_chunk_close(struct stored_chunk *sc); // zeroed: fine

// Bytes of a frame that are worth reading before a chunk is opened.
struct stored_front {
    struct io *io;
    int64_t position;
    int64_t size;
};

// What to read to open chunk n of nblocks blocks: header, table, dictionary, and block 0 where
// filters need it; or a guess at all of it, if it is short, with `all` not long, or compared with
// its checksum. False: nothing, it is not stored, or in a file of its own.
bool stored_chunk_front(const struct frame *f, int64_t n, int32_t nblocks, bool all,
                        struct stored_front *front);

// The same of a chunk whose file was opened: how many bytes. With `all`, or compared with its
// checksum, as many as it can have.
int64_t stored_part_front(const struct frame *f, int64_t n, int32_t nblocks, bool all,
                          const struct chunk_place *place);

// For stored.c: how much of chunk n, -1: of none, to read first: what is there, if that was read
// ahead, since the rest would be one more request.
int64_t stored_first_size(const struct stored_chunk *sc, int64_t n, int64_t entry, int64_t room,
                          const struct chunk_scratch *s);

// Right after it was opened, with the same scratch: if all of it was read for its checksum, it
// stays, so that blocks are not read again. For callers that want all of them: it may be large.
void stored_chunk_keep(struct stored_chunk *sc, struct chunk_scratch *s);

// Instead of opening it: all bytes of a chunk with an entry >= 0, as it is stored, compared with
// its checksum if that is among those given. They stay until it is closed, or the scratch is used
// again.
tess_status stored_chunk_load(struct stored_chunk *sc, const struct frame *f, int64_t n,
                              const struct checksums *checksums, struct chunk_scratch *s,
                              const uint8_t **bytes, int32_t *size, tess_error *err);

// Instead of opening it: decode all of a chunk with an entry >= 0, and forget it.
tess_status stored_chunk_decode(const struct frame *f, int64_t n, struct chunk_scratch *s,
                                tess_error *err);

/*
 * For the module salvage: the chunk of an index entry >= 0, whatever the list has, found by the
 * header that the frame has so far. Nothing of it need be right. Any number of threads.
 */
// Decode all of it, of whatever size.
tess_status stored_entry_decode(const struct frame *f, int64_t entry, struct chunk_scratch *s);
// Its header. False: there is none.
bool stored_entry_look(const struct frame *f, int64_t entry, struct chunk_header *h);
// What its `size` stored bytes hash to. False: they cannot be read.
bool stored_entry_checksum(const struct frame *f, int64_t entry, int32_t size, uint64_t *checksum);

// `size` bytes of the chunk of an entry >= 0, from its start, whatever the list has and whatever
// they are. Any number of threads.
tess_status stored_entry_read(const struct frame *f, int64_t entry, uint8_t *dst, int32_t size,
                              tess_error *err);

// Errors of a chunk's parts count from its start; make them count from the frame's, and say which
// chunk it was.
tess_status stored_chunk_blame(const struct stored_chunk *sc, int64_t n, tess_status st,
                               tess_error *err);

// Compare all bytes of the stored chunk n with its checksum; *known: it has one. Whatever the frame
// was told to do when chunks are read. Of its header only the size is looked at: what the rest says
// is for stored_chunk_open().
tess_status frame_check_chunk(const struct frame *f, int64_t n, const struct checksums *checksums,
                              struct chunk_scratch *s, bool *known, tess_error *err);

#endif
