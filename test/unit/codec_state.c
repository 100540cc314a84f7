/*
 * codec_state.c - contexts: one for each kind and option, made once, freed with the state.
 */
#include "codec/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static int nmade, nfreed;
static bool memory_is_short;

static void *
make_option(int option)
{
    int *const context = memory_is_short ? NULL : malloc(sizeof *context);
    if (context) {
        *context = option;
        nmade++;
    }
    return context;
}

static void
free_option(void *context)
{
    nfreed++;
    free(context);
}

static const struct codec_context one = {make_option, free_option};
static const struct codec_context other = {make_option, free_option};

static void
made_once_and_freed(void **state)
{
    (void)state;
    struct codec_state *const s = codec_state_new();
    int *const first = codec_state_context(s, &one, 3);
    int *const second = codec_state_context(s, &one, 4);
    int *const third = codec_state_context(s, &other, 3);

    assert_int_equal(*first, 3);
    assert_int_equal(*second, 4);
    assert_ptr_not_equal(first, third);
    for (int turn = 0; turn < 3; turn++) {
        assert_ptr_equal(codec_state_context(s, &one, 3), first);
        assert_ptr_equal(codec_state_context(s, &one, 4), second);
        assert_ptr_equal(codec_state_context(s, &other, 3), third);
    }
    assert_int_equal(nmade, 3);
    assert_int_equal(nfreed, 0);
    codec_state_free(s);
    assert_int_equal(nfreed, 3);
}

static void
asked_for_again_after_a_failure(void **state)
{
    (void)state;
    struct codec_state *const s = codec_state_new();

    nmade = nfreed = 0;
    memory_is_short = true;
    assert_null(codec_state_context(s, &one, 1));
    memory_is_short = false;
    assert_non_null(codec_state_context(s, &one, 1));
    codec_state_free(s);
    assert_int_equal(nmade, 1);
    assert_int_equal(nfreed, 1);
    codec_state_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_once_and_freed),
        cmocka_unit_test(asked_for_again_after_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
