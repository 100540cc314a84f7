/*
 * space.c - how large does a file get when its chunks are overwritten at random, or all at once?
 *
 * Each chunk is noise and then zeros, in shares that let its compressed size vary by 30 %. Half of
 * the overwrites are of whole chunks, half of a part of one. Now and then the array is closed and
 * opened again. With "all", a call overwrites the whole array, as a plane does that touches every
 * chunk, and is committed. Live data is what the chunks have of their own, as stored; index,
 * metalayers and what is free are not.
 */
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MIB (1 << 20)
#define GOAL_SPACE 1.25 // times the live data, and 1 MiB
#define GOAL_ALL 2.1 // where all chunks are overwritten at once
enum { NOISE_PERCENT = 70, LOOKS = 200, ALL = 100 };

struct space {
    const struct job *job;
    struct player player;
    tess_layout layout;
    int64_t nchunks;
    int64_t batch; // overwrites per commit; 0: only where it is closed
    tess_array *a;
    uint64_t state;
    uint8_t *noise, *items; // a chunk each
    uint8_t *all; // all chunks; NULL: they are not overwritten at once
    int64_t *live, sum; // bytes of the chunks, as of the last commit; their sum
    bool *touched; // since then
    int64_t ncommits, most_files;
    double at_commits, ever, closed, last; // largest and last (file - 1 MiB) / live
};

// A share of noise between 70 and 100 %, the rest is zero.
static void
draw(struct space *s, int64_t size)
{
    const int64_t share = NOISE_PERCENT + bench_random_below(&s->state, 101 - NOISE_PERCENT);
    const int64_t noise = size * share / 100;
    const int64_t shift = bench_random_below(&s->state, s->job->chunk);

    for (int64_t i = 0; i < noise; i++)
        s->items[i] = s->noise[(i + shift) % s->job->chunk];
    memset(s->items + noise, 0, (size_t)(size - noise));
}

static void
overwrite(struct space *s, int64_t n, bool part)
{
    const int64_t chunk = s->job->chunk;
    int64_t start = n * chunk, stop = start + chunk;
    tess_error err;

    if (part) {
        const int64_t from = bench_random_below(&s->state, chunk);
        stop = start + from + 1 + bench_random_below(&s->state, chunk - from);
        start += from;
    }
    draw(s, stop - start);
    must(tess_array_write(s->a, &start, &stop, s->items, (size_t)(stop - start), &err), &err);
    s->touched[n] = true;
}

// In one call.
static void
overwrite_all(struct space *s)
{
    const int64_t chunk = s->job->chunk, start = 0, stop = s->nchunks * chunk;
    tess_error err;

    for (int64_t n = 0; n < s->nchunks; n++) {
        draw(s, chunk);
        memcpy(s->all + n * chunk, s->items, (size_t)chunk);
        s->touched[n] = true;
    }
    must(tess_array_write(s->a, &start, &stop, s->all, (size_t)stop, &err), &err);
}

static void
open_array(struct space *s, bool create)
{
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_error err;

    storage_init(&storage, &context, s->job, &s->player);
    storage.mode = create ? TESS_MODE_NEW : TESS_MODE_UPDATE;
    tess_params_init(&params);
    params.ndim = 1;
    params.dtype = "|u1";
    params.shape[0] = s->nchunks * s->job->chunk;
    params.chunkshape[0] = s->job->chunk;
    params.blockshape[0] = (s->job->chunk + 3) / 4;
    params.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_NONE;
    params.layout = s->layout;
    must(create ? tess_array_zeros(&storage, &params, &s->a, &err)
                : tess_array_open(&storage, &s->a, &err),
         &err);
}

// The largest ratio so far: of the file alone, or of all files of a directory.
static void
look(struct space *s, double *most)
{
    int64_t bytes;
    const int64_t files = path_measure(s->job->path, &bytes);

    s->last = (double)(bytes - MIB) / (double)s->sum;
    if (s->last > *most)
        *most = s->last;
    if (files > s->most_files)
        s->most_files = files;
}

static void
flush(struct space *s)
{
    tess_error err;
    tess_chunk_info info;

    must(tess_array_flush(s->a, &err), &err);
    s->ncommits++;
    for (int64_t n = 0; n < s->nchunks; n++)
        if (s->touched[n]) {
            must(tess_array_chunk(s->a, n, &info, &err), &err);
            s->sum += info.cbytes - s->live[n];
            s->live[n] = info.cbytes;
            s->touched[n] = false;
        }
}

// A state after the other of the whole array.
static void
run_all(struct space *s)
{
    const int64_t total = s->job->overwrites / s->nchunks + 1;
    const int64_t life = s->job->reopens > 0 ? (total + s->job->reopens - 1) / s->job->reopens : 0;
    tess_error err;

    path_remove(s->job->path);
    open_array(s, true);
    for (int64_t i = 0; i <= total; i++) {
        overwrite_all(s);
        if (i > 0)
            look(s, &s->ever);
        flush(s);
        look(s, &s->at_commits);
        if (i < total && (life == 0 || i % life > 0))
            continue;
        must(tess_array_close(s->a, &err), &err);
        look(s, &s->closed);
        if (i < total)
            open_array(s, false);
    }
    s->ever = s->at_commits > s->ever ? s->at_commits : s->ever;
}

static void
run(struct space *s)
{
    const int64_t total = s->job->overwrites;
    const int64_t life = s->job->reopens > 0 ? (total + s->job->reopens - 1) / s->job->reopens : 0;
    // Counting the files of a directory takes long.
    const int64_t step = s->layout == TESS_LAYOUT_SPARSE ? (total + LOOKS - 1) / LOOKS : 1;
    bool due = false; // a look at the next commit
    tess_error err;

    path_remove(s->job->path);
    open_array(s, true);
    for (int64_t n = 0; n < s->nchunks; n++)
        overwrite(s, n, false);
    flush(s);
    for (int64_t i = 1; i <= total; i++) {
        const bool ends = i == total || (life > 0 && i % life == 0);
        overwrite(s, bench_random_below(&s->state, s->nchunks), i % 2 == 0);
        if (i % step == 0 || ends) {
            look(s, &s->ever);
            due = true;
        }
        const bool commits = ends || (s->batch > 0 && i % s->batch == 0);
        if (commits)
            flush(s);
        if (ends) {
            must(tess_array_close(s->a, &err), &err);
            look(s, &s->closed);
            if (i < total)
                open_array(s, false);
        }
        if (commits && due) {
            look(s, &s->at_commits);
            due = false;
        }
    }
    if (s->at_commits > s->ever)
        s->ever = s->at_commits;
}

static void
play(struct space *s, const char *cell, const char *level)
{
    const struct job *const job = s->job;
    double seconds = bench_now();

    s->noise = bench_alloc((size_t)job->chunk);
    s->items = bench_alloc((size_t)job->chunk);
    s->all = s->batch == s->nchunks ? bench_alloc((size_t)(s->nchunks * job->chunk)) : NULL;
    s->live = calloc((size_t)s->nchunks, sizeof *s->live);
    s->touched = calloc((size_t)s->nchunks, sizeof *s->touched);
    if (!s->live || !s->touched)
        bench_die("no memory for %" PRId64 " chunks", s->nchunks);
    for (int64_t i = 0; i < job->chunk; i++)
        s->noise[i] = (uint8_t)bench_random(&s->state);
    if (s->all)
        run_all(s);
    else
        run(s);
    seconds = bench_now() - seconds;
    printf("%-32s %-8s %9.1f %9.3f%c %9.3f %9.3f %9.3f %9" PRId64 " %8" PRId64 " %7.1f\n", cell,
           level, (double)s->sum / MIB, s->at_commits,
           s->at_commits > (s->all ? GOAL_ALL : GOAL_SPACE) ? '!' : ' ', s->ever, s->closed,
           s->last, s->most_files, s->ncommits, seconds);
    fflush(stdout);
    job_csv(job, "space", cell, level, 1, "at_commits", s->at_commits);
    job_csv(job, "space", cell, level, 1, "ever", s->ever);
    job_csv(job, "space", cell, level, 1, "closed", s->closed);
    job_csv(job, "space", cell, level, 1, "last", s->last);
    job_csv(job, "space", cell, level, 1, "files", (double)s->most_files);
    free(s->noise);
    free(s->items);
    free(s->all);
    free(s->live);
    free(s->touched);
    path_remove(job->path);
}

void
space_play(const struct job *job)
{
    static const int64_t counts[] = {64, 1000, 10000};
    static const int percents[] = {1, 5, 0, ALL}; // of the chunks, per commit
    static const struct player players[] = {
        {"ordered", TESS_DURABILITY_ORDERED, TESS_CHECKSUMS_WRITE, true},
        {"fsync", TESS_DURABILITY_FSYNC, TESS_CHECKSUMS_WRITE, true},
    };
    char cell[80], each[20];

    printf("\n%" PRId64 " overwrites of chunks of %" PRId64 " KiB and parts of them, %d times "
           "closed:\n(bytes of file or directory - 1 MiB) / live data, at most\n\n"
           "%-32s %-8s %9s %9s  %9s %9s %9s %9s %8s %7s\n",
           job->overwrites, job->chunk >> 10, job->reopens, "", "", "live MiB", "at commit", "ever",
           "closed", "last", "files", "commits", "s");
    for (int layout = 0; layout < 2; layout++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            for (size_t k = 0; k < sizeof percents / sizeof percents[0]; k++)
                for (int p = 0; p < 2; p++) {
                    struct space s = {.job = job,
                                      .player = players[p],
                                      .layout = (tess_layout)layout,
                                      .nchunks = counts[i],
                                      .state = job->seed};
                    if (percents[k] > 0)
                        s.batch = (counts[i] * percents[k] + 99) / 100;
                    snprintf(each, sizeof each,
                             percents[k] == ALL ? "all"
                             : percents[k] > 0  ? "%d %%"
                                                : "at close",
                             percents[k]);
                    snprintf(cell, sizeof cell, "%s, %" PRId64 ", %s",
                             layout ? "directory" : "file", counts[i], each);
                    if (counts[i] <= job->chunks && job_wants(job, cell))
                        play(&s, cell, players[p].name);
                }
}
