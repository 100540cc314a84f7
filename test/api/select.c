/*
 * select.c - points and indices per axis, against the slow reference.
 *
 * Random arrays: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the number that
 * a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more. And the files
 * of other writers, where reading all says what the items are.
 */
#include "support/draw.h"
#include "support/exact.h"
#include "support/files.h"

#include <tessera.h>

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES_SHORT = 200,
    CASES_LONG = 30000,
    ROUNDS = 6, // of an array
    CHOSEN_MAX = 3000, // items of a selection
    THREADS = 4,
};

// What is chosen. A selection by axes has lists, one by points coordinates.
struct chosen {
    int64_t n; // items
    int64_t *coords; // n * ndim; of both kinds
    int64_t counts[TESS_MAX_NDIM];
    int64_t *lists[TESS_MAX_NDIM];
};

static const struct draw_limits limits = {
    .ndim = 8, .items = 4000, .bytes = 1200000, .chunks = 1000};

static uint64_t running; // the seed of the case

static void
chosen_finish(struct chosen *c)
{
    free(c->coords);
    for (int i = 0; i < TESS_MAX_NDIM; i++)
        free(c->lists[i]);
}

// Points anywhere, near each other, in order, or one again and again.
static void
draw_points(struct random *r, int ndim, const int64_t *shape, struct chosen *c)
{
    const int64_t style = below(r, 4), space = reference_nitems(ndim, shape);

    memset(c, 0, sizeof *c);
    c->n = space == 0 ? 0 : style == 3 ? 20 : below(r, 1 + below(r, CHOSEN_MAX));
    c->coords = exact_memory((size_t)(c->n * ndim) * sizeof *c->coords);
    for (int64_t k = 0; k < c->n; k++)
        for (int i = 0; i < ndim; i++)
            c->coords[k * ndim + i] = style == 0   ? below(r, shape[i])
                                      : style == 1 ? below(r, 1 + below(r, shape[i]))
                                      : style == 2 ? k * shape[i] / c->n
                                                   : shape[i] / 2;
}

// Runs, in order or not, single indices, nothing.
static void
draw_list(struct random *r, int64_t length, int64_t most, int64_t *list, int64_t *count)
{
    *count = length == 0 ? 0 : below(r, most + 1);
    int64_t at = 0;
    for (int64_t k = 0; k < *count; k++) {
        at = below(r, 3) && k > 0 ? (at + 1) % length : below(r, length);
        list[k] = at;
    }
}

static void
draw_lists(struct random *r, int ndim, const int64_t *shape, struct chosen *c)
{
    int64_t left = CHOSEN_MAX;

    memset(c, 0, sizeof *c);
    c->n = 1;
    for (int i = 0; i < ndim; i++) {
        const int64_t most = i == ndim - 1 || left < 40 ? left : 40;
        c->lists[i] = exact_memory((size_t)most * sizeof *c->lists[i]);
        draw_list(r, shape[i], most, c->lists[i], &c->counts[i]);
        if (c->counts[i] == 0 && shape[i] > 0 && below(r, 10)) // rarely nothing at all
            c->counts[i] = 1, c->lists[i][0] = below(r, shape[i]);
        c->n *= c->counts[i];
        left /= c->counts[i] > 0 ? c->counts[i] : 1;
    }
    c->coords = exact_memory((size_t)(c->n * ndim) * sizeof *c->coords);
    for (int64_t k = 0; k < c->n; k++) {
        int64_t rest = k;
        for (int i = ndim - 1; i >= 0; i--) {
            c->coords[k * ndim + i] = c->lists[i][rest % c->counts[i]];
            rest /= c->counts[i];
        }
    }
}

static uint8_t *
item_of(const struct reference *ref, const int64_t *coords)
{
    int64_t index = 0;
    for (int i = 0; i < ref->ndim; i++)
        index = index * ref->shape[i] + coords[i];
    return ref->data + (size_t)index * ref->typesize;
}

static tess_status
get(const tess_array *a, const struct chosen *c, bool lists, void *dst, size_t size,
    tess_error *err)
{
    return lists ? tess_array_get_orthogonal(a, c->counts, (const int64_t *const *)c->lists, dst,
                                             size, err)
                 : tess_array_get_points(a, c->n, c->coords, dst, size, err);
}

// One selection, drawn and read. Returns items that are wrong; *err tells of a failure.
static int64_t
get_once(struct random *r, const tess_array *a, const struct reference *ref, tess_error *err)
{
    const bool lists = below(r, 2);
    struct chosen c;
    int64_t wrong = 0;

    (lists ? draw_lists : draw_points)(r, ref->ndim, ref->shape, &c);
    const size_t ts = ref->typesize, size = (size_t)c.n * ts;
    uint8_t *const got = exact_memory(size);
    memset(got, 0x5a, size);
    if (get(a, &c, lists, got, size, err) == TESS_OK)
        for (int64_t k = 0; k < c.n; k++)
            wrong += memcmp(got + (size_t)k * ts, item_of(ref, c.coords + k * ref->ndim), ts) != 0;
    free(got);
    chosen_finish(&c);
    return wrong;
}

// One selection, drawn and set, in the reference item by item.
static void
set_once(struct random *r, tess_array *a, struct reference *ref)
{
    const bool lists = below(r, 2);
    struct chosen c;

    (lists ? draw_lists : draw_points)(r, ref->ndim, ref->shape, &c);
    const size_t ts = ref->typesize, size = (size_t)c.n * ts;
    uint8_t *const items = exact_memory(size);
    draw_items(r, items, c.n, ts);
    if (lists)
        ok(tess_array_set_orthogonal(a, c.counts, (const int64_t *const *)c.lists, items, size,
                                     err));
    else
        ok(tess_array_set_points(a, c.n, c.coords, items, size, err));
    for (int64_t k = 0; k < c.n; k++)
        memcpy(item_of(ref, c.coords + k * ref->ndim), items + (size_t)k * ts, ts);
    free(items);
    chosen_finish(&c);
}

static void
check_gets(struct random *r, const tess_array *a, const struct reference *ref, int rounds,
           const char *what)
{
    for (int i = 0; i < rounds; i++) {
        tess_error error = {0};
        const int64_t wrong = get_once(r, a, ref, &error);
        if (error.status != TESS_OK)
            fail_msg("%s, seed %" PRIu64 ": %s", what, running, error.message);
        if (wrong > 0)
            fail_msg("%s, seed %" PRIu64 ": %" PRId64 " items are wrong", what, running, wrong);
    }
}

// -- random arrays

static void
live(struct random *r)
{
    tess_params p;
    tess_storage storage;
    tess_context context;
    struct reference ref;

    draw_params(r, &limits, NULL, &p);
    draw_context(r, &context);
    draw_place(r, "select", &context, &p, &storage);
    tess_array *a = draw_create(r, &storage, &p, &ref);
    for (int i = 0; i < 3; i++) {
        check_gets(r, a, &ref, ROUNDS, "random array");
        draw_change(r, a, &ref); // may wait in the cache
        check_gets(r, a, &ref, 2, "random array");
        for (int k = 0; k < 2; k++)
            set_once(r, a, &ref);
        check_array(a, &ref);
    }
    if (storage.path) {
        ok(tess_array_close(a, err));
        check_file(storage.path, &ref);
        storage.mode = TESS_MODE_READ;
        storage.mmap = below(r, 2);
        ok(tess_array_open(&storage, &a, err));
    }
    check_gets(r, a, &ref, ROUNDS, "random array");
    ok(tess_array_close(a, err));
    reference_finish(&ref);
}

static void
random_arrays(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        live(&r);
    }
}

// -- files of other writers

static void
check_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    struct random r;
    (void)user;
    random_init(&r, running);
    check_gets(&r, a, ref, 20, name);
}

static void
golden_files(void **state)
{
    (void)state;
    running = random_seed();
    check_golden_files(check_golden, NULL);
}

// -- many threads

struct reader {
    pthread_t thread;
    struct random random;
    const tess_array *a;
    const struct reference *ref;
    tess_error error;
    int64_t wrong;
};

static void *
read_selections(void *argument)
{
    struct reader *const r = argument;
    for (int i = 0; i < 40 && r->error.status == TESS_OK; i++)
        r->wrong += get_once(&r->random, r->a, r->ref, &r->error);
    return NULL;
}

static void
readers(void **state)
{
    const uint64_t seed = random_seed();
    struct reader all[THREADS] = {0};
    struct reference ref;
    struct random r;
    tess_params p;
    tess_storage storage;
    tess_array *a;

    (void)state;
    random_init(&r, seed);
    tess_params_init(&p);
    p.dtype = "<u4";
    p.ndim = 3;
    for (int i = 0; i < 3; i++) {
        p.shape[i] = 40 + i;
        p.chunkshape[i] = 16;
        p.blockshape[i] = 5;
    }
    reference_init(&ref, 3, p.shape, 4);
    draw_items(&r, ref.data, reference_nitems(3, p.shape), 4);
    tess_storage_init(&storage);
    storage.mode = TESS_MODE_REPLACE;
    ok(tess_array_from(&storage, &p, ref.data, reference_size(&ref), &a, err));
    for (int i = 0; i < THREADS; i++) {
        random_init(&all[i].random, seed + 1 + (uint64_t)i);
        all[i].a = a;
        all[i].ref = &ref;
        assert_int_equal(pthread_create(&all[i].thread, NULL, read_selections, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        if (all[i].error.status != TESS_OK)
            fail_msg("thread %d: %s", i, all[i].error.message);
        assert_int_equal(all[i].wrong, 0);
    }
    ok(tess_array_close(a, err));
    reference_finish(&ref);
}

// -- many points

static void
million_points(void **state)
{
    enum { SIDE = 300, POINTS = 1000000 };
    const int64_t origin[] = {0, 0};
    uint32_t *const items = exact_memory(SIDE * SIDE * sizeof *items);
    uint32_t *const got = exact_memory(POINTS * sizeof *got);
    int64_t *const coords = exact_memory(POINTS * 2 * sizeof *coords);
    struct random r;
    tess_params p;
    tess_storage storage;
    tess_array *a;

    (void)state;
    random_init(&r, random_seed());
    tess_params_init(&p);
    p.dtype = "<u4";
    p.ndim = 2;
    p.shape[0] = p.shape[1] = SIDE;
    p.chunkshape[0] = p.chunkshape[1] = 64;
    p.blockshape[0] = p.blockshape[1] = 16;
    for (uint32_t k = 0; k < SIDE * SIDE; k++)
        items[k] = k * k;
    tess_storage_init(&storage);
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_write(a, origin, p.shape, items, SIDE * SIDE * sizeof *items, err));
    for (int64_t k = 0; k < 2 * POINTS; k++)
        coords[k] = below(&r, SIDE);
    ok(tess_array_get_points(a, POINTS, coords, got, POINTS * sizeof *got, err));
    for (int64_t k = 0; k < POINTS; k++)
        assert_int_equal(got[k], items[coords[2 * k] * SIDE + coords[2 * k + 1]]);
    ok(tess_array_close(a, err));
    free(items);
    free(got);
    free(coords);
}

// -- arguments

static tess_array *
small_array(int ndim)
{
    static const int32_t item = 5;
    tess_params p;
    tess_storage storage;
    tess_array *a;

    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = ndim;
    for (int i = 0; i < ndim; i++)
        p.shape[i] = 4 + i;
    tess_storage_init(&storage);
    ok(tess_array_full(&storage, &p, &item, sizeof item, &a, err));
    return a;
}

// Nothing was set.
static void
check_fives(const tess_array *a)
{
    const int64_t shape[] = {4, 5};
    const int32_t item = 5;
    struct reference ref;

    reference_init(&ref, 2, shape, sizeof item);
    reference_fill(&ref, &item);
    check_array(a, &ref);
    reference_finish(&ref);
}

static void
bad_points(void **state)
{
    static const struct {
        int64_t coords[6];
        const char *sentence;
    } outside[] = {
        {{0, 0, 3, 4, -1, 0}, "point 2 has index -1 on axis 0 of 4"},
        {{0, 0, 3, 5, 0, 0}, "point 1 has index 5 on axis 1 of 5"},
        {{4, 0, 3, 4, 0, 0}, "point 0 has index 4 on axis 0 of 4"},
        {{0, 0, 3, 4, 0, INT64_MIN}, "point 2 has index -9223372036854775808 on axis 1 of 5"},
    };
    static const int64_t inside[6] = {0};
    tess_array *const a = small_array(2);
    int32_t dst[3] = {1, 2, 3};
    tess_error error;

    (void)state;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_int_equal(tess_array_get_points(a, 3, outside[i].coords, dst, sizeof dst, &error),
                         TESS_ERR_ARG);
        assert_string_equal(error.message, outside[i].sentence);
        assert_true(dst[0] == 1 && dst[1] == 2 && dst[2] == 3);
    }
    refused(TESS_ERR_ARG, tess_array_get_points(NULL, 1, inside, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_points(a, -1, inside, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_points(a, 1, NULL, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_points(a, 1, inside, NULL, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_points(a, 3, inside, dst, sizeof dst - 1, err));
    refused(TESS_ERR_ARG, tess_array_get_points(a, INT64_MAX, inside, dst, sizeof dst, err));
    ok(tess_array_get_points(a, 0, NULL, NULL, 0, err));

    assert_int_equal(tess_array_set_points(a, 3, outside[0].coords, dst, sizeof dst, &error),
                     TESS_ERR_ARG);
    assert_string_equal(error.message, outside[0].sentence);
    refused(TESS_ERR_ARG, tess_array_set_points(NULL, 1, inside, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_set_points(a, 3, inside, dst, sizeof dst - 1, err));
    ok(tess_array_set_points(a, 0, NULL, NULL, 0, err));
    check_fives(a);
    ok(tess_array_close(a, err));
}

static void
bad_lists(void **state)
{
    static const int64_t few[] = {3, 0}, wrong[] = {1, 5}, negative[] = {-1, 0};
    const int64_t two[] = {2, 2}, none[] = {2, 0}, less[] = {-1, 2};
    const int64_t *const good[] = {few, few}, *const high[] = {few, wrong};
    const int64_t *const low[] = {negative, few}, *const missing[] = {few, NULL};
    tess_array *const a = small_array(2);
    int32_t dst[4] = {1, 2, 3, 4};
    tess_error error;

    (void)state;
    assert_int_equal(tess_array_get_orthogonal(a, two, high, dst, sizeof dst, &error),
                     TESS_ERR_ARG);
    assert_string_equal(error.message, "index 1 of the list for axis 1 is 5, the axis has 5");
    assert_int_equal(tess_array_get_orthogonal(a, none, low, dst, sizeof dst, &error),
                     TESS_ERR_ARG);
    assert_string_equal(error.message, "index 0 of the list for axis 0 is -1, the axis has 4");
    assert_true(dst[0] == 1 && dst[1] == 2 && dst[2] == 3 && dst[3] == 4);
    refused(TESS_ERR_ARG, tess_array_get_orthogonal(NULL, two, good, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_orthogonal(a, NULL, good, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_orthogonal(a, two, NULL, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_orthogonal(a, two, missing, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_orthogonal(a, less, good, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_orthogonal(a, two, good, NULL, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_get_orthogonal(a, two, good, dst, sizeof dst - 1, err));
    ok(tess_array_get_orthogonal(a, none, missing, NULL, 0, err));

    refused(TESS_ERR_ARG, tess_array_set_orthogonal(a, two, high, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_set_orthogonal(NULL, two, good, dst, sizeof dst, err));
    refused(TESS_ERR_ARG, tess_array_set_orthogonal(a, two, good, dst, sizeof dst - 1, err));
    ok(tess_array_set_orthogonal(a, none, missing, NULL, 0, err));
    check_fives(a);
    ok(tess_array_close(a, err));
}

static void
no_axes(void **state)
{
    tess_array *const a = small_array(0);
    int32_t dst[3] = {0};

    (void)state;
    ok(tess_array_get_points(a, 3, NULL, dst, sizeof dst, err));
    assert_true(dst[0] == 5 && dst[1] == 5 && dst[2] == 5);
    dst[0] = 0;
    ok(tess_array_get_orthogonal(a, NULL, NULL, dst, sizeof dst, err));
    assert_int_equal(dst[0], 5);

    const int32_t values[] = {6, 7, 8};
    ok(tess_array_set_points(a, 3, NULL, values, sizeof values, err));
    ok(tess_array_get_points(a, 1, NULL, dst, sizeof dst, err));
    assert_int_equal(dst[0], 8);
    ok(tess_array_set_orthogonal(a, NULL, NULL, values, sizeof values, err));
    ok(tess_array_get_points(a, 1, NULL, dst, sizeof dst, err));
    assert_int_equal(dst[0], 6);
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_arrays, files_setup, files_teardown),
        cmocka_unit_test(golden_files),
        cmocka_unit_test(readers),
        cmocka_unit_test(million_points),
        cmocka_unit_test(bad_points),
        cmocka_unit_test(bad_lists),
        cmocka_unit_test(no_axes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
