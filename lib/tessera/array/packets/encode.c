/*
 * encode.c - items in memory become a packet of encoded chunks, and these are written where the
 * array is.
 */
#include "array/packets/packets.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/copy.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/query.h"
#include "frame/sparse/files.h"
#include "grid/grid.h"
#include "grid/write/turns.h"
#include "grid/write/write.h"
#include "io/directory.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/memory.h"
#include "task/gate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static tess_status
make_sketch(const tess_array *a, struct frame **sketch, tess_error *err)
{
    const struct frame_options options = {.durability = TESS_DURABILITY_NONE};
    const struct frame *const f = a->grid->frame;
    struct io *io;
    gate_enter(a->grid->gate);
    tess_status st = TESS_OK;
    if (frame_header(f)->version < 2)
        st = err_set(err, TESS_ERR_UNSUPPORTED, 0,
                     "a frame from before c-blosc2 2.0, which can only be read");
    if (st == TESS_OK)
        st = io_memory_new(NULL, 0, &io, err);
    if (st == TESS_OK)
        st = frame_sketch(f, io, &options, sketch, err);
    gate_leave(a->grid->gate);
    return st;
}

tess_status
array_sketch(const tess_array *a, void **image, size_t *size, tess_error *err)
{
    struct frame *sketch = NULL;
    const tess_status st = make_sketch(a, &sketch, err);
    if (st != TESS_OK)
        return st;
    frame_take_image(sketch, image, size);
    frame_close(sketch);
    return TESS_OK;
}

// A chunk that was staged.
struct staged_chunk {
    int64_t number;
    int64_t entry;
    int64_t size;
};

// Chunks that were never written are all stored anew, also as zeros.
static tess_status
check_sketch(const tess_array *a, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    gate_enter(a->grid->gate);
    const bool is_sketch =
        frame_in_memory(f) &&
        (frame_nchunks(f) == 0 ||
         (frame_is_uniform(f) && index_special(frame_entry(f, 0)) == SPECIAL_UNINIT));
    gate_leave(a->grid->gate);
    if (!is_sketch)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the array is no sketch: an array in memory (tess_array_sketch()) to which "
                       "nothing was written");
    return TESS_OK;
}

static tess_status
check_whole(const struct geometry *g, const struct box *box, tess_error *err)
{
    for (int i = 0; i < g->ndim; i++) {
        const bool ends = box->stop[i] == g->shape[i] || box->stop[i] % g->chunkshape[i] == 0;
        if (box->start[i] % g->chunkshape[i] != 0 || !ends)
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d: %" PRId64 " to %" PRId64 " cuts chunks of %" PRId64
                           " items; a packet has whole chunks",
                           i, box->start[i], box->stop[i], g->chunkshape[i]);
    }
    return TESS_OK;
}

static int
by_number(const void *x, const void *y)
{
    const int64_t a = ((const struct staged_chunk *)x)->number;
    const int64_t b = ((const struct staged_chunk *)y)->number;
    return (a > b) - (a < b);
}

// What was staged, ascending; for the caller to free.
static tess_status
list_staged(const struct frame_staged *staged, struct staged_chunk **list, tess_error *err)
{
    const size_t n = (size_t)staged->nputs;
    *list = mem_alloc((n > 0 ? n : 1) * sizeof **list);
    if (!*list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %zu chunks", n);
    for (size_t i = 0; i < n; i++) {
        struct staged_chunk *const c = &(*list)[i];
        c->number = frame_staged_chunk(staged, (int64_t)i);
        c->entry = frame_staged_put(staged, (int64_t)i, &c->size);
    }
    qsort(*list, n, sizeof **list, by_number);
    return TESS_OK;
}

// A chunk moves into the packet, at `offset`.
static tess_status
put_chunk(const struct frame *f, const struct packet *p, uint8_t *bytes, int64_t i,
          const struct staged_chunk *c, int64_t offset, tess_error *err)
{
    const struct checksums *const known = frame_known_checksums(f);
    struct packet_entry e = {.number = c->number, .special = SPECIAL_NONE};
    if (c->entry < 0) {
        e.special = index_special(c->entry);
    } else {
        uint8_t *const to = bytes + offset;
        const tess_status st = stored_entry_read(f, c->entry, to, (int32_t)c->size, err);
        if (st != TESS_OK)
            return st;
        e.offset = offset;
        e.size = (int32_t)c->size;
        e.header = to;
        e.checksum = known ? checksums_get(known, c->entry) : 0;
        if (e.checksum == 0)
            e.checksum = checksum_of(to, (size_t)c->size);
    }
    packet_put_entry(p, bytes, i, &e);
    return TESS_OK;
}

static tess_status
fill_packet(const tess_array *a, const struct frame_staged *staged,
            const struct staged_chunk *chunks, uint8_t **packet, size_t *packet_size,
            tess_error *err)
{
    struct packet p = {.kind = PACKET_BYTES, .nchunks = staged->nputs};
    uint8_t *bytes;
    packet_array_of(&p.array, a->g, &a->nd);
    for (int64_t i = 0; i < p.nchunks; i++)
        p.cbytes += chunks[i].size;
    tess_status st = packet_start(&p, &bytes, err);
    int64_t offset = (int64_t)p.front;
    gate_enter(a->grid->gate); // the frame's memory may move when others store
    for (int64_t i = 0; i < p.nchunks && st == TESS_OK; i++) {
        st = put_chunk(a->grid->frame, &p, bytes, i, &chunks[i], offset, err);
        offset += chunks[i].size;
    }
    gate_leave(a->grid->gate);
    if (st != TESS_OK) {
        mem_free(bytes);
        return st;
    }
    packet_seal(&p, bytes);
    *packet = bytes;
    *packet_size = p.size;
    return TESS_OK;
}

static tess_status
make_packet(const tess_array *a, const struct frame_staged *staged, uint8_t **packet,
            size_t *packet_size, tess_error *err)
{
    struct staged_chunk *chunks;
    tess_status st = list_staged(staged, &chunks, err);
    if (st == TESS_OK)
        st = fill_packet(a, staged, chunks, packet, packet_size, err);
    mem_free(chunks);
    return st;
}

// Encode the chunks of a box, with their turn.
static tess_status
stage_box(tess_array *a, const struct box *box, const struct box_memory_const *src,
          struct frame_staged *staged, struct watch *watch, tess_error *err)
{
    struct chunk_grid *const grid = a->grid;
    struct turn turn;
    if (box_is_empty(grid->g.ndim, box))
        return check_sketch(a, err);
    turn_of_box(&turn, &grid->g, box);
    turns_begin(grid->turns, &grid->g, &turn);
    tess_status st = check_sketch(a, err);
    if (st == TESS_OK)
        st = grid_write(grid, box, src, staged, watch, err);
    turns_end(grid->turns, &turn);
    return st;
}

tess_status
array_encode_packet(tess_array *a, const struct box *box, const struct box_memory_const *src,
                    struct watch *watch, uint8_t **packet, size_t *packet_size, tess_error *err)
{
    struct chunk_grid *const grid = a->grid;
    struct frame_staged staged = {.apart = true};
    tess_status st = check_whole(a->g, box, err);
    if (st == TESS_OK)
        st = stage_box(a, box, src, &staged, watch, err);
    if (st == TESS_OK)
        st = make_packet(a, &staged, packet, packet_size, err);
    gate_close(grid->gate);
    frame_drop(grid->frame, &staged);
    gate_open(grid->gate);
    return st;
}

// -- a worker writes the chunks of a packet to the file or directory of the array

// A damaged chunk is not written: the owner may take it as it is.
static tess_status
check_encoded_chunks(const struct packet *p, int64_t *nstored, tess_error *err)
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
    tess_status st = check_encoded_chunks(p, &nstored, err);
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
