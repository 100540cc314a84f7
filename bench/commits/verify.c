/*
 * verify.c - what it costs to compare all that is read with its checksum.
 *
 * The file is in the page cache. A handle is new for each turn, so its cache is empty; opening it
 * is not measured (see ledger.c). Whoever reads a part of a chunk has all of it read for its
 * checksum.
 */
#include "job.h"

#include "../compare/workloads.h"

#include <stdlib.h>
#include <string.h>

static const struct player players[] = {
    {"as it is", TESS_DURABILITY_NONE, TESS_CHECKSUMS_WRITE, false},
    {"verified", TESS_DURABILITY_NONE, TESS_CHECKSUMS_VERIFY, false},
};

static const struct player whole[] = {
    {"as it is", TESS_DURABILITY_NONE, TESS_CHECKSUMS_WRITE, false},
    {"verified", TESS_DURABILITY_NONE, TESS_CHECKSUMS_VERIFY, true},
};

enum home { IN_FILE, IN_DIRECTORY, MAPPED, IN_MEMORY, NHOMES };

struct verify {
    const struct job *job;
    const struct work *work;
    enum home home;
    int threads;
    tess_array *array; // in memory
    void *dst;
    size_t dst_size;
};

static double
play(void *with, const struct player *p)
{
    const struct verify *const v = with;
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_error err;

    storage_init(&storage, &context, v->job, p);
    context.threads = v->threads;
    storage.mmap = v->home == MAPPED;
    if (v->home == IN_MEMORY) {
        storage.path = NULL;
        must(tess_array_image(v->array, &storage.image, &storage.image_size, &err), &err);
    }
    must(tess_array_open(&storage, &a, &err), &err);
    const double start = bench_now();
    for (int i = 0; i < v->work->nboxes; i++) {
        const struct side_box *const box = &v->work->boxes[i];
        must(tess_array_read(a, box->start, box->stop, v->dst, v->dst_size, &err), &err);
    }
    const double seconds = bench_now() - start;
    tess_array_discard(a);
    return seconds;
}

// The array, where the cells of a home look for it.
static void
make(struct verify *v, const struct field *f, const char *codec)
{
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_error err;

    path_remove(v->job->path);
    storage_init(&storage, &context, v->job, &players[0]);
    storage.mode = TESS_MODE_NEW;
    field_params(f, v->job, codec,
                 v->home == IN_DIRECTORY ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS, &params);
    if (v->home == IN_MEMORY)
        storage.path = NULL;
    must(tess_array_from(&storage, &params, f->items, f->size, &v->array, &err), &err);
    if (v->home == IN_MEMORY)
        return;
    must(tess_array_close(v->array, &err), &err);
    v->array = NULL;
}

static void
play_home(struct verify *v, const struct works *works, const char *codec)
{
    static const char *const homes[NHOMES] = {"file", "directory", "mapped file", "memory"};
    char cell[80];
    struct contest c = {.part = "verify", .cell = cell, .nplayers = 2, .play = play, .with = v};

    for (int i = 0; i < works->n; i++)
        for (v->threads = 1; v->threads <= 2; v->threads++) {
            v->work = &works->list[i];
            if (v->work->kind != WORK_READ)
                continue;
            c.players = strcmp(v->work->name, "read") == 0 ? whole : players;
            snprintf(cell, sizeof cell, "%s, %s, %s, %d", codec, homes[v->home], v->work->name,
                     v->threads);
            contest_play(v->job, &c);
        }
}

void
verify_play(const struct job *job)
{
    static const char *const codecs[] = {"lz4", "zstd"};
    const struct contest shown = {.players = whole, .nplayers = 2};
    struct works works;
    struct field f;
    struct verify v = {.job = job};
    char title[200];

    field_init(&f, job, job->seed);
    works_init(&works, &f.array, job->seed);
    v.dst = bench_alloc(f.size);
    v.dst_size = f.size;
    snprintf(
        title, sizeof title,
        "Reading an array of %.0f MB in %d chunks, with checksums compared; the number is that "
        "of threads",
        (double)f.size / 1e6, f.nchunks);
    contest_header(&shown, title);
    for (int i = 0; i < 2; i++)
        for (v.home = IN_FILE; v.home < NHOMES; v.home++) {
            if (job->codec && strcmp(codecs[i], job->codec) != 0)
                continue;
            make(&v, &f, codecs[i]);
            play_home(&v, &works, codecs[i]);
            tess_array_discard(v.array);
            v.array = NULL;
        }
    works_finish(&works);
    field_finish(&f);
    free(v.dst);
}
