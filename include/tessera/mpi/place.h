/**
 * @file place.h
 * Encoded chunks of all ranks get their places in the file, and rank 0 adopts them. Part of
 * tessera/mpi.h.
 */
#ifndef TESSERA_MPI_PLACE_H
#define TESSERA_MPI_PLACE_H

#include "tessera/mpi/encode.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */

/* The packet of each rank's extents goes to rank 0, which adopts it. */
static inline tess_status
tess_mpi_send_packets(tess_mpi *m, tess_mpi_packets *p, int64_t start, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < p->count && st == TESS_OK; i++) {
        tess_mpi_packet *const from = &p->items[i];
        const tess_lease part = {start, from->extent};
        void *placed = NULL;
        size_t size = 0;
        st = tess_packet_place(from->bytes, from->size, m->path, &part, m->storage.durability,
                               &placed, &size, err);
        if (st == TESS_OK)
            MPI_Send(placed, (int)size, MPI_BYTE, 0, TESS_MPI_TAG_PACKET, m->comm);
        tess_free(placed);
        tess_free(from->bytes);
        from->bytes = NULL;
        start += from->extent;
    }
    return st;
}

/* The chunks of rank 0 itself need no message. */
static inline tess_status
tess_mpi_adopt_own(tess_adoption *adoption, tess_mpi_packets *p, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < p->count && st == TESS_OK; i++)
        st = tess_adoption_add(adoption, p->items[i].bytes, p->items[i].size, TESS_CHUNK_TRUSTED,
                               err);
    return st;
}

/* Bytes of the largest packet that will be sent to rank 0. */
static inline int64_t
tess_mpi_largest_placed(const tess_mpi *m, const tess_mpi_packets *p)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < p->count && m->rank > 0; i++)
        if (p->items[i].placed > largest)
            largest = p->items[i].placed;
    return largest;
}

/* Rank 0 begins: memory for any message, and a lease for the chunks of the others. */
static inline tess_status
tess_mpi_adopt_begin(tess_mpi *m, int64_t largest, int64_t total, uint8_t **room,
                     tess_adoption **adoption, tess_lease *lease, tess_error *err)
{
    *room = (uint8_t *)malloc((size_t)largest + 1);
    if (!*room)
        return tess_mpi_error(err, TESS_ERR_NOMEM, "rank 0: no memory for packets of %lld bytes",
                              (long long)largest);
    tess_status st = tess_adoption_begin(m->writer, adoption, err);
    if (st == TESS_OK && total > 0)
        st = tess_adoption_lease(*adoption, total, lease, err);
    return st;
}

/* What the other ranks send: packets in any order, and from each the end. All is received, also
   after a failure. */
static inline tess_status
tess_mpi_adopt_others(tess_mpi *m, tess_adoption *adoption, uint8_t *room, int64_t largest,
                      tess_status st, tess_error *err)
{
    int ended = 1;
    while (ended < m->nranks) {
        MPI_Status status;
        int size;
        MPI_Recv(room, (int)largest, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, m->comm, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        if (status.MPI_TAG == TESS_MPI_TAG_END)
            ended++;
        else if (st == TESS_OK)
            st = tess_adoption_add(adoption, room, (size_t)size, TESS_CHUNK_TRUSTED, err);
    }
    return st;
}

/*
 * What every rank has encoded gets its place in the file: behind that of the ranks before it. Rank
 * 0 leases the whole range, and adopts what was written there.
 */
static inline tess_status
tess_mpi_place(tess_mpi *m, tess_mpi_packets *p, tess_status st, tess_error *err)
{
    const int64_t own = m->rank > 0 ? p->extent : 0;
    const int64_t own_placed = tess_mpi_largest_placed(m, p);
    int64_t before = 0, total = 0, largest = 0;
    uint8_t *room = NULL;
    tess_adoption *adoption = NULL;
    tess_lease lease = {0, 0};

    if (st == TESS_OK && own_placed > tess_mpi_message_most)
        st = tess_mpi_error(err, TESS_ERR_LIMIT,
                            "rank %d: a packet of %lld bytes, a message has %lld at most", m->rank,
                            (long long)own_placed, (long long)tess_mpi_message_most);
    st = tess_mpi_agree(m->comm, st, err);
    if (st != TESS_OK)
        return st;
    MPI_Exscan(&own, &before, 1, MPI_INT64_T, MPI_SUM, m->comm);
    MPI_Reduce(&own, &total, 1, MPI_INT64_T, MPI_SUM, 0, m->comm);
    MPI_Reduce(&own_placed, &largest, 1, MPI_INT64_T, MPI_MAX, 0, m->comm);
    if (m->rank == 0) {
        before = 0;
        st = tess_mpi_adopt_begin(m, largest, total, &room, &adoption, &lease, err);
    }
    st = tess_mpi_follow(m->comm, st, err);
    if (st != TESS_OK) {
        free(room);
        if (m->rank == 0)
            (void)tess_adoption_end(adoption, false, NULL);
        return st;
    }
    MPI_Bcast(&lease.first, 1, MPI_INT64_T, 0, m->comm);
    if (m->rank == 0) {
        st = tess_mpi_adopt_own(adoption, p, err);
        st = tess_mpi_adopt_others(m, adoption, room, largest, st, err);
        free(room);
    } else {
        st = tess_mpi_send_packets(m, p, lease.first + before, err);
        MPI_Send(NULL, 0, MPI_BYTE, 0, TESS_MPI_TAG_END, m->comm);
    }
    if (m->rank == 0) {
        tess_error why;
        const tess_status ended = tess_adoption_end(adoption, false, &why);
        if (st == TESS_OK && ended != TESS_OK) {
            st = ended;
            *err = why;
        }
    }
    m->pending = m->stale = true; /* when the adoption began, it may have committed */
    return tess_mpi_agree(m->comm, st, err);
}

/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
