/*
 * histogram.c - what do histograms cost, compared with reading the array?
 *
 * A cube of numbers in memory is read as a whole, into memory that was used before, and its items
 * are counted in bins of equal width, in given edges, and in one bin; CSV of medians, in seconds of
 * the processor (all threads), which other programs disturb less than the clock. `speed` is the
 * time of reading divided by that of counting: 1 means as fast as reading. Arguments: threads, side
 * of the cube, bins.
 */
#include "support.h"

#include <tessera.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, WAYS = 3 };

static const char *const ways[WAYS] = {"equal width", "given edges", "one bin"};

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

static double
processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
number_as_double(const tess_number *x)
{
    return x->kind == TESS_KIND_FLOAT ? x->f
           : x->kind == TESS_KIND_INT ? (double)x->i
                                      : (double)x->u;
}

static void
set_item(const tess_dtype *type, void *items, int64_t k, double x)
{
    const int hundredths = (int)lrint(x * 100);
    if (type->kind == TESS_KIND_FLOAT && type->size == 8)
        ((double *)items)[k] = x;
    else if (type->kind == TESS_KIND_FLOAT)
        ((float *)items)[k] = (float)x;
    else if (type->size == 1)
        ((uint8_t *)items)[k] = (uint8_t)(128 + hundredths / 4);
    else if (type->size == 2)
        ((uint16_t *)items)[k] = (uint16_t)(1000 + hundredths);
    else if (type->size == 4)
        ((int32_t *)items)[k] = hundredths;
    else
        ((int64_t *)items)[k] = hundredths;
}

static tess_array *
cube_new(const char *dtype, int threads, int64_t side, const float *field, void *items)
{
    const tess_dtype type = tess_dtype_parse(dtype);
    const int64_t n = side * side * side;
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    for (int64_t k = 0; k < n; k++)
        set_item(&type, items, k, (double)field[k]);
    tess_context_init(&context);
    context.threads = threads;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = dtype;
    params.codec = TESS_CODEC_LZ4;
    params.ndim = 3;
    params.shape[0] = params.shape[1] = params.shape[2] = side;
    must(tess_array_from(&storage, &params, items, (size_t)(n * type.size), &a, &err), &err);
    return a;
}

// From the least to the greatest item, as people ask for them.
static void
make_bins(tess_bins *bins, int way, int64_t nbins, tess_number *edges, const tess_array *a)
{
    tess_statistics of;
    tess_error err;
    must(tess_array_statistics(a, NULL, NULL, &of, &err), &err);
    tess_bins_init(bins);
    bins->lo = number_as_double(&of.min);
    bins->hi = number_as_double(&of.max);
    bins->nbins = way == 2 ? 1 : nbins;
    for (int64_t k = 0; k <= nbins; k++) { // narrower at the lower end
        const double share = (double)k / (double)nbins;
        edges[k] = (tess_number){.kind = TESS_KIND_FLOAT};
        edges[k].f = bins->lo + (bins->hi - bins->lo) * share * share;
    }
    if (way == 1)
        bins->edges = edges;
}

static void
measure(const char *dtype, int threads, int64_t side, int64_t nbins, const float *field,
        void *items)
{
    const int64_t start[3] = {0}, stop[3] = {side, side, side};
    const size_t size = (size_t)(side * side * side) * 8;
    int64_t *const counts = bench_alloc((size_t)nbins * sizeof *counts);
    tess_number *const edges[WAYS] = {bench_alloc((size_t)(nbins + 1) * sizeof **edges),
                                      bench_alloc((size_t)(nbins + 1) * sizeof **edges),
                                      bench_alloc((size_t)(nbins + 1) * sizeof **edges)};
    struct bench_times read = {0}, count[WAYS] = {0};
    tess_array *const a = cube_new(dtype, threads, side, field, items);
    tess_bins bins[WAYS];
    tess_error err;
    for (int way = 0; way < WAYS; way++)
        make_bins(&bins[way], way, nbins, edges[way], a);
    for (int round = 0; round <= ROUNDS; round++) {
        double at[WAYS + 2];
        at[0] = processor_seconds();
        must(tess_array_read(a, start, stop, items, size, &err), &err);
        for (int way = 0; way < WAYS; way++) {
            at[way + 1] = processor_seconds();
            must(tess_array_histogram(a, NULL, NULL, &bins[way], counts,
                                      (size_t)nbins * sizeof *counts, NULL, &err),
                 &err);
        }
        at[WAYS + 1] = processor_seconds();
        if (round == 0)
            continue;
        bench_times_add(&read, at[1] - at[0]);
        for (int way = 0; way < WAYS; way++)
            bench_times_add(&count[way], at[way + 2] - at[way + 1]);
    }
    for (int way = 0; way < WAYS; way++) {
        bench_csv_machine(stdout);
        printf("histogram,%d,%s,%s,%.4f,%.4f,%.3f\n", threads, dtype, ways[way],
               bench_times_median(&count[way]), bench_times_median(&read),
               bench_times_median(&read) / bench_times_median(&count[way]));
        free(edges[way]);
    }
    free(counts);
    tess_array_discard(a);
}

int
main(int argc, char **argv)
{
    static const char *const dtypes[] = {"|u1", "<u2", "<i4", "<f4", "<f8", "<i8"};
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    const int64_t side = argc > 2 ? atoll(argv[2]) : 300;
    const int64_t nbins = argc > 3 ? atoll(argv[3]) : 100;
    float *const field = bench_alloc((size_t)(side * side * side) * sizeof *field);
    void *const items = bench_alloc((size_t)(side * side * side) * 8);
    bench_field(field, side, 1);
    printf("cpu,compiler,commit,program,threads,dtype,bins,seconds,read,speed\n");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        measure(dtypes[i], threads, side, nbins, field, items);
    free(field);
    free(items);
    return 0;
}
