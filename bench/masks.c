/*
 * masks.c - what do comparisons into masks cost, compared with reading the array?
 *
 * A cube of numbers in memory is read as a whole, into memory that was used before, and compared
 * with a number and with another array, in turn; CSV of medians. `speed` is the time of reading
 * what is compared divided by that of the comparison: 1 means as fast as reading. Arguments:
 * threads, side of the cube.
 */
#include "support.h"

#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7 };

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
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
    for (int64_t k = 0; k < n; k++) {
        const float x = field[k];
        if (type.kind == TESS_KIND_FLOAT && type.size == 8)
            ((double *)items)[k] = x;
        else if (type.kind == TESS_KIND_FLOAT)
            ((float *)items)[k] = x;
        else if (type.size == 2)
            ((int16_t *)items)[k] = (int16_t)(x * 100);
        else
            ((int32_t *)items)[k] = (int32_t)(x * 100);
    }
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

static void
measure(const char *dtype, int threads, int64_t side, const float *field, void *items)
{
    static const char *const names[] = {"a < 0", "0 <= a <= 1", "a < a"};
    const int64_t start[3] = {0}, stop[3] = {side, side, side};
    const size_t size = (size_t)(side * side * side) * 8;
    const tess_number zero = {.kind = TESS_KIND_INT}, one = {.kind = TESS_KIND_INT, .i = 1};
    struct bench_times read = {0}, compare[3] = {0};
    tess_array *const a = cube_new(dtype, threads, side, field, items), *mask;
    tess_storage storage;
    tess_error err;
    tess_storage_init(&storage);
    for (int round = 0; round <= ROUNDS; round++) {
        double at[5];
        at[0] = bench_now();
        must(tess_array_read(a, start, stop, items, size, &err), &err);
        for (int k = 0; k < 3; k++) {
            at[k + 1] = bench_now();
            must(k == 0 ? tess_array_compare(a, TESS_COMPARE_LT, &zero, &storage, NULL, &mask, &err)
                 : k == 1 ? tess_array_between(a, &zero, &one, &storage, NULL, &mask, &err)
                          : tess_array_compare_arrays(a, TESS_COMPARE_LT, a, &storage, NULL, &mask,
                                                      &err),
                 &err);
            tess_array_discard(mask);
        }
        at[4] = bench_now();
        if (round == 0)
            continue;
        bench_times_add(&read, at[1] - at[0]);
        for (int k = 0; k < 3; k++)
            bench_times_add(&compare[k], at[k + 2] - at[k + 1]);
    }
    for (int k = 0; k < 3; k++) {
        const double arrays = k == 2 ? 2 : 1;
        bench_csv_machine(stdout);
        printf("masks,%d,%s,%s,%.4f,%.4f,%.3f\n", threads, dtype, names[k],
               bench_times_median(&compare[k]), bench_times_median(&read),
               arrays * bench_times_median(&read) / bench_times_median(&compare[k]));
    }
    tess_array_discard(a);
}

int
main(int argc, char **argv)
{
    static const char *const dtypes[] = {"<i2", "<i4", "<f4", "<f8"};
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    const int64_t side = argc > 2 ? atoll(argv[2]) : 300;
    float *const field = bench_alloc((size_t)(side * side * side) * sizeof *field);
    void *const items = bench_alloc((size_t)(side * side * side) * 8);
    bench_field(field, side, 1);
    printf("cpu,compiler,commit,program,threads,dtype,cell,seconds,read,speed\n");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        measure(dtypes[i], threads, side, field, items);
    free(field);
    free(items);
    return 0;
}
