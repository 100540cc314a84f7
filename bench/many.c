/*
 * many.c - what a small read costs when thousands of arrays are open, and what an open array takes.
 *
 *     many FOLDER [ARRAYS [DESCRIPTORS]]
 *
 * Makes the arrays in a folder (128x128 items, four by four blocks, all the same), opens all of
 * them and reads random boxes of 8x8 items from random ones: microseconds of CPU per read, round by
 * round, as CSV. DESCRIPTORS is the limit of the process (RLIMIT_NOFILE).
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 128, BLOCK = 32, BOX = 8, ROUNDS = 6, READS = 40000, PATH = 4096 };

static int32_t items[SIDE][SIDE];

static int
stop_with(const tess_error *err)
{
    (void)fprintf(stderr, "%s\n", err->message);
    return 1;
}

static double
cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double
resident_kib(void)
{
    long size = 0, pages = 0;
    FILE *const f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (f)
        (void)fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static tess_status
make(tess_storage *storage, tess_error *err)
{
    tess_params params;
    tess_array *a;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 2;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = params.chunkshape[i] = SIDE;
        params.blockshape[i] = BLOCK;
    }
    storage->mode = TESS_MODE_REPLACE;
    const tess_status st = tess_array_from(storage, &params, items, sizeof items, &a, err);
    return st == TESS_OK ? tess_array_close(a, err) : st;
}

static unsigned
draw(unsigned below)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % below);
}

static tess_status
read_random(tess_array *const *a, int n, tess_error *err)
{
    const int64_t y = draw(SIDE - BOX), x = draw(SIDE - BOX);
    const int64_t start[] = {y, x}, stop[] = {y + BOX, x + BOX};
    int32_t box[BOX * BOX];
    return tess_array_read(a[draw((unsigned)n)], start, stop, box, sizeof box, err);
}

int
main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[2]) : 2000;
    char path[PATH];
    tess_storage storage;
    tess_usage usage;
    tess_error err;
    tess_array **const a = calloc((size_t)n, sizeof(tess_array *));
    if (argc < 2 || !a)
        return fprintf(stderr, "many FOLDER [ARRAYS [DESCRIPTORS]]\n"), 2;
    if (argc > 3) {
        const rlim_t limit = (rlim_t)atoi(argv[3]);
        (void)setrlimit(RLIMIT_NOFILE, &(struct rlimit){limit, limit});
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        items[i / SIDE][i % SIDE] = i * 7 % 1000;
    tess_storage_init(&storage);
    storage.path = path;
    storage.durability = TESS_DURABILITY_NONE;
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "%s/many%d.b2nd", argv[1], i);
        if (make(&storage, &err) != TESS_OK)
            return stop_with(&err);
    }
    storage.mode = TESS_MODE_READ;
    const double before = resident_kib();
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "%s/many%d.b2nd", argv[1], i);
        if (tess_array_open(&storage, &a[i], &err) != TESS_OK)
            return stop_with(&err);
    }
    printf("arrays,round,us_per_read,kib_per_open_array,resident_kib,cache_kib,files\n");
    const double each = (resident_kib() - before) / n;
    for (int round = 0; round < ROUNDS; round++) {
        const double from = cpu_us();
        for (int i = 0; i < READS; i++)
            if (read_random(a, n, &err) != TESS_OK)
                return stop_with(&err);
        const double us = (cpu_us() - from) / READS;
        tess_process_usage(&usage);
        printf("%d,%d,%.2f,%.1f,%.0f,%lld,%lld\n", n, round, us, each, resident_kib(),
               (long long)(usage.cache / 1024), (long long)usage.files);
    }
    for (int i = 0; i < n; i++)
        if (tess_array_close(a[i], &err) != TESS_OK)
            return stop_with(&err);
    free(a);
    return 0;
}
