/*
 * trace.c - which blocks are asked for, one after the other.
 */
#include "trace.h"

#include "../support.h"

#include <math.h>
#include <stdlib.h>

#define EXPONENT 0.99

enum {
    ACROSS = 8, // blocks of a row
    ROWS = 8, // through a block, in each plane
    PLANES = 8, // through a block
    DOWN = 8, // blocks of a plane, one below the other
    SCAN = 8, // of Zipf's companion, budgets
    VISITS = 20, // of each block, on average
};

const char *const trace_names[NTRACES] = {"uniform", "zipf", "rows", "scans", "zipf-scan", "cycle"};

struct zipf {
    double *sums; // of probabilities
    int32_t *keys;
    int32_t n;
};

static void
zipf_init(struct zipf *z, int32_t n, uint64_t *state)
{
    double sum = 0;

    *z = (struct zipf){bench_alloc((size_t)n * sizeof(double)),
                       bench_alloc((size_t)n * sizeof(int32_t)), n};
    for (int32_t i = 0; i < n; i++) {
        sum += pow(i + 1, -EXPONENT);
        z->sums[i] = sum;
    }
    for (int32_t i = 0; i < n; i++) { // shuffled from the inside
        const int32_t k = (int32_t)bench_random_below(state, i + 1);
        z->keys[i] = z->keys[k];
        z->keys[k] = i;
    }
}

static int32_t
zipf_draw(const struct zipf *z, uint64_t *state)
{
    const double x = (double)(bench_random(state) >> 11) * 0x1p-53 * z->sums[z->n - 1];
    int32_t low = 0, high = z->n - 1;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (z->sums[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return z->keys[low];
}

static void
zipf_finish(struct zipf *z)
{
    free(z->sums);
    free(z->keys);
}

// The i-th block of a reader of rows.
static int32_t
row_key(int64_t i, int32_t working)
{
    const int64_t plane = i / (ACROSS * ROWS * DOWN), row = i / ACROSS % (ROWS * DOWN);
    return (int32_t)(((plane / PLANES * DOWN + row / ROWS) * ACROSS + i % ACROSS) % working);
}

static int32_t
draw(enum trace_kind kind, int64_t i, int32_t working, int32_t budget, const struct zipf *z,
     uint64_t *state)
{
    const int64_t whole = (int64_t)working * ROWS * PLANES;

    switch (kind) {
    case TRACE_UNIFORM:
        return (int32_t)bench_random_below(state, working);
    case TRACE_ZIPF:
        return zipf_draw(z, state);
    case TRACE_ROWS:
        return row_key(i, working);
    case TRACE_SCANS:
        return row_key(i / 2 + i % 2 * (whole / 2), working);
    case TRACE_ZIPF_SCAN:
        return i % 2 == 0 ? zipf_draw(z, state) : working + (int32_t)(i / 2 % (SCAN * budget));
    default:
        return (int32_t)(i % working);
    }
}

void
trace_make(struct trace *t, enum trace_kind kind, int32_t working, int32_t budget, int64_t n,
           uint64_t seed)
{
    struct zipf z;
    uint64_t state = seed;

    t->n = n > (int64_t)working * VISITS ? n : (int64_t)working * VISITS;
    t->keys = bench_alloc((size_t)t->n * sizeof *t->keys);
    t->nkeys = kind == TRACE_ZIPF_SCAN ? working + SCAN * budget : working;
    zipf_init(&z, working, &state);
    for (int64_t i = 0; i < t->n; i++)
        t->keys[i] = draw(kind, i, working, budget, &z, &state);
    zipf_finish(&z);
}

void
trace_finish(struct trace *t)
{
    free(t->keys);
}
