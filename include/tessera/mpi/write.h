/**
 * @file write.h
 * A write of all ranks: what is checked before anything changes, and the steps after that. Part of
 * tessera/mpi.h.
 */
#ifndef TESSERA_MPI_WRITE_H
#define TESSERA_MPI_WRITE_H

#include "tessera/mpi/encode.h"
#include "tessera/mpi/exchange.h"
#include "tessera/mpi/life.h"
#include "tessera/mpi/place.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */

/* What a rank writes, and the boxes of all. */
typedef struct tess_mpi_plan {
    tess_mpi_box box;
    tess_mpi_box *boxes;
    tess_mpi_exchange x;
    const void *src;
} tess_mpi_plan;

/* Own boxes, of all ranks. The caller frees them. */
static inline tess_status
tess_mpi_gather_boxes(tess_mpi *m, const tess_mpi_box *own, tess_status st, tess_mpi_box **boxes,
                      tess_error *err)
{
    *boxes = (tess_mpi_box *)malloc((size_t)m->nranks * sizeof **boxes);
    if (!*boxes)
        st = tess_mpi_error(err, TESS_ERR_NOMEM, "rank %d: no memory for the boxes of %d ranks",
                            m->rank, m->nranks);
    st = tess_mpi_agree(m->comm, st, err);
    if (st == TESS_OK)
        MPI_Allgather(own, (int)sizeof *own, MPI_BYTE, *boxes, (int)sizeof *own, MPI_BYTE, m->comm);
    return st;
}

static inline tess_status
tess_mpi_check_box(const tess_mpi *m, const tess_mpi_shape *g, const int64_t *start,
                   const int64_t *stop, const void *src, size_t src_size, tess_mpi_box *box,
                   tess_error *err)
{
    memset(box, 0, sizeof *box);
    if (!m->sketch)
        return tess_mpi_error(err, TESS_ERR_ARG, "the array was opened for reading only");
    if (!start && !stop) /* nothing */
        return TESS_OK;
    if (!start || !stop)
        return tess_mpi_error(err, TESS_ERR_ARG, "rank %d: %s is NULL, and %s is not", m->rank,
                              start ? "stop" : "start", start ? "start" : "stop");
    for (int i = 0; i < g->ndim; i++) {
        if (start[i] < 0 || start[i] > stop[i] || stop[i] > g->shape[i])
            return tess_mpi_error(
                err, TESS_ERR_ARG, "rank %d: a box from %lld to %lld along axis %d of %lld items",
                m->rank, (long long)start[i], (long long)stop[i], i, (long long)g->shape[i]);
        box->start[i] = start[i];
        box->stop[i] = stop[i];
    }
    const int64_t nitems = tess_mpi_box_nitems(g->ndim, box);
    if (src_size / (size_t)g->typesize < (size_t)nitems || (nitems > 0 && !src))
        return tess_mpi_error(err, TESS_ERR_ARG,
                              "rank %d: src has %zu bytes, the box has %lld items of %d bytes",
                              m->rank, src ? src_size : 0, (long long)nitems, (int)g->typesize);
    return TESS_OK;
}

/* Collective: chunks that keep items need earlier writes committed, so that those can be read.
   Before the array grows: no commit may have the new shape without the new items. grows: they are
   read now. */
static inline tess_status
tess_mpi_ready_kept(tess_mpi *m, tess_mpi_exchange *x, bool grows, tess_error *err)
{
    tess_mpi_keeps keeps = {&m->g, 0, 0};
    int any = 0;
    bool changed;
    tess_status st = TESS_OK;
    tess_mpi_each_part(x, tess_mpi_find_kept, &keeps);
    if (m->pending) {
        MPI_Allreduce(&keeps.old, &any, 1, MPI_INT, MPI_MAX, m->comm);
        if (any)
            st = tess_mpi_commit(m, err);
    }
    if (st == TESS_OK && keeps.old && m->stale && m->reader) {
        st = tess_array_refresh(m->reader, &changed, err);
        m->stale = st != TESS_OK;
    }
    if (st == TESS_OK && keeps.nitems > 0 && grows)
        st = tess_mpi_load_kept(m, x, keeps.nitems, err);
    return tess_mpi_agree(m->comm, st, err);
}

/* Collective: check the boxes of all ranks against a shape, and prepare. Nothing changes. */
static inline tess_status
tess_mpi_plan_begin(tess_mpi *m, tess_mpi_plan *p, const tess_mpi_shape *g, const int64_t *start,
                    const int64_t *stop, const void *src, size_t src_size, tess_error *err)
{
    memset(p, 0, sizeof *p);
    p->src = src;
    tess_status st = tess_mpi_check_box(m, g, start, stop, src, src_size, &p->box, err);
    st = tess_mpi_gather_boxes(m, &p->box, st, &p->boxes, err);
    if (st != TESS_OK)
        return st;
    p->x.g = g;
    p->x.rank = m->rank;
    p->x.boxes = p->boxes;
    st = tess_mpi_find_near(&p->x, m->nranks, err);
    if (st == TESS_OK)
        st = tess_mpi_exchange_prepare(&p->x, err);
    return tess_mpi_agree(m->comm, st, err);
}

/* Collective: write what was planned, to an array that has the shape by now. */
static inline tess_status
tess_mpi_plan_run(tess_mpi *m, tess_mpi_plan *p, tess_error *err)
{
    tess_mpi_packets packets;
    memset(&packets, 0, sizeof packets);
    p->x.g = &m->g;
    tess_mpi_exchange_start(&p->x, m->comm, p->src);
    tess_status st = tess_mpi_encode_whole(m, &packets, &p->box, p->src, err);
    tess_mpi_exchange_wait(&p->x);
    if (st == TESS_OK)
        st = tess_mpi_encode_shared(m, &packets, &p->x, p->src, err);
    st = tess_mpi_place(m, &packets, st, err);
    tess_mpi_packets_free(&packets);
    return st;
}

static inline void
tess_mpi_plan_end(tess_mpi_plan *p)
{
    tess_mpi_exchange_free(&p->x);
    free(p->boxes);
}

/* Collective: an axis grows. *g: the shape as it will be; count: that of rank 0 on all ranks. */
static inline tess_status
tess_mpi_check_growth(const tess_mpi *m, int axis, int64_t count, tess_mpi_shape *g,
                      tess_error *err)
{
    int64_t first[2] = {axis, count};
    tess_status st = TESS_OK;
    MPI_Bcast(first, 2, MPI_INT64_T, 0, m->comm);
    if (!m->sketch)
        st = tess_mpi_error(err, TESS_ERR_ARG, "the array was opened for reading only");
    else if (first[0] != axis || first[1] != count)
        st = tess_mpi_error(err, TESS_ERR_ARG,
                            "rank %d grows axis %d by %lld items, rank 0 axis %d by %lld", m->rank,
                            axis, (long long)count, (int)first[0], (long long)first[1]);
    else if (axis < 0 || axis >= m->g.ndim || count < 0 || count > INT64_MAX - m->g.shape[axis])
        st = tess_mpi_error(err, TESS_ERR_ARG,
                            "axis %d cannot grow by %lld items: the array has %d axes, and 2^63-1 "
                            "items along one at most",
                            axis, (long long)count, m->g.ndim);
    st = tess_mpi_agree(m->comm, st, err);
    if (st != TESS_OK)
        return st;
    *g = m->g;
    g->shape[axis] += count;
    tess_mpi_shape_count(g);
    return TESS_OK;
}

/* Collective: the array gets the shape. What an adoption commits when it begins is done before. */
static inline tess_status
tess_mpi_grow(tess_mpi *m, const tess_mpi_shape *g, tess_error *err)
{
    tess_adoption *adoption = NULL;
    tess_status st = TESS_OK;
    if (m->writer) {
        st = tess_adoption_begin(m->writer, &adoption, err);
        if (st == TESS_OK)
            st = tess_adoption_end(adoption, false, err);
        if (st == TESS_OK)
            st = tess_array_resize(m->writer, g->shape, err);
    }
    st = tess_mpi_follow(m->comm, st, err);
    m->pending = m->stale = true;
    return st == TESS_OK ? tess_mpi_share_sketch(m, err) : st;
}

/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
