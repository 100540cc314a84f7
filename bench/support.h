/*
 * support.h - what every bench program needs: clock, seeded data, statistics, one CSV format.
 *
 * These programs are instruments, not library code: what fails ends the program with a sentence.
 * Nothing here knows the library that is measured.
 */
#ifndef BENCH_SUPPORT_H
#define BENCH_SUPPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Print a sentence to stderr and exit with status 3.
__attribute__((format(printf, 1, 2), noreturn)) void bench_die(const char *format, ...);

// Memory whose pages are there already; page faults are nobody's speed. Free with free().
void *bench_alloc(size_t size);

// Seconds since some fixed moment.
double bench_now(void);

// The next number of a series that the state determines (splitmix64).
uint64_t bench_random(uint64_t *state);

// A number in [0, n), n > 0.
int64_t bench_random_below(uint64_t *state, int64_t n);

// side^3 floats: sums of slow waves, rounded to 0.01. The same everywhere for the same seed, and of
// the same roughness for every side.
void bench_field(float *dst, int64_t side, uint64_t seed);

#define BENCH_ROUNDS_MAX 1000

// The times of one contestant in one cell.
struct bench_times {
    double seconds[BENCH_ROUNDS_MAX];
    int n;
};

void bench_times_add(struct bench_times *t, double seconds);
double bench_times_min(const struct bench_times *t); // 0 if there are none
double bench_times_median(const struct bench_times *t); // 0 if there are none

// One line of output. Strings may be NULL and numbers 0: not applicable, an empty field.
struct bench_row {
    const char *program; // "append"
    const char *library; // "tessera 0.2.0"
    int threads;
    const char *storage; // "memory", "file"
    const char *codec;
    int level;
    const char *filter;
    const char *cell; // what was done: "early"
    int64_t requests; // calls that one time covers
    int64_t bytes; // uncompressed bytes that these move
    int64_t stored; // compressed bytes of the whole array
    struct bench_times times; // of the library
    // The same bytes by simpler means; one thread.
    struct bench_times copy; // memcpy
    struct bench_times codec_only;
    struct bench_times limit; // codec and placement of the rows
};

// The first columns of a line, each with a comma behind it: cpu, compiler, commit.
void bench_csv_machine(FILE *to);

// Columns: cpu, compiler and commit, then as in bench_row, then medians in seconds.
void bench_csv_header(void);
void bench_csv_row(const struct bench_row *row);

#endif
