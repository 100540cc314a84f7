/*
 * stored.c - the chunks of a frame, found and read.
 *
 * What is needed once per chunk (header, block table, dictionary) comes with one read where it is
 * short; the blocks are read as they are asked for. A chunk that is compared with its checksum is
 * read as a whole, and may stay in memory until it is closed.
 */
#include "frame/chunks/stored.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/log.h"
#include "base/memory.h"
#include "chunk/cursor.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "codec/dict.h"
#include "filter/filter.h"
#include "frame/container.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "frame/query.h"
#include "io/ahead.h"
#include "io/extents.h"
#include "io/io.h"

#include <inttypes.h>

enum {
    FRONT_GUESS = 1024, // covers header and table of chunks of up to 248 blocks
};

// A view where the io has one, else read into the scratch. One block after the other would have it
// grow, each time from another place in the heap: there is room for the largest at once.
static tess_status
get_bytes(const struct stored_chunk *sc, int64_t offset, int64_t size, struct chunk_scratch *s,
          const uint8_t **bytes, tess_error *err)
{
    *bytes = io_view(sc->io, sc->position + offset, (size_t)size);
    if (!*bytes && s->want) {
        const tess_status st =
            io_want_get(s->want, sc->io, sc->position + offset, (size_t)size, bytes, err);
        if (st != TESS_OK)
            return st;
    }
    if (*bytes)
        return TESS_OK;
    const int32_t block = scratch_piece(s, sc->chunk.h.blocksize); // 0: not known yet
    const tess_status st = scratch_reserve_stored(s, max_i64(size, block), err);
    if (st != TESS_OK)
        return st;
    *bytes = s->stored;
    const tess_range range = {sc->position + offset, s->stored, (size_t)size};
    return s->progress && size > 0 ? io_read_many(sc->io, &range, 1, s->progress, err)
                                   : io_read(sc->io, range.offset, range.dst, range.dst_size, err);
}

static tess_status
fetch(void *from, int32_t offset, int32_t size, struct chunk_scratch *s, const uint8_t **bytes,
      tess_error *err)
{
    const struct stored_chunk *const sc = from;
    if (!sc->whole || size > sc->chunk.h.cbytes - offset)
        return get_bytes(sc, offset, size, s, bytes, err);
    *bytes = sc->whole + offset;
    return TESS_OK;
}

static tess_status
open_special(struct stored_chunk *sc, int64_t n, enum chunk_special special, tess_error *err)
{
    const struct frame *const f = sc->frame;
    if (f->h.chunksize <= 0)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "chunk %" PRId64 " is not stored, in a frame where sizes differ", n);
    if (special == SPECIAL_NANS && f->h.typesize != 4 && f->h.typesize != 8)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_TYPESIZE,
                       "chunk %" PRId64 " holds NaNs, items have %" PRId32 " bytes", n,
                       f->h.typesize);
    chunk_of_special(&sc->chunk, special, frame_chunk_nbytes(f, n), f->h.typesize);
    return TESS_OK;
}

// The header, and what stands behind it within `size` bytes. nbytes: what the chunk must have, or
// -1.
static tess_status
stored_read_front(struct stored_chunk *sc, int32_t nbytes, int64_t size, int64_t room,
                  struct chunk_scratch *s, struct chunk_header *h, const uint8_t **front,
                  tess_error *err)
{
    const struct frame *const f = sc->frame;
    tess_status st = get_bytes(sc, 0, size, s, front, err);
    if (st != TESS_OK)
        return st;
    st = chunk_header_parse(*front, (size_t)min_i64(size, CHUNK_HEADER_SIZE), room, f->h.typesize,
                            h, err);
    if (st != TESS_OK)
        return st;
    if (nbytes >= 0 && h->nbytes != nbytes)
        return err_set(err, TESS_ERR_CORRUPT, 4,
                       "%" PRId32 " bytes, chunks of this frame have %" PRId32, h->nbytes, nbytes);
    return TESS_OK;
}

// All bytes of a chunk against its checksum, if that is known.
static tess_status
stored_check(const struct frame *f, int64_t entry, const struct checksums *checksums,
             const uint8_t *bytes, int32_t cbytes, tess_error *err)
{
    const uint64_t expected = checksums_get(checksums, entry);
    const uint64_t found = expected ? checksum_of(bytes, (size_t)cbytes) : 0;
    if (found == expected)
        return TESS_OK;
    LOG(TESS_LOG_WARNING, TESS_EVENT_CHECKSUM, frame_name(f),
        "the chunk at %" PRId64 ", %" PRId32 " bytes, has the checksum %016" PRIx64
        ", not %016" PRIx64,
        entry, cbytes, found, expected);
    return err_set(err, TESS_ERR_CORRUPT, 0,
                   "%" PRId32 " bytes with the checksum %016" PRIx64 ", not %016" PRIx64, cbytes,
                   found, expected);
}

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

// How much of chunk n, -1: of none, to read first: what is there, if that was read ahead, since the
// rest would be one more request.
static int64_t
first_size(const struct stored_chunk *sc, int64_t n, int64_t entry, int64_t room,
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

// n: -1, of no place. nbytes: what the chunk must have, or -1.
static tess_status
open_stored(struct stored_chunk *sc, int64_t n, int64_t entry, int32_t nbytes, int64_t room,
            struct chunk_scratch *s, tess_error *err)
{
    const struct frame *const f = sc->frame;
    const struct chunk_surroundings around = {.typesize = f->h.typesize,
                                              .codec = f->h.codec,
                                              .grid = f->grid,
                                              .plugins = f->options.plugins};
    const uint8_t *front;
    struct chunk_header h;

    int64_t size = first_size(sc, n, entry, room, s);
    tess_status st = stored_read_front(sc, nbytes, size, room, s, &h, &front, err);
    if (st != TESS_OK)
        return st;
    const bool verified = frame_is_verified(f);
    const bool whole =
        verified || (sc->all && sc->io->manner.far && h.cbytes <= f->options.limits.memory);
    const int64_t wanted = whole ? h.cbytes : chunk_front_size(&h);
    if (wanted > size) {
        size = wanted;
        st = get_bytes(sc, 0, size, s, &front, err);
        if (st != TESS_OK)
            return st;
    }
    if (verified) {
        st = stored_check(f, entry, &f->checksums, front, h.cbytes, err);
        if (st != TESS_OK)
            return st;
    }
    sc->loaded = whole && front == s->stored;
    st = chunk_open(&sc->chunk, &h, front, (size_t)size, &around, err);
    if (st == TESS_OK && sc->io->manner.far) // reading a block again would be one more request
        stored_chunk_keep(sc, s);
    return st;
}

// Where the chunk of an entry >= 0 is.
static tess_status
stored_find(struct stored_chunk *sc, int64_t entry, const struct chunk_scratch *s, int64_t *room,
            tess_error *err)
{
    const struct frame *const f = sc->frame;
    struct chunk_place place;
    tess_status st = TESS_OK;
    if (s->place)
        place = *s->place;
    else
        st = f->container->locate(f, entry, s->progress, &place, err);
    if (st != TESS_OK)
        return st;
    sc->io = place.io;
    sc->owns_io = place.owned && !s->place;
    sc->position = place.position;
    *room = place.room;
    return TESS_OK;
}

// What chunk n must have; -1: anything, in a frame where sizes differ.
static int32_t
expected_nbytes(const struct frame *f, int64_t n)
{
    return f->h.chunksize > 0 ? frame_chunk_nbytes(f, n) : -1;
}

static tess_status
open_entry(struct stored_chunk *sc, const struct frame *f, int64_t n, int64_t entry, bool all,
           struct chunk_scratch *s, tess_error *err)
{
    int64_t room = 0;
    *sc = (struct stored_chunk){.frame = f, .all = all, .bytes = {.from = sc, .fetch = fetch}};
    if (entry < 0)
        return open_special(sc, n, index_special(entry), err);
    tess_status st = stored_find(sc, entry, s, &room, err);
    if (st != TESS_OK)
        return err_prefix(err, st, "chunk %" PRId64, n);
    st = open_stored(sc, n, entry, expected_nbytes(f, n), room, s, err);
    if (st != TESS_OK) {
        stored_chunk_blame(sc, n, st, err);
        stored_chunk_close(sc);
    }
    return st;
}

tess_status
stored_chunk_open_entry(struct stored_chunk *sc, const struct frame *f, int64_t n, int64_t entry,
                        struct chunk_scratch *s, tess_error *err)
{
    return open_entry(sc, f, n, entry, false, s, err);
}

tess_status
stored_chunk_open(struct stored_chunk *sc, const struct frame *f, int64_t n,
                  struct chunk_scratch *s, tess_error *err)
{
    return open_entry(sc, f, n, index_get(&f->index, n), false, s, err);
}

tess_status
stored_chunk_open_all(struct stored_chunk *sc, const struct frame *f, int64_t n,
                      struct chunk_scratch *s, tess_error *err)
{
    return open_entry(sc, f, n, index_get(&f->index, n), true, s, err);
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
    return all || whole <= manner->gap
               ? whole
               : min_i64(whole, guess_front_size(f, manner, nblocks, whole));
}

void
stored_chunk_keep(struct stored_chunk *sc, struct chunk_scratch *s)
{
    if (!sc->loaded)
        return;
    sc->loaded = false;
    sc->whole = s->stored;
    s->stored = NULL;
    s->stored_size = 0;
}

tess_status
stored_chunk_load(struct stored_chunk *sc, const struct frame *f, int64_t n,
                  const struct checksums *checksums, struct chunk_scratch *s, const uint8_t **bytes,
                  int32_t *size, tess_error *err)
{
    const int64_t entry = index_get(&f->index, n);
    struct chunk_header h;
    int64_t room = 0;
    *sc = (struct stored_chunk){.frame = f};
    tess_status st = stored_find(sc, entry, s, &room, err);
    if (st != TESS_OK)
        return err_prefix(err, st, "chunk %" PRId64, n);
    st = stored_read_front(sc, expected_nbytes(f, n), min_i64(room, CHUNK_HEADER_SIZE), room, s, &h,
                           bytes, err);
    if (st == TESS_OK)
        st = get_bytes(sc, 0, h.cbytes, s, bytes, err);
    if (st == TESS_OK)
        st = stored_check(f, entry, checksums, *bytes, h.cbytes, err);
    if (st != TESS_OK) {
        stored_chunk_blame(sc, n, st, err);
        stored_chunk_close(sc);
        return st;
    }
    *size = h.cbytes;
    return TESS_OK;
}

// The one number of a chunk that is needed to compare all of its bytes.
static tess_status
read_size(const struct stored_chunk *sc, int64_t room, struct chunk_scratch *s, int32_t *size,
          tess_error *err)
{
    const uint8_t *head;
    if (room < CHUNK_HEADER_MIN)
        return err_set(err, TESS_ERR_CORRUPT, 0, "a chunk header needs %d bytes, got %" PRId64,
                       CHUNK_HEADER_MIN, room);
    const tess_status st = get_bytes(sc, 0, CHUNK_HEADER_MIN, s, &head, err);
    if (st != TESS_OK)
        return st;
    *size = get_i32le(head + 12);
    if (*size < CHUNK_HEADER_MIN || *size > room)
        return err_set(err, TESS_ERR_CORRUPT, 12,
                       "a chunk of %" PRId32 " stored bytes, %d to %" PRId64 " can be", *size,
                       CHUNK_HEADER_MIN, room);
    return TESS_OK;
}

tess_status
frame_check_chunk(const struct frame *f, int64_t n, const struct checksums *checksums,
                  struct chunk_scratch *s, bool *known, tess_error *err)
{
    struct stored_chunk sc = {.frame = f};
    const uint8_t *bytes;
    int64_t room = 0;
    int32_t size = 0;
    const int64_t entry = index_get(&f->index, n);
    *known = checksums_get(checksums, entry) != 0;
    tess_status st = stored_find(&sc, entry, s, &room, err);
    if (st != TESS_OK)
        return err_prefix(err, st, "chunk %" PRId64, n);
    st = read_size(&sc, room, s, &size, err);
    if (st == TESS_OK)
        st = get_bytes(&sc, 0, size, s, &bytes, err);
    if (st == TESS_OK)
        st = stored_check(f, entry, checksums, bytes, size, err);
    if (st != TESS_OK)
        stored_chunk_blame(&sc, n, st, err);
    stored_chunk_close(&sc);
    return st;
}

tess_status
stored_chunk_decode(const struct frame *f, int64_t n, struct chunk_scratch *s, tess_error *err)
{
    struct stored_chunk sc;
    tess_status st = stored_chunk_open(&sc, f, n, s, err);
    if (st != TESS_OK)
        return st;
    st = chunk_try(&sc.chunk, &sc.bytes, s, err);
    if (st != TESS_OK)
        stored_chunk_blame(&sc, n, st, err);
    stored_chunk_close(&sc);
    return st;
}

tess_status
stored_entry_decode(const struct frame *f, int64_t entry, struct chunk_scratch *s)
{
    struct stored_chunk sc = {.frame = f, .bytes = {.from = &sc, .fetch = fetch}};
    int64_t room = 0;
    tess_status st = stored_find(&sc, entry, s, &room, NULL);
    if (st != TESS_OK)
        return st;
    st = open_stored(&sc, -1, entry, -1, room, s, NULL);
    if (st == TESS_OK)
        st = chunk_try(&sc.chunk, &sc.bytes, s, NULL);
    stored_chunk_close(&sc);
    return st;
}

bool
stored_entry_look(const struct frame *f, int64_t entry, struct chunk_header *h)
{
    uint8_t head[CHUNK_HEADER_SIZE];
    struct chunk_place place;
    if (f->container->locate(f, entry, NULL, &place, NULL) != TESS_OK)
        return false;
    const int64_t size = min_i64(place.room, CHUNK_HEADER_SIZE);
    const bool is_one =
        size >= CHUNK_HEADER_MIN &&
        io_read(place.io, place.position, head, (size_t)size, NULL) == TESS_OK &&
        chunk_header_parse(head, (size_t)size, place.room, f->h.typesize, h, NULL) == TESS_OK;
    if (place.owned)
        io_close(place.io);
    return is_one;
}

bool
stored_entry_checksum(const struct frame *f, int64_t entry, int32_t size, uint64_t *checksum)
{
    struct chunk_place place;
    if (f->container->locate(f, entry, NULL, &place, NULL) != TESS_OK)
        return false;
    const bool read = checksum_of_stored(place.io, place.position, size, checksum, NULL) == TESS_OK;
    if (place.owned)
        io_close(place.io);
    return read;
}

tess_status
stored_entry_read(const struct frame *f, int64_t entry, uint8_t *dst, int32_t size, tess_error *err)
{
    struct chunk_place place;
    tess_status st = f->container->locate(f, entry, NULL, &place, err);
    if (st != TESS_OK)
        return st;
    st = io_read(place.io, place.position, dst, (size_t)size, err);
    if (place.owned)
        io_close(place.io);
    return st;
}

void
stored_chunk_close(struct stored_chunk *sc)
{
    chunk_close(&sc->chunk);
    mem_free(sc->whole);
    sc->whole = NULL;
    if (sc->owns_io)
        io_close(sc->io);
    sc->io = NULL;
    sc->owns_io = false;
}

tess_status
stored_chunk_blame(const struct stored_chunk *sc, int64_t n, tess_status st, tess_error *err)
{
    err_shift(err, st, sc->position);
    return err_prefix(err, st, "chunk %" PRId64, n);
}
