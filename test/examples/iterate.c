/*
 * iterate.c - all blocks of an array: a histogram, a change, and what the numbers are like.
 */
#include <tessera.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 600, COLUMNS = 500, BINS = 4 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
matrix(void)
{
    static float items[ROWS][COLUMNS];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            items[i][j] = (float)((i + j) % BINS);
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ">f4" : "<f4"; // as this machine's
    params.ndim = 2;
    params.shape[0] = ROWS;
    params.shape[1] = COLUMNS;
    check(tess_array_from(&storage, &params, items, sizeof items, &a, &err), &err);
    return a;
}

// One row of a part.
static const float *
row(const tess_part *part, int64_t i)
{
    return (const float *)((const char *)part->items + i * part->strides[0]);
}

// Called by several threads at once, each with a block of its own.
static tess_each_next
count(const tess_part *part, void *user)
{
    atomic_llong *const bins = user;
    long long here[BINS] = {0};
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++)
            here[(int)row(part, i)[j]]++;
    for (int k = 0; k < BINS; k++)
        atomic_fetch_add(&bins[k], here[k]);
    return TESS_EACH_NEXT;
}

// The items of the part become twice as large.
static tess_each_next
twice(const tess_part *part, void *items, void *user)
{
    (void)user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++) {
        float *const x = (float *)((char *)items + i * part->strides[0]);
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++)
            x[j] *= 2;
    }
    return TESS_EACH_CHANGED;
}

int
main(void)
{
    tess_array *const a = matrix();
    atomic_llong bins[BINS] = {0};
    tess_statistics s;
    tess_error err;

    check(tess_array_each(a, TESS_BLOCKS, NULL, NULL, count, bins, &err), &err);
    for (int k = 0; k < BINS; k++)
        printf("%d: %lld times\n", k, atomic_load(&bins[k]));

    // The first 100 rows; all or, after a failure, none of them.
    const int64_t start[] = {0, 0}, stop[] = {100, COLUMNS};
    check(tess_array_change(a, TESS_BLOCKS, start, stop, twice, NULL, &err), &err);

    check(tess_array_statistics(a, NULL, NULL, &s, &err), &err);
    printf("%g to %g, mean %g\n", s.min.f, s.max.f, s.mean);
    check(tess_array_close(a, &err), &err);

    return atomic_load(&bins[0]) == ROWS * COLUMNS / BINS && s.max.f == 6 && s.sum == 525000 ? 0
                                                                                             : 1;
}
