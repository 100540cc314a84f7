/*
 * process.c - arrays in programs that fork while they read, whose children write, and that end
 * while threads of the library wait for work.
 */
#include "support/files.h"
#include "support/forks.h"
#include "support/states.h"

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

// What a child may do: read arrays that nobody else used when it was forked, change those in
// memory, and open others.
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

static void
fork_while_reading(void **state)
{
    if (!FORK_BESIDE_THREADS)
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

// -- children that write, beside threads that read the same file

// Item i is value + i. False: the call failed.
static bool
write_value(tess_array *a, uint32_t value)
{
    uint32_t *const all = malloc(sizeof items);
    for (uint32_t i = 0; all && i < NITEMS; i++)
        all[i] = value + i;
    const bool well = all && tess_array_write(a, &start, &stop, all, sizeof items, NULL) == TESS_OK;
    free(all);
    return well;
}

// TESS_ERR_CORRUPT: items of several values.
static tess_status
read_value(const tess_array *a, uint32_t *value)
{
    uint32_t *const all = malloc(sizeof items);
    tess_status st =
        all ? tess_array_read(a, &start, &stop, all, sizeof items, NULL) : TESS_ERR_NOMEM;
    for (uint32_t i = 0; st == TESS_OK && i < NITEMS; i++)
        if (all[i] != all[0] + i)
            st = TESS_ERR_CORRUPT;
    if (st == TESS_OK)
        *value = all[0];
    free(all);
    return st;
}

static tess_storage
locking(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.lock_file = true;
    storage.wait = -1;
    return storage;
}

static tess_array *
open_locking(const char *path, tess_mode mode)
{
    const tess_storage storage = locking(path, mode);
    tess_array *a;
    return tess_array_open(&storage, &a, NULL) == TESS_OK ? a : NULL;
}

static tess_status
create_locking(const char *path, tess_layout layout, tess_array **a)
{
    const tess_storage storage = locking(path, TESS_MODE_REPLACE);
    tess_params params;
    tess_params_init(&params);
    params.dtype = "<u4";
    params.ndim = 1;
    params.shape[0] = NITEMS;
    params.chunkshape[0] = 1 << 16;
    params.blockshape[0] = 1 << 12;
    params.layout = layout;
    return tess_array_zeros(&storage, &params, a, NULL);
}

struct follower {
    pthread_t thread;
    const char *path;
    atomic_bool stop;
    uint32_t newest;
    int reads, wrong;
};

// Reads the newest value, again and again; it never gets less. Most of the time it is without the
// lock, also where reading takes long: a writer waits until no reader has it.
static void *
follow(void *argument)
{
    struct follower *const f = argument;
    tess_array *const a = open_locking(f->path, TESS_MODE_READ);
    f->wrong += !a;
    while (a && !atomic_load(&f->stop)) {
        uint32_t value = 0;
        const double begin = seconds();
        const tess_status st = read_value(a, &value);
        if (st == TESS_OK) {
            f->wrong += value < f->newest;
            f->newest = value;
        } else {
            f->wrong += st != TESS_ERR_STALE || tess_array_refresh(a, NULL, NULL) != TESS_OK;
        }
        f->reads++;
        (void)usleep((useconds_t)(2000 + 3e6 * (seconds() - begin)));
    }
    f->wrong += tess_array_close(a, NULL) != TESS_OK;
    return NULL;
}

struct family {
    char shared[300], own[300], apart[300];
    tess_layout layout;
    tess_array *reader; // of the shared one; idle in the parent
    tess_array *writer; // of one that only the parent changes
};

static bool
child_counts(const struct family *f, uint32_t n)
{
    uint32_t value = 0;
    tess_array *a = NULL;
    // One that the parent has open, too.
    bool well = read_value(f->reader, &value) == TESS_OK && value == n;
    // One that it has open for writing.
    well &= !write_value(f->writer, n + 2) && tess_array_close(f->writer, NULL) == TESS_OK;
    // A new one.
    well &= create_locking(f->own, f->layout, &a) == TESS_OK && write_value(a, n) &&
            tess_array_flush(a, NULL) == TESS_OK && read_value(a, &value) == TESS_OK &&
            value == n && tess_array_close(a, NULL) == TESS_OK;
    // And one more commit of the shared one.
    a = open_locking(f->shared, TESS_MODE_UPDATE);
    well &= a && read_value(a, &value) == TESS_OK && value == n && write_value(a, n + 1) &&
            tess_array_close(a, NULL) == TESS_OK;
    well &= read_value(f->reader, &value) == TESS_ERR_STALE &&
            tess_array_refresh(f->reader, NULL, NULL) == TESS_OK &&
            read_value(f->reader, &value) == TESS_OK && value == n + 1;
    return tess_array_close(f->reader, NULL) == TESS_OK && well;
}

static void
begin_at(const char *path, tess_layout layout)
{
    tess_array *a;
    assert_int_equal(create_locking(path, layout, &a), TESS_OK);
    assert_true(write_value(a, 0));
    ok(tess_array_close(a, err));
}

static void
children_commit(void **state)
{
    if (!FORK_BESIDE_THREADS)
        skip();
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        struct family f = {.layout = sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS};
        struct follower followers[READERS];
        uint32_t value = 0;
        (void)snprintf(f.shared, sizeof f.shared, "%s", files_path("shared"));
        (void)snprintf(f.own, sizeof f.own, "%s", files_path("own"));
        (void)snprintf(f.apart, sizeof f.apart, "%s", files_path("apart"));
        begin_at(f.shared, f.layout);
        begin_at(f.apart, f.layout);
        for (int i = 0; i < READERS; i++) {
            followers[i] = (struct follower){.path = f.shared};
            assert_int_equal(pthread_create(&followers[i].thread, NULL, follow, &followers[i]), 0);
        }
        for (uint32_t n = 0; n < CHILDREN; n++) {
            int status = -1;
            f.reader = open_locking(f.shared, TESS_MODE_READ);
            f.writer = open_locking(f.apart, TESS_MODE_UPDATE);
            assert_true(f.reader && f.writer);
            assert_int_equal(read_value(f.reader, &value), TESS_OK);
            const pid_t pid = fork();
            assert_true(pid >= 0);
            if (pid == 0) {
                alarm(PATIENCE);
                _exit(child_counts(&f, n) ? 0 : 1);
            }
            assert_int_equal(waitpid(pid, &status, 0), pid);
            assert_int_equal(status, 0);
            assert_int_equal(read_value(f.reader, &value), TESS_ERR_STALE);
            assert_true(write_value(f.writer, n + 1));
            ok(tess_array_close(f.writer, err));
            ok(tess_array_close(f.reader, err));
        }
        tess_array *const a = open_locking(f.apart, TESS_MODE_READ);
        assert_int_equal(read_value(a, &value), TESS_OK);
        assert_int_equal(value, CHILDREN);
        ok(tess_array_close(a, err));
        for (int i = 0; i < READERS; i++) {
            atomic_store(&followers[i].stop, true);
            assert_int_equal(pthread_join(followers[i].thread, NULL), 0);
            assert_int_equal(followers[i].wrong, 0);
            assert_true(followers[i].reads > 0);
        }
        files_remove(f.shared);
        files_remove(f.own);
        files_remove(f.apart);
    }
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
        cmocka_unit_test_setup_teardown(children_commit, files_setup, files_teardown),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
