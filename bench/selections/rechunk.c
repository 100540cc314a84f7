/*
 * rechunk.c - how long does a copy to other chunks take, and how much memory and reading?
 *
 * Each copy is made by a process of its own. Memory is the peak of its resident pages (VmHWM) less
 * those at its start; bytes read are what the kernel counted for it (rchar of /proc/self/io), from
 * both files; what the destination reads of itself is little. Files may be in the page cache: what
 * is measured is the work, not the disk. The last row is the same by hand, a row of
 * chunks of the destination after the other.
 *
 * Blocks are slabs of 128 rows of a plane. With 2 GiB, those at the same place in all planes have
 * 256 MiB, and cover four rows of chunks: with less memory than that, blocks are decoded several
 * times.
 */
#include "rechunk.h"

#include "../compare/side.h"
#include "../compare/workloads.h"
#include "../support.h"
#include "hand.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIDE 1024 // items of a plane along each of its axes
#define PLANES 8 // that are made at once
#define PROBES 50
#define PROBE 20

struct rechunk {
    struct side_array planes, columns;
    char source[600], target[600];
    uint64_t seed;
    FILE *csv;
};

static void
arrays_init(struct rechunk *r, int64_t gib, int threads, int codec, int level)
{
    const int64_t n = gib * 1024 / (SIDE * SIDE * 4 / (1024 * 1024));
    struct side_array *const from = &r->planes, *const to = &r->columns;

    *from = (struct side_array){.ndim = NDIM,
                                .shape = {n, SIDE, SIDE},
                                .chunk = {1, SIDE, SIDE},
                                .block = {1, 128, SIDE},
                                .typesize = 4,
                                .dtype = "<f4",
                                .codec = codec,
                                .level = level,
                                .filter = TESS_FILTER_SHUFFLE,
                                .threads = threads,
                                .cache = true,
                                .path = r->source};
    *to = *from;
    to->chunk[0] = n < 512 ? n : 512;
    to->chunk[1] = 32;
    to->chunk[2] = 64;
    to->block[0] = 64;
    to->block[1] = to->block[2] = 16;
    to->path = r->target;
}

// Planes from a seed of their own, some at a time.
static void
make_source(const struct rechunk *r)
{
    struct side_array some = r->planes;
    void *const a = side_tessera.create(&r->planes, NULL, 0);
    float *const items = bench_alloc((size_t)PLANES * SIDE * SIDE * sizeof *items);
    int64_t lo[NDIM] = {0}, hi[NDIM] = {0, SIDE, SIDE};

    some.shape[0] = PLANES;
    for (; lo[0] < r->planes.shape[0]; lo[0] += PLANES) {
        hi[0] = lo[0] + PLANES;
        workload_fill(&some, r->seed + (uint64_t)lo[0], items);
        hand_write(a, lo, hi, items);
    }
    side_tessera.close(a);
    free(items);
}

// A number of this process as the kernel tells it: the field of a file in /proc/self.
static int64_t
kernel_number(const char *file, const char *field)
{
    FILE *const f = fopen(file, "r");
    const size_t length = strlen(field);
    int64_t n = -1;
    char line[256];

    while (f && n < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, field, length) == 0 && line[length] == ':')
            n = atoll(line + length + 1);
    if (f)
        fclose(f);
    if (n < 0)
        bench_die("%s: no %s", file, field);
    return n;
}

static int64_t
file_size(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        bench_die("%s: is not there", path);
    return st.st_size;
}

static void
copy(const struct rechunk *r, tess_array *from, int64_t memory)
{
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_error err;

    tess_context_init(&context);
    context.threads = r->columns.threads;
    context.memory = memory;
    tess_storage_init(&storage);
    storage.path = r->target;
    storage.mode = TESS_MODE_REPLACE;
    storage.durability = TESS_DURABILITY_NONE;
    storage.context = &context;
    tess_array_params(from, &params);
    memcpy(params.chunkshape, r->columns.chunk, sizeof r->columns.chunk);
    memcpy(params.blockshape, r->columns.block, sizeof r->columns.block);
    must(tess_array_copy(from, &storage, &params, NULL, &err), &err);
}

static void
copy_by_hand(const struct rechunk *r, const tess_array *from)
{
    const int64_t *const chunk = r->columns.chunk;
    float *const items = malloc((size_t)(chunk[0] * chunk[1] * SIDE) * sizeof *items);
    void *const to = side_tessera.create(&r->columns, NULL, 0);
    int64_t lo[NDIM] = {0}, hi[NDIM] = {0, 0, SIDE};

    if (!items)
        bench_die("no memory for a row of chunks");
    for (; lo[0] < r->columns.shape[0]; lo[0] = hi[0]) {
        hi[0] = lo[0] + chunk[0] < r->columns.shape[0] ? lo[0] + chunk[0] : r->columns.shape[0];
        for (lo[1] = 0; lo[1] < SIDE; lo[1] += chunk[1]) {
            hi[1] = lo[1] + chunk[1];
            hand_read(from, lo, hi, items);
            hand_write(to, lo, hi, items);
        }
    }
    side_tessera.close(to);
    free(items);
}

// Some boxes of both, anywhere.
static void
compare(const struct rechunk *r, const void *from)
{
    void *const to = side_tessera.open(&r->columns, NULL);
    float a[PROBE * PROBE * PROBE], b[PROBE * PROBE * PROBE];
    uint64_t state = r->seed;

    for (int k = 0; k < PROBES; k++) {
        int64_t lo[NDIM], hi[NDIM];
        for (int i = 0; i < NDIM; i++) {
            lo[i] = bench_random_below(&state, r->planes.shape[i] - PROBE);
            hi[i] = lo[i] + PROBE;
        }
        hand_read(from, lo, hi, a);
        hand_read(to, lo, hi, b);
        if (memcmp(a, b, sizeof a) != 0)
            bench_die("the copy has other items than the array");
    }
    side_tessera.close(to);
}

static void
measure(const struct rechunk *r, int64_t memory)
{
    const int64_t peak = kernel_number("/proc/self/status", "VmHWM");
    const int64_t read = kernel_number("/proc/self/io", "rchar");
    const double start = bench_now();
    void *const from = side_tessera.open(&r->planes, NULL);
    char name[32];

    if (memory)
        copy(r, from, memory);
    else
        copy_by_hand(r, from);
    const double seconds = bench_now() - start;
    const int64_t taken = (kernel_number("/proc/self/status", "VmHWM") - peak) * 1024;
    const int64_t bytes = kernel_number("/proc/self/io", "rchar") - read;
    const double size = (double)array_size(&r->planes), stored = (double)file_size(r->source);
    snprintf(name, sizeof name, "%" PRId64 " MiB", memory >> 20);
    compare(r, from);
    side_tessera.close(from);
    printf("%-10s %9.2f %9.1f %13.1f %14.1f %8.3f\n", memory ? name : "by hand", seconds,
           size / seconds / 1e6, (double)taken / (1 << 20), (double)bytes / (1 << 20),
           (double)bytes / stored);
    if (r->csv) {
        bench_csv_machine(r->csv);
        fprintf(r->csv, "%d,%.0f,%.0f,%" PRId64 ",%.3f,%" PRId64 ",%" PRId64 "\n",
                r->planes.threads, size, stored, memory, seconds, taken, bytes);
    }
}

// In a process that has done nothing else: make the source if memory is negative, else measure.
static void
apart(const struct rechunk *r, int64_t memory)
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child < 0)
        bench_die("no process");
    if (child == 0) {
        if (memory < 0)
            make_source(r);
        else
            measure(r, memory);
        fflush(NULL);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0) {
        unlink(r->source);
        unlink(r->target);
        bench_die("a process failed");
    }
    if (memory >= 0)
        unlink(r->target);
}

void
rechunk_play(int64_t gib, int threads, int codec, int level, const char *dir, uint64_t seed,
             FILE *csv)
{
    static const int64_t memories[] = {256, 64, 1024, 0};
    struct rechunk r = {.seed = seed, .csv = csv};

    snprintf(r.source, sizeof r.source, "%s/rechunk-%ld-planes.b2nd", dir, (long)getpid());
    snprintf(r.target, sizeof r.target, "%s/rechunk-%ld-columns.b2nd", dir, (long)getpid());
    arrays_init(&r, gib, threads, codec, level);
    apart(&r, -1);
    printf("%" PRId64 " planes of %d x %d float32, %.1f MiB stored, to chunks of %" PRId64
           " x 32 x 64; "
           "threads: %d\n\n%-10s %9s %9s %13s %14s %8s\n",
           r.planes.shape[0], SIDE, SIDE, (double)file_size(r.source) / (1 << 20),
           r.columns.chunk[0], threads, "memory", "seconds", "MB/s", "peak in MiB", "read in MiB",
           "x file");
    if (csv)
        fputs("cpu,compiler,commit,threads,bytes,stored,memory,seconds,peak,read\n", csv);
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
        apart(&r, memories[i] << 20);
    unlink(r.source);
}
