/*
 * cancelled.c - threads that are cancelled (pthread_cancel()) while they are in a call.
 *
 * The call ends as it would have, functions of the program that it calls included, and the thread
 * at its own next cancellation point; other threads go on with the array. The library's own threads
 * are not cancelled at all.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { NITEMS = 1 << 17, CHUNK = 1 << 14, PATIENCE = 120, PATH_SIZE = 300 };

static const int64_t start = 0, stop = NITEMS;
static uint32_t items[NITEMS];
static char path[PATH_SIZE];

// What a thread does again and again: one call after the other.
struct victim {
    pthread_t thread;
    const struct activity *activity;
    tess_array *a;
    atomic_int started, ended; // calls
    atomic_int wrong;
};

static tess_context context;

static tess_storage
at(const char *file, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = file;
    storage.mode = mode;
    storage.context = &context;
    storage.lock_file = true;
    return storage;
}

static tess_status
create(const char *file, tess_array **a, tess_error *err)
{
    const tess_storage storage = at(file, TESS_MODE_REPLACE);
    tess_params params;
    tess_params_init(&params);
    params.dtype = "<u4";
    params.ndim = 1;
    params.shape[0] = NITEMS;
    params.chunkshape[0] = CHUNK;
    params.blockshape[0] = CHUNK / 16;
    return tess_array_from(&storage, &params, items, sizeof items, a, err);
}

// -- calls; each of them ends well

static bool
reads(struct victim *v)
{
    uint32_t *const got = malloc(sizeof items);
    const bool well = tess_array_read(v->a, &start, &stop, got, sizeof items, NULL) == TESS_OK &&
                      memcmp(got, items, sizeof items) == 0;
    free(got);
    return well;
}

static bool
writes(struct victim *v)
{
    return tess_array_write(v->a, &start, &stop, items, sizeof items, NULL) == TESS_OK &&
           tess_array_flush(v->a, NULL) == TESS_OK;
}

static bool
opens(struct victim *v)
{
    const tess_storage storage = at(path, TESS_MODE_READ);
    tess_array *a;
    (void)v;
    return tess_array_open(&storage, &a, NULL) == TESS_OK && tess_array_close(a, NULL) == TESS_OK;
}

static bool
saves(struct victim *v)
{
    const tess_storage storage = at(files_path("saved"), TESS_MODE_REPLACE);
    return tess_array_save(v->a, &storage, TESS_LAYOUT_SPARSE, NULL) == TESS_OK;
}

// A function of the program with cancellation points.
static tess_each_next
look(const tess_part *part, void *user)
{
    const struct timespec t = {.tv_nsec = 1000};
    (void)part;
    (void)user;
    (void)nanosleep(&t, NULL);
    pthread_testcancel();
    return TESS_EACH_NEXT;
}

static bool
looks(struct victim *v)
{
    return tess_array_each(v->a, TESS_BLOCKS, &start, &stop, look, NULL, NULL) == TESS_OK;
}

static bool
hears(int64_t done, int64_t total, void *user)
{
    (void)done;
    (void)total;
    (void)user;
    pthread_testcancel();
    return true;
}

static const struct activity {
    const char *name;
    bool (*act)(struct victim *v);
    bool memory, writes;
} activities[] = {
    {"read", reads, false, false},           {"write and flush", writes, false, true},
    {"open and close", opens, false, false}, {"save", saves, false, false},
    {"each", looks, false, false},           {"read memory", reads, true, false},
    {"write memory", writes, true, true},
};

static void *
act_on(void *argument)
{
    struct victim *const v = argument;
    for (;;) {
        pthread_testcancel();
        atomic_fetch_add(&v->started, 1);
        atomic_fetch_add(&v->wrong, !v->activity->act(v));
        atomic_fetch_add(&v->ended, 1);
    }
    return NULL;
}

static tess_array *
prepare(const struct activity *activity)
{
    tess_array *a;
    if (activity->memory) {
        ok(create(NULL, &a, err));
        return a;
    }
    ok(create(path, &a, err));
    ok(tess_array_close(a, err));
    const tess_storage storage = at(path, activity->writes ? TESS_MODE_UPDATE : TESS_MODE_READ);
    ok(tess_array_open(&storage, &a, err));
    return a;
}

static void
cancel_one(const struct activity *activity, tess_array *a, struct random *r)
{
    struct victim v = {.activity = activity, .a = a};
    void *result = NULL;
    const struct timespec t = {.tv_nsec = (long)random_below(r, 3000000)};
    assert_int_equal(pthread_create(&v.thread, NULL, act_on, &v), 0);
    while (atomic_load(&v.started) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    (void)nanosleep(&t, NULL);
    assert_int_equal(pthread_cancel(v.thread), 0);
    assert_int_equal(pthread_join(v.thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    if (v.started != v.ended || v.wrong > 0)
        fail_msg("%s: %d calls begun, %d ended, %d went wrong", activity->name, v.started, v.ended,
                 v.wrong);
    const bool well = activity->act(&v); // by another thread
    if (!well)
        fail_msg("%s: fails afterwards", activity->name);
}

static void
calls_end(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    (void)snprintf(path, sizeof path, "%s", files_path("array"));
    for (size_t i = 0; i < NITEMS; i++)
        items[i] = (uint32_t)(i * (i / 100));
    for (size_t i = 0; i < sizeof activities / sizeof activities[0]; i++)
        for (int told = 0; told < 2; told++) {
            tess_context_init(&context);
            context.progress = told ? hears : NULL;
            context.progress_interval = 0;
            tess_array *const a = prepare(&activities[i]);
            for (int64_t n = random_cases(15, 300); n > 0; n--)
                cancel_one(&activities[i], a, &r);
            ok(tess_array_close(a, err));
        }
}

// The library's threads run functions of the program, which may cancel the thread they are on.
struct self {
    pthread_t caller;
    atomic_int cancelled;
};

static tess_each_next
cancel_worker(const tess_part *part, void *user)
{
    struct self *const self = user;
    if (!pthread_equal(pthread_self(), self->caller)) {
        (void)pthread_cancel(pthread_self());
        atomic_fetch_add(&self->cancelled, 1);
    }
    return look(part, user);
}

static void
workers_stay(void **state)
{
    struct self self = {.caller = pthread_self()};
    tess_array *a;
    (void)state;
    tess_context_init(&context);
    ok(create(NULL, &a, err));
    struct victim v = {.a = a};
    for (int i = 0; i < 200; i++) {
        ok(tess_array_each(a, TESS_BLOCKS, &start, &stop, cancel_worker, &self, err));
        assert_true(reads(&v) && writes(&v));
    }
    assert_true(atomic_load(&self.cancelled) > 0);
    ok(tess_array_close(a, err));
}

// A thread that did not let itself be cancelled before a call does not afterwards.
static void
state_is_kept(void **state)
{
    int before;
    tess_array *a;
    (void)state;
    tess_context_init(&context);
    assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before), 0);
    ok(create(NULL, &a, err));
    assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before), 0);
    assert_int_equal(before, PTHREAD_CANCEL_DISABLE);
    ok(tess_array_close(a, err));
    assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before), 0);
    assert_int_equal(before, PTHREAD_CANCEL_ENABLE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(calls_end),
        IN_A_FOLDER(workers_stay),
        IN_A_FOLDER(state_is_kept),
    };
    (void)setenv("TESS_NUM_THREADS", "4", 1);
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    alarm(PATIENCE); // what hangs is killed
    return cmocka_run_group_tests(tests, NULL, NULL);
}
