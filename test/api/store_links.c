/*
 * store_links.c - entries of a store that lead to others: made, followed, copied, and damaged.
 *
 * Links among random transactions, with kills and failing calls, are in support/transactions.h.
 */
#include "support/files.h"

#include <tessera.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static tess_store *
open_store(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_store *store = NULL;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    ok(tess_store_open(&storage, &store, err));
    return store;
}

// An array of one item.
static void
put(tess_store *store, const char *path, int32_t item, tess_mode mode)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_storage_init(&storage);
    storage.store = store;
    storage.path = path;
    storage.mode = mode;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 1;
    params.dtype = "<i4";
    ok(tess_array_from(&storage, &params, &item, sizeof item, &a, err));
    ok(tess_array_close(a, err));
}

static int32_t
get(tess_store *store, const char *path)
{
    const int64_t start = 0, stop = 1;
    int32_t item = -1;
    tess_array *a;
    ok(tess_store_array(store, path, &a, err));
    ok(tess_array_read(a, &start, &stop, &item, sizeof item, err));
    ok(tess_array_close(a, err));
    return item;
}

static tess_status
get_status(tess_store *store, const char *path, tess_error *why)
{
    tess_array *a;
    const tess_status st = tess_store_array(store, path, &a, why);
    (void)!tess_array_close(a, NULL);
    return st;
}

static void
check_target(tess_store *store, const char *path, const char *wanted)
{
    char *target;
    ok(tess_store_target(store, path, &target, err));
    assert_string_equal(target, wanted);
    tess_free(target);
}

static tess_entry
entry_of(tess_store *store, const char *path)
{
    tess_entry entry;
    const int64_t i = tess_store_find(store, path);
    assert_true(i >= 0);
    tess_store_entry(store, i, &entry);
    return entry;
}

static void
followed(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_store *store = open_store(path, TESS_MODE_NEW);
    tess_error why;
    (void)state;
    put(store, "/winds/u", 1, TESS_MODE_NEW);
    ok(tess_store_link(store, "winds/u/", "/latest", err));
    ok(tess_store_link(store, "/latest", "/deep/er/again", err)); // one that leads to a link
    assert_int_equal(get(store, "/deep/er/again"), 1); // before the commit
    ok(tess_store_commit(store, err));
    assert_int_equal(entry_of(store, "/latest").kind, TESS_ENTRY_LINK);
    check_target(store, "/latest", "/winds/u");
    check_target(store, "deep/er/again", "/latest");
    assert_int_equal(get(store, "/latest"), 1);

    tess_store *const reader = open_store(path, TESS_MODE_READ);
    assert_int_equal(get(reader, "/deep/er/again"), 1);
    // What is written through a link is in the array.
    const int64_t start = 0, stop = 1;
    const int32_t two = 2;
    tess_array *a;
    ok(tess_store_array(store, "/latest", &a, err));
    ok(tess_array_write(a, &start, &stop, &two, sizeof two, err));
    ok(tess_array_close(a, err));
    assert_int_equal(get(store, "/winds/u"), 2);
    // A link leads to a path: to nothing, and to whatever comes there.
    ok(tess_store_rename(store, "/winds/u", "/winds/old", err));
    assert_int_equal(get_status(store, "/latest", &why), TESS_ERR_NOT_FOUND);
    assert_non_null(strstr(why.message, "a link to /winds/u"));
    put(store, "/winds/u", 3, TESS_MODE_NEW);
    assert_int_equal(get(store, "/deep/er/again"), 3);
    ok(tess_store_commit(store, err));
    assert_int_equal(get(reader, "/latest"), 1); // of its commit
    tess_store_close(reader);
    // It has a name as others have, and is forgotten as others are.
    ok(tess_store_rename(store, "/latest", "/winds/newest", err));
    assert_int_equal(get(store, "/winds/newest"), 3);
    ok(tess_store_remove(store, "/deep", err));
    ok(tess_store_abort(store, err));
    assert_int_equal(get(store, "/deep/er/again"), 3);
    ok(tess_store_remove(store, "/latest", err));
    ok(tess_store_commit(store, err));
    assert_int_equal(get_status(store, "/deep/er/again", &why), TESS_ERR_NOT_FOUND);
    tess_store_close(store);
    files_remove(path);
}

static void
refusals(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_store *store = open_store(path, TESS_MODE_NEW);
    tess_error why;
    char *target = (char *)path;
    (void)state;
    put(store, "/g/a", 1, TESS_MODE_NEW);
    assert_int_equal(tess_store_link(store, "/nothing", "/l", &why), TESS_ERR_NOT_FOUND);
    assert_int_equal(tess_store_link(store, "/g", "/l", &why), TESS_ERR_TYPE);
    assert_int_equal(tess_store_link(store, "/g/a", "/g/a", &why), TESS_ERR_IO);
    assert_int_equal(why.sys, EEXIST);
    assert_int_equal(tess_store_link(store, "/g/a", "/../l", &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_link(store, NULL, "/l", &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_link(store, "/g/a", NULL, &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_link(NULL, "/g/a", "/l", &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_count(store), 3); // nothing came of it
    ok(tess_store_link(store, "/g/a", "/l", err));
    assert_int_equal(tess_store_target(store, "/g/a", &target, &why), TESS_ERR_TYPE);
    assert_null(target);
    assert_int_equal(tess_store_target(store, "/x", &target, &why), TESS_ERR_NOT_FOUND);
    // An array does not take the place of a link unasked.
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.typesize = 1;
    storage.store = store;
    storage.path = "/l";
    storage.mode = TESS_MODE_REPLACE;
    assert_int_equal(tess_array_zeros(&storage, &params, &a, &why), TESS_ERR_IO);
    assert_int_equal(why.sys, EEXIST);
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    store = open_store(path, TESS_MODE_READ);
    assert_int_equal(tess_store_link(store, "/g/a", "/m", &why), TESS_ERR_ARG);
    assert_int_equal(get(store, "/l"), 1);
    tess_store_close(store);
    files_remove(path);
}

static void
copied(void **state)
{
    char path[3][300];
    static const char *const names[] = {"s.b2d", "s.b2z", "t.b2d"};
    (void)state;
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s", files_path(names[i]));
    tess_store *store = open_store(path[0], TESS_MODE_NEW);
    put(store, "/g/a", 5, TESS_MODE_NEW);
    ok(tess_store_link(store, "/g/a", "/g/l", err));
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    for (int i = 1; i < 3; i++) {
        tess_storage to;
        tess_storage_init(&to);
        to.path = path[i];
        to.mode = TESS_MODE_NEW;
        store = open_store(path[i - 1], TESS_MODE_READ);
        ok(tess_store_save(store, &to, err));
        tess_store_close(store);
        store = open_store(path[i], TESS_MODE_READ);
        assert_int_equal(entry_of(store, "/g/l").kind, TESS_ENTRY_LINK);
        assert_int_equal(get(store, "/g/l"), 5);
        check_target(store, "/g/l", "/g/a");
        tess_store_close(store);
    }
    for (int i = 0; i < 3; i++)
        files_remove(path[i]);
}

// A file that ends as a link does, with an attribute "target": text, a number, or none.
static void
plant(const char *directory, const char *name, const char *text, bool number)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    char path[400];
    snprintf(path, sizeof path, "%s/%s.b2link", directory, name);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.typesize = 1;
    ok(tess_array_uninit(&storage, &params, &a, err));
    if (number)
        ok(tess_attr_set_int(a, "target", 5, err));
    else if (text)
        ok(tess_attr_set_string(a, "target", text, err));
    ok(tess_array_close(a, err));
}

static void
hostile(void **state)
{
    const char *const path = files_path("s.b2d");
    static const struct {
        const char *name, *target;
        tess_status status;
    } cases[] = {
        {"self", "/self", TESS_ERR_CORRUPT},      {"ring1", "/ring2", TESS_ERR_CORRUPT},
        {"ring2", "/ring1", TESS_ERR_CORRUPT},    {"out", "/../outside", TESS_ERR_CORRUPT},
        {"dots", "../outside", TESS_ERR_CORRUPT}, {"empty", "", TESS_ERR_CORRUPT},
        {"slash", "/", TESS_ERR_CORRUPT},         {"none", NULL, TESS_ERR_CORRUPT},
        {"number", NULL, TESS_ERR_CORRUPT},       {"gone", "/gone/away", TESS_ERR_NOT_FOUND},
        {"group", "/g", TESS_ERR_TYPE},           {"good", "g/a", TESS_OK},
    };
    tess_store *store = open_store(path, TESS_MODE_NEW);
    tess_error why;
    char name[16], next[16];
    (void)state;
    put(store, "/g/a", 1, TESS_MODE_NEW);
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        plant(path, cases[i].name, cases[i].target, strcmp(cases[i].name, "number") == 0);
    for (int i = 0; i < 18; i++) { // 17 links in a row, and one that leads to nothing
        snprintf(name, sizeof name, "row%d", i);
        snprintf(next, sizeof next, i < 17 ? "/row%d" : "/g/a", i + 1);
        plant(path, name, next, false);
    }
    for (int mode = 0; mode < 2; mode++) {
        store = open_store(path, mode ? TESS_MODE_UPDATE : TESS_MODE_READ);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            assert_int_equal(get_status(store, cases[i].name, &why), cases[i].status);
        assert_int_equal(get(store, "/row2"), 1); // 16 links
        assert_int_equal(get_status(store, "/row1", &why), TESS_ERR_CORRUPT);
        assert_non_null(strstr(why.message, "more than 16 links"));
        if (mode)
            ok(tess_store_commit(store, err));
        tess_store_close(store);
    }
    files_remove(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(followed),
        IN_A_FOLDER(refusals),
        IN_A_FOLDER(copied),
        IN_A_FOLDER(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
