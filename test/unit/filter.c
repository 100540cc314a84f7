/*
 * filter.c - the table of filters: numbers and names as the format has them, and what the
 * rest of the library relies on in every filter, whichever is added.
 */
#include "filter/filter.h"
#include "filter/pipeline.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 8, TYPESIZE = 4, SIZE = SIDE * SIDE * TYPESIZE, META = 3, NTURNS = 200 };

static const struct block_grid grid = {.ndim = 2, .typesize = TYPESIZE, .shape = {SIDE, SIDE}};

static void
numbers_and_names_of_the_format(void **state)
{
    (void)state;
    static const struct {
        int id;
        const char *name;
    } all[] = {
        {1, "shuffle"},          {2, "bitshuffle"}, {3, "delta"},
        {4, "trunc_prec"},       {32, "ndcell"},    {33, "ndmean"},
        {34, "bytedelta_buggy"}, {35, "bytedelta"}, {36, "int_trunc"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct filter *const f = filter_by_id(all[i].id);
        assert_non_null(f);
        assert_int_equal(f->id, all[i].id);
        assert_string_equal(f->name, all[i].name);
    }
    assert_null(filter_by_id(0)); // an empty slot
    assert_null(filter_by_id(5));
    assert_null(filter_by_id(160));
    assert_null(filter_by_id(-1));
    assert_null(filter_by_id(256 + 1));
}

static void
each_can_be_undone_or_has_nothing_to_undo(void **state)
{
    (void)state;
    for (int id = 0; id < 256; id++) {
        const struct filter *const f = filter_by_id(id);
        if (!f)
            continue;
        assert_null(f->user);
        assert_true(f->forward || f->backward);
        assert_true(f->backward || f->lossy);
        for (int other = 0; other < id; other++)
            if (filter_by_id(other))
                assert_string_not_equal(filter_by_id(other)->name, f->name);
    }
}

// Forward, backward and forward again, by the filter alone.
static void
turn(const struct filter *f, uint8_t there[SIZE], uint8_t back[SIZE], const uint8_t src[SIZE])
{
    const struct filter_spec spec = {.ids = {f->id},
                                     .metas = {META},
                                     .typesize = TYPESIZE,
                                     .frame_typesize = TYPESIZE,
                                     .grid = &grid,
                                     .blocksize = SIZE};
    uint8_t tmp[2][SIZE];
    const uint8_t *out;
    struct pipeline p;

    assert_int_equal(pipeline_init(&spec, &p, NULL), TESS_OK);
    assert_int_equal(p.lossy, f->lossy);
    assert_ptr_equal(p.referring, f->needs_reference ? f : NULL);
    assert_int_equal(pipeline_forward(&p, src, 0, NULL, tmp[0], tmp[1], SIZE, &out, NULL), TESS_OK);
    memcpy(there, out, SIZE);
    assert_int_equal(pipeline_backward(&p, 0, there, 0, NULL, tmp[0], tmp[1], SIZE, &out, NULL),
                     TESS_OK);
    memcpy(back, out, SIZE);
}

// What the members promise, on bytes that are finite floats.
static void
members_are_true(void **state)
{
    struct random *const r = *state;
    uint8_t src[SIZE], there[SIZE], back[SIZE], again[SIZE], unused[SIZE];

    for (int n = 0; n < NTURNS * 256; n++) {
        const struct filter *const f = filter_by_id(n % 256);
        if (!f || !f->forward)
            continue;
        for (int i = 0; i < SIZE; i++)
            src[i] = i % 4 == 3 ? 0x40 : (uint8_t)random_below(r, 256);
        turn(f, there, back, src);
        if (!f->lossy)
            assert_memory_equal(back, src, SIZE);
        if (!f->backward) {
            turn(f, again, unused, there);
            assert_memory_equal(again, there, SIZE);
        }
        if (f->keeps_items) // the byte that all items share stays at its place
            for (int i = 3; i < SIZE; i += 4)
                assert_int_equal(there[i], 0x40);
        if (f->makes_planes) // META planes
            for (int i = 0; i < SIZE / META * META; i++)
                assert_int_equal(there[i % META * (SIZE / META) + i / META], src[i]);
    }
}

static void
names_for_messages(void **state)
{
    (void)state;
    char names[100], short_of_room[12];

    filter_names_keeping_items(names, sizeof names);
    assert_string_equal(names, "trunc_prec, int_trunc, ndcell and ndmean");
    filter_names_keeping_items(short_of_room, sizeof short_of_room);
    assert_string_equal(short_of_room, "trunc_prec,");
}

int
main(void)
{
    struct random r;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_names_of_the_format),
        cmocka_unit_test(each_can_be_undone_or_has_nothing_to_undo),
        cmocka_unit_test_prestate(members_are_true, &r),
        cmocka_unit_test(names_for_messages),
    };
    random_init(&r, random_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
