/*
 * stores.c - what does it cost that arrays change together?
 *
 *     stores FOLDER [MEGABYTES]
 *
 * A step is appended to 20 arrays, and committed: in a store with one commit, and in 20 files with
 * a flush of each, in turn, with each durability. Then one array of a store of 1 to 10,000 grows,
 * and that is committed. At last the same in a store whose arrays have MEGABYTES (default 400) of
 * items that cannot be compressed, and in one that has a hundredth of that. One thread; medians.
 * The durabilities are columns of the cell: none, ordered, fsync.
 */
#include "support.h"

#include <tessera.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ARRAYS = 20, ROUNDS = 31, STEP = 16384, ITEM = 4, MANY = 10000, PATH_SIZE = 600 };

static uint8_t step[STEP * ITEM];
static char library[64];

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

static tess_array *
make(const char *path, tess_store *store, tess_durability durability, int64_t items)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    tess_storage_init(&storage);
    storage.path = path;
    storage.store = store;
    storage.mode = TESS_MODE_NEW;
    storage.durability = durability;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 1;
    params.shape[0] = items;
    params.chunkshape[0] = STEP;
    must(tess_array_zeros(&storage, &params, &a, &err), &err);
    return a;
}

static tess_store *
make_store(const char *path, tess_durability durability)
{
    tess_storage storage;
    tess_store *store;
    tess_error err;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.durability = durability;
    must(tess_store_open(&storage, &store, &err), &err);
    return store;
}

static void
append(tess_array *a)
{
    tess_error err;
    must(tess_array_append(a, 0, STEP, step, sizeof step, NULL, &err), &err);
}

static void
commit(tess_store *store)
{
    tess_error err;
    must(tess_store_commit(store, &err), &err);
}

static void
finish(tess_array *a)
{
    tess_error err;
    must(tess_array_close(a, &err), &err);
}

static void
report(const char *cell, int64_t requests, const struct bench_times *times)
{
    const struct bench_row row = {
        .program = "stores",
        .library = library,
        .threads = 1,
        .storage = "file",
        .codec = "lz4",
        .level = 5,
        .cell = cell,
        .requests = requests,
        .bytes = requests * (int64_t)sizeof step,
        .times = *times,
    };
    bench_csv_row(&row);
}

static void
twenty(const char *folder, tess_durability durability, const char *name)
{
    struct bench_times together = {.n = 0}, alone = {.n = 0};
    tess_array *in_store[ARRAYS], *files[ARRAYS];
    tess_error err;
    char path[PATH_SIZE], cell[64];
    (void)snprintf(path, sizeof path, "%s/%s.b2d", folder, name);
    tess_store *const store = make_store(path, durability);
    for (int i = 0; i < ARRAYS; i++) {
        (void)snprintf(path, sizeof path, "/a%d", i);
        in_store[i] = make(path, store, durability, 0);
        (void)snprintf(path, sizeof path, "%s/%s-%d.b2nd", folder, name, i);
        files[i] = make(path, NULL, durability, 0);
    }
    commit(store);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = bench_now();
        for (int i = 0; i < ARRAYS; i++)
            append(in_store[i]);
        commit(store);
        bench_times_add(&together, bench_now() - begin);
        begin = bench_now();
        for (int i = 0; i < ARRAYS; i++)
            append(files[i]);
        for (int i = 0; i < ARRAYS; i++)
            must(tess_array_flush(files[i], &err), &err);
        bench_times_add(&alone, bench_now() - begin);
    }
    (void)snprintf(cell, sizeof cell, "20 in a store, %s", name);
    report(cell, ARRAYS, &together);
    (void)snprintf(cell, sizeof cell, "20 files, %s", name);
    report(cell, ARRAYS, &alone);
    for (int i = 0; i < ARRAYS; i++) {
        finish(in_store[i]);
        finish(files[i]);
    }
    tess_store_close(store);
}

static void
of_many(const char *folder, int n)
{
    struct bench_times times = {.n = 0};
    char path[PATH_SIZE], cell[64];
    (void)snprintf(path, sizeof path, "%s/many-%d.b2d", folder, n);
    tess_store *const store = make_store(path, TESS_DURABILITY_NONE);
    tess_array *grows = NULL;
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "/g%d/a%d", i / 100, i);
        tess_array *const a = make(path, store, TESS_DURABILITY_NONE, STEP);
        if (i == 0)
            grows = a;
        else
            finish(a);
    }
    double begin = bench_now();
    commit(store);
    struct bench_times first = {.n = 0};
    bench_times_add(&first, bench_now() - begin);
    for (int round = 0; round < ROUNDS; round++) {
        append(grows);
        begin = bench_now();
        commit(store);
        bench_times_add(&times, bench_now() - begin);
    }
    (void)snprintf(cell, sizeof cell, "commit of 1 of %d", n);
    report(cell, 1, &times);
    (void)snprintf(cell, sizeof cell, "first commit of %d", n);
    report(cell, n, &first);
    finish(grows);
    tess_store_close(store);
}

// A store of arrays of such a size, all of it committed.
struct sized {
    int64_t megabytes;
    tess_store *store;
    tess_array *arrays[ARRAYS];
    struct bench_times times;
};

static void
make_sized(const char *folder, int64_t megabytes, struct sized *s)
{
    char path[PATH_SIZE];
    uint64_t seed = 7;
    uint8_t *const noise = bench_alloc(sizeof step);
    *s = (struct sized){.megabytes = megabytes};
    (void)snprintf(path, sizeof path, "%s/size-%" PRId64 ".b2d", folder, megabytes);
    s->store = make_store(path, TESS_DURABILITY_ORDERED);
    for (int i = 0; i < ARRAYS; i++) {
        (void)snprintf(path, sizeof path, "/a%d", i);
        s->arrays[i] = make(path, s->store, TESS_DURABILITY_ORDERED, 0);
    }
    for (int64_t n = 0; n < megabytes * 1000000 / (int64_t)sizeof step; n++) {
        tess_array *const a = s->arrays[n % ARRAYS];
        tess_error err;
        for (size_t k = 0; k < sizeof step; k += 8) {
            const uint64_t x = bench_random(&seed);
            memcpy(noise + k, &x, sizeof x);
        }
        must(tess_array_append(a, 0, STEP, noise, sizeof step, NULL, &err), &err);
    }
    commit(s->store);
    free(noise);
}

// Both in turn, so that the disk is as busy for one as for the other.
static void
of_sizes(const char *folder, int64_t megabytes)
{
    struct sized both[2];
    char cell[64];
    make_sized(folder, megabytes / 100, &both[0]);
    make_sized(folder, megabytes, &both[1]);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        struct sized *const s = &both[round % 2];
        for (int i = 0; i < ARRAYS; i++)
            append(s->arrays[i]);
        const double begin = bench_now();
        commit(s->store);
        bench_times_add(&s->times, bench_now() - begin);
    }
    for (int k = 0; k < 2; k++) {
        (void)snprintf(cell, sizeof cell, "20 of a store of %" PRId64 " MB", both[k].megabytes);
        report(cell, ARRAYS, &both[k].times);
        for (int i = 0; i < ARRAYS; i++)
            finish(both[k].arrays[i]);
        tess_store_close(both[k].store);
    }
}

int
main(int argc, char **argv)
{
    static const char *const names[] = {"none", "ordered", "fsync"};
    const int64_t megabytes = argc > 2 ? strtoll(argv[2], NULL, 10) : 400;
    if (argc < 2 || megabytes < 100)
        bench_die("stores FOLDER [MEGABYTES, at least 100]");
    if (mkdir(argv[1], 0777) != 0)
        bench_die("%s: must be a new folder", argv[1]);
    for (int i = 0; i < STEP; i++) {
        const uint32_t item = (uint32_t)(3 * i);
        memcpy(step + i * ITEM, &item, ITEM);
    }
    (void)snprintf(library, sizeof library, "tessera %s", tess_version());
    bench_csv_header();
    for (int d = 0; d < 3; d++)
        twenty(argv[1], (tess_durability)d, names[d]);
    for (int n = 1; n <= MANY; n *= 10)
        of_many(argv[1], n);
    of_sizes(argv[1], megabytes);
    return 0;
}
