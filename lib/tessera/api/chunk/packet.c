/*
 * packet.c - the public functions that make packets of encoded chunks, and adopt them.
 */
#include "api/check.h"
#include "api/chunk/private.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/chunks/chunks.h"
#include "array/packets/packets.h"
#include "base/error.h"
#include "base/sized.h"
#include "chunk/header.h"
#include "grid/box_memory.h"
#include "task/watch.h"

#include <tessera/packet.h>

#include <inttypes.h>

static tess_status
check_chunked(const tess_array *a, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (a->grid->plain)
        return err_set(err, TESS_ERR_ARG, -1, "a super-chunk, which has no grid of chunks");
    return check_no_view(a, err);
}

TESS_API tess_status
tess_array_sketch(const tess_array *a, void **image, size_t *image_size, tess_error *err)
{
    UNCANCELLED;
    if (image)
        *image = NULL;
    if (image_size)
        *image_size = 0;
    tess_status st = check_chunked(a, err);
    if (st == TESS_OK && (!image || !image_size))
        st = err_set(err, TESS_ERR_ARG, -1, "image or image_size is NULL");
    return st == TESS_OK ? array_sketch(a, image, image_size, err) : st;
}

// The memory of a box.
static tess_status
take_source(const tess_array *a, const struct box *box, const void *src, size_t src_size,
            const int64_t *strides, struct box_memory_const *from, tess_error *err)
{
    int64_t count[NDIM_MAX];
    for (int i = 0; i < a->g->ndim; i++)
        count[i] = box->stop[i] - box->start[i];
    const tess_status st =
        strides_choose(a->g->ndim, count, a->g->typesize, strides, from->stride, err);
    from->items = src;
    return st == TESS_OK ? strides_check_memory(a->g->ndim, count, a->g->typesize, from->stride,
                                                src, src_size, err)
                         : st;
}

static tess_status
encode_packet(tess_array *a, const struct box *box, const void *src, size_t src_size,
              const int64_t *strides, uint8_t **packet, size_t *packet_size, tess_error *err)
{
    struct box_memory_const from = {0};
    struct watch watch;
    int64_t nitems;
    tess_status st = check_chunked(a, err);
    if (st == TESS_OK)
        st = check_writable(a, err);
    if (st == TESS_OK)
        st = geometry_check_box(a->g, box, &nitems, err);
    if (st == TESS_OK && nitems > 0)
        st = take_source(a, box, src, src_size, strides, &from, err);
    if (st != TESS_OK)
        return st;
    array_watch(&watch, a, nitems);
    return watch_end(&watch, array_encode_packet(a, box, &from, &watch, packet, packet_size, err));
}

TESS_API tess_status
tess_packet_encode(tess_array *sketch, const int64_t *start, const int64_t *stop, const void *src,
                   size_t src_size, const int64_t *strides, void **packet, size_t *packet_size,
                   tess_error *err)
{
    UNCANCELLED;
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (packet)
        *packet = NULL;
    if (packet_size)
        *packet_size = 0;
    if (!packet || !packet_size)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a packet is given");
    const tess_status st = encode_packet(sketch, &(struct box){start, stop, NULL}, src, src_size,
                                         strides, &bytes, &size, err);
    *packet = bytes;
    *packet_size = size;
    return st;
}

static tess_status
parse(struct packet *p, const void *packet, size_t packet_size, tess_error *err)
{
    if (!packet)
        return err_set(err, TESS_ERR_ARG, -1, "no packet is given");
    return packet_parse(p, packet, packet_size, err);
}

TESS_API tess_status
tess_packet_info_sized(const void *packet, size_t packet_size, tess_packet_info *info,
                       size_t info_size, tess_error *err)
{
    UNCANCELLED;
    struct packet p;
    if (!info)
        return err_set(err, TESS_ERR_ARG, -1, "no place for what a packet says is given");
    const tess_status st = parse(&p, packet, packet_size, err);
    if (st != TESS_OK)
        return st;
    tess_packet_info own = {(tess_packet_kind)p.kind, p.nchunks, 0, p.cbytes};
    for (int64_t i = 0; i < p.nchunks; i++) {
        struct packet_entry e;
        packet_entry_get(&p, i, &e);
        own.nstored += e.special == SPECIAL_NONE;
    }
    sized_give(info, info_size, &own, sizeof own);
    return TESS_OK;
}

// A special chunk has no header.
static tess_status
describe_entry(const struct packet *p, int64_t i, tess_packet_chunk *chunk, tess_error *err)
{
    struct packet_entry e;
    packet_entry_get(p, i, &e);
    struct chunk_header h = {.special = e.special};
    tess_status st = TESS_OK;
    if (e.special == SPECIAL_NONE)
        st = chunk_header_parse(e.header, CHUNK_HEADER_SIZE, e.size, p->array.typesize, &h, err);
    if (st != TESS_OK) {
        (void)err_shift(err, st, packet_entry_at(p, i) + PACKET_ENTRY_HEADER);
        return err_prefix(err, st, "chunk %" PRId64 " of a packet", e.number);
    }
    *chunk = (tess_packet_chunk){
        .number = e.number,
        .cbytes = e.size,
        .offset = e.offset,
        .kind = e.special == SPECIAL_NONE ? describe_kind(&h) : describe_special(e.special),
    };
    return TESS_OK;
}

TESS_API tess_status
tess_packet_chunks(const void *packet, size_t packet_size, tess_packet_chunk *chunks, size_t count,
                   tess_error *err)
{
    UNCANCELLED;
    struct packet p;
    tess_status st = parse(&p, packet, packet_size, err);
    if (st == TESS_OK && p.nchunks > 0 && (!chunks || count < (size_t)p.nchunks))
        st = err_set(err, TESS_ERR_ARG, -1, "room for %zu of the %" PRId64 " chunks of a packet",
                     chunks ? count : 0, p.nchunks);
    for (int64_t i = 0; i < p.nchunks && st == TESS_OK; i++)
        st = describe_entry(&p, i, &chunks[i], err);
    return st;
}

TESS_API tess_status
tess_adoption_begin(tess_array *a, tess_adoption **adoption, tess_error *err)
{
    UNCANCELLED;
    if (adoption)
        *adoption = NULL;
    tess_status st = check_chunked(a, err);
    if (st == TESS_OK)
        st = check_writable(a, err);
    if (st == TESS_OK && !adoption)
        st = err_set(err, TESS_ERR_ARG, -1, "no place for an adoption is given");
    return st == TESS_OK ? adoption_begin(a, adoption, err) : st;
}

static tess_status
check_adoption(const tess_adoption *adoption, tess_error *err)
{
    if (!adoption)
        return err_set(err, TESS_ERR_ARG, -1, "no adoption is given");
    return adoption_check(adoption, err);
}

TESS_API tess_status
tess_adoption_add(tess_adoption *adoption, const void *packet, size_t packet_size,
                  tess_chunk_trust trust, tess_error *err)
{
    UNCANCELLED;
    tess_status st = check_adoption(adoption, err);
    if (st == TESS_OK)
        st = check_trust(trust, err);
    if (st == TESS_OK && !packet)
        st = err_set(err, TESS_ERR_ARG, -1, "no packet is given");
    return st == TESS_OK
               ? adoption_add(adoption, packet, packet_size, trust == TESS_CHUNK_TRUSTED, err)
               : st;
}

TESS_API tess_status
tess_adoption_lease(tess_adoption *adoption, int64_t size, tess_lease *lease, tess_error *err)
{
    UNCANCELLED;
    struct extent e = {0};
    tess_status st = check_adoption(adoption, err);
    if (st == TESS_OK && !lease)
        st = err_set(err, TESS_ERR_ARG, -1, "no place for a lease is given");
    if (st == TESS_OK)
        st = adoption_lease(adoption, size, &e, err);
    if (st == TESS_OK)
        *lease = (tess_lease){e.start, e.size};
    return st;
}

TESS_API tess_status
tess_adoption_return(tess_adoption *adoption, const tess_lease *lease, tess_error *err)
{
    UNCANCELLED;
    if (!adoption || !lease)
        return err_set(err, TESS_ERR_ARG, -1, "no adoption, or no lease is given");
    return adoption_return(adoption, (struct extent){lease->first, lease->size}, err);
}

static tess_status
place(const void *packet, size_t packet_size, const char *path, const tess_lease *part,
      tess_durability durability, uint8_t **placed, size_t *placed_size, tess_error *err)
{
    if (!packet || !path || !part)
        return err_set(err, TESS_ERR_ARG, -1, "no packet, no path or no lease is given");
    if (durability < TESS_DURABILITY_NONE || durability > TESS_DURABILITY_FSYNC)
        return err_set(err, TESS_ERR_ARG, -1, "durability %d is not known", (int)durability);
    return packet_place(packet, packet_size, path, (struct extent){part->first, part->size},
                        durability >= TESS_DURABILITY_ORDERED, placed, placed_size, err);
}

TESS_API tess_status
tess_packet_place(const void *packet, size_t packet_size, const char *path, const tess_lease *part,
                  tess_durability durability, void **placed, size_t *placed_size, tess_error *err)
{
    UNCANCELLED;
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (placed)
        *placed = NULL;
    if (placed_size)
        *placed_size = 0;
    if (!placed || !placed_size)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a packet is given");
    const tess_status st = place(packet, packet_size, path, part, durability, &bytes, &size, err);
    *placed = bytes;
    *placed_size = size;
    return st;
}

TESS_API tess_status
tess_adoption_missing(tess_adoption *adoption, int64_t from, int64_t *number, tess_error *err)
{
    UNCANCELLED;
    if (!adoption || !number || from < 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "no adoption, no place for a number, or from chunk %" PRId64, from);
    *number = adoption_missing(adoption, from);
    return TESS_OK;
}

TESS_API tess_status
tess_adoption_end(tess_adoption *adoption, bool commit, tess_error *err)
{
    UNCANCELLED;
    return adoption ? adoption_end(adoption, commit, err) : TESS_OK;
}
