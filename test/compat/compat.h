/*
 * compat.h - what tests of the interfaces of c-blosc2 and Caterva begin with.
 */
#ifndef TEST_COMPAT_COMPAT_H
#define TEST_COMPAT_COMPAT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// cmocka has a function of this name, too, and calls it in macros.
#define print_error blosc2_print_error
#include <b2nd.h>
#undef print_error

#define COUNT(list) (sizeof(list) / sizeof *(list))

// A result that is no failure.
#define assert_good(expr)                                                 \
    do {                                                                  \
        const int64_t result_ = (expr);                                   \
        if (result_ < 0)                                                  \
            fail_msg("%s: %s", #expr, blosc2_error_string((int)result_)); \
    } while (0)

#endif
