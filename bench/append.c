/*
 * append.c - does a chunk cost the same when there are few others and when there are many?
 *
 * Appends of one chunk of 4 KiB at a time: the calls before the 1,000th, 16,000th and 64,000th, and
 * all of them with the closing commit. Then single chunks of 256 bytes are overwritten, and chunks
 * of zeros appended, among 100 and among a million others. One thread; no sync to disk. The column
 * bytes counts uncompressed ones. See --help.
 */
#include "support.h"

#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BIG = 1024, // items of a chunk
    SMALL = 64,
    ITEM = 4,
    KINDS = 64, // different chunks
    WINDOW = 1000, // calls that one row is about
    SAMPLE = 100, // calls that one time is about
    SLAB = 10000, // chunks that are made with one call
    MILLION = 1000000,
    COMMITS = 5,
    BATCH = 20000, // overwrites per commit
};

static const int64_t marks[] = {1000, 16000, 64000};
enum { MARKS = sizeof marks / sizeof marks[0] };

static const char *path; // of the file; NULL: in memory
static char library[64];
static uint8_t chunks[KINDS][BIG * ITEM];
static uint8_t zeros[BIG * ITEM];

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

// Slow waves with a little noise: about half of the bytes remain.
static void
make_chunks(void)
{
    uint64_t seed = 1;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < BIG; i++) {
            const uint32_t item =
                (uint32_t)(100 * k + 3 * i) + (uint32_t)(bench_random(&seed) % 64);
            memcpy(chunks[k] + i * ITEM, &item, ITEM);
        }
}

static tess_array *
create(int64_t chunk_items)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 1;
    params.chunkshape[0] = params.blockshape[0] = chunk_items;
    must(tess_array_zeros(&storage, &params, &a, &err), &err);
    return a;
}

static void
append(tess_array *a, const void *items, size_t size)
{
    tess_error err;
    must(tess_array_append(a, 0, (int64_t)(size / 4), items, size, NULL, &err), &err);
}

static void
finish(tess_array *a)
{
    tess_error err;
    must(tess_array_close(a, &err), &err);
    if (path)
        unlink(path);
}

static void
print(const char *cell, int64_t others, int64_t requests, int64_t chunk_size,
      const struct bench_times *times)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%lld", cell, (long long)others);
    const struct bench_row row = {
        .program = "append",
        .library = library,
        .threads = 1,
        .storage = path ? "file" : "memory",
        .codec = "blosclz",
        .level = 5,
        .filter = "shuffle",
        .cell = name,
        .requests = requests,
        .bytes = requests * chunk_size,
        .times = *times,
    };
    bench_csv_row(&row);
}

// Every call that is in a window is timed, SAMPLE at a time.
static void
appends(int64_t n)
{
    enum { SIZE = BIG * ITEM };
    struct bench_times windows[MARKS] = {0}, all = {0};
    const double begin = bench_now();
    tess_error err;
    tess_array *const a = create(BIG);

    for (int64_t i = 0; i < n; i += SAMPLE) {
        const double start = bench_now();
        for (int64_t k = i; k < i + SAMPLE; k++)
            append(a, chunks[k % KINDS], SIZE);
        for (int m = 0; m < MARKS; m++)
            if (i < marks[m] && i >= marks[m] - WINDOW)
                bench_times_add(&windows[m], bench_now() - start);
    }
    must(tess_array_flush(a, &err), &err);
    bench_times_add(&all, bench_now() - begin);
    finish(a);
    for (int m = 0; m < MARKS && marks[m] <= n; m++)
        print("append", marks[m], SAMPLE, SIZE, &windows[m]);
    print("append-all", n, n, SIZE, &all);
}

static tess_array *
make_many(int64_t n)
{
    enum { SIZE = SMALL * ITEM };
    tess_array *const a = create(SMALL);
    uint8_t *const slab = bench_alloc((size_t)SLAB * SIZE);
    tess_error err;

    for (int k = 0; k < SLAB; k++)
        memcpy(slab + (size_t)k * SIZE, chunks[k % KINDS] + k / KINDS % 10 * ITEM, SIZE);
    for (int64_t done = 0; done < n; done += SLAB)
        append(a, slab, (size_t)(n - done < SLAB ? n - done : SLAB) * SIZE);
    must(tess_array_flush(a, &err), &err);
    free(slab);
    return a;
}

static void
overwrite(tess_array *a, int64_t n, uint64_t *seed, struct bench_times *times)
{
    const double start = bench_now();
    tess_error err;
    for (int64_t k = 0; k < SAMPLE; k++) {
        const int64_t at = bench_random_below(seed, n) * SMALL, end = at + SMALL;
        must(tess_array_write(a, &at, &end, chunks[k % KINDS], SMALL * ITEM, &err), &err);
    }
    if (times)
        bench_times_add(times, bench_now() - start);
}

// Batches of overwrites, each committed: calls at the begin of a batch, and at its end.
static void
among(int64_t n)
{
    enum { SIZE = SMALL * ITEM };
    struct bench_times first = {0}, last = {0}, commit = {0}, special = {0};
    uint64_t seed = 7;
    tess_error err;
    tess_array *const a = make_many(n);

    for (int64_t i = 0; i < COMMITS; i++) {
        for (int64_t k = 0; k < BATCH; k += SAMPLE)
            overwrite(a, n, &seed, k < WINDOW ? &first : k >= BATCH - WINDOW ? &last : NULL);
        const double start = bench_now();
        must(tess_array_flush(a, &err), &err);
        bench_times_add(&commit, bench_now() - start);
    }
    for (int64_t i = 0; i < WINDOW; i += SAMPLE) {
        const double start = bench_now();
        for (int64_t k = 0; k < SAMPLE; k++)
            append(a, zeros, SIZE);
        bench_times_add(&special, bench_now() - start);
    }
    print("overwrite-first", n, SAMPLE, SIZE, &first);
    print("overwrite-last", n, SAMPLE, SIZE, &last);
    print("commit", n, 1, 0, &commit);
    print("append-zeros", n, SAMPLE, SIZE, &special);
    finish(a);
}

int
main(int argc, char **argv)
{
    static const char usage[] =
        "append [--file PATH] [--chunks N]: PATH is made and removed; without it, in memory\n";
    int64_t n = marks[MARKS - 1];

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--file") == 0)
            path = argv[i + 1];
        else if (i + 1 < argc && strcmp(argv[i], "--chunks") == 0)
            n = strtoll(argv[i + 1], NULL, 10) / SAMPLE * SAMPLE;
        else {
            fputs(usage, stderr);
            return strcmp(argv[i], "--help") == 0 ? 0 : 2;
        }
    }
    snprintf(library, sizeof library, "tessera %s", tess_version());
    make_chunks();
    bench_csv_header();
    appends(n);
    among(100);
    among(MILLION);
    return 0;
}
