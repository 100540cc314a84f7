/*
 * killed.c - a rank that dies at any of its calls of MPI leaves the last commit.
 *
 *     killed PATH create               a file with the first commit, by rank 0
 *     killed PATH write RANK CALL      write more with all ranks; RANK dies at its CALLth call
 *     killed PATH check                what the file has: one line, and 0 if it is a commit; no MPI
 *
 * The functions of MPI that tessera/mpi.h calls are replaced by ones that count (PMPI). A program
 * that was not killed prints how many calls the rank has made.
 */
#include "mpi/check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <tessera/mpi.h>

enum { SIDE = 96, CHUNK = 20, STEPS = 3, MORE = 7, APPENDED = 9 };

// -- calls that count

static int calls, last = -1;

static void
count(void)
{
    if (++calls == last)
        raise(SIGKILL);
}

int
MPI_Allreduce(const void *src, void *dst, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count();
    return PMPI_Allreduce(src, dst, n, type, op, comm);
}

int
MPI_Bcast(void *bytes, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    count();
    return PMPI_Bcast(bytes, n, type, root, comm);
}

int
MPI_Exscan(const void *src, void *dst, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count();
    return PMPI_Exscan(src, dst, n, type, op, comm);
}

int
MPI_Reduce(const void *src, void *dst, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    count();
    return PMPI_Reduce(src, dst, n, type, op, root, comm);
}

int
MPI_Send(const void *bytes, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count();
    return PMPI_Send(bytes, n, type, to, tag, comm);
}

int
MPI_Recv(void *bytes, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
         MPI_Status *status)
{
    count();
    return PMPI_Recv(bytes, n, type, from, tag, comm, status);
}

int
MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    count();
    return PMPI_Wait(request, status);
}

// -- the array: all items of a commit have its number, those of rows that were appended APPENDED

static void
write_step(tess_mpi *m, int rank, int nranks, int32_t step)
{
    const int64_t start[2] = {SIDE * rank / nranks, 0},
                  stop[2] = {SIDE * (rank + 1) / nranks, SIDE};
    const int64_t nitems = (stop[0] - start[0]) * SIDE;
    int32_t *const items = malloc((size_t)nitems * sizeof *items);
    tess_error err = {0};
    check(items, "memory");
    for (int64_t i = 0; i < nitems; i++)
        items[i] = (int32_t)(i * 37 % 1000) * 16 + step; // not one value: chunks have bytes
    ok(tess_mpi_write_box(m, start, stop, items, (size_t)nitems * sizeof *items, &err));
    free(items);
}

// A few more rows, of which each rank has some columns. Old rows share chunks with them.
static void
append_rows(tess_mpi *m, int rank, int nranks)
{
    const int64_t nrows = m->g.shape[0];
    const int64_t start[2] = {nrows, SIDE * rank / nranks},
                  stop[2] = {nrows + MORE, SIDE * (rank + 1) / nranks};
    int32_t items[MORE * SIDE];
    tess_error err = {0};
    for (int i = 0; i < MORE * SIDE; i++)
        items[i] = i * 37 % 1000 * 16 + APPENDED;
    ok(tess_mpi_append(m, 0, MORE, start, stop, items, sizeof items, &err));
}

static void
write_all(tess_storage *storage, bool create, int rank, int nranks)
{
    tess_params params;
    tess_mpi *m = NULL;
    tess_error err = {0};
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_I32;
    params.ndim = 2;
    params.shape[0] = params.shape[1] = SIDE;
    params.chunkshape[0] = params.chunkshape[1] = CHUNK;
    params.blockshape[0] = params.blockshape[1] = CHUNK / 2;
    params.layout = strstr(storage->path, "folder") ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    storage->mode = create ? TESS_MODE_REPLACE : TESS_MODE_UPDATE;
    if (create)
        ok(tess_mpi_create(MPI_COMM_WORLD, storage, &params, &m, &err));
    else
        ok(tess_mpi_open(MPI_COMM_WORLD, storage, &m, &err));
    for (int32_t step = create ? 0 : 1; step < (create ? 1 : STEPS); step++) {
        write_step(m, rank, nranks, step);
        ok(tess_mpi_flush(m, &err));
        for (int i = 0; i < 2 && !create; i++)
            append_rows(m, rank, nranks);
    }
    ok(tess_mpi_close(m, &err));
}

// Items of one commit, and a file without damage.
static void
check_commit(const tess_storage *storage)
{
    static int32_t items[2 * SIDE][SIDE];
    const int64_t start[2] = {0, 0};
    tess_array *a = NULL;
    tess_info info;
    tess_verdict verdict;
    tess_error err = {0};
    ok(tess_array_open(storage, &a, &err));
    tess_array_info(a, &info);
    check(info.shape[0] <= 2 * SIDE && (info.shape[0] - SIDE) % MORE == 0, "whole appends");
    ok(tess_array_read(a, start, info.shape, items, sizeof items, &err));
    ok(tess_array_verify(a, NULL, NULL, &verdict, &err));
    check(verdict.fine, "the file verified");
    const int32_t step = items[0][0] % 16;
    check(step >= 0 && step < STEPS, "a commit");
    for (int i = 0; i < info.shape[0] * SIDE; i++)
        check(items[i / SIDE][i % SIDE] % 16 == (i < SIDE * SIDE ? step : APPENDED),
              "items of one commit");
    ok(tess_array_close(a, &err));
    printf("commit %d, %d rows\n", (int)step, (int)info.shape[0]);
}

int
main(int argc, char **argv)
{
    tess_storage storage;
    int rank, nranks;
    check(argc > 2, "usage");
    tess_storage_init(&storage);
    storage.path = argv[1];
    if (strcmp(argv[2], "check") == 0) {
        check_commit(&storage);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    const bool create = strcmp(argv[2], "create") == 0;
    const int who = create ? -1 : atoi(argv[3]);
    if (rank == who)
        last = atoi(argv[4]);
    write_all(&storage, create, rank, nranks);
    if (rank == who)
        printf("calls %d\n", calls);
    MPI_Finalize();
    return 0;
}
