/*
 * persistence.c - what is found after an array was closed, left, replaced, copied, embedded.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const int64_t origin[TESS_MAX_NDIM] = {0};

// 40 x 30 items of 8 bytes, chunks of 16 x 8, blocks of 5 x 8: edges in every direction.
static void
grid_params(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<i8";
    p->ndim = 2;
    p->shape[0] = 40;
    p->shape[1] = 30;
    p->chunkshape[0] = 16;
    p->chunkshape[1] = 8;
    p->blockshape[0] = 5;
    p->blockshape[1] = 8;
}

static void
grid_reference(struct reference *r, int64_t first)
{
    reference_init(r, 2, (const int64_t[]){40, 30}, 8);
    for (int64_t i = 0; i < 1200; i++) {
        const int64_t value = first + i * i;
        memcpy(r->data + 8 * i, &value, 8);
    }
}

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

// A file that holds the reference, closed.
static void
make_file(const char *path, const tess_params *params, const struct reference *r)
{
    const tess_storage storage = at(path, TESS_MODE_NEW);
    tess_array *a = NULL;

    ok(tess_array_from(&storage, params, r->data, reference_size(r), &a, err));
    ok(tess_array_close(a, err));
}

static tess_array *
open_file(const char *path, tess_mode mode)
{
    const tess_storage storage = at(path, mode);
    tess_array *a = NULL;

    ok(tess_array_open(&storage, &a, err));
    assert_non_null(a);
    return a;
}

// Write the same bytes into a box of array and reference.
static void
write_both(tess_array *a, struct reference *r, const int64_t *start, const int64_t *stop, int byte)
{
    const size_t size = reference_box_size(r, start, stop);
    uint8_t *items = malloc(size);

    assert_non_null(items);
    for (size_t i = 0; i < size; i++)
        items[i] = (uint8_t)((size_t)byte + i / 7);
    reference_set(r, start, stop, items);
    ok(tess_array_write(a, start, stop, items, size, err));
    free(items);
}

static void
round_trips(void **state)
{
    static const tess_durability durabilities[] = {TESS_DURABILITY_NONE, TESS_DURABILITY_ORDERED,
                                                   TESS_DURABILITY_FSYNC};
    struct reference r;
    tess_params params;

    (void)state;
    grid_params(&params);
    grid_reference(&r, 5);
    for (size_t i = 0; i < COUNT(durabilities); i++) {
        tess_storage storage = at(files_path("array.b2nd"), TESS_MODE_REPLACE);
        tess_array *a = NULL;
        tess_info info;

        storage.durability = durabilities[i];
        ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
        check_array(a, &r);
        ok(tess_array_close(a, err));
        check_file(storage.path, &r);
        assert_int_equal(files_count(), 1);

        a = open_file(storage.path, TESS_MODE_READ);
        tess_array_info(a, &info);
        assert_string_equal(info.dtype, "<i8");
        assert_string_equal(info.layer, "b2nd");
        assert_string_equal(info.codec_name, "lz4");
        assert_int_equal(info.clevel, 5);
        assert_int_equal(info.filters[5], TESS_FILTER_SHUFFLE);
        assert_int_equal(info.nchunks, 12);
        assert_int_equal(info.chunksize, 20 * 8 * 8);
        assert_int_equal(info.blocksize, 5 * 8 * 8);
        assert_int_equal(info.nbytes, 12 * 20 * 8 * 8);
        for (int axis = 0; axis < 2; axis++) {
            assert_int_equal(info.chunkshape[axis], params.chunkshape[axis]);
            assert_int_equal(info.blockshape[axis], params.blockshape[axis]);
        }
        assert_true(info.contiguous);
        assert_false(info.plain);
        assert_false(info.writable);
        ok(tess_array_close(a, err));
    }
    reference_finish(&r);
}

static void
chosen_shapes(void **state)
{
    tess_array *a = NULL;
    tess_storage storage;
    tess_params params;
    tess_info info;

    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "<f4";
    params.ndim = 3;
    params.shape[0] = 1000;
    params.shape[1] = 2000;
    params.shape[2] = 300;
    ok(tess_array_zeros(&storage, &params, &a, err));
    tess_array_info(a, &info);
    for (int i = 0; i < 3; i++) {
        assert_in_range(info.chunkshape[i], 1, params.shape[i]);
        assert_in_range(info.blockshape[i], 1, info.chunkshape[i]);
    }
    assert_in_range(info.blocksize, 4096, 1 << 23);
    assert_in_range(info.chunksize, info.blocksize, 1 << 29);
    assert_true(info.cbytes < 1000);
    ok(tess_array_close(a, err));
}

// -- the moment of the commit

static void
replace(void **state)
{
    struct reference old;
    struct reference new;
    tess_params params;
    tess_array *a = NULL;
    const char *path = files_path("array.b2nd");

    (void)state;
    grid_params(&params);
    grid_reference(&old, 1);
    grid_reference(&new, 1000);
    make_file(path, &params, &old);

    // Until the new one is whole, the path leads to the old one; a reader keeps it.
    tess_array *const reader = open_file(path, TESS_MODE_READ);
    tess_storage storage = at(path, TESS_MODE_REPLACE);
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_write(a, origin, new.shape, new.data, reference_size(&new), err));
    ok(tess_array_flush(a, err));
    ok(tess_array_close(a, err));
    check_array(reader, &old);
    ok(tess_array_close(reader, err));
    check_file(path, &new);
    assert_int_equal(files_count(), 1);

    // A file that is no array is replaced too.
    files_write(path, "something else", 14);
    ok(tess_array_from(&storage, &params, old.data, reference_size(&old), &a, err));
    ok(tess_array_close(a, err));
    check_file(path, &old);

    // And what does not exist is made.
    const char *other = files_path("other.b2nd");
    storage = at(other, TESS_MODE_REPLACE);
    ok(tess_array_from(&storage, &params, new.data, reference_size(&new), &a, err));
    ok(tess_array_close(a, err));
    check_file(other, &new);
    assert_int_equal(files_count(), 2);
    reference_finish(&old);
    reference_finish(&new);
}

static void
discard(void **state)
{
    struct reference committed;
    struct reference changed;
    tess_params params;
    const char *path = files_path("array.b2nd");

    (void)state;
    grid_params(&params);
    grid_reference(&committed, 1);
    make_file(path, &params, &committed);
    tess_array *a = open_file(path, TESS_MODE_UPDATE);
    reference_copy(&changed, &committed);
    write_both(a, &changed, (const int64_t[]){3, 2}, (const int64_t[]){20, 29}, 9);
    check_array(a, &changed);
    check_file(path, &committed); // not before the commit
    tess_array_discard(a);
    check_file(path, &committed);

    a = open_file(path, TESS_MODE_UPDATE);
    reference_finish(&changed);
    reference_copy(&changed, &committed);
    write_both(a, &changed, (const int64_t[]){0, 0}, (const int64_t[]){40, 1}, 77);
    ok(tess_array_flush(a, err));
    check_file(path, &changed);
    ok(tess_array_resize(a, (const int64_t[]){50, 10}, err));
    ok(tess_vlmeta_set(a, "name", "value", 5, err));
    tess_array_discard(a);
    check_file(path, &changed);

    a = open_file(path, TESS_MODE_READ);
    assert_null(tess_vlmeta_name(a, 0));
    tess_array_discard(a);

    // An array in memory is gone; nothing else happens.
    tess_storage storage;
    tess_storage_init(&storage);
    ok(tess_array_zeros(&storage, &params, &a, err));
    tess_array_discard(a);
    assert_int_equal(files_count(), 1);
    reference_finish(&changed);
    reference_finish(&committed);
}

// Who opens a file that is being written finds the last commit, and keeps it.
static void
readers_beside_a_writer(void **state)
{
    struct reference states[6];
    tess_array *readers[6];
    tess_params params;
    const char *path = files_path("array.b2nd");

    (void)state;
    grid_params(&params);
    grid_reference(&states[0], 1);
    make_file(path, &params, &states[0]);
    readers[0] = open_file(path, TESS_MODE_READ);
    tess_array *const writer = open_file(path, TESS_MODE_UPDATE);

    for (int i = 1; i < 6; i++) {
        const int64_t start[2] = {5 * i, 3 * i};
        const int64_t stop[2] = {5 * i + 12, 3 * i + 9};

        reference_copy(&states[i], &states[i - 1]);
        write_both(writer, &states[i], start, stop, 11 * i);
        check_file(path, &states[i - 1]);
        ok(tess_array_flush(writer, err));
        check_file(path, &states[i]);
        readers[i] = open_file(path, TESS_MODE_READ);
    }
    for (int i = 0; i < 6; i++) {
        // Its own state whole, or the word that the file has moved on; never anything else.
        uint8_t *got = malloc(reference_size(&states[i]));
        assert_non_null(got);
        tess_error error = {0};
        const tess_status st = tess_array_read(readers[i], origin, states[i].shape, got,
                                               reference_size(&states[i]), &error);
        if (st == TESS_OK)
            assert_memory_equal(got, states[i].data, reference_size(&states[i]));
        else if (st != TESS_ERR_STALE || i == 5)
            fail_msg("reader %d: %s: %s", i, tess_status_name(st), error.message);
        free(got);
        ok(tess_array_close(readers[i], err));
    }
    ok(tess_array_close(writer, err));
    check_file(path, &states[5]);
    for (int i = 0; i < 6; i++)
        reference_finish(&states[i]);
}

// Two writers: the one who comes too late is told so, and the file stays whole.
static void
second_writer(void **state)
{
    struct reference first;
    tess_params params;
    const char *path = files_path("array.b2nd");
    tess_error error = {0};

    (void)state;
    grid_params(&params);
    grid_reference(&first, 1);
    make_file(path, &params, &first);
    const tess_storage storage = at(path, TESS_MODE_UPDATE);
    tess_array *a = open_file(path, TESS_MODE_UPDATE);
    tess_array *b = NULL;
    const tess_status opened = tess_array_open(&storage, &b, &error);

    write_both(a, &first, (const int64_t[]){0, 0}, (const int64_t[]){10, 10}, 3);
    ok(tess_array_flush(a, err));
    if (opened == TESS_OK) { // not locked out: then stale at the commit
        ok(tess_array_write(b, (const int64_t[]){20, 0}, (const int64_t[]){21, 1}, "12345678", 8,
                            err));
        refused(TESS_ERR_STALE, tess_array_flush(b, err));
        assert_int_equal(tess_array_close(b, NULL), TESS_ERR_STALE); // and b is gone
    } else {
        check_error(&error, opened, "open for writing twice");
    }
    check_file(path, &first);
    ok(tess_array_close(a, err));
    check_file(path, &first);
    reference_finish(&first);
}

// Space of what was overwritten is used again: the file does not grow with each commit.
static void
overwritten_space(void **state)
{
    struct reference r;
    struct random random;
    tess_params params;
    tess_info info;
    const char *path = files_path("array.b2nd");
    int64_t first_size = 0;

    (void)state;
    random_init(&random, random_seed());
    grid_params(&params);
    params.clevel = 0;
    grid_reference(&r, 1);
    make_file(path, &params, &r);
    tess_array *const a = open_file(path, TESS_MODE_UPDATE);
    for (int i = 0; i < 200; i++) {
        int64_t start[2] = {(int64_t)random_below(&random, 36), (int64_t)random_below(&random, 26)};
        int64_t stop[2] = {start[0] + 3, start[1] + 3};

        write_both(a, &r, start, stop, i);
        ok(tess_array_flush(a, err));
        tess_array_info(a, &info);
        if (i == 20)
            first_size = info.file_size;
    }
    assert_true(info.file_size < first_size + first_size / 2);
    check_array(a, &r);
    ok(tess_array_close(a, err));
    check_file(path, &r);
    reference_finish(&r);
}

// Small chunks that are replaced before they went to the file, and a large one in their place.
static void
replaced_early(void **state)
{
    enum { CHUNK = 1 << 19, SMALL = 30, NOISE = 20000 };
    const char *const path = files_path("early.b2nd");
    const tess_storage storage = at(path, TESS_MODE_NEW);
    uint8_t *const items = calloc(2, CHUNK);
    const int64_t first = 0, end = SMALL * CHUNK, last = (SMALL + 1) * CHUNK;
    struct random r;
    tess_params p;
    tess_array *a = NULL;
    (void)state;

    assert_non_null(items);
    random_init(&r, random_seed());
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = last;
    p.chunkshape[0] = CHUNK;
    ok(tess_array_zeros(&storage, &p, &a, err));
    for (int64_t n = 0; n < SMALL; n++) {
        const int64_t start = n * CHUNK, stop = start + CHUNK;
        random_bytes(&r, items, NOISE);
        ok(tess_array_write(a, &start, &stop, items, CHUNK, err));
    }
    ok(tess_array_fill(a, &first, &end, NULL, "", 1, err));
    random_bytes(&r, items, CHUNK);
    ok(tess_array_write(a, &end, &last, items, CHUNK, err));
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_READ);
    ok(tess_array_read(a, &end, &last, items + CHUNK, CHUNK, err));
    assert_memory_equal(items, items + CHUNK, CHUNK);
    ok(tess_array_close(a, err));
    free(items);
}

// -- chunks written in part

static const struct {
    const char *name;
    tess_codec codec;
    int clevel;
    uint8_t filters[TESS_MAX_FILTERS];
} pipelines[] = {
    {"stored", TESS_CODEC_LZ4, 0, {1}},
    {"lz4, shuffle", TESS_CODEC_LZ4, 5, {1}},
    {"lz4, delta", TESS_CODEC_LZ4, 5, {3}},
    {"zstd, delta, shuffle", TESS_CODEC_ZSTD, 1, {3, 1}},
    {"blosclz, delta, bitshuffle", TESS_CODEC_BLOSCLZ, 9, {3, 2}},
    {"zlib, shuffle, delta", TESS_CODEC_ZLIB, 4, {1, 3}},
    {"lz4hc, shuffle, bytedelta", TESS_CODEC_LZ4HC, 9, {1, 35}},
};

// Blocks one by one, the reference block of delta among them, then rows, then single items.
static void
partial_writes(void **state)
{
    const char *path = files_path("array.b2nd");

    (void)state;
    for (size_t i = 0; i < COUNT(pipelines); i++) {
        const tess_storage storage = at(path, TESS_MODE_REPLACE);
        struct reference r;
        tess_params params;
        tess_array *a = NULL;

        print_message("%s\n", pipelines[i].name);
        grid_params(&params);
        params.codec = pipelines[i].codec;
        params.clevel = pipelines[i].clevel;
        memcpy(params.filters, pipelines[i].filters, sizeof params.filters);
        grid_reference(&r, 100);
        ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
        for (int64_t row = 0; row < 40; row += 5) {
            write_both(a, &r, (const int64_t[]){row, 8}, (const int64_t[]){row + 5, 16}, (int)row);
            check_array(a, &r);
        }
        for (int64_t row = 0; row < 40; row += 3)
            write_both(a, &r, (const int64_t[]){row, 0}, (const int64_t[]){row + 1, 30},
                       (int)row + 50);
        check_array(a, &r);
        ok(tess_array_flush(a, err));
        for (int64_t row = 0; row < 40; row += 7)
            write_both(a, &r, (const int64_t[]){row, row % 30},
                       (const int64_t[]){row + 1, row % 30 + 1}, (int)row);
        ok(tess_array_close(a, err));
        check_file(path, &r);
        a = open_file(path, TESS_MODE_UPDATE);
        write_both(a, &r, (const int64_t[]){0, 0}, (const int64_t[]){1, 1}, 200); // block 0
        write_both(a, &r, (const int64_t[]){15, 7}, (const int64_t[]){17, 9}, 201);
        check_array(a, &r);
        ok(tess_array_close(a, err));
        check_file(path, &r);
        reference_finish(&r);
    }
}

// -- chunks of one value

static void
specials(void **state)
{
    static const uint8_t zero[8];
    static const uint8_t nan[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    static const uint8_t value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const char *path = files_path("array.b2nd");

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const tess_storage storage = at(path, TESS_MODE_REPLACE);
        struct reference r;
        tess_params params;
        tess_array *a = NULL;
        tess_info info;

        grid_params(&params);
        params.dtype = "<f8";
        reference_init(&r, 2, params.shape, 8);
        reference_fill(&r, kind == 2 ? nan : kind == 3 ? value : zero);
        reference_grow_with(&r, kind == 2 ? nan : kind == 3 ? value : zero);
        if (kind == 0)
            ok(tess_array_uninit(&storage, &params, &a, err));
        else if (kind == 1)
            ok(tess_array_zeros(&storage, &params, &a, err));
        else if (kind == 2)
            ok(tess_array_nan(&storage, &params, &a, err));
        else
            ok(tess_array_full(&storage, &params, value, 8, &a, err));
        check_array(a, &r);
        tess_array_info(a, &info);
        assert_true(info.cbytes < 1000); // 12 chunks of 1280 bytes
        ok(tess_array_flush(a, err));
        check_file(path, &r);
        write_both(a, &r, (const int64_t[]){17, 9}, (const int64_t[]){19, 11}, 3);
        write_both(a, &r, (const int64_t[]){30, 20}, (const int64_t[]){40, 30}, 4);
        check_array(a, &r);
        ok(tess_array_resize(a, (const int64_t[]){45, 33}, err)); // new items are as the first ones
        reference_resize(&r, (const int64_t[]){45, 33});
        check_array(a, &r);
        ok(tess_array_resize(a, (const int64_t[]){3, 3}, err));
        reference_resize(&r, (const int64_t[]){3, 3});
        ok(tess_array_resize(a, (const int64_t[]){20, 20}, err));
        reference_resize(&r, (const int64_t[]){20, 20});
        check_array(a, &r);
        ok(tess_array_close(a, err));
        check_file(path, &r);
        reference_finish(&r);
    }
}

// Data that turns out constant costs nothing, and can be written over.
static void
constant_data(void **state)
{
    const char *path = files_path("array.b2nd");
    static const uint8_t values[][8] = {{0}, {7, 7, 7, 7, 7, 7, 7, 7}, {1, 0, 0, 9}};

    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        const tess_storage storage = at(path, TESS_MODE_REPLACE);
        struct reference r;
        tess_params params;
        tess_array *a = NULL;
        tess_info info;

        grid_params(&params);
        grid_reference(&r, 1);
        ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
        reference_fill(&r, values[i]);
        ok(tess_array_write(a, origin, r.shape, r.data, reference_size(&r), err));
        ok(tess_array_flush(a, err));
        check_array(a, &r);
        ok(tess_array_close(a, err));
        check_file(path, &r);
        a = open_file(path, TESS_MODE_UPDATE);
        write_both(a, &r, (const int64_t[]){15, 7}, (const int64_t[]){18, 9}, 3);
        ok(tess_array_close(a, err));
        check_file(path, &r);
        reference_finish(&r);

        // Made so from the start, each chunk is a few bytes.
        reference_init(&r, 2, (const int64_t[]){32, 24}, 8);
        reference_fill(&r, values[i]);
        params.shape[0] = 32;
        params.shape[1] = 24;
        params.blockshape[0] = 4; // no padding
        ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
        tess_array_info(a, &info);
        assert_true(info.cbytes < 1000); // 6 chunks of 1024 bytes, holes included
        ok(tess_array_close(a, err));
        check_file(path, &r);
        reference_finish(&r);
    }
}

// A wide item that can be told in few bytes: its blocks are smaller than the item itself. One of
// noise is better stored once.
static void
constant_wide_data(void **state)
{
    const tess_storage storage = at(files_path("array.b2nd"), TESS_MODE_REPLACE);
    uint8_t item[1000];

    (void)state;
    for (int noise = 0; noise <= 1; noise++) {
        struct reference r;
        tess_params params;
        tess_array *a = NULL;
        tess_info info;
        uint32_t v = 1;

        for (size_t i = 0; i < sizeof item; i++) {
            v = v * 1664525 + 1013904223;
            item[i] = (uint8_t)(noise ? v >> 24 : i % 10);
        }
        tess_params_init(&params);
        params.dtype = "|V1000";
        params.ndim = 1;
        params.shape[0] = 64;
        params.chunkshape[0] = 32;
        params.blockshape[0] = 16;
        reference_init(&r, 1, params.shape, sizeof item);
        reference_fill(&r, item);
        ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
        tess_array_info(a, &info);
        assert_true(noise ? info.cbytes >= 2 * 1032 : info.cbytes < 2 * 1032);
        assert_true(info.cbytes < 2 * 1032 + 200);
        check_array(a, &r);
        ok(tess_array_close(a, err));
        check_file(storage.path, &r);
        reference_finish(&r);
    }
}

// -- growing

static void
appends(void **state)
{
    const tess_storage storage = at(files_path("array.b2nd"), TESS_MODE_NEW);
    struct reference r;
    tess_params params;
    tess_array *a = NULL;
    uint8_t items[8 * 11];

    (void)state;
    tess_params_init(&params);
    params.dtype = "<u8";
    params.ndim = 1;
    params.chunkshape[0] = 50;
    params.blockshape[0] = 16;
    reference_init(&r, 1, params.shape, 8); // empty
    ok(tess_array_zeros(&storage, &params, &a, err));
    for (int i = 0; i < 300; i++) {
        const int64_t n = i % 12;

        memset(items, i, sizeof items);
        reference_append(&r, 0, n, items);
        ok(tess_array_append(a, 0, n, items, sizeof items, NULL, err));
        if (i % 100 == 0) {
            ok(tess_array_flush(a, err));
            check_file(storage.path, &r);
        }
        if (i % 130 == 7) {
            ok(tess_array_close(a, err));
            a = open_file(storage.path, TESS_MODE_UPDATE);
        }
        check_array(a, &r);
    }
    ok(tess_array_close(a, err));
    check_file(storage.path, &r);
    reference_finish(&r);
}

// To nothing and back, with commits in between.
static void
empty_state(void **state)
{
    const char *path = files_path("array.b2nd");
    struct reference r;
    tess_params params;

    (void)state;
    grid_params(&params);
    grid_reference(&r, 1);
    make_file(path, &params, &r);
    tess_array *a = open_file(path, TESS_MODE_UPDATE);
    ok(tess_vlmeta_set(a, "stays", "here", 4, err));
    for (int i = 0; i < 4; i++) {
        const int64_t none[2] = {i % 2 ? 0 : 40, i % 2 ? 30 : 0};

        ok(tess_array_resize(a, none, err));
        reference_resize(&r, none);
        ok(tess_array_flush(a, err));
        check_file(path, &r);
        ok(tess_array_close(a, err));
        a = open_file(path, TESS_MODE_UPDATE);
        assert_string_equal(tess_vlmeta_name(a, 0), "stays");
        ok(tess_array_resize(a, (const int64_t[]){40, 30}, err));
        reference_resize(&r, (const int64_t[]){40, 30});
        if (i > 1)
            write_both(a, &r, (const int64_t[]){0, 0}, (const int64_t[]){40, 30}, i);
        ok(tess_array_flush(a, err));
        check_file(path, &r);
    }
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// -- metalayers

static void
check_vlmeta(const tess_array *a, const char *name, const void *content, size_t size)
{
    void *got = NULL;
    size_t got_size = 0;

    ok(tess_vlmeta_get(a, name, &got, &got_size, err));
    assert_int_equal(got_size, size);
    if (size > 0)
        assert_memory_equal(got, content, size);
    else
        assert_null(got);
    tess_free(got);
}

static void
metalayers(void **state)
{
    static uint8_t large[5000];
    const tess_metalayer layers[] = {
        {"first", "\x01\x02", 2},
        {"a name of 31 characters exactly", large, sizeof large},
        {"empty", NULL, 0},
    };
    const char *path = files_path("array.b2nd");
    struct reference r;
    tess_params params;
    tess_metalayer layer;
    tess_array *a = NULL;
    tess_info info;

    (void)state;
    memset(large, 0xee, sizeof large);
    grid_params(&params);
    params.metalayers = layers;
    params.nmetalayers = 3;
    grid_reference(&r, 1);
    make_file(path, &params, &r);

    a = open_file(path, TESS_MODE_UPDATE);
    tess_array_info(a, &info);
    assert_int_equal(info.nmetalayers, 4);
    for (size_t i = 0; i < COUNT(layers); i++) {
        ok(tess_meta_get(a, layers[i].name, &layer, err));
        assert_string_equal(layer.name, layers[i].name);
        assert_int_equal(layer.size, layers[i].size);
        if (layer.size > 0)
            assert_memory_equal(layer.content, layers[i].content, layer.size);
    }
    ok(tess_meta_at(a, 0, &layer, err));
    assert_string_equal(layer.name, "b2nd"); // its shape lies in the first sector of the file
    ok(tess_meta_at(a, 3, &layer, err));
    assert_string_equal(layer.name, "empty");

    ok(tess_meta_set(a, "first", "\x03\x04", 2, err));
    ok(tess_meta_get(a, "first", &layer, err));
    assert_memory_equal(layer.content, "\x03\x04", 2);
    tess_array_discard(a);
    a = open_file(path, TESS_MODE_UPDATE);
    ok(tess_meta_get(a, "first", &layer, err));
    assert_memory_equal(layer.content, "\x01\x02", 2);
    ok(tess_meta_set(a, "first", "\x05\x06", 2, err));
    ok(tess_meta_set(a, "empty", NULL, 0, err));
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_READ);
    ok(tess_meta_get(a, "first", &layer, err));
    assert_memory_equal(layer.content, "\x05\x06", 2);
    check_array(a, &r);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

static void
vlmetalayers(void **state)
{
    const size_t large_size = 300000;
    const char *path = files_path("array.b2nd");
    uint8_t *large = malloc(large_size);
    struct reference r;
    tess_params params;
    tess_array *a = NULL;
    tess_info info;
    char name[32];

    (void)state;
    assert_non_null(large);
    for (size_t i = 0; i < large_size; i++)
        large[i] = (uint8_t)(i * i >> 7);
    grid_params(&params);
    grid_reference(&r, 1);
    make_file(path, &params, &r);

    a = open_file(path, TESS_MODE_UPDATE);
    ok(tess_vlmeta_set(a, "one", "hello world", 11, err));
    ok(tess_vlmeta_set(a, "empty", NULL, 0, err));
    ok(tess_vlmeta_set(a, "large", large, large_size, err));
    ok(tess_vlmeta_set(a, "1234567890123456789012345678901", "x", 1, err));
    check_vlmeta(a, "one", "hello world", 11); // before the commit
    ok(tess_array_flush(a, err));
    ok(tess_vlmeta_set(a, "one", "bye", 3, err));
    ok(tess_vlmeta_delete(a, "empty", err));
    tess_array_discard(a);

    a = open_file(path, TESS_MODE_UPDATE);
    tess_array_info(a, &info);
    assert_int_equal(info.nvlmetalayers, 4);
    check_vlmeta(a, "one", "hello world", 11);
    check_vlmeta(a, "empty", NULL, 0);
    check_vlmeta(a, "large", large, large_size);
    check_vlmeta(a, "1234567890123456789012345678901", "x", 1);
    assert_string_equal(tess_vlmeta_name(a, 0), "one");
    assert_string_equal(tess_vlmeta_name(a, 3), "1234567890123456789012345678901");
    ok(tess_vlmeta_set(a, "one", large, 1000, err));
    ok(tess_vlmeta_delete(a, "large", err));
    ok(tess_array_close(a, err));

    a = open_file(path, TESS_MODE_UPDATE);
    tess_array_info(a, &info);
    assert_int_equal(info.nvlmetalayers, 3);
    check_vlmeta(a, "one", large, 1000);
    refused(TESS_ERR_NOT_FOUND, tess_vlmeta_delete(a, "large", err));
    for (int i = 3; i < 16; i++) {
        (void)snprintf(name, sizeof name, "layer %d", i);
        ok(tess_vlmeta_set(a, name, large, (size_t)i * 10, err));
    }
    refused(TESS_ERR_LIMIT, tess_vlmeta_set(a, "the 17th", "x", 1, err));
    ok(tess_vlmeta_set(a, "one", "still", 5, err)); // that is not a new one
    ok(tess_array_close(a, err));

    a = open_file(path, TESS_MODE_UPDATE);
    tess_array_info(a, &info);
    assert_int_equal(info.nvlmetalayers, 16);
    check_vlmeta(a, "one", "still", 5);
    check_vlmeta(a, "layer 15", large, 150);
    check_array(a, &r);
    while (tess_vlmeta_name(a, 0)) {
        (void)snprintf(name, sizeof name, "%s", tess_vlmeta_name(a, 0));
        ok(tess_vlmeta_delete(a, name, err));
    }
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_READ);
    tess_array_info(a, &info);
    assert_int_equal(info.nvlmetalayers, 0);
    check_array(a, &r);
    ok(tess_array_close(a, err));
    reference_finish(&r);
    free(large);
}

// An array in memory may have more than a file that c-blosc2 is to change. A copy has them all.
static void
many_vlmetalayers(void **state)
{
    enum { MOST = 8192 };
    const char *path = files_path("array.b2nd");
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    tess_info info;
    char name[32];

    (void)state;
    grid_params(&params);
    tess_storage_init(&storage);
    ok(tess_array_zeros(&storage, &params, &a, err));
    for (int i = 0; i < MOST; i++) {
        (void)snprintf(name, sizeof name, "layer %d", i);
        ok(tess_vlmeta_set(a, name, &i, sizeof i, err));
    }
    refused(TESS_ERR_LIMIT, tess_vlmeta_set(a, "one more", "x", 1, err));
    ok(tess_vlmeta_set(a, "layer 17", "still", 5, err));
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    ok(tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    ok(tess_array_close(a, err));

    a = open_file(path, TESS_MODE_UPDATE);
    tess_array_info(a, &info);
    assert_int_equal(info.nvlmetalayers, MOST);
    check_vlmeta(a, "layer 17", "still", 5);
    check_vlmeta(a, "layer 8191", &(int){8191}, sizeof(int));
    refused(TESS_ERR_LIMIT, tess_vlmeta_set(a, "one more", "x", 1, err));
    ok(tess_vlmeta_delete(a, "layer 17", err));
    ok(tess_array_close(a, err));
    a = open_file(path, TESS_MODE_READ);
    tess_array_info(a, &info);
    assert_int_equal(info.nvlmetalayers, MOST - 1);
    ok(tess_array_close(a, err));
}

// -- images, frames inside other files

static void
images(void **state)
{
    struct reference r;
    tess_params params;
    tess_storage storage;
    tess_array *a = NULL;
    const void *image = NULL;
    size_t size = 0;

    (void)state;
    grid_params(&params);
    grid_reference(&r, 1);
    tess_storage_init(&storage);
    ok(tess_array_from(&storage, &params, r.data, reference_size(&r), &a, err));
    write_both(a, &r, (const int64_t[]){3, 3}, (const int64_t[]){9, 9}, 1);
    ok(tess_vlmeta_set(a, "name", "value", 5, err));
    ok(tess_array_image(a, &image, &size, err));
    files_write(files_path("array.b2nd"), image, size); // a file is the same bytes
    check_file(files_path("array.b2nd"), &r);

    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, image, size);
    ok(tess_array_close(a, err));

    // Opened for writing it is a copy: the image stays, and so does what was made of it.
    storage.image = copy;
    storage.image_size = size;
    storage.mode = TESS_MODE_UPDATE;
    struct reference changed;
    tess_array *b = NULL;
    reference_copy(&changed, &r);
    ok(tess_array_open(&storage, &b, err));
    write_both(b, &changed, (const int64_t[]){0, 0}, (const int64_t[]){40, 3}, 5);
    ok(tess_array_flush(b, err));
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &a, err));
    check_array(a, &r);
    check_vlmeta(a, "name", "value", 5);
    check_array(b, &changed);
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
    reference_finish(&changed);
    reference_finish(&r);
    free(copy);
}

static void
offsets(void **state)
{
    static const int64_t places[] = {1, 7, 512, 4096, 100001};
    const char *path = files_path("array.b2nd");
    const char *host = files_path("host");
    struct reference r;
    tess_params params;
    size_t size = 0;

    (void)state;
    grid_params(&params);
    grid_reference(&r, 1);
    make_file(path, &params, &r);
    uint8_t *frame = files_read(path, &size);
    for (size_t i = 0; i < COUNT(places); i++) {
        const size_t before = (size_t)places[i];
        uint8_t *bytes = malloc(before + size + 333);
        tess_array *a = NULL;
        tess_info info;

        assert_non_null(bytes);
        memset(bytes, 0x9e, before + size + 333);
        memcpy(bytes + before, frame, size);
        files_write(host, bytes, before + size + 333);
        tess_storage storage = at(host, TESS_MODE_READ);
        storage.offset = places[i];
        ok(tess_array_open(&storage, &a, err));
        check_array(a, &r);
        tess_array_info(a, &info);
        assert_int_equal(info.offset, places[i]);
        ok(tess_array_close(a, err));

        storage.mode = TESS_MODE_UPDATE; // an offset is for reading only
        tess_error error = {0};
        const tess_status st = tess_array_open(&storage, &a, &error);
        assert_true(st == TESS_ERR_ARG || st == TESS_ERR_UNSUPPORTED);
        check_error(&error, st, "open an embedded frame for writing");
        storage.mode = TESS_MODE_READ;

        storage.path = NULL;
        storage.image = bytes;
        storage.image_size = before + size + 333;
        ok(tess_array_open(&storage, &a, err));
        check_array(a, &r);
        ok(tess_array_close(a, err));
        free(bytes);
    }
    free(frame);
    reference_finish(&r);
}

static void
caterva(void **state)
{
    const char *path = files_path("array.caterva");
    struct reference r;
    tess_params params;
    tess_info info;

    (void)state;
    grid_params(&params);
    params.layer = TESS_LAYER_CATERVA;
    grid_reference(&r, 1);
    make_file(path, &params, &r);
    tess_array *a = open_file(path, TESS_MODE_UPDATE);
    tess_array_info(a, &info);
    assert_string_equal(info.layer, "caterva");
    assert_null(info.dtype);
    assert_int_equal(info.typesize, 8);
    write_both(a, &r, (const int64_t[]){3, 3}, (const int64_t[]){9, 30}, 1);
    ok(tess_array_resize(a, (const int64_t[]){44, 44}, err));
    reference_resize(&r, (const int64_t[]){44, 44});
    ok(tess_array_close(a, err));
    check_file(path, &r);
    a = open_file(path, TESS_MODE_READ);
    tess_array_info(a, &info);
    assert_string_equal(info.layer, "caterva");
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// Type strings are kept verbatim.
static void
dtypes(void **state)
{
    static const struct {
        const char *dtype;
        int32_t typesize;
        int format;
    } cases[] = {
        {"<f8", 8, 0},
        {">i4", 4, 0},
        {"|S12", 12, 0},
        {"<U5", 20, 0},
        {"<M8[ns]", 8, 0},
        {"[('a', '<i4'), ('b', '<f8')]", 12, 0},
        {"something of our own", 7, 0},
        {NULL, 5, 0},
        {"<f8", 3, 1},
        {"float64[3]", 24, 127},
    };
    const char *path = files_path("array.b2nd");

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const tess_storage storage = at(path, TESS_MODE_REPLACE);
        tess_params params, found;
        tess_array *a = NULL;
        tess_info info;

        tess_params_init(&params);
        params.dtype = cases[i].dtype;
        params.dtype_format = cases[i].format;
        params.typesize = cases[i].typesize;
        params.ndim = 1;
        params.shape[0] = 10;
        ok(tess_array_zeros(&storage, &params, &a, err));
        ok(tess_array_close(a, err));
        a = open_file(path, TESS_MODE_READ);
        tess_array_info(a, &info);
        assert_string_equal(info.dtype, cases[i].dtype ? cases[i].dtype : "|V5");
        assert_int_equal(info.dtype_format, cases[i].format);
        assert_int_equal(info.typesize, cases[i].typesize);
        tess_array_params(a, &found);
        assert_int_equal(found.dtype_format, cases[i].format);
        ok(tess_array_close(a, err));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(round_trips),
        IN_A_FOLDER(chosen_shapes),
        IN_A_FOLDER(replace),
        IN_A_FOLDER(discard),
        IN_A_FOLDER(readers_beside_a_writer),
        IN_A_FOLDER(second_writer),
        IN_A_FOLDER(overwritten_space),
        IN_A_FOLDER(replaced_early),
        IN_A_FOLDER(partial_writes),
        IN_A_FOLDER(specials),
        IN_A_FOLDER(constant_data),
        IN_A_FOLDER(constant_wide_data),
        IN_A_FOLDER(appends),
        IN_A_FOLDER(empty_state),
        IN_A_FOLDER(metalayers),
        IN_A_FOLDER(vlmetalayers),
        IN_A_FOLDER(many_vlmetalayers),
        IN_A_FOLDER(images),
        IN_A_FOLDER(offsets),
        IN_A_FOLDER(caterva),
        IN_A_FOLDER(dtypes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
