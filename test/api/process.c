/*
 * process.c - arrays in programs that fork while they read, and that end while threads of the
 * library wait for work.
 */
#include "api/files.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// The thread sanitizer refuses threads in the child of a process with threads, if not told so, and
// sleeps a second in each exit().
const char *__tsan_default_options(void);

const char *
__tsan_default_options(void)
{
    return "die_after_fork=0:atexit_sleep_ms=0";
}

enum { NITEMS = 1 << 18, READERS = 3, CHILDREN = 20, PATIENCE = 60 };

static uint32_t items[NITEMS];
static const int64_t start = 0, stop = NITEMS;

// Large enough to be read by several threads. path NULL: memory.
static tess_array *
make(const char *path)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;

    for (int i = 0; i < NITEMS; i++)
        items[i] = (uint32_t)(i * (i / 1000));
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = "<u4";
    params.ndim = 1;
    params.shape[0] = NITEMS;
    params.chunkshape[0] = 1 << 16;
    params.blockshape[0] = 1 << 12;
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    return a;
}

static bool
read_well(const tess_array *a)
{
    uint32_t *const back = calloc(NITEMS, sizeof *back);
    const bool well = back &&
                      tess_array_read(a, &start, &stop, back, sizeof items, NULL) == TESS_OK &&
                      memcmp(back, items, sizeof items) == 0;
    free(back);
    return well;
}

struct reader {
    pthread_t thread;
    const tess_array *a;
    atomic_bool stop;
    int reads, wrong;
};

static void *
read_on(void *argument)
{
    struct reader *const r = argument;
    while (!atomic_load(&r->stop)) {
        r->wrong += !read_well(r->a);
        r->reads++;
    }
    return NULL;
}

// What a child may do: use arrays that nobody else used when it was forked, and open others.
static bool
child_works(tess_array *own, const char *path)
{
    tess_storage storage;
    tess_array *a = NULL;

    tess_storage_init(&storage);
    storage.path = path;
    const bool well = read_well(own) &&
                      tess_array_write(own, &start, &stop, items, sizeof items, NULL) == TESS_OK &&
                      tess_array_close(own, NULL) == TESS_OK &&
                      tess_array_open(&storage, &a, NULL) == TESS_OK && read_well(a);
    return tess_array_close(a, NULL) == TESS_OK && well;
}

// In a child of fork(), the allocator of the address sanitizer waits for threads that are not there
// any more.
#ifndef __has_feature // clang's
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { CAN_FORK = 0 };
#else
enum { CAN_FORK = 1 };
#endif

static void
fork_while_reading(void **state)
{
    if (!CAN_FORK)
        skip();
    tess_array *const shared = make(files_path("array.b2nd"));
    tess_array *const own = make(NULL);
    struct reader readers[READERS];
    char path[300];

    (void)state;
    (void)snprintf(path, sizeof path, "%s", files_path("array.b2nd"));
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.a = shared};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_on, &readers[i]), 0);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            alarm(PATIENCE); // what hangs is killed
            _exit(child_works(own, path) ? 0 : 1);
        }
        assert_true(read_well(own));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < READERS; i++) {
        atomic_store(&readers[i].stop, true);
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        assert_int_equal(readers[i].wrong, 0);
        assert_true(readers[i].reads > 0);
    }
    ok(tess_array_close(own, err));
    ok(tess_array_close(shared, err));
}

// exit() in a process whose workers spin, sleep, or help a thread that reads on and on.
static void
leave(int how)
{
    static struct reader endless;
    tess_array *const a = make(NULL);

    alarm(PATIENCE);
    if (!read_well(a))
        exit(1);
    if (how == 1)
        (void)usleep(5000);
    endless.a = a;
    if (how == 2 && pthread_create(&endless.thread, NULL, read_on, &endless) != 0)
        exit(1);
    if (how == 2)
        (void)usleep(5000);
    else
        (void)tess_array_close(a, NULL);
    exit(0);
}

static void
exit_with_workers(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        int status = -1;
        fflush(NULL);
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            leave(i % 3);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_with_workers), // first: the children must be without threads
        cmocka_unit_test_setup_teardown(fork_while_reading, files_setup, files_teardown),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
