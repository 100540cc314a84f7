/*
 * support.c - clock, seeded data, statistics and the CSV format of all bench programs.
 *
 * The commit in the output is that of the build, or the environment variable BENCH_COMMIT.
 */
#include "support.h"

#include "commit.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#define WAVES 4
#define HEIGHT 0.3F // LZ4 makes 0.38 of the bytes then, level 5, shuffled

void
bench_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(3);
}

void *
bench_alloc(size_t size)
{
    void *const memory = malloc(size ? size : 1);

    if (!memory)
        bench_die("no memory for %zu bytes", size);
    memset(memory, 0xa5, size);
    return memory;
}

double
bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t
bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int64_t
bench_random_below(uint64_t *state, int64_t n)
{
    return (int64_t)(bench_random(state) % (uint64_t)n);
}

// A wave of 100 to 400 items, at a random phase, along one axis.
static void
wave(float *dst, int64_t n, uint64_t *state)
{
    const double period = 100 + (double)bench_random_below(state, 300);
    const double phase = (double)bench_random_below(state, 1000) / 1000;

    for (int64_t i = 0; i < n; i++)
        dst[i] = (float)sin(2 * 3.14159265358979 * ((double)i / period + phase));
}

static void
field_row(float *restrict dst, float (*axis2)[WAVES], const float *height, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        float sum = 0;
        for (int w = 0; w < WAVES; w++)
            sum += height[w] * axis2[k][w];
        // Values are far below 2^31 / 100; the shift keeps the cast a rounding down.
        dst[k] = (float)((int32_t)(sum * 100 + 65536.5F) - 65536) / 100;
    }
}

void
bench_field(float *dst, int64_t side, uint64_t seed)
{
    uint64_t state = seed;
    float *const axis[3] = {bench_alloc((size_t)side * WAVES * sizeof(float)),
                            bench_alloc((size_t)side * WAVES * sizeof(float)),
                            bench_alloc((size_t)side * WAVES * sizeof(float))};
    float(*const axis2)[WAVES] = bench_alloc((size_t)side * sizeof *axis2);

    for (int a = 0; a < 3; a++)
        for (int w = 0; w < WAVES; w++)
            wave(axis[a] + w * side, side, &state);
    for (int64_t k = 0; k < side; k++)
        for (int w = 0; w < WAVES; w++)
            axis2[k][w] = axis[2][w * side + k];

    for (int64_t i = 0; i < side; i++)
        for (int64_t j = 0; j < side; j++) {
            float height[WAVES];
            for (int w = 0; w < WAVES; w++)
                height[w] = HEIGHT * axis[0][w * side + i] * axis[1][w * side + j];
            field_row(dst + (i * side + j) * side, axis2, height, side);
        }
    for (int a = 0; a < 3; a++)
        free(axis[a]);
    free(axis2);
}

void
bench_times_add(struct bench_times *t, double seconds)
{
    if (t->n < BENCH_ROUNDS_MAX)
        t->seconds[t->n++] = seconds;
}

double
bench_times_min(const struct bench_times *t)
{
    double min = t->n > 0 ? t->seconds[0] : 0;

    for (int i = 1; i < t->n; i++)
        min = t->seconds[i] < min ? t->seconds[i] : min;
    return min;
}

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double
bench_times_median(const struct bench_times *t)
{
    struct bench_times sorted = *t;

    if (t->n == 0)
        return 0;
    qsort(sorted.seconds, (size_t)t->n, sizeof sorted.seconds[0], compare_doubles);
    return (sorted.seconds[(t->n - 1) / 2] + sorted.seconds[t->n / 2]) / 2;
}

// The name of the processor, without what would break a CSV field.
static const char *
cpu_name(void)
{
    static char name[128];
    char line[256];
    FILE *const f = name[0] ? NULL : fopen("/proc/cpuinfo", "r");

    if (name[0])
        return name;
    snprintf(name, sizeof name, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        const char *const value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            snprintf(name, sizeof name, "%.100s", value + 2);
            break;
        }
    }
    if (f)
        fclose(f);
    for (char *c = name; *c; c++)
        if (*c == ',' || *c == '\n' || *c == '"')
            *c = *c == '\n' ? '\0' : ' ';
    return name;
}

static const char *
commit_name(void)
{
    const char *const env = getenv("BENCH_COMMIT");

    return env ? env : BENCH_COMMIT;
}

void
bench_csv_header(void)
{
    puts("cpu,compiler,commit,program,library,threads,storage,codec,level,filter,cell,requests,"
         "bytes,stored,repeats,min_s,median_s,mb_per_s,memcpy_s,codec_s,limit_s");
}

static void
csv_text(const char *text)
{
    printf("%s,", text ? text : "");
}

static void
csv_count(int64_t n)
{
    if (n != 0)
        printf("%" PRId64, n);
    putchar(',');
}

static void
csv_seconds(double seconds)
{
    if (seconds > 0)
        printf("%.9f", seconds);
}

void
bench_csv_machine(FILE *to)
{
    fprintf(to, "%s,%s,%s,", cpu_name(), COMPILER, commit_name());
}

void
bench_csv_row(const struct bench_row *row)
{
    const double median = bench_times_median(&row->times);

    bench_csv_machine(stdout);
    csv_text(row->program);
    csv_text(row->library);
    csv_count(row->threads);
    csv_text(row->storage);
    csv_text(row->codec);
    csv_count(row->level);
    csv_text(row->filter);
    csv_text(row->cell);
    csv_count(row->requests);
    csv_count(row->bytes);
    csv_count(row->stored);
    csv_count(row->times.n);
    csv_seconds(bench_times_min(&row->times));
    putchar(',');
    csv_seconds(median);
    printf(",%.1f,", median > 0 ? (double)row->bytes / median / 1e6 : 0);
    csv_seconds(bench_times_median(&row->copy));
    putchar(',');
    csv_seconds(bench_times_median(&row->codec_only));
    putchar(',');
    csv_seconds(bench_times_median(&row->limit));
    putchar('\n');
    fflush(stdout);
}
