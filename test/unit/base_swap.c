/*
 * base_swap.c - tests of swap_bytes: every word size, at odd addresses, byte by byte.
 */
#include "base/swap.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
words(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (size_t word = 1; word <= 33; word++)
        for (size_t n = 0; n <= 70; n++) {
            const size_t size = n * word, gap = 1 + n % 3;
            uint8_t *const before = malloc(size + 2 * gap), *const after = malloc(size + 2 * gap);
            assert_non_null(before);
            assert_non_null(after);
            random_bytes(&r, before, size + 2 * gap);
            memcpy(after, before, size + 2 * gap);
            swap_bytes(after + gap, size, word);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(after[gap + i],
                                 before[gap + i / word * word + word - 1 - i % word]);
            assert_memory_equal(after, before, gap);
            assert_memory_equal(after + gap + size, before + gap + size, gap);
            free(before);
            free(after);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
