/*
 * geom_layout.c - tests of geom/layout: properties that every choice has, whatever the shape.
 */
#include "geom/layout.h"

#include "geom/shape.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    ROUNDS = 20000,
    BLOCK_TARGET = 128 << 10,
    CHUNK_TARGET = 4 << 20,
};

struct layout {
    int ndim;
    int64_t shape[NDIM_MAX], chunk[NDIM_MAX], block[NDIM_MAX];
    int32_t typesize;
};

static void
say(const struct layout *l, const char *what)
{
    print_message("%s: %d dimensions, items of %" PRId32 " bytes\n", what, l->ndim, l->typesize);
    for (int i = 0; i < l->ndim; i++)
        print_message("  %" PRId64 " in %" PRId64 " in %" PRId64 "\n", l->shape[i], l->chunk[i],
                      l->block[i]);
    fail();
}

// Any shape that an array can have; mostly of usual sizes.
static void
random_layout(struct random *r, struct layout *l)
{
    *l = (struct layout){.ndim = (int)random_below(r, NDIM_MAX + 1)};
    const uint64_t bits = l->ndim > 0 ? 62 / (uint64_t)l->ndim : 0;
    for (int i = 0; i < l->ndim; i++) {
        const uint64_t some = random_below(r, bits + 1);
        l->shape[i] = 1 + (int64_t)random_below(r, UINT64_C(1) << some);
        if (random_below(r, 30) == 0)
            l->shape[i] = 0;
    }
    const uint64_t kind = random_below(r, 10);
    l->typesize = 1 << random_below(r, 5);
    if (kind == 0)
        l->typesize = 1 + (int32_t)random_below(r, 300);
    if (kind == 1)
        l->typesize = 1 + (int32_t)random_below(r, TYPESIZE_MAX);
}

// The format takes it, and a block is inside its chunk.
static struct geometry
accept(const struct layout *l)
{
    struct geometry g;
    tess_error err;
    if (geometry_init(&g, l->ndim, l->shape, l->chunk, l->block, l->typesize, TESS_ERR_ARG, &err) !=
        TESS_OK)
        say(l, err.message);
    for (int i = 0; i < l->ndim; i++)
        if (l->block[i] < 1 || l->block[i] > l->chunk[i])
            say(l, "a block that is not inside its chunk");
    return g;
}

static int64_t
product(int ndim, const int64_t *lengths)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= lengths[i];
    return n;
}

static void
both_chosen(void **state)
{
    struct random r;
    struct layout l;
    int large = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int n = 0; n < ROUNDS; n++) {
        random_layout(&r, &l);
        layout_choose(l.ndim, l.shape, l.typesize, l.chunk, l.block);
        const struct geometry g = accept(&l);

        if (g.blocksize > BLOCK_TARGET && g.block_nitems > 1)
            say(&l, "a block larger than wanted");
        if (g.chunksize > CHUNK_TARGET && g.chunk_nitems > 1)
            say(&l, "a chunk larger than wanted");
        bool empty = false;
        for (int i = 0; i < l.ndim; i++) {
            empty |= l.shape[i] == 0;
            if (l.shape[i] > 0 && l.chunk[i] > l.shape[i])
                say(&l, "a chunk longer than the array");
        }
        // Where there is enough of the array, cells are near their size: an axis is doubled
        // before, and evened out after.
        if (!empty && l.typesize <= 16 && l.ndim > 0 && l.ndim <= 4 &&
            g.nitems >= 16 * CHUNK_TARGET) {
            const int64_t floor = INT64_C(1) << l.ndim;
            if (g.blocksize < BLOCK_TARGET / 2 / floor || g.chunksize < CHUNK_TARGET / 2 / floor)
                say(&l, "cells much smaller than wanted");
            large++;
        }
        // At most half of what is stored of an axis is padding, beyond one block.
        for (int i = 0; i < l.ndim; i++)
            if (l.shape[i] > 0 && g.grid[i] * g.extchunk[i] > 2 * l.shape[i] + 2 * l.block[i])
                say(&l, "more padding than items");
    }
    assert_true(large > ROUNDS / 50);
}

static void
one_given(void **state)
{
    struct random r;
    struct layout l, given;

    (void)state;
    random_init(&r, random_seed());
    for (int n = 0; n < ROUNDS; n++) {
        random_layout(&r, &l);
        l.ndim = 1 + (int)random_below(&r, 4);
        l.typesize = 1 + (int32_t)random_below(&r, 16);
        const bool chunks = random_below(&r, 2);
        for (int i = 0; i < l.ndim; i++) {
            l.shape[i] = (int64_t)random_below(&r, 1000);
            *(chunks ? &l.chunk[i] : &l.block[i]) = 1 + (int64_t)random_below(&r, 40);
        }
        given = l;
        layout_choose(l.ndim, l.shape, l.typesize, l.chunk, l.block);
        const struct geometry g = accept(&l);
        if (memcmp(chunks ? l.chunk : l.block, chunks ? given.chunk : given.block,
                   sizeof l.chunk) != 0)
            say(&l, "what was given is not what came out");
        if (chunks && g.blocksize > BLOCK_TARGET && g.block_nitems > 1)
            say(&l, "a block larger than wanted");
    }
}

static void
both_given(void **state)
{
    int64_t shape[2] = {100, 100}, chunk[2] = {7, 9}, block[2] = {7, 3};

    (void)state;
    layout_choose(2, shape, 4, chunk, block);
    assert_int_equal(chunk[0] * 1000 + chunk[1], 7009);
    assert_int_equal(block[0] * 1000 + block[1], 7003);
}

// Divides evenly where it can: 1000 rows of 1000 items in as many chunks, none nearly empty.
static void
even(void **state)
{
    struct layout l = {.ndim = 2, .shape = {1000, 100000}, .typesize = 8};

    (void)state;
    layout_choose(l.ndim, l.shape, l.typesize, l.chunk, l.block);
    const struct geometry g = accept(&l);
    assert_true(g.grid[0] * g.extchunk[0] * g.grid[1] * g.extchunk[1] < INT64_C(110000000));
    assert_true(product(2, l.block) * 8 > BLOCK_TARGET / 4);
}

// A caller's shapes that make no sense come out as they are, for geometry_init() to refuse.
static const struct nonsense {
    const char *what;
    int64_t shape[3], chunk[3], block[3];
} nonsense[] = {
    {"negative shape", {-5, 10, 10}, {0}, {0}},
    {"negative chunk", {10, 10, 10}, {-5, 10, 10}, {0}},
    {"negative block", {10, 10, 10}, {0}, {-5, 10, 10}},
    {"zero among blocks", {10, 10, 10}, {0}, {5, 0, 5}},
    {"zero among chunks", {10, 10, 10}, {5, 0, 5}, {0}},
    {"blocks whose product overflows", {10, 10, 10}, {0}, {INT64_C(1) << 40, INT64_C(1) << 40, 1}},
    {"chunks whose product overflows", {10, 10, 10}, {INT64_C(1) << 40, INT64_C(1) << 40, 1}, {0}},
    {"the longest block", {10, 10, 10}, {0}, {INT64_MAX, 1, 1}},
    {"the longest chunk", {10, 10, 10}, {INT64_MAX, 1, 1}, {0}},
};

static void
nonsense_survives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        struct nonsense t = nonsense[i];
        struct geometry g;
        layout_choose(3, t.shape, 4, t.chunk, t.block);
        bool refused = geometry_init(&g, 3, t.shape, t.chunk, t.block, 4, TESS_ERR_ARG, NULL);
        for (int axis = 0; axis < 3; axis++)
            refused |= t.block[axis] > t.chunk[axis];
        if (!refused)
            fail_msg("%s: taken", t.what);
    }
}

static void
extreme_shapes(void **state)
{
    struct layout l;

    (void)state;
    l = (struct layout){.ndim = 1, .shape = {INT64_MAX / 2}, .typesize = 1};
    layout_choose(l.ndim, l.shape, l.typesize, l.chunk, l.block);
    (void)accept(&l);
    l = (struct layout){.ndim = 2, .shape = {INT64_MAX / 4, 1}, .typesize = TYPESIZE_MAX};
    layout_choose(l.ndim, l.shape, l.typesize, l.chunk, l.block);
    (void)accept(&l);
    l = (struct layout){.ndim = 3, .shape = {0, INT64_MAX / 2, INT64_MAX / 2}, .typesize = 3};
    layout_choose(l.ndim, l.shape, l.typesize, l.chunk, l.block);
    (void)accept(&l);
    l = (struct layout){.ndim = NDIM_MAX, .typesize = 8}; // 16 empty axes
    layout_choose(l.ndim, l.shape, l.typesize, l.chunk, l.block);
    (void)accept(&l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_chosen),    cmocka_unit_test(one_given),
        cmocka_unit_test(both_given),     cmocka_unit_test(even),
        cmocka_unit_test(extreme_shapes), cmocka_unit_test(nonsense_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
