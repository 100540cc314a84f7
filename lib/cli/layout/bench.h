/*
 * bench.h - what tess bench has measured.
 */
#ifndef CLI_LAYOUT_BENCH_H
#define CLI_LAYOUT_BENCH_H

#include "cli/layout/subject.h"
#include "cli/layout/trial.h"

#include <stdio.h>

#define BENCH_ROWS_MOST 24
#define BENCH_CPU_SIZE 128

enum bench_part { BENCH_CODECS, BENCH_FILTERS, BENCH_SLICES };

// A layout, measured with one thread and with all.
struct bench_row {
    enum bench_part part;
    struct trial one, all;
};

struct bench {
    const struct arguments *args;
    struct subject subject;
    struct uses mix; // the slices
    struct uses nothing; // for rows that are read and written as a whole
    struct setting setting;
    char cpu[BENCH_CPU_SIZE];
    int threads;
    double copied; // bytes per second that memcpy() moves
    int count;
    struct bench_row rows[BENCH_ROWS_MOST];
};

// Tables, or one JSON object. The last row is the only one with slices.
tess_status bench_print(const struct bench *b, FILE *out, tess_error *err);
void bench_json(const struct bench *b, FILE *out);

#endif
