/*
 * schunk.c - super-chunks without memory: each allocation of each change fails once, and the list
 * of chunks stays as it was, in memory, in files and in directories; then the change succeeds.
 */
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNKS_MOST = 20, SIZE_MOST = 4000, TRIES = 400 };

// -- the allocator: the allocation of a number fails

static atomic_int left; // allocations until one fails; < 0: none does

static bool
fails(void)
{
    return atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

static void *
give(size_t size, size_t align, void *user)
{
    (void)user;
    return fails() ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void *
resize(void *memory, size_t size, void *user)
{
    (void)user;
    return fails() ? NULL : realloc(memory, size);
}

static void
release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

// -- the model

static uint8_t content[CHUNKS_MOST][SIZE_MOST];
static size_t sizes[CHUNKS_MOST];
static int nchunks;

static void
check_list(const tess_array *a)
{
    uint8_t got[SIZE_MOST];
    tess_info info;
    tess_array_info(a, &info);
    assert_int_equal(info.nchunks, nchunks);
    for (int n = 0; n < nchunks; n++) {
        tess_chunk_info chunk;
        ok(tess_array_chunk(a, n, &chunk, err));
        assert_int_equal(chunk.nbytes, sizes[n]);
        ok(tess_schunk_decode(a, n, got, sizeof got, err));
        assert_memory_equal(got, content[n], sizes[n]);
    }
}

static void
model_insert(int n, size_t size, int first)
{
    memmove(content[n + 1], content[n], (size_t)(nchunks - n) * SIZE_MOST);
    memmove(&sizes[n + 1], &sizes[n], (size_t)(nchunks - n) * sizeof *sizes);
    for (size_t i = 0; i < size; i++)
        content[n][i] = first < 0 ? 0 : (uint8_t)((size_t)first + i / 5);
    sizes[n] = size;
    nchunks++;
}

static void
model_remove(int n, int count)
{
    nchunks -= count;
    memmove(content[n], content[n + count], (size_t)(nchunks - n) * SIZE_MOST);
    memmove(&sizes[n], &sizes[n + count], (size_t)(nchunks - n) * sizeof *sizes);
}

// -- changes

static uint8_t items[SIZE_MOST];

static tess_status
append(tess_array *a, tess_error *err)
{
    return tess_schunk_insert(a, nchunks, items, SIZE_MOST, err);
}

static void
appended(void)
{
    model_insert(nchunks, SIZE_MOST, 7);
}

static tess_status
insert_zeros(tess_array *a, tess_error *err)
{
    return tess_schunk_insert_special(a, 1, 1, TESS_CHUNK_ZEROS, SIZE_MOST, err);
}

static void
inserted_zeros(void)
{
    model_insert(1, SIZE_MOST, -1);
}

// Sizes differ from here on: what needed no bytes is stored.
static tess_status
insert_shorter(tess_array *a, tess_error *err)
{
    return tess_schunk_insert(a, 0, items, 1000, err);
}

static void
inserted_shorter(void)
{
    model_insert(0, 1000, 7);
}

static tess_status
update(tess_array *a, tess_error *err)
{
    return tess_schunk_update(a, 2, items, 1003, err);
}

static void
updated(void)
{
    model_remove(2, 1);
    model_insert(2, 1003, 7);
}

static tess_status
swap(tess_array *a, tess_error *err)
{
    int64_t order[CHUNKS_MOST];
    for (int n = 0; n < nchunks; n++)
        order[n] = nchunks - 1 - n;
    return tess_schunk_reorder(a, order, nchunks, err);
}

static void
swapped(void)
{
    for (int n = 0; n < nchunks / 2; n++) {
        uint8_t other[SIZE_MOST];
        const size_t size = sizes[n];
        memcpy(other, content[n], SIZE_MOST);
        memcpy(content[n], content[nchunks - 1 - n], SIZE_MOST);
        memcpy(content[nchunks - 1 - n], other, SIZE_MOST);
        sizes[n] = sizes[nchunks - 1 - n];
        sizes[nchunks - 1 - n] = size;
    }
}

static tess_status
remove_two(tess_array *a, tess_error *err)
{
    return tess_schunk_remove(a, 1, 2, err);
}

static void
removed_two(void)
{
    model_remove(1, 2);
}

static tess_status
commit(tess_array *a, tess_error *err)
{
    return tess_array_flush(a, err);
}

static void
committed(void)
{
}

static const struct {
    const char *name;
    tess_status (*call)(tess_array *a, tess_error *err);
    void (*model)(void);
} changes[] = {
    {"append", append, appended},        {"append", append, appended},
    {"flush", commit, committed},        {"insert zeros", insert_zeros, inserted_zeros},
    {"append", append, appended},        {"insert shorter", insert_shorter, inserted_shorter},
    {"flush", commit, committed},        {"update", update, updated},
    {"reorder", swap, swapped},          {"append", append, appended},
    {"remove", remove_two, removed_two}, {"flush", commit, committed},
};

// With the n-th allocation failing, n ascending, until the change needs no more.
static void
change(tess_array *a, size_t i)
{
    tess_status st = TESS_ERR_NOMEM;
    int n;
    for (n = 0; st == TESS_ERR_NOMEM && n < TRIES; n++) {
        tess_error why = {0};
        atomic_store(&left, n);
        st = changes[i].call(a, &why);
        const bool reached = atomic_load(&left) < 0;
        atomic_store(&left, -1);
        if (st != TESS_OK && (st != TESS_ERR_NOMEM || !reached))
            fail_msg("%s: %s", changes[i].name, why.message);
        if (st != TESS_OK)
            check_list(a);
    }
    if (st != TESS_OK)
        fail_msg("%s fails still after %d allocations", changes[i].name, n);
    changes[i].model();
    check_list(a);
}

static void
lists_stay(void **state)
{
    (void)state;
    for (int place = 0; place < 3; place++) {
        tess_storage storage;
        tess_params params;
        tess_array *a;
        tess_storage_init(&storage);
        tess_params_init(&params);
        storage.path = place == 0 ? NULL : files_path("schunk");
        storage.mode = TESS_MODE_NEW;
        params.typesize = 4;
        params.layout = place == 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
        nchunks = 0;
        ok(tess_schunk_create(&storage, &params, &a, err));
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
            change(a, i);
        ok(tess_array_close(a, err));
        if (!storage.path)
            continue;
        storage.mode = TESS_MODE_READ;
        ok(tess_array_open(&storage, &a, err));
        check_list(a);
        ok(tess_array_close(a, err));
        files_remove(storage.path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_stay, files_setup, files_teardown),
    };
    tess_allocator allocator;
    atomic_init(&left, -1);
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (uint8_t)(7 + i / 5);
    tess_allocator_init(&allocator);
    allocator.alloc = give;
    allocator.resize = resize;
    allocator.free = release;
    if (tess_allocator_set(&allocator, NULL) != TESS_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
