/*
 * cost.c - what durability and checksums add to the time of writing.
 *
 * A turn begins when the disk has nothing left to do, and ends when the array is closed. So what is
 * measured of `none` is memory and the page cache, and of the others the disk as well.
 */
#include "job.h"

#include "../compare/workloads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_SHARE = 20 }; // a commit for so much of the array: 5 %

static const struct player players[] = {
    {"none", TESS_DURABILITY_NONE, TESS_CHECKSUMS_NONE, false},
    {"checksums", TESS_DURABILITY_NONE, TESS_CHECKSUMS_WRITE, true},
    {"ordered", TESS_DURABILITY_ORDERED, TESS_CHECKSUMS_NONE, true},
    {"fsync", TESS_DURABILITY_FSYNC, TESS_CHECKSUMS_NONE, false},
    {"ordered+sums", TESS_DURABILITY_ORDERED, TESS_CHECKSUMS_WRITE, false},
    {"fsync+sums", TESS_DURABILITY_FSYNC, TESS_CHECKSUMS_WRITE, false},
};
enum { NPLAYERS = sizeof players / sizeof players[0] };

struct cost {
    const struct job *job;
    struct field first, second;
    int *order; // of chunks that are overwritten
    tess_params params;
    enum { AT_ONCE, BY_CHUNKS, OVERWRITE } work;
};

static const char *const works[] = {"at once", "5 % each", "overwritten, 5 % each"};

static void
write_chunks(tess_array *a, const struct field *f, const int *order)
{
    const int batch = (f->nchunks + BATCH_SHARE - 1) / BATCH_SHARE;
    tess_error err;

    for (int n = 0; n < f->nchunks; n++) {
        const struct field_chunk *const c = &f->chunks[order ? order[n] : n];
        must(tess_array_write(a, c->start, c->stop, c->items, c->size, &err), &err);
        if ((n + 1) % batch == 0)
            must(tess_array_flush(a, &err), &err);
    }
}

static double
play(void *with, const struct player *p)
{
    const struct cost *const k = with;
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_error err;

    storage_init(&storage, &context, k->job, p);
    storage.mode = TESS_MODE_NEW;
    path_remove(k->job->path);
    if (k->work == OVERWRITE) {
        must(tess_array_from(&storage, &k->params, k->first.items, k->first.size, &a, &err), &err);
        must(tess_array_close(a, &err), &err);
        storage.mode = TESS_MODE_UPDATE;
    }
    sync();
    const double start = bench_now();
    if (k->work == AT_ONCE)
        must(tess_array_from(&storage, &k->params, k->first.items, k->first.size, &a, &err), &err);
    else if (k->work == BY_CHUNKS)
        must(tess_array_uninit(&storage, &k->params, &a, &err), &err);
    else
        must(tess_array_open(&storage, &a, &err), &err);
    if (k->work == BY_CHUNKS)
        write_chunks(a, &k->first, NULL);
    else if (k->work == OVERWRITE)
        write_chunks(a, &k->second, k->order);
    must(tess_array_close(a, &err), &err);
    return bench_now() - start;
}

static void
shuffle(int *order, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++) {
        const int k = (int)bench_random_below(&seed, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
}

static void
play_codec(struct cost *k, const char *codec)
{
    static const char *const layouts[] = {"file", "directory"};
    char cell[80];
    struct contest c = {.part = "cost",
                        .cell = cell,
                        .players = players,
                        .nplayers = NPLAYERS,
                        .play = play,
                        .with = k};

    if (k->job->codec && strcmp(codec, k->job->codec) != 0)
        return;
    for (int layout = 0; layout < 2; layout++)
        for (int work = AT_ONCE; work <= OVERWRITE; work++) {
            snprintf(cell, sizeof cell, "%s, %s, %s", codec, layouts[layout], works[work]);
            k->work = work;
            field_params(&k->first, k->job, codec, (tess_layout)layout, &k->params);
            contest_play(k->job, &c);
        }
}

void
cost_play(const struct job *job)
{
    const struct contest shown = {.players = players, .nplayers = NPLAYERS};
    struct cost k = {.job = job};
    char title[200];

    field_init(&k.first, job, job->seed);
    field_init(&k.second, job, job->seed + 1);
    k.order = bench_alloc((size_t)k.first.nchunks * sizeof *k.order);
    shuffle(k.order, k.first.nchunks, job->seed);
    snprintf(title, sizeof title,
             "Writing %.0f MB of floats in %d chunks: durability and checksums against neither; "
             "threads: %d",
             (double)k.first.size / 1e6, k.first.nchunks, job->threads);
    contest_header(&shown, title);
    play_codec(&k, "lz4");
    play_codec(&k, "zstd");
    field_finish(&k.first);
    field_finish(&k.second);
    free(k.order);
}

// Chunks of 16 MiB and more are not put together in memory, but in the file, and read once more
// for their checksum.
struct streams {
    const struct job *job;
    const void *items;
    size_t size;
    tess_params params;
    bool in_memory;
};

static double
play_stream(void *with, const struct player *p)
{
    const struct streams *const s = with;
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_error err;

    storage_init(&storage, &context, s->job, p);
    storage.mode = TESS_MODE_NEW;
    if (s->in_memory)
        storage.path = NULL;
    path_remove(s->job->path);
    sync();
    const double start = bench_now();
    must(tess_array_from(&storage, &s->params, s->items, s->size, &a, &err), &err);
    must(tess_array_close(a, &err), &err);
    return bench_now() - start;
}

void
streams_play(const struct job *job)
{
    static const struct player both[] = {
        {"none", TESS_DURABILITY_NONE, TESS_CHECKSUMS_NONE, false},
        {"checksums", TESS_DURABILITY_NONE, TESS_CHECKSUMS_WRITE, true},
    };
    static const char *const homes[] = {"file", "directory", "memory"};
    enum { SIZE = 128 << 20, ITEM = 4, BLOCK = 128 << 10 };
    float *const waves = bench_alloc(SIZE);
    uint8_t *const noise = bench_alloc(SIZE);
    const struct side_array like = {
        .ndim = NDIM, .shape = {128, 512, 512}, .typesize = ITEM, .dtype = "<f4"};
    char cell[80];
    struct streams s = {.job = job, .size = SIZE};
    const struct contest c = {.part = "streams",
                              .cell = cell,
                              .players = both,
                              .nplayers = 2,
                              .play = play_stream,
                              .with = &s};
    uint64_t state = job->seed;

    workload_fill(&like, job->seed, waves);
    for (size_t i = 0; i < SIZE; i++)
        noise[i] = (uint8_t)bench_random(&state);
    contest_header(&c, "Writing 128 MiB of floats; chunks of 32 MiB are written in pieces");
    for (int home = 0; home < 3; home++)
        for (int streamed = 0; streamed < 2; streamed++)
            for (int noisy = 0; noisy < 2; noisy++) {
                snprintf(cell, sizeof cell, "%s, chunks of %d MiB, %s", homes[home],
                         streamed ? 32 : 8, noisy ? "noise" : "waves");
                s.items = noisy ? noise : (const void *)waves;
                s.in_memory = home == 2;
                tess_params_init(&s.params);
                s.params.dtype = "<f4";
                s.params.ndim = 1;
                s.params.shape[0] = SIZE / ITEM;
                s.params.chunkshape[0] = (streamed ? 32 << 20 : 8 << 20) / ITEM;
                s.params.blockshape[0] = BLOCK / ITEM;
                s.params.clevel = job->level;
                s.params.layout = home == 1 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
                contest_play(job, &c);
            }
    free(waves);
    free(noise);
}
