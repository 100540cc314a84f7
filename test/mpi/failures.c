/*
 * failures.c - what one rank does wrong, or has no memory for, is told to all ranks alike, and the
 * file keeps its last commit.
 *
 *     failures PATH calls               wrong arguments, also on one rank alone
 *     failures PATH memory RANK STEP    each STEPth allocation of RANK fails, one in each round
 *
 * If ranks wait for each other for ever, the time limit of the test ends them.
 */
#include "mpi/check.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

// -- allocations that fail: those of the library, and of the functions of tessera/mpi.h

static int allocations, failing; // number of the one that fails; 0: none does

static bool
fails(void)
{
    return failing > 0 && ++allocations == failing;
}

static void *
some_memory(size_t size)
{
    return fails() ? NULL : malloc(size);
}

static void *
some_zeros(size_t n, size_t size)
{
    return fails() ? NULL : calloc(n, size);
}

static void *
other_memory(void *memory, size_t size)
{
    return fails() ? NULL : realloc(memory, size);
}

#define malloc some_memory
#define calloc some_zeros
#define realloc other_memory
#include <tessera/mpi.h>
#undef malloc
#undef calloc
#undef realloc

static void *
library_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    if (fails())
        return NULL;
    if (align <= alignof(max_align_t))
        return malloc(size);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void *
library_resize(void *memory, size_t size, void *user)
{
    (void)user;
    return other_memory(memory, size);
}

static void
library_free(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static void
plug_in(void)
{
    tess_allocator allocator;
    tess_error err = {0};
    tess_allocator_init(&allocator);
    allocator.alloc = library_alloc;
    allocator.resize = library_resize;
    allocator.free = library_free;
    ok(tess_allocator_set(&allocator, &err));
}

// -- the array: all items of a commit are its number, and some more bits

enum { SIDE = 48, CHUNK = 20, BITS = 16, GROWTH = 3 };

static int rank, nranks;
static const char *path;
static int32_t items[SIDE * SIDE];

static tess_storage
storage_of(tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

static void
set_items(int32_t step)
{
    for (int32_t i = 0; i < SIDE * SIDE; i++)
        items[i] = i * 37 % 1000 * BITS + step;
}

static tess_status
write_rows(tess_mpi *m, int place, int32_t step, tess_error *err)
{
    const int64_t start[2] = {SIDE * place / nranks, 0},
                  stop[2] = {SIDE * (place + 1) / nranks, SIDE};
    set_items(step);
    return tess_mpi_write_box(m, start, stop, items, sizeof items, err);
}

static void
create(void)
{
    const tess_storage storage = storage_of(TESS_MODE_REPLACE);
    tess_params params;
    tess_mpi *m = NULL;
    tess_error err = {0};
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_I32;
    params.ndim = 2;
    params.shape[0] = params.shape[1] = SIDE;
    params.chunkshape[0] = params.chunkshape[1] = CHUNK;
    ok(tess_mpi_create(MPI_COMM_WORLD, &storage, &params, &m, &err));
    ok(write_rows(m, rank, 0, &err));
    ok(tess_mpi_close(m, &err));
}

// What rank 0 finds in the file: the items of one commit.
static int32_t
found(void)
{
    const tess_storage storage = storage_of(TESS_MODE_READ);
    const int64_t start[2] = {0, 0}, stop[2] = {SIDE, SIDE};
    tess_array *a = NULL;
    tess_verdict verdict;
    tess_error err = {0};
    if (rank > 0)
        return 0;
    ok(tess_array_open(&storage, &a, &err));
    ok(tess_array_read(a, start, stop, items, sizeof items, &err));
    ok(tess_array_verify(a, NULL, NULL, &verdict, &err));
    check(verdict.fine, "the file verified");
    for (int i = 0; i < SIDE * SIDE; i++)
        check(items[i] % BITS == items[0] % BITS, "items of one commit");
    ok(tess_array_close(a, &err));
    return items[0] % BITS;
}

// All ranks have the status and the message of rank 0.
static void
check_same(tess_status st, const tess_error *err)
{
    tess_error first = *err;
    int code = (int)st;
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(code == (int)st, "one status on all ranks");
    check(st == TESS_OK || strcmp(first.message, err->message) == 0, "one message on all ranks");
}

// -- memory

// Steps of a program; *committed: whether the second commit was made.
static tess_status
change(tess_mpi **m, bool *committed, tess_error *err)
{
    const tess_storage storage = storage_of(TESS_MODE_UPDATE);
    const int64_t start[2] = {SIDE + GROWTH * rank, 1},
                  stop[2] = {SIDE + GROWTH * (rank + 1), SIDE};
    tess_status st = tess_mpi_open(MPI_COMM_WORLD, &storage, m, err);
    if (st == TESS_OK)
        st = write_rows(*m, rank, 1, err);
    if (st == TESS_OK)
        st = write_rows(*m, (rank + 1) % nranks, 1, err);
    if (st == TESS_OK)
        st = tess_mpi_flush(*m, err);
    *committed = st == TESS_OK;
    if (st == TESS_OK)
        st = tess_mpi_append(*m, 0, GROWTH * nranks, start, stop, items, sizeof items, err);
    return st;
}

static void
memory(int who, int step)
{
    int rounds = 0, failed = 0, made = 0;
    for (int at = 1; made >= at - step; at += step) {
        tess_mpi *m = NULL;
        tess_error err = {0};
        bool committed;
        create();
        allocations = 0;
        failing = rank == who ? at : 0;
        const tess_status st = change(&m, &committed, &err);
        made = allocations;
        failing = 0;
        tess_mpi_discard(m);
        check_same(st, &err);
        check(st == TESS_OK || st == TESS_ERR_NOMEM, "no memory");
        const int32_t last = found();
        check(rank > 0 || !committed || last == 1, "the last commit");
        MPI_Bcast(&made, 1, MPI_INT, who, MPI_COMM_WORLD);
        rounds++;
        failed += st != TESS_OK;
    }
    check(failed > 0, "an allocation that failed");
    if (rank == 0)
        printf("%d of %d times rank %d had no memory\n", failed, rounds, who);
}

// -- calls

// A call that fails with the same words on all ranks.
#define fails_with(want, call)                    \
    do {                                          \
        tess_error err = {0};                     \
        const tess_status st = (call);            \
        check_same(st, &err);                     \
        check(st == (want), #call " is refused"); \
    } while (0)

static void
wrong_boxes(tess_mpi *m)
{
    const int last = nranks - 1;
    const int64_t start[2] = {SIDE * rank / nranks, 0},
                  stop[2] = {SIDE * (rank + 1) / nranks, SIDE};
    const int64_t beyond[2] = {stop[0], SIDE + (rank == last)};
    const size_t size = rank == last ? 3 : sizeof items;
    fails_with(TESS_ERR_ARG, tess_mpi_write_box(m, start, stop, items, size, &err));
    fails_with(TESS_ERR_ARG, tess_mpi_write_box(m, start, beyond, items, sizeof items, &err));
    fails_with(TESS_ERR_ARG,
               tess_mpi_write_box(m, start, rank == last ? NULL : stop, items, sizeof items, &err));
    fails_with(TESS_ERR_ARG,
               tess_mpi_append(m, rank == last ? 2 : 0, 1, NULL, NULL, NULL, 0, &err));
    if (nranks > 1)
        fails_with(TESS_ERR_ARG,
                   tess_mpi_write_box(m, (const int64_t[]){0, 0}, stop, items, sizeof items, &err));
}

// An append that is refused changes nothing. New items that no rank has are fill values, which all
// ranks see.
static void
appends(tess_mpi *m)
{
    const int64_t start[2] = {SIDE, 0}, stop[2] = {SIDE + 1, SIDE};
    int32_t got[SIDE];
    tess_error err = {0};
    fails_with(TESS_ERR_ARG, tess_mpi_append(m, 0, 1, NULL, stop, items, sizeof items, &err));
    if (nranks > 1) {
        fails_with(TESS_ERR_ARG,
                   tess_mpi_append(m, 0, 1, start, stop, items, sizeof items, &err)); // overlap
        fails_with(TESS_ERR_ARG, tess_mpi_append(m, 0, 1 + rank, NULL, NULL, NULL, 0, &err));
    }
    ok(tess_mpi_flush(m, &err));
    check(tess_mpi_read(m, start, stop, got, sizeof got, &err) == TESS_ERR_ARG, "no more items");
    ok(tess_mpi_append(m, 0, 1, NULL, NULL, NULL, 0, &err));
    ok(tess_mpi_flush(m, &err));
    ok(tess_mpi_read(m, start, stop, got, sizeof got, &err));
    for (int i = 0; i < SIDE; i++)
        check(got[i] == 0, "a fill value");
}

static void
wrong_opening(void)
{
    const int last = nranks - 1;
    tess_storage storage = storage_of(TESS_MODE_NEW);
    tess_params params;
    tess_mpi *m = NULL;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_I32;
    fails_with(TESS_ERR_ARG, tess_mpi_open(MPI_COMM_WORLD, &storage, &m, &err));
    storage.mode = TESS_MODE_REPLACE;
    fails_with(TESS_ERR_ARG, tess_mpi_create(MPI_COMM_WORLD, &storage, NULL, &m, &err));
    fails_with(TESS_ERR_UNSUPPORTED, tess_mpi_create(MPI_COMM_WORLD, &storage, &params, &m, &err));
    storage.mode = TESS_MODE_UPDATE;
    if (rank == last)
        storage.path = "/nowhere/at/all";
    fails_with(TESS_ERR_NOT_FOUND, tess_mpi_open(MPI_COMM_WORLD, &storage, &m, &err));
    if (rank == last)
        storage.path = NULL;
    fails_with(TESS_ERR_ARG, tess_mpi_open(MPI_COMM_WORLD, &storage, &m, &err));
    check(!m, "no array");
}

// Rank 0 says whether the array may be changed.
static void
other_modes(void)
{
    for (int update = 0; update < 2; update++) {
        const tess_storage storage =
            storage_of((rank == 0) == (update == 1) ? TESS_MODE_UPDATE : TESS_MODE_READ);
        tess_mpi *m = NULL;
        tess_error err = {0};
        ok(tess_mpi_open(MPI_COMM_WORLD, &storage, &m, &err));
        if (update)
            ok(write_rows(m, rank, 2, &err));
        else
            fails_with(TESS_ERR_ARG, write_rows(m, rank, 2, &err));
        ok(tess_mpi_close(m, &err));
    }
}

static void
calls(void)
{
    const tess_storage storage = storage_of(TESS_MODE_UPDATE);
    tess_mpi *m = NULL;
    tess_error err = {0};
    create();
    wrong_opening();
    check(found() == 0, "the first commit");
    MPI_Barrier(MPI_COMM_WORLD);
    ok(tess_mpi_open(MPI_COMM_WORLD, &storage, &m, &err));
    appends(m);
    ok(tess_mpi_close(m, &err));
    create();
    ok(tess_mpi_open(MPI_COMM_WORLD, &storage, &m, &err));
    wrong_boxes(m);
    ok(write_rows(m, nranks - 1 - rank, 1, &err));
    ok(tess_mpi_close(m, &err));
    check(rank > 0 || found() == 1, "a write behind refused ones");
    MPI_Barrier(MPI_COMM_WORLD);
    other_modes();
    check(rank > 0 || found() == 2, "a write by the mode of rank 0");
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    check(argc > 2, "usage");
    path = argv[1];
    plug_in();
    if (strcmp(argv[2], "calls") == 0)
        calls();
    else
        memory(atoi(argv[3]), atoi(argv[4]));
    MPI_Finalize();
    return 0;
}
