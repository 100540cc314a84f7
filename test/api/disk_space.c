/*
 * disk_space.c - how large an array gets on the disk when its chunks are overwritten.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
    int64_t most = 0, live = 0; // the largest size, and what the chunks had then

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
        if (i == WRITES)
            ok(tess_array_flush(a, err));
        const int64_t size = measure(path);
        if (size > most) {
            most = size;
            live = live_size(a);
        }
    }
    ok(tess_array_close(a, err));
    if (most > live + live / 4 + MIB)
        fail_msg("%lld bytes for chunks of %lld", (long long)most, (long long)live);
}

// -- chunks that are all overwritten between two commits

enum { SIDE = 512, DEPTH = 32, PLANES = 5 }; // 8 MiB, in 16 chunks of a whole depth

static void
write_plane(tess_array *a, struct random *random, int64_t k)
{
    static uint8_t items[SIDE * SIDE];
    const int64_t start[3] = {0, 0, k}, stop[3] = {SIDE, SIDE, k + 1};

    random_bytes(random, items, sizeof items);
    ok(tess_array_write(a, start, stop, items, sizeof items, err));
}

static void
make_cube(const tess_storage *storage, struct random *random, tess_array **a)
{
    tess_params p;
    uint8_t *const items = malloc(SIDE * SIDE * DEPTH);

    assert_non_null(items);
    random_bytes(random, items, SIDE * SIDE * DEPTH);
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 3;
    p.shape[0] = p.shape[1] = SIDE;
    p.shape[2] = p.chunkshape[2] = p.blockshape[2] = DEPTH;
    p.chunkshape[0] = p.chunkshape[1] = SIDE / 4;
    p.blockshape[0] = p.blockshape[1] = SIDE / 8;
    ok(tess_array_from(storage, &p, items, SIDE * SIDE * DEPTH, a, err));
    free(items);
}

// All are as their checksums say.
static void
check_chunks(const char *path)
{
    tess_storage storage;
    tess_verdict verdict;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    assert_int_equal(verdict.nright, verdict.nstored);
    assert_true(verdict.sealed);
    ok(tess_array_close(a, err));
}

static void
check_size(const char *path, int64_t live, const char *when, int planes)
{
    const int64_t size = measure(path);
    if (size > live * 21 / 10)
        fail_msg("%s, after %d planes: %lld bytes for chunks of %lld", when, planes,
                 (long long)size, (long long)live);
}

// Planes are written that touch all chunks, with a commit after each: the file has two states, and
// no third; closed, whenever that is, it has no more.
static void
planes(void **state)
{
    const struct way *const way = *state;
    const char *const path = files_path("cube.b2nd");
    const int64_t live = SIDE * SIDE * DEPTH; // noise
    struct random random;
    tess_storage storage;
    tess_context context;
    tess_array *a = NULL;

    tess_context_init(&context);
    context.cache = way->cache;
    tess_storage_init(&storage);
    storage.path = path;
    storage.durability = way->durability;
    storage.context = &context;
    random_init(&random, random_seed());
    for (int n = 1; n <= PLANES; n++) {
        storage.mode = TESS_MODE_REPLACE;
        make_cube(&storage, &random, &a);
        for (int k = 0; k < n; k++) {
            write_plane(a, &random, k);
            ok(tess_array_flush(a, err));
            check_size(path, live, "open", k + 1);
        }
        ok(tess_array_close(a, err));
        check_size(path, live, "closed", n);
        storage.mode = TESS_MODE_UPDATE; // and in another life
        ok(tess_array_open(&storage, &a, err));
        write_plane(a, &random, n);
        ok(tess_array_close(a, err));
        check_size(path, live, "closed again", n + 1);
        check_chunks(path);
    }
}

static const struct way plane_ways[] = {
    {"planes", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_ORDERED, 0, 1},
    {"planes, cache", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_ORDERED, 32 * MIB, 1},
    {"planes, fsync", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_FSYNC, 0, 1},
    {"planes, no syncs", TESS_LAYOUT_CONTIGUOUS, TESS_DURABILITY_NONE, 0, 1},
};

// -- closing

static tess_array *
open_cube(const char *path, bool create, bool never_reuse)
{
    struct random random;
    tess_storage storage;
    tess_array *a = NULL;

    random_init(&random, 7);
    tess_storage_init(&storage);
    storage.path = path;
    storage.never_reuse = never_reuse;
    storage.mode = create ? TESS_MODE_NEW : TESS_MODE_UPDATE;
    if (create)
        make_cube(&storage, &random, &a);
    else
        ok(tess_array_open(&storage, &a, err));
    return a;
}

// What stays of an array stood at the end of the file; it stands at the front when it is closed,
// with the same items.
static void
end_moves_down(void **state)
{
    const char *const path = files_path("cube.b2nd");
    const int64_t all = SIDE * SIDE * DEPTH;
    static uint8_t before[SIDE / 4 * SIDE * DEPTH], after[sizeof before];
    int64_t start[3] = {SIDE / 4 * 3, 0, 0}, stop[3] = {SIDE, SIDE, DEPTH};

    (void)state;
    tess_array *a = open_cube(path, true, false);
    ok(tess_array_read(a, start, stop, before, sizeof before, err));
    ok(tess_array_close(a, err));
    assert_in_range(measure(path), all, all + all / 8);

    a = open_cube(path, false, false);
    ok(tess_array_delete(a, 0, 0, SIDE / 4 * 3, err));
    ok(tess_array_close(a, err));
    assert_in_range(measure(path), all / 4, all / 4 + all / 8);

    a = open_cube(path, false, false);
    start[0] = 0;
    stop[0] = SIDE / 4;
    ok(tess_array_read(a, start, stop, after, sizeof after, err));
    assert_memory_equal(before, after, sizeof before);
    ok(tess_array_close(a, err)); // nothing was written: nor is it now
    check_chunks(path);
}

// A reader that came before may still need all of it.
static void
never_reused(void **state)
{
    const char *const path = files_path("cube.b2nd");
    const int64_t all = SIDE * SIDE * DEPTH;

    (void)state;
    ok(tess_array_close(open_cube(path, true, true), err));
    tess_array *const a = open_cube(path, false, true);
    ok(tess_array_delete(a, 0, 0, SIDE / 4 * 3, err));
    ok(tess_array_close(a, err));
    assert_true(measure(path) >= all);
}

// The last view may be closed after the array.
static void
view_closes_last(void **state)
{
    const char *const path = files_path("cube.b2nd");
    const int64_t all = SIDE * SIDE * DEPTH;
    const int64_t start[3] = {0, 0, 0}, stop[3] = {SIDE / 4, SIDE, DEPTH};
    tess_array *view = NULL;

    (void)state;
    ok(tess_array_close(open_cube(path, true, false), err));
    tess_array *const a = open_cube(path, false, false);
    ok(tess_array_delete(a, 0, 0, SIDE / 4 * 3, err));
    ok(tess_array_view_slice(a, start, stop, NULL, &view, err));
    ok(tess_array_close(a, err));
    assert_true(measure(path) >= all);
    ok(tess_array_close(view, err));
    assert_in_range(measure(path), all / 4, all / 4 + all / 8);
}

// What fails when all is committed is no failure: the file is longer.
static void
failing(void **state)
{
    const char *const path = files_path("cube.b2nd");
    const int64_t all = SIDE * SIDE * DEPTH;
    struct rlimit before, limit;

    (void)state;
    ok(tess_array_close(open_cube(path, true, false), err));
    tess_array *const a = open_cube(path, false, false);
    ok(tess_array_delete(a, 0, 0, SIDE / 4 * 3, err));
    ok(tess_array_flush(a, err));
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 4096; // nothing behind it can be written
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ok(tess_array_close(a, err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(measure(path) >= all);
    check_chunks(path);
}

int
main(void)
{
    enum {
        WAYS = sizeof ways / sizeof ways[0],
        PLANE_WAYS = sizeof plane_ways / sizeof *plane_ways
    };
    struct CMUnitTest tests[WAYS + PLANE_WAYS + 4] = {
        cmocka_unit_test_setup_teardown(end_moves_down, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(never_reused, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(view_closes_last, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(failing, files_setup, files_teardown),
    };
    for (size_t i = 0; i < WAYS; i++)
        tests[4 + i] = (struct CMUnitTest){ways[i].name, overwritten, files_setup, files_teardown,
                                           (void *)&ways[i]};
    for (size_t i = 0; i < PLANE_WAYS; i++)
        tests[4 + WAYS + i] = (struct CMUnitTest){plane_ways[i].name, planes, files_setup,
                                                  files_teardown, (void *)&plane_ways[i]};
    return _cmocka_run_group_tests("space", tests, sizeof tests / sizeof tests[0], NULL, NULL);
}
