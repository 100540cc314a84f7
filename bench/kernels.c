/*
 * kernels.c - how fast are the inner loops of the filters, for every machine hidden in this one?
 *
 * Each kernel runs on data that fit in the second cache. The cell is kernel-width, or
 * unshuffle_rows-width-items for rows that lie twice their length apart. The filter column is the
 * instruction set. mb_per_s counts the bytes of one side.
 */
#include "support.h"

#include "base/cpu.h"
#include "filter/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_SECONDS 5e-4

enum { SIZE = 126000, ROUNDS = 7 };

struct work {
    const struct filter_kernels *k;
    uint8_t *dst;
    const uint8_t *src;
    size_t n, w, row_nitems;
};

typedef void job_fn(const struct work *job);

static void
run_shuffle(const struct work *job)
{
    job->k->shuffle(job->dst, job->src, job->n, job->w);
}

static void
run_unshuffle(const struct work *job)
{
    job->k->unshuffle(job->dst, job->src, job->n, job->w);
}

static void
run_rows(const struct work *job)
{
    const struct plane_rows rows = {
        .n = job->n,
        .w = job->w,
        .rows = job->n / job->row_nitems,
        .row_nitems = job->row_nitems,
        .src_step = job->row_nitems,
        .dst_stride = (ptrdiff_t)(2 * job->row_nitems * job->w),
    };
    job->k->unshuffle_rows(job->dst, job->src, &rows);
}

static void
run_bitshuffle(const struct work *job)
{
    job->k->bitshuffle(job->dst, job->src, job->n, job->w);
}

static void
run_bitunshuffle(const struct work *job)
{
    job->k->bitunshuffle(job->dst, job->src, job->n, job->w);
}

static void
run_exclusive_or(const struct work *job)
{
    job->k->exclusive_or(job->dst, job->src, job->dst, job->n * job->w);
}

static void
run_bytedelta(const struct work *job)
{
    job->k->bytedelta(job->dst, job->src, job->n * job->w);
}

static void
run_byteundelta(const struct work *job)
{
    job->k->byteundelta(job->dst, job->src, job->n * job->w);
}

static void
run_is_run(const struct work *job)
{
    job->k->is_run(job->dst, job->n * job->w);
}

static void
measure(const char *set, const char *kernel, job_fn *run, const struct work *job)
{
    char cell[64];
    struct bench_row row = {.program = "kernels",
                            .library = "tessera",
                            .threads = 1,
                            .storage = "memory",
                            .filter = set,
                            .cell = cell,
                            .requests = 1};

    if (job->row_nitems > 0)
        snprintf(cell, sizeof cell, "%s-%zu-%zu", kernel, job->w, job->row_nitems);
    else
        snprintf(cell, sizeof cell, "%s-%zu", kernel, job->w);
    row.bytes = (int64_t)(job->n * job->w);
    for (int round = 0; round < ROUNDS; round++) {
        const double start = bench_now();
        int runs = 0;
        do {
            run(job);
            runs++;
        } while (bench_now() - start < ROUND_SECONDS);
        bench_times_add(&row.times, (bench_now() - start) / runs);
    }
    bench_csv_row(&row);
}

static void
measure_width(const char *set, struct work job)
{
    static const size_t rows[] = {10, 16, 20, 25, 50, 100};

    job.n = SIZE / job.w / 8 * 8;
    measure(set, "shuffle", run_shuffle, &job);
    measure(set, "unshuffle", run_unshuffle, &job);
    measure(set, "bitshuffle", run_bitshuffle, &job);
    measure(set, "bitunshuffle", run_bitunshuffle, &job);
    if (job.w != 2 && job.w != 4 && job.w != 8)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        job.row_nitems = rows[i];
        measure(set, "unshuffle_rows", run_rows, &job);
    }
}

static void
measure_set(const char *set, unsigned mask, uint8_t *dst, const uint8_t *src)
{
    struct filter_kernels k;
    struct work job = {.k = &k, .dst = dst, .src = src};

    filter_kernels_init(&k, mask);
    for (size_t w = 1; w <= 17; w++) {
        job.w = w;
        measure_width(set, job);
    }
    job.w = 24;
    measure_width(set, job);
    job.w = 32;
    measure_width(set, job);

    job.w = 1;
    job.n = SIZE;
    measure(set, "exclusive_or", run_exclusive_or, &job);
    measure(set, "bytedelta", run_bytedelta, &job);
    measure(set, "byteundelta", run_byteundelta, &job);
    memset(dst, 7, SIZE);
    measure(set, "is_run", run_is_run, &job);
}

int
main(void)
{
    static const struct {
        const char *name;
        unsigned mask;
    } sets[] = {
        {"c", 0},
        {"sse2", CPU_SSE2},
        {"avx2", CPU_SSE2 | CPU_SSSE3 | CPU_AVX2},
        {"avx512", CPU_SSE2 | CPU_SSSE3 | CPU_AVX2 | CPU_AVX512},
        {"neon", CPU_NEON},
    };
    uint8_t *const src = bench_alloc(SIZE), *const dst = bench_alloc((size_t)2 * SIZE);
    uint64_t state = 1;

    for (size_t i = 0; i < SIZE; i++)
        src[i] = (uint8_t)bench_random(&state);
    bench_csv_header();
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if ((cpu_mask() & sets[i].mask) == sets[i].mask)
            measure_set(sets[i].name, sets[i].mask, dst, src);
    free(src);
    free(dst);
    return 0;
}
