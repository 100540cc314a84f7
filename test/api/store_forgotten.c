/*
 * store_forgotten.c - arrays that the program has open when their store forgets them: an abort, a
 * removal, another array in their place, the end of the store.
 *
 * They can only be closed, and nothing of them gets to the files any more, whatever their caches
 * hold; whoever opens the path again, has another array.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { NITEMS = 40000, CHUNK = 1000 };

static const char path[] = "/g/a";
static struct random rnd;

static tess_store *
open_store(const char *name, tess_mode mode)
{
    tess_storage storage;
    tess_context context;
    tess_store *store = NULL;
    tess_context_init(&context);
    context.cache = (int64_t)8 * CHUNK * 4;
    tess_storage_init(&storage);
    storage.path = files_path(name);
    storage.context = &context;
    storage.mode = mode;
    ok(tess_store_open(&storage, &store, err));
    return store;
}

// The items of version v.
static void
make_items(int32_t v, int32_t items[NITEMS])
{
    for (int i = 0; i < NITEMS; i++)
        items[i] = v * 1000003 + i * (v + 1);
}

static tess_array *
make(tess_store *store, tess_mode mode, int32_t v)
{
    static int32_t items[NITEMS];
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    make_items(v, items);
    tess_storage_init(&storage);
    storage.store = store;
    storage.path = path;
    storage.mode = mode;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = NITEMS;
    params.chunkshape[0] = CHUNK;
    params.blockshape[0] = CHUNK / 4;
    params.dtype = "<i4";
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    return a;
}

static void
check(const tess_array *a, int32_t v)
{
    static int32_t wanted[NITEMS], items[NITEMS];
    const int64_t start = 0, stop = NITEMS;
    make_items(v, wanted);
    ok(tess_array_read(a, &start, &stop, items, sizeof items, err));
    assert_memory_equal(items, wanted, sizeof items);
}

static void
check_store(tess_store *store, int32_t v)
{
    tess_array *a = NULL;
    ok(tess_store_array(store, path, &a, err));
    check(a, v);
    ok(tess_array_close(a, err));
}

// As somebody finds it who opens the store now.
static void
check_stored(int32_t v)
{
    tess_store *const store = open_store("s.b2d", TESS_MODE_READ);
    check_store(store, v);
    tess_store_close(store);
}

// Boxes of the array get items of version v, of whole chunks and of parts of blocks: the last ones
// are in the cache and in no file.
static void
write_some(tess_array *a, int32_t v)
{
    static int32_t items[NITEMS];
    make_items(v, items);
    for (int64_t i = 0; i < 60; i++) {
        const int64_t most = i % 20 == 0 ? NITEMS : 100;
        const int64_t start = below(&rnd, NITEMS - 100), rest = NITEMS - start;
        const int64_t stop = start + 1 + below(&rnd, rest < most ? rest : most);
        ok(tess_array_write(a, &start, &stop, items + start, (size_t)(stop - start) * 4, err));
    }
}

// All calls but those that close it.
static void
check_forgotten(tess_array *a, tess_array *view)
{
    static int32_t items[NITEMS];
    const int64_t start = 0, stop = NITEMS, half = NITEMS / 2;
    tess_array *const both[] = {a, view};
    for (int i = 0; i < 2; i++) {
        if (!both[i])
            continue;
        const int64_t *const end = both[i] == view ? &half : &stop;
        for (int64_t k = 0; k < 100; k++) { // what was written has to leave the cache for these
            const int64_t at = below(&rnd, *end - 1), next = at + 1;
            refused(TESS_ERR_STALE,
                    tess_array_read(both[i], &at, &next, items, sizeof *items, err));
        }
        refused(TESS_ERR_STALE,
                tess_array_read(both[i], &start, end, items, (size_t)*end * 4, err));
        refused(TESS_ERR_STALE,
                tess_array_write(both[i], &start, end, items, (size_t)*end * 4, err));
    }
    if (!a)
        return;
    refused(TESS_ERR_STALE, tess_array_flush(a, err));
    refused(TESS_ERR_STALE, tess_array_resize(a, &half, err));
    refused(TESS_ERR_STALE, tess_attr_set_int(a, "x", 1, err));
}

enum way { ABORT, REMOVE, REPLACE, DISCARD, CLOSE, WAYS };

// The array of version 1, in part 2, is forgotten; its path has version 1 then, or, where that has
// to be made anew, 3. Other calls on it follow, before and after there is a new handle.
static void
forget(enum way way, tess_store **store, tess_array **a, tess_array **again)
{
    switch (way) {
    case ABORT:
        ok(tess_store_abort(*store, err));
        break;
    case REMOVE:
        ok(tess_store_remove(*store, path, err));
        *again = make(*store, TESS_MODE_NEW, 3);
        return;
    case REPLACE:
        *again = make(*store, TESS_MODE_REPLACE, 3);
        return;
    case DISCARD: // its view has it still
        tess_array_discard(*a);
        *a = NULL;
        break;
    default:
        tess_store_close(*store);
        *store = open_store("s.b2d", TESS_MODE_UPDATE);
        break;
    }
    ok(tess_store_array(*store, path, again, err));
}

static void
opened_again(void **state)
{
    (void)state;
    random_init(&rnd, random_seed());
    for (int64_t round = random_cases(4, 100) * WAYS - 1; round >= 0; round--) {
        const enum way way = (enum way)(round % WAYS);
        tess_store *store = open_store("s.b2d", TESS_MODE_NEW);
        ok(tess_array_close(make(store, TESS_MODE_NEW, 1), err));
        ok(tess_store_commit(store, err));
        tess_array *a = NULL, *view = NULL, *again = NULL;
        const int64_t start = 0, stop = NITEMS, step = 2;
        ok(tess_store_array(store, path, &a, err));
        ok(tess_array_view_slice(a, &start, &stop, &step, &view, err));
        write_some(a, 2);
        forget(way, &store, &a, &again);
        const int32_t now = way == REMOVE || way == REPLACE ? 3 : 1;
        check(again, now);
        if (way != REPLACE) // that one is there until the new one is
            check_forgotten(a, view);
        static int32_t items[NITEMS];
        make_items(4, items);
        ok(tess_array_write(again, &start, &stop, items, sizeof items, err));
        if (way != REPLACE)
            check_forgotten(a, view);
        check(again, 4);
        ok(tess_store_commit(store, err));
        check_forgotten(a, view);
        check_stored(4);
        ok(tess_array_close(view, err));
        ok(tess_array_close(a, err));
        check(again, 4);
        ok(tess_array_close(again, err));
        tess_store_close(store);
        check_stored(4);
        files_remove(files_path("s.b2d"));
    }
}

static void
open_often(tess_store *store, const char *name)
{
    for (int i = 0; i < 200; i++) { // each time, closed arrays may be let go of
        tess_array *x = NULL;
        ok(tess_store_array(store, name, &x, err));
        ok(tess_array_close(x, err));
    }
}

// What is discarded is as it was at the last commit, at once and after the next one: also by
// another name, in the list, and by another handle.
static void
discarded(void **state)
{
    tess_store *const store = open_store("s.b2d", TESS_MODE_NEW);
    tess_array *a = NULL, *other = NULL;
    const int64_t start = 0, stop = 1;
    const int32_t item = 5;
    (void)state;
    ok(tess_array_close(make(store, TESS_MODE_NEW, 1), err));
    ok(tess_store_link(store, path, "/link", err));
    ok(tess_store_commit(store, err));
    tess_array_discard(make(store, TESS_MODE_REPLACE, 2));
    open_often(store, "/link");
    check_store(store, 1);
    ok(tess_store_remove(store, path, err));
    tess_array_discard(make(store, TESS_MODE_NEW, 3));
    assert_int_equal(tess_store_find(store, path), -1);
    refused(TESS_ERR_NOT_FOUND, tess_store_link(store, path, "/other", err));
    ok(tess_store_abort(store, err));

    ok(tess_store_array(store, path, &a, err));
    ok(tess_array_write(a, &start, &stop, &item, sizeof item, err));
    tess_array_discard(a);
    ok(tess_store_rename(store, "/g", "/h", err));
    open_often(store, "/h/a");
    ok(tess_store_rename(store, "/h", "/g", err));

    ok(tess_store_array(store, path, &a, err));
    ok(tess_store_array(store, path, &other, err));
    tess_array_discard(a);
    refused(TESS_ERR_STALE, tess_array_write(other, &start, &stop, &item, sizeof item, err));
    check_store(store, 1);
    refused(TESS_ERR_STALE, tess_array_write(other, &start, &stop, &item, sizeof item, err));
    ok(tess_array_close(other, err));
    ok(tess_store_commit(store, err));
    check_store(store, 1);
    tess_store_close(store);
    check_stored(1);
}

// Other processes write to leases, forgotten or not: nobody else has the file until they end.
static void
leased(void **state)
{
    tess_store *const store = open_store("s.b2d", TESS_MODE_NEW);
    tess_array *const a = make(store, TESS_MODE_NEW, 1);
    tess_array *again = NULL;
    tess_adoption *adoption = NULL;
    tess_lease lease;
    tess_error why;
    (void)state;
    ok(tess_store_commit(store, err));
    for (int closes = 0; closes < 2; closes++) {
        tess_array *x = NULL;
        ok(tess_store_array(store, path, &x, err));
        ok(tess_adoption_begin(x, &adoption, err));
        ok(tess_adoption_lease(adoption, 10000, &lease, err));
        if (closes)
            ok(tess_array_close(x, err)); // the adoption has it still
        ok(tess_store_abort(store, err));
        assert_int_equal(tess_store_array(store, path, &again, &why), TESS_ERR_IO);
        assert_int_equal(why.sys, EWOULDBLOCK);
        refused(TESS_ERR_STALE, tess_adoption_lease(adoption, 1, &lease, err));
        ok(tess_adoption_end(adoption, false, err));
        check_store(store, 1);
        if (!closes)
            ok(tess_array_close(x, err));
        check_store(store, 1);
    }
    ok(tess_array_close(a, err));
    tess_store_close(store);
    check_stored(1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {IN_A_FOLDER(opened_again), IN_A_FOLDER(discarded),
                                       IN_A_FOLDER(leased)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
