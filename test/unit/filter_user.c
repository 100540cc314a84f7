/*
 * filter_user.c - filters of the program: what they are told, and what they say.
 */
#include "filter/filter.h"
#include "filter/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ID = 200, META = 7, LEVEL = 6, SIZE = 24 };

static tess_block told; // at the last call
static tess_status answer;

static tess_status
add_meta(const tess_block *block, const void *src, void *dst, size_t size)
{
    told = *block;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(((const uint8_t *)src)[i] + block->meta);
    return answer;
}

static tess_status
subtract_meta(const tess_block *block, const void *src, void *dst, size_t size)
{
    told = *block;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(((const uint8_t *)src)[i] - block->meta);
    return answer;
}

static int mine; // what `user` points to

static tess_user_filter
description(void)
{
    return (tess_user_filter){.struct_size = sizeof(tess_user_filter),
                              .id = ID,
                              .name = "adder",
                              .user = &mine,
                              .forward = add_meta,
                              .backward = subtract_meta};
}

static struct pipeline
pipeline_with(const struct filter *filter)
{
    static const struct block_grid grid = {.ndim = 2, .typesize = 4, .shape = {2, 3}};
    const struct filter_spec spec = {.ids = {ID},
                                     .metas = {META},
                                     .typesize = 4,
                                     .grid = &grid,
                                     .blocksize = SIZE,
                                     .users = filter,
                                     .nusers = 1,
                                     .level = LEVEL};
    struct pipeline p;
    assert_int_equal(pipeline_init(&spec, &p, NULL), TESS_OK);
    return p;
}

static void
is_told_of_the_block(void **state)
{
    (void)state;
    const tess_user_filter user = description();
    const struct filter filter = filter_of_user(&user);
    const struct pipeline p = pipeline_with(&filter);
    uint8_t src[SIZE] = {1, 2, 255}, tmp[4][SIZE];
    const uint8_t *there, *back;

    answer = TESS_OK;
    assert_int_equal(pipeline_check_encode(&p, NULL), TESS_OK);
    assert_int_equal(pipeline_forward(&p, src, 0, NULL, tmp[0], tmp[1], SIZE, &there, NULL),
                     TESS_OK);
    assert_int_equal(there[2], (255 + META) % 256);
    assert_ptr_equal(told.user, &mine);
    assert_int_equal(told.meta, META);
    assert_int_equal(told.clevel, LEVEL);
    assert_int_equal(told.ndim, 2);
    assert_int_equal(told.shape[1], 3);
    assert_int_equal(pipeline_backward(&p, 0, there, 0, NULL, tmp[2], tmp[3], SIZE, &back, NULL),
                     TESS_OK);
    assert_memory_equal(back, src, SIZE);
}

static void
may_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tess_status answer, want;
    } cases[] = {
        {"damage", TESS_ERR_CORRUPT, TESS_ERR_CORRUPT},
        {"no memory", TESS_ERR_NOMEM, TESS_ERR_NOMEM},
        {"no status", (tess_status)1000, TESS_ERR_CORRUPT},
    };
    const tess_user_filter user = description();
    const struct filter filter = filter_of_user(&user);
    const struct pipeline p = pipeline_with(&filter);
    uint8_t src[SIZE] = {0}, tmp[2][SIZE];
    const uint8_t *out;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_error err;
        answer = cases[i].answer;
        if (pipeline_backward(&p, 0, src, 0, NULL, tmp[0], tmp[1], SIZE, &out, &err) !=
            cases[i].want)
            fail_msg("%s", cases[i].why);
        assert_string_equal(err.message, "filter 200 (adder) refuses a block of 24 bytes");
    }
}

static void
may_only_read(void **state)
{
    (void)state;
    tess_user_filter user = description();
    user.forward = NULL;
    const struct filter filter = filter_of_user(&user);
    const struct pipeline p = pipeline_with(&filter);
    tess_error err;

    assert_int_equal(pipeline_check_encode(&p, &err), TESS_ERR_ARG);
    assert_string_equal(err.message, "filter 200 (adder) is only read");
    assert_false(pipeline_is_undone(&p, 0));
}

// The library's own filter of a number comes first.
static void
takes_no_number_of_the_library(void **state)
{
    (void)state;
    tess_user_filter user = description();
    user.id = TESS_FILTER_SHUFFLE;
    const struct filter filter = filter_of_user(&user);
    const struct filter_spec spec = {
        .ids = {TESS_FILTER_SHUFFLE}, .typesize = 4, .users = &filter, .nusers = 1};
    struct pipeline p;
    assert_int_equal(pipeline_init(&spec, &p, NULL), TESS_OK);
    assert_null(p.step[0].filter->user);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_told_of_the_block),
        cmocka_unit_test(may_refuse),
        cmocka_unit_test(may_only_read),
        cmocka_unit_test(takes_no_number_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
