/*
 * guess.c - how many bytes of a stored chunk to read, before its header is known.
 *
 * Where a request takes long, one byte more costs less than another request: so the first read of a
 * chunk covers what opening it needs, or all of it, if that is wanted.
 */
#include "frame/chunks/stored.h"

#include "base/checked.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "codec/dict.h"
#include "filter/filter.h"
#include "frame/container.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "frame/query.h"
#include "io/ahead.h"
#include "io/io.h"

enum {
    FRONT_GUESS = 1024, // covers header and table of chunks of up to 248 blocks
};

// Stored bytes of chunk n, where its header is not known: up to the chunk that is behind it in the
// file; else a little more than most have.
static int64_t
guess_stored_size(const struct frame *f, int64_t n, int64_t entry, int64_t room)
{
    const bool alike = f->h.chunksize > 0;
    const int64_t most = alike ? (int64_t)frame_chunk_nbytes(f, n) + CHUNK_HEADER_SIZE : room;
    const int64_t behind = order_behind(&f->order, &f->index, n, entry);
    const int64_t size = behind == ORDER_LAST ? room : behind >= 0 ? behind - entry : most;
    return min_i64(size <= most ? size : frame_mean_cbytes(f) * 5 / 4, min_i64(most, room));
}

// What a chunk that is compared with its checksum is read with, in one piece of memory: all of it.
static int64_t
guess_checked_size(const struct frame *f, int64_t n, int64_t entry, int64_t room)
{
    const int64_t size = f->folder ? room : guess_stored_size(f, n, entry, room);
    return min_i64(size, f->options.limits.memory);
}

// What a chunk that is wanted as a whole is read with, where requests take long.
static int64_t
guess_all_size(const struct frame *f, int64_t n, int64_t entry, int64_t room)
{
    const int64_t most =
        f->h.chunksize > 0 ? (int64_t)frame_chunk_nbytes(f, n) + CHUNK_HEADER_SIZE : room;
    const int64_t size = f->folder ? min_i64(room, most) : guess_stored_size(f, n, entry, room);
    return min_i64(size, f->options.limits.memory);
}

int64_t
stored_first_size(const struct stored_chunk *sc, int64_t n, int64_t entry, int64_t room,
                  const struct chunk_scratch *s)
{
    const struct frame *const f = sc->frame;
    const int64_t least = min_i64(room, FRONT_GUESS);
    const int64_t here = s->want ? (int64_t)io_want_reach(s->want, sc->io, sc->position) : 0;
    if (here >= CHUNK_HEADER_SIZE)
        return min_i64(least, here);
    if (n < 0 || !sc->io->manner.far)
        return least;
    if (frame_is_verified(f))
        return max_i64(guess_checked_size(f, n, entry, room), least);
    return sc->all ? max_i64(guess_all_size(f, n, entry, room), least) : least;
}

// Stored bytes of block 0, where it is not known, if opening a chunk needs its content: as many as
// cost less than a request of their own, or twice a block's share.
static int64_t
guess_reference_size(const struct frame *f, const struct io_manner *manner, int32_t nblocks,
                     int64_t whole)
{
    bool needed = false;
    for (int i = 0; i < FILTER_SLOTS; i++) {
        const struct filter *const filter = filter_by_id(f->h.filters[i]);
        needed |= filter && filter->needs_reference;
    }
    if (!needed || nblocks < 2 || f->h.blocksize <= 0)
        return 0;
    const int64_t most = (int64_t)f->h.blocksize + 4 * (int64_t)f->h.typesize; // one size a stream
    return min_i64(most, max_i64(manner->gap, 2 * (whole / nblocks)));
}

// What to read to open a chunk of which not all is wanted.
static int64_t
guess_front_size(const struct frame *f, const struct io_manner *manner, int32_t nblocks,
                 int64_t whole)
{
    const int64_t table = CHUNK_HEADER_SIZE + (int64_t)nblocks * 4;
    const int64_t dict = f->h.use_dict ? 4 + DICT_SIZE_MAX : 0;
    return max_i64(table + dict + guess_reference_size(f, manner, nblocks, whole), FRONT_GUESS);
}

bool
stored_chunk_front(const struct frame *f, int64_t n, int32_t nblocks, bool all,
                   struct stored_front *front)
{
    struct chunk_place place;
    const int64_t entry = index_get(&f->index, n);
    if (entry < 0 || f->folder || f->container->locate(f, entry, NULL, &place, NULL) != TESS_OK)
        return false;
    const struct io_manner *const manner = &place.io->manner;
    const int64_t whole = guess_stored_size(f, n, entry, place.room);
    int64_t size = whole;
    if (frame_is_verified(f))
        size = guess_checked_size(f, n, entry, place.room);
    else if (whole > (all ? manner->piece : manner->gap))
        size = guess_front_size(f, manner, nblocks, whole);
    *front = (struct stored_front){
        .io = place.io,
        .position = place.position,
        .size = min_i64(size, place.room),
    };
    return true;
}

int64_t
stored_part_front(const struct frame *f, int64_t n, int32_t nblocks, bool all,
                  const struct chunk_place *place)
{
    const struct io_manner *const manner = &place->io->manner;
    const int64_t most =
        f->h.chunksize > 0 ? (int64_t)frame_chunk_nbytes(f, n) + CHUNK_HEADER_SIZE : INT32_MAX;
    const int64_t whole = min_i64(place->room, min_i64(most, f->options.limits.memory));
    return all || frame_is_verified(f) || whole <= manner->gap
               ? whole
               : min_i64(whole, guess_front_size(f, manner, nblocks, whole));
}
