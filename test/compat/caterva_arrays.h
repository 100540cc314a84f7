/*
 * caterva_arrays.h - arrays of the last state of Caterva for tests: items are int32 numbers,
 * beginning with their position in C order.
 */
#ifndef TEST_COMPAT_CATERVA_ARRAYS_H
#define TEST_COMPAT_CATERVA_ARRAYS_H

#include "compat/nd.h"

#include <caterva.h>

#undef print_error // of cmocka again

#define succeeds(call) assert_int_equal((call), CATERVA_SUCCEED)
#define fails(call, code) assert_int_equal((call), (code))

// A context whose allocator counts: when it is freed, no block is left.
extern caterva_ctx_t *ca_ctx;
int ca_setup(void **state);
int ca_teardown(void **state);
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, ca_setup, ca_teardown)

// Parameters and storage of an array; path NULL: in memory.
caterva_params_t ca_params(const struct nd_shapes *shapes);
caterva_storage_t ca_storage(const struct nd_shapes *shapes, bool contiguous, const char *path);

// A new array of numbers from 0 on.
caterva_array_t *ca_numbers(const struct nd_shapes *shapes, caterva_storage_t storage);

// The array has these items, the numbers from 0 on, or the members of shapes.
void ca_check_items(caterva_array_t *array, const int32_t *items);
void ca_check(caterva_array_t *array);
void ca_check_members(const caterva_array_t *a, const struct nd_shapes *shapes);

// The numbers, with a metalayer "a" of 3 bytes and a vl-metalayer "b" of 2; and whether they are
// there.
caterva_array_t *ca_with_metalayers(const struct nd_shapes *shapes, caterva_storage_t storage);
void ca_check_metalayers(caterva_array_t *array);

#endif
