/*
 * kept_commits.c - the list of the commits that a store keeps, and what is no entry to be removed
 * or renamed.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE; // nothing here stops the machine
    return storage;
}

static tess_store *
open_as(const char *path, tess_mode mode)
{
    const tess_storage storage = at(path, mode);
    tess_store *store = NULL;
    ok(tess_store_open(&storage, &store, err));
    return store;
}

// An array of one item, which a commit makes or changes.
static void
put(tess_store *store, const char *path, int32_t item)
{
    tess_storage storage = at(path, TESS_MODE_REPLACE);
    tess_params params;
    tess_array *a = NULL;
    storage.store = store;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 1;
    params.dtype = "<i4";
    ok(tess_array_from(&storage, &params, &item, sizeof item, &a, err));
    ok(tess_array_close(a, err));
}

static int32_t
item_of(tess_store *store, const char *path)
{
    tess_array *a = NULL;
    const int64_t start = 0, stop = 1;
    int32_t item = -1;
    ok(tess_store_array(store, path, &a, err));
    ok(tess_array_read(a, &start, &stop, &item, sizeof item, err));
    ok(tess_array_close(a, err));
    return item;
}

// The list is as a text: "1=a 3 ".
static void
check_commits(const tess_store *store, const char *expected)
{
    tess_commit *commits = NULL;
    int64_t count = -1;
    char text[400] = "";
    ok(tess_store_commits(store, &commits, &count, err));
    for (int64_t i = 0; i < count; i++) {
        const size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%" PRIu64 "%s%s ", commits[i].number,
                 commits[i].name ? "=" : "", commits[i].name ? commits[i].name : "");
    }
    assert_string_equal(text, expected);
    assert_true((count == 0) == !commits);
    tess_free(commits);
}

static void
listed(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_store *store = open_as(path, TESS_MODE_NEW), *early, *reader;
    (void)state;
    early = open_as(path, TESS_MODE_READ); // before there is a commit
    check_commits(store, "");
    check_commits(early, "");
    put(store, "/a", 1);
    ok(tess_store_commit(store, err));
    check_commits(store, "1 ");
    ok(tess_store_name_commit(store, "first", err));
    check_commits(store, "1=first ");
    check_commits(early, "1=first ");
    put(store, "/a", 2);
    ok(tess_store_commit(store, err));
    check_commits(store, "1=first 2 ");
    reader = open_as(path, TESS_MODE_READ);
    put(store, "/a", 3);
    ok(tess_store_commit(store, err));
    check_commits(store, "1=first 2 3 "); // the second one is read
    tess_store_close(reader);
    put(store, "/a", 4);
    ok(tess_store_commit(store, err));
    check_commits(store, "1=first 4 ");
    ok(tess_store_name_commit(store, "fourth", err));
    ok(tess_store_forget_commit(store, "first", err));
    check_commits(store, "1 4=fourth ");
    put(store, "/a", 5);
    ok(tess_store_commit(store, err));
    check_commits(early, "4=fourth 5 ");
    tess_store_close(store);
    check_commits(early, "4=fourth 5 ");
    tess_store_close(early);
}

// Of a directory that no program committed to, and of a zip file.
static void
none(void **state)
{
    const char *const names[] = {"copy.b2z", "copy.b2d"};
    tess_store *store = open_as(files_path("s.b2d"), TESS_MODE_NEW), *copy;
    (void)state;
    put(store, "/a", 1);
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    store = open_as(files_path("s.b2d"), TESS_MODE_READ);
    for (int i = 0; i < 2; i++) {
        const tess_storage to = at(files_path(names[i]), TESS_MODE_NEW);
        ok(tess_store_save(store, &to, err));
        copy = open_as(to.path, TESS_MODE_READ);
        check_commits(copy, i == 0 ? "" : "1 ");
        tess_store_close(copy);
    }
    tess_store_close(store);
    files_remove(files_path("copy.b2d/.tessera"));
    store = open_as(files_path("copy.b2d"), TESS_MODE_READ);
    check_commits(store, "");
    tess_store_close(store);
}

static void
arguments(void **state)
{
    tess_store *const store = open_as(files_path("s.b2d"), TESS_MODE_NEW);
    tess_commit *commits = (void *)&commits;
    tess_error why;
    int64_t count = 7;
    (void)state;
    put(store, "/a", 1);
    ok(tess_store_commit(store, err));
    assert_int_equal(tess_store_commits(store, NULL, &count, &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_commits(store, &commits, NULL, &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_commits(NULL, &commits, &count, &why), TESS_ERR_ARG);
    assert_null(commits);
    assert_int_equal(count, 0);
    static const size_t sizes[] = {0, SIZE_MAX, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        commits = (void *)&commits;
        count = 7;
        const tess_status st = tess_store_commits_sized(store, &commits, sizes[i], &count, &why);
        assert_true(st == TESS_ERR_ARG || (st == TESS_ERR_NOMEM && sizes[i] > 0));
        assert_null(commits);
        assert_int_equal(count, 0);
    }
    tess_store_close(store);
}

// Elements of other releases: a shorter one without the name, a longer one with zeros.
static void
sizes(void **state)
{
    struct longer {
        tess_commit known;
        int64_t more;
    };
    tess_store *const store = open_as(files_path("s.b2d"), TESS_MODE_NEW);
    tess_commit *list = NULL;
    int64_t count;
    (void)state;
    for (int32_t i = 0; i < 3; i++) {
        char name[8];
        put(store, "/a", i);
        ok(tess_store_commit(store, err));
        snprintf(name, sizeof name, "n%d", i);
        ok(tess_store_name_commit(store, name, err));
    }
    ok(tess_store_commits_sized(store, &list, sizeof(uint64_t), &count, err));
    assert_int_equal(count, 3);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(((const uint64_t *)(const void *)list)[i], i + 1);
    tess_free(list);
    ok(tess_store_commits_sized(store, &list, sizeof(struct longer), &count, err));
    assert_int_equal(count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        const struct longer *const x = (const struct longer *)(const void *)list + i;
        assert_int_equal(x->known.number, i + 1);
        assert_int_equal(x->known.name[1], '0' + (char)i);
        assert_int_equal(x->more, 0);
    }
    tess_free(list);
    tess_store_close(store);
}

// Names that a stranger gave files of the directory.
static void
strange(void **state)
{
    static const char *const files[] = {
        "00000000000000000007",      "00000000000000000001=first", "0000000000000000007",
        "00000000000000000009=",     "00000000000000000009=a b",   "00000000000000000009=a.b2nd",
        "99999999999999999999",      "00000000000000000007.moved", "00000000000000000008=\xff\x01",
        "00000000000000000008=\xff",
    };
    const char *const path = files_path("s.b2d");
    tess_store *store = open_as(path, TESS_MODE_NEW);
    char file[400];
    (void)state;
    put(store, "/a", 1);
    ok(tess_store_commit(store, err));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(file, sizeof file, "%s/.tessera/%s", path, files[i]);
        files_write(file, "x", 1);
    }
    check_commits(store, "1=first 7 8=\xff ");
    tess_store_close(store);
}

// What opens a commit is its name, or its number: digits and nothing else.
static void
which(void **state)
{
    static const char *const bad[] = {"",
                                      " 1",
                                      "+1",
                                      "1 ",
                                      "1x",
                                      "0x1",
                                      "-18446744073709551615",
                                      "18446744073709551617",
                                      "0",
                                      "firs",
                                      "first/",
                                      "=first"};
    const tess_storage storage = at(files_path("s.b2d"), TESS_MODE_READ);
    tess_store *store = open_as(storage.path, TESS_MODE_NEW), *then = NULL;
    tess_error why;
    (void)state;
    put(store, "/a", 10);
    ok(tess_store_commit(store, err));
    ok(tess_store_name_commit(store, "first", err));
    put(store, "/a", 20);
    ok(tess_store_commit(store, err));
    refused(TESS_ERR_ARG, tess_store_name_commit(store, "1", err)); // it is the other one's number
    ok(tess_store_name_commit(store, "1st", err));
    put(store, "/a", 30);
    ok(tess_store_commit(store, err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const tess_status st = tess_store_open_commit(&storage, bad[i], &then, &why);
        if (st != TESS_ERR_NOT_FOUND)
            fail_msg("a commit \"%s\" is found: %d", bad[i], (int)st);
    }
    static const struct {
        const char *name;
        int32_t item;
    } good[] = {{"first", 10}, {"1", 10}, {"1st", 20}, {"2", 20}, {"3", 30}, {"0003", 30}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ok(tess_store_open_commit(&storage, good[i].name, &then, err));
        assert_int_equal(item_of(then, "/a"), good[i].item);
        tess_store_close(then);
    }
    tess_store_close(store);
}

// -- what cannot be removed or renamed

// embed.b2e with the arrays /e and /g/e; an empty one is in each store.
static void
embed(const char *path)
{
    tess_storage storage = at(NULL, TESS_MODE_NEW);
    tess_params params;
    tess_array *a = NULL;
    void *image = NULL;
    size_t size = 0;
    char map[300], file[400];
    const int32_t item = 5;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 1;
    params.dtype = "<i4";
    ok(tess_array_from(&storage, &params, &item, sizeof item, &a, err));
    ok(tess_array_to_image(a, &image, &size, err));
    tess_array_discard(a);
    snprintf(file, sizeof file, "%s/embed.b2e", path);
    files_remove(file);
    storage = at(file, TESS_MODE_NEW);
    tess_params_init(&params);
    params.typesize = 1;
    ok(tess_schunk_create(&storage, &params, &a, err));
    ok(tess_schunk_insert(a, 0, image, size, err));
    snprintf(map, sizeof map,
             "{\"embed_map\": {\"/e\": {\"offset\": 0, \"length\": %zu},"
             " \"/g/e\": {\"offset\": 0, \"length\": %zu}}, \"current_offset\": %zu}",
             size, size, size);
    ok(tess_attr_set_json(a, "estore_metadata", map, err));
    ok(tess_array_close(a, err));
    tess_free(image);
}

static void
refuses(tess_status st, tess_status expected, const tess_error *why, const char *words)
{
    assert_int_equal(st, expected);
    if (!strstr(why->message, words))
        fail_msg("said \"%s\" without \"%s\"", why->message, words);
}

static void
not_removed(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_store *store = open_as(path, TESS_MODE_NEW);
    tess_error why;
    char file[400];
    (void)state;
    put(store, "/a", 1);
    put(store, "/g/b", 2);
    put(store, "/h/c", 3);
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    embed(path);
    snprintf(file, sizeof file, "%s/link.b2nd", path);
    assert_int_equal(symlink("a.b2nd", file), 0);
    snprintf(file, sizeof file, "%s/sparse.b2nd", path);
    tess_storage sparse = at(file, TESS_MODE_NEW);
    tess_params params;
    tess_array *a = NULL;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 1;
    params.layout = TESS_LAYOUT_SPARSE;
    ok(tess_array_zeros(&sparse, &params, &a, err));
    ok(tess_array_close(a, err));

    store = open_as(path, TESS_MODE_UPDATE);
    static const struct {
        const char *path;
        tess_status st;
        const char *words;
    } cases[] = {
        {"/", TESS_ERR_ARG, "cannot be a path in a store"},
        {"", TESS_ERR_ARG, "cannot be a path in a store"},
        {"/no", TESS_ERR_NOT_FOUND, "the store has no entry /no"},
        {"/../s.b2d/a", TESS_ERR_ARG, "cannot be a path in a store"},
        {"/.tessera/new", TESS_ERR_ARG, "keeps its commits"},
        {"/e", TESS_ERR_UNSUPPORTED, "/e is in embed.b2e"},
        {"g", TESS_ERR_UNSUPPORTED, "/g/e is in embed.b2e"},
        {"/g/e/", TESS_ERR_UNSUPPORTED, "/g/e is in embed.b2e"},
        {"/link", TESS_ERR_NOT_FOUND, "it is a symbolic link"},
        {"/sparse", TESS_ERR_NOT_FOUND, "it is a directory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_status st = tess_store_remove(store, cases[i].path, &why);
        refuses(st, cases[i].st, &why, cases[i].words);
        st = tess_store_rename(store, cases[i].path, "/new", &why);
        refuses(st, cases[i].st, &why, cases[i].words);
    }
    refuses(tess_store_array(store, "/link", &a, &why), TESS_ERR_NOT_FOUND, &why,
            "it is a symbolic link");
    ok(tess_store_commit(store, err));
    assert_int_equal(item_of(store, "/a"), 1);
    assert_int_equal(item_of(store, "/g/b"), 2);
    assert_int_equal(item_of(store, "/e"), 5);

    // The new path is that of no entry, of whatever kind.
    static const char *const taken[] = {"/a", "/g", "g/b/", "/e", "/g/e", "/h"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        assert_int_equal(tess_store_rename(store, "/h/c", taken[i], &why), TESS_ERR_IO);
        assert_int_equal(why.sys, EEXIST);
    }
    ok(tess_store_commit(store, err));
    assert_int_equal(item_of(store, "/h/c"), 3);
    ok(tess_store_remove(store, "/g/b", err)); // the group has another entry
    ok(tess_store_rename(store, "/h", "/g/h", err));
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    store = open_as(path, TESS_MODE_READ);
    assert_int_equal(tess_store_find(store, "/g/b"), -1);
    assert_int_equal(tess_store_find(store, "/h"), -1);
    assert_int_equal(item_of(store, "/g/h/c"), 3);
    assert_int_equal(item_of(store, "/g/e"), 5);
    tess_store_close(store);
}

// Items that do not compress, of version v.
static void
make_noise(int32_t v, int32_t *items, int n)
{
    struct random r;
    random_init(&r, (uint64_t)v);
    random_bytes(&r, items, (size_t)n * sizeof *items);
}

// A commit that is kept has its own file, also where an array was replaced by one with the same
// bytes and that one was changed.
static void
replaced_by_the_same(void **state)
{
    enum { NITEMS = 6000, CHUNK = 500, VERSIONS = 12 };
    static int32_t first[NITEMS], items[NITEMS];
    const char *const path = files_path("s.b2d");
    tess_store *store = open_as(path, TESS_MODE_NEW);
    tess_array *a = NULL;
    (void)state;
    make_noise(0, first, NITEMS);
    for (int i = 0; i < 2; i++) {
        tess_storage storage = at("/a", TESS_MODE_REPLACE);
        tess_params params;
        storage.store = store;
        tess_params_init(&params);
        params.ndim = 1;
        params.shape[0] = NITEMS;
        params.chunkshape[0] = CHUNK;
        params.dtype = "<i4";
        ok(tess_array_from(&storage, &params, first, sizeof first, &a, err));
        ok(tess_array_close(a, err));
        ok(tess_store_commit(store, err));
        if (i == 0)
            ok(tess_store_name_commit(store, "kept", err));
    }
    for (int v = 1; v < VERSIONS; v++) {
        const int64_t start = v * 7 % (NITEMS / CHUNK) * CHUNK, stop = start + CHUNK;
        make_noise(v, items, CHUNK);
        ok(tess_store_array(store, "/a", &a, err));
        ok(tess_array_write(a, &start, &stop, items, CHUNK * sizeof *items, err));
        ok(tess_array_close(a, err));
        ok(tess_store_commit(store, err));
        const tess_storage storage = at(path, TESS_MODE_READ);
        const int64_t none = 0, all = NITEMS;
        tess_store *kept = NULL;
        ok(tess_store_open_commit(&storage, "kept", &kept, err));
        ok(tess_store_array(kept, "/a", &a, err));
        ok(tess_array_read(a, &none, &all, items, sizeof items, err));
        assert_memory_equal(items, first, sizeof items);
        ok(tess_array_close(a, err));
        tess_store_close(kept);
    }
    tess_store_close(store);
}

// A name that no file can get is refused before there is a commit which could not be followed; so
// is one of a group, and one below an array, which others would take for a group.
static void
not_made(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_store *store = open_as(path, TESS_MODE_NEW);
    tess_array *a = NULL;
    char file[400], longest[256], longer[257], below[260];
    tess_error why;
    (void)state;
    memset(longest, 'x', sizeof longest);
    strcpy(longest + 243, ""); // then .b2nd.b2lock
    memset(longer, 'y', sizeof longer);
    strcpy(longer + 244, "");
    snprintf(below, sizeof below, "/n/%s", longer);
    put(store, "/a", 1);
    put(store, longest, 2);
    put(store, "/old/x", 4);
    ok(tess_store_attributes(store, "/noted/only//", &a, err));
    ok(tess_array_close(a, err));
    ok(tess_store_commit(store, err));
    put(store, "/fresh/er/x", 5);
    snprintf(file, sizeof file, "%s/folder.b2nd", path);
    assert_int_equal(mkdir(file, 0777), 0);
    snprintf(file, sizeof file, "%s/link.b2nd", path);
    assert_int_equal(symlink("a.b2nd", file), 0);
    snprintf(file, sizeof file, "%s/text", path);
    files_write(file, "x", 1);
    const struct {
        const char *path;
        tess_status st;
        int sys;
    } cases[] = {
        {"/folder", TESS_ERR_IO, EEXIST},
        {"/link", TESS_ERR_IO, EEXIST},
        {"/text/x", TESS_ERR_IO, ENOTDIR},
        {"/text/x/y", TESS_ERR_IO, ENOTDIR},
        {longer, TESS_ERR_IO, ENAMETOOLONG},
        {below, TESS_ERR_IO, ENAMETOOLONG},
        {"/old", TESS_ERR_IO, EEXIST},
        {"/noted", TESS_ERR_IO, EEXIST},
        {"/noted/only", TESS_ERR_IO, EEXIST},
        {"/fresh", TESS_ERR_IO, EEXIST},
        {"/fresh/er/", TESS_ERR_IO, EEXIST},
        {"/old/x/y", TESS_ERR_IO, ENOTDIR},
        {"/fresh/er/x/y/z", TESS_ERR_IO, ENOTDIR},
        {"/a.b2nd/x", TESS_ERR_ARG, 0},
        {"/__vlmeta__", TESS_ERR_ARG, 0},
        {"/old/__vlmeta__/", TESS_ERR_ARG, 0},
        {"/n/__vlmeta__/x", TESS_ERR_ARG, 0},
        {"/new.b2nd/x", TESS_ERR_ARG, 0},
        {"/g/new.b2f/x/y", TESS_ERR_ARG, 0},
        {"/embed.b2e/x", TESS_ERR_ARG, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int how = 0; how < 4; how++) {
            tess_storage storage = at(cases[i].path, how == 0 ? TESS_MODE_NEW : TESS_MODE_REPLACE);
            tess_params params;
            if (how == 3 && i < 2) // the file of a link has another ending
                continue;
            storage.store = store;
            tess_params_init(&params);
            params.ndim = 1;
            params.shape[0] = 4;
            const tess_status st = how == 3   ? tess_store_link(store, "/a", cases[i].path, &why)
                                   : how == 2 ? tess_store_rename(store, "/a", cases[i].path, &why)
                                              : tess_array_zeros(&storage, &params, &a, &why);
            if (st != cases[i].st || (cases[i].sys && why.sys != cases[i].sys))
                fail_msg("%s: status %d, errno %d: %s", cases[i].path, (int)st, why.sys,
                         why.message);
        }
    put(store, "/b", 3);
    ok(tess_store_rename(store, "/b", "/.b2nd/b", err)); // no file has such a name
    ok(tess_store_commit(store, err));
    assert_int_equal(item_of(store, "/a"), 1);
    assert_int_equal(item_of(store, longest), 2);
    refused(TESS_ERR_TYPE, tess_store_attributes(store, "/a", &a, err));
    assert_int_equal(item_of(store, "/.b2nd/b"), 3);
    tess_store_close(store);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(replaced_by_the_same),
        IN_A_FOLDER(listed),
        IN_A_FOLDER(none),
        IN_A_FOLDER(arguments),
        IN_A_FOLDER(sizes),
        IN_A_FOLDER(strange),
        IN_A_FOLDER(which),
        IN_A_FOLDER(not_removed),
        IN_A_FOLDER(not_made),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
