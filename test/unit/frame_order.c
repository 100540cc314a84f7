/*
 * frame_order.c - tests of frame/order: which stored chunk stands behind another one.
 */
#include "frame/format/index.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PLACES = 200 };

// The slow way: the least entry above.
static int64_t
above(const struct frame_index *list, int64_t entry)
{
    int64_t least = ORDER_LAST;
    for (int64_t i = 0; i < list->nchunks; i++) {
        const int64_t e = index_get(list, i);
        if (e > entry && (least == ORDER_LAST || e < least))
            least = e;
    }
    return least;
}

// Stored chunks in `n` places, one of `every` on average, in the order of the list or in any other.
static void
draw_list(struct frame_index *list, struct random *r, int64_t n, uint64_t every, bool ascending)
{
    int64_t entry = 0;
    index_init_uniform(list, n, SPECIAL_ZEROS);
    for (int64_t i = 0; i < n; i++) {
        if (random_below(r, every) > 0)
            continue;
        entry = ascending ? entry + 1 + (int64_t)random_below(r, 1000)
                          : (int64_t)random_below(r, 1000000);
        assert_int_equal(index_set(list, i, entry, NULL), TESS_OK);
    }
}

// What was learned tells the chunk behind each of them.
static void
all_are_known(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t left = random_cases(200, 20000); left > 0; left--) {
        const bool ascending = random_below(&r, 2);
        struct frame_index list = {0};
        struct order order = {0};
        draw_list(&list, &r, 1 + (int64_t)random_below(&r, PLACES), 1 + random_below(&r, 60),
                  ascending);
        order_learn(&order, &list);
        for (int64_t i = 0; i < list.nchunks; i++) {
            const int64_t entry = index_get(&list, i);
            if (entry >= 0)
                assert_int_equal(order_behind(&order, &list, i, entry), above(&list, entry));
        }
        order_finish(&order);
        index_finish(&list);
    }
}

// A list that tells takes no memory; of one that does not, and was not learned, nothing wrong is
// said.
static void
lists_alone(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 100; i++) {
        static const struct order none = {0};
        struct frame_index list = {0};
        struct order order = {0};
        draw_list(&list, &r, PLACES, 1, i % 2);
        order_learn(&order, &list);
        assert_int_equal(order.entries == NULL, i % 2);
        for (int64_t n = 0; n < list.nchunks; n++) {
            const int64_t entry = index_get(&list, n);
            const int64_t behind = order_behind(&none, &list, n, entry);
            assert_true(n == list.nchunks - 1 ? behind == ORDER_LAST
                                              : behind == ORDER_UNKNOWN || behind > entry);
        }
        order_finish(&order);
        index_finish(&list);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_known),
        cmocka_unit_test(lists_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
