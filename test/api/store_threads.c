/*
 * store_threads.c - stores, and threads: many use one store that is read; and while one thread
 * commits to a store, in which several write arrays, others read it and go on to its commits.
 *
 * What is read is known: an array of a store that is read holds the numbers from one on, and each
 * commit of one that is written has its own number in all items of all arrays.
 */
#include "support/far_object.h"
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { THREADS = 6, NITEMS = 600, CHUNK = 100 };

// Numbers from `first` on.
static void
make_array(const tess_storage *storage, int32_t first, tess_array **a)
{
    int32_t items[NITEMS];
    tess_params p;
    for (int i = 0; i < NITEMS; i++)
        items[i] = first + i;
    tess_params_init(&p);
    p.dtype = NATIVE "i4";
    p.ndim = 1;
    p.shape[0] = NITEMS;
    p.chunkshape[0] = CHUNK;
    p.blockshape[0] = CHUNK / 4;
    ok(tess_array_from(storage, &p, items, sizeof items, a, err));
    ok(tess_attr_set_int(*a, "first", first, err));
}

static tess_storage
storage_at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

// -- one store, which is read

// What is there: the first three are files, the others in embed.b2e.
static const struct known {
    const char *path, *file;
    int32_t first;
    bool attributes; // of a group
} known[] = {
    {"/a", "a.b2nd", 1000, false},          {"/g/b", "g/b.b2nd", 2000, false},
    {"/g", "g/__vlmeta__.b2f", 3000, true}, {"/e", NULL, 4000, false},
    {"/g/h/f", NULL, 5000, false},          {"/g/h", NULL, 6000, true},
};
enum { KNOWN = sizeof known / sizeof *known };
static const char *const entries[] = {"/", "/a", "/e", "/g", "/g/b", "/g/h", "/g/h/f"};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void
frame_of(int32_t first, void **frame, size_t *size)
{
    const tess_storage memory = storage_at(NULL, TESS_MODE_READ);
    tess_array *a = NULL;
    make_array(&memory, first, &a);
    ok(tess_array_to_image(a, frame, size, err));
    tess_array_discard(a);
}

// The super-chunk with what is no file.
static void
make_embedded(const char *path)
{
    const tess_storage storage = storage_at(path, TESS_MODE_NEW);
    tess_params p;
    tess_array *a = NULL;
    char map[1000] = "{\"embed_map\": {";
    uint8_t frames[1 << 15];
    size_t end = 0;
    tess_params_init(&p);
    p.typesize = 1;
    for (int i = 0; i < KNOWN; i++) {
        void *frame;
        size_t size;
        if (known[i].file)
            continue;
        frame_of(known[i].first, &frame, &size);
        assert_true(size <= sizeof frames - end);
        memcpy(frames + end, frame, size);
        snprintf(map + strlen(map), sizeof map - strlen(map),
                 "%s\"%s%s\": {\"offset\": %zu, \"length\": %zu}", end > 0 ? ", " : "",
                 known[i].path, known[i].attributes ? "/__vlmeta__" : "", end, size);
        end += size;
        tess_free(frame);
    }
    snprintf(map + strlen(map), sizeof map - strlen(map), "}, \"current_offset\": %zu}", end);
    ok(tess_schunk_create(&storage, &p, &a, err));
    ok(tess_schunk_insert(a, 0, frames, end, err));
    ok(tess_attr_set_json(a, "estore_metadata", map, err));
    ok(tess_array_close(a, err));
}

// A directory without commits; or with two, so that what files have is not what the first one has.
static void
make_directory(const char *path, bool commits)
{
    char file[400];
    tess_store *store = NULL;
    tess_array *a = NULL;
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(file, sizeof file, "%s/g", path);
    assert_int_equal(mkdir(file, 0777), 0);
    snprintf(file, sizeof file, "%s/embed.b2e", path);
    make_embedded(file);
    for (int i = 0; i < KNOWN; i++) {
        if (!known[i].file)
            continue;
        snprintf(file, sizeof file, "%s/%s", path, known[i].file);
        const tess_storage storage = storage_at(file, TESS_MODE_NEW);
        make_array(&storage, known[i].first, &a);
        ok(tess_array_close(a, err));
    }
    const tess_storage storage = storage_at(path, TESS_MODE_UPDATE);
    for (int i = 0; commits && i < 2; i++) {
        ok(tess_store_open(&storage, &store, err));
        ok(tess_store_array(store, "/a", &a, err));
        ok(tess_attr_set_int(a, "commit", i, err));
        ok(tess_store_commit(store, err));
        if (i == 0)
            ok(tess_store_name_commit(store, "first", err));
        ok(tess_array_close(a, err));
        tess_store_close(store);
    }
}

// Threads that use one store, and when they may.
struct crowd {
    tess_store *store;
    const char *copies; // how the paths begin to which it is saved
    int64_t turns;
    pthread_barrier_t used; // nobody uses the store any more
};

struct user {
    pthread_t thread;
    struct crowd *crowd;
    struct random random;
    int number;
    tess_array *held[KNOWN]; // NULL: not open
};

static void
check_some(const tess_array *a, int32_t first, struct random *r)
{
    int32_t items[NITEMS];
    int64_t attribute;
    const int64_t start = below(r, NITEMS), stop = start + 1 + below(r, NITEMS - start);
    ok(tess_array_read(a, &start, &stop, items, (size_t)(stop - start) * sizeof *items, err));
    for (int64_t i = start; i < stop; i++)
        assert_int_equal(items[i - start], first + i);
    ok(tess_attr_get_int(a, "first", &attribute, err));
    assert_int_equal(attribute, first);
}

static void
open_known(tess_store *store, int which, tess_array **a)
{
    if (known[which].attributes)
        ok(tess_store_attributes(store, known[which].path, a, err));
    else
        ok(tess_store_array(store, known[which].path, a, err));
}

static void
check_entries(tess_store *store)
{
    tess_entry entry;
    const char *name, *reason;
    assert_int_equal(tess_store_count(store), ENTRIES);
    for (int64_t i = 0; i < ENTRIES; i++) {
        tess_store_entry(store, i, &entry);
        assert_string_equal(entry.path, entries[i]);
        assert_int_equal(tess_store_find(store, entries[i]), i);
        assert_true(tess_store_next(store, i) > i);
    }
    assert_false(tess_store_left_out(store, 0, &name, &reason));
}

static void
save_and_look(const struct user *u)
{
    char path[400];
    tess_store *copy = NULL;
    snprintf(path, sizeof path, "%s%d.b2z", u->crowd->copies, u->number);
    const tess_storage storage = storage_at(path, TESS_MODE_REPLACE);
    ok(tess_store_save(u->crowd->store, &storage, err));
    const tess_storage reading = storage_at(path, TESS_MODE_READ);
    ok(tess_store_open(&reading, &copy, err));
    check_entries(copy);
    tess_store_close(copy);
}

// Some arrays stay open; they are read once more while the store is closed, and behind that.
static void *
use(void *arg)
{
    struct user *const u = arg;
    tess_store *const store = u->crowd->store;
    const uint64_t number = tess_store_number(store);
    for (int64_t i = 0; i < u->crowd->turns; i++) {
        const int which = (int)below(&u->random, KNOWN);
        tess_array **const a = &u->held[which];
        if (!*a)
            open_known(store, which, a);
        check_some(*a, known[which].first, &u->random);
        if (one_in(&u->random, 3)) {
            ok(tess_array_close(*a, err));
            *a = NULL;
        }
        if (one_in(&u->random, 4))
            check_entries(store);
        if (one_in(&u->random, 16))
            save_and_look(u);
        refused(TESS_ERR_NOT_FOUND, tess_store_array(store, "/g/none", &(tess_array *){NULL}, err));
        assert_int_equal(tess_store_number(store), number);
    }
    (void)pthread_barrier_wait(&u->crowd->used);
    for (int which = 0; which < KNOWN; which++) {
        if (!u->held[which])
            continue;
        check_some(u->held[which], known[which].first, &u->random);
        if (one_in(&u->random, 2)) // the others: once the store is closed for certain
            continue;
        ok(tess_array_close(u->held[which], err));
        u->held[which] = NULL;
    }
    return NULL;
}

static void
run_crowd(const tess_storage *storage, const char *commit, const char *copies, uint64_t seed)
{
    struct crowd crowd = {.copies = copies, .turns = random_cases(25, 400)};
    struct user users[THREADS];
    if (commit)
        ok(tess_store_open_commit(storage, commit, &crowd.store, err));
    else
        ok(tess_store_open(storage, &crowd.store, err));
    assert_int_equal(pthread_barrier_init(&crowd.used, NULL, THREADS + 1), 0);
    memset(users, 0, sizeof users);
    for (int i = 0; i < THREADS; i++) {
        users[i].crowd = &crowd;
        users[i].number = i;
        random_init(&users[i].random, seed * THREADS + (uint64_t)i);
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
    (void)pthread_barrier_wait(&crowd.used);
    tess_store_close(crowd.store);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
    for (int i = 0; i < THREADS * KNOWN; i++) {
        tess_array *const a = users[i / KNOWN].held[i % KNOWN];
        if (!a)
            continue;
        check_some(a, known[i % KNOWN].first, &users[i / KNOWN].random);
        ok(tess_array_close(a, err));
    }
    assert_int_equal(pthread_barrier_destroy(&crowd.used), 0);
}

static void
readers_of_one_store(void **state)
{
    const uint64_t seed = random_seed();
    char plain[300], committed[300], zip[300], copies[300];
    tess_storage storage;
    tess_store *store = NULL;
    size_t size;
    (void)state;
    (void)snprintf(plain, sizeof plain, "%s", files_path("plain.b2d"));
    (void)snprintf(committed, sizeof committed, "%s", files_path("committed.b2d"));
    (void)snprintf(zip, sizeof zip, "%s", files_path("s.b2z"));
    (void)snprintf(copies, sizeof copies, "%s", files_path("copy"));
    make_directory(plain, false);
    make_directory(committed, true);
    storage = storage_at(committed, TESS_MODE_READ);
    ok(tess_store_open(&storage, &store, err));
    const tess_storage to = storage_at(zip, TESS_MODE_NEW);
    ok(tess_store_save(store, &to, err));
    tess_store_close(store);

    run_crowd(&storage, NULL, copies, seed);
    run_crowd(&storage, "first", copies, seed + 1);
    storage = storage_at(plain, TESS_MODE_READ);
    storage.checksums = TESS_CHECKSUMS_VERIFY;
    run_crowd(&storage, NULL, copies, seed + 2);
    storage = storage_at(zip, TESS_MODE_READ);
    run_crowd(&storage, NULL, copies, seed + 3);
    storage.mmap = true;
    run_crowd(&storage, NULL, copies, seed + 4);
    uint8_t *const bytes = files_read(zip, &size);
    storage = storage_at(NULL, TESS_MODE_READ);
    storage.image = bytes;
    storage.image_size = size;
    run_crowd(&storage, NULL, copies, seed + 5);
    free(bytes);

    struct conduct conduct;
    struct object object;
    conduct_init(&conduct);
    conduct.latency = 1000;
    conduct.requests = 8;
    object_load(&object, &conduct, zip, false);
    const tess_source source = object_source(&object);
    storage = storage_at(NULL, TESS_MODE_READ);
    storage.source = &source;
    run_crowd(&storage, NULL, copies, seed + 6);
    assert_int_equal(atomic_load(&conduct.closed), 1);
    assert_false(atomic_load(&conduct.closed_early));
    object_finish(&object);
}

// -- a store that is written

enum { ARRAYS = 3, WRITERS = 4, READERS = 3, SHARED = 2 };
static const char *const written[ARRAYS] = {"/a", "/g/b", "/g/c"};

// What all threads see.
struct board {
    const char *path;
    _Atomic int32_t begun, committed; // the number that items have
    atomic_bool over;
    int64_t commits; // how many there are to be
    uint64_t seed; // of the changes
    // of the readers with one handle
    pthread_rwlock_t lock;
    tess_store *shared;
};

// The part that a thread writes of one of the arrays: some threads meet in an array, and in a
// chunk.
struct part {
    pthread_t thread;
    tess_array *a;
    int64_t start, stop;
    int32_t number;
};

static void *
write_part(void *arg)
{
    struct part *const p = arg;
    int32_t items[NITEMS], seen[NITEMS];
    const int64_t step = CHUNK / 2 + 5;
    for (int i = 0; i < NITEMS; i++)
        items[i] = p->number;
    for (int64_t at = p->start; at < p->stop; at += step) {
        const int64_t stop = at + step < p->stop ? at + step : p->stop;
        const size_t size = (size_t)(stop - at) * sizeof *items;
        ok(tess_array_write(p->a, &at, &stop, items, size, err));
        ok(tess_array_read(p->a, &at, &stop, seen, size, err));
        assert_memory_equal(seen, items, size);
    }
    return NULL;
}

// All items of all arrays, each in two parts, which meet in the middle of a chunk.
static void
write_all(tess_array *const a[ARRAYS], int32_t number)
{
    enum { PARTS = 2 * ARRAYS, MIDDLE = NITEMS / 2 + CHUNK / 2 };
    struct part parts[PARTS];
    for (int i = 0; i < PARTS; i++) {
        parts[i] = (struct part){
            .a = a[i / 2],
            .start = i % 2 ? MIDDLE : 0,
            .stop = i % 2 ? NITEMS : MIDDLE,
            .number = number,
        };
        assert_int_equal(pthread_create(&parts[i].thread, NULL, write_part, &parts[i]), 0);
    }
    for (int i = 0; i < ARRAYS; i++)
        ok(tess_attr_set_int(a[i], "number", number, err)); // beside what they write
    for (int i = 0; i < PARTS; i++)
        assert_int_equal(pthread_join(parts[i].thread, NULL), 0);
}

static void
open_written(tess_store *store, tess_array *a[ARRAYS])
{
    for (int i = 0; i < ARRAYS; i++)
        ok(tess_store_array(store, written[i], &a[i], err));
}

static void
close_written(tess_array *a[ARRAYS])
{
    for (int i = 0; i < ARRAYS; i++)
        ok(tess_array_close(a[i], err));
}

static void
note_number(tess_store *store, int32_t number)
{
    tess_array *attributes = NULL;
    ok(tess_store_attributes(store, "/", &attributes, err));
    ok(tess_attr_set_int(attributes, "number", number, err));
    ok(tess_array_close(attributes, err));
}

// A commit of that number, or what is forgotten. What has a name that changes, and is another one.
static void
change(tess_store *store, tess_array *a[ARRAYS], int32_t number, struct random *r)
{
    static const char *const names[] = {"/x", "/g/x"};
    const bool forgotten = one_in(r, 4);
    const bool anew = one_in(r, 3);
    tess_array *x = NULL;
    write_all(a, forgotten ? -1 : number);
    note_number(store, forgotten ? -1 : number);
    for (int i = 0; i < 2; i++)
        if (tess_store_find(store, names[i]) >= 0) {
            if (anew)
                ok(tess_store_remove(store, names[i], err));
            else
                ok(tess_store_rename(store, names[i], names[1 - i], err));
            break;
        }
    if (anew) {
        tess_storage storage = storage_at(names[below(r, 2)], TESS_MODE_NEW);
        storage.store = store;
        make_array(&storage, number, &x);
        ok(tess_array_close(x, err));
    }
    if (!forgotten) {
        ok(tess_store_commit(store, err));
        return;
    }
    ok(tess_store_abort(store, err));
    close_written(a);
    open_written(store, a);
    write_all(a, number);
    note_number(store, number);
    ok(tess_store_commit(store, err));
}

static void *
commit_all(void *arg)
{
    struct board *const b = arg;
    tess_storage storage = storage_at(b->path, TESS_MODE_UPDATE);
    tess_store *store = NULL;
    tess_array *a[ARRAYS];
    struct random r;
    random_init(&r, b->seed);
    for (int32_t number = atomic_load(&b->committed) + 1; number <= b->commits; number++) {
        if (!store) {
            storage.durability = (tess_durability)(number % 3);
            ok(tess_store_open(&storage, &store, err));
            open_written(store, a);
        }
        atomic_store(&b->begun, number);
        change(store, a, number, &r);
        atomic_store(&b->committed, number);
        if (one_in(&r, 5) || number == b->commits) {
            if (one_in(&r, 2)) { // either may come first
                close_written(a);
                tess_store_close(store);
            } else {
                tess_store_close(store);
                close_written(a);
            }
            store = NULL;
        }
    }
    atomic_store(&b->over, true);
    return NULL;
}

// The number that all items of an array have.
static int32_t
number_of(const tess_array *a)
{
    int32_t items[NITEMS];
    const int64_t start = 0, stop = NITEMS;
    int64_t attribute = -1;
    ok(tess_array_read(a, &start, &stop, items, sizeof items, err));
    for (int i = 1; i < NITEMS; i++)
        assert_int_equal(items[i], items[0]);
    ok(tess_attr_get_int(a, "number", &attribute, err));
    assert_int_equal(attribute, items[0]);
    return items[0];
}

// What gets another name, and is another array, again and again: a number and those that follow it.
static void
check_moved(tess_store *store)
{
    int32_t items[NITEMS];
    const int64_t start = 0, stop = NITEMS;
    tess_array *x = NULL;
    const bool below = tess_store_find(store, "/g/x") >= 0;
    assert_true((tess_store_find(store, "/x") < 0) == below);
    ok(tess_store_array(store, below ? "/g/x" : "/x", &x, err));
    ok(tess_array_read(x, &start, &stop, items, sizeof items, err));
    for (int i = 1; i < NITEMS; i++)
        assert_int_equal(items[i], items[0] + i);
    ok(tess_array_close(x, err));
}

// The number of the commit that a store shows. a: NULL, or receives what was opened.
static int32_t
check_commit(tess_store *store, tess_array *a[ARRAYS])
{
    tess_array *own[ARRAYS], *attributes = NULL;
    int64_t number = -1;
    if (!a)
        a = own;
    open_written(store, a);
    const int32_t first = number_of(a[0]);
    for (int i = 1; i < ARRAYS; i++)
        assert_int_equal(number_of(a[i]), first);
    ok(tess_store_attributes(store, "/", &attributes, err));
    ok(tess_attr_get_int(attributes, "number", &number, err));
    assert_int_equal(number, first);
    ok(tess_array_close(attributes, err));
    check_moved(store);
    if (a == own)
        close_written(own);
    return first;
}

// A reader with a handle of its own, some arrays of which are of a commit before.
static void *
follow(void *arg)
{
    struct board *const b = arg;
    const tess_storage storage = storage_at(b->path, TESS_MODE_READ);
    tess_store *store = NULL;
    bool over = false;
    for (int i = 0; !over; i++) {
        tess_array *before[ARRAYS];
        bool changed;
        over = atomic_load(&b->over);
        if (!store)
            ok(tess_store_open(&storage, &store, err));
        const int32_t number = check_commit(store, before);
        const int32_t least = atomic_load(&b->committed);
        ok(tess_store_refresh(store, &changed, err));
        const int32_t now = check_commit(store, NULL);
        assert_in_range(now, least, atomic_load(&b->begun));
        assert_true(changed ? now > number : now == number);
        for (int k = 0; k < ARRAYS; k++)
            assert_int_equal(number_of(before[k]), number);
        if (i % 3 == 0) {
            tess_store_close(store);
            store = NULL;
        }
        close_written(before);
    }
    tess_store_close(store);
    return NULL;
}

// Readers that share a handle; who goes on is alone with it.
static void *
share(void *arg)
{
    struct board *const b = arg;
    bool over = false;
    for (int i = 0; !over; i++) {
        over = atomic_load(&b->over);
        pthread_rwlock_rdlock(&b->lock);
        (void)check_commit(b->shared, NULL);
        pthread_rwlock_unlock(&b->lock);
        pthread_rwlock_wrlock(&b->lock);
        ok(tess_store_refresh(b->shared, NULL, err));
        pthread_rwlock_unlock(&b->lock);
    }
    return NULL;
}

static atomic_int warnings;

// A tess_log_fn: that another program changed an array, where there is none.
static void
count_warning(const tess_log_entry *entry, void *user)
{
    (void)entry;
    (void)user;
    atomic_fetch_add(&warnings, 1);
}

static void
readers_beside_commits(void **state)
{
    struct board b = {
        .path = files_path("w.b2d"),
        .commits = random_cases(24, 400),
        .seed = random_seed(),
    };
    ok(tess_log_set(TESS_LOG_WARNING, count_warning, NULL, err));
    pthread_t writer, readers[READERS + SHARED];
    tess_store *store = NULL;
    tess_storage storage = storage_at(b.path, TESS_MODE_NEW);
    tess_array *a[ARRAYS], *x = NULL;
    (void)state;
    ok(tess_store_open(&storage, &store, err));
    for (int i = 0; i < ARRAYS + 1; i++) {
        storage = storage_at(i < ARRAYS ? written[i] : "/x", TESS_MODE_NEW);
        storage.store = store;
        make_array(&storage, 0, i < ARRAYS ? &a[i] : &x);
    }
    write_all(a, 1);
    note_number(store, 1);
    ok(tess_store_commit(store, err));
    close_written(a);
    ok(tess_array_close(x, err));
    tess_store_close(store);
    atomic_init(&b.begun, 1);
    atomic_init(&b.committed, 1);

    storage = storage_at(b.path, TESS_MODE_READ);
    ok(tess_store_open(&storage, &b.shared, err));
    assert_int_equal(pthread_rwlock_init(&b.lock, NULL), 0);
    assert_int_equal(pthread_create(&writer, NULL, commit_all, &b), 0);
    for (int i = 0; i < READERS + SHARED; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, i < READERS ? follow : share, &b), 0);
    assert_int_equal(pthread_join(writer, NULL), 0);
    for (int i = 0; i < READERS + SHARED; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    ok(tess_store_refresh(b.shared, NULL, err));
    assert_int_equal(check_commit(b.shared, NULL), b.commits);
    ok(tess_log_set(TESS_LOG_OFF, NULL, NULL, err));
    assert_int_equal(atomic_load(&warnings), 0);
    tess_store_close(b.shared);
    assert_int_equal(pthread_rwlock_destroy(&b.lock), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(readers_of_one_store),
        IN_A_FOLDER(readers_beside_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
