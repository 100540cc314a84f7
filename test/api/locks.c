/*
 * locks.c - one writer, of all programs and threads: who comes second is refused, or waits.
 */
#include "support/files.h"
#include "support/states.h"

#include <tessera.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE = 60 };

static void
refuse(const tess_storage *storage, tess_status (*get)(const tess_storage *, tess_error *))
{
    tess_error error = {0};
    refused(TESS_ERR_IO, get(storage, err));
    assert_int_equal(get(storage, &error), TESS_ERR_IO);
    assert_int_equal(error.sys, EWOULDBLOCK);
    assert_non_null(
        strstr(error.message, "it is open for writing already, here or in another program"));
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
    const tess_status st = state_create(storage, TESS_LAYOUT_CONTIGUOUS, 900, &a, err);
    return st == TESS_OK ? tess_array_close(a, err) : st;
}

static tess_status
replace_directory(const tess_storage *storage, tess_error *err)
{
    tess_array *a;
    const tess_status st = state_create(storage, TESS_LAYOUT_SPARSE, 900, &a, err);
    return st == TESS_OK ? tess_array_close(a, err) : st;
}

static tess_status
save_file(const tess_storage *storage, tess_error *err)
{
    const tess_storage memory = at(NULL, TESS_MODE_NEW);
    tess_array *a;
    tess_status st = state_create(&memory, TESS_LAYOUT_CONTIGUOUS, 900, &a, err);
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
        const char *const path = state_path(state_layouts[i]);
        state_make(path, state_layouts[i], 100);
        tess_array *const writer = state_open(path, TESS_MODE_UPDATE);
        tess_storage storage = at(path, TESS_MODE_UPDATE);
        refuse(&storage, open_and_close);
        storage.mode = TESS_MODE_REPLACE;
        refuse(&storage, replace_directory);
        if (state_layouts[i] == TESS_LAYOUT_CONTIGUOUS) {
            refuse(&storage, replace_file);
            refuse(&storage, save_file);
            storage.mode = TESS_MODE_APPEND;
            refuse(&storage, replace_file);
        }
        assert_int_equal(state_at(path), 100);
        ok(state_write(writer, 200, err));
        ok(tess_array_close(writer, err));
        assert_int_equal(state_at(path), 200);
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
        const tess_storage fresh = at(state_path(state_layouts[i]), TESS_MODE_REPLACE);
        const tess_storage storage = at(state_path(state_layouts[i]), TESS_MODE_UPDATE);
        tess_array *a;
        ok(state_create(&fresh, state_layouts[i], 1, &a, err));
        refuse(&storage, open_and_close);
        refuse(&fresh, state_layouts[i] == TESS_LAYOUT_SPARSE ? replace_directory : replace_file);
        ok(tess_array_close(a, err));
        ok(open_and_close(&storage, err));
    }
}

static void
waits_in_vain(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        state_make(path, state_layouts[i], 100);
        tess_array *const writer = state_open(path, TESS_MODE_UPDATE);
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
        const char *const path = state_path(state_layouts[i]);
        struct told told = {.most = 5};
        tess_context context;
        state_make(path, state_layouts[i], 100);
        tess_array *const writer = state_open(path, TESS_MODE_UPDATE);
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
    return state_write(a, w->value, NULL) == TESS_OK && tess_array_close(a, NULL) == TESS_OK ? 0
                                                                                             : 1;
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
    if (state_create(&storage, w->layout, w->value, &b, NULL) != TESS_OK)
        return 1;
    say(c);
    hear(c);
    (void)usleep(100000);
    // By hand: our own calls do not replace what is open for writing.
    const unsigned exchange = 2;
    if (syscall(SYS_renameat2, AT_FDCWD, aside, AT_FDCWD, w->path, exchange) != 0 ||
        tess_array_close(a, NULL) != TESS_OK)
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
            const char *const path = state_path(state_layouts[i]);
            const struct writing w = {path, state_layouts[i], 500};
            int32_t value = -1;
            state_make(path, state_layouts[i], 100);
            const struct other o = other_begin(replaced ? hold_and_replace : hold_and_write, &w);
            tess_storage storage = at(path, TESS_MODE_UPDATE);
            tess_array *a;
            storage.wait = PATIENCE * 1000;
            hear(&o.channel);
            say(&o.channel);
            const double began = seconds();
            ok(tess_array_open(&storage, &a, err));
            assert_true(seconds() - began > 0.05);
            ok(state_read(a, &value, err));
            assert_int_equal(value, 500);
            ok(state_write(a, 600, err));
            ok(tess_array_close(a, err));
            other_end(&o);
            assert_int_equal(state_at(path), 600);
            files_remove(files_path(i == 0 ? "array.b2nd.new" : "array.dir.new"));
        }
}

static void
replacing_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        const struct writing w = {path, state_layouts[i], 500};
        state_make(path, state_layouts[i], 100);
        const struct other o = other_begin(hold_and_write, &w);
        tess_storage storage = at(path, TESS_MODE_REPLACE);
        tess_array *a;
        storage.wait = -1;
        hear(&o.channel);
        say(&o.channel);
        const double began = seconds();
        ok(state_create(&storage, state_layouts[i], 700, &a, err));
        assert_true(seconds() - began > 0.05);
        other_end(&o); // wrote before, not into the new one
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(path), 700);
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
        t->failures += state_read(a, &value, NULL) != TESS_OK;
        t->failures += state_write(a, value + 1, NULL) != TESS_OK;
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
        const char *const path = state_path(state_layouts[i]);
        state_make(path, state_layouts[i], 0);
        for (int t = 0; t < THREADS; t++) {
            threads[t] = (struct thread){.path = path};
            assert_int_equal(pthread_create(&threads[t].thread, NULL, count_up, &threads[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t].thread, NULL), 0);
            assert_int_equal(threads[t].failures, 0);
        }
        assert_int_equal(state_at(path), THREADS * 20);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(second_is_refused),   IN_A_FOLDER(new_is_refused),
        IN_A_FOLDER(waits_in_vain),       IN_A_FOLDER(waiting_is_cancelled),
        IN_A_FOLDER(waits_for_a_process), IN_A_FOLDER(replacing_waits),
        IN_A_FOLDER(threads_wait),
    };
    (void)setenv("TESS_NUM_THREADS", "1", 1); // processes are forked
    return cmocka_run_group_tests(tests, NULL, NULL);
}
