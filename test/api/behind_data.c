/*
 * behind_data.c - arrays made behind other data in a file.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"
#include "support/saved_arrays.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void
check_inside(const char *name, int64_t offset, const struct reference *r)
{
    tess_info info;
    size_t size;
    for (int mapped = 0; mapped < 2; mapped++) {
        tess_array *const a = saved_reopen(name, TESS_MODE_READ, mapped, offset);
        check_array(a, r);
        tess_array_info(a, &info);
        assert_int_equal(info.offset, offset);
        assert_false(info.writable);
        ok(tess_array_close(a, err));
    }
    uint8_t *const bytes = files_read(files_path(name), &size);
    tess_storage storage;
    tess_array *a;
    tess_storage_init(&storage);
    storage.image = bytes;
    storage.image_size = size;
    storage.offset = offset;
    ok(tess_array_open(&storage, &a, err));
    check_array(a, r);
    ok(tess_array_close(a, err));
    free(bytes);
}

static void
check_front(const char *name, const uint8_t *front, size_t front_size)
{
    size_t size;
    uint8_t *const bytes = files_read(files_path(name), &size);
    assert_true(size > front_size);
    if (front_size > 0)
        assert_memory_equal(bytes, front, front_size);
    free(bytes);
}

// Each behind the ones before, changed until it is closed.
static void
behind_other_data(void **state)
{
    static const size_t fronts[] = {0, 1, 511, 4096, 100001};
    struct random random;

    (void)state;
    random_init(&random, random_seed());
    for (size_t i = 0; i < COUNT(fronts); i++) {
        struct reference r[3];
        int64_t offsets[3];
        uint8_t *const front = malloc(fronts[i] + 1);
        assert_non_null(front);
        random_bytes(&random, front, fronts[i]);
        files_write(files_path("host"), front, fronts[i]);
        for (int k = 0; k < 3; k++) {
            const int64_t shrunk[] = {9, COLUMNS}, grown[] = {50, COLUMNS + 3};
            tess_info info;
            struct stat before;
            assert_int_equal(stat(files_path("host"), &before), 0);
            saved_reference(&r[k], random_next(&random));
            tess_array *const a =
                saved_make("host", TESS_MODE_APPEND, TESS_LAYOUT_CONTIGUOUS, &r[k]);
            tess_array_info(a, &info);
            offsets[k] = info.offset;
            assert_int_equal(info.offset, before.st_size);
            assert_true(info.writable);
            check_array(a, &r[k]);
            check_inside("host", offsets[k], &r[k]); // to others
            struct reference committed;
            reference_copy(&committed, &r[k]);
            saved_change(a, &r[k]);
            check_array(a, &r[k]);
            check_inside("host", offsets[k], &committed);
            reference_finish(&committed);
            ok(tess_array_flush(a, err));
            check_inside("host", offsets[k], &r[k]);
            ok(tess_array_resize(a, shrunk, err));
            reference_resize(&r[k], shrunk);
            ok(tess_array_flush(a, err));
            if (k != 1) {
                ok(tess_array_resize(a, grown, err));
                reference_resize(&r[k], grown);
            }
            ok(tess_array_close(a, err));
            check_front("host", front, fronts[i]);
            for (int m = 0; m <= k; m++)
                check_inside("host", offsets[m], &r[m]);
        }
        for (int k = 0; k < 3; k++)
            reference_finish(&r[k]);
        free(front);
        assert_int_equal(files_count(), 1);
    }
}

static void
behind_fails(void **state)
{
    const tess_storage behind = saved_at("host", TESS_MODE_APPEND);
    tess_storage missing = saved_at("missing", TESS_MODE_APPEND);
    tess_params params;
    struct reference r;
    tess_array *a;

    (void)state;
    saved_reference(&r, 1);
    files_write(behind.path, saved_junk, JUNK);
    saved_params(&params, TESS_LAYOUT_CONTIGUOUS);
    refused(TESS_ERR_NOT_FOUND, tess_array_zeros(&missing, &params, &a, err));
    assert_int_equal(mkdir(files_path("folder"), 0777), 0);
    missing.path = files_path("folder");
    refused(TESS_ERR_IO, tess_array_zeros(&missing, &params, &a, err));
    params.layout = TESS_LAYOUT_SPARSE;
    refused(TESS_ERR_ARG, tess_array_zeros(&behind, &params, &a, err));

    // Once the file is open; once something is written.
    saved_params(&params, TESS_LAYOUT_CONTIGUOUS);
    params.codec = (tess_codec)200;
    refused(TESS_ERR_UNSUPPORTED,
            tess_array_from(&behind, &params, r.data, reference_size(&r), &a, err));
    saved_params(&params, TESS_LAYOUT_CONTIGUOUS);
    for (rlim_t more = 1; more < 4000; more += 97) {
        with_small_files(JUNK + more,
                         tess_array_from(&behind, &params, r.data, reference_size(&r), &a, NULL));
        assert_null(a);
        saved_check_junk("host");
    }
    assert_int_equal(files_count(), 2);
    reference_finish(&r);
}

static void
behind_writers(void **state)
{
    const tess_storage behind = saved_at("host", TESS_MODE_APPEND),
                       update = saved_at("host", TESS_MODE_UPDATE);
    tess_params params;
    struct reference r, s;
    tess_array *b;
    tess_info info;

    (void)state;
    saved_reference(&r, 1);
    saved_reference(&s, 2);
    saved_params(&params, TESS_LAYOUT_CONTIGUOUS);
    ok(tess_array_close(saved_make("host", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r), err));
    tess_array *a = saved_make("host", TESS_MODE_APPEND, TESS_LAYOUT_CONTIGUOUS, &s);
    tess_array_info(a, &info);
    refused(TESS_ERR_IO, tess_array_zeros(&behind, &params, &b, err));
    refused(TESS_ERR_IO, tess_array_open(&update, &b, err));
    refused(TESS_ERR_ARG, tess_array_save(a, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    tess_array *const reader = saved_reopen("host", TESS_MODE_READ, false, 0);
    refused(TESS_ERR_IO, tess_array_save(reader, &behind, TESS_LAYOUT_CONTIGUOUS, err));
    check_array(reader, &r);
    ok(tess_array_close(reader, err));
    saved_change(a, &s);
    saved_check_copies(a, TESS_OK);
    ok(tess_array_close(a, err));
    check_file(files_path("host"), &r);
    check_inside("host", info.offset, &s);

    tess_storage inside = saved_at("host", TESS_MODE_UPDATE);
    inside.offset = info.offset;
    refused(TESS_ERR_UNSUPPORTED, tess_array_open(&inside, &b, err));
    refused(TESS_ERR_UNSUPPORTED, tess_array_open(&update, &b, err)); // would overwrite the other
    check_file(files_path("host"), &r);
    check_inside("host", info.offset, &s);
    reference_finish(&s);
    reference_finish(&r);
}

// Whatever lies between the two, and wherever the second one starts in what is read at once.
static void
behind_leftovers(void **state)
{
    enum { PIECE = 65536 };
    static uint8_t gap[2 * PIECE];
    struct reference r;
    size_t size;

    (void)state;
    saved_reference(&r, 1);
    ok(tess_array_close(saved_make("host", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS, &r), err));
    uint8_t *const frame = files_read(files_path("host"), &size);
    uint8_t *const bytes = malloc(2 * size + sizeof gap);
    assert_non_null(bytes);
    memcpy(bytes, frame, size);
    for (size_t n = 0; n < sizeof gap; n += n == 2            ? PIECE - 20
                                            : n == PIECE + 20 ? PIECE - 30
                                                              : 1) {
        const tess_storage update = saved_at("host", TESS_MODE_UPDATE);
        tess_array *a;
        memset(bytes + size, 0xa8, n);
        files_write(files_path("host"), bytes, size + n);
        ok(tess_array_close(saved_reopen("host", TESS_MODE_UPDATE, false, 0), err));
        memcpy(bytes + size + n, frame, size);
        files_write(files_path("host"), bytes, 2 * size + n);
        refused(TESS_ERR_UNSUPPORTED, tess_array_open(&update, &a, err));
    }
    free(bytes);
    free(frame);
    reference_finish(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(behind_other_data, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(behind_fails, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(behind_writers, saved_begin, files_teardown),
        cmocka_unit_test_setup_teardown(behind_leftovers, saved_begin, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
