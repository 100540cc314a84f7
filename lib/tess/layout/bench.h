/*
 * bench.h - what tess bench has measured.
 */
#ifndef TESS_LAYOUT_BENCH_H
#define TESS_LAYOUT_BENCH_H

#include "layout/subject.h"

#include <tessera/layout.h>

#include <stdio.h>

#define BENCH_ROWS_MOST 24
#define BENCH_CPU_SIZE 128
#define BENCH_ROUNDS 3

enum bench_part { BENCH_CODECS, BENCH_FILTERS, BENCH_SLICES };

// Seconds, of each round.
struct bench_times {
    double write[BENCH_ROUNDS], read[BENCH_ROUNDS];
    double accesses[TESS_MAX_ACCESSES][BENCH_ROUNDS];
};

// A layout, measured with one thread and with all.
struct bench_row {
    enum bench_part part;
    tess_params params;
    double ratio;
    struct bench_times one, all;
};

struct bench {
    const struct arguments *args;
    struct subject subject;
    tess_tuner_info info;
    tess_access mix[TESS_MAX_ACCESSES]; // the slices
    int nmix;
    char cpu[BENCH_CPU_SIZE];
    double copied; // bytes per second that memcpy() moves
    int count;
    struct bench_row rows[BENCH_ROWS_MOST];
};

// Tables, or one JSON object. The last row is the only one with slices.
tess_status bench_print(const struct bench *b, FILE *out, tess_error *err);
void bench_json(const struct bench *b, FILE *out);

#endif
