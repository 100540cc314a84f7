/*
 * compat.h - what tests of the interfaces of c-blosc2 and Caterva begin with.
 */
#ifndef TEST_COMPAT_COMPAT_H
#define TEST_COMPAT_COMPAT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// Both headers have a function of this name.
#define print_error cmocka_print_error
#include <cmocka.h>
#undef print_error

#include <b2nd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

// A result that is no failure.
#define assert_good(expr)                                                 \
    do {                                                                  \
        const int64_t result_ = (expr);                                   \
        if (result_ < 0)                                                  \
            fail_msg("%s: %s", #expr, blosc2_error_string((int)result_)); \
    } while (0)

#endif
