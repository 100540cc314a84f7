/*
 * older_versions.c - arrays that Tessera 0.1.0 wrote (test/golden/tessera-0.1, listed with their
 * sha256 in SHA256SUMS): `_tess` is the whole ledger there. They are read and compared with their
 * checksums, and get the ledger of today with the next commit.
 */
#include "support/files.h"
#include "support/native.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 20, COLUMNS = 12, CHUNK_ROWS = 8, NCHUNKS = 3 };

static const char *const names[] = {"plain.b2nd", "wide_header.b2nd", "sparse.b2nd/"};

static void
copy_file(const char *from, const char *to, const char *name)
{
    char source[400], target[400];
    size_t size;
    snprintf(source, sizeof source, "%s/../tessera-0.1/%s%s", getenv("TESS_GOLDEN"), from, name);
    snprintf(target, sizeof target, "%s%s", to, name);
    uint8_t *const bytes = files_read(source, &size);
    files_write(target, bytes, size);
    free(bytes);
}

// A copy of one of the arrays, for this test.
static const char *
take(int i)
{
    static const char *const parts[] = {"/chunks.b2frame", "/00000001.chunk", "/00000002.chunk",
                                        "/00000003.chunk"};
    static char path[200];
    const size_t length = strlen(names[i]);
    snprintf(path, sizeof path, "%s", files_path(names[i]));
    if (names[i][length - 1] != '/') {
        copy_file(names[i], path, "");
        return path;
    }
    tess_storage storage; // makes the directory
    tess_params p;
    tess_array *a;
    tess_storage_init(&storage);
    tess_params_init(&p);
    path[strlen(path) - 1] = 0;
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    p.layout = TESS_LAYOUT_SPARSE;
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_close(a, err));
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        copy_file("sparse.b2nd", path, parts[k]);
    return path;
}

static tess_array *
open_array(const char *path, tess_mode mode, tess_checksums checksums)
{
    tess_storage storage;
    tess_array *a;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.checksums = checksums;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static void
check(const char *path, int32_t first)
{
    int32_t items[ROWS * COLUMNS];
    char text[400];
    tess_verdict verdict;
    tess_info info;
    void *unit;
    size_t size;
    tess_array *const a = open_array(path, TESS_MODE_READ, TESS_CHECKSUMS_VERIFY);
    ok(tess_array_read(a, (const int64_t[]){0, 0}, (const int64_t[]){ROWS, COLUMNS}, items,
                       sizeof items, err));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        assert_int_equal(little_i4(items[i]), i == 0 ? first : i * i % 97);
    tess_array_info(a, &info);
    assert_int_equal(info.nvlmetalayers, 1);
    ok(tess_vlmeta_get(a, "unit", &unit, &size, err));
    assert_true(size == 5 && memcmp(unit, "metre", 5) == 0);
    tess_free(unit);
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    snprintf(text, sizeof text, "%lld of %lld", (long long)verdict.nright,
             (long long)verdict.nstored);
    assert_string_equal(text, "3 of 3");
    assert_true(verdict.sealed && !verdict.header_changed && !verdict.checksums_damaged);
    ok(tess_array_close(a, err));
}

static void
are_read_and_changed(void **state)
{
    const int32_t item = little_i4(7);
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const path = take((int)i);
        check(path, 1000);
        tess_array *const a = open_array(path, TESS_MODE_UPDATE, TESS_CHECKSUMS_WRITE);
        ok(tess_array_write(a, (const int64_t[]){0, 0}, (const int64_t[]){1, 1}, &item, sizeof item,
                            err));
        ok(tess_array_close(a, err));
        check(path, 7);
    }
}

// The checksums of the old ledger find a damaged chunk, and its copy of the header repairs one.
static void
are_compared_and_repaired(void **state)
{
    (void)state;
    const char *const path = take(0);
    const char *const mended = files_path("mended.b2nd");
    tess_storage source, target;
    tess_repair_report report;
    tess_verdict verdict;
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    const size_t head = (size_t)bytes[13] << 8 | bytes[14];
    bytes[head + 33 + 8] ^= 4; // in the first chunk
    files_write(path, bytes, size);
    tess_array *const a = open_array(path, TESS_MODE_READ, TESS_CHECKSUMS_WRITE);
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    ok(tess_array_close(a, err));
    assert_int_equal(verdict.ndamaged + verdict.nright, NCHUNKS);
    bytes[head + 33 + 8] ^= 4;

    bytes[117] ^= 1; // a shape
    files_write(path, bytes, size);
    free(bytes);
    tess_storage_init(&source);
    tess_storage_init(&target);
    source.path = path;
    target.path = mended;
    target.mode = TESS_MODE_NEW;
    ok(tess_repair(&source, &target, NULL, &report, err));
    assert_true(report.header_damaged && report.checked && report.nlost == 0);
    check(mended, 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(are_read_and_changed),
        IN_A_FOLDER(are_compared_and_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
