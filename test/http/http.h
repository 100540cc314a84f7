/*
 * http.h - what the tests of lib/http include, all of them.
 */
#ifndef TEST_HTTP_HTTP_H
#define TEST_HTTP_HTTP_H

#include <tessera/error.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// NULL and NULL are equal, too.
#define assert_text(have, want)                                  \
    do {                                                         \
        const char *const have_ = (have), *const want_ = (want); \
        assert_int_equal(have_ == NULL, want_ == NULL);          \
        if (have_ && want_)                                      \
            assert_string_equal(have_, want_);                   \
    } while (0)

// The same, and frees what it was given.
#define assert_text_free(have, want) \
    do {                             \
        char *const text_ = (have);  \
        assert_text(text_, want);    \
        free(text_);                 \
    } while (0)

#endif
