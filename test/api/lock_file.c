/*
 * lock_file.c - the lock file of c-blosc2: who has it when, its number, and what is seen of changes
 * by others. The others are this test, which locks as they do.
 */
#include "support/files.h"
#include "support/states.h"

#include <tessera.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NUMBER_AT = 8 };

// -- what another implementation does

static const char *
lock_path(tess_layout layout)
{
    return files_path(layout == TESS_LAYOUT_SPARSE ? "array.dir/.b2lock" : "array.b2nd.b2lock");
}

static int
open_lock(tess_layout layout)
{
    const int fd = open(lock_path(layout), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    return fd;
}

static uint64_t
number_of(int fd)
{
    uint64_t number = 0;
    return pread(fd, &number, sizeof number, NUMBER_AT) == (ssize_t)sizeof number ? number : 0;
}

static void
lock_to_change(int fd)
{
    const uint64_t number = number_of(fd) + 1;
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(pwrite(fd, &number, sizeof number, NUMBER_AT), sizeof number);
}

static void
unlock(int fd)
{
    assert_int_equal(flock(fd, LOCK_UN), 0);
}

// What somebody else can get now.
enum { NOTHING, SHARED, ALONE };

static int
can_get(int fd)
{
    for (int how = ALONE; how >= SHARED; how--)
        if (flock(fd, (how == ALONE ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) {
            unlock(fd);
            return how;
        }
    return NOTHING;
}

static tess_array *
open_locking(const char *path, tess_mode mode)
{
    tess_storage storage = at(path, mode);
    tess_array *a;
    storage.lock_file = true;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static tess_status
create_locking(const char *path, tess_layout layout, int32_t value, tess_array **a)
{
    tess_storage storage = at(path, TESS_MODE_REPLACE);
    storage.lock_file = true;
    return state_create(&storage, layout, value, a, NULL);
}

// -- tests

// Nobody makes one who was not asked to; it is used where it is.
static void
made_when_asked_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        state_make(path, layout, 1);
        tess_array *a = state_open(path, TESS_MODE_UPDATE);
        ok(state_write(a, 2, err));
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(path), 2);
        assert_false(files_exist(lock_path(layout)));

        ok(tess_array_close(open_locking(path, TESS_MODE_READ), err));
        assert_true(files_exist(lock_path(layout)));
        files_remove(lock_path(layout));
        ok(tess_array_close(open_locking(path, TESS_MODE_UPDATE), err));
        assert_true(files_exist(lock_path(layout)));
        files_remove(lock_path(layout));

        assert_int_equal(create_locking(path, layout, 3, &a), TESS_OK);
        const int fd = open_lock(layout);
        const uint64_t first = number_of(fd);
        assert_true(first >= 1);
        ok(tess_array_close(a, err));
        assert_int_equal(number_of(fd), first); // nothing was changed
        a = state_open(path, TESS_MODE_UPDATE); // not asked to
        ok(state_write(a, 4, err));
        ok(tess_array_close(a, err));
        assert_int_equal(number_of(fd), first + 1);
        assert_int_equal(can_get(fd), ALONE);
        (void)close(fd);
    }
}

// From the call on, through commits of the library, until the program commits.
static void
held_until_flush(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        state_make(path, layout, 1);
        tess_array *a = open_locking(path, TESS_MODE_READ);
        refused(TESS_ERR_ARG, tess_array_lock(a, err));
        ok(tess_array_close(a, err));
        refused(TESS_ERR_ARG, tess_array_lock(NULL, err));

        a = open_locking(path, TESS_MODE_UPDATE);
        const int fd = open_lock(layout);
        ok(tess_array_lock(a, err));
        ok(tess_array_lock(a, err));
        assert_int_equal(can_get(fd), NOTHING);
        assert_int_equal(number_of(fd), 1);
        ok(state_write(a, 2, err));
        ok(tess_array_flush(a, err));
        assert_int_equal(can_get(fd), ALONE);
        assert_int_equal(state_at(path), 2);
        ok(tess_array_lock(a, err));
        ok(tess_array_flush(a, err)); // nothing was changed
        assert_int_equal(can_get(fd), ALONE);
        assert_int_equal(number_of(fd), 2);
        // A failure does not end it, nor does a change that comes to nothing.
        ok(tess_array_lock(a, err));
        refused(TESS_ERR_NOT_FOUND, tess_vlmeta_delete(a, "none", err));
        assert_int_equal(can_get(fd), NOTHING);
        ok(tess_array_close(a, err));
        assert_int_equal(can_get(fd), ALONE);
        // Others changed the array.
        a = open_locking(path, TESS_MODE_UPDATE);
        lock_to_change(fd);
        unlock(fd);
        refused(TESS_ERR_STALE, tess_array_lock(a, err));
        assert_int_equal(can_get(fd), ALONE);
        tess_array_discard(a);
        (void)close(fd);
    }
}

static void
count_commits(const tess_log_entry *entry, void *user)
{
    *(int *)user += entry->event == TESS_EVENT_COMMIT;
}

// Through automatic commits, too.
static void
held_through_automatic_commits(void **state)
{
    enum { SIZE = 1 << 20, TIMES = 10 };
    static uint8_t items[SIZE];
    const int64_t start = 0, stop = SIZE;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        tess_storage storage = at(path, TESS_MODE_REPLACE);
        tess_context context;
        tess_params params;
        tess_array *a;
        int commits = 0;
        tess_context_init(&context);
        context.cache = 0; // nothing waits in memory
        storage.context = &context;
        storage.lock_file = true;
        tess_params_init(&params);
        params.dtype = TESS_DTYPE_U8;
        params.ndim = 1;
        params.shape[0] = SIZE;
        params.chunkshape[0] = params.blockshape[0] = SIZE / 4;
        params.clevel = 0;
        params.layout = layout;
        for (size_t k = 0; k < SIZE; k++)
            items[k] = (uint8_t)(k * k >> 7);
        ok(tess_array_from(&storage, &params, items, SIZE, &a, err));
        const int fd = open_lock(layout);
        ok(tess_log_set(TESS_LOG_INFO, count_commits, &commits, err));
        ok(tess_array_lock(a, err));
        for (int n = 2; n < TIMES; n++) {
            for (size_t k = 0; k < SIZE; k++)
                items[k] = (uint8_t)(k * k * (size_t)n >> 7);
            ok(tess_array_write(a, &start, &stop, items, SIZE, err));
            assert_int_equal(can_get(fd), NOTHING);
        }
        ok(tess_log_set(TESS_LOG_OFF, NULL, NULL, err));
        assert_in_range(commits, 1, TIMES);
        ok(tess_array_flush(a, err));
        assert_int_equal(can_get(fd), ALONE);
        ok(tess_array_close(a, err));
        (void)close(fd);
        files_remove(path);
    }
}

// From the first chunk to the commit; the number tells how often.
static void
taken_until_commit(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        tess_context context;
        tess_array *a;
        state_make(path, layout, 1);
        const int fd = open_lock(layout);
        tess_storage storage = at(path, TESS_MODE_UPDATE);
        tess_context_init(&context);
        context.cache = 0; // nothing waits in memory
        storage.context = &context;
        ok(tess_array_open(&storage, &a, err));
        assert_int_equal(can_get(fd), ALONE);
        for (int32_t n = 0; n < 3; n++) {
            ok(state_write(a, 10 + n, err));
            assert_int_equal(can_get(fd), NOTHING);
            assert_int_equal(number_of(fd), n + 1);
            int32_t value = -1;
            ok(state_read(a, &value, err)); // by the one who has it
            assert_int_equal(value, 10 + n);
            assert_int_equal(can_get(fd), NOTHING);
            ok(tess_array_flush(a, err));
            assert_int_equal(can_get(fd), ALONE);
            ok(tess_array_flush(a, err)); // nothing to do
            assert_int_equal(number_of(fd), n + 1);
        }
        ok(tess_vlmeta_set(a, "name", "\xa1x", 2, err)); // waits in memory
        assert_int_equal(can_get(fd), ALONE);
        ok(tess_array_flush(a, err));
        assert_int_equal(number_of(fd), 4);

        ok(state_write(a, 20, err));
        ok(tess_array_close(a, err));
        assert_int_equal(can_get(fd), ALONE);
        assert_int_equal(number_of(fd), 5);
        ok(tess_array_open(&storage, &a, err));
        ok(state_write(a, 30, err));
        assert_int_equal(can_get(fd), NOTHING);
        tess_array_discard(a);
        assert_int_equal(can_get(fd), ALONE);
        assert_int_equal(number_of(fd), 6);
        assert_int_equal(state_at(path), 20);
        (void)close(fd);
    }
}

struct looked {
    int fd, got;
};

static tess_each_next
look(const tess_part *part, void *user)
{
    struct looked *const looked = user;
    (void)part;
    looked->got = can_get(looked->fd);
    return TESS_EACH_NEXT;
}

static bool
cancel_look(int64_t done, int64_t total, void *user)
{
    (void)done;
    (void)total;
    (void)look(NULL, user);
    return false;
}

// Also while it is shared by threads, and after calls that fail or are cancelled.
static void
shared_while_reading(void **state)
{
    const int64_t start = 0, stop = STATE_ITEMS;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        int32_t items[STATE_ITEMS];
        tess_array *a;
        state_make(path, state_layouts[i], 1);
        struct looked looked = {open_lock(state_layouts[i]), NOTHING};
        tess_context context;
        tess_context_init(&context);
        tess_storage storage = at(path, TESS_MODE_READ);
        storage.context = &context;
        ok(tess_array_open(&storage, &a, err));
        ok(tess_array_each(a, TESS_CHUNKS, &start, &stop, look, &looked, err));
        assert_int_equal(looked.got, SHARED);
        assert_int_equal(can_get(looked.fd), ALONE);
        assert_int_equal(number_of(looked.fd), 0);
        ok(tess_array_close(a, err));

        looked.got = NOTHING;
        context.progress = cancel_look;
        context.progress_user = &looked;
        context.progress_interval = 0;
        ok(tess_array_open(&storage, &a, err));
        refused(TESS_ERR_CANCELLED, tess_array_read(a, &start, &stop, items, sizeof items, err));
        assert_int_equal(looked.got, SHARED);
        assert_int_equal(can_get(looked.fd), ALONE);
        ok(tess_array_close(a, err));
        (void)close(looked.fd);
    }
}

static bool
cancel(int64_t done, int64_t total, void *user)
{
    (void)done;
    (void)total;
    ++*(int *)user;
    return false;
}

// Nobody comes in between; who waits can be cancelled.
static void
waiting_is_cancelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        int32_t value = -1;
        state_make(path, state_layouts[i], 1);
        const int fd = open_lock(state_layouts[i]);
        tess_context context;
        int cancelled = 0;
        tess_context_init(&context);
        context.progress = cancel;
        context.progress_user = &cancelled;
        tess_storage storage = at(path, TESS_MODE_READ);
        tess_array *a, *b;
        storage.context = &context;
        ok(tess_array_open(&storage, &a, err));
        assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0); // and no change
        assert_int_equal(state_read(a, &value, NULL), TESS_ERR_CANCELLED);
        assert_int_equal(tess_array_open(&storage, &b, NULL), TESS_ERR_CANCELLED);
        assert_null(b);
        storage.mode = TESS_MODE_UPDATE;
        assert_int_equal(tess_array_open(&storage, &b, NULL), TESS_ERR_CANCELLED);
        assert_int_equal(cancelled, 3);
        unlock(fd);
        ok(state_read(a, &value, err));
        assert_int_equal(value, 1);
        ok(tess_array_close(a, err));
        (void)close(fd);
    }
}

// Whoever had the lock to change something may have, whatever the header says.
static void
changes_are_seen(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        int32_t value = -1;
        state_make(path, state_layouts[i], 1);
        const int fd = open_lock(state_layouts[i]);
        tess_array *reader = state_open(path, TESS_MODE_READ);
        tess_array *writer = state_open(path, TESS_MODE_UPDATE);
        ok(state_read(reader, &value, err));
        lock_to_change(fd);
        unlock(fd);
        refused(TESS_ERR_STALE, state_read(reader, &value, err));
        refused(TESS_ERR_STALE, state_read(writer, &value, err));
        ok(state_write(writer, 2, err)); // waits in memory
        refused(TESS_ERR_STALE, tess_array_flush(writer, err));
        assert_int_equal(can_get(fd), ALONE);
        tess_array_discard(writer);
        ok(tess_array_close(reader, err));
        assert_int_equal(state_at(path), 1);

        reader = state_open(path, TESS_MODE_READ); // behind no more
        ok(state_read(reader, &value, err));
        writer = state_open(path, TESS_MODE_UPDATE);
        ok(state_write(writer, 3, err));
        ok(tess_array_close(writer, err));
        refused(TESS_ERR_STALE, state_read(reader, &value, err));
        ok(tess_array_close(reader, err));
        assert_int_equal(state_at(path), 3);
        (void)close(fd);
    }
}

// The file comes into being while the array is open: its next change knows.
static void
comes_later(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        state_make(path, state_layouts[i], 1);
        tess_array *const a = state_open(path, TESS_MODE_UPDATE);
        ok(state_write(a, 2, err));
        ok(tess_array_flush(a, err));
        const int fd = open_lock(state_layouts[i]);
        ok(state_write(a, 3, err));
        ok(tess_array_flush(a, err));
        assert_int_equal(number_of(fd), 1);
        ok(tess_array_close(a, err));
        (void)close(fd);
    }
}

static tess_each_next
stop_at_first(const tess_part *part, void *user)
{
    const struct channel *const c = user;
    if (part->start[0] == 0) {
        say(c);
        hear(c);
    }
    return TESS_EACH_NEXT;
}

static int
read_slowly(const struct channel *c, const void *arg)
{
    const int64_t start = 0, stop = STATE_ITEMS;
    tess_array *const a = *(tess_array *const *)arg;
    struct channel mine = *c;
    return tess_array_each(a, TESS_CHUNKS, &start, &stop, stop_at_first, &mine, NULL) == TESS_OK &&
                   tess_array_close(a, NULL) == TESS_OK
               ? 0
               : 1;
}

// A child has locks of its own: its parent, which reads the same array, does not end them.
static void
children(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int32_t value = -1;
        state_make(state_path(state_layouts[i]), state_layouts[i], 1);
        const int fd = open_lock(state_layouts[i]);
        tess_array *const a = state_open(state_path(state_layouts[i]), TESS_MODE_READ);
        const struct other o = other_begin(read_slowly, &a);
        hear(&o.channel);
        ok(state_read(a, &value, err));
        assert_int_equal(can_get(fd), SHARED);
        say(&o.channel);
        other_end(&o);
        assert_int_equal(can_get(fd), ALONE);
        ok(tess_array_close(a, err));
        (void)close(fd);
    }
}

// A reader that is killed in the middle of a call keeps nothing locked.
static int
die_reading(const struct channel *c, const void *arg)
{
    tess_array *const a = state_open(arg, TESS_MODE_READ);
    const int64_t start = 0, stop = STATE_ITEMS;
    struct channel mine = *c;
    const tess_status st =
        tess_array_each(a, TESS_CHUNKS, &start, &stop, stop_at_first, &mine, NULL);
    return 1 + (int)st; // not killed
}

static void
killed_while_reading(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int status = 0;
        int32_t value = -1;
        const char *const path = state_path(state_layouts[i]);
        state_make(path, state_layouts[i], 1);
        const int fd = open_lock(state_layouts[i]);
        tess_array *const reader = state_open(path, TESS_MODE_READ);
        ok(state_read(reader, &value, err));
        const struct other o = other_begin(die_reading, path);
        hear(&o.channel);
        assert_int_equal(can_get(fd), SHARED);
        assert_int_equal(kill(o.pid, SIGKILL), 0);
        assert_int_equal(waitpid(o.pid, &status, 0), o.pid);
        assert_true(WIFSIGNALED(status));
        (void)close(o.channel.to);
        (void)close(o.channel.from);
        assert_int_equal(can_get(fd), ALONE);
        ok(state_read(reader, &value, err)); // nothing was changed
        tess_array *const writer = state_open(path, TESS_MODE_UPDATE);
        const double began = seconds();
        ok(state_write(writer, 2, err));
        ok(tess_array_close(writer, err));
        assert_true(seconds() - began < 5);
        refused(TESS_ERR_STALE, state_read(reader, &value, err));
        ok(tess_array_close(reader, err));
        assert_int_equal(state_at(path), 2);
        (void)close(fd);
    }
}

// A writer's commits, from a child that has inherited its lock.
static int
sleep_in_child(const struct channel *c, const void *arg)
{
    (void)arg;
    say(c);
    hear(c);
    return 0;
}

static void
child_keeps_nothing_locked(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
    tess_storage storage = at(path, TESS_MODE_UPDATE);
    tess_context context;
    tess_array *a;
    (void)state;
    state_make(path, TESS_LAYOUT_CONTIGUOUS, 1);
    const int fd = open_lock(TESS_LAYOUT_CONTIGUOUS);
    tess_context_init(&context);
    context.cache = 0;
    storage.context = &context;
    ok(tess_array_open(&storage, &a, err));
    ok(state_write(a, 2, err));
    const struct other o = other_begin(sleep_in_child, NULL);
    hear(&o.channel);
    assert_int_equal(can_get(fd), NOTHING);
    ok(tess_array_close(a, err));
    assert_int_equal(can_get(fd), ALONE);
    say(&o.channel);
    other_end(&o);
    (void)close(fd);
}

// -- the lock is held for a change that makes older states stale: nothing waits for its end

static tess_array *
open_uncached(const char *path)
{
    static tess_context context;
    tess_storage storage = at(path, TESS_MODE_UPDATE);
    tess_array *a;
    tess_context_init(&context);
    context.cache = 0; // writes store chunks at once
    storage.context = &context;
    storage.lock_file = true;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

struct inherited {
    const tess_array *a, *view;
};

static bool
is_stale_at_once(const tess_array *a)
{
    tess_error err;
    int32_t value = 0;
    const double began = seconds();
    const tess_status st = state_read(a, &value, &err);
    const bool well = st == TESS_ERR_STALE && seconds() - began < 5;
    if (!well)
        (void)fprintf(stderr, "%s after %g s\n", tess_status_name(st), seconds() - began);
    return well;
}

static int
read_inherited(const struct channel *c, const void *arg)
{
    const struct inherited *const arrays = arg;
    say(c);
    hear(c);
    const bool well = is_stale_at_once(arrays->a) && is_stale_at_once(arrays->view);
    say(c);
    hear(c); // the parent has committed
    return well && is_stale_at_once(arrays->view) && is_stale_at_once(arrays->a) ? 0 : 1;
}

// What the parent writes before the fork, or after it, is not committed.
static void
child_of_a_writer(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *const path = state_path(state_layouts[i % 2]);
        const bool before = i / 2 == 0;
        int32_t value = 0;
        state_make(path, state_layouts[i % 2], 1);
        tess_array *const a = open_uncached(path);
        tess_array *view;
        ok(tess_array_view_read_only(a, &view, err));
        const struct inherited arrays = {a, view};
        if (before)
            ok(state_write(a, 2, err));
        const struct other o = other_begin(read_inherited, &arrays);
        hear(&o.channel);
        if (!before)
            ok(state_write(a, 2, err));
        say(&o.channel);
        hear(&o.channel);
        ok(tess_array_flush(a, err)); // the child has not ended the lock
        say(&o.channel);
        other_end(&o);
        ok(state_read(view, &value, err));
        assert_int_equal(value, 2);
        ok(tess_array_close(view, err));
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(path), 2);
        files_remove(path);
    }
}

// Handles of the same process and others. An open waits: its state is that of the next commit.
static void
reader_of_an_older_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int32_t value = 0;
        state_make(state_path(state_layouts[i]), state_layouts[i], 1);
        const int fd = open_lock(state_layouts[i]);
        tess_array *const reader = state_open(state_path(state_layouts[i]), TESS_MODE_READ);
        tess_array *const writer = open_uncached(state_path(state_layouts[i]));
        ok(state_read(reader, &value, err));
        lock_to_change(fd);
        assert_true(is_stale_at_once(reader));
        assert_true(is_stale_at_once(writer));
        const double began = seconds();
        refused(TESS_ERR_STALE, state_write(writer, 2, err));
        assert_true(seconds() - began < 5);
        unlock(fd);
        assert_true(is_stale_at_once(reader));
        ok(tess_array_refresh(reader, NULL, err));
        ok(state_read(reader, &value, err));
        assert_int_equal(value, 1);
        tess_array_discard(writer);
        ok(tess_array_close(reader, err));
        (void)close(fd);
    }
}

// A reader that may not make the file, or write to it.
static void
places_for_reading(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_SPARSE);
    int32_t value = -1;
    (void)state;
    if (geteuid() == 0)
        skip();
    state_make(path, TESS_LAYOUT_SPARSE, 1);
    assert_int_equal(chmod(path, 0555), 0);
    tess_array *a = open_locking(path, TESS_MODE_READ);
    ok(state_read(a, &value, err));
    ok(tess_array_close(a, err));
    assert_int_equal(chmod(path, 0755), 0);
    const int fd = open_lock(TESS_LAYOUT_SPARSE);
    assert_int_equal(chmod(lock_path(TESS_LAYOUT_SPARSE), 0444), 0);
    a = open_locking(path, TESS_MODE_READ);
    lock_to_change(fd);
    unlock(fd);
    refused(TESS_ERR_STALE, state_read(a, &value, err));
    ok(tess_array_close(a, err));
    const tess_storage storage = at(path, TESS_MODE_UPDATE);
    refused(TESS_ERR_IO, tess_array_open(&storage, &a, err));
    (void)close(fd);
}

static void
no_regular_file(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
    tess_storage storage = at(path, TESS_MODE_READ);
    tess_array *a;
    (void)state;
    state_make(path, TESS_LAYOUT_CONTIGUOUS, 1);
    assert_int_equal(mkfifo(lock_path(TESS_LAYOUT_CONTIGUOUS), 0666), 0);
    refused(TESS_ERR_IO, tess_array_open(&storage, &a, err));
    storage.mode = TESS_MODE_UPDATE;
    refused(TESS_ERR_IO, tess_array_open(&storage, &a, err));
}

// -- many readers and writers

struct worker {
    pthread_t thread;
    const tess_array *a;
    atomic_bool *stop;
    int reads, bad;
};

static void *
read_on(void *argument)
{
    struct worker *const w = argument;
    while (!atomic_load(w->stop)) {
        int32_t value = -1;
        w->bad += state_read(w->a, &value, NULL) != TESS_OK || value != 1;
        w->reads++;
    }
    return NULL;
}

// Threads share one lock: whoever ends first takes it from nobody.
static void
threads_share(void **state)
{
    enum { THREADS = 4, TRIES = 2000 };
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
    struct worker workers[THREADS];
    atomic_bool stop = false;
    int refusals = 0;
    (void)state;
    state_make(path, TESS_LAYOUT_CONTIGUOUS, 1);
    const int fd = open_lock(TESS_LAYOUT_CONTIGUOUS);
    tess_array *const a = state_open(path, TESS_MODE_READ);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.a = a, .stop = &stop};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, read_on, &workers[i]), 0);
    }
    for (int i = 0; i < TRIES; i++) {
        refusals += can_get(fd) != ALONE;
        (void)usleep(10);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].bad, 0);
        assert_true(workers[i].reads > 0);
    }
    assert_true(refusals > 0);
    assert_int_equal(can_get(fd), ALONE);
    ok(tess_array_close(a, err));
    (void)close(fd);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(made_when_asked_for),
        IN_A_FOLDER(held_until_flush),
        IN_A_FOLDER(held_through_automatic_commits),
        IN_A_FOLDER(taken_until_commit),
        IN_A_FOLDER(shared_while_reading),
        IN_A_FOLDER(waiting_is_cancelled),
        IN_A_FOLDER(changes_are_seen),
        IN_A_FOLDER(comes_later),
        IN_A_FOLDER(children),
        IN_A_FOLDER(killed_while_reading),
        IN_A_FOLDER(child_keeps_nothing_locked),
        IN_A_FOLDER(child_of_a_writer),
        IN_A_FOLDER(reader_of_an_older_state),
        IN_A_FOLDER(places_for_reading),
        IN_A_FOLDER(no_regular_file),
        IN_A_FOLDER(threads_share),
    };
    (void)setenv("TESS_NUM_THREADS", "1", 1); // processes are forked
    return cmocka_run_group_tests(tests, NULL, NULL);
}
