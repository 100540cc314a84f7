/*
 * ledger.c - what the checksums of many chunks cost where none of them is read: opening, and a
 * commit of one chunk.
 *
 * Chunks have 64 bytes, so lists and checksums of them are most of the file.
 */
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 16, ITEM = 4, SLAB = 10000 };

// Both have their own file; the third opens that of the second.
static const struct player players[] = {
    {"none", TESS_DURABILITY_NONE, TESS_CHECKSUMS_NONE, false},
    {"checksums", TESS_DURABILITY_NONE, TESS_CHECKSUMS_WRITE, false},
    {"verify", TESS_DURABILITY_NONE, TESS_CHECKSUMS_VERIFY, false},
};
enum { NPLAYERS = sizeof players / sizeof players[0] };

struct ledger {
    const struct job *job;
    enum { OPEN_READ, OPEN_UPDATE, COMMIT } work;
    char paths[2][700];
    int64_t nchunks;
    uint64_t state;
};

static void
make(const struct ledger *l, const struct player *p, const char *path)
{
    const size_t size = (size_t)SLAB * ITEMS * ITEM;
    uint8_t *const slab = bench_alloc(size);
    uint64_t state = l->job->seed;
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (size_t i = 0; i < size; i++)
        slab[i] = (uint8_t)bench_random(&state);
    storage_init(&storage, &context, l->job, p);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 1;
    params.chunkshape[0] = params.blockshape[0] = ITEMS;
    must(tess_array_zeros(&storage, &params, &a, &err), &err);
    for (int64_t done = 0; done < l->nchunks; done += SLAB) {
        const int64_t n = l->nchunks - done < SLAB ? l->nchunks - done : SLAB;
        must(tess_array_append(a, 0, n * ITEMS, slab, (size_t)n * ITEMS * ITEM, NULL, &err), &err);
    }
    must(tess_array_close(a, &err), &err);
    free(slab);
}

static double
play(void *with, const struct player *p)
{
    struct ledger *const l = with;
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_error err;
    uint8_t items[ITEMS * ITEM];

    storage_init(&storage, &context, l->job, p);
    storage.path = l->paths[p->checksums != TESS_CHECKSUMS_NONE];
    storage.mode = l->work == OPEN_READ ? TESS_MODE_READ : TESS_MODE_UPDATE;
    double start = bench_now();
    must(tess_array_open(&storage, &a, &err), &err);
    if (l->work == COMMIT) {
        const int64_t at = bench_random_below(&l->state, l->nchunks) * ITEMS, end = at + ITEMS;
        for (size_t i = 0; i < sizeof items; i++)
            items[i] = (uint8_t)bench_random(&l->state);
        start = bench_now();
        must(tess_array_write(a, &at, &end, items, sizeof items, &err), &err);
        must(tess_array_flush(a, &err), &err);
    }
    const double seconds = bench_now() - start;
    tess_array_discard(a);
    return seconds;
}

static void
play_count(struct ledger *l)
{
    static const char *const works[] = {"open to read", "open to write", "commit of one"};
    char cell[80];
    const struct contest c = {.part = "ledger",
                              .cell = cell,
                              .players = players,
                              .nplayers = NPLAYERS,
                              .play = play,
                              .with = l};
    int64_t bytes[2];

    for (int i = 0; i < 2; i++) {
        make(l, &players[i], l->paths[i]);
        path_measure(l->paths[i], &bytes[i]);
    }
    for (int work = OPEN_READ; work <= COMMIT; work++) {
        l->work = work;
        snprintf(cell, sizeof cell, "%" PRId64 " chunks, %s", l->nchunks, works[work]);
        contest_play(l->job, &c);
    }
    snprintf(cell, sizeof cell, "%" PRId64 " chunks, bytes", l->nchunks);
    printf("%-36s %9" PRId64 "  %+9.1f %%\n", cell, bytes[0],
           ((double)bytes[1] / (double)bytes[0] - 1) * 100);
    for (int i = 0; i < 2; i++) {
        job_csv(l->job, "ledger", cell, players[i].name, 1, "bytes", (double)bytes[i]);
        path_remove(l->paths[i]);
    }
}

void
ledger_play(const struct job *job)
{
    static const int64_t counts[] = {1, 1000, 100000, 1000000};
    const struct contest shown = {.players = players, .nplayers = NPLAYERS};
    struct ledger l = {.job = job, .state = job->seed};

    for (int i = 0; i < 2; i++)
        snprintf(l.paths[i], sizeof l.paths[i], "%s-%s", job->path, players[i].name);
    contest_header(&shown, "Many chunks of 64 bytes: the ledger, and loading its checksums");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        l.nchunks = counts[i];
        if (l.nchunks <= job->chunks)
            play_count(&l);
    }
}
