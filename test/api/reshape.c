/*
 * reshape.c - fill values, and items inserted, deleted and appended anywhere.
 *
 * Small grids where every position and amount is tried; arguments that are refused; a disk that is
 * full in the middle. random_lives.c draws the same calls at random.
 */
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    return storage;
}

static tess_params
params_of(const char *dtype, int64_t rows, int64_t columns)
{
    tess_params p;
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = 2;
    p.shape[0] = rows;
    p.shape[1] = columns;
    p.chunkshape[0] = 4;
    p.chunkshape[1] = 3;
    p.blockshape[0] = p.blockshape[1] = 2;
    return p;
}

// An array of int32 that counts, in memory or a file, and what it holds.
static tess_array *
counting(const char *path, const tess_params *p, int32_t first, struct reference *r)
{
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    tess_array *a = NULL;

    reference_init(r, p->ndim, p->shape, 4);
    if (p->fill)
        reference_grow_with(r, p->fill);
    for (int32_t i = 0; (size_t)i < reference_size(r) / 4; i++) {
        const int32_t item = first + i;
        memcpy(r->data + 4 * (size_t)i, &item, 4);
    }
    ok(tess_array_from(&storage, p, r->data, reference_size(r), &a, err));
    return a;
}

static void
resize(tess_array *a, struct reference *r, int64_t rows, int64_t columns)
{
    ok(tess_array_resize(a, (const int64_t[]){rows, columns}, err));
    reference_resize(r, (const int64_t[]){rows, columns});
    check_array(a, r);
}

static void
assert_shape(const tess_array *a, int64_t rows, int64_t columns)
{
    tess_info info;

    tess_array_info(a, &info);
    assert_int_equal(info.shape[0], rows);
    assert_int_equal(info.shape[1], columns);
}

static tess_array *
reopen(tess_array *a, const char *path)
{
    const tess_storage storage = at(path, TESS_MODE_UPDATE);
    tess_array *again = NULL;
    ok(tess_array_close(a, err));
    ok(tess_array_open(&storage, &again, err));
    return again;
}

// -- fill values

enum { UNINIT, ZEROS, FROM, FULL, NANS, KINDS };

static tess_array *
filled(int kind, const tess_storage *storage, tess_params *p, const void *item, struct reference *r)
{
    tess_array *a = NULL;

    reference_init(r, p->ndim, p->shape, 8);
    reference_grow_with(r, item);
    if (kind >= FULL)
        reference_fill(r, item);
    if (kind != NANS && kind != FULL) {
        p->fill = item;
        p->fill_size = 8;
    }
    if (kind == UNINIT)
        ok(tess_array_uninit(storage, p, &a, err));
    else if (kind == ZEROS)
        ok(tess_array_zeros(storage, p, &a, err));
    else if (kind == FROM)
        ok(tess_array_from(storage, p, r->data, reference_size(r), &a, err));
    else if (kind == FULL)
        ok(tess_array_full(storage, p, item, 8, &a, err));
    else
        ok(tess_array_nan(storage, p, &a, err));
    return a;
}

// Grown, shrunk and grown again, and again after it was opened.
static void
fill_values(void **state)
{
    static const uint8_t items[][8] = {
        {0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, {1, 2, 3, 4, 5, 6, 7, 8}, {0, 0, 0, 0, 0, 0, 0, 0x80}, {0}};
    const char *path = files_path("array.b2nd");

    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < (kind == NANS ? 1 : 4); i++) {
            const tess_storage storage = at(path, TESS_MODE_REPLACE);
            tess_params p = params_of("<f8", 6, 5);
            struct reference r;
            tess_metalayer layer;
            tess_info info;
            tess_array *a = filled(kind, &storage, &p, items[i], &r);

            for (int life = 0; life < 2; life++) {
                check_array(a, &r);
                tess_array_info(a, &info);
                // Where it is kept is no metalayer to programs.
                assert_int_equal(info.nmetalayers, 1);
                refused(TESS_ERR_ARG, tess_meta_at(a, 1, &layer, err));
                refused(TESS_ERR_NOT_FOUND, tess_meta_get(a, "tess_fill", &layer, err));
                refused(TESS_ERR_ARG, tess_meta_set(a, "tess_fill", items[i], 8, err));
                if (i < 3)
                    assert_memory_equal(info.fill, items[i], 8);
                else
                    assert_null(info.fill);
                resize(a, &r, 7, 5); // padding alone
                resize(a, &r, 17, 11);
                reference_set(&r, (const int64_t[]){1, 1}, (const int64_t[]){2, 2}, "oneitem");
                ok(tess_array_write(a, (const int64_t[]){1, 1}, (const int64_t[]){2, 2}, "oneitem",
                                    8, err));
                resize(a, &r, 2, 1);
                resize(a, &r, 0, 5);
                resize(a, &r, 9, 8);
                a = reopen(a, path);
            }
            ok(tess_array_close(a, err));
            check_file(path, &r);
            reference_finish(&r);
        }
}

// A copy grows as the array does.
static void
fill_is_saved(void **state)
{
    const int32_t item = 77;
    const char *path = files_path("copy.b2nd");
    const tess_storage storage = at(path, TESS_MODE_NEW);
    const tess_storage again = at(path, TESS_MODE_UPDATE);
    tess_params p = params_of("<i4", 5, 5);
    struct reference r;
    tess_array *copy = NULL;

    (void)state;
    p.fill = &item;
    p.fill_size = sizeof item;
    tess_array *const a = counting(NULL, &p, 0, &r);
    ok(tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    ok(tess_array_close(a, err));
    ok(tess_array_open(&again, &copy, err));
    resize(copy, &r, 9, 9);
    ok(tess_array_close(copy, err));
    reference_finish(&r);
}

// A list that is NaNs throughout stays one entry, whatever its length.
static void
fill_takes_no_space(void **state)
{
    const tess_storage storage = at(NULL, TESS_MODE_NEW);
    const tess_params p = params_of("<f8", 0, 3);
    tess_array *a = NULL;
    tess_info info;

    (void)state;
    ok(tess_array_nan(&storage, &p, &a, err));
    ok(tess_array_resize(a, (const int64_t[]){400 * 1000 * 1000, 3}, err));
    ok(tess_array_delete(a, 0, 1001, 1334, err));
    ok(tess_array_resize_at(a, (const int64_t[]){400 * 1000 * 1000, 3}, (const int64_t[]){5, 3},
                            err));
    ok(tess_array_flush(a, err));
    tess_array_info(a, &info);
    assert_true(info.file_size < 1000);
    ok(tess_array_close(a, err));
}

static void
fill_refused(void **state)
{
    const tess_storage storage = at(NULL, TESS_MODE_NEW);
    const double nan_item = 1.5;
    const tess_metalayer layer = {"tess_fill", "x", 1};
    const size_t large = (1 << 20) + 8;
    uint8_t *const wide = calloc(1, large);
    tess_params p = params_of("<f8", 5, 5);
    tess_array *a = NULL;

    (void)state;
    p.fill = &nan_item;
    p.fill_size = 7;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &p, &a, err));
    p.fill_size = 8;
    refused(TESS_ERR_ARG, tess_array_nan(&storage, &p, &a, err));
    refused(TESS_ERR_ARG, tess_array_full(&storage, &p, "another!", 8, &a, err));
    ok(tess_array_full(&storage, &p, &nan_item, 8, &a, err));
    refused(TESS_ERR_ARG, tess_meta_set(a, "tess_fill", "0123456789", 10, err));
    ok(tess_array_close(a, err));
    p.fill = NULL;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &p, &a, err));
    p.fill_size = 0;
    p.metalayers = &layer;
    p.nmetalayers = 1;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &p, &a, err));

    tess_params_init(&p);
    assert_non_null(wide);
    p.typesize = (int32_t)large;
    p.fill = wide;
    p.fill_size = large;
    ok(tess_array_zeros(&storage, &p, &a, err)); // zeros are not kept
    ok(tess_array_close(a, err));
    wide[3] = 1;
    refused(TESS_ERR_LIMIT, tess_array_zeros(&storage, &p, &a, err));
    free(wide);
}

// The layer in a file: bytes that are no bin of one item.
static void
fill_damaged(void **state)
{
    static const struct {
        const char *why;
        uint8_t head[2];
    } cases[] = {
        {"an array", {0x98, 0x04}},
        {"longer than the layer", {0xc4, 0x05}},
        {"shorter than the layer", {0xc4, 0x03}},
        {"a length of two bytes", {0xc5, 0x04}},
    };
    static const uint8_t item[] = {0x1a, 0x2b, 0x3c, 0x4d};
    const char *path = files_path("array.b2nd");
    tess_params p = params_of("<i4", 5, 5);
    struct reference r;
    size_t size;

    (void)state;
    p.fill = item;
    p.fill_size = 4;
    ok(tess_array_close(counting(path, &p, 0, &r), err));
    reference_finish(&r);
    uint8_t *const bytes = files_read(path, &size);
    size_t head = 0;
    while (memcmp(bytes + head, "\xc4\x04\x1a\x2b\x3c\x4d", 6) != 0)
        head++;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tess_storage storage = at(path, TESS_MODE_READ);
        tess_array *a = NULL;
        memcpy(bytes + head, cases[i].head, 2);
        files_write(path, bytes, size);
        refused(TESS_ERR_CORRUPT, tess_array_open(&storage, &a, err));
    }
    free(bytes);
}

// -- insert and delete

// Every position and amount along both axes of a small grid.
static void
every_place(void **state)
{
    static const int32_t layers[20 * 20];

    (void)state;
    for (int axis = 0; axis < 2; axis++)
        for (int64_t position = 0; position <= 10; position++)
            for (int64_t count = 0; count <= 9; count++) {
                const tess_params p = params_of("<i4", 10, 10);
                struct reference r;
                tess_array *const a = counting(NULL, &p, 1, &r);

                ok(tess_array_insert(a, axis, position, count, layers, (size_t)count * 40, NULL,
                                     err));
                reference_insert(&r, axis, position, count, layers);
                check_array(a, &r);
                ok(tess_array_delete(a, axis, position, position + count, err));
                reference_delete(&r, axis, position, count);
                check_array(a, &r);
                if (count <= 10 - position) {
                    ok(tess_array_delete(a, axis, position, position + count, err));
                    reference_delete(&r, axis, position, count);
                }
                resize(a, &r, 13, 13); // what is left behind the ends does not show
                ok(tess_array_close(a, err));
                reference_finish(&r);
            }
}

// No file may be longer than that.
static void
limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// Multiples of the chunk leave chunks as they are stored: nothing can be written meanwhile.
static void
rows_move_in_the_list(void **state)
{
    const char *path = files_path("array.b2nd");
    const tess_params p = params_of("<i4", 40, 30);
    struct reference r;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    tess_array *const a = counting(path, &p, 1, &r);
    limit_files(1);
    ok(tess_array_delete(a, 1, 6, 15, err));
    ok(tess_array_resize_at(a, (const int64_t[]){48, 27}, (const int64_t[]){4, 3}, err));
    limit_files(RLIM_INFINITY);
    reference_delete(&r, 1, 6, 9);
    reference_insert(&r, 0, 4, 8, NULL);
    reference_insert(&r, 1, 3, 6, NULL);
    check_array(a, &r);
    ok(tess_array_close(a, err));
    check_file(path, &r);
    reference_finish(&r);
}

static void
axes_of_no_items(void **state)
{
    const tess_params p = params_of("<i4", 0, 5);
    const int32_t row[5] = {1, 2, 3, 4, 5};
    struct reference r;

    (void)state;
    tess_array *const a = counting(NULL, &p, 1, &r);
    ok(tess_array_insert(a, 1, 2, 1, NULL, 0, NULL, err)); // layers of nothing
    ok(tess_array_append(a, 1, 2, row, sizeof row, NULL, err));
    assert_shape(a, 0, 8);
    ok(tess_array_delete(a, 1, 1, 2, err));
    assert_shape(a, 0, 7);
    ok(tess_array_resize_at(a, (const int64_t[]){0, 6}, (const int64_t[]){0, 2}, err));
    ok(tess_array_delete(a, 1, 1, 2, err));
    ok(tess_array_append_array(a, 0, a, err));
    check_array(a, &r);
    ok(tess_array_insert(a, 0, 0, 1, row, sizeof row, NULL, err));
    reference_insert(&r, 0, 0, 1, row);
    check_array(a, &r);
    ok(tess_array_delete(a, 0, 0, 1, err));
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

static void
bad_places(void **state)
{
    const char *path = files_path("array.b2nd");
    const tess_params p = params_of("<i4", 10, 10);
    const tess_storage reading = at(path, TESS_MODE_READ);
    const int64_t shape[] = {8, 12};
    const int32_t row[10] = {0};
    struct reference r, s;
    tess_array *closed = NULL;

    (void)state;
    tess_array *const a = counting(path, &p, 1, &r);
    ok(tess_array_flush(a, err));
    refused(TESS_ERR_ARG, tess_array_insert(NULL, 0, 0, 1, row, 40, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 2, 0, 1, row, 40, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, -1, 0, 1, row, 40, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 0, -1, 1, row, 40, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 0, 11, 1, row, 40, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 0, 0, 1, row, 39, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 0, 0, 2, row, 40, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 0, 0, -1, row, 40, NULL, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 0, 0, 1, NULL, 40, NULL, err));
    refused(TESS_ERR_LIMIT, tess_array_insert(a, 0, 0, INT64_MAX, row, 40, NULL, err));
    refused(TESS_ERR_LIMIT, tess_array_insert(a, 0, 0, INT64_MAX / 8, row, 40, NULL, err));
    ok(tess_array_insert(a, 0, 0, 0, NULL, 0, NULL, err));
    refused(TESS_ERR_ARG, tess_array_delete(a, 0, -1, 1, err));
    refused(TESS_ERR_ARG, tess_array_delete(a, 0, 10, 11, err));
    refused(TESS_ERR_ARG, tess_array_delete(a, 0, 3, 2, err));
    refused(TESS_ERR_ARG, tess_array_delete(a, 0, 3, INT64_MAX, err));
    refused(TESS_ERR_ARG, tess_array_resize_at(a, NULL, shape, err));
    refused(TESS_ERR_ARG, tess_array_resize_at(a, shape, (const int64_t[]){9, 0}, err));
    refused(TESS_ERR_ARG, tess_array_resize_at(a, shape, (const int64_t[]){0, 11}, err));
    refused(TESS_ERR_ARG, tess_array_resize_at(a, shape, (const int64_t[]){-1, 0}, err));
    refused(TESS_ERR_ARG,
            tess_array_resize_at(a, (const int64_t[]){-1, 10}, (const int64_t[]){0, 0}, err));
    refused(TESS_ERR_LIMIT, tess_array_resize_at(a, (const int64_t[]){INT64_MAX / 2, 9},
                                                 (const int64_t[]){3, 3}, err));
    ok(tess_array_open(&reading, &closed, err));
    refused(TESS_ERR_ARG, tess_array_delete(closed, 0, 0, 1, err));
    ok(tess_array_close(closed, err));

    static const char *const dtypes[] = {">i4", "<u4", "<f4", "|S4"};
    for (int i = 0; i < 4; i++) {
        const tess_params q = params_of(dtypes[i], 10, 10);
        tess_array *const other = counting(NULL, &q, 1, &s);
        refused(TESS_ERR_ARG, tess_array_append_array(a, 0, other, err));
        ok(tess_array_close(other, err));
        reference_finish(&s);
    }
    const tess_params wider = params_of("int32", 3, 11);
    tess_array *const other = counting(NULL, &wider, 1, &s);
    refused(TESS_ERR_ARG, tess_array_append_array(a, 0, other, err));
    refused(TESS_ERR_ARG, tess_array_append_array(a, 0, NULL, err));
    resize(other, &s, 3, 10);
    check_array(a, &r);
    ok(tess_array_append_array(a, 0, other, err));
    reference_append(&r, 0, 3, s.data);
    check_array(a, &r);
    ok(tess_array_close(other, err));
    ok(tess_array_close(a, err));
    reference_finish(&s);
    reference_finish(&r);
}

// -- a full disk

static tess_status
change(int call, tess_array *a, const int32_t *layers, tess_error *err)
{
    const int64_t shape[] = {137, 135}, start[] = {5, 4};
    return call == 0   ? tess_array_insert(a, 0, 5, 6, layers, 6 * 130 * 4, NULL, err)
           : call == 1 ? tess_array_delete(a, 1, 4, 11, err)
           : call == 2 ? tess_array_resize_at(a, shape, start, err)
                       : tess_array_append_array(a, 1, a, err);
}

static void
change_reference(int call, struct reference *r, const int32_t *layers)
{
    struct reference s;
    if (call == 0) {
        reference_insert(r, 0, 5, 6, layers);
    } else if (call == 1) {
        reference_delete(r, 1, 4, 7);
    } else if (call == 2) {
        reference_delete(r, 0, 5, 3);
        reference_insert(r, 1, 4, 5, NULL);
    } else {
        reference_copy(&s, r);
        reference_append(r, 1, r->shape[1], s.data);
        reference_finish(&s);
    }
}

// However far a change gets, the array and its file are as before, and it can be made again.
static void
full_disk(void **state)
{
    static const int32_t layers[6 * 130];
    const char *path = files_path("array.b2nd");

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    for (int call = 0; call < 4; call++) {
        int failed = 0;
        tess_status st = TESS_ERR_IO;
        for (size_t room = 0; st != TESS_OK; room += 40000, failed++) {
            tess_params p = params_of("<i4", 140, 130);
            p.clevel = 0; // chunks of 64 KiB, which are written at once
            p.chunkshape[0] = p.chunkshape[1] = 128;
            struct reference r;
            tess_info info;
            tess_error why;
            tess_array *const a = counting(path, &p, 1, &r);

            ok(tess_array_flush(a, err));
            tess_array_info(a, &info);
            limit_files((rlim_t)info.file_size + room);
            st = change(call, a, layers, &why);
            limit_files(RLIM_INFINITY);
            if (st != TESS_OK) {
                assert_int_equal(st, TESS_ERR_IO);
                check_array(a, &r);
                check_file(path, &r);
                ok(change(call, a, layers, err));
            }
            change_reference(call, &r, layers);
            check_array(a, &r);
            ok(tess_array_close(a, err));
            check_file(path, &r);
            reference_finish(&r);
        }
        assert_true(failed > 0);
    }
}

// Another shape and a box of it in one call: every shape and box of a small array, of whose memory
// the columns follow each other; and items one by one.
static void
resized_and_written(void **state)
{
    const int32_t fill = -7;
    int number = 0;
    (void)state;
    for (int64_t rows = 3; rows <= 9; rows += 2)
        for (int64_t columns = 2; columns <= 8; columns += 2)
            for (int corner = 0; corner < 9; corner++) {
                const int64_t shape[2] = {rows, columns};
                const int64_t start[2] = {corner / 3 * rows / 3, corner % 3 * columns / 3};
                const int64_t stop[2] = {rows - (corner % 2), columns};
                const int64_t count[2] = {stop[0] - start[0], stop[1] - start[1]};
                const int64_t strides[2] = {4, 4 * count[0]};
                int32_t items[9 * 8], turned[9 * 8];
                tess_params p = params_of("<i4", 6, 5);
                struct reference r;
                p.fill = &fill;
                p.fill_size = sizeof fill;
                tess_array *const a =
                    counting(number % 2 ? files_path("array") : NULL, &p, 100, &r);
                for (int i = 0; i < count[0] * count[1]; i++) {
                    items[i] = 1000 + i;
                    turned[i % count[1] * count[0] + i / count[1]] = items[i];
                }
                if (number++ % 3 == 0)
                    ok(tess_array_resize_write(a, shape, start, stop, items, sizeof items, NULL,
                                               err));
                else
                    ok(tess_array_resize_write(a, shape, start, stop, turned, sizeof turned,
                                               strides, err));
                reference_resize(&r, shape);
                reference_set(&r, start, stop, items);
                check_array(a, &r);
                for (int64_t i = 0; i < rows * columns; i++) {
                    const int64_t index[2] = {i / columns, i % columns};
                    int32_t item;
                    ok(tess_array_get_item(a, index, &item, sizeof item, err));
                    assert_memory_equal(&item, r.data + 4 * i, 4);
                    item = (int32_t)i;
                    memcpy(r.data + 4 * i, &item, 4);
                    if (i % 2)
                        ok(tess_array_set_item(a, index, &item, sizeof item, err));
                    else
                        memcpy(r.data + 4 * i, &fill, 4);
                    if (i % 2 == 0)
                        ok(tess_array_set_item(a, index, &fill, sizeof fill, err));
                }
                check_array(a, &r);
                ok(tess_array_close(a, err));
                reference_finish(&r);
            }
}

// Layers whose memory has gaps, runs backwards, or repeats an item.
static void
strided_layers(void **state)
{
    (void)state;
    for (int axis = 0; axis < 2; axis++)
        for (int insert = 0; insert < 2; insert++)
            for (int way = 0; way < 3; way++) {
                const int64_t count = 2;
                const tess_params p = params_of("<i4", 5, 4);
                struct reference r;
                tess_array *const a = counting(NULL, &p, 1, &r);
                const int64_t extent[2] = {axis == 0 ? count : 5, axis == 1 ? count : 4};
                const int64_t strides[3][2] = {{80, 12}, {-4, -20}, {0, 8}};
                const int64_t first = way == 1 ? 99 : 0;
                int32_t memory[200], layers[10];
                for (int i = 0; i < 200; i++)
                    memory[i] = 500 + i;
                for (int64_t i = 0; i < extent[0] * extent[1]; i++)
                    layers[i] = memory[first + (i / extent[1] * strides[way][0] +
                                                i % extent[1] * strides[way][1]) /
                                                   4];
                const size_t size = sizeof memory - 4 * (size_t)first;
                if (insert)
                    ok(tess_array_insert(a, axis, 1, count, memory + first, size, strides[way],
                                         err));
                else
                    ok(tess_array_append(a, axis, count, memory + first, size, strides[way], err));
                reference_insert(&r, axis, insert ? 1 : p.shape[axis], count, layers);
                check_array(a, &r);
                ok(tess_array_close(a, err));
                reference_finish(&r);
            }
}

static void
items_and_memory_refused(void **state)
{
    const tess_params p = params_of("<i4", 5, 4);
    const int64_t shape[2] = {7, 4}, start[2] = {5, 0}, stop[2] = {7, 4}, far[2] = {8, 4};
    const int64_t below[2] = {-1, 0}, behind[2] = {0, 4}, strides[2] = {16, 8};
    const int64_t wild[2] = {INT64_MIN, 4};
    int32_t items[8] = {0};
    struct reference r;
    tess_array *const a = counting(NULL, &p, 1, &r);
    (void)state;
    refused(TESS_ERR_ARG, tess_array_get_item(NULL, start, items, 4, err));
    refused(TESS_ERR_ARG, tess_array_get_item(a, NULL, items, 4, err));
    refused(TESS_ERR_ARG, tess_array_get_item(a, below, items, 4, err));
    refused(TESS_ERR_ARG, tess_array_get_item(a, behind, items, 4, err));
    refused(TESS_ERR_ARG, tess_array_set_item(a, behind, items, 4, err));
    refused(TESS_ERR_ARG, tess_array_set_item(a, shape, items, 3, err));
    refused(TESS_ERR_ARG, tess_array_resize_write(a, shape, start, far, items, 32, NULL, err));
    refused(TESS_ERR_ARG, tess_array_resize_write(a, shape, start, stop, items, 31, NULL, err));
    refused(TESS_ERR_ARG, tess_array_resize_write(a, shape, start, stop, items, 32, strides, err));
    refused(TESS_ERR_ARG, tess_array_resize_write(a, shape, start, stop, items, 32, wild, err));
    refused(TESS_ERR_ARG, tess_array_resize_write(a, shape, start, stop, NULL, 32, NULL, err));
    refused(TESS_ERR_ARG, tess_array_resize_write(a, shape, NULL, stop, items, 32, NULL, err));
    refused(TESS_ERR_ARG, tess_array_resize_write(a, below, start, stop, items, 32, NULL, err));
    refused(TESS_ERR_ARG, tess_array_append(a, 0, 2, items, 32, strides, err));
    refused(TESS_ERR_ARG, tess_array_insert(a, 0, 1, 2, items, 32, wild, err));
    check_array(a, &r);
    ok(tess_array_resize_write(a, shape, start, start, NULL, 0, NULL, err)); // no items
    reference_resize(&r, shape);
    check_array(a, &r);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fill_values, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(fill_is_saved, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(fill_takes_no_space, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(fill_refused, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(fill_damaged, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(every_place, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(rows_move_in_the_list, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(axes_of_no_items, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(resized_and_written, files_setup, files_teardown),
        cmocka_unit_test(strided_layers),
        cmocka_unit_test(items_and_memory_refused),
        cmocka_unit_test_setup_teardown(bad_places, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(full_disk, files_setup, files_teardown),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
