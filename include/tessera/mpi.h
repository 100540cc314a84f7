/**
 * @file mpi.h
 * Many processes write one array: MPI.
 *
 * The ranks of a communicator have parts of one array in memory, and write them to one file, or one
 * directory, on storage that all of them see. Each rank encodes its own chunks; none waits for
 * another to encode, and no bytes of chunks go through another rank.
 *
 *     tess_mpi_create(comm, &storage, &params, &m, &err);
 *     tess_mpi_write_box(m, start, stop, items, size, &err);      each rank its own box
 *     tess_mpi_close(m, &err);
 *
 * This header is not part of tessera.h, and needs mpi.h of any MPI library (MPI 2.0 or later): all
 * functions are inline, because the binary interfaces of MPI libraries differ. Link with
 * libtessera. They call MPI on the calling thread alone (MPI_THREAD_FUNNELED, or no threads).
 *
 * **Collective.** All functions but tess_mpi_read() and tess_mpi_array() are collective: all ranks
 * of the communicator call them, in the same order. If a rank fails, all ranks get the status and
 * error of the lowest rank that failed.
 *
 * **What a write costs.** tess_mpi_write_box() and tess_mpi_append() make six collective calls of
 * fixed size, however many chunks there are; each rank sends rank 0 one message of about 100 bytes
 * per chunk. A chunk of which several ranks have items is encoded by the lowest of them, which
 * receives the other items with one message per rank. Memory: rank 0 has the list of chunks of the
 * array, and one message at a time; other ranks have the encoded bytes of their box, about 128 MiB
 * of chunks on their way, and items of chunks that they share with others.
 *
 * **Commits.** tess_mpi_flush() and tess_mpi_close() commit what was written: rank 0 writes index
 * and header, when the bytes of all ranks are there. A rank that dies at any point leaves the last
 * commit; the space of what it wrote is free again. Other functions commit nothing, but
 * tess_mpi_create() the new array, and tess_mpi_write_box() and tess_mpi_append() what was written
 * before, if a chunk keeps items that it had.
 *
 * **Threads.** Without tess_storage.context a rank encodes and decodes with one thread.
 *
 * Example: test/examples/heat.c. Other transports: packet.h.
 */
#ifndef TESSERA_MPI_H
#define TESSERA_MPI_H

#include "tessera/array.h"
#include "tessera/mpi/encode.h"
#include "tessera/mpi/exchange.h"
#include "tessera/mpi/life.h"
#include "tessera/mpi/place.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write a box of each rank.
 *
 * Boxes may have any size and place, but do not overlap; those of some ranks may be empty. Where
 * they end inside a chunk, the chunk keeps its other items.
 *
 * @param m      Array opened for writing.
 * @param start  First index of the rank's own box per axis. NULL, with stop: the rank has none.
 * @param stop   One past the last index per axis.
 * @param src    The items of the box, in C order.
 * @param src_size  Bytes of it. More than needed is fine.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (a box, src_size, boxes that overlap, not writable), or as
 *         tess_array_write(). After a failure the last commit is as it was; of what was written
 *         since, parts may be there: tess_mpi_discard() closes without it.
 */
static inline tess_status
tess_mpi_write_box(tess_mpi *m, const int64_t *start, const int64_t *stop, const void *src,
                   size_t src_size, tess_error *err)
{
    tess_error own;
    tess_mpi_box box, *boxes = NULL;
    tess_mpi_packets packets;
    tess_mpi_exchange x;
    tess_error *const e = err ? err : &own;

    memset(&packets, 0, sizeof packets);
    memset(&x, 0, sizeof x);
    tess_status st = tess_mpi_check_box(m, start, stop, src, src_size, &box, e);
    st = tess_mpi_gather_boxes(m, &box, st, &boxes, e);
    if (st == TESS_OK) {
        x.g = &m->g;
        x.rank = m->rank;
        x.boxes = boxes;
        st = tess_mpi_find_near(&x, m->nranks, e);
        if (st == TESS_OK)
            st = tess_mpi_exchange_prepare(&x, e);
        st = tess_mpi_agree(m->comm, st, e);
    }
    if (st == TESS_OK) {
        st = tess_mpi_ready_kept(m, &x, e);
        tess_mpi_exchange_start(&x, m->comm, src);
        if (st == TESS_OK)
            st = tess_mpi_encode_whole(m, &packets, &box, src, e);
        tess_mpi_exchange_wait(&x);
        if (st == TESS_OK)
            st = tess_mpi_encode_shared(m, &packets, &x, src, e);
        st = tess_mpi_place(m, &packets, st, e);
    }
    tess_mpi_exchange_free(&x);
    tess_mpi_packets_free(&packets);
    free(boxes);
    return st;
}

/**
 * Create an array of zeros, or of the fill value, that all ranks write.
 *
 * @param comm     Ranks that write, and read; not an intercommunicator.
 * @param storage  Where, and how, as for tess_array_zeros(); the same on all ranks, with a path
 * that leads all of them to the same place. With TESS_MODE_REPLACE, an array that is there is
 * replaced when this call returns.
 * @param params   As for tess_array_zeros(); one dimension at least. Rank 0's count.
 * @param m        Receives the array, or NULL on failure. Close it with tess_mpi_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_zeros().
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
        if (x->rank == 0) {
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
 * @param comm     Ranks that read, or write; not an intercommunicator.
 * @param storage  Where; the same on all ranks. TESS_MODE_READ, or TESS_MODE_UPDATE.
 * @param m        Receives the array, or NULL on failure. Close it with tess_mpi_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return as tess_array_open(); TESS_ERR_UNSUPPORTED (a super-chunk, no dimension).
 */
static inline tess_status
tess_mpi_open(MPI_Comm comm, const tess_storage *storage, tess_mpi **m, tess_error *err)
{
    tess_error own;
    tess_error *const e = err ? err : &own;
    tess_mpi *x = NULL;
    tess_status st = tess_mpi_begin(comm, storage, &x, e);
    const bool update = st == TESS_OK && storage->mode == TESS_MODE_UPDATE;
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
 * @param m      Array opened for writing.
 * @param axis   The axis, 0 <= axis < ndim.
 * @param count  By how many items, >= 0; the same on all ranks.
 * @param start  As in tess_mpi_write_box(), in the array as it is afterwards.
 * @param stop   One past the last index per axis.
 * @param src    The items of the box, in C order.
 * @param src_size  Bytes of it.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_mpi_write_box(), and tess_array_resize(). New items that no rank writes have the
 *         fill value.
 */
static inline tess_status
tess_mpi_append(tess_mpi *m, int axis, int64_t count, const int64_t *start, const int64_t *stop,
                const void *src, size_t src_size, tess_error *err)
{
    tess_error own;
    tess_error *const e = err ? err : &own;
    tess_status st = TESS_OK;
    if (!m->sketch)
        st = tess_mpi_error(e, TESS_ERR_ARG, "the array is open for reading");
    else if (axis < 0 || axis >= m->g.ndim || count < 0 || count > INT64_MAX - m->g.shape[axis])
        st = tess_mpi_error(e, TESS_ERR_ARG, "%lld more items along axis %d of %d",
                            (long long)count, axis, m->g.ndim);
    st = tess_mpi_agree(m->comm, st, e);
    if (st != TESS_OK)
        return st;
    if (m->writer) {
        int64_t shape[TESS_MAX_NDIM];
        memcpy(shape, m->g.shape, sizeof shape);
        shape[axis] += count;
        st = tess_array_resize(m->writer, shape, e);
    }
    st = tess_mpi_follow(m->comm, st, e);
    if (st == TESS_OK)
        st = tess_mpi_share_sketch(m, e);
    if (st != TESS_OK)
        return st;
    return tess_mpi_write_box(m, start, stop, src, src_size, e);
}

/**
 * Read a box: not collective, each rank for itself.
 *
 * Items are those of the last commit; on rank 0 of an array opened for writing, those that were
 * written since, too.
 *
 * @param m      Open array.
 * @param start  First index per axis.
 * @param stop   One past the last index per axis.
 * @param dst    Receives the items, in C order.
 * @param dst_size  Bytes of it. More than needed is fine.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_array_read(), and tess_array_refresh().
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
 * The rank's own handle, for all functions that read: properties, metalayers, attributes. On rank 0
 * of an array opened for writing also for those that set metalayers and attributes. Do not close
 * it.
 *
 * @param m  Open array.
 * @return the handle; other ranks than rank 0 see the last commit after tess_array_refresh().
 */
static inline tess_array *
tess_mpi_array(const tess_mpi *m)
{
    return m->writer ? m->writer : m->reader;
}

/**
 * Commit what was written.
 *
 * @param m    Open array; for one open for reading, nothing happens.
 * @param err  Filled on failure; may be NULL.
 *
 * @return as tess_array_flush().
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
 * @param m    Open array; NULL on all ranks: nothing happens.
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
 * Close the array without committing: the file keeps its last commit.
 *
 * @param m  Open array; NULL on all ranks: nothing happens.
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
