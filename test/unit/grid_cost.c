/*
 * grid_cost.c - tests of grid/cost: what the estimates promise each other. The numbers themselves
 * are measured by bench.
 */
#include "grid/cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MANY = 1000000 };

// More bytes cost more; a codec costs more than a copy; level 0 is a copy; prices of a layout are
// the same in seconds.
static void
costs(void **state)
{
    int known = 0;
    (void)state;
    for (int id = 0; id < 256; id++) {
        const struct codec *const codec = codec_by_id(id);
        if (!codec)
            continue;
        known++;
        assert_true(cost_decode(codec, MANY) > cost_decode(NULL, MANY));
        assert_int_equal(cost_decode(codec, 3 * MANY), 3 * cost_decode(codec, MANY));
        assert_int_equal(cost_encode(codec, 0, MANY), cost_decode(NULL, MANY));
        const int64_t most = INT64_MAX / cost_decode(codec, 10) * 2; // a product would overflow
        assert_true(cost_decode(codec, most) > INT64_MAX / 6);
        for (int level = 0; level <= 9; level++) {
            const struct model m = cost_model(codec, level);
            const double encode = (double)cost_encode(codec, level, MANY);
            const double decode =
                (double)(level == 0 ? cost_decode(NULL, MANY) : cost_decode(codec, MANY));
            assert_int_equal(cost_encode(codec, level, 7 * MANY),
                             7 * cost_encode(codec, level, MANY));
            assert_true(fabs(m.encode * 1e9 * MANY - encode) < 1e-6 * encode);
            assert_true(fabs(m.decode * 1e9 * MANY - decode) < 1e-6 * decode);
            assert_true(m.block > 0 && m.threads == 1 && m.ratio == 1);
            if (level > 1)
                assert_true(cost_encode(codec, level, MANY) >= cost_encode(codec, level - 1, MANY));
            if (level > 0)
                assert_true(cost_encode(codec, level, MANY) > cost_encode(codec, 0, MANY));
        }
    }
    assert_true(known >= 5);
    assert_true(cost_decode(NULL, MANY) > 0);
    assert_int_equal(cost_decode(NULL, 0), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
