/**
 * @file mpi.h
 * Many processes write one array: MPI.
 *
 * Each rank of a communicator has a part of one array in memory; together they write one file, or
 * one directory, on a file system that all of them share. Each rank encodes its own chunks and
 * writes them to the file. Items are sent to another rank only if several ranks have items of one
 * chunk.
 *
 *     tess_mpi_create(comm, &storage, &params, &m, &err);
 *     tess_mpi_write_box(m, start, stop, items, size, &err);      each rank its own box
 *     tess_mpi_close(m, &err);
 *
 * This header is not part of tessera.h, and needs mpi.h of any MPI library (MPI 3.0 or later): all
 * functions are inline, because the binary interfaces of MPI libraries differ. Link with
 * libtessera.
 *
 * **Collective.** All functions but tess_mpi_read() and tess_mpi_array() are collective: all ranks
 * of the communicator call them, in the same order. If ranks fail, all ranks get the status and
 * the error of the lowest rank that failed. Errors of MPI itself are left to the error handler of
 * the communicator, by default MPI_ERRORS_ARE_FATAL; results of MPI calls are not checked.
 *
 * **What a write costs.** tess_mpi_write_box() makes eleven or twelve collective calls,
 * tess_mpi_append() eight more. Their size does not depend on the number of chunks: the largest
 * gathers the boxes, 256 bytes of each rank, on all ranks. Each rank but 0 sends rank 0 the offsets
 * of its chunks: 64 bytes per chunk, in one message for about 64 MiB of items, and one for each
 * chunk that it encodes with items of other ranks. A chunk of which several ranks have items is
 * encoded by the lowest of them; each of the others sends that rank its items of all chunks that
 * the two share, in one message, or one per GiB.
 *
 * Memory: each rank needs the encoded bytes of its box, a second time those of the 64 MiB of items
 * that it is encoding, and the items of chunks that it shares with others; tess_mpi_append() also
 * those of chunks of which its box has a part and the array keeps the rest. Rank 0 also needs the
 * list of chunks, 60 to 80 bytes per chunk, and memory for the largest message.
 *
 * **Commits.** tess_mpi_flush() and tess_mpi_close() commit what was written: rank 0 writes index
 * and header after the chunks of all ranks are written. If a rank dies, at any point, the file
 * keeps its last commit, and the space of what was written since is free. tess_mpi_create() commits
 * the new array. tess_mpi_write_box() and tess_mpi_append() first commit what earlier calls wrote
 * if the boxes cover only part of a chunk that has items already, or if another library wrote the
 * last state of the file. Each call is in one commit as a whole; there are no automatic commits
 * (tess_storage.explicit_commits).
 *
 * **Threads.** MPI is called on the calling thread alone: MPI_THREAD_FUNNELED is enough for calls
 * of the main thread. Only one thread of a rank may be in a call on one tess_mpi at a time,
 * tess_mpi_read() included. Without tess_storage.context a rank encodes and decodes with one
 * thread.
 *
 * Example: test/examples/heat.c. Other transports: packet.h.
 */
#ifndef TESSERA_MPI_H
#define TESSERA_MPI_H

#include "tessera/array.h"
#include "tessera/mpi/life.h"
#include "tessera/mpi/write.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write a box of each rank.
 *
 * Boxes of different ranks must not overlap; boxes may be empty, and need not consist of whole
 * chunks. Items that are in no box keep their values.
 *
 * @param m      Array opened for writing.
 * @param start  First index of the rank's own box per axis. NULL, with stop: the box is empty.
 * @param stop   One past the last index per axis.
 * @param src    The items of the box, in C order without gaps. May be NULL if the box is empty.
 * @param src_size  Size of src in bytes. More than needed is fine.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (a box leaves the array, src_size is too small, boxes overlap, the
 *         array is not writable): nothing was written; else as tess_array_write(). Then some chunks
 *         of the boxes may have their new items, and a later commit contains them; to leave the
 *         file at its last commit, close with tess_mpi_discard().
 */
static inline tess_status
tess_mpi_write_box(tess_mpi *m, const int64_t *start, const int64_t *stop, const void *src,
                   size_t src_size, tess_error *err)
{
    tess_error own;
    tess_mpi_plan plan;
    tess_error *const e = err ? err : &own;
    tess_status st = tess_mpi_plan_begin(m, &plan, &m->g, start, stop, src, src_size, e);
    if (st == TESS_OK)
        st = tess_mpi_ready_kept(m, &plan.x, false, e);
    if (st == TESS_OK)
        st = tess_mpi_plan_run(m, &plan, e);
    tess_mpi_plan_end(&plan);
    return st;
}

/**
 * Create an array of zeros, or of the fill value, for all ranks to write.
 *
 * @param comm     The ranks that write and read; not an intercommunicator. It is duplicated: the
 *                 program may free it.
 * @param storage  Where, and how, as for tess_array_zeros(); the same on all ranks, with a path
 *                 that leads all of them to the same place. With TESS_MODE_REPLACE, the old array
 *                 is replaced when this call returns. The mode of rank 0 counts.
 * @param params   As for tess_array_zeros(), with one dimension at least. Those of rank 0 are used;
 *                 NULL is allowed on other ranks.
 * @param m        Receives the array, or NULL on failure. Close it with tess_mpi_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_zeros(); TESS_ERR_UNSUPPORTED (an array without dimensions). If another
 *         rank fails after rank 0 has created the array, the new array stays at the path.
 */
static inline tess_status
tess_mpi_create(MPI_Comm comm, const tess_storage *storage, const tess_params *params, tess_mpi **m,
                tess_error *err)
{
    tess_error own;
    tess_error *const e = err ? err : &own;
    tess_mpi *x = NULL;
    tess_status st = tess_mpi_begin(comm, storage, &x, e);
    if (st == TESS_OK) {
        if (x->rank == 0 && params && params->ndim == 0)
            st = tess_mpi_error(e, TESS_ERR_UNSUPPORTED, "an array without dimensions");
        if (x->rank == 0 && st == TESS_OK) {
            st = params && params->fill ? tess_array_full(&x->storage, params, params->fill,
                                                          params->fill_size, &x->writer, e)
                                        : tess_array_zeros(&x->storage, params, &x->writer, e);
            if (st == TESS_OK)
                st = tess_array_flush(x->writer, e);
        }
        st = tess_mpi_follow(x->comm, st, e);
    }
    if (st == TESS_OK)
        st = tess_mpi_open_readers(x, e);
    if (st == TESS_OK)
        st = tess_mpi_share_sketch(x, e);
    return tess_mpi_opened(x, m, st);
}

/**
 * Open an array.
 *
 * @param comm     As for tess_mpi_create().
 * @param storage  Where, with a path; the same on all ranks. Mode TESS_MODE_READ, or
 *                 TESS_MODE_UPDATE to write; that of rank 0 counts.
 * @param m        Receives the array, or NULL on failure. Close it with tess_mpi_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_open(); TESS_ERR_UNSUPPORTED (a super-chunk, or an array without
 *         dimensions).
 */
static inline tess_status
tess_mpi_open(MPI_Comm comm, const tess_storage *storage, tess_mpi **m, tess_error *err)
{
    tess_error own;
    tess_error *const e = err ? err : &own;
    tess_mpi *x = NULL;
    tess_status st = tess_mpi_begin(comm, storage, &x, e);
    const bool update = st == TESS_OK && x->storage.mode == TESS_MODE_UPDATE;
    if (st == TESS_OK && !update && x->storage.mode != TESS_MODE_READ)
        st = tess_mpi_error(e, TESS_ERR_ARG, "opening an array needs the mode READ or UPDATE");
    if (update) {
        if (x->rank == 0)
            st = tess_array_open(&x->storage, &x->writer, e);
        st = tess_mpi_follow(x->comm, st, e);
    }
    if (st == TESS_OK)
        st = tess_mpi_open_readers(x, e);
    if (st == TESS_OK && update)
        st = tess_mpi_share_sketch(x, e);
    return tess_mpi_opened(x, m, st);
}

/**
 * Grow an axis at its end, and write a box of each rank.
 *
 * New items that are in no box have the fill value.
 *
 * @param m      Array opened for writing.
 * @param axis   The axis, 0 <= axis < ndim.
 * @param count  By how many items it grows, >= 0; the same on all ranks.
 * @param start  As in tess_mpi_write_box(), counted in the array after it has grown.
 * @param stop   One past the last index per axis.
 * @param src    The items of the box, in C order without gaps. May be NULL if the box is empty.
 * @param src_size  Size of src in bytes. More than needed is fine.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_mpi_write_box(), and tess_array_resize(). If an argument is refused, on any rank,
 *         nothing has changed; after another failure the axis may have grown: close with
 *         tess_mpi_discard().
 */
static inline tess_status
tess_mpi_append(tess_mpi *m, int axis, int64_t count, const int64_t *start, const int64_t *stop,
                const void *src, size_t src_size, tess_error *err)
{
    tess_error own;
    tess_mpi_plan plan;
    tess_mpi_shape g;
    tess_error *const e = err ? err : &own;
    tess_status st = tess_mpi_check_growth(m, axis, count, &g, e);
    if (st != TESS_OK)
        return st;
    st = tess_mpi_plan_begin(m, &plan, &g, start, stop, src, src_size, e);
    if (st == TESS_OK)
        st = tess_mpi_ready_kept(m, &plan.x, true, e);
    if (st == TESS_OK)
        st = tess_mpi_grow(m, &g, e);
    if (st == TESS_OK)
        st = tess_mpi_plan_run(m, &plan, e);
    tess_mpi_plan_end(&plan);
    return st;
}

/**
 * Read a box. Not collective.
 *
 * Rank 0 of an array opened for writing reads what was written, committed or not. All other ranks
 * read the commit of the last tess_mpi_flush(), or a later one.
 *
 * @param m      Open array.
 * @param start  First index per axis.
 * @param stop   One past the last index per axis.
 * @param dst    Receives the items, in C order without gaps. May be NULL if there are none.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_read(), and tess_array_refresh(). After a failure dst is undefined.
 */
static inline tess_status
tess_mpi_read(tess_mpi *m, const int64_t *start, const int64_t *stop, void *dst, size_t dst_size,
              tess_error *err)
{
    bool changed;
    tess_status st = TESS_OK;
    if (m->stale && m->reader)
        st = tess_array_refresh(m->reader, &changed, err);
    if (st != TESS_OK)
        return st;
    m->stale = false;
    return tess_array_read(m->writer ? m->writer : m->reader, start, stop, dst, dst_size, err);
}

/**
 * Get the rank's own handle of the array, for all functions that read: items, properties,
 * metalayers, attributes. On rank 0 of an array opened for writing, metalayers and attributes may
 * also be set. It belongs to m: do not close it, nor use it after m was closed. Not collective.
 *
 * @param m  Open array.
 * @return the handle. That of another rank than 0 shows an older commit until tess_mpi_read() or
 *         tess_array_refresh().
 */
static inline tess_array *
tess_mpi_array(const tess_mpi *m)
{
    return m->writer ? m->writer : m->reader;
}

/**
 * Commit what was written.
 *
 * @param m    Open array; if it is open for reading, nothing is written.
 * @param err  Filled on failure; may be NULL.
 *
 * @return as tess_array_flush(). After a failure what was written stays in the array, and may be
 *         committed by another call.
 */
static inline tess_status
tess_mpi_flush(tess_mpi *m, tess_error *err)
{
    tess_error own;
    return tess_mpi_commit(m, err ? err : &own);
}

/**
 * Commit what was written, and close the array, also if the commit fails.
 *
 * @param m    Open array, invalid afterwards, also after a failure. NULL on all ranks: nothing
 *             happens.
 * @param err  Filled on failure; may be NULL.
 *
 * @return as tess_array_close().
 */
static inline tess_status
tess_mpi_close(tess_mpi *m, tess_error *err)
{
    tess_error own;
    tess_error *const e = err ? err : &own;
    tess_status st = TESS_OK;
    if (!m)
        return TESS_OK;
    if (m->writer)
        st = tess_array_close(m->writer, e);
    m->writer = NULL;
    st = tess_mpi_follow(m->comm, st, e);
    tess_mpi_free(m);
    return st;
}

/**
 * Close the array without committing: the file keeps its last commit. Collective.
 *
 * @param m  Open array, invalid afterwards. NULL on all ranks: nothing happens.
 */
static inline void
tess_mpi_discard(tess_mpi *m)
{
    tess_mpi_free(m);
}

#ifdef __cplusplus
}
#endif

#endif
