/*
 * locks.c - one writer, of all programs and threads: who comes second is refused, or waits.
 */
#include "api/files.h"

#include <tessera.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIDE = 4, NITEMS = 64, PATIENCE = 60 };

static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};

static const char *
path_of(tess_layout layout)
{
    return files_path(layout == TESS_LAYOUT_SPARSE ? "array.dir" : "array.b2nd");
}

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

static tess_params
params_of(tess_layout layout)
{
    tess_params params;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 1;
    params.shape[0] = NITEMS;
    params.chunkshape[0] = params.blockshape[0] = SIDE;
    params.clevel = 0;
    params.layout = layout;
    return params;
}

// Item i is value + i.
static void
make_items(int32_t *items, int32_t value)
{
    for (int32_t i = 0; i < NITEMS; i++)
        items[i] = value + i;
}

static tess_status
create(const tess_storage *storage, tess_layout layout, int32_t value, tess_array **a,
       tess_error *err)
{
    const tess_params params = params_of(layout);
    int32_t items[NITEMS];
    make_items(items, value);
    return tess_array_from(storage, &params, items, sizeof items, a, err);
}

static void
make(const char *path, tess_layout layout, int32_t value)
{
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    tess_array *a;
    ok(create(&storage, layout, value, &a, err));
    ok(tess_array_close(a, err));
}

static tess_array *
open_array(const char *path, tess_mode mode)
{
    const tess_storage storage = at(path, mode);
    tess_array *a;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static const int64_t origin = 0, whole = NITEMS;

static tess_status
write_all(tess_array *a, int32_t value, tess_error *err)
{
    int32_t items[NITEMS];
    make_items(items, value);
    return tess_array_write(a, &origin, &whole, items, sizeof items, err);
}

// The value of all items, which must be of one state.
static tess_status
read_all(const tess_array *a, int32_t *value, tess_error *err)
{
    int32_t items[NITEMS], want[NITEMS];
    const tess_status st = tess_array_read(a, &origin, &whole, items, sizeof items, err);
    if (st != TESS_OK)
        return st;
    make_items(want, items[0]);
    assert_memory_equal(items, want, sizeof items);
    *value = items[0];
    return TESS_OK;
}

static int32_t
value_at(const char *path)
{
    tess_array *const a = open_array(path, TESS_MODE_READ);
    int32_t value = -1;
    ok(read_all(a, &value, err));
    ok(tess_array_close(a, err));
    return value;
}

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// -- other processes

// Runs in a process of its own, which answers with a byte over and over, and is told to go on.
struct other {
    pid_t pid;
    int to, from;
};

struct channel {
    int to, from;
};

static void
say(const struct channel *c)
{
    if (write(c->to, "x", 1) != 1)
        _exit(3);
}

static void
hear(const struct channel *c)
{
    char byte;
    if (read(c->from, &byte, 1) != 1)
        _exit(4);
}

// The child ends with the status that `run` returns.
static struct other
begin_other(int (*run)(const struct channel *c, const void *arg), const void *arg)
{
    int there[2], back[2];
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct channel c = {back[1], there[0]};
        (void)close(there[1]);
        (void)close(back[0]);
        alarm(PATIENCE); // what hangs is killed
        _exit(run(&c, arg));
    }
    (void)close(there[0]);
    (void)close(back[1]);
    return (struct other){pid, there[1], back[0]};
}

static void
tell(const struct other *o)
{
    assert_int_equal(write(o->to, "x", 1), 1);
}

static void
listen_to(const struct other *o)
{
    char byte;
    assert_int_equal(read(o->from, &byte, 1), 1);
}

static void
end_other(const struct other *o)
{
    int status = -1;
    assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
    (void)close(o->to);
    (void)close(o->from);
    assert_int_equal(status, 0);
}

// -- waiting

static void
refuse(const tess_storage *storage, tess_status (*get)(const tess_storage *, tess_error *))
{
    tess_error error = {0};
    refused(TESS_ERR_IO, get(storage, err));
    assert_int_equal(get(storage, &error), TESS_ERR_IO);
    assert_int_equal(error.sys, EWOULDBLOCK);
    assert_non_null(strstr(error.message, "somebody else has it open for writing"));
}

static tess_status
open_and_close(const tess_storage *storage, tess_error *err)
{
    tess_array *a;
    const tess_status st = tess_array_open(storage, &a, err);
    return st == TESS_OK ? tess_array_close(a, err) : st;
}

static tess_status
replace_file(const tess_storage *storage, tess_error *err)
{
    tess_array *a;
    const tess_status st = create(storage, TESS_LAYOUT_CONTIGUOUS, 900, &a, err);
    return st == TESS_OK ? tess_array_close(a, err) : st;
}

static tess_status
replace_directory(const tess_storage *storage, tess_error *err)
{
    tess_array *a;
    const tess_status st = create(storage, TESS_LAYOUT_SPARSE, 900, &a, err);
    return st == TESS_OK ? tess_array_close(a, err) : st;
}

static tess_status
save_file(const tess_storage *storage, tess_error *err)
{
    const tess_storage memory = at(NULL, TESS_MODE_NEW);
    tess_array *a;
    tess_status st = create(&memory, TESS_LAYOUT_CONTIGUOUS, 900, &a, err);
    if (st != TESS_OK)
        return st;
    st = tess_array_save(a, storage, TESS_LAYOUT_CONTIGUOUS, err);
    assert_int_equal(tess_array_close(a, NULL), TESS_OK);
    return st;
}

// Nobody gets what is being written: not to write, to replace, to append; reading is free.
static void
second_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = path_of(layouts[i]);
        make(path, layouts[i], 100);
        tess_array *const writer = open_array(path, TESS_MODE_UPDATE);
        tess_storage storage = at(path, TESS_MODE_UPDATE);
        refuse(&storage, open_and_close);
        storage.mode = TESS_MODE_REPLACE;
        refuse(&storage, replace_directory);
        if (layouts[i] == TESS_LAYOUT_CONTIGUOUS) {
            refuse(&storage, replace_file);
            refuse(&storage, save_file);
            storage.mode = TESS_MODE_APPEND;
            refuse(&storage, replace_file);
        }
        assert_int_equal(value_at(path), 100);
        ok(write_all(writer, 200, err));
        ok(tess_array_close(writer, err));
        assert_int_equal(value_at(path), 200);
        assert_int_equal(files_count(), (int)i + 1); // no temporary names
        storage.mode = TESS_MODE_UPDATE;
        ok(open_and_close(&storage, err));
    }
}

// Created ones are being written until they are closed.
static void
new_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tess_storage fresh = at(path_of(layouts[i]), TESS_MODE_REPLACE);
        const tess_storage storage = at(path_of(layouts[i]), TESS_MODE_UPDATE);
        tess_array *a;
        ok(create(&fresh, layouts[i], 1, &a, err));
        refuse(&storage, open_and_close);
        refuse(&fresh, layouts[i] == TESS_LAYOUT_SPARSE ? replace_directory : replace_file);
        ok(tess_array_close(a, err));
        ok(open_and_close(&storage, err));
    }
}

static void
waits_in_vain(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = path_of(layouts[i]);
        make(path, layouts[i], 100);
        tess_array *const writer = open_array(path, TESS_MODE_UPDATE);
        tess_storage storage = at(path, TESS_MODE_UPDATE);
        storage.wait = 100;
        const double began = seconds();
        tess_error error;
        assert_int_equal(open_and_close(&storage, &error), TESS_ERR_IO);
        assert_int_equal(error.sys, EWOULDBLOCK);
        assert_true(seconds() - began >= 0.1 && seconds() - began < 5);
        ok(tess_array_close(writer, err));
    }
}

struct told {
    int calls, most;
    bool bad;
};

static bool
count_calls(int64_t done, int64_t total, void *user)
{
    struct told *const told = user;
    told->bad |= done != 0 || total != 1;
    return ++told->calls < told->most;
}

static void
waiting_is_cancelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = path_of(layouts[i]);
        struct told told = {.most = 5};
        tess_context context;
        make(path, layouts[i], 100);
        tess_array *const writer = open_array(path, TESS_MODE_UPDATE);
        tess_storage storage = at(path, TESS_MODE_UPDATE);
        tess_context_init(&context);
        context.progress = count_calls;
        context.progress_user = &told;
        context.progress_interval = 20;
        storage.context = &context;
        storage.wait = -1;
        const double began = seconds();
        refused(TESS_ERR_CANCELLED, open_and_close(&storage, err));
        assert_true(seconds() - began >= 0.1);
        assert_int_equal(told.calls, 6); // the second call is cancelled at once
        assert_false(told.bad);
        ok(tess_array_close(writer, err));
    }
}

struct writing {
    const char *path;
    tess_layout layout;
    int32_t value;
};

// Have it open for writing; when told so, write, wait a little, and close.
static int
hold_and_write(const struct channel *c, const void *arg)
{
    const struct writing *const w = arg;
    tess_storage storage = at(w->path, TESS_MODE_UPDATE);
    tess_array *a;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return 1;
    say(c);
    hear(c);
    (void)usleep(100000);
    return write_all(a, w->value, NULL) == TESS_OK && tess_array_close(a, NULL) == TESS_OK ? 0 : 1;
}

// Have it open for writing; when told so, wait a little and put another array in its place, which
// is kept open for a while.
static int
hold_and_replace(const struct channel *c, const void *arg)
{
    const struct writing *const w = arg;
    char aside[300];
    tess_storage storage = at(w->path, TESS_MODE_UPDATE);
    tess_array *a, *b;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return 1;
    (void)snprintf(aside, sizeof aside, "%s.new", w->path);
    storage = at(aside, TESS_MODE_NEW);
    if (create(&storage, w->layout, w->value, &b, NULL) != TESS_OK)
        return 1;
    say(c);
    hear(c);
    (void)usleep(100000);
    // By hand: our own calls do not replace what is open for writing.
    (void)snprintf(aside, sizeof aside, "%s.old", w->path);
    if (rename(w->path, aside) != 0)
        return 1;
    (void)snprintf(aside, sizeof aside, "%s.new", w->path);
    if (rename(aside, w->path) != 0 || tess_array_close(a, NULL) != TESS_OK)
        return 1;
    (void)usleep(100000);
    return tess_array_close(b, NULL) == TESS_OK ? 0 : 1;
}

// Whoever waits continues what the other one did, not what was there when it began to wait.
static void
waits_for_a_process(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int replaced = 0; replaced < 2; replaced++) {
            char path[300];
            (void)snprintf(path, sizeof path, "%s", path_of(layouts[i]));
            const struct writing w = {path, layouts[i], 500};
            int32_t value = -1;
            make(path, layouts[i], 100);
            const struct other o = begin_other(replaced ? hold_and_replace : hold_and_write, &w);
            tess_storage storage = at(path, TESS_MODE_UPDATE);
            tess_array *a;
            storage.wait = PATIENCE * 1000;
            listen_to(&o);
            tell(&o);
            const double began = seconds();
            ok(tess_array_open(&storage, &a, err));
            assert_true(seconds() - began > 0.05);
            ok(read_all(a, &value, err));
            assert_int_equal(value, 500);
            ok(write_all(a, 600, err));
            ok(tess_array_close(a, err));
            end_other(&o);
            assert_int_equal(value_at(path), 600);
            files_remove(files_path(i == 0 ? "array.b2nd.old" : "array.dir.old"));
        }
}

static void
replacing_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char path[300];
        (void)snprintf(path, sizeof path, "%s", path_of(layouts[i]));
        const struct writing w = {path, layouts[i], 500};
        make(path, layouts[i], 100);
        const struct other o = begin_other(hold_and_write, &w);
        tess_storage storage = at(path, TESS_MODE_REPLACE);
        tess_array *a;
        storage.wait = -1;
        listen_to(&o);
        tell(&o);
        const double began = seconds();
        ok(create(&storage, layouts[i], 700, &a, err));
        assert_true(seconds() - began > 0.05);
        end_other(&o); // wrote before, not into the new one
        ok(tess_array_close(a, err));
        assert_int_equal(value_at(path), 700);
    }
}

struct thread {
    pthread_t thread;
    const char *path;
    int32_t value;
    int failures;
};

// Adds 1 to all items, each time with the file for itself.
static void *
count_up(void *argument)
{
    struct thread *const t = argument;
    for (int i = 0; i < 20; i++) {
        tess_storage storage = at(t->path, TESS_MODE_UPDATE);
        tess_array *a;
        int32_t value = -1;
        storage.wait = PATIENCE * 1000;
        if (tess_array_open(&storage, &a, NULL) != TESS_OK) {
            t->failures++;
            continue;
        }
        t->failures += read_all(a, &value, NULL) != TESS_OK;
        t->failures += write_all(a, value + 1, NULL) != TESS_OK;
        t->failures += tess_array_close(a, NULL) != TESS_OK;
    }
    return NULL;
}

static void
threads_wait(void **state)
{
    enum { THREADS = 3 };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct thread threads[THREADS];
        const char *const path = path_of(layouts[i]);
        make(path, layouts[i], 0);
        for (int t = 0; t < THREADS; t++) {
            threads[t] = (struct thread){.path = path};
            assert_int_equal(pthread_create(&threads[t].thread, NULL, count_up, &threads[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t].thread, NULL), 0);
            assert_int_equal(threads[t].failures, 0);
        }
        assert_int_equal(value_at(path), THREADS * 20);
    }
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_setup, files_teardown)
    const struct CMUnitTest tests[] = {
        TEST(second_is_refused),    TEST(new_is_refused),      TEST(waits_in_vain),
        TEST(waiting_is_cancelled), TEST(waits_for_a_process), TEST(replacing_waits),
        TEST(threads_wait),
    };
    (void)setenv("TESS_NUM_THREADS", "1", 1); // processes are forked
    return cmocka_run_group_tests(tests, NULL, NULL);
}
