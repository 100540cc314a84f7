/*
 * heat.c - the heat equation on a plate, solved by the ranks of an MPI program. Each rank has some
 * rows of the plate. All ranks write one array, to which the state after every 20 steps is
 * appended. A program that is started again, with any number of ranks, continues from the last
 * state.
 *
 *     mpirun -n 4 heat [PATH [STEPS]]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <tessera/mpi.h>

#define TRY(call)                \
    ((call) == TESS_OK ? (void)0 \
                       : (fprintf(stderr, "%s\n", err.message), MPI_Abort(comm, 1), (void)0))

enum { SIDE = 120, SAVE_EVERY = 20 };

static const MPI_Comm comm = MPI_COMM_WORLD;
static double plate[SIDE + 2][SIDE],
    next[SIDE + 2][SIDE]; // the rows of a rank, and a halo row on each side

// Fill the halo rows with the edge rows of the neighbours.
static void
exchange(int rank, int nranks, int nrows)
{
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int down = rank < nranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(plate[1], SIDE, MPI_DOUBLE, up, 0, plate[nrows + 1], SIDE, MPI_DOUBLE, down, 0,
                 comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(plate[nrows], SIDE, MPI_DOUBLE, down, 1, plate[0], SIDE, MPI_DOUBLE, up, 1, comm,
                 MPI_STATUS_IGNORE);
}

// One time step; the temperature at the border of the plate is 0.
static void
spread(int first, int nrows)
{
    for (int i = 1; i <= nrows; i++)
        for (int j = 0; j < SIDE; j++) {
            const bool border =
                first + i - 1 == 0 || first + i - 1 == SIDE - 1 || j == 0 || j == SIDE - 1;
            next[i][j] =
                border ? 0
                       : plate[i][j] + 0.2 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] +
                                              plate[i][j + 1] - 4 * plate[i][j]);
        }
    memcpy(plate[1], next[1], (size_t)nrows * sizeof plate[1]);
}

int
main(int argc, char **argv)
{
    const int64_t last = argc > 2 ? atoll(argv[2]) : 100;
    tess_storage storage;
    tess_params params;
    tess_error err;
    tess_mpi *m;
    int rank, nranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    const int first = SIDE * rank / nranks, nrows = SIDE * (rank + 1) / nranks - first;

    tess_storage_init(&storage);
    storage.path = argc > 1 ? argv[1] : "heat.b2nd";
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = 3; // states, rows, columns
    params.shape[1] = params.shape[2] = SIDE;
    params.chunkshape[0] = 1;
    params.chunkshape[1] = params.chunkshape[2] = 50; // need not fit the rows of the ranks
    storage.mode = TESS_MODE_UPDATE;
    const tess_status st = tess_mpi_open(comm, &storage, &m, &err);
    if (st == TESS_ERR_NOT_FOUND) {
        storage.mode = TESS_MODE_NEW;
        TRY(tess_mpi_create(comm, &storage, &params, &m, &err));
    } else {
        TRY(st);
    }

    tess_info info;
    tess_array_info(tess_mpi_array(m), &info);
    int64_t step = (info.shape[0] - 1) * SAVE_EVERY;
    if (info.shape[0] > 0) {
        const int64_t start[] = {info.shape[0] - 1, first, 0};
        const int64_t stop[] = {info.shape[0], first + nrows, SIDE};
        TRY(tess_mpi_read(m, start, stop, plate[1], sizeof plate - sizeof plate[0], &err));
    } else {
        if (first <= SIDE / 2 && SIDE / 2 < first + nrows)
            plate[SIDE / 2 - first + 1][SIDE / 2] = 1e4;
        step = -SAVE_EVERY; // the first state is that of step 0
    }
    for (int64_t state = info.shape[0]; step < last; state++) {
        for (int i = 0; i < SAVE_EVERY && step >= 0; i++) {
            exchange(rank, nranks, nrows);
            spread(first, nrows);
        }
        step += SAVE_EVERY;
        const int64_t start[] = {state, first, 0}, stop[] = {state + 1, first + nrows, SIDE};
        TRY(tess_mpi_append(m, 0, 1, start, stop, plate[1], sizeof plate - sizeof plate[0], &err));
        TRY(tess_mpi_flush(m, &err)); // a commit: a restart continues from this state
    }
    TRY(tess_mpi_close(m, &err));
    if (first <= SIDE / 2 && SIDE / 2 < first + nrows)
        printf("step %d: %.3f\n", (int)step, plate[SIDE / 2 - first + 1][SIDE / 2]);
    MPI_Finalize();
    return 0;
}
