/*
 * tess_layout_verdict.c - when a layout counts as better than the present one: by figures alone.
 */
#include "layout/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *reason;
    double best, present; // seconds
    int best_rounds, present_rounds;
    double best_ratio, present_ratio;
    enum verdict verdict;
} cases[] = {
    {"twice as fast", 1, 2, 9, 9, 4, 4, VERDICT_BETTER},
    {"the same time", 1, 1, 9, 9, 4, 4, VERDICT_SAME},
    {"a twentieth faster, measured often", 0.95, 1, 9, 9, 4, 4, VERDICT_SAME},
    {"a tenth faster, measured often", 0.9, 1, 9, 9, 4, 4, VERDICT_BETTER},
    {"a tenth faster, measured once", 0.9, 1, 1, 1, 4, 4, VERDICT_SAME},
    {"the one measured less counts", 0.9, 1, 100, 1, 4, 4, VERDICT_SAME},
    {"a fifth faster, measured once", 0.8, 1, 1, 1, 4, 4, VERDICT_BETTER},
    {"not measured again", 0.9, 1, 0, 0, 4, 4, VERDICT_SAME},
    {"slower, as another rank had it", 1.1, 1, 9, 9, 4, 4, VERDICT_SAME},
    {"as fast, and smaller", 1, 1, 9, 9, 4, 3, VERDICT_BETTER},
    {"as fast, and a little smaller", 1, 1, 9, 9, 4, 3.9, VERDICT_SAME},
    {"as fast, and larger", 1, 1, 9, 9, 3, 4, VERDICT_SAME},
    {"no time at all", 0, 0, 9, 9, 4, 4, VERDICT_SAME},
};

static void
test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tess_layout_result best = {
            .seconds = cases[i].best, .rounds = cases[i].best_rounds, .ratio = cases[i].best_ratio};
        const tess_layout_result present = {.seconds = cases[i].present,
                                            .rounds = cases[i].present_rounds,
                                            .ratio = cases[i].present_ratio};

        if (verdict_of(&best, &present) != cases[i].verdict)
            fail_msg("%s: %d", cases[i].reason, (int)verdict_of(&best, &present));
        assert_int_equal(verdict_of(&best, &best), VERDICT_PRESENT);
    }
}

static void
test_noise(void **state)
{
    (void)state;
    for (int rounds = 1; rounds < 100; rounds++)
        assert_true(verdict_noise(rounds) > verdict_noise(rounds + 1));
    assert_true(verdict_noise(-1) == verdict_noise(1));
    assert_true(verdict_noise(1000000) > 0.02);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
