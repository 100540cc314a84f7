/*
 * convert.c - what do typed reads and writes cost, compared with those that convert nothing?
 *
 * For each pair of types, a cube of numbers in memory is read as a whole by tess_array_read() and
 * by tess_array_read_as(), and written by tess_array_write() and tess_array_write_as(), in turn,
 * into and from memory that was used before; CSV of medians. `speed`: the time without conversion
 * divided by that with it; 1 means as fast. `same`: the time without conversion of an array that
 * stores the numbers in the type that they have in memory, divided by that with it: what a program
 * gains or loses by storing another type. One thread: CPU time; two: wall time. See --help.
 */
#include "support.h"

#include <tessera.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9 };

struct pair {
    const char *stored, *memory;
    bool scaled; // scale_factor, add_offset and a missing value
};

// Packed variables of climate data, images, weights of models, the other byte order.
static const struct pair pairs[] = {
    {"<i2", "<f4", true},  {"<i2", "<f8", true},       {"<i2", "<f4", false}, {"|u1", "<f4", false},
    {"|u1", "<f4", true},  {"<u2", "<f4", false},      {"<i4", "<f4", false}, {"<i4", "<f8", false},
    {"<i4", "<i8", false}, {"<f4", "<f8", false},      {"<f8", "<f4", false}, {"<f2", "<f4", false},
    {"<f4", "<f2", false}, {"<f4", "bfloat16", false}, {">f4", "<f4", false}, {">i2", "<i2", false},
    {">f8", "<f8", false}, {"|u1", "<u2", false},      {"<f4", "<i2", false},
};

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

// Seconds: of the CPU where one thread works, which neighbours on the machine do not change much.
static double
now(int threads)
{
    struct timespec t;
    if (threads > 1)
        return bench_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
size_of(const char *dtype)
{
    return strcmp(dtype, "bfloat16") == 0 ? 2 : (int)tess_dtype_parse(dtype).size;
}

static tess_array *
make(const char *dtype, int64_t side, int threads)
{
    const int64_t start[3] = {0}, stop[3] = {side, side, side};
    const int64_t n = side * side * side;
    double *const items = bench_alloc((size_t)n * sizeof *items);
    tess_conversion how;
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    uint64_t seed = 7;

    for (int64_t k = 0; k < n; k++) { // smooth, with noise in the last digits, between 0 and 250
        const double x = (double)(k % side), y = (double)(k / side % side);
        items[k] =
            120 + 100 * sin(x / 40) * cos(y / 60) + (double)bench_random_below(&seed, 100) / 100;
    }
    tess_context_init(&context);
    context.threads = threads;
    context.cache = 0;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = dtype;
    params.ndim = 3;
    for (int i = 0; i < 3; i++)
        params.shape[i] = side;
    tess_conversion_init(&how);
    how.misfit = TESS_MISFIT_SATURATE;
    must(tess_array_zeros(&storage, &params, &a, &err), &err);
    must(tess_array_write_as(a, start, stop, TESS_DTYPE_F64, &how, items, (size_t)n * sizeof *items,
                             NULL, &err),
         &err);
    must(tess_array_flush(a, &err), &err);
    free(items);
    return a;
}

struct cell {
    struct bench_times plain, typed, same;
};

static void
print(const struct pair *pair, const char *call, int threads, const struct cell *cell)
{
    const double plain = bench_times_median(&cell->plain), typed = bench_times_median(&cell->typed);
    const double same = bench_times_median(&cell->same);
    bench_csv_machine(stdout);
    printf("%s,%s,%s,%s,%d,%.6f,%.6f,%.3f,%.3f\n", call, pair->stored, pair->memory,
           pair->scaled ? "scaled" : "", threads, plain, typed, plain / typed, same / typed);
}

static void
measure(const struct pair *pair, int64_t side, int threads)
{
    const int64_t start[3] = {0}, stop[3] = {side, side, side};
    const size_t n = (size_t)(side * side * side);
    const size_t stored_size = n * (size_t)size_of(pair->stored);
    const size_t memory_size = n * (size_t)size_of(pair->memory);
    void *const stored = bench_alloc(stored_size), *const memory = bench_alloc(memory_size);
    struct cell read = {0}, write = {0};
    tess_array *const a = make(pair->stored, side, threads);
    tess_array *const other =
        make(strcmp(pair->memory, "bfloat16") == 0 ? "<f2" : pair->memory, side, threads);
    tess_conversion how;
    tess_error err;

    tess_conversion_init(&how);
    how.misfit = TESS_MISFIT_SATURATE;
    if (pair->scaled) {
        how.scale = 0.25;
        how.offset = 10;
        how.nmissing = 1;
        how.missing[0] = (tess_number){.kind = TESS_KIND_INT, .i = 99};
    }
    for (int i = 0; i <= ROUNDS; i++) { // the first one warms up
        double t[7];
        t[0] = now(threads);
        must(tess_array_read(a, start, stop, stored, stored_size, &err), &err);
        t[1] = now(threads);
        must(
            tess_array_read_as(a, start, stop, pair->memory, &how, memory, memory_size, NULL, &err),
            &err);
        t[2] = now(threads);
        must(tess_array_read(other, start, stop, memory, memory_size, &err), &err);
        t[3] = now(threads);
        must(tess_array_write(other, start, stop, memory, memory_size, &err), &err);
        t[4] = now(threads);
        must(tess_array_write_as(a, start, stop, pair->memory, &how, memory, memory_size, NULL,
                                 &err),
             &err);
        t[5] = now(threads);
        must(tess_array_write(a, start, stop, stored, stored_size, &err), &err);
        t[6] = now(threads);
        if (i == 0)
            continue;
        bench_times_add(&read.plain, t[1] - t[0]);
        bench_times_add(&read.typed, t[2] - t[1]);
        bench_times_add(&read.same, t[3] - t[2]);
        bench_times_add(&write.same, t[4] - t[3]);
        bench_times_add(&write.typed, t[5] - t[4]);
        bench_times_add(&write.plain, t[6] - t[5]);
    }
    print(pair, "read_as", threads, &read);
    print(pair, "write_as", threads, &write);
    tess_array_discard(a);
    tess_array_discard(other);
    free(stored);
    free(memory);
}

int
main(int argc, char **argv)
{
    const int64_t side = argc > 1 ? atoll(argv[1]) : 256;

    if (argc > 2 || side < 16 || side > 1000) {
        printf("usage: convert [SIDE]\n\nTyped reads and writes of a cube of SIDE items along each "
               "axis (16 to 1000, default 256), with one thread and with two.\n");
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    printf("cpu,compiler,commit,call,stored,memory,scaled,threads,plain,typed,speed,same\n");
    for (int threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            measure(&pairs[i], side, threads);
    return 0;
}
