/**
 * @file agree.h
 * What the ranks of a communicator tell each other. Part of tessera/mpi.h.
 */
#ifndef TESSERA_MPI_AGREE_H
#define TESSERA_MPI_AGREE_H

#include "tessera/error.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */

enum { TESS_MPI_TAG_ITEMS = 1, TESS_MPI_TAG_PACKET = 2, TESS_MPI_TAG_END = 3 };

/* Bytes of a message at most: counts are ints. */
static const int64_t tess_mpi_message_most = 1 << 30;

/* Fill *err, and return the status. */
#if defined __GNUC__ || defined __clang__
__attribute__((format(printf, 3, 4)))
#endif
static inline tess_status
tess_mpi_error(tess_error *err, tess_status st, const char *format, ...)
{
    va_list args;
    if (!err)
        return st;
    memset(err, 0, sizeof *err);
    err->status = st;
    err->offset = -1;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return st;
}

/*
 * Collective: all ranks get the status of the first rank that failed, with its error; TESS_OK if
 * none did. err may not be NULL.
 */
static inline tess_status
tess_mpi_agree(MPI_Comm comm, tess_status st, tess_error *err)
{
    int rank, nranks, first;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    const int own = st == TESS_OK ? nranks : rank;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == nranks)
        return TESS_OK;
    int code = (int)st;
    MPI_Bcast(&code, 1, MPI_INT, first, comm);
    MPI_Bcast(err, (int)sizeof *err, MPI_BYTE, first, comm);
    return (tess_status)code;
}

/* The same if only rank 0 can fail: one broadcast. */
static inline tess_status
tess_mpi_follow(MPI_Comm comm, tess_status st, tess_error *err)
{
    int code = (int)st;
    MPI_Bcast(&code, 1, MPI_INT, 0, comm);
    if (code != TESS_OK)
        MPI_Bcast(err, (int)sizeof *err, MPI_BYTE, 0, comm);
    return (tess_status)code;
}

/* How many messages `size` bytes take, and the bytes of one of them. */
static inline int64_t
tess_mpi_nmessages(int64_t size)
{
    return (size + tess_mpi_message_most - 1) / tess_mpi_message_most;
}

static inline int
tess_mpi_message_size(int64_t size, int64_t message)
{
    const int64_t rest = size - message * tess_mpi_message_most;
    return (int)(rest < tess_mpi_message_most ? rest : tess_mpi_message_most);
}

/* Bytes of rank 0 to all. */
static inline void
tess_mpi_broadcast(MPI_Comm comm, void *bytes, int64_t size)
{
    for (int64_t i = 0; i < tess_mpi_nmessages(size); i++)
        MPI_Bcast((uint8_t *)bytes + i * tess_mpi_message_most, tess_mpi_message_size(size, i),
                  MPI_BYTE, 0, comm);
}

/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
