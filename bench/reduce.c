/*
 * reduce.c - what do reductions along axes cost, compared with reading the array?
 *
 * Cubes and time series of numbers in memory, and an image of interleaved colours; each is read as
 * a whole into memory that was used before, and reduced along each of some lists of axes, or
 * downsampled, in turn; CSV of medians. `speed` is the time of reading divided by that of the
 * reduction: 1 means as fast as reading. `limit`: the same of reading and then writing the result,
 * which nothing is computed for. See --help.
 */
#include "support.h"

#include <tessera.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 };

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

// -- the array

struct subject {
    tess_array *a;
    const char *dtype;
    int64_t shape[3];
    size_t size;
    void *items;
};

// Smooth, with noise in the last digits, as measured fields are.
static double
value_at(const int64_t *shape, int64_t k, uint64_t *seed)
{
    const double x = (double)(k % shape[2]), y = (double)(k / shape[2] % shape[1]),
                 z = (double)(k / shape[2] / shape[1]);
    return 100 * sin(x / 40) * cos(y / 60) + z / 8 + (double)bench_random_below(seed, 100) / 100;
}

static void
subject_make(struct subject *s, const char *dtype, const int64_t *shape, const int64_t *chunk,
             int threads, uint64_t seed)
{
    const tess_dtype type = tess_dtype_parse(dtype);
    const int64_t n = shape[0] * shape[1] * shape[2];
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_error err;

    *s = (struct subject){.dtype = dtype, .size = (size_t)(n * type.size)};
    s->items = malloc(s->size);
    if (!s->items)
        bench_die("no memory");
    for (int64_t k = 0; k < n; k++) {
        const double x = value_at(shape, k, &seed);
        if (type.kind == TESS_KIND_FLOAT && type.size == 4)
            ((float *)s->items)[k] = (float)x;
        else if (type.kind == TESS_KIND_FLOAT)
            ((double *)s->items)[k] = x;
        else if (type.size == 1)
            ((uint8_t *)s->items)[k] = (uint8_t)((int64_t)x & 255);
        else if (type.size == 2)
            ((int16_t *)s->items)[k] = (int16_t)(x * 10);
        else
            ((int32_t *)s->items)[k] = (int32_t)(x * 100);
    }
    tess_context_init(&context);
    context.threads = threads;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = dtype;
    params.ndim = 3;
    for (int i = 0; i < 3; i++) {
        s->shape[i] = params.shape[i] = shape[i];
        params.chunkshape[i] = chunk ? chunk[i] : 0;
    }
    must(tess_array_from(&storage, &params, s->items, s->size, &s->a, &err), &err);
}

static void
subject_free(struct subject *s)
{
    tess_array_discard(s->a);
    free(s->items);
}

// -- what is measured

static double
read_all(const struct subject *s)
{
    const int64_t zeros[3] = {0};
    tess_error err;
    const double start = bench_now();
    must(tess_array_read(s->a, zeros, s->shape, s->items, s->size, &err), &err);
    return bench_now() - start;
}

struct operation {
    const char *name;
    tess_reduction op;
    int naxes;
    int axes[3];
    bool skip_nan;
    int64_t factors[3]; // not 0: downsampled by them
    tess_downsampling down;
};

// The time to make an array of the items of another one.
static double
write_again(const tess_array *a, int threads)
{
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *out;
    tess_error err;
    tess_info info;
    tess_array_info(a, &info);
    const size_t size = (size_t)(info.nitems * info.typesize);
    void *const items = malloc(size);
    if (!items)
        bench_die("no memory");
    must(tess_array_read(a, zeros, info.shape, items, size, &err), &err);
    tess_array_params(a, &params);
    tess_context_init(&context);
    context.threads = threads;
    tess_storage_init(&storage);
    storage.context = &context;
    const double start = bench_now();
    must(tess_array_from(&storage, &params, items, size, &out, &err), &err);
    const double t = bench_now() - start;
    tess_array_discard(out);
    free(items);
    return t;
}

// *write: what writing the result alone takes.
static double
reduce(const struct subject *s, const struct operation *o, int threads, double *write)
{
    tess_reduce_options options;
    tess_storage storage;
    tess_context context;
    tess_array *out;
    tess_error err;
    tess_reduce_options_init(&options);
    options.skip_nan = o->skip_nan;
    tess_context_init(&context);
    context.threads = threads;
    tess_storage_init(&storage);
    storage.context = &context;
    const double start = bench_now();
    if (o->factors[0] > 0)
        must(tess_array_downsample(s->a, o->down, o->factors, NULL, &storage, NULL, &out, &err),
             &err);
    else
        must(
            tess_array_reduce(s->a, o->op, o->axes, o->naxes, &options, &storage, NULL, &out, &err),
            &err);
    const double t = bench_now() - start;
    *write = write_again(out, threads);
    tess_array_discard(out);
    return t;
}

static const struct operation operations[] = {
    {"sum all", TESS_REDUCE_SUM, 3, {0, 1, 2}, false, {0}, 0},
    {"sum 0", TESS_REDUCE_SUM, 1, {0}, false, {0}, 0},
    {"sum 1", TESS_REDUCE_SUM, 1, {1}, false, {0}, 0},
    {"sum 2", TESS_REDUCE_SUM, 1, {2}, false, {0}, 0},
    {"nan-mean 0", TESS_REDUCE_MEAN, 1, {0}, true, {0}, 0},
    {"mean 1 2", TESS_REDUCE_MEAN, 2, {1, 2}, false, {0}, 0},
    {"min 0", TESS_REDUCE_MIN, 1, {0}, false, {0}, 0},
    {"max all", TESS_REDUCE_MAX, 3, {0, 1, 2}, false, {0}, 0},
    {"var 0", TESS_REDUCE_VAR, 1, {0}, false, {0}, 0},
    {"var all", TESS_REDUCE_VAR, 3, {0, 1, 2}, false, {0}, 0},
    {"any 2", TESS_REDUCE_ANY, 1, {2}, false, {0}, 0},
    {.name = "mean by 2", .factors = {2, 2, 2}, .down = TESS_DOWNSAMPLE_MEAN},
    {.name = "mean by 4", .factors = {4, 4, 4}, .down = TESS_DOWNSAMPLE_MEAN},
    {.name = "max by 2", .factors = {2, 2, 2}, .down = TESS_DOWNSAMPLE_MAX},
    {.name = "max by 3", .factors = {3, 3, 3}, .down = TESS_DOWNSAMPLE_MAX},
    {.name = "nearest by 2", .factors = {2, 2, 2}, .down = TESS_DOWNSAMPLE_NEAREST},
    {.name = "mode by 2", .factors = {2, 2, 2}, .down = TESS_DOWNSAMPLE_MODE},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static const struct operation on_colours[] = {
    {.name = "mean by 2 2 1", .factors = {2, 2, 1}, .down = TESS_DOWNSAMPLE_MEAN},
    {.name = "max by 2 2 1", .factors = {2, 2, 1}, .down = TESS_DOWNSAMPLE_MAX},
};
enum { ON_COLOURS = sizeof on_colours / sizeof *on_colours };

static void
measure(const struct subject *s, const char *layout, int threads, const char *only,
        const struct operation *o, int noperations)
{
    for (const struct operation *const end = o + noperations; o < end; o++) {
        if (only && !strstr(o->name, only))
            continue;
        struct bench_times reads = {.n = 0}, times = {.n = 0}, speeds = {.n = 0}, limits = {.n = 0};
        for (int i = -1; i < ROUNDS; i++) {
            double write;
            const double read = read_all(s), t = reduce(s, o, threads, &write);
            if (i < 0)
                continue;
            bench_times_add(&reads, read);
            bench_times_add(&times, t);
            bench_times_add(&speeds, read / t);
            bench_times_add(&limits, read / (read + write));
        }
        const double size = (double)s->size / 1e9;
        bench_csv_machine(stdout);
        printf("%s,%s,%d,%s,%.2f,%.2f,%.2f,%.2f\n", layout, s->dtype, threads, o->name,
               size / bench_times_median(&reads), size / bench_times_median(&times),
               bench_times_median(&speeds), bench_times_median(&limits));
        fflush(stdout);
    }
}

int
main(int argc, char **argv)
{
    static const char *const dtypes[] = {"<f4", "<f8", "<i2", "|u1", "<i4"};
    static const int64_t cube[3] = {400, 400, 400}, series[3] = {400, 400, 400};
    static const int64_t steps[3] = {1, 400, 400};
    static const int64_t image[3] = {4000, 6000, 3}, tile[3] = {256, 256, 3};
    const char *const only = argc > 2 ? argv[2] : NULL;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        puts("usage: reduce [DTYPE [PART OF AN OPERATION'S NAME]]\nCSV: machine, layout, type, "
             "threads, operation, GB/s of reading, GB/s "
             "of the reduction, speed, limit");
        return 0;
    }
    puts("cpu,compiler,commit,layout,dtype,threads,operation,read_gbs,reduce_gbs,speed,limit");
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        const bool wanted = argc < 2 || strcmp(argv[1], dtypes[d]) == 0;
        for (int threads = 1; threads <= 2 && wanted; threads++)
            for (int layout = 0; layout < 2; layout++) {
                struct subject s;
                subject_make(&s, dtypes[d], layout == 0 ? cube : series, layout == 0 ? NULL : steps,
                             threads, 1);
                measure(&s, layout == 0 ? "automatic" : "steps", threads, only, operations,
                        OPERATIONS);
                subject_free(&s);
            }
        for (int threads = 1; threads <= 2 && wanted && strcmp(dtypes[d], "|u1") == 0; threads++) {
            struct subject s;
            subject_make(&s, dtypes[d], image, tile, threads, 1);
            measure(&s, "colours", threads, only, on_colours, ON_COLOURS);
            subject_free(&s);
        }
    }
    return 0;
}
