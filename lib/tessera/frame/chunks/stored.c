/*
 * stored.c - the chunks of a frame, found and read.
 *
 * What is needed once per chunk (header, block table, dictionary) comes with one read where it is
 * short; the blocks are read as they are asked for. A chunk that is compared with its checksum is
 * read as a whole, and may stay in memory until it is closed.
 *
 * Not here: how much of a chunk is read first (guess.c).
 */
#include "frame/chunks/stored.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/log.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "frame/container.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "frame/query.h"
#include "io/ahead.h"
#include "io/io.h"

#include <inttypes.h>

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

// The header of a chunk, out of its first `size` bytes. nbytes: what it must have, or -1.
static tess_status
check_front(const struct frame *f, int32_t nbytes, const uint8_t *front, int64_t size, int64_t room,
            struct chunk_header *h, tess_error *err)
{
    const tess_status st = chunk_header_parse(front, (size_t)min_i64(size, CHUNK_HEADER_SIZE), room,
                                              f->h.typesize, h, err);
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

// Header, table and what else is needed once, of a chunk that was found. n: -1, of no place.
// nbytes: what the chunk must have, or -1.
static tess_status
open_stored(struct stored_chunk *sc, int64_t n, int64_t entry, int32_t nbytes, int64_t room,
            struct chunk_scratch *s, tess_error *err)
{
    const struct frame *const f = sc->frame;
    const struct chunk_surroundings around = {.typesize = f->h.typesize,
                                              .codec = f->h.codec,
                                              .grid = f->grid,
                                              .plugins = f->options.plugins};
    const bool verified = frame_is_verified(f);
    const uint8_t *front;
    struct chunk_header h;
    tess_status st = TESS_OK;

    int64_t size = stored_first_size(sc, n, entry, room, s);
    TRY(get_bytes(sc, 0, size, s, &front, err));
    TRY(check_front(f, nbytes, front, size, room, &h, err));
    const bool whole =
        verified || (sc->all && sc->io->manner.far && h.cbytes <= f->options.limits.memory);
    const int64_t wanted = whole ? h.cbytes : chunk_front_size(&h);
    if (wanted > size) {
        size = wanted;
        TRY(get_bytes(sc, 0, size, s, &front, err));
    }
    if (verified)
        TRY(stored_check(f, entry, &f->checksums, front, h.cbytes, err));
    sc->loaded = whole && front == s->stored;
    TRY(chunk_open(&sc->chunk, &h, front, (size_t)size, &around, err));
    if (sc->io->manner.far) // reading a block again would be one more request
        stored_chunk_keep(sc, s);
out:
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

tess_status
stored_chunk_open_entry(struct stored_chunk *sc, const struct frame *f, int64_t n, int64_t entry,
                        bool all, struct chunk_scratch *s, tess_error *err)
{
    int64_t room = 0;
    if (entry == STORED_IN_LIST)
        entry = index_get(&f->index, n);
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
    const int64_t head = min_i64(room, CHUNK_HEADER_SIZE);
    TRY(get_bytes(sc, 0, head, s, bytes, err));
    TRY(check_front(f, expected_nbytes(f, n), *bytes, head, room, &h, err));
    TRY(get_bytes(sc, 0, h.cbytes, s, bytes, err));
    TRY(stored_check(f, entry, checksums, *bytes, h.cbytes, err));
    *size = h.cbytes;
out:
    if (st != TESS_OK) {
        stored_chunk_blame(sc, n, st, err);
        stored_chunk_close(sc);
    }
    return st;
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
