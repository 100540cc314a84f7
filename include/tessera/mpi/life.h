/**
 * @file life.h
 * An array that ranks have open: opening, commits, closing. Part of tessera/mpi.h.
 */
#ifndef TESSERA_MPI_LIFE_H
#define TESSERA_MPI_LIFE_H

#include "tessera/array.h"
#include "tessera/mpi/agree.h"
#include "tessera/mpi/boxes.h"
#include "tessera/packet.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An array that the ranks of a communicator have open. Its members are not for programs. */
typedef struct tess_mpi {
    MPI_Comm comm; /**< of its own */
    int rank; /**< of the calling process */
    int nranks; /**< of the communicator */
    tess_storage storage; /**< of the array, on every rank */
    tess_context context; /**< of the array, on every rank */
    char *path; /**< of the array */
    tess_array *writer; /**< rank 0 of an array that may be changed; NULL elsewhere */
    tess_array *reader; /**< other ranks, and rank 0 of one that may not: the last commit */
    tess_array *sketch; /**< to encode with, if the array may be changed */
    tess_mpi_shape g; /**< the array as it is with what was written */
    bool contiguous; /**< one file */
    bool pending; /**< something was written since the last commit */
    bool stale; /**< the reader is older than the last commit */
} tess_mpi;

/** @cond */

/* Collective: commit, and remember that readers have an older state. */
static inline tess_status
tess_mpi_commit(tess_mpi *m, tess_error *err)
{
    tess_status st = m->writer ? tess_array_flush(m->writer, err) : TESS_OK;
    st = tess_mpi_follow(m->comm, st, err);
    if (st == TESS_OK) {
        /* also after a new shape, to which nothing was written */
        m->stale = m->storage.mode != TESS_MODE_READ;
        m->pending = false;
    }
    return st;
}

/* Collective: every rank gets rank 0's array without items, to encode with. */
static inline tess_status
tess_mpi_share_sketch(tess_mpi *m, tess_error *err)
{
    tess_storage storage;
    tess_info info;
    tess_array *sketch = NULL; /* the old one stays until all ranks have a new one */
    void *image = NULL, *own = NULL;
    size_t size = 0;
    tess_status st = TESS_OK;

    if (m->writer)
        st = tess_array_sketch(m->writer, &image, &size, err);
    st = tess_mpi_follow(m->comm, st, err);
    if (st != TESS_OK)
        return st;
    int64_t nbytes = (int64_t)size;
    MPI_Bcast(&nbytes, 1, MPI_INT64_T, 0, m->comm);
    if (m->rank > 0) {
        own = malloc((size_t)nbytes);
        if (!own)
            st =
                tess_mpi_error(err, TESS_ERR_NOMEM, "rank %d: no memory for a sketch of %lld bytes",
                               m->rank, (long long)nbytes);
    }
    st = tess_mpi_agree(m->comm, st, err);
    if (st == TESS_OK) {
        tess_mpi_broadcast(m->comm, m->rank == 0 ? image : own, nbytes);
        storage = m->storage;
        storage.path = NULL;
        storage.mode = TESS_MODE_UPDATE;
        storage.image = m->rank == 0 ? image : own;
        storage.image_size = (size_t)nbytes;
        st = tess_array_open(&storage, &sketch, err);
        st = tess_mpi_agree(m->comm, st, err);
    }
    if (st == TESS_OK) {
        tess_array_discard(m->sketch);
        m->sketch = sketch;
        tess_array_info(sketch, &info);
        tess_mpi_shape_init(&m->g, &info);
    } else {
        tess_array_discard(sketch);
    }
    free(own);
    tess_free(image);
    return st;
}

static inline void
tess_mpi_free(tess_mpi *m)
{
    if (!m)
        return;
    tess_array_discard(m->writer);
    tess_array_discard(m->reader);
    tess_array_discard(m->sketch);
    if (m->comm != MPI_COMM_NULL)
        MPI_Comm_free(&m->comm);
    free(m->path);
    free(m);
}

/* Collective: what all ranks have before an array is opened. The mode is that of rank 0, so that
 * all go the same way. */
static inline tess_status
tess_mpi_begin(MPI_Comm comm, const tess_storage *storage, tess_mpi **made, tess_error *err)
{
    tess_mpi *const m = (tess_mpi *)calloc(1, sizeof *m);
    const size_t length = storage && storage->path ? strlen(storage->path) + 1 : 0;
    tess_status st = TESS_OK;

    *made = m;
    if (length == 0)
        st = tess_mpi_error(err, TESS_ERR_ARG, "no path is given: tess_storage.path");
    if (m)
        m->comm = MPI_COMM_NULL;
    if (m && length > 0)
        m->path = (char *)malloc(length);
    if (st == TESS_OK && (!m || !m->path))
        st = tess_mpi_error(err, TESS_ERR_NOMEM, "no memory for the handle of an array");
    st = tess_mpi_agree(comm, st, err);
    if (st != TESS_OK)
        return st;
    memcpy(m->path, storage->path, length);
    MPI_Comm_dup(comm, &m->comm);
    MPI_Comm_rank(m->comm, &m->rank);
    MPI_Comm_size(m->comm, &m->nranks);
    m->storage = *storage;
    m->storage.path = m->path;
    int mode = (int)storage->mode;
    MPI_Bcast(&mode, 1, MPI_INT, 0, m->comm);
    m->storage.mode = (tess_mode)mode;
    m->storage.explicit_commits = true; /* each call is in one commit as a whole */
    if (!storage->context) {
        tess_context_init(&m->context);
        m->context.threads = 1;
        m->storage.context = &m->context;
    } else {
        m->context = *storage->context;
        m->storage.context = &m->context;
    }
    return TESS_OK;
}

/* Collective: the writer is open on rank 0, if the array may be changed. */
static inline tess_status
tess_mpi_open_readers(tess_mpi *m, tess_error *err)
{
    tess_storage storage = m->storage;
    tess_info info;
    tess_status st = TESS_OK;
    storage.mode = TESS_MODE_READ;
    if (!m->writer)
        st = tess_array_open(&storage, &m->reader, err);
    if (st == TESS_OK) {
        tess_array_info(m->writer ? m->writer : m->reader, &info);
        tess_mpi_shape_init(&m->g, &info);
        m->contiguous = info.contiguous;
        if (info.ndim == 0 || info.plain)
            st = tess_mpi_error(err, TESS_ERR_UNSUPPORTED,
                                info.plain ? "a super-chunk, which is no array"
                                           : "an array without dimensions");
    }
    return tess_mpi_agree(m->comm, st, err);
}

/* End of opening: *m is NULL after a failure. */
static inline tess_status
tess_mpi_opened(tess_mpi *x, tess_mpi **m, tess_status st)
{
    if (st != TESS_OK) {
        tess_mpi_free(x);
        x = NULL;
    }
    *m = x;
    return st;
}

/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
