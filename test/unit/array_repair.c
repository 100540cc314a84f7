/*
 * array_repair.c - tests of array/repair and array/sealed_header: what becomes of an array some of
 * whose bytes are others, and what is said of a header that is not the committed one.
 */
#include "array/keep/keep.h"

#include "array/open/open.h"
#include "frame/query.h"
#include "io/memory.h"
#include "support/files.h"
#include "support/random.h"
#include "task/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 40, COLUMNS = 30, CHUNK = 10, NCHUNKS = 12 };

static const uint16_t filling = 0x0707;

// An array of 12 chunks, all of noise, with a fill value, at `path`.
static void
make(const char *path, struct reference *ref, struct random *r)
{
    const int64_t shape[] = {ROWS, COLUMNS};
    tess_storage storage;
    tess_params p;
    tess_array *a;
    tess_storage_init(&storage);
    tess_params_init(&p);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    p.dtype = "<u2";
    p.typesize = 2;
    p.ndim = 2;
    memcpy(p.shape, shape, sizeof shape);
    p.chunkshape[0] = p.chunkshape[1] = CHUNK;
    p.fill = &filling;
    p.fill_size = sizeof filling;
    reference_init(ref, 2, shape, 2);
    random_bytes(r, ref->data, reference_size(ref));
    ok(tess_array_from(&storage, &p, ref->data, reference_size(ref), &a, err));
    ok(tess_attr_set(a, "units", &(tess_value){.type = TESS_VALUE_BOOL, .as = {.boolean = true}},
                     err));
    ok(tess_array_close(a, err));
}

// Where the stored bytes of chunk n are, and how many.
static int64_t
find_chunk(const char *path, int64_t n, int32_t *size)
{
    tess_storage storage;
    tess_array *a;
    tess_chunk_info info;
    tess_storage_init(&storage);
    storage.path = path;
    ok(tess_array_open(&storage, &a, err));
    const struct frame *const f = a->grid->frame;
    ok(tess_array_chunk(a, n, &info, err));
    *size = (int32_t)info.cbytes;
    size_t head_size;
    (void)frame_head(f, &head_size);
    const int64_t position = (int64_t)head_size + frame_entry(f, n);
    tess_array_discard(a);
    return position;
}

static void
chunk_box(int64_t n, int64_t *start, int64_t *stop)
{
    start[0] = n / 3 * CHUNK;
    start[1] = n % 3 * CHUNK;
    stop[0] = start[0] + CHUNK;
    stop[1] = start[1] + CHUNK;
}

struct heard {
    bool lost[NCHUNKS];
    int n;
};

static void
hear(const tess_lost *lost, void *user)
{
    struct heard *const h = user;
    int64_t start[2], stop[2];
    assert_in_range(lost->chunk, 0, NCHUNKS - 1);
    assert_false(h->lost[lost->chunk]);
    h->lost[lost->chunk] = true;
    h->n++;
    chunk_box(lost->chunk, start, stop);
    assert_int_equal(lost->ndim, 2);
    assert_memory_equal(lost->start, start, sizeof start);
    assert_memory_equal(lost->stop, stop, sizeof stop);
    assert_string_not_equal(lost->why, "");
}

static tess_status
repair(const char *from, const char *to, struct heard *heard, tess_repair_report *report,
       tess_error *err)
{
    static const tess_context context = {0};
    tess_repair_options options;
    tess_storage source, target;
    struct watch watch;
    tess_repair_options_init(&options);
    options.lost = hear;
    options.user = heard;
    tess_storage_init(&source);
    source.path = from;
    tess_storage_init(&target);
    target.path = to;
    target.mode = TESS_MODE_NEW;
    *heard = (struct heard){0};
    watch_begin(&watch, &context, 1000);
    return watch_end(&watch, array_repair(&source, &target, &options, report, &watch, err));
}

// Chunks with a byte that is another one become the fill value; all else is as it was, and told.
static void
chunks_lost(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(60, 3000); i > 0; i--) {
        const char *const from = files_path("from"), *const to = files_path("to");
        bool damaged[NCHUNKS] = {false};
        struct heard heard;
        struct reference ref;
        tess_repair_report report;
        size_t size;
        int ndamaged = 0;
        make(from, &ref, &r);
        uint8_t *const bytes = files_read(from, &size);
        for (uint64_t k = random_below(&r, 5); k > 0; k--) {
            const int64_t n = (int64_t)random_below(&r, NCHUNKS);
            int64_t start[2], stop[2];
            uint16_t lost[CHUNK * CHUNK];
            int32_t stored;
            if (damaged[n])
                continue;
            damaged[n] = true;
            ndamaged++;
            const int64_t at = find_chunk(from, n, &stored);
            bytes[at + (int64_t)random_below(&r, (uint64_t)stored)] ^=
                (uint8_t)(1 + random_below(&r, 255));
            for (int j = 0; j < CHUNK * CHUNK; j++)
                lost[j] = filling;
            chunk_box(n, start, stop);
            reference_set(&ref, start, stop, lost);
        }
        files_write(from, bytes, size);
        ok(repair(from, to, &heard, &report, err));
        assert_int_equal(report.nchunks, NCHUNKS);
        assert_int_equal(report.nlost, ndamaged);
        assert_int_equal(heard.n, ndamaged);
        assert_memory_equal(heard.lost, damaged, sizeof damaged);
        assert_int_equal(report.complete, ndamaged == 0);
        assert_true(report.checked);
        assert_int_equal(report.nlayers_lost, 0);
        check_file(to, &ref);
        free(bytes);
        reference_finish(&ref);
        files_remove(from);
        files_remove(to);
    }
}

// Not into the place of what is repaired; and of what is no array nothing is made.
static void
not_made(void **state)
{
    const char *const path = files_path("array"), *const link = files_path("link");
    const char *const to = files_path("to");
    struct heard heard;
    struct reference ref;
    struct random r;
    tess_repair_report report;
    tess_error err;
    char garbage[3000];
    (void)state;
    random_init(&r, 1);
    make(path, &ref, &r);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(repair(path, path, &heard, &report, &err), TESS_ERR_ARG);
    assert_int_equal(repair(path, link, &heard, &report, &err), TESS_ERR_ARG);
    assert_int_equal(repair(link, path, &heard, &report, &err), TESS_ERR_ARG);
    check_file(path, &ref);
    reference_finish(&ref);
    files_remove(link);
    random_bytes(&r, garbage, sizeof garbage);
    files_write(path, garbage, sizeof garbage);
    assert_int_not_equal(repair(path, to, &heard, &report, &err), TESS_OK);
    assert_false(files_exist(to));
    files_remove(path);
    assert_int_equal(repair(path, to, &heard, &report, &err), TESS_ERR_NOT_FOUND);
    assert_int_equal(files_count(), 0);
}

static void
keep_header_told(const tess_damage *d, void *user)
{
    char *const message = user;
    if (d->of == TESS_DAMAGED_HEADER)
        snprintf(message, sizeof(tess_error), "%s", d->message);
}

// Every byte of the header that an array opens with although it is another one is told of.
static void
header_told(void **state)
{
    const char *const path = files_path("array");
    struct reference ref;
    struct random r;
    size_t size;
    int opened = 0, told = 0, shapes = 0;
    (void)state;
    random_init(&r, 2);
    make(path, &ref, &r);
    uint8_t *const bytes = files_read(path, &size);
    int32_t unused;
    const size_t head = (size_t)find_chunk(path, 0, &unused);
    for (size_t at = 0; at < head && at < 600; at++) {
        struct home home = {0};
        tess_storage storage;
        tess_array *a;
        char message[sizeof(tess_error)] = "";
        tess_verdict verdict;
        tess_storage_init(&storage);
        bytes[at] ^= 4;
        ok(io_memory_view(bytes, size, &home.at.io, err));
        if (array_open(&home, &storage, &a, NULL) == TESS_OK) {
            opened++;
            if (frame_header_is_changed(a->grid->frame)) {
                (void)array_verify(a, keep_header_told, message, &verdict, NULL);
                assert_true(verdict.header_changed);
                told++;
                shapes += strstr(message, "the shape is 40x30 as committed") != NULL;
                assert_non_null(strstr(message, "as committed"));
            }
            array_free(a);
        }
        bytes[at] ^= 4;
    }
    assert_true(opened > 0 && told > 0);
    assert_true(shapes > 0);
    free(bytes);
    reference_finish(&ref);
    files_remove(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_lost),
        cmocka_unit_test(not_made),
        cmocka_unit_test(header_told),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
