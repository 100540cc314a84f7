/**
 * @file encode.h
 * The chunks of one rank are encoded: those that it has alone, and those that it puts together.
 * Part of tessera/mpi.h.
 */
#ifndef TESSERA_MPI_ENCODE_H
#define TESSERA_MPI_ENCODE_H

#include "tessera/boxes.h"
#include "tessera/mpi/exchange.h"
#include "tessera/mpi/life.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */

enum { TESS_MPI_BATCH = 1 << 26 }; /* bytes of items that are encoded at once, about */

/* Encoded chunks of one rank, on their way. */
typedef struct tess_mpi_packet {
    void *bytes;
    size_t size;
    int64_t extent; /* of its chunks: bytes, or files of a directory */
    int64_t placed; /* bytes of the packet without its chunks, which says where they are */
} tess_mpi_packet;

typedef struct tess_mpi_packets {
    tess_mpi_packet *items;
    int64_t count;
    int64_t capacity;
    int64_t extent;
} tess_mpi_packets;

static inline void
tess_mpi_packets_free(tess_mpi_packets *p)
{
    for (int64_t i = 0; i < p->count; i++)
        tess_free(p->items[i].bytes);
    free(p->items);
    memset(p, 0, sizeof *p);
}

/* Encode items of whole chunks, and keep the packet. */
static inline tess_status
tess_mpi_encode(tess_mpi *m, tess_mpi_packets *p, const tess_mpi_box *box, const int64_t *strides,
                const uint8_t *items, tess_error *err)
{
    tess_mpi_packet next = {NULL, 0, 0, 0};
    size_t size = (size_t)m->g.typesize;
    tess_packet_info info;
    for (int i = 0; i < m->g.ndim; i++)
        size += (size_t)((box->stop[i] - box->start[i] - 1) * strides[i]);
    if (p->count == p->capacity) {
        const int64_t capacity = p->capacity > 0 ? 2 * p->capacity : 16;
        tess_mpi_packet *const more =
            (tess_mpi_packet *)realloc(p->items, (size_t)capacity * sizeof *more);
        if (!more)
            return tess_mpi_error(err, TESS_ERR_NOMEM, "rank %d: no memory for packets", m->rank);
        p->items = more;
        p->capacity = capacity;
    }
    tess_status st = tess_packet_encode(m->sketch, box->start, box->stop, items, size, strides,
                                        &next.bytes, &next.size, err);
    if (st != TESS_OK)
        return st;
    st = tess_packet_info(next.bytes, next.size, &info, err);
    if (st != TESS_OK) {
        tess_free(next.bytes);
        return st;
    }
    next.extent = m->contiguous ? info.cbytes : info.nstored;
    next.placed = (int64_t)next.size - info.cbytes;
    p->items[p->count++] = next;
    p->extent += next.extent;
    return TESS_OK;
}

/* Box and strides of a part of memory that has another box. */
static inline const uint8_t *
tess_mpi_part_of(const tess_mpi_shape *g, const tess_mpi_box *box, const void *src,
                 const tess_mpi_box *part, int64_t *strides)
{
    tess_mpi_box_strides(g, box, strides);
    return (const uint8_t *)src + tess_mpi_box_offset(g->ndim, box, strides, part);
}

/* How many chunks along each axis are encoded at once. */
static inline void
tess_mpi_batch(const tess_mpi_shape *g, const tess_mpi_box *chunks, int64_t *step)
{
    int64_t nbytes = g->typesize;
    for (int i = 0; i < g->ndim; i++)
        nbytes *= g->chunkshape[i];
    int64_t left = TESS_MPI_BATCH / (nbytes > 0 ? nbytes : 1);
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t all = chunks->stop[i] - chunks->start[i];
        step[i] = left < 1 ? 1 : left < all ? left : all;
        left = step[i] < all ? 1 : left / step[i];
    }
}

/* The chunks of which the own box has all items. */
static inline tess_status
tess_mpi_encode_whole(tess_mpi *m, tess_mpi_packets *p, const tess_mpi_box *box, const void *src,
                      tess_error *err)
{
    const tess_mpi_shape *const g = &m->g;
    int64_t step[TESS_MAX_NDIM], strides[TESS_MAX_NDIM], place[TESS_MAX_NDIM];
    tess_mpi_box chunks, batch;
    tess_status st;
    if (!tess_mpi_box_whole_chunks(g, box, &chunks))
        return TESS_OK;
    tess_mpi_batch(g, &chunks, step);
    memcpy(place, chunks.start, sizeof place);
    do {
        for (int i = 0; i < g->ndim; i++) {
            const int64_t behind = place[i] + step[i];
            const int64_t last = behind < chunks.stop[i] ? behind : chunks.stop[i];
            const int64_t stop = last * g->chunkshape[i];
            batch.start[i] = place[i] * g->chunkshape[i];
            batch.stop[i] = stop < g->shape[i] ? stop : g->shape[i];
        }
        const uint8_t *const items = tess_mpi_part_of(g, box, src, &batch, strides);
        st = tess_mpi_encode(m, p, &batch, strides, items, err);
    } while (st == TESS_OK && tess_mpi_box_next(g->ndim, &chunks, step, place));
    return st;
}

/* A chunk that is put together from the parts of several ranks. */
typedef struct tess_mpi_shared {
    tess_mpi *m;
    tess_mpi_packets *packets;
    const uint8_t *src; /* items of the own box */
    uint8_t *items; /* of the chunk */
    int64_t missing; /* items of it that are not there */
    tess_status st;
    tess_error *err;
} tess_mpi_shared;

/* How many items of a chunk no rank has: it keeps them. */
static inline int64_t
tess_mpi_kept_items(const tess_mpi_exchange *x, const tess_mpi_box *chunk)
{
    tess_mpi_box part;
    int64_t n = tess_mpi_box_nitems(x->g->ndim, chunk);
    for (int i = 0; i < x->nnear; i++)
        if (tess_mpi_box_meet(x->g->ndim, &x->boxes[x->near[i]], chunk, &part))
            n -= tess_mpi_box_nitems(x->g->ndim, &part);
    return n;
}

/* Whether chunks that the rank encodes keep items. */
typedef struct tess_mpi_keeps {
    const tess_mpi_shape *g; /* of the array as it is; it may be about to grow */
    int old; /* of chunks that it has; not of those that are about to come */
    int64_t nitems; /* of all chunks that keep some */
} tess_mpi_keeps;

/* Whether an array has items of a chunk; it may be about to grow. */
static inline bool
tess_mpi_has_chunk(const tess_mpi_shape *g, const tess_mpi_box *chunk)
{
    for (int i = 0; i < g->ndim; i++)
        if (chunk->start[i] >= g->shape[i])
            return false;
    return true;
}

static inline void
tess_mpi_find_kept(void *arg, tess_mpi_exchange *x, const tess_mpi_box *chunk, int owner, int place,
                   const tess_mpi_box *part)
{
    tess_mpi_keeps *const keeps = (tess_mpi_keeps *)arg;
    (void)part;
    if (owner != x->rank || x->near[place] != owner || tess_mpi_kept_items(x, chunk) == 0)
        return;
    keeps->old |= tess_mpi_has_chunk(keeps->g, chunk);
    keeps->nitems += tess_mpi_box_nitems(x->g->ndim, chunk);
}

/* The items that a chunk has, the fill value where the array of the last commit was smaller. The
   sketch tells it for a chunk without items: nothing is read. */
static inline tess_status
tess_mpi_read_chunk(tess_mpi *m, const tess_mpi_box *chunk, uint8_t *items, tess_error *err)
{
    const tess_array *const own = m->writer ? m->writer : m->reader;
    const tess_array *const a = tess_mpi_has_chunk(&m->g, chunk) ? own : m->sketch;
    const int64_t nitems = tess_mpi_box_nitems(m->g.ndim, chunk);
    int64_t shape[TESS_MAX_NDIM];
    tess_boxes_options options;
    tess_boxes_options_init(&options);
    options.edge = TESS_EDGE_FILL;
    for (int i = 0; i < m->g.ndim; i++)
        shape[i] = chunk->stop[i] - chunk->start[i];
    return tess_array_get_boxes(a, 1, chunk->start, shape, &options, items,
                                (size_t)nitems * (size_t)m->g.typesize, err);
}

/* Chunks that keep items, on their way into memory. */
typedef struct tess_mpi_loading {
    tess_mpi *m;
    uint8_t *at;
    tess_status st;
    tess_error *err;
} tess_mpi_loading;

static inline void
tess_mpi_load_part(void *arg, tess_mpi_exchange *x, const tess_mpi_box *chunk, int owner, int place,
                   const tess_mpi_box *part)
{
    tess_mpi_loading *const d = (tess_mpi_loading *)arg;
    (void)part;
    if (owner != x->rank || x->near[place] != owner || d->st != TESS_OK ||
        tess_mpi_kept_items(x, chunk) == 0)
        return;
    d->st = tess_mpi_read_chunk(d->m, chunk, d->at, d->err);
    d->at += tess_mpi_box_nitems(x->g->ndim, chunk) * x->g->typesize;
}

/* Read all chunks that keep items, before the array changes: where it has a lock file, a change
   holds the lock until the commit, and other ranks cannot read. */
static inline tess_status
tess_mpi_load_kept(tess_mpi *m, tess_mpi_exchange *x, int64_t nitems, tess_error *err)
{
    const int64_t size = nitems * x->g->typesize;
    x->kept = (uint8_t *)malloc((size_t)size);
    if (!x->kept)
        return tess_mpi_error(err, TESS_ERR_NOMEM,
                              "rank %d: no memory for chunks of %lld bytes that keep items",
                              m->rank, (long long)size);
    tess_mpi_loading d = {m, x->kept, TESS_OK, err};
    tess_mpi_each_part(x, tess_mpi_load_part, &d);
    return d.st;
}

/* The items that a chunk has. They are asked for in the order in which they were loaded. */
static inline tess_status
tess_mpi_take_kept(tess_mpi *m, tess_mpi_exchange *x, const tess_mpi_box *chunk, uint8_t *items,
                   tess_error *err)
{
    const int64_t size = tess_mpi_box_nitems(x->g->ndim, chunk) * x->g->typesize;
    if (!x->kept)
        return tess_mpi_read_chunk(m, chunk, items, err);
    memcpy(items, x->kept + x->kept_at, (size_t)size);
    x->kept_at += size;
    return TESS_OK;
}

static inline void
tess_mpi_encode_part(void *arg, tess_mpi_exchange *x, const tess_mpi_box *chunk, int owner,
                     int place, const tess_mpi_box *part)
{
    tess_mpi_shared *const d = (tess_mpi_shared *)arg;
    const int from = x->near[place];
    int64_t strides[TESS_MAX_NDIM];
    if (owner != x->rank || d->st != TESS_OK)
        return;
    if (from == owner) { /* the lowest rank comes first */
        const int64_t kept = tess_mpi_kept_items(x, chunk);
        d->missing = tess_mpi_box_nitems(x->g->ndim, chunk) - kept;
        if (kept > 0)
            d->st = tess_mpi_take_kept(d->m, x, chunk, d->items, d->err);
        tess_mpi_box_copy(x->g, part, &x->boxes[owner], d->src, chunk, d->items);
    } else {
        tess_mpi_take_part(x, place, part, chunk, d->items);
    }
    d->missing -= tess_mpi_box_nitems(x->g->ndim, part);
    if (d->missing > 0 || d->st != TESS_OK)
        return;
    tess_mpi_box_strides(x->g, chunk, strides);
    d->st = tess_mpi_encode(d->m, d->packets, chunk, strides, d->items, d->err);
}

/* Encode the chunks that have items of several ranks. The items of other ranks have arrived. */
static inline tess_status
tess_mpi_encode_shared(tess_mpi *m, tess_mpi_packets *p, tess_mpi_exchange *x, const void *src,
                       tess_error *err)
{
    tess_mpi_shared d = {m, p, (const uint8_t *)src, NULL, 0, TESS_OK, err};
    int64_t nitems = 1;
    for (int i = 0; i < m->g.ndim; i++)
        nitems *= m->g.chunkshape[i];
    d.items = (uint8_t *)malloc((size_t)nitems * (size_t)m->g.typesize);
    if (!d.items)
        return tess_mpi_error(err, TESS_ERR_NOMEM, "rank %d: no memory for a chunk of %lld items",
                              m->rank, (long long)nitems);
    tess_mpi_each_part(x, tess_mpi_encode_part, &d);
    free(d.items);
    return d.st;
}

/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
