/**
 * @file exchange.h
 * Chunks of which several ranks have items: who encodes them, and how the items get there. Part of
 * tessera/mpi.h.
 *
 * All ranks know the boxes of all. Of the ranks that have items of a chunk, the lowest encodes it;
 * the others send theirs, with one message for each rank that they send to: the common part of box
 * and chunk, without gaps, one chunk behind the other in C order. Sender and receiver compute from
 * the boxes what is in it.
 */
#ifndef TESSERA_MPI_EXCHANGE_H
#define TESSERA_MPI_EXCHANGE_H

#include "tessera/mpi/agree.h"
#include "tessera/mpi/boxes.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */

/* What goes to another rank, or comes from it. */
typedef struct tess_mpi_letter {
    int rank;
    uint8_t *bytes;
    int64_t size; /* bytes of all parts */
    int64_t at; /* bytes that are packed, or were taken out */
} tess_mpi_letter;

typedef struct tess_mpi_exchange {
    const tess_mpi_shape *g;
    int rank;
    const tess_mpi_box *boxes; /* of all ranks */
    int *near; /* ranks with items of chunks that the own box meets, ascending, the own one too */
    int nnear;
    tess_mpi_letter *out; /* by place in `near`; size 0: nothing */
    tess_mpi_letter *in;
    MPI_Request *requests;
    int nrequests;
    uint8_t *kept; /* items that own chunks keep, in their order; NULL: not read in advance */
    int64_t kept_at; /* bytes of `kept` that were used */
} tess_mpi_exchange;

/* The lowest rank that has items of a chunk, of those that are near. */
static inline int
tess_mpi_chunk_owner(const tess_mpi_exchange *x, const tess_mpi_box *chunk)
{
    tess_mpi_box part;
    for (int i = 0; i < x->nnear; i++)
        if (tess_mpi_box_meet(x->g->ndim, &x->boxes[x->near[i]], chunk, &part))
            return x->near[i];
    return -1;
}

/* All ranks that share a chunk with the own box. */
static inline tess_status
tess_mpi_find_near(tess_mpi_exchange *x, int nranks, tess_error *err)
{
    const int ndim = x->g->ndim;
    const tess_mpi_box *const own = &x->boxes[x->rank];
    tess_mpi_box around, chunks, part;
    x->near = (int *)calloc((size_t)nranks + 1, sizeof *x->near);
    if (!x->near)
        return tess_mpi_error(err, TESS_ERR_NOMEM, "rank %d: no memory for a list of %d ranks",
                              x->rank, nranks);
    if (tess_mpi_box_nitems(ndim, own) == 0)
        return TESS_OK;
    tess_mpi_box_chunks(x->g, own, &chunks);
    for (int i = 0; i < ndim; i++) {
        around.start[i] = chunks.start[i] * x->g->chunkshape[i];
        around.stop[i] = chunks.stop[i] * x->g->chunkshape[i];
    }
    for (int r = 0; r < nranks; r++) {
        if (r != x->rank && tess_mpi_box_meet(ndim, own, &x->boxes[r], &part))
            return tess_mpi_error(err, TESS_ERR_ARG, "the boxes of ranks %d and %d overlap",
                                  r < x->rank ? r : x->rank, r < x->rank ? x->rank : r);
        if (tess_mpi_box_meet(ndim, &around, &x->boxes[r], &part))
            x->near[x->nnear++] = r;
    }
    return TESS_OK;
}

/* Call for each chunk that the own box has a part of, and each rank that has another part. */
typedef void tess_mpi_part(void *arg, tess_mpi_exchange *x, const tess_mpi_box *chunk, int owner,
                           int place, const tess_mpi_box *part);

static inline void
tess_mpi_each_part(tess_mpi_exchange *x, tess_mpi_part *call, void *arg)
{
    const int ndim = x->g->ndim;
    const tess_mpi_box *const own = &x->boxes[x->rank];
    tess_mpi_box chunks, whole, chunk, part;
    int64_t place[TESS_MAX_NDIM];
    if (x->nnear == 0)
        return;
    tess_mpi_box_chunks(x->g, own, &chunks);
    const bool has_whole = tess_mpi_box_whole_chunks(x->g, own, &whole);
    memcpy(place, chunks.start, sizeof place);
    do {
        if (has_whole && tess_mpi_box_has(ndim, &whole, place))
            continue;
        tess_mpi_chunk_box(x->g, place, &chunk);
        const int owner = tess_mpi_chunk_owner(x, &chunk);
        for (int i = 0; i < x->nnear; i++)
            if (tess_mpi_box_meet(ndim, &x->boxes[x->near[i]], &chunk, &part))
                call(arg, x, &chunk, owner, i, &part);
    } while (tess_mpi_box_next(ndim, &chunks, NULL, place));
}

static inline void
tess_mpi_count_part(void *arg, tess_mpi_exchange *x, const tess_mpi_box *chunk, int owner,
                    int place, const tess_mpi_box *part)
{
    const int64_t size = tess_mpi_box_nitems(x->g->ndim, part) * x->g->typesize;
    const int from = x->near[place];
    (void)arg, (void)chunk;
    if (owner == x->rank && from != x->rank)
        x->in[place].size += size;
    if (owner != x->rank && from == x->rank)
        for (int i = 0; i < x->nnear; i++)
            if (x->near[i] == owner)
                x->out[i].size += size;
}

static inline void
tess_mpi_pack_part(void *arg, tess_mpi_exchange *x, const tess_mpi_box *chunk, int owner, int place,
                   const tess_mpi_box *part)
{
    const uint8_t *const src = (const uint8_t *)arg;
    (void)chunk;
    if (owner == x->rank || x->near[place] != x->rank)
        return;
    for (int i = 0; i < x->nnear; i++) {
        tess_mpi_letter *const letter = &x->out[i];
        if (x->near[i] != owner)
            continue;
        tess_mpi_box_copy(x->g, part, &x->boxes[x->rank], src, part, letter->bytes + letter->at);
        letter->at += tess_mpi_box_nitems(x->g->ndim, part) * x->g->typesize;
    }
}

/* The items of a part that another rank sent, in the order of tess_mpi_each_part(). */
static inline void
tess_mpi_take_part(tess_mpi_exchange *x, int place, const tess_mpi_box *part,
                   const tess_mpi_box *to, uint8_t *dst)
{
    tess_mpi_letter *const letter = &x->in[place];
    tess_mpi_box_copy(x->g, part, part, letter->bytes + letter->at, to, dst);
    letter->at += tess_mpi_box_nitems(x->g->ndim, part) * x->g->typesize;
}

static inline void
tess_mpi_exchange_free(tess_mpi_exchange *x)
{
    for (int i = 0; i < x->nnear; i++) {
        if (x->out)
            free(x->out[i].bytes);
        if (x->in)
            free(x->in[i].bytes);
    }
    free(x->out);
    free(x->in);
    free(x->near);
    free(x->requests);
    free(x->kept);
    memset(x, 0, sizeof *x);
}

/* Count what is sent and received, and get memory for it. `near` is known. */
static inline tess_status
tess_mpi_exchange_prepare(tess_mpi_exchange *x, tess_error *err)
{
    int64_t nmessages = 0, size = 0;
    const size_t n = (size_t)x->nnear + 1;
    bool full = true;
    x->out = (tess_mpi_letter *)calloc(n, sizeof *x->out);
    x->in = (tess_mpi_letter *)calloc(n, sizeof *x->in);
    if (!x->out || !x->in)
        return tess_mpi_error(err, TESS_ERR_NOMEM, "rank %d: no memory for messages of %d ranks",
                              x->rank, x->nnear);
    tess_mpi_each_part(x, tess_mpi_count_part, NULL);
    for (int i = 0; i < x->nnear; i++) {
        tess_mpi_letter *const both[2] = {&x->out[i], &x->in[i]};
        for (int k = 0; k < 2; k++) {
            both[k]->rank = x->near[i];
            if (both[k]->size == 0)
                continue;
            both[k]->bytes = (uint8_t *)malloc((size_t)both[k]->size);
            full = full && both[k]->bytes;
            nmessages += tess_mpi_nmessages(both[k]->size);
            size += both[k]->size;
        }
    }
    x->requests = (MPI_Request *)calloc((size_t)nmessages + 1, sizeof *x->requests);
    if (!full || !x->requests)
        return tess_mpi_error(err, TESS_ERR_NOMEM,
                              "rank %d: no memory for %lld bytes of items of chunks that it shares "
                              "with other ranks",
                              x->rank, (long long)size);
    return TESS_OK;
}

/* Start to send the items of `src`, the own box, and to receive. All ranks are prepared. */
static inline void
tess_mpi_exchange_start(tess_mpi_exchange *x, MPI_Comm comm, const void *src)
{
    union {
        const void *constant;
        void *bytes;
    } same;
    same.constant = src;
    tess_mpi_each_part(x, tess_mpi_pack_part, same.bytes);
    for (int i = 0; i < x->nnear; i++) {
        const tess_mpi_letter *const in = &x->in[i], *const out = &x->out[i];
        for (int64_t k = 0; k < tess_mpi_nmessages(in->size); k++)
            MPI_Irecv(in->bytes + k * tess_mpi_message_most, tess_mpi_message_size(in->size, k),
                      MPI_BYTE, in->rank, TESS_MPI_TAG_ITEMS, comm, &x->requests[x->nrequests++]);
        for (int64_t k = 0; k < tess_mpi_nmessages(out->size); k++)
            MPI_Isend(out->bytes + k * tess_mpi_message_most, tess_mpi_message_size(out->size, k),
                      MPI_BYTE, out->rank, TESS_MPI_TAG_ITEMS, comm, &x->requests[x->nrequests++]);
    }
}

static inline void
tess_mpi_exchange_wait(tess_mpi_exchange *x)
{
    for (int i = 0; i < x->nrequests; i++)
        MPI_Wait(&x->requests[i], MPI_STATUS_IGNORE);
    x->nrequests = 0;
}

/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
