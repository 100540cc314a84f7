/*
 * defaults.c - what do codec, level, filter and split cost and save on real data?
 *
 *     defaults [-q] FILE... > results.csv
 *
 * Each FILE is a .b2nd file. Its items are stored in memory with the automatic chunks and blocks of
 * each codec, in all combinations of the lists below; -q leaves out the slow levels. Per
 * combination: compressed size per byte, and the time to write all, to read all, and of slices: a
 * plane and a line along each axis, an item, boxes of 10 and 64 items along each axis; one thread,
 * no cache, CPU time, medians. To stderr: geometric means over the files against the first line,
 * which is what an array gets when nothing is said: above 1 is better.
 */
#include "support.h"

#include <tessera.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COMBINATIONS_MAX 80
#define ROUNDS 5
#define BOXES 40 // of each slice and round

enum measure { SIZE, WRITE, READ, SLICES, NMEASURES };

struct combination {
    tess_codec codec;
    const char *name;
    int level;
    tess_filter filter;
    tess_split split;
    double logs[NMEASURES];
};

struct array {
    const char *dtype;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    uint8_t *items, *dst;
    size_t size;
};

static const struct {
    tess_codec codec;
    const char *name;
    int levels[4]; // the first is the quick one
} codecs[] = {
    {TESS_CODEC_LZ4, "lz4", {5, 1, 9, 0}},  {TESS_CODEC_BLOSCLZ, "blosclz", {5, 1, 9, 0}},
    {TESS_CODEC_LZ4HC, "lz4hc", {5, 9, 0}}, {TESS_CODEC_ZSTD, "zstd", {1, 3, 5, 0}},
    {TESS_CODEC_ZLIB, "zlib", {1, 5, 0}},
};

static const struct {
    tess_filter filter;
    const char *name;
} filters[] = {{TESS_FILTER_SHUFFLE, "shuffle"},
               {TESS_FILTER_BITSHUFFLE, "bitshuffle"},
               {TESS_FILTER_NONE, "none"}};

static const struct {
    tess_split split;
    const char *name;
} splits[] = {
    {TESS_SPLIT_AUTO, "auto"}, {TESS_SPLIT_ALWAYS, "always"}, {TESS_SPLIT_NEVER, "never"}};

#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

static double
cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
must(tess_status status, const char *what, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", what, err->message);
}

static int
list_combinations(struct combination *list, bool quick)
{
    int n = 0;

    for (int c = 0; c < COUNT(codecs); c++)
        for (int l = 0; codecs[c].levels[l] > 0 && (!quick || l == 0); l++)
            for (int f = 0; f < COUNT(filters); f++)
                for (int s = 0; s < COUNT(splits); s++) {
                    if (s > 0 && (f > 0 || l > 0))
                        continue; // streams are planes of bytes; one level shows it
                    if (n == COMBINATIONS_MAX)
                        bench_die("more than %d combinations", COMBINATIONS_MAX);
                    list[n++] = (struct combination){.codec = codecs[c].codec,
                                                     .name = codecs[c].name,
                                                     .level = codecs[c].levels[l],
                                                     .filter = filters[f].filter,
                                                     .split = splits[s].split};
                }
    return n;
}

static void
load(const char *path, struct array *a)
{
    static char dtype[64];
    static const int64_t start[TESS_MAX_NDIM];
    tess_storage storage;
    tess_array *stored;
    tess_info info;
    tess_error err;

    tess_storage_init(&storage);
    storage.path = path;
    must(tess_array_open(&storage, &stored, &err), path, &err);
    tess_array_info(stored, &info);
    snprintf(dtype, sizeof dtype, "%s", info.dtype);
    *a = (struct array){.dtype = dtype, .ndim = info.ndim, .size = (size_t)info.typesize};
    for (int i = 0; i < info.ndim; i++) {
        a->shape[i] = info.shape[i];
        a->size *= (size_t)info.shape[i];
    }
    a->items = bench_alloc(a->size);
    a->dst = bench_alloc(a->size);
    must(tess_array_read(stored, start, a->shape, a->items, a->size, &err), path, &err);
    must(tess_array_close(stored, &err), path, &err);
}

// Slice number k: planes, lines, an item, two boxes.
static void
slice_extent(const struct array *a, int k, int64_t *extent)
{
    for (int i = 0; i < a->ndim; i++) {
        const int64_t n = a->shape[i], side = k == 2 * a->ndim + 1 ? 10 : 64;

        if (k < a->ndim)
            extent[i] = i == k ? 1 : n;
        else if (k < 2 * a->ndim)
            extent[i] = i == k - a->ndim ? n : 1;
        else
            extent[i] = k == 2 * a->ndim ? 1 : side < n ? side : n;
    }
}

// Seconds of BOXES slices of each kind, logs added up: each kind counts alike.
static double
time_slices(tess_array *stored, const struct array *a, uint64_t *state)
{
    const int kinds = 2 * a->ndim + 3;
    double logs = 0;

    for (int k = 0; k < kinds; k++) {
        int64_t extent[TESS_MAX_NDIM], start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
        const double begin = cpu_now();
        tess_error err;

        slice_extent(a, k, extent);
        for (int b = 0; b < BOXES; b++) {
            for (int i = 0; i < a->ndim; i++) {
                start[i] = bench_random_below(state, a->shape[i] - extent[i] + 1);
                stop[i] = start[i] + extent[i];
            }
            must(tess_array_read(stored, start, stop, a->dst, a->size, &err), "slices", &err);
        }
        logs += log(cpu_now() - begin);
    }
    return exp(logs / kinds);
}

static void
measure(const struct array *a, const struct combination *c, double *out)
{
    static const int64_t start[TESS_MAX_NDIM];
    static struct bench_times times[NMEASURES];
    uint64_t state = 1;
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_info info;
    tess_error err;

    memset(times, 0, sizeof times);
    tess_context_init(&context);
    context.threads = 1;
    context.cache = 0;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = a->dtype;
    params.ndim = a->ndim;
    memcpy(params.shape, a->shape, sizeof params.shape);
    params.codec = c->codec;
    params.clevel = c->level;
    params.filters[TESS_MAX_FILTERS - 1] = (uint8_t)c->filter;
    params.split = c->split;
    for (int r = 0; r < ROUNDS; r++) {
        tess_array *stored;
        double begin = cpu_now();

        must(tess_array_from(&storage, &params, a->items, a->size, &stored, &err), c->name, &err);
        bench_times_add(&times[WRITE], cpu_now() - begin);
        begin = cpu_now();
        must(tess_array_read(stored, start, a->shape, a->dst, a->size, &err), c->name, &err);
        bench_times_add(&times[READ], cpu_now() - begin);
        if (memcmp(a->items, a->dst, a->size) != 0)
            bench_die("%s level %d: other items come back", c->name, c->level);
        bench_times_add(&times[SLICES], time_slices(stored, a, &state));
        tess_array_info(stored, &info);
        must(tess_array_close(stored, &err), c->name, &err);
    }
    out[SIZE] = (double)info.cbytes / (double)a->size;
    for (int m = WRITE; m < NMEASURES; m++)
        out[m] = bench_times_median(&times[m]);
}

static const char *
filter_name(const struct combination *c)
{
    for (int f = 0; f < COUNT(filters); f++)
        if (filters[f].filter == c->filter)
            return filters[f].name;
    return "";
}

static const char *
split_name(const struct combination *c)
{
    for (int s = 0; s < COUNT(splits); s++)
        if (splits[s].split == c->split)
            return splits[s].name;
    return "";
}

static void
compare(const char *path, struct combination *list, int n)
{
    struct array a;
    double first[NMEASURES] = {0};

    load(path, &a);
    for (int k = 0; k < n; k++) {
        struct combination *const c = &list[k];
        double value[NMEASURES];

        measure(&a, c, value);
        if (k == 0)
            memcpy(first, value, sizeof first);
        for (int m = 0; m < NMEASURES; m++)
            c->logs[m] += log(first[m] / value[m]);
        bench_csv_machine(stdout);
        printf("%s,%s,%d,%s,%s,%.4f,%.6g,%.6g,%.6g\n", path, c->name, c->level, filter_name(c),
               split_name(c), value[SIZE], value[WRITE], value[READ], value[SLICES]);
        fflush(stdout);
    }
    free(a.items);
    free(a.dst);
}

int
main(int argc, char **argv)
{
    static struct combination list[COMBINATIONS_MAX];
    const bool quick = argc > 1 && strcmp(argv[1], "-q") == 0;
    const int first = quick ? 2 : 1, n = list_combinations(list, quick);

    if (argc <= first) {
        fputs("usage: defaults [-q] FILE... > results.csv\n", stderr);
        return 2;
    }
    puts("cpu,compiler,commit,file,codec,level,filter,split,size,write_s,read_s,slices_s");
    for (int i = first; i < argc; i++)
        compare(argv[i], list, n);
    fprintf(stderr, "%-8s %5s %-10s %-6s %6s %6s %6s %6s\n", "codec", "level", "filter", "split",
            "size", "write", "read", "slices");
    for (int k = 0; k < n; k++) {
        const struct combination *const c = &list[k];

        fprintf(stderr, "%-8s %5d %-10s %-6s", c->name, c->level, filter_name(c), split_name(c));
        for (int m = 0; m < NMEASURES; m++)
            fprintf(stderr, " %6.2f", exp(c->logs[m] / (argc - first)));
        fputc('\n', stderr);
    }
    return 0;
}
