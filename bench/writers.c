/*
 * writers.c - two threads that write to one array, compared with two processes with a file each.
 *
 * An array of 64 MiB is written tile after tile: whole chunks, quarters of chunks, tiles that are
 * not aligned with anything, or bands of rows. The threads share one handle, and each has a half of
 * the array, or every other tile; each call works on its own thread alone. The processes have a
 * half each, as an array of its own, so nothing is shared. Rounds alternate between the two;
 * `speed` is the median of the ratios. The last commit counts. CSV. See --help.
 */
#include "support.h"

#include <tessera.h>

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIDE = 4096, CHUNK = 512, ROUNDS = 9, WRITERS = 2 };

struct work {
    const char *name;
    int64_t tile[2];
};
static const struct work works[] = {
    {"chunks", {CHUNK, CHUNK}},   {"quarters", {CHUNK / 2, CHUNK / 2}},
    {"tiles of 200", {200, 200}}, {"8 rows", {8, SIDE}},
    {"1 row", {1, SIDE}},
};
enum { WORKS = sizeof works / sizeof *works };

static float *field; // SIDE rows

static void
check(tess_status st, const tess_error *err)
{
    if (st != TESS_OK)
        bench_die("%s", err->message);
}

static tess_array *
create(const char *path, int64_t rows)
{
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    tess_error err;
    tess_context_init(&context);
    context.threads = 1;
    tess_storage_init(&storage);
    storage.context = &context;
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F32;
    params.ndim = 2;
    params.shape[0] = rows;
    params.shape[1] = SIDE;
    params.chunkshape[0] = params.chunkshape[1] = CHUNK;
    check(tess_array_zeros(&storage, &params, &a, &err), &err);
    return a;
}

// Tiles of the rows [first, stop) whose number modulo `of` is `which`.
struct writer {
    pthread_t thread;
    tess_array *a;
    const struct work *work;
    int64_t first, stop, which, of;
    bool closes;
};

static void *
write_tiles(void *arg)
{
    const struct writer *const w = arg;
    const int64_t *const tile = w->work->tile;
    float *const items = malloc((size_t)(tile[0] * tile[1]) * sizeof *items);
    int64_t n = 0;
    tess_error err;
    for (int64_t i = w->first; i < w->stop; i += tile[0])
        for (int64_t j = 0; j < SIDE; j += tile[1]) {
            const int64_t start[2] = {i, j};
            const int64_t stop[2] = {i + tile[0] < w->stop ? i + tile[0] : w->stop,
                                     j + tile[1] < SIDE ? j + tile[1] : SIDE};
            const int64_t width = stop[1] - j;
            if (n++ % w->of != w->which)
                continue;
            for (int64_t k = i; k < stop[0]; k++)
                memcpy(items + (k - i) * width, field + k * SIDE + j,
                       (size_t)width * sizeof *items);
            check(tess_array_write(w->a, start, stop, items,
                                   (size_t)((stop[0] - i) * width) * sizeof *items, &err),
                  &err);
        }
    free(items);
    if (w->closes)
        check(tess_array_close(w->a, &err), &err);
    return NULL;
}

static double
by_threads(const struct work *work, bool halves, const char *path)
{
    struct writer writers[WRITERS];
    tess_error err;
    const double begin = bench_now();
    tess_array *const a = create(path, SIDE);
    for (int k = 0; k < WRITERS; k++) {
        writers[k] = (struct writer){.a = a, .work = work, .stop = SIDE, .which = k, .of = WRITERS};
        if (halves) {
            writers[k].first = k * (SIDE / WRITERS);
            writers[k].stop = (k + 1) * (SIDE / WRITERS);
            writers[k].which = 0;
            writers[k].of = 1;
        }
        if (pthread_create(&writers[k].thread, NULL, write_tiles, &writers[k]) != 0)
            bench_die("no thread");
    }
    for (int k = 0; k < WRITERS; k++)
        pthread_join(writers[k].thread, NULL);
    check(tess_array_close(a, &err), &err);
    return bench_now() - begin;
}

// A half of the rows, to a file of its own.
static void
write_file(const struct work *work, const char *path, int k)
{
    char own[4096];
    snprintf(own, sizeof own, "%s.%d", path, k);
    struct writer writer = {.a = create(own, SIDE / WRITERS),
                            .work = work,
                            .stop = SIDE / WRITERS,
                            .of = 1,
                            .closes = true};
    write_tiles(&writer);
}

// From the moment that all processes are there to the end of the last one.
static double
by_processes(const struct work *work, const char *path)
{
    pid_t children[WRITERS];
    int ready[2], go[2];
    char byte = 0;
    if (pipe(ready) != 0 || pipe(go) != 0)
        bench_die("no pipe");
    for (int k = 0; k < WRITERS; k++) {
        children[k] = fork();
        if (children[k] < 0)
            bench_die("no process");
        if (children[k] == 0) {
            close(go[1]);
            if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 0)
                bench_die("no start");
            write_file(work, path, k);
            _exit(0);
        }
    }
    for (int k = 0; k < WRITERS; k++)
        if (read(ready[0], &byte, 1) != 1)
            bench_die("no process");
    const double begin = bench_now();
    close(go[1]);
    for (int k = 0; k < WRITERS; k++) {
        int status;
        if (waitpid(children[k], &status, 0) != children[k] || status != 0)
            bench_die("a process failed");
    }
    const double seconds = bench_now() - begin;
    close(go[0]);
    close(ready[0]);
    close(ready[1]);
    return seconds;
}

static void
measure(const struct work *work, bool halves, const char *path)
{
    struct bench_times threads = {.n = 0}, processes = {.n = 0}, speeds = {.n = 0};
    for (int i = -1; i < ROUNDS; i++) {
        const double t = by_threads(work, halves, path), p = by_processes(work, path);
        if (i < 0)
            continue;
        bench_times_add(&threads, t);
        bench_times_add(&processes, p);
        bench_times_add(&speeds, p / t);
    }
    bench_csv_machine(stdout);
    printf("%s,%s,%.4f,%.4f,%.2f\n", work->name, halves ? "halves" : "by turns",
           bench_times_median(&threads), bench_times_median(&processes),
           bench_times_median(&speeds));
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        puts("usage: writers PATH [NAME]\nPATH is written over, and PATH.0, PATH.1. CSV: machine, "
             "what is written, by whom, seconds of two threads and of two processes, speed");
        return argc < 2;
    }
    field = bench_alloc((size_t)SIDE * SIDE * sizeof *field);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++)
            field[i * SIDE + j] = roundf((
                float)(sin((double)i * 0.01) * cos((double)j * 0.013) * 1e4 + (double)(i * j % 7)));
    puts("cpu,compiler,commit,tiles,division,threads_s,processes_s,speed");
    for (int k = 0; k < WORKS; k++)
        for (int halves = 1; halves >= 0; halves--)
            if (argc < 3 || strcmp(argv[2], works[k].name) == 0)
                measure(&works[k], halves, argv[1]);
    free(field);
    return 0;
}
