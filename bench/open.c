/*
 * open.c - what does it take to open an array of many chunks and read one element?
 *
 * The array is made once: 64-byte chunks in one file. Then it is opened, one element is read, and
 * it is closed, many times; the same opened for writing, and with one element written. The command
 * `open read PATH` does it once, for strace. See --help.
 */
#include "support.h"

#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 16, ITEM = 4, ROUNDS = 20, SLAB = 10000 };

enum work { READ, UPDATE_NOTHING, UPDATE_ONE };

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

static void
make(const char *path, int64_t n)
{
    const size_t size = (size_t)SLAB * ITEMS * ITEM;
    uint8_t *const slab = bench_alloc(size);
    uint64_t seed = 3;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (size_t i = 0; i < size; i++)
        slab[i] = (uint8_t)bench_random(&seed);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 1;
    params.chunkshape[0] = params.blockshape[0] = ITEMS;
    must(tess_array_zeros(&storage, &params, &a, &err), &err);
    for (int64_t done = 0; done < n; done += SLAB) {
        const int64_t count = n - done < SLAB ? n - done : SLAB;
        must(tess_array_append(a, 0, count * ITEMS, slab, (size_t)(count * ITEMS * ITEM), NULL,
                               &err),
             &err);
    }
    must(tess_array_close(a, &err), &err);
    free(slab);
}

static void
use(const char *path, enum work work, uint64_t *seed)
{
    tess_storage storage;
    tess_array *a;
    tess_info info;
    tess_error err;
    uint8_t item[ITEM] = {1, 2, 3, 4};

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = work == READ ? TESS_MODE_READ : TESS_MODE_UPDATE;
    storage.durability = TESS_DURABILITY_NONE;
    must(tess_array_open(&storage, &a, &err), &err);
    tess_array_info(a, &info);
    const int64_t at = bench_random_below(seed, info.shape[0]), end = at + 1;
    if (work == UPDATE_ONE)
        must(tess_array_write(a, &at, &end, item, ITEM, &err), &err);
    else
        must(tess_array_read(a, &at, &end, item, ITEM, &err), &err);
    must(tess_array_close(a, &err), &err);
}

static void
measure(const char *path, int64_t n, const char *what, enum work work)
{
    char name[64], library[64];
    struct bench_times times = {0};
    uint64_t seed = 5;

    use(path, work, &seed);
    for (int i = 0; i < ROUNDS; i++) {
        const double start = bench_now();
        use(path, work, &seed);
        bench_times_add(&times, bench_now() - start);
    }
    snprintf(name, sizeof name, "%s-%lld", what, (long long)n);
    snprintf(library, sizeof library, "tessera %s", tess_version());
    const struct bench_row row = {
        .program = "open",
        .library = library,
        .threads = 1,
        .storage = "file",
        .codec = "blosclz",
        .level = 5,
        .filter = "shuffle",
        .cell = name,
        .requests = 1,
        .bytes = ITEM,
        .times = times,
    };
    bench_csv_row(&row);
}

int
main(int argc, char **argv)
{
    static const char usage[] = "open PATH: makes the file, measures, and removes it\n"
                                "open make PATH CHUNKS: only makes it\n"
                                "open read PATH: opens it once and reads an element\n";
    static const int64_t counts[] = {100, 16000, 64000, 1000000};
    uint64_t seed = 5;

    if (argc == 4 && strcmp(argv[1], "make") == 0) {
        make(argv[2], strtoll(argv[3], NULL, 10));
    } else if (argc == 3 && strcmp(argv[1], "read") == 0) {
        use(argv[2], READ, &seed);
    } else if (argc == 2 && argv[1][0] != '-') {
        bench_csv_header();
        for (int i = 0; i < 4; i++) {
            make(argv[1], counts[i]);
            measure(argv[1], counts[i], "read-one", READ);
            measure(argv[1], counts[i], "open-to-write", UPDATE_NOTHING);
            measure(argv[1], counts[i], "write-one", UPDATE_ONE);
            unlink(argv[1]);
        }
    } else {
        fputs(usage, stderr);
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    return 0;
}
