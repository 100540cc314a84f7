/*
 * caterva_codes.c - codes of the last state of Caterva: their texts, and the macros that return
 * them.
 */
#include "compat/compat.h"

#include <caterva.h>

static int
leave(const void *pointer, int rc)
{
    CATERVA_ERROR_NULL(pointer);
    CATERVA_ERROR(rc);
    return -77;
}

static void
codes_have_texts(void **state)
{
    (void)state;
    assert_string_equal(print_error(CATERVA_ERR_INVALID_STORAGE), "Invalid storage");
    assert_string_equal(print_error(CATERVA_ERR_BLOSC_FAILED), "Blosc failed");
    assert_string_equal(print_error(99), "Unknown error");
    assert_string_equal(print_error(BLOSC2_ERROR_DATA), blosc2_error_string(BLOSC2_ERROR_DATA));
    assert_int_equal(leave(NULL, 0), CATERVA_ERR_NULL_POINTER);
    assert_int_equal(leave("", CATERVA_ERR_INVALID_STORAGE), CATERVA_ERR_INVALID_STORAGE);
    assert_int_equal(leave("", CATERVA_SUCCEED), -77);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
