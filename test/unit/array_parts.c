/*
 * array_parts.c - tests of array/iterate/parts: the blocks and chunks of random boxes, of arrays
 * and of views, each item once; constants; runs of a few chunks; users that stop or fail.
 */
#include "array/iterate/parts.h"

#include "base/error.h"
#include "unit/grid_kit.h"

enum { ROUNDS = 150 };

struct user {
    const struct kit *k;
    int64_t first[TESS_MAX_NDIM]; // item 0 of the view in the array, and its steps
    int64_t step[TESS_MAX_NDIM];
    const int64_t *start, *stop;
    atomic_int *seen; // per item of the array
    atomic_llong parts, constants; // items that came as
    atomic_llong finished; // as tallies of grains say
    atomic_int dropped;
    int64_t fails_at; // items; 0: never
};

static tess_status
user_part(void *self, void *tally, const tess_part *part, tess_error *err)
{
    struct user *const u = self;
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    int64_t index[TESS_MAX_NDIM] = {0}, n = 0;

    do {
        int64_t item[TESS_MAX_NDIM], number = 0;
        const uint8_t *at = part->items;

        for (int i = 0; i < part->ndim; i++) {
            const int64_t in_view = part->start[i] + index[i];

            assert_true(in_view >= u->start[i] && in_view < u->stop[i]);
            item[i] = u->first[i] + in_view * u->step[i];
            at += index[i] * part->strides[i];
            number = number * u->k->ref.shape[i] + item[i];
        }
        assert_memory_equal(at, kit_item(u->k, item), u->k->ref.typesize);
        atomic_fetch_add(&u->seen[number], 1);
        n++;
    } while (kit_next(part->ndim, zeros, part->shape, index));
    *(int64_t *)tally += n;
    if (atomic_fetch_add(&u->parts, n) + n >= u->fails_at && u->fails_at > 0)
        return err_set(err, TESS_ERR_LIMIT, -1, "enough items");
    return TESS_OK;
}

static void
user_constant(void *self, void *tally, const uint8_t *item, int64_t nitems)
{
    struct user *const u = self;

    (void)item;
    *(int64_t *)tally += nitems;
    atomic_fetch_add(&u->constants, nitems);
}

static tess_status
user_finish(void *self, void *tally, tess_error *err)
{
    (void)err;
    atomic_fetch_add(&((struct user *)self)->finished, *(int64_t *)tally);
    return TESS_OK;
}

static void
user_drop(void *self, void *tally)
{
    (void)tally;
    atomic_fetch_add(&((struct user *)self)->dropped, 1);
}

// All parts of a box; most: bytes of a run.
static tess_status
run(struct user *u, const tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
    bool constants, int64_t most, tess_error *err)
{
    const struct parts_user user = {.self = u,
                                    .part = user_part,
                                    .constant = constants ? user_constant : NULL,
                                    .finish = user_finish,
                                    .drop = user_drop,
                                    .slow = true};
    tess_status st = TESS_OK;
    struct parts p;

    u->start = start;
    u->stop = stop;
    u->seen = calloc((size_t)reference_nitems(u->k->ref.ndim, u->k->ref.shape), sizeof *u->seen);
    assert_non_null(u->seen);
    parts_begin(&p, a, unit, start, stop);
    do
        st = parts_run(&p, &user, most, NULL, err);
    while (st == TESS_OK && p.more);
    parts_finish(&p);
    return st;
}

static void
check_seen(const struct user *u, int64_t nitems)
{
    int64_t seen = 0;

    for (int64_t i = 0; i < reference_nitems(u->k->ref.ndim, u->k->ref.shape); i++) {
        assert_in_range(atomic_load(&u->seen[i]), 0, 1);
        seen += atomic_load(&u->seen[i]);
    }
    assert_int_equal(seen, atomic_load(&u->parts));
    assert_int_equal(atomic_load(&u->parts) + atomic_load(&u->constants), nitems);
    assert_int_equal(atomic_load(&u->finished), nitems);
    assert_true(atomic_load(&u->dropped) > 0);
}

static void
test_parts(void **state)
{
    struct random r;
    int64_t constants = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 4000); n > 0; n--) {
        const tess_unit unit = random_below(&r, 2) ? TESS_BLOCKS : TESS_CHUNKS;
        const int64_t most = random_below(&r, 2) ? INT64_MAX : 1 + (int64_t)random_below(&r, 5000);
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
        struct user u = {0};
        struct kit k;

        kit_begin(&r, &k, random_below(&r, 2) ? 1 << 20 : 0);
        u.k = &k;
        for (int i = 0; i < k.ref.ndim; i++)
            u.step[i] = 1;
        kit_random_box(&r, &k, start, stop);
        assert_int_equal(run(&u, k.a, unit, start, stop, random_below(&r, 2), most, NULL), TESS_OK);
        check_seen(&u, reference_box_nitems(k.ref.ndim, start, stop));
        constants += atomic_load(&u.constants);
        free(u.seen);
        kit_end(&k);
    }
    assert_true(constants > 0);
}

// Parts of a view are boxes of its own indices.
static void
test_views(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
        int64_t shape[TESS_MAX_NDIM];
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        tess_array *view = NULL;
        struct user u = {0};
        struct kit k;

        kit_begin(&r, &k, 0);
        u.k = &k;
        kit_random_box(&r, &k, start, stop);
        for (int i = 0; i < k.ref.ndim; i++) {
            const bool back = random_below(&r, 2);

            step[i] = 1 + (int64_t)random_below(&r, 3);
            shape[i] = (stop[i] - start[i] - 1) / step[i] + 1;
            u.first[i] = back ? start[i] + (shape[i] - 1) * step[i] : start[i];
            u.step[i] = back ? -step[i] : step[i];
            start[i] = u.first[i];
            stop[i] = u.first[i] + (shape[i] - 1) * u.step[i] + (back ? -1 : 1);
            step[i] = u.step[i];
        }
        assert_int_equal(tess_array_view_slice(k.a, start, stop, step, &view, NULL), TESS_OK);
        assert_int_equal(run(&u, view, TESS_BLOCKS, zeros, shape, false, INT64_MAX, NULL), TESS_OK);
        check_seen(&u, reference_nitems(k.ref.ndim, shape));
        free(u.seen);
        tess_array_discard(view);
        kit_end(&k);
    }
}

// The first failure ends it; no part comes twice.
static void
test_failing(void **state)
{
    struct random r;
    int failures = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 2000); n > 0; n--) {
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        struct user u = {0};
        tess_error err;
        struct kit k;

        kit_begin(&r, &k, 0);
        u.k = &k;
        for (int i = 0; i < k.ref.ndim; i++)
            u.step[i] = 1;
        const int64_t nitems = reference_nitems(k.ref.ndim, k.ref.shape);
        u.fails_at = 1 + (int64_t)random_below(&r, (uint64_t)nitems);
        const tess_status st =
            run(&u, k.a, TESS_BLOCKS, zeros, k.ref.shape, false, INT64_MAX, &err);
        assert_int_equal(st, TESS_ERR_LIMIT); // at the last item at the latest
        assert_string_equal(err.message, "enough items");
        failures++;
        for (int64_t i = 0; i < nitems; i++)
            assert_in_range(atomic_load(&u.seen[i]), 0, 1);
        free(u.seen);
        kit_end(&k);
    }
    assert_true(failures > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_failing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
