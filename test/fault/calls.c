/*
 * calls.c - one call to the system fails, once, in a call of the library: each in turn. And files
 * that cannot be locked.
 *
 * The call is told the failure, TESS_ERR_IO and errno, or it succeeds; nothing is lost, and the
 * same call, made again, does what it would have done. The lock file of c-blosc2 is there or not.
 */
#include "fault/disk.h"
#include "support/files.h"
#include "support/states.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { BEFORE = 100, AFTER = 200, PATH_SIZE = 600 };

// What happens in all of them: a file that holds BEFORE, perhaps opened and changed to AFTER.
struct scene {
    tess_layout layout;
    bool lock_file;
    tess_durability durability;
    char path[PATH_SIZE];
    tess_array *a;
    int32_t value; // that was read
};

static tess_storage
storage_of(const struct scene *s, tess_mode mode)
{
    tess_storage storage = at(s->path, mode);
    storage.lock_file = s->lock_file;
    storage.durability = s->durability;
    return storage;
}

static tess_status
open_for(struct scene *s, tess_mode mode, tess_error *err)
{
    const tess_storage storage = storage_of(s, mode);
    return tess_array_open(&storage, &s->a, err);
}

// -- what is made before, and the call that is to fail

static void
nothing(struct scene *s)
{
    (void)s;
}

static void
reader(struct scene *s)
{
    ok(open_for(s, TESS_MODE_READ, err));
}

static void
writer(struct scene *s)
{
    ok(open_for(s, TESS_MODE_UPDATE, err));
    ok(state_write(s->a, AFTER, err));
}

// Another commit, which the reader does not know of.
static void
late_reader(struct scene *s)
{
    struct scene other = *s;
    reader(s);
    writer(&other);
    ok(tess_array_close(other.a, err));
}

static tess_status
open_to_read(struct scene *s, tess_error *err)
{
    return open_for(s, TESS_MODE_READ, err);
}

static tess_status
open_to_write(struct scene *s, tess_error *err)
{
    return open_for(s, TESS_MODE_UPDATE, err);
}

static tess_status
read_it(struct scene *s, tess_error *err)
{
    return state_read(s->a, &s->value, err);
}

// A reader whose descriptors were closed, so that its next call opens them again.
static void
closed_reader(struct scene *s)
{
    tess_budgets budgets;
    reader(s);
    tess_budgets_init(&budgets);
    budgets.files = 1;
    ok(tess_process_set_budgets(&budgets, err));
    tess_array *const other = s->a;
    s->a = NULL;
    reader(s); // takes the one that is left
    ok(tess_array_close(s->a, err));
    s->a = other;
    budgets.files = 0;
    ok(tess_process_set_budgets(&budgets, err));
}

static tess_status
refresh(struct scene *s, tess_error *err)
{
    return tess_array_refresh(s->a, NULL, err);
}

// The array as the coordinate of its own axis, which has its name.
static void
named_reader(struct scene *s)
{
    writer(s);
    ok(state_write(s->a, BEFORE, err));
    ok(tess_dims_set(s->a, (const char *[]){"array"}, err));
    ok(tess_array_close(s->a, err));
    reader(s);
}

static tess_status
search(struct scene *s, tess_error *err)
{
    const tess_number x = {.kind = TESS_KIND_INT, .i = BEFORE + 10};
    tess_array *coord;
    int64_t index = -1;
    tess_status st = tess_coord_open(s->a, 0, NULL, &coord, err);
    if (st != TESS_OK)
        return st;
    st = tess_coord_find(coord, &x, TESS_MATCH_EXACT, &index, err);
    assert_int_equal(index, st == TESS_OK ? 10 : -1);
    tess_array_discard(coord);
    return st;
}

static tess_status
flush(struct scene *s, tess_error *err)
{
    return tess_array_flush(s->a, err);
}

static void
updater(struct scene *s)
{
    ok(open_for(s, TESS_MODE_UPDATE, err));
}

static tess_status
change_locked(struct scene *s, tess_error *err)
{
    tess_status st = tess_array_lock(s->a, err);
    if (st == TESS_OK)
        st = state_write(s->a, AFTER, err);
    if (st == TESS_OK)
        st = tess_array_lock(s->a, err); // is held
    return st == TESS_OK ? tess_array_flush(s->a, err) : st;
}

// The items of another state, of those that are there: the first one shows which state that is.
static tess_each_next
change_state(const tess_map_part *part, void *user)
{
    int32_t *const to = part->outputs[0];
    (void)user;
    for (int64_t i = 0; i < part->nitems; i++) {
        int32_t item;
        memcpy(&item, (const char *)part->inputs[0] + i * part->input_strides[0][0], sizeof item);
        to[i] = item - BEFORE + AFTER;
    }
    return TESS_EACH_NEXT;
}

static tess_status
map_it(struct scene *s, tess_error *err)
{
    const tess_array *const input = s->a;
    return tess_map(&input, 1, &s->a, 1, NULL, NULL, NULL, change_state, NULL, err);
}

// The items of another state as a packet; placed: of chunks that are written to the array first.
static tess_status
adopt_packet(struct scene *s, tess_adoption *ad, const void *packet, size_t size, bool placed,
             tess_error *err)
{
    void *there = NULL;
    size_t there_size = 0;
    tess_lease lease;
    if (!placed)
        return tess_adoption_add(ad, packet, size, TESS_CHUNK_UNTRUSTED, err);
    const bool files = s->layout == TESS_LAYOUT_SPARSE;
    tess_status st =
        tess_adoption_lease(ad, files ? STATE_ITEMS / STATE_CHUNK : (int64_t)size, &lease, err);
    if (st == TESS_OK)
        st = tess_packet_place(packet, size, s->path, &lease, s->durability, &there, &there_size,
                               err);
    if (st == TESS_OK)
        st = tess_adoption_add(ad, there, there_size, TESS_CHUNK_UNTRUSTED, err);
    tess_free(there);
    return st;
}

static void
make_packet(struct scene *s, void **packet, size_t *size)
{
    const int64_t start = 0, stop = STATE_ITEMS;
    int32_t items[STATE_ITEMS];
    void *image;
    tess_array *sketch;
    tess_storage storage = at(NULL, TESS_MODE_UPDATE);
    for (int i = 0; i < STATE_ITEMS; i++)
        items[i] = AFTER + i;
    ok(tess_array_sketch(s->a, &image, &storage.image_size, err));
    storage.image = image;
    ok(tess_array_open(&storage, &sketch, err));
    ok(tess_packet_encode(sketch, &start, &stop, items, sizeof items, NULL, packet, size, err));
    ok(tess_array_close(sketch, err));
    tess_free(image);
}

static tess_status
adopt(struct scene *s, bool placed, tess_error *err)
{
    void *packet;
    size_t size;
    tess_adoption *ad;
    make_packet(s, &packet, &size);
    tess_status st = tess_adoption_begin(s->a, &ad, err);
    if (st == TESS_OK) {
        st = adopt_packet(s, ad, packet, size, placed, err);
        const tess_status ended = tess_adoption_end(ad, st == TESS_OK, st == TESS_OK ? err : NULL);
        st = st == TESS_OK ? ended : st;
    }
    tess_free(packet);
    return st;
}

static tess_status
adopt_bytes(struct scene *s, tess_error *err)
{
    return adopt(s, false, err);
}

static tess_status
adopt_placed(struct scene *s, tess_error *err)
{
    return adopt(s, true, err);
}

static const struct act {
    const char *name;
    void (*prepare)(struct scene *s);
    tess_status (*call)(struct scene *s, tess_error *err);
    int32_t value; // that the array has afterwards
} acts[] = {
    {"open to read", nothing, open_to_read, BEFORE},
    {"open to write", nothing, open_to_write, BEFORE},
    {"read", reader, read_it, BEFORE},
    {"read again what was closed", closed_reader, read_it, BEFORE},
    {"refresh what was closed", closed_reader, refresh, BEFORE},
    {"read as the writer", writer, read_it, AFTER},
    {"refresh", late_reader, refresh, AFTER},
    {"refresh of the writer", writer, refresh, AFTER},
    {"flush", writer, flush, AFTER},
    {"change with the lock held", updater, change_locked, AFTER},
    {"map", updater, map_it, AFTER},
    {"adopt", updater, adopt_bytes, AFTER},
    {"adopt what was written to the array", updater, adopt_placed, AFTER},
    {"search", named_reader, search, BEFORE},
};

// -- one failure

static void
complain(const struct scene *s, const char *what, long n, const char *text)
{
    fail_msg("%s, %s%s, level %d, call %ld: %s", what,
             s->layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous",
             s->lock_file ? " with a lock file" : "", (int)s->durability, n, text);
}

static void
check_told(const struct scene *s, const char *what, long n, tess_status st, const tess_error *err)
{
    if (st != TESS_ERR_IO || err->status != st || err->sys != EIO)
        complain(s, what, n, err->message);
}

static void
begin(struct scene *s)
{
    static char folder[PATH_SIZE];
    s->a = NULL;
    (void)snprintf(s->path, sizeof s->path, "%s/%s", files_path("log"),
                   s->layout == TESS_LAYOUT_SPARSE ? "array.b2d" : "array.b2nd");
    assert_int_equal(mkdir(files_path("log"), 0777), 0);
    (void)snprintf(folder, sizeof folder, "%s", files_path("log"));
    disk_begin(folder);
    tess_storage storage = storage_of(s, TESS_MODE_NEW);
    ok(state_create(&storage, s->layout, BEFORE, &s->a, err));
    ok(tess_array_close(s->a, err));
    s->a = NULL;
}

static void
end(void)
{
    disk_heal();
    disk_end();
    files_remove(files_path("log"));
}

// Whether there was a call to fail.
static bool
fail_once(struct scene *s, const struct act *act, long n)
{
    tess_error err = {0};
    begin(s);
    act->prepare(s);
    disk_fail(DISK_EIO, n, false);
    tess_status st = act->call(s, &err);
    const bool failed = disk_failures() > 0;
    disk_heal();
    if (st != TESS_OK) {
        check_told(s, act->name, n, st, &err);
        st = act->call(s, &err);
    }
    if (st == TESS_OK)
        st = state_read(s->a, &s->value, &err);
    if (st == TESS_OK && s->value != act->value)
        complain(s, act->name, n, "other items");
    if (st == TESS_OK)
        st = tess_array_close(s->a, &err);
    if (st != TESS_OK)
        complain(s, act->name, n, err.message);
    if (state_at(s->path) != act->value)
        complain(s, act->name, n, "other items in the file");
    end();
    return failed;
}

// Closing ends the array also if it fails; one of the two commits is in the file then.
static bool
fail_close(struct scene *s, long n)
{
    tess_error err = {0};
    begin(s);
    writer(s);
    disk_fail(DISK_EIO, n, false);
    const tess_status st = tess_array_close(s->a, &err);
    const bool failed = disk_failures() > 0;
    disk_heal();
    if (st != TESS_OK)
        check_told(s, "close", n, st, &err);
    const int32_t value = state_at(s->path);
    if (value != AFTER && (st == TESS_OK || value != BEFORE))
        complain(s, "close", n, "other items in the file");
    end();
    return failed;
}

// Files of this process that are open.
static int
count_open(void)
{
    int n = 0;
    DIR *const dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

// Names in the folder but one.
static int
count_but(const char *folder, const char *name)
{
    int n = 0;
    DIR *const dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        n += e->d_name[0] != '.' && strcmp(e->d_name, name) != 0;
    closedir(dir);
    return n;
}

// What a removal left is the whole array, under its name or a temporary one, or none that opens;
// once more, and nothing is left. forever: as a program that dies.
static bool
fail_remove(struct scene *s, long n, bool forever)
{
    char temporary[PATH_SIZE + 16];
    tess_error why = {0};
    tess_array *a;
    begin(s);
    (void)snprintf(temporary, sizeof temporary, "%s.tess-0.tmp", s->path);
    const tess_storage storage = storage_of(s, TESS_MODE_READ);
    disk_fail(DISK_EIO, n, forever);
    const tess_status st = tess_remove(&storage, &why);
    const bool failed = disk_failures() > 0;
    disk_heal();
    const bool there = files_exist(s->path);
    if (st == TESS_OK ? there : st != TESS_ERR_IO)
        complain(s, "remove", n, why.message);
    if (there && state_at(s->path) != BEFORE)
        complain(s, "remove", n, "other items");
    const tess_storage rest = at(temporary, TESS_MODE_READ);
    if (tess_array_open(&rest, &a, NULL) == TESS_OK) {
        ok(state_read(a, &s->value, err));
        assert_int_equal(s->value, BEFORE);
        ok(tess_array_close(a, err));
    }
    if (tess_remove(&storage, &why) != (there ? TESS_OK : TESS_ERR_NOT_FOUND))
        complain(s, "remove again", n, why.message);
    if (count_but(files_path("log"), "array.b2nd.b2lock") != 0)
        complain(s, "remove", n, "something is left");
    end();
    return failed;
}

static void
try_remove(struct scene *s)
{
    for (int forever = 0; forever < 2; forever++) {
        long n = 0;
        while (fail_remove(s, n, forever))
            n++;
        assert_true(n > 0);
    }
}

static void
try_all(void (*try)(struct scene *s))
{
    for (int i = 0; i < 12; i++) {
        struct scene s = {
            .layout = state_layouts[i % 2],
            .lock_file = i / 2 % 2,
            .durability = (tess_durability)(i / 4),
        };
        const int open_before = count_open();
        try(&s);
        assert_int_equal(count_open(), open_before);
    }
}

static void
try_acts(struct scene *s)
{
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        long n = 0;
        while (fail_once(s, &acts[i], n))
            n++;
        assert_true(n > 0);
    }
}

static void
try_close(struct scene *s)
{
    long n = 0;
    while (fail_close(s, n))
        n++;
    assert_true(n > 0);
}

static void
told_and_tried_again(void **state)
{
    (void)state;
    try_all(try_acts);
}

static void
told_by_close(void **state)
{
    (void)state;
    try_all(try_close);
}

static void
told_by_remove(void **state)
{
    (void)state;
    try_all(try_remove);
}

// -- files that cannot be locked

// A call that writes; a: what it leaves open, or NULL.
static tess_status
updates(const tess_storage *storage, tess_layout layout, tess_array **a, tess_error *err)
{
    (void)layout;
    return tess_array_open(storage, a, err);
}

static tess_status
creates(const tess_storage *storage, tess_layout layout, tess_array **a, tess_error *err)
{
    return state_create(storage, layout, AFTER, a, err);
}

static tess_status
makes_zeros(const tess_storage *storage, tess_layout layout, tess_array **a, tess_error *err)
{
    const tess_params params = state_params(layout);
    return tess_array_zeros(storage, &params, a, err);
}

static tess_status
saves(const tess_storage *storage, tess_layout layout, tess_array **a, tess_error *err)
{
    const tess_storage memory = at(NULL, TESS_MODE_NEW);
    tess_array *b;
    *a = NULL;
    tess_status st = state_create(&memory, TESS_LAYOUT_CONTIGUOUS, AFTER, &b, err);
    if (st != TESS_OK)
        return st;
    st = tess_array_save(b, storage, layout, err);
    tess_array_discard(b);
    return st;
}

static tess_status
compacts(const tess_storage *storage, tess_layout layout, tess_array **a, tess_error *err)
{
    (void)layout;
    *a = NULL;
    return tess_compact(storage, NULL, NULL, err);
}

static tess_status
removes(const tess_storage *storage, tess_layout layout, tess_array **a, tess_error *err)
{
    *a = NULL;
    const tess_status st = tess_remove(storage, err);
    if (st == TESS_OK)
        state_make(storage->path, layout, AFTER);
    return st;
}

static const struct user {
    const char *name;
    tess_status (*call)(const tess_storage *storage, tess_layout layout, tess_array **a,
                        tess_error *err);
    tess_mode mode;
    bool contiguous; // only
} users[] = {
    {"update", updates, TESS_MODE_UPDATE, false},
    {"new", creates, TESS_MODE_NEW, false},
    {"replace", creates, TESS_MODE_REPLACE, false},
    {"replace later", makes_zeros, TESS_MODE_REPLACE, false},
    {"append", creates, TESS_MODE_APPEND, true},
    {"save", saves, TESS_MODE_NEW, false},
    {"save over", saves, TESS_MODE_REPLACE, false},
    {"compact", compacts, TESS_MODE_UPDATE, false},
    {"remove", removes, TESS_MODE_UPDATE, false},
};

static bool
says_locked(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    return info.locked;
}

// With locks and without, required or not.
static void
lock_for(const struct user *user, tess_layout layout, int error, bool required)
{
    const bool there = user->mode != TESS_MODE_NEW;
    tess_storage storage = at(state_path(layout), user->mode);
    tess_array *a = NULL;
    tess_error why = {0};
    storage.require_lock = required;
    if (there)
        state_make(storage.path, layout, BEFORE);
    disk_fail_locks(error);
    const tess_status st = user->call(&storage, layout, &a, &why);
    if (required && error != 0) {
        if (st != TESS_ERR_IO || why.sys != error || a)
            fail_msg("%s, errno %d: %s", user->name, error, st ? why.message : "no error");
        assert_int_equal(files_count(), there);
        if (there)
            assert_int_equal(state_at(storage.path), BEFORE);
    } else {
        if (st != TESS_OK)
            fail_msg("%s, errno %d: %s", user->name, error, why.message);
        if (a)
            assert_int_equal(says_locked(a), error == 0);
        ok(tess_array_close(a, err));
    }
    disk_fail_locks(0);
    files_remove(storage.path);
}

static void
locks_are_required(void **state)
{
    static const int errors[] = {0, ENOLCK, EOPNOTSUPP, EINVAL, ENOSYS, EIO};
    (void)state;
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++)
        for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
            for (int n = 0; n < 4; n++)
                if (!users[i].contiguous || state_layouts[n % 2] == TESS_LAYOUT_CONTIGUOUS)
                    lock_for(&users[i], state_layouts[n % 2], errors[k], n / 2);
}

// Readers and memory have no lock, and need none.
static void
others_need_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tess_storage storage = at(state_path(state_layouts[i]), TESS_MODE_READ);
        tess_array *a;
        state_make(storage.path, state_layouts[i], BEFORE);
        storage.require_lock = true;
        disk_fail_locks(ENOLCK);
        ok(tess_array_open(&storage, &a, err));
        assert_false(says_locked(a));
        ok(tess_array_close(a, err));
        storage.path = NULL;
        ok(state_create(&storage, TESS_LAYOUT_CONTIGUOUS, BEFORE, &a, err));
        assert_false(says_locked(a));
        ok(tess_array_close(a, err));
        disk_fail_locks(0);
    }
}

// The lock file, too: a flush that cannot lock it may be tried again.
static void
lock_file_is_required(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        tess_storage storage = at(state_path(state_layouts[i % 2]), TESS_MODE_UPDATE);
        tess_array *a;
        int32_t value = 0;
        state_make(storage.path, state_layouts[i % 2], BEFORE);
        storage.lock_file = true;
        storage.require_lock = i / 2;
        ok(tess_array_open(&storage, &a, err));
        ok(state_write(a, AFTER, err));
        disk_fail_locks(ENOLCK);
        if (storage.require_lock) {
            refused(TESS_ERR_IO, tess_array_flush(a, err));
            refused(TESS_ERR_IO, state_read(a, &value, err));
        }
        disk_fail_locks(storage.require_lock ? 0 : ENOLCK);
        ok(state_read(a, &value, err));
        assert_int_equal(value, AFTER);
        ok(tess_array_close(a, err));
        disk_fail_locks(0);
        assert_int_equal(state_at(storage.path), AFTER);
    }
}

// A test that failed left its log.
static int
teardown(void **state)
{
    disk_heal();
    disk_fail_locks(0);
    disk_end();
    return files_teardown(state);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(told_and_tried_again), TEST(told_by_close),    TEST(told_by_remove),
        TEST(locks_are_required),   TEST(others_need_none), TEST(lock_file_is_required),
    };
    (void)setenv("TESS_NUM_THREADS", "1", 1);
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
