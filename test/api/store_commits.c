/*
 * store_commits.c - commits of stores: random transactions against a model, with readers that stay.
 *
 * What a store holds after each commit is in support/transactions.h. Readers that were opened at
 * some commit see it for as long as they are open, snapshots until they are forgotten.
 */
#include "support/files.h"
#include "support/transactions.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { READERS = 5 };

static tess_storage
reading(const char *path)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    return storage;
}

// -- readers that stay

struct reader {
    tess_store *store; // NULL: none
    size_t commit; // which one it sees
};

static void
check_reader(const struct tx *t, const struct reader *r, const char *who)
{
    const char *const what = tx_differs(r->store, &t->commits[r->commit]);
    if (what)
        fail_msg("%s of commit %zu of %zu: %s", who, r->commit, t->ncommits - 1, what);
}

static void
open_reader(const struct tx *t, struct reader *r)
{
    const tess_storage storage = reading(t->path);
    ok(tess_store_open(&storage, &r->store, err));
    r->commit = t->ncommits - 1;
    check_reader(t, r, "a new reader");
}

static void
turn_reader(struct tx *t, struct reader *r)
{
    bool changed;
    if (!r->store) {
        open_reader(t, r);
        return;
    }
    check_reader(t, r, "a reader");
    if (one_in(&t->r, 3)) {
        tess_store_close(r->store);
        r->store = NULL;
    } else if (one_in(&t->r, 3)) {
        ok(tess_store_refresh(r->store, &changed, err));
        r->commit = t->ncommits - 1;
        check_reader(t, r, "a reader that went on");
    }
}

// The store that is written shows what is to come.
static void
check_writer(const struct tx *t)
{
    const char *const what = tx_differs(t->store, &t->now);
    if (what)
        fail_msg("the writer, behind commit %zu: %s", t->ncommits - 1, what);
}

// Programs that know of no commits find the last one.
static void
check_files(const struct tx *t)
{
    const char *const what = tx_files_differ(t->path, &t->commits[t->ncommits - 1]);
    if (what)
        fail_msg("the files, behind commit %zu: %s", t->ncommits - 1, what);
}

static void
random_transactions(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int64_t round = 0; round < random_cases(12, 300); round++) {
        struct tx t;
        struct reader readers[READERS] = {{0}};
        char name[32];
        snprintf(name, sizeof name, "%" PRId64 ".b2d", round);
        tx_begin(&t, files_path(name), (tess_durability)((seed + (uint64_t)round) % 3),
                 seed + (uint64_t)round);
        for (int i = 0; i < 30; i++) {
            tx_open(&t);
            for (int64_t n = below(&t.r, 6); n >= 0; n--)
                tx_step(&t);
            if (one_in(&t.r, 4))
                check_writer(&t);
            check_files(&t); // nothing of it is in them
            if (one_in(&t.r, 8))
                tx_abort(&t);
            else if (!one_in(&t.r, 10))
                tx_commit(&t);
            check_files(&t);
            if (one_in(&t.r, 6))
                tx_close(&t);
            turn_reader(&t, &readers[below(&t.r, READERS)]);
        }
        for (int i = 0; i < READERS; i++) {
            if (readers[i].store)
                check_reader(&t, &readers[i], "a reader");
            tess_store_close(readers[i].store);
        }
        tx_end(&t);
    }
}

// -- contracts

static tess_store *
make_store(const char *path)
{
    tess_storage storage = reading(path);
    tess_store *store = NULL;
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE; // nothing here stops the machine
    ok(tess_store_open(&storage, &store, err));
    return store;
}

static tess_array *
make_array(tess_store *store, const char *path, int32_t first)
{
    tess_storage storage = reading(path);
    tess_params params;
    tess_array *a = NULL;
    int32_t items[TX_ITEMS];
    storage.store = store;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = TX_ITEMS;
    params.chunkshape[0] = 16;
    params.blockshape[0] = 8;
    params.dtype = "<i4";
    for (int i = 0; i < TX_ITEMS; i++)
        items[i] = first + i;
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    return a;
}

static int32_t
first_item(tess_store *store, const char *path)
{
    tess_array *a = NULL;
    int32_t item = -1;
    const int64_t start = 0, stop = 1;
    ok(tess_store_array(store, path, &a, err));
    ok(tess_array_read(a, &start, &stop, &item, sizeof item, err));
    ok(tess_array_close(a, err));
    return item;
}

static void
set_first(tess_store *store, const char *path, int32_t item)
{
    tess_array *a = NULL;
    const int64_t start = 0, stop = 1;
    ok(tess_store_array(store, path, &a, err));
    ok(tess_array_write(a, &start, &stop, &item, sizeof item, err));
    ok(tess_array_close(a, err));
}

static void
one_writer(void **state)
{
    tess_storage storage = reading(files_path("s.b2d"));
    tess_store *const store = make_store(storage.path);
    tess_store *other = NULL;
    tess_error why;
    (void)state;
    storage.mode = TESS_MODE_UPDATE;
    assert_int_equal(tess_store_open(&storage, &other, &why), TESS_ERR_IO);
    assert_int_equal(why.sys, EWOULDBLOCK);
    assert_null(other);
    storage.mode = TESS_MODE_NEW;
    assert_int_equal(tess_store_open(&storage, &other, &why), TESS_ERR_IO);
    assert_int_equal(why.sys, EEXIST);
    tess_store_close(store);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_store_open(&storage, &other, err));
    tess_store_close(other);
}

static void
forgotten(void **state)
{
    tess_store *const store = make_store(files_path("s.b2d"));
    tess_array *const a = make_array(store, "/a", 1);
    const tess_storage storage = reading(files_path("s.b2d"));
    const int64_t start = 0, stop = 1;
    int32_t item = 7;
    tess_store *reader = NULL;
    tess_error why;
    (void)state;
    ok(tess_store_commit(store, err));
    ok(tess_array_write(a, &start, &stop, &item, sizeof item, err));
    ok(tess_array_flush(a, err));
    tess_array *const b = make_array(store, "/b", 2);
    ok(tess_store_abort(store, err));
    assert_int_equal(tess_array_write(a, &start, &stop, &item, sizeof item, &why), TESS_ERR_STALE);
    assert_int_equal(tess_array_write(b, &start, &stop, &item, sizeof item, &why), TESS_ERR_STALE);
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
    assert_int_equal(tess_store_find(store, "/b"), -1);
    assert_int_equal(first_item(store, "/a"), 1);
    tess_array *discarded = NULL;
    ok(tess_store_array(store, "/a", &discarded, err));
    ok(tess_array_write(discarded, &start, &stop, &item, sizeof item, err));
    ok(tess_array_flush(discarded, err));
    tess_array_discard(discarded);
    assert_int_equal(first_item(store, "/a"), 1);
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    ok(tess_store_open(&storage, &reader, err));
    assert_int_equal(first_item(reader, "/a"), 1);
    assert_int_equal(tess_store_count(reader), 2);
    tess_store_close(reader);
}

// What is written to a store for reading, and a bad path.
static void
refusals(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_store *store = make_store(path), *reader = NULL;
    tess_storage storage = reading("/a");
    tess_params params;
    tess_array *a = NULL;
    tess_error why;
    static const char *const bad[] = {"", "/", "/../a", "/a//b", "/.tessera/x", "a\\b", "/a/./b"};
    (void)state;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 4;
    storage.store = store;
    storage.mode = TESS_MODE_NEW;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        storage.path = bad[i];
        assert_int_equal(tess_array_zeros(&storage, &params, &a, &why), TESS_ERR_ARG);
    }
    storage.path = "/a";
    params.layout = TESS_LAYOUT_SPARSE;
    assert_int_equal(tess_array_zeros(&storage, &params, &a, &why), TESS_ERR_UNSUPPORTED);
    params.layout = TESS_LAYOUT_CONTIGUOUS;
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(tess_array_close(a, err));
    assert_int_equal(tess_array_zeros(&storage, &params, &a, &why), TESS_ERR_IO);
    assert_int_equal(why.sys, EEXIST);
    assert_int_equal(tess_remove(&storage, &why), TESS_ERR_UNSUPPORTED);
    assert_int_equal(tess_store_rename(store, "/b", "/c", &why), TESS_ERR_NOT_FOUND);
    assert_int_equal(tess_store_remove(store, "/b", &why), TESS_ERR_NOT_FOUND);
    ok(tess_store_commit(store, err));
    ok(tess_store_array(store, "/a", &a, err));
    const int64_t none = 0;
    assert_int_equal(tess_array_resize(a, &none, &why), TESS_ERR_UNSUPPORTED);
    ok(tess_array_close(a, err));
    tess_store_close(store);

    const tess_storage whole = reading(path);
    ok(tess_store_open(&whole, &reader, err));
    storage.store = reader;
    storage.path = "/n";
    assert_int_equal(tess_array_zeros(&storage, &params, &a, &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_commit(reader, &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_abort(reader, &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_remove(reader, "/a", &why), TESS_ERR_ARG);
    assert_int_equal(tess_store_rename(reader, "/a", "/b", &why), TESS_ERR_ARG);
    tess_store_close(reader);
}

// A call that makes an array and fails leaves what it was to replace.
static void
replacing_fails(void **state)
{
    tess_store *const store = make_store(files_path("s.b2d"));
    tess_storage storage = reading("/a");
    tess_params params;
    tess_array *a = make_array(store, "/a", 5);
    tess_error why;
    (void)state;
    ok(tess_array_close(a, err));
    ok(tess_store_commit(store, err));
    storage.store = store;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 4;
    params.codec = (tess_codec)99;
    assert_int_not_equal(tess_array_zeros(&storage, &params, &a, &why), TESS_OK);
    assert_int_equal(first_item(store, "/a"), 5);
    ok(tess_store_commit(store, err));
    assert_int_equal(first_item(store, "/a"), 5);
    assert_int_equal(tess_store_number(store), 1); // there was nothing to commit
    tess_store_close(store);
}

static void
snapshots(void **state)
{
    const char *const path = files_path("s.b2d");
    const tess_storage storage = reading(path);
    tess_store *store = make_store(path), *then = NULL;
    tess_array *const a = make_array(store, "/a", 100);
    tess_error why;
    char number[24];
    (void)state;
    ok(tess_array_close(a, err));
    assert_int_equal(tess_store_name_commit(store, "early", &why), TESS_ERR_ARG);
    ok(tess_store_commit(store, err));
    ok(tess_store_name_commit(store, "early", err));
    snprintf(number, sizeof number, "%" PRIu64, tess_store_number(store));
    for (int32_t i = 0; i < 40; i++) {
        set_first(store, "/a", i);
        if (i == 20) {
            ok(tess_store_rename(store, "/a", "/moved/b", err));
            ok(tess_store_rename(store, "/moved/b", "/a", err));
        }
        ok(tess_store_commit(store, err));
    }
    assert_int_equal(tess_store_name_commit(store, "early", &why), TESS_ERR_IO);
    assert_int_equal(why.sys, EEXIST);
    for (int by_number = 0; by_number < 2; by_number++) {
        ok(tess_store_open_commit(&storage, by_number ? number : "early", &then, err));
        assert_int_equal(first_item(then, "/a"), 100);
        tess_store_close(then);
    }
    assert_int_equal(tess_store_open_commit(&storage, "late", &then, &why), TESS_ERR_NOT_FOUND);
    ok(tess_store_forget_commit(store, "early", err));
    assert_int_equal(tess_store_forget_commit(store, "early", &why), TESS_ERR_NOT_FOUND);
    set_first(store, "/a", 3);
    ok(tess_store_commit(store, err));
    assert_int_equal(tess_store_open_commit(&storage, "early", &then, &why), TESS_ERR_NOT_FOUND);
    assert_int_equal(tess_store_open_commit(&storage, number, &then, &why), TESS_ERR_NOT_FOUND);
    tess_store_close(store);
}

static int64_t
file_size(const char *path)
{
    size_t size = 0;
    free(files_read(path, &size));
    return (int64_t)size;
}

// Readers that stay cost the space of their commit, and no more; it is given back.
static void
space_of_readers(void **state)
{
    const char *const path = files_path("s.b2d");
    const tess_storage storage = reading(path);
    tess_store *const store = make_store(path), *reader = NULL;
    tess_array *const a = make_array(store, "/a", 0);
    int32_t items[TX_ITEMS];
    const int64_t start = 0, stop = TX_ITEMS;
    char file[300];
    struct random r;
    (void)state;
    random_init(&r, 1);
    snprintf(file, sizeof file, "%s/a.b2nd", path);
    random_bytes(&r, items, sizeof items);
    ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
    ok(tess_store_commit(store, err));
    const int64_t once = file_size(file);
    const int32_t was = items[0];
    ok(tess_store_open(&storage, &reader, err));
    for (int i = 0; i < 1000; i++) {
        random_bytes(&r, items, sizeof items);
        ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
        ok(tess_store_commit(store, err));
    }
    assert_int_equal(first_item(reader, "/a"), was);
    assert_true(file_size(file) < 6 * once);
    tess_store_close(reader);
    for (int i = 0; i < 20; i++) {
        random_bytes(&r, items, sizeof items);
        ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
        ok(tess_store_commit(store, err));
    }
    assert_true(file_size(file) < 5 * once);
    ok(tess_array_close(a, err));
    tess_store_close(store);
}

// Chunks that other processes encode are adopted into two arrays; the commit is one.
static void
adopted(void **state)
{
    const char *const names[] = {"/a", "/g/b"};
    const tess_storage storage = reading(files_path("s.b2d"));
    tess_store *const store = make_store(storage.path), *reader = NULL;
    tess_array *arrays[2];
    int32_t items[TX_ITEMS];
    const int64_t start = 0, stop = TX_ITEMS;
    (void)state;
    for (int i = 0; i < 2; i++)
        arrays[i] = make_array(store, names[i], 10 * i);
    ok(tess_store_commit(store, err));
    for (int i = 0; i < TX_ITEMS; i++)
        items[i] = 5000 + 3 * i;
    ok(tess_store_open(&storage, &reader, err));
    for (int i = 0; i < 2; i++) {
        void *image = NULL, *packet = NULL;
        size_t size = 0, packet_size = 0;
        tess_storage of_sketch = reading(NULL);
        tess_array *sketch = NULL;
        tess_adoption *adoption = NULL;
        ok(tess_array_sketch(arrays[i], &image, &size, err));
        of_sketch.image = image;
        of_sketch.image_size = size;
        of_sketch.mode = TESS_MODE_UPDATE;
        ok(tess_array_open(&of_sketch, &sketch, err));
        ok(tess_packet_encode(sketch, &start, &stop, items, sizeof items, NULL, &packet,
                              &packet_size, err));
        ok(tess_adoption_begin(arrays[i], &adoption, err));
        ok(tess_adoption_add(adoption, packet, packet_size, TESS_CHUNK_TRUSTED, err));
        ok(tess_adoption_end(adoption, true, err));
        ok(tess_array_flush(arrays[i], err));
        ok(tess_array_close(sketch, err));
        tess_free(image);
        tess_free(packet);
    }
    bool changed = true;
    ok(tess_store_refresh(reader, &changed, err));
    assert_false(changed);
    assert_int_equal(first_item(reader, names[1]), 10);
    ok(tess_store_commit(store, err));
    ok(tess_store_refresh(reader, &changed, err));
    assert_true(changed);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(first_item(reader, names[i]), 5000);
        ok(tess_array_close(arrays[i], err));
    }
    tess_store_close(reader);
    tess_store_close(store);
}

// Change all items of a file as a program that knows of no commits, some times.
static void
change_file(const char *path, int times)
{
    tess_storage file = reading(path);
    tess_array *a = NULL;
    int32_t items[TX_ITEMS];
    const int64_t start = 0, stop = TX_ITEMS;
    struct random r;
    random_init(&r, 3);
    file.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&file, &a, err));
    for (int i = 0; i < times; i++) {
        random_bytes(&r, items, sizeof items);
        ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
        ok(tess_array_flush(a, err));
    }
    ok(tess_array_close(a, err));
}

// The first item is that of the commit, or the call fails; it is never another one.
static void
right_or_told(tess_store *store, const char *path, int32_t first)
{
    tess_array *a = NULL;
    tess_error why;
    int32_t item = first;
    const int64_t start = 0, stop = 1;
    if (tess_store_array(store, path, &a, &why) != TESS_OK)
        return;
    const tess_status st = tess_array_read(a, &start, &stop, &item, sizeof item, &why);
    assert_true(st != TESS_OK || item == first);
    ok(tess_array_close(a, err));
}

// Older commits, and arrays that are open, while another program writes over what they need.
static void
written_over(void **state)
{
    const char *const path = files_path("s.b2d");
    const tess_storage storage = reading(path);
    tess_store *store = make_store(path), *reader = NULL, *then = NULL;
    tess_array *a = NULL;
    tess_error why;
    char file[300];
    int32_t item;
    const int64_t start = 0, stop = 1;
    (void)state;
    snprintf(file, sizeof file, "%s/a.b2nd", path);
    ok(tess_array_close(make_array(store, "/a", 100), err));
    ok(tess_store_commit(store, err));
    ok(tess_store_name_commit(store, "early", err));
    ok(tess_store_open(&storage, &reader, err));
    ok(tess_store_array(reader, "/a", &a, err));
    set_first(store, "/a", 7);
    ok(tess_store_commit(store, err));
    tess_store_close(store);
    ok(tess_array_read(a, &start, &stop, &item, sizeof item, err));
    assert_int_equal(item, 100);
    for (int i = 1; i < 5; i++) {
        change_file(file, i);
        const tess_status st = tess_array_read(a, &start, &stop, &item, sizeof item, &why);
        assert_int_equal(st, TESS_ERR_STALE);
        right_or_told(reader, "/a", 100);
        ok(tess_store_open_commit(&storage, "early", &then, err));
        right_or_told(then, "/a", 100);
        tess_store_close(then);
    }
    ok(tess_array_close(a, err));
    tess_store_close(reader);
}

// An older file is put back; one is replaced while it is open here; one is removed.
static void
other_files(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_storage storage = reading(path);
    tess_store *store = make_store(path);
    tess_array *a = NULL;
    tess_error why;
    const char *name, *reason;
    char file[300], other[300];
    size_t size;
    const int32_t item = 9;
    const int64_t start = 0, stop = 1;
    (void)state;
    snprintf(file, sizeof file, "%s/a.b2nd", path);
    snprintf(other, sizeof other, "%s/b.b2nd", path);
    ok(tess_array_close(make_array(store, "/a", 1), err));
    ok(tess_array_close(make_array(store, "/b", 2), err));
    ok(tess_store_commit(store, err));
    uint8_t *const before = files_read(file, &size);
    set_first(store, "/a", 50);
    ok(tess_store_commit(store, err));
    tess_store_close(store);

    files_remove(file);
    files_write(file, before, size);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_store_open(&storage, &store, err));
    assert_int_equal(first_item(store, "/a"), 1);
    set_first(store, "/a", 4);
    ok(tess_store_commit(store, err));
    assert_int_equal(first_item(store, "/a"), 4);

    ok(tess_store_array(store, "/a", &a, err));
    ok(tess_array_write(a, &start, &stop, &item, sizeof item, err));
    files_remove(file);
    files_write(file, before, size);
    assert_int_equal(tess_store_commit(store, &why), TESS_ERR_STALE);
    ok(tess_store_abort(store, err));
    ok(tess_array_close(a, err));
    tess_store_close(store);
    free(before);

    files_remove(other);
    storage.mode = TESS_MODE_READ;
    ok(tess_store_open(&storage, &store, err));
    assert_int_equal(tess_store_find(store, "/b"), -1);
    assert_true(tess_store_left_out(store, 0, &name, &reason));
    assert_string_equal(name, "b.b2nd");
    tess_store_close(store);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_store_open(&storage, &store, err));
    ok(tess_array_close(make_array(store, "/b", 3), err));
    ok(tess_store_commit(store, err));
    assert_int_equal(first_item(store, "/b"), 3);
    tess_store_close(store);
}

// A store that a stranger has made leads out of its directory by links.
static void
links(void **state)
{
    static const char text[] = "precious";
    tess_storage storage = reading(files_path("s.b2d"));
    tess_store *store = make_store(storage.path);
    tess_array *a = NULL;
    tess_error why;
    char outside[300], inside[300], file[340];
    (void)state;
    snprintf(outside, sizeof outside, "%s", files_path("outside"));
    snprintf(file, sizeof file, "%s/file", outside);
    assert_int_equal(mkdir(outside, 0777), 0);
    files_write(file, text, sizeof text);
    ok(tess_array_close(make_array(store, "/a", 1), err));
    ok(tess_store_commit(store, err));
    tess_store_close(store);

    // A file that is a link is read, and no part of a commit.
    snprintf(inside, sizeof inside, "%s/b.b2nd", storage.path);
    assert_int_equal(symlink("a.b2nd", inside), 0);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_store_open(&storage, &store, err));
    assert_int_equal(tess_store_array(store, "/b", &a, &why), TESS_ERR_NOT_FOUND);
    set_first(store, "/a", 2);
    ok(tess_store_commit(store, err));
    tess_store_close(store);

    // What waits, or is kept, is in no other place.
    static const char *const folders[] = {"new", "kept"};
    for (int i = 0; i < 2; i++) {
        snprintf(inside, sizeof inside, "%s/.tessera/%s", storage.path, folders[i]);
        files_remove(inside);
        assert_int_equal(symlink(outside, inside), 0);
        tess_status st = tess_store_open(&storage, &store, &why);
        if (st == TESS_OK) {
            st = tess_store_remove(store, "/a", &why);
            if (st == TESS_OK)
                st = tess_store_commit(store, &why);
            tess_store_close(store);
        }
        assert_int_not_equal(st, TESS_OK);
        assert_true(files_exist(file));
        assert_int_equal(unlink(inside), 0);
    }
    size_t size;
    uint8_t *const now = files_read(file, &size);
    assert_int_equal(size, sizeof text);
    assert_memory_equal(now, text, sizeof text);
    free(now);
}

// The child of a fork may not change the store of its parent.
static void
forked(void **state)
{
    tess_store *const store = make_store(files_path("s.b2d"));
    tess_array *const b = make_array(store, "/b", 7);
    int status;
    (void)state;
    ok(tess_array_close(b, err));
    const pid_t child = fork();
    if (child == 0) {
        tess_error why;
        const bool refused = tess_store_abort(store, &why) == TESS_ERR_ARG &&
                             tess_store_commit(store, &why) == TESS_ERR_ARG &&
                             tess_store_remove(store, "/b", &why) == TESS_ERR_ARG;
        tess_store_close(store);
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ok(tess_store_commit(store, err));
    assert_int_equal(first_item(store, "/b"), 7);
    tess_store_close(store);
}

// Copies to zip files and to directories hold the same.
static void
saved(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int64_t round = 0; round < random_cases(6, 100); round++) {
        static const char *const names[] = {"copy.b2z", "again.b2z", "back.b2d"};
        struct tx t;
        char path[3][300];
        tx_begin(&t, files_path("s.b2d"), TESS_DURABILITY_NONE, seed + (uint64_t)round);
        for (int i = 0; i < 6; i++) {
            tx_open(&t);
            for (int k = 0; k < 6; k++)
                tx_step(&t);
            tx_commit(&t);
        }
        tx_close(&t);
        for (int i = 0; i < 3; i++) { // each from the one before
            tess_storage from = reading(i > 0 ? path[i - 1] : t.path), to;
            tess_store *store = NULL;
            snprintf(path[i], sizeof path[i], "%s", files_path(names[i]));
            to = reading(path[i]);
            to.mode = TESS_MODE_NEW;
            ok(tess_store_open(&from, &store, err));
            ok(tess_store_save(store, &to, err));
            tess_store_close(store);
            to.mode = TESS_MODE_READ;
            ok(tess_store_open(&to, &store, err));
            const char *const what = tx_differs(store, &t.commits[t.ncommits - 1]);
            if (what)
                fail_msg("%s: %s", names[i], what);
            tess_store_close(store);
        }
        size_t size[2];
        uint8_t *const a = files_read(path[0], &size[0]), *const b = files_read(path[1], &size[1]);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(a, b, size[0]);
        free(a);
        free(b);
        tx_end(&t);
        files_remove(files_path("s.b2d"));
        for (int i = 0; i < 3; i++)
            files_remove(path[i]);
    }
}

// Programs that know of no commits change a file, add one and remove one.
static void
other_programs(void **state)
{
    const char *const path = files_path("s.b2d");
    tess_storage storage = reading(path), file;
    tess_store *store = make_store(path);
    tess_array *a = NULL;
    char name[300];
    const int64_t start = 0, stop = 1;
    const int32_t item = 77;
    (void)state;
    ok(tess_array_close(make_array(store, "/a", 1), err));
    ok(tess_array_close(make_array(store, "/g/b", 2), err));
    ok(tess_store_commit(store, err));
    tess_store_close(store);

    snprintf(name, sizeof name, "%s/g/b.b2nd", path);
    file = reading(name);
    file.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&file, &a, err));
    ok(tess_array_write(a, &start, &stop, &item, sizeof item, err));
    ok(tess_array_flush(a, err));
    snprintf(name, sizeof name, "%s/new.b2nd", path);
    file.mode = TESS_MODE_NEW;
    ok(tess_array_save(a, &file, TESS_LAYOUT_CONTIGUOUS, err));
    ok(tess_array_close(a, err));

    for (int round = 0; round < 2; round++) { // before and after they are part of a commit
        ok(tess_store_open(&storage, &store, err));
        assert_int_equal(first_item(store, "/a"), 1);
        assert_int_equal(first_item(store, "/g/b"), 77);
        assert_int_equal(first_item(store, "/new"), 77);
        assert_int_equal(tess_store_count(store), 5);
        tess_store_close(store);
        if (round > 0)
            break;
        storage.mode = TESS_MODE_UPDATE;
        ok(tess_store_open(&storage, &store, err));
        set_first(store, "/g/b", 77);
        ok(tess_store_commit(store, err));
        assert_int_equal(tess_store_number(store), 2);
        tess_store_close(store);
        storage.mode = TESS_MODE_READ;
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(random_transactions),
        IN_A_FOLDER(one_writer),
        IN_A_FOLDER(forgotten),
        IN_A_FOLDER(refusals),
        IN_A_FOLDER(replacing_fails),
        IN_A_FOLDER(snapshots),
        IN_A_FOLDER(space_of_readers),
        IN_A_FOLDER(other_programs),
        IN_A_FOLDER(saved),
        IN_A_FOLDER(adopted),
        IN_A_FOLDER(links),
        IN_A_FOLDER(written_over),
        IN_A_FOLDER(other_files),
        IN_A_FOLDER(forked),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); // such as "random*"
    return cmocka_run_group_tests(tests, NULL, NULL);
}
