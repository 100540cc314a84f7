/*
 * executor.c - arrays whose calls are worked on by an executor: all sorts of it give what a call
 * without gives, down to the bytes that are stored, and no thread of the library runs.
 *
 * Made for the thread sanitizer, too.
 */
#include "support/executors.h"

#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <tessera.h>

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 640, COLUMNS = 500, NITEMS = ROWS * COLUMNS, USERS = 4 };

static const int64_t none[2] = {0}, all[2] = {ROWS, COLUMNS};

static int32_t *
draw_items(void)
{
    struct random r;
    int32_t *const items = malloc(NITEMS * sizeof *items);
    assert_non_null(items);
    random_init(&r, random_seed());
    for (int i = 0; i < NITEMS; i++)
        items[i] = i / 7 + (int32_t)random_below(&r, 3);
    return items;
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

// Expensive enough to be worth threads.
static tess_array *
array_of(const int32_t *items, const struct executors *x)
{
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_array *a = NULL;

    tess_context_init(&context);
    context.executor = x ? &x->executor : NULL;
    context.threads = x ? 0 : 1;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = NATIVE "i4";
    params.ndim = 2;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = all[i];
        params.chunkshape[i] = 100;
        params.blockshape[i] = 50;
    }
    params.codec = TESS_CODEC_ZSTD;
    ok(tess_array_from(&storage, &params, items, NITEMS * sizeof *items, &a, err));
    return a;
}

static tess_each_next
count_part(const tess_part *part, void *user)
{
    atomic_fetch_add((atomic_int *)user,
                     (int)((part->stop[0] - part->start[0]) * (part->stop[1] - part->start[1])));
    return TESS_EACH_NEXT;
}

// Ways to read, of an array or a view, compared with the items. What is wrong on a thread that is
// not the test's crashes the program.
static void
check_reads(const tess_array *a, const int32_t *items)
{
    int32_t *const got = malloc(NITEMS * sizeof *got);
    tess_statistics statistics;
    atomic_int count = 0;
    int64_t sum = 0;

    assert_non_null(got);
    ok(tess_array_read(a, none, all, got, NITEMS * sizeof *got, err));
    assert_memory_equal(got, items, NITEMS * sizeof *got);
    ok(tess_array_each(a, TESS_BLOCKS, NULL, NULL, count_part, &count, err));
    assert_int_equal(atomic_load(&count), NITEMS);
    ok(tess_array_statistics(a, none, all, &statistics, err));
    for (int i = 0; i < NITEMS; i++)
        sum += items[i];
    assert_true(statistics.exact);
    assert_int_equal(statistics.integer, sum);
    free(got);
}

static void
check_image(tess_array *a, tess_array *want)
{
    const void *got_image, *want_image;
    size_t got_size, want_size;

    ok(tess_array_image(a, &got_image, &got_size, err));
    ok(tess_array_image(want, &want_image, &want_size, err));
    assert_int_equal(got_size, want_size);
    assert_memory_equal(got_image, want_image, want_size);
}

// Write, read, change and copy with an executor.
static void
use_array(const int32_t *items, struct executors *x)
{
    tess_array *const want = array_of(items, NULL), *const a = array_of(items, x);
    tess_array *view = NULL, *copy = NULL;
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_verdict verdict;

    check_image(a, want);
    check_reads(a, items);
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    assert_int_equal(verdict.ndamaged, 0);
    ok(tess_array_view_read_only(a, &view, err));
    check_reads(view, items);

    tess_storage_init(&storage);
    tess_context_init(&context);
    context.executor = &x->executor;
    storage.context = &context;
    tess_array_params(a, &params);
    params.chunkshape[0] = params.chunkshape[1] = 80;
    params.blockshape[0] = params.blockshape[1] = 40;
    ok(tess_array_copy(view, &storage, &params, &copy, err));
    check_reads(copy, items);
    ok(tess_array_close(copy, err));
    // The base's handle goes first: the view keeps the executor.
    ok(tess_array_close(a, err));
    check_reads(view, items);
    ok(tess_array_close(view, err));
    ok(tess_array_close(want, err));
}

static void
all_sorts(void **state)
{
    int32_t *const items = draw_items();
    (void)state;
    for (enum executors_kind kind = 0; kind < EXECUTORS_KINDS; kind++) {
        struct executors x;
        print_message("%s\n", executors_name(kind));
        executors_begin(&x, kind, 3);
        const int own = threads_now();
        use_array(items, &x);
        assert_true(executors_submitted(&x) > 0);
        assert_int_equal(threads_now(), own); // no thread of the library
        executors_run_kept(&x); // of calls that have returned
        executors_end(&x);
    }
    free(items);
}

struct user {
    pthread_t thread;
    const int32_t *items;
    struct executors *x;
};

static void *
use(void *argument)
{
    const struct user *const u = argument;
    tess_array *const a = array_of(u->items, u->x);
    for (int i = 0; i < 3; i++)
        check_reads(a, u->items);
    ok(tess_array_close(a, err));
    return NULL;
}

static void
users_share(void **state)
{
    int32_t *const items = draw_items();
    struct user users[USERS];
    struct executors x;
    (void)state;
    executors_begin(&x, EXECUTORS_POOL, 3);
    for (int i = 0; i < USERS; i++) {
        users[i] = (struct user){.items = items, .x = &x};
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
    for (int i = 0; i < USERS; i++)
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
    executors_end(&x);
    free(items);
}

// A work of the program's own that calls the library: on the threads that would have to help.
struct own_call {
    const tess_array *a;
    const int32_t *items;
    atomic_int done;
};

static void
read_as_work(void *work)
{
    struct own_call *const c = work;
    check_reads(c->a, c->items);
    atomic_fetch_add(&c->done, 1);
}

static void
calls_of_pool_threads(void **state)
{
    int32_t *const items = draw_items();
    struct executors x;
    (void)state;
    executors_begin(&x, EXECUTORS_POOL, 3);
    tess_array *const a = array_of(items, &x);
    struct own_call c = {.a = a, .items = items};
    for (int i = 0; i < 12; i++)
        assert_true(x.executor.submit(read_as_work, &c, x.executor.user));
    while (atomic_load(&c.done) < 12)
        executors_run_kept(&x);
    ok(tess_array_close(a, err));
    executors_end(&x);
    free(items);
}

// A view works with the executor that its base has by then, also if it was made before, and without
// once that is taken away.
static void
views_follow_their_base(void **state)
{
    enum { BOXES = 40, SIDE = 300 };
    static const int64_t shape[2] = {SIDE, SIDE};
    const size_t size = BOXES * SIDE * SIDE * sizeof(int32_t);
    int64_t starts[BOXES][2];
    int32_t *const items = draw_items(), *const boxes = malloc(size);
    tess_array *const a = array_of(items, NULL);
    tess_array *early = NULL, *late = NULL;
    tess_context context;
    tess_boxes_options past;
    struct executors x;
    (void)state;
    assert_non_null(boxes);
    for (int i = 0; i < BOXES; i++) // some of them past the edges
        starts[i][0] = starts[i][1] = 13 * i - SIDE / 2;
    tess_boxes_options_init(&past);
    past.edge = TESS_EDGE_NEAREST;
    ok(tess_array_view_read_only(a, &early, err));
    executors_begin(&x, EXECUTORS_POOL, 3);
    tess_array_get_context(a, &context);
    context.threads = 4;
    context.executor = &x.executor;
    ok(tess_array_set_context(a, &context, err));
    ok(tess_array_view_read_only(a, &late, err));
    tess_array_get_context(early, &context);
    assert_int_equal(context.threads, 4);
    assert_true(context.executor && context.executor->user == x.executor.user);
    ok(tess_array_get_boxes(early, BOXES, starts[0], shape, &past, boxes, size, err));
    const int submitted = executors_submitted(&x);
    assert_true(submitted > 0);

    ok(tess_array_set_context(a, NULL, err));
    tess_array_get_context(late, &context);
    assert_null(context.executor);
    ok(tess_array_get_boxes(late, BOXES, starts[0], shape, &past, boxes, size, err));
    assert_int_equal(executors_submitted(&x), submitted);
    executors_end(&x);
    ok(tess_array_close(early, err));
    ok(tess_array_close(late, err));
    ok(tess_array_close(a, err));
    free(boxes);
    free(items);
}

static void
refused_executors(void **state)
{
    struct executors x;
    tess_executor bad;
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    (void)state;
    executors_begin(&x, EXECUTORS_DROP, 3);
    tess_context_init(&context);
    assert_null(context.executor);
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = 3;
    context.executor = &bad;
    tess_executor_init(&bad);
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err)); // no submit
    bad = x.executor;
    bad.threads = -1;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    bad = x.executor;
    bad.struct_size = 3;
    refused(TESS_ERR_ARG, tess_array_zeros(&storage, &params, &a, err));
    bad = x.executor;
    ok(tess_array_zeros(&storage, &params, &a, err));
    memset(&bad, 0, sizeof bad); // it was copied
    assert_int_equal(tess_array_close(a, NULL), TESS_OK);
    executors_end(&x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sorts),
        cmocka_unit_test(users_share),
        cmocka_unit_test(calls_of_pool_threads),
        cmocka_unit_test(views_follow_their_base),
        cmocka_unit_test(refused_executors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
