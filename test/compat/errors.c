/*
 * errors.c - error codes have texts, and macros of programs leave functions with them.
 */
#include "compat/compat.h"

static void
each_code_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int code = 0; code >= BLOSC2_ERROR_LOCK; code--) {
        const char *const text = blosc2_error_string(code);
        assert_non_null(text);
        assert_string_not_equal(text, "Unknown error");
        assert_ptr_equal(blosc2_print_error(code), text);
        for (int other = code + 1; other <= 0; other++)
            assert_string_not_equal(text, blosc2_error_string(other));
    }
}

static void
other_numbers_are_unknown(void **state)
{
    static const int codes[] = {1, BLOSC2_ERROR_LOCK - 1, INT_MIN, INT_MAX};
    (void)state;
    for (size_t i = 0; i < COUNT(codes); i++)
        assert_string_equal(blosc2_error_string(codes[i]), "Unknown error");
}

static int
check(const char *pointer, int rc)
{
    BLOSC_ERROR_NULL(pointer, BLOSC2_ERROR_NULL_POINTER);
    BLOSC_ERROR(rc);
    return 1;
}

static void
macros_leave_a_function(void **state)
{
    (void)state;
    assert_int_equal(check(NULL, 0), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(check("", BLOSC2_ERROR_DATA), BLOSC2_ERROR_DATA);
    assert_int_equal(check("", 0), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_code_has_a_text_of_its_own),
        cmocka_unit_test(other_numbers_are_unknown),
        cmocka_unit_test(macros_leave_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
