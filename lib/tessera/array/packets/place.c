/*
 * place.c - a worker writes the chunks of a packet to the file or directory of the array.
 */
#include "array/packets/place.h"

#include "array/packets/format.h"
#include "base/memory.h"
#include "frame/format/checksums.h"
#include "frame/sparse/chunk_files.h"
#include "io/directory.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>

// A damaged chunk is not written: the owner may take it as it is.
static tess_status
check_chunks(const struct packet *p, int64_t *nstored, tess_error *err)
{
    *nstored = 0;
    for (int64_t i = 0; i < p->nchunks; i++) {
        struct packet_entry e;
        packet_entry_get(p, i, &e);
        if (e.special != SPECIAL_NONE)
            continue;
        ++*nstored;
        if (checksum_of(p->bytes + e.offset, (size_t)e.size) != e.checksum)
            return err_set(err, TESS_ERR_CORRUPT, e.offset,
                           "chunk %" PRId64 " of a packet: its bytes differ from their checksum",
                           e.number);
    }
    return TESS_OK;
}

static tess_status
check_room(int64_t needed, struct extent part, const char *what, tess_error *err)
{
    if (part.start < 0 || part.size < needed || part.start > INT64_MAX - part.size)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the packet needs %" PRId64 " %s, the lease from %" PRId64
                       " on has %" PRId64,
                       needed, what, part.start, part.size);
    return TESS_OK;
}

// The chunks stand one behind the other in the packet, and so they do in the file.
static tess_status
write_extent(const struct packet *p, const char *path, struct extent part, bool sync,
             tess_error *err)
{
    struct io *io;
    tess_status st = check_room(p->cbytes, part, "bytes", err);
    if (st == TESS_OK)
        st = io_file_open_lent(path, &io, err);
    if (st != TESS_OK || p->cbytes == 0) {
        if (st == TESS_OK)
            io_close(io);
        return st;
    }
    st = io_write(io, part.start, p->bytes + p->front, (size_t)p->cbytes, err);
    if (st == TESS_OK && sync)
        st = io_sync(io, err);
    io_close(io);
    return st;
}

static tess_status
write_files(const struct packet *p, const struct folder *folder, int64_t nstored,
            struct extent part, bool sync, tess_error *err)
{
    int64_t number = part.start;
    tess_status st = check_room(nstored, part, "files", err);
    if (st == TESS_OK && part.start + part.size > INT32_MAX)
        st = err_set(err, TESS_ERR_ARG, -1, "files with numbers from %" PRId64 " on", part.start);
    for (int64_t i = 0; i < p->nchunks && st == TESS_OK; i++) {
        struct packet_entry e;
        packet_entry_get(p, i, &e);
        if (e.special == SPECIAL_NONE)
            st = sparse_write_chunk(folder, number++, p->bytes + e.offset, e.size, sync, err);
    }
    return st == TESS_OK && sync ? folder_sync(folder, err) : st;
}

// The same packet, with positions in the file, or numbers of files, instead of chunks.
static tess_status
make_placed(const struct packet *p, enum packet_kind kind, int64_t start, uint8_t **placed,
            size_t *placed_size, tess_error *err)
{
    struct packet to = *p;
    uint8_t *bytes;
    int64_t next = start;
    to.kind = kind;
    const tess_status st = packet_start(&to, &bytes, err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = 0; i < p->nchunks; i++) {
        struct packet_entry e;
        packet_entry_get(p, i, &e);
        if (e.special == SPECIAL_NONE) {
            e.offset = next;
            next += kind == PACKET_FILES ? 1 : e.size;
        }
        packet_put_entry(&to, bytes, i, &e);
    }
    packet_seal(&to, bytes);
    *placed = bytes;
    *placed_size = to.size;
    return TESS_OK;
}

// *kind: what the path leads to.
static tess_status
write_chunks(const struct packet *p, const char *path, struct extent part, bool sync,
             enum packet_kind *kind, tess_error *err)
{
    struct folder *folder;
    tess_error why = {.sys = 0};
    int64_t nstored;
    tess_status st = check_chunks(p, &nstored, err);
    if (st != TESS_OK)
        return st;
    st = directory_open(path, false, false, &folder, &why);
    *kind = st == TESS_OK ? PACKET_FILES : PACKET_EXTENTS;
    if (st == TESS_OK) {
        st = write_files(p, folder, nstored, part, sync, err);
        folder_close(folder);
        return st;
    }
    if (why.sys == ENOTDIR)
        return write_extent(p, path, part, sync, err);
    if (err)
        *err = why;
    return st;
}

tess_status
packet_place(const void *packet, size_t size, const char *path, struct extent part, bool sync,
             uint8_t **placed, size_t *placed_size, tess_error *err)
{
    struct packet p;
    enum packet_kind kind = PACKET_EXTENTS;
    tess_status st = packet_parse(&p, packet, size, err);
    if (st == TESS_OK && p.kind != PACKET_BYTES)
        st = err_set(err, TESS_ERR_ARG, -1, "a packet whose chunks were placed already");
    if (st == TESS_OK)
        st = write_chunks(&p, path, part, sync, &kind, err);
    return st == TESS_OK ? make_placed(&p, kind, part.start, placed, placed_size, err) : st;
}
