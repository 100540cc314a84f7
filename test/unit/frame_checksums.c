/*
 * frame_checksums.c - tests of frame/format/checksums: what its hashes leave in the CPU.
 */
#include "frame/format/checksums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__)
#include <cpuid.h>

// Whether the upper halves of the vector registers hold something: the state component AVX, of
// those in use. 0 where the CPU does not tell.
static unsigned
upper_halves(void)
{
    enum { XGETBV_IN_USE = 1 << 2, STATE_AVX = 1 << 2 };
    unsigned a = 0, b, c, d;

    if (!__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a & XGETBV_IN_USE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return a & STATE_AVX;
}
#else
static unsigned
upper_halves(void)
{
    return 0;
}
#endif

// SSE code of a program that is compiled without AVX runs several times slower otherwise.
static void
registers_left(void **state)
{
    enum { LONGEST = 1 << 17 };
    uint8_t *const bytes = malloc(LONGEST);

    (void)state;
    assert_non_null(bytes);
    memset(bytes, 3, LONGEST);
    for (size_t size = 1; size <= LONGEST; size *= 2) {
        (void)checksum_of(bytes, size);
        assert_int_equal(upper_halves(), 0);
    }
    free(bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
