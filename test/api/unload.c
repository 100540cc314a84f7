/*
 * unload.c - a program that loads the library, lets it start threads, and unloads it.
 *
 *     unload LIBRARY
 *
 * Not linked with the library: it would stay then. After each round it must be gone, and so must
 * its threads.
 */
#include <tessera.h>

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 20, NITEMS = 1 << 20, PATIENCE = 30 };

// Of what is unloaded the leak sanitizer cannot tell whose it was; libgomp, which libzfp needs,
// loses 8 bytes each time.
int __lsan_is_turned_off(void);

int
__lsan_is_turned_off(void)
{
    return 1;
}

static const char *library;

// A function of the library; `place` is the pointer to it.
static void
find(void *lib, const char *name, void *place)
{
    void *const symbol = dlsym(lib, name);
    if (!symbol)
        fail_msg("%s: %s", name, dlerror());
    memcpy(place, &symbol, sizeof symbol);
}

static int
threads_now(void)
{
    DIR *const dir = opendir("/proc/self/task");
    int n = -2; // . and ..
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

// An array that is large enough for threads is made and read.
static void
use(void *lib)
{
    static uint32_t items[NITEMS], back[NITEMS];
    const int64_t start = 0, stop = NITEMS;
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    void (*storage_init)(tess_storage *, size_t);
    void (*params_init)(tess_params *, size_t);
    tess_status (*from)(const tess_storage *, const tess_params *, const void *, size_t,
                        tess_array **, tess_error *);
    tess_status (*get)(const tess_array *, const int64_t *, const int64_t *, void *, size_t,
                       tess_error *);
    tess_status (*end)(tess_array *, tess_error *);

    find(lib, "tess_storage_init_sized", &storage_init);
    find(lib, "tess_params_init_sized", &params_init);
    find(lib, "tess_array_from", &from);
    find(lib, "tess_array_read", &get);
    find(lib, "tess_array_close", &end);
    for (int i = 0; i < NITEMS; i++)
        items[i] = (uint32_t)(i * (i / 1000));
    memset(back, 0, sizeof back);
    storage_init(&storage, sizeof storage);
    params_init(&params, sizeof params);
    params.dtype = "<u4";
    params.ndim = 1;
    params.shape[0] = NITEMS;
    params.chunkshape[0] = 1 << 17;
    params.blockshape[0] = 1 << 13;
    assert_int_equal(from(&storage, &params, items, sizeof items, &a, NULL), TESS_OK);
    assert_int_equal(get(a, &start, &stop, back, sizeof back, NULL), TESS_OK);
    assert_memory_equal(back, items, sizeof back);
    assert_int_equal(end(a, NULL), TESS_OK);
}

// A thread that was joined may be listed for a moment.
static void
wait_for_threads(int n)
{
    const time_t end = time(NULL) + PATIENCE;
    while (threads_now() > n && time(NULL) < end)
        (void)usleep(1000);
    assert_int_equal(threads_now(), n);
}

// A sanitizer starts a thread of its own with the first of a program.
static void *
nothing(void *argument)
{
    return argument;
}

static void
come_and_go(void **state)
{
    pthread_t first;
    int most = 0;

    (void)state;
    assert_int_equal(pthread_create(&first, NULL, nothing, NULL), 0);
    pthread_join(first, NULL);
    (void)usleep(50000);
    const int before = threads_now();
    for (int i = 0; i < ROUNDS; i++) {
        void *const lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!lib)
            fail_msg("%s", dlerror());
        use(lib);
        if (threads_now() > most)
            most = threads_now();
        if (i % 2)
            (void)usleep(5000); // they sleep; else some still spin
        assert_int_equal(dlclose(lib), 0);
        wait_for_threads(before);
        assert_null(dlopen(library, RTLD_NOW | RTLD_NOLOAD));
    }
    assert_true(most > before); // there was something to end
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(come_and_go)};

    if (argc != 2)
        return 2;
    library = argv[1];
    (void)setenv("TESS_NUM_THREADS", "4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
