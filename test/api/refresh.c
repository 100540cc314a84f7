/*
 * refresh.c - readers whose file changes: what they had stays, or is TESS_ERR_STALE, and
 * tess_array_refresh() shows the newest state.
 *
 * Items tell the commit that they are of, so a mixture of two states is seen.
 *
 * Not here: readers beside a writer that does not wait for them (writer_and_readers.c).
 */
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROWS = 12, COLUMNS = 100, ITEMS_MAX = 4 * ROWS * COLUMNS };

static uint32_t items[ITEMS_MAX];
static const int64_t origin[2] = {0, 0};

// How the array is stored, and read.
struct kind {
    const char *name;
    tess_layout layout;
    bool mmap;
    int64_t offset; // -1: behind something else
};
static const struct kind kinds[] = {
    {"contiguous", TESS_LAYOUT_CONTIGUOUS, false, 0},
    {"mapped", TESS_LAYOUT_CONTIGUOUS, true, 0},
    {"sparse", TESS_LAYOUT_SPARSE, false, 0},
    {"sparse, mapped", TESS_LAYOUT_SPARSE, true, 0},
};

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

static void
params_of(const struct kind *kind, int64_t rows, tess_params *params)
{
    tess_params_init(params);
    params->dtype = "<u4";
    params->ndim = 2;
    params->shape[0] = rows;
    params->shape[1] = COLUMNS;
    params->chunkshape[0] = 4;
    params->chunkshape[1] = 40;
    params->blockshape[0] = 2;
    params->blockshape[1] = 20;
    params->layout = kind->layout;
    params->clevel = 0; // chunks of all commits have the same size
}

static uint32_t
item_of(uint32_t commit, int64_t i)
{
    return commit * 40503 + (uint32_t)i;
}

static void
set_items(uint32_t commit, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        items[i] = item_of(commit, i);
}

// A new array, whose writer stays.
static tess_array *
make(const char *path, const struct kind *kind, uint32_t commit)
{
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    tess_params params;
    tess_array *a;
    params_of(kind, ROWS, &params);
    set_items(commit, ROWS * COLUMNS);
    ok(tess_array_from(&storage, &params, items, sizeof *items * ROWS * COLUMNS, &a, err));
    return a;
}

static void
make_file(const char *path, const struct kind *kind, uint32_t commit)
{
    ok(tess_array_close(make(path, kind, commit), err));
}

static tess_array *
reader_of(const char *path, const struct kind *kind)
{
    tess_storage storage = at(path, TESS_MODE_READ);
    tess_array *a;
    storage.mmap = kind->mmap;
    storage.offset = kind->offset;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

// All items, in the order of the array, and all of one commit.
static void
write_all(tess_array *a, uint32_t commit)
{
    tess_info info;
    tess_array_info(a, &info);
    set_items(commit, info.nitems);
    ok(tess_array_write(a, origin, info.shape, items, sizeof items, err));
}

// The array has all items of that commit. They are read in small pieces, too, twice, so that blocks
// stay in the cache.
static void
check_items(const tess_array *a, int64_t rows, uint32_t commit)
{
    tess_info info;
    tess_array_info(a, &info);
    assert_int_equal(info.ndim, 2);
    assert_int_equal(info.shape[0], rows);
    assert_int_equal(info.shape[1], COLUMNS);
    memset(items, 0, sizeof items);
    ok(tess_array_read(a, origin, info.shape, items, sizeof items, err));
    for (int64_t i = 0; i < info.nitems; i++)
        assert_int_equal(items[i], item_of(commit, i));
    for (int pass = 0; pass < 3; pass++)
        for (int64_t row = 0; row < rows; row++) {
            const int64_t start[2] = {row, 13}, stop[2] = {row + 1, 15};
            uint32_t got[2];
            ok(tess_array_read(a, start, stop, got, sizeof got, err));
            assert_int_equal(got[0], item_of(commit, row * COLUMNS + 13));
            assert_int_equal(got[1], item_of(commit, row * COLUMNS + 14));
        }
}

static void
check_stale(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    refused(TESS_ERR_STALE, tess_array_read(a, origin, info.shape, items, sizeof items, err));
}

static void
refresh(tess_array *a, bool expected)
{
    bool changed = !expected;
    ok(tess_array_refresh(a, &changed, err));
    assert_int_equal(changed, expected);
    ok(tess_array_refresh(a, &changed, err)); // nothing happened since
    assert_false(changed);
    ok(tess_array_refresh(a, NULL, err));
}

static char *
text_of(const tess_array *a, const char *name)
{
    static char text[64];
    void *content;
    size_t size;
    ok(tess_vlmeta_get(a, name, &content, &size, err));
    assert_true(size < sizeof text);
    memcpy(text, content, size);
    text[size] = 0;
    tess_free(content);
    return text;
}

// -- what may change

static void
overwrite(tess_array *w, const tess_array *reader, tess_array *again)
{
    write_all(w, 2);
    ok(tess_array_flush(w, err));
    check_stale(reader);
    refresh(again, true);
    check_items(again, ROWS, 2);
    write_all(w, 3);
    check_items(again, ROWS, 2); // not committed yet
    ok(tess_array_flush(w, err));
    refresh(again, true);
    check_items(again, ROWS, 3);
}

static void
resize(tess_array *w, const tess_array *reader, tess_array *again)
{
    static const int64_t rows[] = {4 * ROWS, 3, 0, 1, 0, ROWS};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int64_t shape[2] = {rows[i], COLUMNS};
        ok(tess_array_resize(w, shape, err));
        write_all(w, (uint32_t)i + 2);
        ok(tess_array_flush(w, err));
        check_stale(reader);
        refresh(again, true);
        check_items(again, rows[i], (uint32_t)i + 2);
    }
}

static void
attributes(tess_array *w, const tess_array *reader, tess_array *again)
{
    static const char *const texts[] = {"one", "two", "much longer than that", "six"};
    tess_info info;
    for (size_t i = 0; i < COUNT(texts); i++) {
        ok(tess_vlmeta_set(w, "text", texts[i], strlen(texts[i]), err));
        ok(tess_array_flush(w, err));
        check_stale(reader);
        refresh(again, true);
        check_items(again, ROWS, 1);
        assert_string_equal(text_of(again, "text"), texts[i]);
    }
    ok(tess_vlmeta_delete(w, "text", err));
    ok(tess_array_flush(w, err));
    refresh(again, true);
    tess_array_info(again, &info);
    assert_int_equal(info.nvlmetalayers, 0);
}

// Without chunks, header and trailer of all states have the same places.
static void
attributes_of_nothing(tess_array *w, const tess_array *reader, tess_array *again)
{
    ok(tess_array_resize(w, origin, err));
    for (char c = 'a'; c < 'g'; c++) {
        ok(tess_vlmeta_set(w, "text", &c, 1, err));
        ok(tess_array_flush(w, err));
        refresh(again, true);
        assert_int_equal(text_of(again, "text")[0], c);
    }
    check_stale(reader);
}

static const struct change {
    const char *name;
    void (*run)(tess_array *w, const tess_array *reader, tess_array *again);
} changes[] = {
    {"items", overwrite},
    {"shape", resize},
    {"attributes", attributes},
    {"attributes of an empty array", attributes_of_nothing},
};

static void
each_change(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(changes); i++) {
            const char *const path = files_path("array");
            tess_array *const w = make(path, &kinds[k], 1);
            tess_array *const reader = reader_of(path, &kinds[k]);
            tess_array *const again = reader_of(path, &kinds[k]);
            print_message("%s: %s\n", kinds[k].name, changes[i].name);
            check_items(reader, ROWS, 1);
            check_items(again, ROWS, 1);
            refresh(again, false);
            changes[i].run(w, reader, again);
            ok(tess_array_close(w, err));
            refresh(again, false);
            ok(tess_array_close(reader, err));
            ok(tess_array_close(again, err));
            files_remove(path);
        }
}

// What was cached stays, if nothing changed, and goes else.
static void
cache(void **state)
{
    tess_info before, after;
    const char *const path = files_path("array");
    tess_array *const w = make(path, &kinds[0], 1);
    tess_array *const a = reader_of(path, &kinds[0]);

    (void)state;
    check_items(a, ROWS, 1);
    tess_array_info(a, &before);
    assert_true(before.cache_used > 0);
    refresh(a, false);
    tess_array_info(a, &after);
    assert_int_equal(after.cache_used, before.cache_used);
    assert_int_equal(after.cache_hits, before.cache_hits);
    write_all(w, 2);
    ok(tess_array_close(w, err));
    refresh(a, true);
    tess_array_info(a, &after);
    assert_int_equal(after.cache_used, 0);
    check_items(a, ROWS, 2);
    ok(tess_array_close(a, err));
}

// A metalayer stands in the header, behind what a commit changes.
static void
metalayer(void **state)
{
    static const tess_metalayer layer = {"meta", "old", 3};
    const char *const path = files_path("array");
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    tess_metalayer got;
    tess_params params;
    tess_array *w;

    (void)state;
    params_of(&kinds[0], ROWS, &params);
    params.metalayers = &layer;
    params.nmetalayers = 1;
    set_items(1, ROWS * COLUMNS);
    ok(tess_array_from(&storage, &params, items, sizeof *items * ROWS * COLUMNS, &w, err));
    tess_array *const a = reader_of(path, &kinds[0]);
    ok(tess_meta_set(w, "meta", "new", 3, err));
    ok(tess_array_close(w, err));
    ok(tess_meta_get(a, "meta", &got, err));
    assert_memory_equal(got.content, "old", 3);
    refresh(a, true);
    ok(tess_meta_get(a, "meta", &got, err));
    assert_memory_equal(got.content, "new", 3);
    check_items(a, ROWS, 1);
    ok(tess_array_close(a, err));
}

// -- other arrays in its place

static void
replaced(void **state)
{
    (void)state;
    for (size_t from = 0; from < COUNT(kinds); from++)
        for (size_t to = 0; to < COUNT(kinds); to++) {
            const char *const path = files_path("array");
            if (kinds[from].layout == TESS_LAYOUT_SPARSE &&
                kinds[to].layout == TESS_LAYOUT_CONTIGUOUS)
                continue; // needs more than one step
            make_file(path, &kinds[from], 1);
            tess_array *const a = reader_of(path, &kinds[from]);
            check_items(a, ROWS, 1);
            make_file(path, &kinds[to], 2);
            if (kinds[from].layout == TESS_LAYOUT_CONTIGUOUS)
                check_items(a, ROWS, 1); // the file without a name stays as it is
            refresh(a, true);
            check_items(a, ROWS, 2);
            make_file(path, &kinds[to], 2); // the same bytes, in another file
            refresh(a, true);
            check_items(a, ROWS, 2);
            ok(tess_array_close(a, err));
            files_remove(path);
        }
}

// Another type, other dimensions, a plain frame, another fill value.
static void
another_kind(void **state)
{
    const char *const path = files_path("array");
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    tess_params params;
    tess_info info;
    tess_array *w;
    double got[6];
    const int64_t start[3] = {0}, stop[3] = {1, 2, 3};
    const double fill = 7;

    (void)state;
    make_file(path, &kinds[0], 1);
    tess_array *const a = reader_of(path, &kinds[0]);
    tess_array *view;
    check_items(a, ROWS, 1);
    ok(tess_array_view_permute(a, NULL, &view, err));
    tess_params_init(&params);
    params.dtype = "<f8";
    params.ndim = 3;
    for (int i = 0; i < 3; i++)
        params.shape[i] = stop[i];
    ok(tess_array_full(&storage, &params, &fill, sizeof fill, &w, err));
    ok(tess_array_close(w, err));
    refresh(a, true);

    tess_array_info(a, &info);
    assert_int_equal(info.ndim, 3);
    assert_string_equal(info.dtype, "<f8");
    assert_int_equal(info.nitems, 6);
    assert_memory_equal(info.fill, &fill, sizeof fill);
    ok(tess_array_read(a, start, stop, got, sizeof got, err));
    for (int i = 0; i < 6; i++)
        assert_true(got[i] == fill);

    tess_array_info(view, &info); // as it was made
    assert_string_equal(info.dtype, "<u4");
    assert_null(info.fill);
    check_stale(view);
    ok(tess_array_close(a, err));
    refused(TESS_ERR_ARG, tess_array_refresh(view, NULL, err));
    ok(tess_array_close(view, err));
}

static void
behind_something(void **state)
{
    const struct kind first = {.layout = TESS_LAYOUT_CONTIGUOUS};
    const char *const path = files_path("both");
    tess_storage storage = at(path, TESS_MODE_APPEND);
    tess_params params;
    tess_info info;
    tess_array *w;

    (void)state;
    for (int mmap = 0; mmap < 2; mmap++) {
        make_file(path, &first, 9);
        params_of(&first, ROWS, &params);
        set_items(1, ROWS * COLUMNS);
        ok(tess_array_from(&storage, &params, items, sizeof *items * ROWS * COLUMNS, &w, err));
        tess_array_info(w, &info);
        const struct kind behind = {"", TESS_LAYOUT_CONTIGUOUS, mmap, info.offset};
        tess_array *const a = reader_of(path, &behind);
        check_items(a, ROWS, 1);
        refresh(a, false);
        write_all(w, 2);
        ok(tess_array_flush(w, err));
        check_stale(a);
        refresh(a, true);
        check_items(a, ROWS, 2);
        tess_array_info(a, &info);
        assert_int_equal(info.offset, behind.offset);
        ok(tess_array_close(w, err));
        ok(tess_array_close(a, err));
    }
}

// -- who has nothing to move to

static void
not_readers(void **state)
{
    const char *const path = files_path("array");
    const void *image;
    size_t size;
    tess_array *a;
    bool changed = true;

    (void)state;
    refused(TESS_ERR_ARG, tess_array_refresh(NULL, &changed, err));
    assert_false(changed);

    tess_array *const w = make(path, &kinds[0], 1);
    write_all(w, 2);
    refresh(w, false);
    check_items(w, ROWS, 2); // what is not committed stays
    ok(tess_array_close(w, err));

    tess_array *const memory = make(NULL, &kinds[0], 3);
    refresh(memory, false);
    ok(tess_array_image(memory, &image, &size, err));
    tess_storage storage = at(NULL, TESS_MODE_READ);
    storage.image = image;
    storage.image_size = size;
    ok(tess_array_open(&storage, &a, err));
    refresh(a, false);
    check_items(a, ROWS, 3);
    ok(tess_array_close(a, err));
    ok(tess_array_close(memory, err));
}

static void
a_writer_that_lost(void **state)
{
    const char *const path = files_path("array");
    size_t size;

    (void)state;
    tess_array *const w = make(path, &kinds[0], 1);
    uint8_t *const bytes = files_read(path, &size);
    bytes[23] ^= 1; // the length of the frame: a program that knows no locks
    files_write(path, bytes, size);
    free(bytes);
    refused(TESS_ERR_STALE, tess_array_refresh(w, NULL, err));
    tess_array_discard(w);
}

// -- failures: the array stays as it was

static void
damage(const char *path, size_t keep)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    files_write(path, bytes, keep < size ? keep : size);
    free(bytes);
}

static void
failures(void **state)
{
    static const size_t lengths[] = {0, 10, 50, 100, 1000};
    const char *const path = files_path("array");
    const char *const aside = files_path("aside");
    tess_error error;
    bool changed = true;

    (void)state;
    make_file(path, &kinds[0], 1);
    tess_array *const a = reader_of(path, &kinds[0]);
    check_items(a, ROWS, 1);

    assert_int_equal(rename(path, aside), 0);
    refused(TESS_ERR_NOT_FOUND, tess_array_refresh(a, &changed, err));
    assert_false(changed);
    check_items(a, ROWS, 1);
    assert_int_equal(rename(aside, path), 0);
    refresh(a, false);

    assert_int_equal(rename(path, aside), 0);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        make_file(path, &kinds[0], 2);
        damage(path, lengths[i]);
        changed = true;
        const tess_status st = tess_array_refresh(a, &changed, &error);
        assert_true(st == TESS_ERR_CORRUPT || st == TESS_ERR_FORMAT || st == TESS_ERR_IO);
        check_error(&error, st, "refresh");
        assert_false(changed);
        check_items(a, ROWS, 1);
    }
    make_file(path, &kinds[0], 3);
    refresh(a, true);
    check_items(a, ROWS, 3);

    damage(path, 200); // under the array
    const tess_status st = tess_array_refresh(a, NULL, &error);
    assert_true(st == TESS_ERR_CORRUPT || st == TESS_ERR_IO);
    ok(tess_array_close(a, err));
}

// -- views

static void
check_view(const tess_array *view, uint32_t commit)
{
    const int64_t stop[2] = {COLUMNS, ROWS / 2};
    uint32_t got[COLUMNS][ROWS / 2];
    ok(tess_array_read(view, origin, stop, got, sizeof got, err));
    for (int64_t i = 0; i < COLUMNS; i++)
        for (int64_t j = 0; j < ROWS / 2; j++)
            assert_int_equal(got[i][j], item_of(commit, 2 * j * COLUMNS + i));
}

static void
views(void **state)
{
    const char *const path = files_path("array");
    const int64_t stop[2] = {ROWS, COLUMNS}, step[2] = {2, 1};
    const int64_t more[2] = {ROWS + 9, COLUMNS}, less[2] = {ROWS - 1, COLUMNS};
    tess_array *slice, *view;
    tess_info info;

    (void)state;
    tess_array *const w = make(path, &kinds[0], 1);
    tess_array *const a = reader_of(path, &kinds[0]);
    ok(tess_array_view_slice(a, origin, stop, step, &slice, err));
    ok(tess_array_view_permute(slice, NULL, &view, err));
    check_view(view, 1);
    refused(TESS_ERR_ARG, tess_array_refresh(view, NULL, err));

    write_all(w, 2);
    ok(tess_array_flush(w, err));
    check_stale(view);
    refresh(a, true);
    check_view(view, 2);
    ok(tess_array_resize(w, more, err));
    write_all(w, 3);
    ok(tess_array_flush(w, err));
    refresh(a, true);
    check_view(view, 3);
    tess_array_info(view, &info);
    assert_string_equal(info.dtype, "<u4");

    ok(tess_array_resize(w, less, err));
    ok(tess_array_flush(w, err));
    refresh(a, true);
    check_stale(view);
    ok(tess_array_resize(w, more, err));
    ok(tess_array_close(w, err));
    refresh(a, true);
    check_stale(view); // and stays so
    ok(tess_array_close(view, err));
    ok(tess_array_close(slice, err));
    ok(tess_array_close(a, err));
}

// -- commits that look alike: the same lengths, the same places

static void
check_all_stale(tess_array *const *readers, size_t n, const char *name, uint32_t commit)
{
    const int64_t start[2] = {0, 13}, stop[2] = {1, 15}, end[2] = {ROWS, COLUMNS};
    uint32_t got[2];
    for (size_t i = 0; i < n; i++)
        if (tess_array_read(readers[i], start, stop, got, sizeof got, NULL) != TESS_ERR_STALE ||
            tess_array_read(readers[i], origin, end, items, sizeof items, NULL) != TESS_ERR_STALE)
            fail_msg("%s: commit %u is taken for number %zu", name, (unsigned)commit, i + 1);
}

static void
look_alike(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int sessions = 0; sessions < 2; sessions++) {
            const char *const path = files_path("array");
            const tess_storage storage = at(path, TESS_MODE_UPDATE);
            tess_array *readers[8];
            tess_array *w = make(path, &kinds[k], 1);
            size_t n = 0;
            for (uint32_t commit = 2; commit < 150; commit++) {
                if (n < COUNT(readers)) {
                    readers[n] = reader_of(path, &kinds[k]);
                    check_items(readers[n++], ROWS, commit - 1); // and keep some of it
                }
                if (sessions) {
                    ok(tess_array_close(w, err));
                    ok(tess_array_open(&storage, &w, err));
                }
                write_all(w, commit);
                ok(tess_array_flush(w, err));
                check_all_stale(readers, n, kinds[k].name, commit);
            }
            ok(tess_array_close(w, err));
            for (size_t i = 0; i < n; i++)
                ok(tess_array_close(readers[i], err));
            files_remove(path);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_change, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(cache, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(metalayer, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(replaced, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(another_kind, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(behind_something, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(not_readers, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(a_writer_that_lost, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(failures, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(views, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(look_alike, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
