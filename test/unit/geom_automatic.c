/*
 * geom_automatic.c - tests of geom/automatic: properties that every choice has, whatever the shape.
 */
#include "geom/automatic.h"

#include "geom/shape.h"
#include "support/random.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    ROUNDS = 20000,
    BLOCK_MOST = 128 << 10,
    BLOCK_LEAST = 2 << 10, // where there is enough of the array
    CHUNK_TARGET = 4 << 20,
};

struct layout {
    int ndim;
    int64_t shape[NDIM_MAX], chunk[NDIM_MAX], block[NDIM_MAX];
    int32_t typesize;
};

// About those of LZ4 and of Zstandard, level 5.
static const struct model lz4 = {.decode = 4e-10,
                                 .encode = 1.1e-9,
                                 .block = 350e-9,
                                 .threads = 1,
                                 .cache = 32 << 20,
                                 .ratio = 1,
                                 .small_loss = 0.015};
static const struct model zstd = {.decode = 9e-10,
                                  .encode = 1.01e-8,
                                  .block = 3e-6,
                                  .threads = 1,
                                  .cache = 32 << 20,
                                  .ratio = 1,
                                  .small_loss = 0.02};

static void
choose_with(struct layout *l, const struct model *m, int64_t least)
{
    const struct automatic_wish wish = {.typesize = l->typesize, .model = *m, .least = least};
    automatic_choose(l->ndim, l->shape, &wish, l->chunk, l->block);
}

static void
choose(struct layout *l)
{
    choose_with(l, &lz4, 1);
}

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
        choose(&l);
        const struct geometry g = accept(&l);

        if (g.blocksize > BLOCK_MOST && g.block_nitems > 1)
            say(&l, "a block larger than wanted");
        const bool many = g.nchunks > 1 << 26; // more would be too many
        if (g.chunksize > CHUNK_TARGET && g.chunk_nitems > 1 && !many)
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
            if (g.blocksize < BLOCK_LEAST || g.chunksize < CHUNK_TARGET / 2 / floor)
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
        choose(&l);
        const struct geometry g = accept(&l);
        if (memcmp(chunks ? l.chunk : l.block, chunks ? given.chunk : given.block,
                   sizeof l.chunk) != 0)
            say(&l, "what was given is not what came out");
        if (chunks && g.blocksize > BLOCK_MOST && g.block_nitems > 1)
            say(&l, "a block larger than wanted");
    }
}

static void
both_given(void **state)
{
    struct layout l = {2, {100, 100}, {7, 9}, {7, 3}, 4};

    (void)state;
    choose(&l);
    assert_int_equal(l.chunk[0] * 1000 + l.chunk[1], 7009);
    assert_int_equal(l.block[0] * 1000 + l.block[1], 7003);
}

// Divides evenly where it can: 1000 rows of 1000 items in as many chunks, none nearly empty.
static void
even(void **state)
{
    struct layout l = {.ndim = 2, .shape = {1000, 100000}, .typesize = 8};

    (void)state;
    choose(&l);
    const struct geometry g = accept(&l);
    assert_true(g.grid[0] * g.extchunk[0] * g.grid[1] * g.extchunk[1] < INT64_C(110000000));
    assert_true(product(2, l.block) * 8 > BLOCK_LEAST);
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
        const struct nonsense *const t = &nonsense[i];
        struct layout l = {.ndim = 3, .typesize = 4};
        struct geometry g;
        memcpy(l.shape, t->shape, sizeof t->shape);
        memcpy(l.chunk, t->chunk, sizeof t->chunk);
        memcpy(l.block, t->block, sizeof t->block);
        choose(&l);
        bool refused = geometry_init(&g, 3, l.shape, l.chunk, l.block, 4, TESS_ERR_ARG, NULL);
        for (int axis = 0; axis < 3; axis++)
            refused |= l.block[axis] > l.chunk[axis];
        if (!refused)
            fail_msg("%s: taken", t->what);
    }
}

static void
extreme_shapes(void **state)
{
    struct layout l;

    (void)state;
    l = (struct layout){.ndim = 1, .shape = {INT64_MAX / 2}, .typesize = 1};
    choose(&l);
    (void)accept(&l);
    l = (struct layout){.ndim = 2, .shape = {INT64_MAX / 4, 1}, .typesize = TYPESIZE_MAX};
    choose(&l);
    (void)accept(&l);
    l = (struct layout){.ndim = 3, .shape = {0, INT64_MAX / 2, INT64_MAX / 2}, .typesize = 3};
    choose(&l);
    (void)accept(&l);
    l = (struct layout){.ndim = NDIM_MAX, .typesize = 8}; // 16 empty axes
    choose(&l);
    (void)accept(&l);
}

// Files depend on it: the same on every machine, with every compiler.
static const struct pinned {
    const struct model *model;
    int32_t typesize;
    int ndim;
    int64_t shape[5], chunk[5], block[5];
} pinned[] = {
    {&lz4, 4, 3, {400, 400, 400}, {64, 64, 232}, {8, 8, 58}},
    {&zstd, 4, 3, {400, 400, 400}, {64, 64, 200}, {8, 16, 50}},
    {&lz4, 4, 2, {2161, 4320}, {448, 1472}, {64, 64}},
    {&zstd, 4, 2, {2161, 4320}, {448, 1536}, {64, 128}},
    {&lz4, 4, 3, {132, 73, 144}, {44, 45, 144}, {4, 15, 48}},
    {&zstd, 4, 3, {132, 73, 144}, {45, 40, 144}, {15, 8, 48}},
    {&lz4, 4, 3, {20, 180, 360}, {20, 60, 360}, {3, 15, 60}},
    {&zstd, 4, 3, {20, 180, 360}, {20, 60, 360}, {7, 30, 30}},
    {&lz4, 4, 4, {12, 19, 90, 180}, {12, 10, 26, 90}, {6, 2, 13, 30}},
    {&zstd, 4, 4, {12, 19, 90, 180}, {12, 12, 30, 90}, {4, 4, 15, 30}},
    {&lz4, 2, 2, {2000, 2000}, {1008, 2000}, {63, 125}},
    {&zstd, 2, 2, {2000, 2000}, {1000, 2000}, {125, 125}},
    {&lz4, 8, 1, {4000000}, {500736}, {1024}},
    {&zstd, 8, 1, {4000000}, {503685}, {4095}},
    {&lz4, 2, 5, {20, 24, 22, 20, 18}, {12, 12, 12, 12, 18}, {4, 4, 2, 4, 18}},
    {&zstd, 2, 5, {20, 24, 22, 20, 18}, {12, 12, 16, 12, 18}, {4, 4, 8, 4, 18}},
    {&lz4, 16, 2, {1000, 900}, {256, 900}, {16, 30}},
    {&zstd, 16, 2, {1000, 900}, {256, 900}, {32, 60}},
    {&lz4, 1, 3, {1024, 1024, 1024}, {64, 128, 512}, {16, 16, 128}},
    {&zstd, 1, 3, {1024, 1024, 1024}, {64, 128, 512}, {16, 16, 128}},
    {&lz4, 4, 2, {100000, 50}, {14336, 50}, {128, 25}},
    {&zstd, 4, 2, {100000, 50}, {14336, 50}, {256, 25}},
    {&lz4, 12, 3, {300, 300, 300}, {32, 32, 150}, {4, 8, 30}},
    {&zstd, 12, 3, {300, 300, 300}, {32, 32, 150}, {8, 16, 15}},
    {&lz4, 4, 3, {0, 73, 144}, {64, 50, 144}, {2, 25, 48}},
    {&zstd, 4, 3, {0, 73, 144}, {64, 45, 144}, {8, 15, 48}},
    {&lz4, 4, 1, {0}, {1048576}, {2048}},
    {&zstd, 4, 1, {0}, {1048576}, {8192}},
    {&lz4, 8, 2, {1000003, 7}, {62592, 7}, {128, 7}},
    {&zstd, 8, 2, {1000003, 7}, {62976, 7}, {512, 7}},
    {&lz4, 4, 3, {365, 721, 1440}, {64, 64, 252}, {8, 8, 63}},
    {&zstd, 4, 3, {365, 721, 1440}, {64, 64, 248}, {16, 16, 31}},
    {&lz4, 8, 3, {997, 1009, 1013}, {32, 64, 256}, {8, 8, 32}},
    {&zstd, 8, 3, {997, 1009, 1013}, {32, 64, 256}, {16, 16, 16}},
    {&lz4, 1, 1, {100}, {100}, {100}},
    {&zstd, 1, 1, {100}, {100}, {100}},
    {&lz4, 4, 3, {1, 1, 5000}, {1, 1, 5000}, {1, 1, 5000}},
    {&zstd, 4, 3, {1, 1, 5000}, {1, 1, 5000}, {1, 1, 2500}},
    {&lz4, 100000, 2, {50, 60}, {2, 15}, {1, 1}},
    {&zstd, 100000, 2, {50, 60}, {2, 15}, {1, 1}},
};

static void
the_same_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
        const struct pinned *const p = &pinned[i];
        struct layout l = {.ndim = p->ndim, .typesize = p->typesize};
        memcpy(l.shape, p->shape, sizeof p->shape);
        choose_with(&l, p->model, 1);
        if (memcmp(l.chunk, p->chunk, sizeof p->chunk) != 0 ||
            memcmp(l.block, p->block, sizeof p->block) != 0)
            say(&l, "another layout than that of version 0.2");
    }
}

// Codecs that work on cells of 4 items along each axis get whole ones, where there are any.
static void
least_lengths(void **state)
{
    struct random r;
    struct layout l;

    (void)state;
    random_init(&r, random_seed());
    for (int n = 0; n < ROUNDS / 10; n++) {
        random_layout(&r, &l);
        l.ndim = 1 + (int)random_below(&r, 4);
        l.typesize = random_below(&r, 2) ? 4 : 8;
        for (int i = 0; i < l.ndim; i++)
            l.shape[i] = 1 + (int64_t)random_below(&r, 1000);
        choose_with(&l, &lz4, 4);
        (void)accept(&l);
        for (int i = 0; i < l.ndim; i++)
            if (l.block[i] < 4 && l.block[i] < l.shape[i])
                say(&l, "a block shorter than a cell");
    }
}

// The cells of version 0.1: 128 KiB, nearly cubic in items, four times as long along the last axis.
static void
large_cell(const struct layout *l, int64_t *cell)
{
    int64_t count = 1;

    for (int i = 0; i < l->ndim; i++)
        cell[i] = 1;
    while (count * l->typesize <= BLOCK_MOST / 2) {
        int best = -1;
        for (int i = 0; i < l->ndim; i++) {
            const int64_t length = i == l->ndim - 1 ? cell[i] / 4 : cell[i];
            if (cell[i] < l->shape[i] &&
                (best < 0 || length <= (best == l->ndim - 1 ? cell[best] / 4 : cell[best])))
                best = i;
        }
        if (best < 0)
            return;
        cell[best] *= 2;
        count *= 2;
    }
}

static double
seconds(const struct layout *l, const struct grid *g, enum access_kind kind, int axis,
        int64_t along, int64_t others)
{
    struct access a = {.kind = kind};
    for (int i = 0; i < l->ndim; i++)
        a.extent[i] = i == axis ? along : others;
    return model_predict(&lz4, &a, l->ndim, l->shape, l->typesize, g).cpu;
}

// Planes, lines and items cost less than in those cells, as the model sees it, and all of the array
// not much more.
static void
slices_get_cheaper(void **state)
{
    struct random r;
    struct layout l;

    (void)state;
    random_init(&r, random_seed());
    for (int n = 0; n < ROUNDS / 20; n++) {
        l = (struct layout){.ndim = 2 + (int)random_below(&r, 3), .typesize = 4};
        const int64_t longest = l.ndim == 2 ? 10000 : l.ndim == 3 ? 600 : 150;
        for (int i = 0; i < l.ndim; i++)
            l.shape[i] = longest / 2 + (int64_t)random_below(&r, (uint64_t)longest / 2);
        choose(&l);
        struct grid now = {0}, before = {0};
        memcpy(now.chunk, l.chunk, sizeof now.chunk);
        memcpy(now.block, l.block, sizeof now.block);
        memcpy(before.chunk, l.chunk, sizeof before.chunk);
        large_cell(&l, before.block);
        double gain = 1;
        for (int i = 0; i < l.ndim; i++) {
            gain *= seconds(&l, &before, ACCESS_READ, i, 1, ACCESS_WHOLE) /
                    seconds(&l, &now, ACCESS_READ, i, 1, ACCESS_WHOLE);
            gain *= seconds(&l, &before, ACCESS_READ, i, ACCESS_WHOLE, 1) /
                    seconds(&l, &now, ACCESS_READ, i, ACCESS_WHOLE, 1);
        }
        gain *=
            seconds(&l, &before, ACCESS_READ, 0, 1, 1) / seconds(&l, &now, ACCESS_READ, 0, 1, 1);
        if (pow(gain, 1.0 / (2 * l.ndim + 1)) < 1.5)
            say(&l, "slices that gain little");
        if (seconds(&l, &now, ACCESS_READ, 0, ACCESS_WHOLE, ACCESS_WHOLE) >
            1.3 * seconds(&l, &before, ACCESS_READ, 0, ACCESS_WHOLE, ACCESS_WHOLE))
            say(&l, "an array that is read slowly");
    }
}

// Of no shape are there more chunks than a frame can have, as long as chunks can be larger.
static void
few_chunks(void **state)
{
    static const struct layout cases[] = {
        {.ndim = 1, .shape = {INT64_C(1) << 48}, .typesize = 4},
        {.ndim = 1, .shape = {(INT64_C(1) << 54) - 12345}, .typesize = 8},
        {.ndim = 2, .shape = {INT64_C(1) << 40, 4099}, .typesize = 4},
        {.ndim = 2, .shape = {4099, INT64_C(1) << 40}, .typesize = 1},
        {.ndim = 3, .shape = {1 << 19, 1 << 19, 1 << 15}, .typesize = 2},
        {.ndim = 4, .shape = {100003, 100003, 100003, 7}, .typesize = 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct layout l = cases[i];
        double chunks = 1, bytes = l.typesize;
        choose(&l);
        for (int k = 0; k < l.ndim; k++) {
            chunks *= ceil((double)l.shape[k] / (double)l.chunk[k]);
            bytes *= (double)l.chunk[k];
        }
        if (chunks > 268435451 || bytes >= 0x1p31)
            fail_msg("case %zu: %g chunks of %g bytes", i, chunks, bytes);
        assert_true(bytes > CHUNK_TARGET);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_chosen),         cmocka_unit_test(one_given),
        cmocka_unit_test(both_given),          cmocka_unit_test(even),
        cmocka_unit_test(extreme_shapes),      cmocka_unit_test(nonsense_survives),
        cmocka_unit_test(the_same_everywhere), cmocka_unit_test(least_lengths),
        cmocka_unit_test(slices_get_cheaper),  cmocka_unit_test(few_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
