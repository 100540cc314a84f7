/*
 * ndcopy.c - tests of ndcopy: random boxes with random strides, against one loop per item.
 */
#include "ndcopy/ndcopy.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 20000, NDIM_TRIED = 6 };

// Memory of exactly the bytes that a box touches, with gaps that hold noise.
struct side {
    uint8_t *bytes;
    int64_t size;
    int64_t origin; // of the first item; items may lie before it
    int64_t stride[NDIM_MAX];
};

struct case_box {
    int ndim;
    int64_t extent[NDIM_MAX];
    int64_t itemsize;
    int64_t nitems;
};

static void
random_box(struct random *r, struct case_box *b)
{
    static const int64_t sizes[] = {1, 2, 4, 8, 16, 3, 7, 12, 33};
    b->ndim = (int)random_below(r, NDIM_TRIED + 1);
    b->itemsize = sizes[random_below(r, sizeof sizes / sizeof sizes[0])];
    b->nitems = 1;
    for (int i = 0; i < b->ndim; i++) {
        const uint64_t most = b->ndim < 3 ? 40 : 5;
        b->extent[i] = 1 + (int64_t)random_below(r, most);
        if (random_below(r, 60) == 0)
            b->extent[i] = 0;
        b->nitems *= b->extent[i];
    }
}

// Strides in which items do not overlap: the axes in random order, each with a random gap, some
// backwards. `still`: some may be 0.
static void
random_side(struct random *r, const struct case_box *b, bool still, struct side *s)
{
    int order[NDIM_MAX];
    int64_t reach = b->itemsize, low = 0, high = b->itemsize;
    const bool gaps = random_below(r, 2), shuffled = random_below(r, 2);

    for (int i = 0; i < b->ndim; i++)
        order[i] = b->ndim - 1 - i;
    for (int i = b->ndim - 1; i > 0 && shuffled; i--) {
        const int j = (int)random_below(r, (uint64_t)i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (int k = 0; k < b->ndim; k++) {
        const int i = order[k];
        const int64_t extent = b->extent[i] > 0 ? b->extent[i] : 1;
        int64_t stride = reach + (gaps ? (int64_t)random_below(r, 20) : 0);
        reach = stride * extent;
        if (random_below(r, 4) == 0)
            stride = -stride;
        if (still && random_below(r, 5) == 0)
            stride = 0;
        s->stride[i] = stride;
        *(stride < 0 ? &low : &high) += stride * (extent - 1);
    }
    s->origin = -low;
    s->size = high - low;
    s->bytes = malloc((size_t)s->size);
    assert_non_null(s->bytes);
    random_bytes(r, s->bytes, (size_t)s->size);
}

// Where item n (in C order) stands.
static int64_t
position(const struct case_box *b, const struct side *s, int64_t n)
{
    int64_t at = s->origin;
    for (int i = b->ndim - 1; i >= 0; i--) {
        at += n % b->extent[i] * s->stride[i];
        n /= b->extent[i];
    }
    return at;
}

static uint8_t *
copy_of(const struct side *s)
{
    uint8_t *const copy = malloc((size_t)s->size);
    assert_non_null(copy);
    memcpy(copy, s->bytes, (size_t)s->size);
    return copy;
}

static void
copies(void **state)
{
    struct random r;
    struct case_box b;
    struct side dst, src;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        random_box(&r, &b);
        random_side(&r, &b, false, &dst);
        random_side(&r, &b, true, &src);
        uint8_t *const expected = copy_of(&dst);
        for (int64_t n = 0; n < b.nitems; n++)
            memcpy(expected + position(&b, &dst, n), src.bytes + position(&b, &src, n),
                   (size_t)b.itemsize);
        ndcopy(b.ndim, b.extent, b.itemsize, dst.bytes + dst.origin, dst.stride,
               src.bytes + src.origin, src.stride);
        assert_memory_equal(dst.bytes, expected, (size_t)dst.size);
        free(expected);
        free(dst.bytes);
        free(src.bytes);
    }
}

static void
fills(void **state)
{
    struct random r;
    struct case_box b;
    struct side dst;
    uint8_t item[64];

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        random_box(&r, &b);
        random_side(&r, &b, false, &dst);
        random_bytes(&r, item, sizeof item);
        if (random_below(&r, 2))
            memset(item, (int)random_below(&r, 256), sizeof item);
        uint8_t *const expected = copy_of(&dst);
        for (int64_t n = 0; n < b.nitems; n++)
            memcpy(expected + position(&b, &dst, n), item, (size_t)b.itemsize);
        ndfill(b.ndim, b.extent, b.itemsize, dst.bytes + dst.origin, dst.stride, item);
        assert_memory_equal(dst.bytes, expected, (size_t)dst.size);
        free(expected);
        free(dst.bytes);
    }
}

static void
constants(void **state)
{
    struct random r;
    struct case_box b;
    struct side src;
    int constant = 0, varied = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        random_box(&r, &b);
        random_side(&r, &b, true, &src);
        for (int64_t n = 0; n < b.nitems; n++)
            memcpy(src.bytes + position(&b, &src, n), src.bytes + src.origin, (size_t)b.itemsize);
        if (b.nitems > 0 && random_below(&r, 2)) // one byte of one item, or of a gap
            src.bytes[random_below(&r, (uint64_t)src.size)] ^= 0x40;

        bool equal = b.nitems > 0;
        for (int64_t n = 0; n < b.nitems; n++)
            equal &= memcmp(src.bytes + position(&b, &src, n), src.bytes + src.origin,
                            (size_t)b.itemsize) == 0;
        assert_int_equal(
            ndconstant(b.ndim, b.extent, b.itemsize, src.bytes + src.origin, src.stride), equal);
        constant += equal;
        varied += !equal;
        free(src.bytes);
    }
    assert_true(constant > ROUNDS / 10 && varied > ROUNDS / 10);
}

// The tiles of a walk hold every item once, on both sides at once.
static void
tiles(void **state)
{
    struct random r;
    struct case_box b;
    struct side dst, src;
    int64_t packed = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS / 4; round++) {
        struct ndrows t;
        int64_t seen = 0;
        random_box(&r, &b);
        random_side(&r, &b, false, &dst);
        random_side(&r, &b, false, &src);
        uint8_t *const from = calloc(1, (size_t)dst.size); // which src item goes there, plus 1
        assert_non_null(from);
        for (int64_t n = 0; n < b.nitems; n++)
            from[position(&b, &dst, n)] = (uint8_t)(1 + position(&b, &src, n) % 251);

        for (bool more = ndrows_begin(&t, b.ndim, b.extent, b.itemsize, dst.stride, src.stride);
             more; more = ndrows_next(&t)) {
            assert_int_equal(t.packed, t.item_dst == b.itemsize && t.item_src == b.itemsize);
            for (int64_t i = 0; i < t.rows; i++)
                for (int64_t j = 0; j < t.row_nitems; j++) {
                    const int64_t d = t.dst + i * t.row_dst + j * t.item_dst + dst.origin;
                    const int64_t s = t.src + i * t.row_src + j * t.item_src + src.origin;
                    assert_in_range(d, 0, dst.size - b.itemsize);
                    assert_int_equal(from[d], 1 + s % 251);
                    from[d] = 0;
                    seen++;
                }
            packed += t.packed;
        }
        assert_int_equal(seen, b.nitems);
        free(from);
        free(dst.bytes);
        free(src.bytes);
    }
    assert_true(packed > 0);
}

// Axes that continue each other become one row.
static void
merging(void **state)
{
    const int64_t extent[4] = {5, 1, 6, 7}, whole[4] = {168, 12345, 28, 4};
    const int64_t rows[4] = {200, 1, 30, 4};
    struct ndrows t;

    (void)state;
    assert_true(ndrows_begin(&t, 4, extent, 4, whole, whole));
    assert_true(t.packed);
    assert_int_equal(t.rows, 1);
    assert_int_equal(t.row_nitems, 210);
    assert_false(ndrows_next(&t));

    assert_true(ndrows_begin(&t, 4, extent, 4, rows, whole));
    assert_true(t.packed);
    assert_int_equal(t.rows, 6);
    assert_int_equal(t.row_nitems, 7);
    assert_int_equal(t.row_dst, 30);
    for (int i = 0; i < 4; i++)
        assert_true(ndrows_next(&t));
    assert_int_equal(t.dst, 800);
    assert_int_equal(t.src, 672);
    assert_false(ndrows_next(&t));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies), cmocka_unit_test(fills),   cmocka_unit_test(constants),
        cmocka_unit_test(tiles),  cmocka_unit_test(merging),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
