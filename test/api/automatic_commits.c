/*
 * automatic_commits.c - what other handles see of an array that is written for long: automatic
 * commits, and none of them with tess_storage.explicit_commits.
 */
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROW = 1 << 16 };

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

static tess_array *
open_reader(const char *path)
{
    const tess_storage storage = at(path, TESS_MODE_READ);
    tess_array *a = NULL;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

// Rows of bytes, stored as they are.
static tess_array *
create_rows(const tess_storage *storage, tess_layout layout, int64_t nrows)
{
    tess_params p;
    tess_array *a = NULL;
    tess_params_init(&p);
    p.typesize = 1;
    p.clevel = 0;
    p.layout = layout;
    p.ndim = 2;
    p.shape[0] = nrows;
    p.shape[1] = p.chunkshape[1] = ROW;
    p.chunkshape[0] = 64;
    p.blockshape[0] = 8;
    p.blockshape[1] = ROW / 4;
    ok(tess_array_zeros(storage, &p, &a, err));
    return a;
}

// What automatic commits have of an array that grows: each append as a whole, also if its blocks
// waited in the cache.
static void
appends_in_commits(void **state)
{
    enum { ROWS = 3000, BATCH = 3 };
    const char *const path = files_path("grown.b2nd");
    const tess_storage storage = at(path, TESS_MODE_NEW);
    uint8_t *const rows = malloc((size_t)BATCH * ROW);
    int commits = 0;
    tess_info info;
    (void)state;

    assert_non_null(rows);
    tess_array *const a = create_rows(&storage, TESS_LAYOUT_CONTIGUOUS, 0);
    tess_array *const reader = open_reader(path);
    for (int64_t n = 0; n < ROWS; n += BATCH) {
        const int64_t shape[2] = {n + BATCH, ROW}, start[2] = {n, 0};
        bool changed;
        for (int64_t i = 0; i < BATCH; i++)
            memset(rows + i * ROW, 1 + (int)(n + i) % 255, ROW);
        if (n % 2)
            ok(tess_array_resize_write(a, shape, start, shape, rows, (size_t)BATCH * ROW, NULL,
                                       err));
        else
            ok(tess_array_append(a, 0, BATCH, rows, (size_t)BATCH * ROW, NULL, err));
        ok(tess_array_refresh(reader, &changed, err));
        if (!changed)
            continue;
        commits++;
        tess_array_info(reader, &info);
        for (int64_t i = 0; i < info.shape[0]; i++) {
            const int64_t from[2] = {i, 0}, to[2] = {i + 1, ROW};
            ok(tess_array_read(reader, from, to, rows, ROW, err));
            for (int64_t k = 0; k < ROW; k += ROW / 4)
                assert_int_equal(rows[k], 1 + i % 255);
        }
    }
    assert_in_range(commits, 2, ROWS / BATCH / 10);
    ok(tess_array_close(reader, err));
    tess_array_discard(a);
    free(rows);
}

// Rows that are not one value, which would not be stored.
static void
fill(uint8_t *rows, int64_t nrows, int number)
{
    for (int64_t i = 0; i < nrows * ROW; i++)
        rows[i] = (uint8_t)(number + i % ROW);
}

// A reader of the file finds nothing new.
static void
check_unchanged(tess_array *reader)
{
    bool changed;
    ok(tess_array_refresh(reader, &changed, err));
    assert_false(changed);
}

// Appends, and rows overwritten, each of which is enough for automatic commits; also while the
// cache is written back. Then one commit has all of it.
static void
explicit_commits(void **state)
{
    enum { FIRST = 128, ROUNDS = 20, BATCH = 64, LAST = FIRST + ROUNDS * BATCH };
    const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    uint8_t *const rows = malloc((size_t)FIRST * ROW);
    (void)state;
    assert_non_null(rows);
    for (size_t i = 0; i < 2; i++) {
        const char *const path = files_path("explicit.b2nd");
        tess_storage storage = at(path, TESS_MODE_NEW);
        const int64_t start[2] = {0, 0}, stop[2] = {FIRST, ROW};
        tess_info info;
        storage.explicit_commits = true;
        tess_array *const a = create_rows(&storage, layouts[i], FIRST);
        tess_array *reader = open_reader(path);
        for (int round = 0; round < ROUNDS; round++) {
            fill(rows, FIRST, round + 1);
            ok(tess_array_append(a, 0, BATCH, rows, (size_t)BATCH * ROW, NULL, err));
            check_unchanged(reader);
            ok(tess_array_write(a, start, stop, rows, (size_t)FIRST * ROW, err));
            for (int64_t row = 0; row < FIRST; row += 3) { // waits in the cache
                const int64_t from[2] = {row, 1}, to[2] = {row + 1, 2};
                ok(tess_array_write(a, from, to, rows + 1, 1, err));
            }
            check_unchanged(reader);
        }
        tess_array_info(reader, &info);
        assert_int_equal(info.shape[0], FIRST);
        ok(tess_array_flush(a, err));
        ok(tess_array_close(reader, err));
        reader = open_reader(path);
        tess_array_info(reader, &info);
        assert_int_equal(info.shape[0], LAST);
        for (int64_t row = 0; row < LAST; row++) {
            const int64_t from[2] = {row, 0}, to[2] = {row + 1, ROW};
            ok(tess_array_read(reader, from, to, rows, ROW, err));
            const int want = row < FIRST ? ROUNDS : 1 + (int)(row - FIRST) / BATCH;
            for (int64_t k = 0; k < ROW; k += 1000)
                assert_int_equal(rows[k], (uint8_t)(want + k));
        }
        ok(tess_array_close(reader, err));
        ok(tess_array_close(a, err));
        files_remove(path);
    }
    free(rows);
}

// Nor do calls that fail commit.
static void
refused_image(void **state)
{
    const char *const path = files_path("no_image.b2nd");
    const tess_storage storage = at(path, TESS_MODE_NEW);
    const int64_t start[2] = {0, 0}, stop[2] = {64, ROW};
    uint8_t *const rows = malloc((size_t)64 * ROW);
    const void *image;
    size_t size;
    (void)state;
    assert_non_null(rows);
    fill(rows, 64, 7);
    tess_array *const a = create_rows(&storage, TESS_LAYOUT_CONTIGUOUS, 64);
    tess_array *const reader = open_reader(path);
    ok(tess_array_write(a, start, stop, rows, (size_t)64 * ROW, err));
    refused(TESS_ERR_ARG, tess_array_image(a, &image, &size, err));
    check_unchanged(reader);
    ok(tess_array_close(reader, err));
    ok(tess_array_close(a, err));
    free(rows);
}

// Without a flush nothing is there.
static void
discarded(void **state)
{
    const char *const path = files_path("left.b2nd");
    tess_storage storage = at(path, TESS_MODE_NEW);
    uint8_t *const rows = malloc((size_t)1024 * ROW);
    tess_info info;
    (void)state;
    assert_non_null(rows);
    fill(rows, 1024, 7);
    for (int explicit_too = 0; explicit_too <= 1; explicit_too++) {
        storage.explicit_commits = explicit_too;
        tess_array *a = create_rows(&storage, TESS_LAYOUT_CONTIGUOUS, 0);
        for (int i = 0; i < 3; i++)
            ok(tess_array_append(a, 0, 1024, rows, (size_t)1024 * ROW, NULL, err));
        tess_array_discard(a);
        a = open_reader(path);
        tess_array_info(a, &info);
        assert_int_equal(info.shape[0] > 0, !explicit_too);
        ok(tess_array_close(a, err));
        files_remove(path);
    }
    free(rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(appends_in_commits),
        IN_A_FOLDER(explicit_commits),
        IN_A_FOLDER(refused_image),
        IN_A_FOLDER(discarded),
    };
    return cmocka_run_group_tests_name("commits", tests, NULL, NULL);
}
