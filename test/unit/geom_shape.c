/*
 * geom_shape.c - tests of geom/shape: what a geometry is made of, and what is refused.
 */
#include "geom/shape.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BIG INT64_C(0x7fffffffffffffff)
#define T40 (INT64_C(1) << 40)

// Fields that an array of that geometry has, computed by hand.
static const struct good {
    const char *what;
    int ndim;
    int64_t shape[4], chunkshape[4], blockshape[4];
    int32_t typesize;
    int64_t grid[4], extchunk[4], bgrid[4];
    int64_t nitems, nchunks, nblocks;
    int32_t chunksize, blocksize;
} goods[] = {
    {"the example of the format",
     2,
     {5, 7},
     {4, 4},
     {3, 2},
     4,
     {2, 2},
     {6, 4},
     {2, 2},
     35,
     4,
     4,
     96,
     24},
    {"no dimensions: one item", 0, {0}, {0}, {0}, 8, {0}, {0}, {0}, 1, 1, 1, 8, 8},
    {"an axis of no items", 2, {0, 7}, {4, 4}, {2, 2}, 1, {0, 2}, {4, 4}, {2, 2}, 0, 0, 4, 16, 4},
    {"chunks of no items along it", 1, {0}, {0}, {0}, 4, {0}, {0}, {0}, 0, 0, 0, 0, 0},
    {"a chunk larger than the array", 1, {3}, {100}, {7}, 2, {1}, {105}, {15}, 3, 1, 15, 210, 14},
    {"a block larger than the chunk, in files", 1, {9}, {4}, {6}, 1, {3}, {6}, {1}, 9, 3, 1, 6, 6},
    {"huge axes next to an empty one",
     3,
     {T40, 0, T40},
     {8, 8, 8},
     {8, 8, 8},
     1,
     {T40 / 8, 0, T40 / 8},
     {8, 8, 8},
     {1, 1, 1},
     0,
     0,
     1,
     512,
     512},
    {"the longest axis",
     1,
     {BIG / 1000 * 1000},
     {1000},
     {10},
     1,
     {BIG / 1000},
     {1000},
     {100},
     BIG / 1000 * 1000,
     BIG / 1000,
     100,
     1000,
     10},
    {"the largest chunk",
     1,
     {1},
     {CHUNK_NBYTES_MAX},
     {5},
     1,
     {1},
     {CHUNK_NBYTES_MAX},
     {429496723},
     1,
     1,
     429496723,
     CHUNK_NBYTES_MAX,
     5},
    {"the largest block",
     1,
     {1},
     {BLOCK_NBYTES_MAX},
     {BLOCK_NBYTES_MAX},
     1,
     {1},
     {BLOCK_NBYTES_MAX},
     {1},
     1,
     1,
     1,
     BLOCK_NBYTES_MAX,
     BLOCK_NBYTES_MAX},
    {"the largest item",
     1,
     {2},
     {1},
     {1},
     TYPESIZE_MAX,
     {2},
     {1},
     {1},
     2,
     2,
     1,
     TYPESIZE_MAX,
     TYPESIZE_MAX},
};

static void
fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof goods[0]; i++) {
        const struct good *const t = &goods[i];
        struct geometry g;
        tess_error err;

        if (geometry_init(&g, t->ndim, t->shape, t->chunkshape, t->blockshape, t->typesize,
                          TESS_ERR_CORRUPT, &err) != TESS_OK)
            fail_msg("%s: %s", t->what, err.message);
        const size_t size = (size_t)t->ndim * sizeof(int64_t);
        const int differs =
            g.ndim != t->ndim || g.typesize != t->typesize || memcmp(g.shape, t->shape, size) ||
            memcmp(g.chunkshape, t->chunkshape, size) ||
            memcmp(g.blockshape, t->blockshape, size) || memcmp(g.grid, t->grid, size) ||
            memcmp(g.extchunk, t->extchunk, size) || memcmp(g.bgrid, t->bgrid, size) ||
            g.nitems != t->nitems || g.nchunks != t->nchunks || g.nblocks != t->nblocks ||
            g.chunksize != t->chunksize || g.blocksize != t->blocksize ||
            g.block_nitems * t->typesize != t->blocksize ||
            g.chunk_nitems * t->typesize != t->chunksize;
        if (differs)
            fail_msg("%s: %" PRId64 " items, %" PRId64 " chunks of %" PRId32 " bytes, %" PRId64
                     " blocks of %" PRId32,
                     t->what, g.nitems, g.nchunks, g.chunksize, g.nblocks, g.blocksize);
    }
}

// The status for a caller's shapes; a file's are TESS_ERR_CORRUPT every time.
static const struct bad {
    const char *what;
    int ndim;
    int64_t shape[4], chunkshape[4], blockshape[4];
    int32_t typesize;
    tess_status status;
} bads[] = {
    {"-1 dimensions", -1, {1}, {1}, {1}, 1, TESS_ERR_ARG},
    {"17 dimensions", 17, {1}, {1}, {1}, 1, TESS_ERR_ARG},
    {"items of 0 bytes", 1, {1}, {1}, {1}, 0, TESS_ERR_ARG},
    {"items of -1 bytes", 1, {1}, {1}, {1}, -1, TESS_ERR_ARG},
    {"items beyond the limit", 1, {1}, {1}, {1}, TYPESIZE_MAX + 1, TESS_ERR_ARG},
    {"negative shape", 1, {-1}, {1}, {1}, 1, TESS_ERR_ARG},
    {"most negative shape", 2, {INT64_MIN, 0}, {1, 1}, {1, 1}, 1, TESS_ERR_ARG},
    {"negative chunk", 1, {1}, {-1}, {1}, 1, TESS_ERR_ARG},
    {"negative block", 1, {1}, {1}, {-1}, 1, TESS_ERR_ARG},
    {"negative block, next to an empty axis", 2, {0, 1}, {1, 1}, {1, -1}, 1, TESS_ERR_ARG},
    {"no chunk for items", 1, {1}, {0}, {0}, 1, TESS_ERR_ARG},
    {"no block for a chunk", 1, {1}, {1}, {0}, 1, TESS_ERR_ARG},
    {"no block for a chunk of an empty axis", 1, {0}, {1}, {0}, 1, TESS_ERR_ARG},
    {"a chunk of a byte too many", 1, {1}, {CHUNK_NBYTES_MAX + INT64_C(1)}, {1}, 1, TESS_ERR_LIMIT},
    {"a chunk too large by its padding", 1, {1}, {CHUNK_NBYTES_MAX}, {2}, 1, TESS_ERR_LIMIT},
    {"a chunk too large by its items", 1, {1}, {1073741808}, {1}, 2, TESS_ERR_LIMIT},
    {"a chunk too large in two axes", 2, {1, 1}, {46341, 46341}, {1, 1}, 1, TESS_ERR_LIMIT},
    {"a chunk whose size overflows",
     4,
     {1, 1, 1, 1},
     {2000000000, 2000000000, 2000000000, 1},
     {1, 1, 1, 1},
     1,
     TESS_ERR_LIMIT},
    {"chunks of 2^63 - 1 items", 1, {1}, {BIG}, {1}, 1, TESS_ERR_LIMIT},
    {"blocks of 2^63 - 1 items", 1, {1}, {1}, {BIG}, 1, TESS_ERR_LIMIT},
    {"a block of a byte too many",
     1,
     {1},
     {BLOCK_NBYTES_MAX + INT64_C(1)},
     {BLOCK_NBYTES_MAX + INT64_C(1)},
     1,
     TESS_ERR_LIMIT},
    {"2^63 items", 3, {1 << 21, 1 << 21, 1 << 21}, {1, 1, 1}, {1, 1, 1}, 1, TESS_ERR_LIMIT},
    {"2^63 items by padding", 1, {BIG}, {1000}, {10}, 1, TESS_ERR_LIMIT},
    {"2^80 items", 2, {T40, T40}, {1, 1}, {1, 1}, 1, TESS_ERR_LIMIT},
    {"chunks too large in an array of no items",
     2,
     {0, 1},
     {1, 1 << 30},
     {1, 1},
     4,
     TESS_ERR_LIMIT},
};

static void
refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        const struct bad *const t = &bads[i];
        struct geometry g;
        tess_error err = {0};
        const tess_status caller = geometry_init(&g, t->ndim, t->shape, t->chunkshape,
                                                 t->blockshape, t->typesize, TESS_ERR_ARG, &err);
        if (caller != t->status || err.status != caller || err.message[0] == '\0')
            fail_msg("%s: status %d from a caller: %s", t->what, caller, err.message);
        const tess_status file = geometry_init(&g, t->ndim, t->shape, t->chunkshape, t->blockshape,
                                               t->typesize, TESS_ERR_CORRUPT, NULL);
        if (file != TESS_ERR_CORRUPT)
            fail_msg("%s: status %d from a file", t->what, file);
    }
}

static void
sixteen_dimensions(void **state)
{
    int64_t shape[NDIM_MAX], chunkshape[NDIM_MAX], blockshape[NDIM_MAX], stride[NDIM_MAX];
    struct geometry g;

    (void)state;
    for (int i = 0; i < NDIM_MAX; i++) {
        shape[i] = 3;
        chunkshape[i] = 2;
        blockshape[i] = 1;
    }
    assert_int_equal(
        geometry_init(&g, NDIM_MAX, shape, chunkshape, blockshape, 4, TESS_ERR_ARG, NULL), TESS_OK);
    assert_int_equal(g.nitems, 43046721);
    assert_int_equal(g.nchunks, 65536);
    assert_int_equal(g.nblocks, 65536);
    assert_int_equal(g.chunksize, 262144);
    shape_strides(NDIM_MAX, shape, 4, stride);
    assert_int_equal(stride[NDIM_MAX - 1], 4);
    assert_int_equal(stride[0], 4 * 14348907);
}

static void
reshape(void **state)
{
    const int64_t shape[2] = {5, 7}, chunkshape[2] = {4, 4}, blockshape[2] = {3, 2};
    const int64_t larger[2] = {9, 1}, negative[2] = {9, -1}, huge[2] = {T40, T40};
    const int64_t empty[2] = {0, 7};
    struct geometry g, before, other;
    tess_error err;

    (void)state;
    assert_int_equal(geometry_init(&g, 2, shape, chunkshape, blockshape, 4, TESS_ERR_ARG, NULL),
                     TESS_OK);
    before = g;
    assert_int_equal(geometry_reshape(&g, negative, &g, &err), TESS_ERR_ARG);
    assert_memory_equal(&g, &before, sizeof g);
    assert_int_equal(geometry_reshape(&g, huge, &g, &err), TESS_ERR_LIMIT);
    assert_memory_equal(&g, &before, sizeof g);

    assert_int_equal(geometry_reshape(&g, larger, &other, &err), TESS_OK);
    assert_memory_equal(&g, &before, sizeof g);
    assert_int_equal(other.nchunks, 3);
    assert_int_equal(other.nitems, 9);
    assert_int_equal(other.chunksize, 96);
    assert_int_equal(geometry_reshape(&g, empty, &g, &err), TESS_OK); // into itself
    assert_int_equal(g.nchunks, 0);
    assert_int_equal(g.chunksize, 96);
}

static const struct box_case {
    const char *what;
    int64_t start[2], stop[2];
    int64_t nitems; // -1: refused
} boxes[] = {
    {"everything", {0, 0}, {5, 7}, 35},
    {"one item", {4, 6}, {5, 7}, 1},
    {"no rows", {2, 0}, {2, 7}, 0},
    {"nothing at the end", {5, 7}, {5, 7}, 0},
    {"past the end", {0, 0}, {5, 8}, -1},
    {"past the end, and empty", {6, 0}, {6, 7}, -1},
    {"before the start", {-1, 0}, {5, 7}, -1},
    {"backwards", {3, 0}, {2, 7}, -1},
    {"backwards, across all numbers", {BIG, 0}, {INT64_MIN, 7}, -1},
    {"to the largest number", {0, 0}, {5, BIG}, -1},
};

static void
check_box(void **state)
{
    const int64_t shape[2] = {5, 7}, chunkshape[2] = {4, 4}, blockshape[2] = {3, 2};
    struct geometry g;
    int64_t nitems;
    tess_error err;

    (void)state;
    assert_int_equal(geometry_init(&g, 2, shape, chunkshape, blockshape, 4, TESS_ERR_ARG, NULL),
                     TESS_OK);
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        const struct box_case *const t = &boxes[i];
        const tess_status st =
            geometry_check_box(&g, &(struct box){t->start, t->stop, NULL}, &nitems, &err);
        if (st != (t->nitems < 0 ? TESS_ERR_ARG : TESS_OK) ||
            (st == TESS_OK && nitems != t->nitems))
            fail_msg("%s: status %d, %" PRId64 " items", t->what, st, nitems);
    }
}

// The other axes of an array of no items may be as long as they like.
static void
check_box_huge_and_empty(void **state)
{
    const int64_t shape[3] = {T40, T40, 0}, ones[3] = {1, 1, 1}, start[3] = {0, 0, 0};
    struct geometry g;
    int64_t nitems;

    (void)state;
    assert_int_equal(geometry_init(&g, 3, shape, ones, ones, 4, TESS_ERR_ARG, NULL), TESS_OK);
    assert_int_equal(geometry_check_box(&g, &(struct box){start, shape, NULL}, &nitems, NULL),
                     TESS_OK);
    assert_int_equal(nitems, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),    cmocka_unit_test(refused),
        cmocka_unit_test(reshape),   cmocka_unit_test(sixteen_dimensions),
        cmocka_unit_test(check_box), cmocka_unit_test(check_box_huge_and_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
