/*
 * tess_data_box_walk.c - walks and strided copies against the obvious, on random shapes.
 */
#include "data/box_walk.h"
#include "data/strided.h"
#include "ndcopy/ndcopy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

struct random_plan {
    int64_t shape[TESS_MAX_NDIM], grain[TESS_MAX_NDIM], skew[TESS_MAX_NDIM], most[TESS_MAX_NDIM];
    int64_t nitems;
    struct box_walk_plan plan;
};

static bool
is_stream(enum box_walk_order order)
{
    return order == BOX_WALK_STREAM || order == BOX_WALK_STREAM_FORTRAN;
}

static void
make_plan(struct random_plan *r)
{
    const int ndim = rand() % 5;
    const enum box_walk_order order = (enum box_walk_order)(rand() % 4);

    r->nitems = 1;
    for (int i = 0; i < ndim; i++) {
        r->shape[i] = rand() % 40 == 0 ? 0 : 1 + rand() % 9;
        r->grain[i] = 1 + rand() % 4;
        r->skew[i] = rand() % r->grain[i];
        r->most[i] = 1 + rand() % 12;
        r->nitems *= r->shape[i];
    }
    r->plan = (struct box_walk_plan){.ndim = ndim,
                                     .shape = r->shape,
                                     .grain = r->grain,
                                     .skew = rand() % 2 ? r->skew : NULL,
                                     .most = !is_stream(order) && rand() % 2 ? r->most : NULL,
                                     .max_items = rand() % 300,
                                     .order = order};
}

// Position of an item in an array of that shape, in the order of the walk.
static int64_t
position(const struct box_walk *w, const int64_t *shape, const int64_t *index)
{
    int64_t n = 0;

    for (int i = 0; i < w->ndim; i++) {
        const int axis = w->order == BOX_WALK_STREAM_FORTRAN ? w->ndim - 1 - i : i;

        n = n * shape[axis] + index[axis];
    }
    return n;
}

// Counts the items of the current box in `seen`; returns the position of the first and how many.
static int64_t
visit(const struct random_plan *r, const struct box_walk *w, unsigned char *seen, int64_t *first,
      int64_t *last)
{
    int64_t index[TESS_MAX_NDIM], n = 0;

    memcpy(index, w->start, sizeof index);
    *first = position(w, r->shape, index);
    for (;;) {
        int i = w->ndim - 1;

        *last = position(w, r->shape, index);
        assert_true(*last < r->nitems);
        seen[*last]++;
        n++;
        while (i >= 0 && ++index[i] == w->stop[i]) {
            index[i] = w->start[i];
            i--;
        }
        if (i < 0)
            return n;
    }
}

static void
check_box(const struct random_plan *r, const struct box_walk *w)
{
    bool one_grain = true;

    for (int i = 0; i < w->ndim; i++) {
        const int64_t extent = w->stop[i] - w->start[i];

        assert_true(0 <= w->start[i] && extent > 0 && w->stop[i] <= r->shape[i]);
        assert_true(!r->plan.most || extent <= r->most[i]);
        one_grain = one_grain && extent <= r->grain[i];
    }
    assert_true(w->items <= w->box_items);
    if (is_stream(w->order))
        assert_true(w->items <= r->plan.max_items || w->items == 1);
    else
        assert_true(w->items <= r->plan.max_items || one_grain);
}

static void
test_walk(void **state)
{
    const unsigned seed = (unsigned)time(NULL);

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    for (int round = 0; round < 20000; round++) {
        unsigned char seen[9 * 9 * 9 * 9] = {0};
        int64_t next = 0, nitems = 0;
        struct random_plan r;
        struct box_walk w;

        make_plan(&r);
        box_walk_init(&w, &r.plan);
        while (box_walk_step(&w)) {
            int64_t first = 0, last = 0;

            check_box(&r, &w);
            assert_int_equal(visit(&r, &w, seen, &first, &last), w.items);
            if (is_stream(w.order)) { // no gap before the box, none inside
                assert_int_equal(first, next);
                assert_int_equal(last - first + 1, w.items);
                next = last + 1;
            }
            nitems += w.items;
        }
        assert_false(box_walk_step(&w));
        assert_int_equal(nitems, r.nitems);
        for (int64_t i = 0; i < nitems; i++)
            assert_int_equal(seen[i], 1);
    }
}

// Whole chunks wherever a chunk fits.
static void
test_borders(void **state)
{
    static const int64_t shape[] = {1000, 1000}, grain[] = {100, 100}, skew[] = {30, 0};
    struct box_walk_plan plan = {.ndim = 2, .shape = shape, .grain = grain, .max_items = 250000};
    struct box_walk w;

    (void)state;
    box_walk_init(&w, &plan);
    assert_true(box_walk_step(&w));
    assert_int_equal(w.stop[0], 200);
    assert_int_equal(w.stop[1], 1000);

    plan.skew = skew;
    box_walk_init(&w, &plan);
    assert_true(box_walk_step(&w));
    assert_int_equal(w.stop[0], 170);
    assert_true(box_walk_step(&w));
    assert_int_equal(w.stop[0], 370);

    plan.max_items = 50000;
    plan.order = BOX_WALK_FORTRAN;
    box_walk_init(&w, &plan);
    assert_true(box_walk_step(&w));
    assert_int_equal(w.stop[0], 470);
    assert_int_equal(w.stop[1], 100);
    assert_true(box_walk_step(&w));
    assert_int_equal(w.start[0], 470);
    assert_int_equal(w.start[1], 0);
}

// Shapes whose items cannot be counted.
static void
test_huge(void **state)
{
    static const int64_t shape[] = {INT64_MAX, INT64_MAX, INT64_MAX}, grain[] = {1000, 1000, 1000};
    const struct box_walk_plan plan = {
        .ndim = 3, .shape = shape, .grain = grain, .max_items = 5000000};
    struct box_walk w;

    (void)state;
    box_walk_init(&w, &plan);
    assert_int_equal(w.box_items, 1000000000);
    assert_true(box_walk_step(&w));
    assert_int_equal(w.items, 1000000000);
}

static void
test_strided(void **state)
{
    const unsigned seed = (unsigned)time(NULL);

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    for (int round = 0; round < 3000; round++) {
        const int ndim = rand() % 4;
        const size_t item_size = (size_t)(1 + rand() % 9);
        int64_t shape[3], permuted[3], dst_strides[3], src_strides[3], strides[3];
        int order[3] = {0, 1, 2};
        size_t size = item_size, reverse_offset = 0;

        for (int i = 0; i < ndim; i++) { // src has the axes in random order
            const int k = i + rand() % (ndim - i), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        for (int i = 0; i < ndim; i++) {
            shape[i] = rand() % 30 == 0 ? 0 : 1 + rand() % (ndim == 3 ? 12 : 80);
            size *= (size_t)shape[i];
        }
        for (int i = 0; i < ndim; i++)
            permuted[i] = shape[order[i]];
        strided_c_order(ndim, permuted, item_size, strides);
        for (int i = 0; i < ndim; i++)
            src_strides[order[i]] = strides[i];
        for (int i = 0; i < ndim; i++)
            if (rand() % 3 == 0 && size > 0) { // and some of them backwards
                reverse_offset += (size_t)((shape[i] - 1) * src_strides[i]);
                src_strides[i] = -src_strides[i];
            }
        strided_c_order(ndim, shape, item_size, dst_strides);

        uint8_t *src = malloc(size ? size : 1), *dst = calloc(1, size ? size : 1);
        assert_non_null(src);
        assert_non_null(dst);
        for (size_t i = 0; i < size; i++)
            src[i] = (uint8_t)rand();
        ndcopy(ndim, shape, (int64_t)item_size, dst, dst_strides, src + reverse_offset,
               src_strides);
        for (size_t n = 0; n < size; n++) {
            int64_t rest = (int64_t)(n / item_size), from = (int64_t)reverse_offset;

            for (int i = ndim - 1; i >= 0; i--) {
                from += rest % shape[i] * src_strides[i];
                rest /= shape[i];
            }
            assert_int_equal(dst[n], src[from + (int64_t)(n % item_size)]);
        }
        free(src);
        free(dst);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_strided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
