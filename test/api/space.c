/*
 * space.c - how large an array gets on the disk when its chunks are overwritten.
 */
#include "api/files.h"
#include "support/random.h"

#include <tessera.h>

#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { CHUNK = 32 << 10, NCHUNKS = 256, WRITES = 1200, MIB = 1 << 20 };

struct way {
    const char *name;
    tess_layout layout;
    tess_durability durability;
    int64_t cache;
    int flush; // after so many writes; 0: never
};

static const struct way ways[] = {
    {"file, no cache", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_ORDERED, 0, 0},
    {"file, small cache", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_ORDERED, 2 * MIB, 0},
    {"file, all in the cache", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_ORDERED, 32 * MIB, 0},
    {"file, fsync", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_FSYNC, 2 * MIB, 0},
    {"file, no syncs", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_NONE, 2 * MIB, 0},
    {"file, committed", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_ORDERED, 2 * MIB, 10},
    {"directory", TESS_LAYOUT_SPARSE, TESS_DURABILITY_NONE, 2 * MIB, 0},
};

// Bytes of a file, or of all files of a directory.
static int64_t
measure(const char *path)
{
    char name[PATH_MAX];
    struct stat st;
    int64_t size = 0;
    const struct dirent *entry;

    assert_int_equal(stat(path, &st), 0);
    if (!S_ISDIR(st.st_mode))
        return (int64_t)st.st_size;
    DIR *const dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        assert_int_equal(stat(name, &st), 0);
        size += S_ISREG(st.st_mode) ? (int64_t)st.st_size : 0;
    }
    closedir(dir);
    return size;
}

// Noise, and zeros behind it: from 70 % of the size on.
static void
draw(struct random *random, uint8_t *items, int64_t size)
{
    const int64_t noise = size * (70 + (int64_t)random_below(random, 31)) / 100;
    random_bytes(random, items, (size_t)noise);
    memset(items + noise, 0, (size_t)(size - noise));
}

// All of a chunk, or a part.
static void
overwrite(tess_array *a, struct random *random, int64_t n, bool part)
{
    static uint8_t items[CHUNK];
    int64_t start = n * CHUNK, stop = start + CHUNK;

    if (part) {
        start += (int64_t)random_below(random, CHUNK / 2);
        stop -= (int64_t)random_below(random, CHUNK / 2);
    }
    draw(random, items, stop - start);
    ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
}

static int64_t
live_size(tess_array *a)
{
    tess_chunk_info info;
    int64_t sum = 0;

    for (int64_t n = 0; n < NCHUNKS; n++) {
        ok(tess_array_chunk(a, n, &info, err));
        sum += info.cbytes;
    }
    return sum;
}

// Whoever commits, or nobody does: the files have a quarter more than their chunks at most.
static void
overwritten(void **state)
{
    const struct way *const way = *state;
    const char *const path = files_path("array.b2nd");
    struct random random;
    tess_storage storage;
    tess_context context;
    tess_params p;
    tess_array *a = NULL;
    int64_t most = 0;

    tess_context_init(&context);
    context.cache = way->cache;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.durability = way->durability;
    storage.context = &context;
    random_init(&random, random_seed());
    tess_params_init(&p);
    p.layout = way->layout;
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = (int64_t)CHUNK * NCHUNKS;
    p.chunkshape[0] = CHUNK;
    p.blockshape[0] = CHUNK / 4;
    ok(tess_array_zeros(&storage, &p, &a, err));
    for (int64_t n = 0; n < NCHUNKS; n++)
        overwrite(a, &random, n, false);
    ok(tess_array_flush(a, err));
    for (int64_t i = 1; i <= WRITES; i++) {
        overwrite(a, &random, (int64_t)random_below(&random, NCHUNKS), i % 2 == 0);
        if (way->flush > 0 && i % way->flush == 0)
            ok(tess_array_flush(a, err));
        const int64_t size = measure(path);
        most = size > most ? size : most;
    }
    ok(tess_array_flush(a, err));
    const int64_t live = live_size(a), size = measure(path);
    most = size > most ? size : most;
    ok(tess_array_close(a, err));
    if (most > live + live / 4 + MIB)
        fail_msg("%lld bytes for chunks of %lld", (long long)most, (long long)live);
}

int
main(void)
{
    struct CMUnitTest tests[sizeof ways / sizeof ways[0]];
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        tests[i] = (struct CMUnitTest){ways[i].name, overwritten, files_setup, files_teardown,
                                       (void *)&ways[i]};
    return _cmocka_run_group_tests("space", tests, sizeof tests / sizeof tests[0], NULL, NULL);
}
