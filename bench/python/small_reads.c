/*
 * small_reads.c - what a read of one item, and of a row of eight, takes in C.
 *
 *     small_reads FILE    a matrix of 1000 x 1000 doubles, of which 50 rows are read
 *
 * Prints microseconds of processor time for each, the least of 20 rounds. small_reads.py makes the
 * file, and compares with Python.
 */
#include <tessera.h>

#include <stdio.h>
#include <time.h>

#define READS 20000
#define ROUNDS 20

static double
processor_time(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tess_status
read_item(const tess_array *a, int64_t row, tess_error *err)
{
    const int64_t index[] = {row, 7};
    double item;
    return tess_array_get_item(a, index, &item, sizeof item, err);
}

static tess_status
read_row(const tess_array *a, int64_t row, tess_error *err)
{
    const int64_t start[] = {row, 7}, stop[] = {row + 1, 15};
    double items[8];
    return tess_array_get_slice(a, start, stop, NULL, items, sizeof items, NULL, err);
}

// Microseconds of one read.
static tess_status
least(const tess_array *a, tess_status (*read)(const tess_array *, int64_t, tess_error *),
      double *us, tess_error *err)
{
    *us = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = processor_time();
        for (int64_t i = 0; i < READS; i++) {
            const tess_status st = read(a, i % 50, err);
            if (st != TESS_OK)
                return st;
        }
        const double took = (processor_time() - start) / READS * 1e6;
        *us = took < *us ? took : *us;
    }
    return TESS_OK;
}

int
main(int argc, char **argv)
{
    tess_storage storage;
    tess_array *a = NULL;
    tess_error err;
    double item = 0, row = 0;

    if (argc != 2)
        return fprintf(stderr, "usage: small_reads FILE\n"), 2;
    tess_storage_init(&storage);
    storage.path = argv[1];
    tess_status st = tess_array_open(&storage, &a, &err);
    if (st == TESS_OK)
        st = least(a, read_item, &item, &err);
    if (st == TESS_OK)
        st = least(a, read_row, &row, &err);
    if (st == TESS_OK)
        printf("%.3f %.3f\n", item, row);
    else
        fprintf(stderr, "%s: %s\n", argv[1], err.message);
    tess_array_close(a, NULL);
    return st != TESS_OK;
}
