/*
 * hooks.c - the allocator of the program: everything comes from it, everything goes back, and where
 * it fails, calls say so.
 *
 * Linked with the static library and -Wl,--wrap for malloc() and its likes, so what the library
 * takes from libc in spite of the allocator is counted. Each piece of the allocator's memory has a
 * head, which says how it was allocated and tells it from other memory.
 */
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <tessera.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MARK = 0x5a17, ROWS = 300, COLUMNS = 200, BUDGETS = 40 };

// -- calls of libc

static atomic_int watched, calls; // calls while it is watched

#define WRAP(type, name, parameters, arguments) \
    type __real_##name parameters;              \
    type __wrap_##name parameters;              \
    type __wrap_##name parameters               \
    {                                           \
        if (atomic_load(&watched))              \
            atomic_fetch_add(&calls, 1);        \
        return __real_##name arguments;         \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *p, size_t size), (p, size))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t size), (s, size))

void __real_free(void *p);
void __wrap_free(void *p);

void
__wrap_free(void *p)
{
    if (atomic_load(&watched))
        atomic_fetch_add(&calls, 1);
    __real_free(p);
}

// -- what a system may be short of

static atomic_bool no_locks, no_threads;

typedef void *run_fn(void *argument);

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, run_fn *run,
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, run_fn *run,
                          void *argument);

int
__wrap_flock(int fd, int operation)
{
    if (!atomic_load(&no_locks))
        return __real_flock(fd, operation);
    errno = ENOLCK;
    return -1;
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, run_fn *run, void *argument)
{
    return atomic_load(&no_threads) ? EAGAIN : __real_pthread_create(thread, attr, run, argument);
}

// -- the allocator

struct head {
    size_t mark, size, align;
    void *start; // of what libc gave
};

static struct {
    atomic_long live, bytes, most, allocations, failures;
    atomic_long budget; // bytes; negative: any
    atomic_bool wrong;
} counted;

static bool
fits(size_t size)
{
    const long budget = atomic_load(&counted.budget);
    const long now = atomic_fetch_add(&counted.bytes, (long)size) + (long)size;
    if (budget >= 0 && now > budget) {
        atomic_fetch_sub(&counted.bytes, (long)size);
        atomic_fetch_add(&counted.failures, 1);
        return false;
    }
    if (now > atomic_load(&counted.most))
        atomic_store(&counted.most, now);
    return true;
}

static void *
counted_alloc(size_t size, size_t align, void *user)
{
    if (user != &counted || size == 0 || align < _Alignof(max_align_t) || align & (align - 1))
        atomic_store(&counted.wrong, true);
    if (!fits(size))
        return NULL;
    const size_t head = (sizeof(struct head) + align - 1) / align * align;
    char *const start = __real_aligned_alloc(align, (head + size + align - 1) / align * align);
    if (!start)
        abort();
    memset(start, 0xa5, head + size);
    struct head *const h = (struct head *)(void *)(start + head) - 1;
    *h = (struct head){MARK, size, align, start};
    atomic_fetch_add(&counted.live, 1);
    atomic_fetch_add(&counted.allocations, 1);
    return h + 1;
}

static struct head *
head_of(void *memory)
{
    struct head *const h = (struct head *)memory - 1;
    if (h->mark != MARK) // not of this allocator, or freed
        abort();
    return h;
}

static void
counted_free(void *memory, void *user)
{
    struct head *const h = head_of(memory);
    if (user != &counted)
        atomic_store(&counted.wrong, true);
    atomic_fetch_sub(&counted.bytes, (long)h->size);
    atomic_fetch_sub(&counted.live, 1);
    memset(memory, 0xa5, h->size);
    h->mark = 0;
    __real_free(h->start);
}

static void *
counted_resize(void *memory, size_t size, void *user)
{
    const struct head *const h = head_of(memory);
    if (h->align != _Alignof(max_align_t))
        atomic_store(&counted.wrong, true);
    void *const other = counted_alloc(size, _Alignof(max_align_t), user);
    if (!other)
        return NULL;
    memcpy(other, memory, size < h->size ? size : h->size);
    counted_free(memory, user);
    return other;
}

static tess_allocator
allocator(void)
{
    tess_allocator own;
    tess_allocator_init(&own);
    own.alloc = counted_alloc;
    own.resize = counted_resize;
    own.free = counted_free;
    own.user = &counted;
    atomic_store(&counted.budget, -1);
    return own;
}

// -- calls that allocate

static tess_status
fill_params(tess_params *params, tess_codec codec)
{
    static const tess_metalayer layer = {"layer", "content", 7};
    tess_params_init(params);
    params->dtype = NATIVE "i4";
    params->ndim = 2;
    params->shape[0] = ROWS;
    params->shape[1] = COLUMNS;
    params->chunkshape[0] = params->chunkshape[1] = 64;
    params->blockshape[0] = params->blockshape[1] = 16;
    params->codec = codec;
    params->metalayers = &layer;
    params->nmetalayers = 1;
    return TESS_OK;
}

// Memory that the program frees.
static tess_status
use_results(tess_array *a, tess_error *err)
{
    void *image = NULL;
    char *json = NULL;
    size_t size;
    tess_status st = tess_attr_set_json(a, "attribute", "{\"a\": [1, 2.5, \"text\"]}", err);
    if (st == TESS_OK)
        st = tess_attr_get_json(a, "attribute", &json, err);
    if (st == TESS_OK && strstr(json, "text") == NULL)
        abort();
    tess_free(json);
    if (st == TESS_OK)
        st = tess_array_to_image(a, &image, &size, err);
    tess_free(image);
    return st;
}

// A bit of everything, with that many threads. Items are i * COLUMNS + j.
static tess_status
use_library(const char *path, tess_codec codec, int threads, tess_error *err)
{
    static int32_t items[ROWS * COLUMNS], got[ROWS * COLUMNS];
    const int64_t start[2] = {3, 5}, stop[2] = {250, 190}, one[2] = {4, 6}, shape[2] = {320, 210};
    const int64_t points[4] = {0, 0, 299, 199};
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_statistics statistics;
    tess_array *a = NULL, *view = NULL, *copy = NULL;
    tess_error *const e = err;

    for (int i = 0; i < ROWS * COLUMNS; i++)
        items[i] = i;
    tess_context_init(&context);
    context.threads = threads;
    tess_storage_init(&storage);
    storage.context = &context;
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    fill_params(&params, codec);
    tess_status st = tess_array_from(&storage, &params, items, sizeof items, &a, e);
    if (st == TESS_OK)
        st = tess_array_write(a, start, one, items, sizeof items, e);
    if (st == TESS_OK)
        st = use_results(a, e);
    if (st == TESS_OK)
        st = tess_array_resize(a, shape, e);
    if (st == TESS_OK)
        st = tess_array_flush(a, e);
    for (int i = 0; i < 3 && st == TESS_OK; i++) // the third time from the cache
        st = tess_array_read(a, start, stop, got, sizeof got, e);
    if (st == TESS_OK && got[COLUMNS] != items[3 * COLUMNS + 5 + COLUMNS + COLUMNS - 185])
        abort();
    if (st == TESS_OK)
        st = tess_array_get_points(a, 2, points, got, sizeof got, e);
    if (st == TESS_OK && (got[0] != 0 || got[1] != ROWS * COLUMNS - 1))
        abort();
    if (st == TESS_OK)
        st = tess_array_view_slice(a, start, stop, NULL, &view, e);
    if (st == TESS_OK)
        st = tess_array_statistics(view, NULL, NULL, &statistics, e);
    tess_storage_init(&storage);
    storage.context = &context;
    if (st == TESS_OK)
        st = tess_array_copy(view, &storage, NULL, &copy, e);
    if (copy)
        tess_array_discard(copy);
    if (view)
        tess_array_discard(view);
    if (a && st == TESS_OK)
        return tess_array_close(a, e);
    if (a)
        tess_array_discard(a);
    return st;
}

static const tess_codec codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_LZ4HC, TESS_CODEC_BLOSCLZ,
                                    TESS_CODEC_ZSTD, TESS_CODEC_ZLIB};

static void
everything(int threads)
{
    tess_error err;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        for (int memory = 0; memory < 2; memory++)
            if (use_library(memory ? NULL : files_path("a.b2nd"), codecs[i], threads, &err) !=
                TESS_OK)
                fail_msg("%s", err.message);
}

static int ntold[64];

static void
count_event(const tess_log_entry *entry, void *user)
{
    (void)user;
    if ((int)entry->event < 64 && entry->level == TESS_LOG_WARNING)
        ntold[entry->event]++;
}

// Neither locks nor threads: calls work, and the log tells.
static void
shortages_told(void **state)
{
    const tess_allocator own = allocator();
    (void)state;
    setenv("TESS_NUM_THREADS", "4", 1);
    ok(tess_allocator_set(&own, err));
    ok(tess_log_set(TESS_LOG_WARNING, count_event, NULL, err));
    atomic_store(&no_locks, true);
    atomic_store(&no_threads, true);
    for (int i = 0; i < 3; i++)
        ok(use_library(files_path("c.b2nd"), TESS_CODEC_ZSTD, 4, err));
    atomic_store(&no_locks, false);
    atomic_store(&no_threads, false);
    ok(tess_log_set(TESS_LOG_OFF, NULL, NULL, err));
    assert_int_equal(ntold[TESS_EVENT_UNLOCKED], 3);
    assert_int_equal(ntold[TESS_EVENT_THREADS], 1);
}

// -- the tests, in this order: the process has one allocator

static void
allocators_refused(void **state)
{
    tess_allocator bad = allocator();
    (void)state;
    bad.resize = NULL;
    refused(TESS_ERR_ARG, tess_allocator_set(&bad, err));
    bad = allocator();
    bad.alloc = NULL;
    refused(TESS_ERR_ARG, tess_allocator_set(&bad, err));
    bad = allocator();
    bad.free = NULL;
    refused(TESS_ERR_ARG, tess_allocator_set(&bad, err));
    bad = allocator();
    bad.struct_size = 8;
    refused(TESS_ERR_ARG, tess_allocator_set(&bad, err));
}

static void
comes_and_goes_back(void **state)
{
    const tess_allocator own = allocator();
    (void)state;
    ok(tess_allocator_set(NULL, err)); // nothing is left
    ok(tess_allocator_set(&own, err));
    for (int threads = 1; threads <= 4; threads += 3) {
        atomic_store(&calls, 0);
        atomic_store(&watched, 1);
        everything(threads);
        atomic_store(&watched, 0);
        assert_int_equal(atomic_load(&calls), 0);
        assert_int_equal(atomic_load(&counted.live), 0);
        assert_int_equal(atomic_load(&counted.bytes), 0);
        assert_true(atomic_load(&counted.allocations) > 100);
        assert_false(atomic_load(&counted.wrong));
    }
}

// Whatever the budget is, a call fails with TESS_ERR_NOMEM or succeeds, and nothing is left.
static void
budgets(void **state)
{
    struct random r;
    int failed = 0, succeeded = 0;
    (void)state;
    random_init(&r, random_seed());
    const long most = atomic_load(&counted.most);
    for (int i = 0; i < BUDGETS; i++) {
        tess_error err;
        atomic_store(&counted.budget, (long)random_below(&r, (uint64_t)(most + most / 4)));
        const tess_status st =
            use_library(i % 2 ? files_path("b.b2nd") : NULL, codecs[i % 5], 1 + i % 3, &err);
        failed += st == TESS_ERR_NOMEM;
        succeeded += st == TESS_OK;
        if (st != TESS_OK && st != TESS_ERR_NOMEM)
            fail_msg("%s: %s", tess_status_name(st), err.message);
        assert_int_equal(atomic_load(&counted.live), 0);
        assert_false(atomic_load(&counted.wrong));
    }
    assert_true(failed > 0 && succeeded > 0 && atomic_load(&counted.failures) > 0);
    atomic_store(&counted.budget, -1);
}

static void
exchanged_when_empty(void **state)
{
    const tess_allocator own = allocator();
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    void *image;
    size_t size;
    (void)state;
    ok(tess_allocator_set(&own, err)); // nothing is left: the same again
    tess_storage_init(&storage);
    fill_params(&params, TESS_CODEC_LZ4);
    ok(tess_array_zeros(&storage, &params, &a, err));
    refused(TESS_ERR_ARG, tess_allocator_set(NULL, err)); // an array is open
    ok(tess_array_to_image(a, &image, &size, err));
    ok(tess_array_close(a, err));
    refused(TESS_ERR_ARG, tess_allocator_set(&own, err)); // the program has an image
    tess_free(image);
    ok(tess_allocator_set(NULL, err));
    atomic_store(&counted.allocations, 0);
    everything(2);
    assert_int_equal(atomic_load(&counted.allocations), 0);
    refused(TESS_ERR_ARG, tess_allocator_set(&own, err)); // libc's was used
    refused(TESS_ERR_ARG, tess_allocator_set(NULL, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocators_refused),
        cmocka_unit_test_setup_teardown(shortages_told, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(comes_and_goes_back, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(budgets, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(exchanged_when_empty, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
