/*
 * layout_sample.c - samples: which items of an array they take, and what is made up instead.
 *
 * The arrays here hold their own indices, so that each item of a sample says where it is from.
 */
#include "layout/private.h"

#include "base/error.h"

#include "support/shape_text.h"

#include <tessera/dtype.h>

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct origin {
    tess_params params;
    int reads;
    int fails_at; // the read with this number; 0: none
};

// Items of 8 bytes: the number of the item in C order.
static tess_status
read_numbers(const int64_t *start, const int64_t *stop, void *dst, size_t size, void *from,
             tess_error *err)
{
    struct origin *const o = from;
    int64_t index[TESS_MAX_NDIM], *item = dst;
    const int ndim = o->params.ndim;
    size_t expected = sizeof *item;

    if (++o->reads == o->fails_at)
        return err_set(err, TESS_ERR_IO, -1, "the disk is gone");
    for (int i = 0; i < ndim; i++) {
        assert_true(0 <= start[i] && start[i] < stop[i] && stop[i] <= o->params.shape[i]);
        expected *= (size_t)(stop[i] - start[i]);
        index[i] = start[i];
    }
    assert_int_equal(size, expected);
    for (size_t n = size / sizeof *item; n > 0; n--) {
        int64_t number = 0;

        for (int i = 0; i < ndim; i++)
            number = number * o->params.shape[i] + index[i];
        *item++ = number;
        for (int i = ndim - 1; i >= 0 && ++index[i] == stop[i]; i--)
            index[i] = start[i];
    }
    return TESS_OK;
}

static const struct {
    const char *shape;
    int64_t size; // bytes that the sample may have
    bool whole;
} cases[] = {
    {"", 8, true}, // no dimensions
    {"1", 8, true},
    {"1000", 8000, true},
    {"1000", 7999, false},
    {"1000", 8, false},
    {"1000", 1, false}, // not even an item: that is had nevertheless
    {"100000", 4096, false},
    {"65537", 65536, false},
    {"40x50x60", 960000, true},
    {"40x50x60", 959999, false},
    {"40x50x60", 100000, false},
    {"1000x3", 4000, false},
    {"3x1000", 4000, false},
    {"300x500", 200000, false},
    {"1x1x20011", 30000, false},
    {"97x89x83", 8 * 40 * 40 * 40, false},
    {"20x20x20x20", 8 * 1000, false},
    {"2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", 8 * 65536, true},
    {"2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", 8 * 5000, false},
    {"1000000000000x1000000", 8 * 30000, false}, // 8 * 10^18 bytes
};

static void
set_params(tess_params *p, const char *shape)
{
    tess_params_init(p);
    p->typesize = 8;
    if (*shape != '\0')
        assert_true(shape_text(shape, &p->ndim, p->shape));
}

static int64_t
items_of(const struct sample *s)
{
    int64_t items = 1;

    for (int i = 0; i < s->ndim; i++)
        items *= s->shape[i];
    return items;
}

// Which index of the array index k of an axis of the sample is; the same for all items there.
static void
find_indices(const struct sample *s, const tess_params *p, int axis, int64_t *from)
{
    const int64_t *const items = (const int64_t *)(const void *)s->items;
    int64_t in_sample = 1, in_array = 1;

    for (int i = axis + 1; i < s->ndim; i++) {
        in_sample *= s->shape[i];
        in_array *= p->shape[i];
    }
    for (int64_t k = 0; k < s->shape[axis]; k++)
        from[k] = -1;
    for (int64_t n = 0; n < items_of(s); n++) {
        const int64_t k = n / in_sample % s->shape[axis];
        const int64_t index = items[n] / in_array % p->shape[axis];

        assert_true(from[k] < 0 || from[k] == index);
        from[k] = index;
    }
}

// In order and none twice; in pieces, which lie at equal distances from the ends and each other.
static void
check_pieces(const char *what, const int64_t *from, int64_t count, int64_t length)
{
    int64_t gaps[8] = {from[0]}, ngaps = 1, piece = 1, left_out = length - count;

    for (int64_t k = 1; k < count; k++, piece++) {
        if (from[k] <= from[k - 1])
            fail_msg("%s: index %" PRId64 " after %" PRId64, what, from[k], from[k - 1]);
        if (from[k] == from[k - 1] + 1)
            continue;
        assert_in_range(ngaps, 1, 6);
        assert_true(piece >= 32); // shorter ones say little of how an array compresses
        gaps[ngaps++] = from[k] - from[k - 1] - 1;
        piece = 0;
    }
    assert_true(count < 4 * 32 || left_out < 8 || ngaps == 4);
    gaps[ngaps++] = length - 1 - from[count - 1];
    for (int64_t i = 0; i < ngaps; i++)
        if (llabs(gaps[i] - left_out / ngaps) > ngaps)
            fail_msg("%s: %" PRId64 " are left out, %" PRId64 " of them in gap %" PRId64
                     " of %" PRId64,
                     what, left_out, gaps[i], i, ngaps);
}

static void
test_take(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct origin o = {.reads = 0};
        struct sample s;
        tess_error err;

        set_params(&o.params, cases[i].shape);
        assert_int_equal(sample_take(&s, &o.params, cases[i].size, read_numbers, &o, &err),
                         TESS_OK);
        assert_int_equal(s.ndim, o.params.ndim);
        assert_int_equal(s.whole, cases[i].whole);
        assert_int_equal(s.size, 8 * items_of(&s));
        assert_true((int64_t)s.size <= cases[i].size || items_of(&s) == 1);
        // Axes are halved, so at least about half of what it may have is used.
        assert_true(s.whole || s.ndim > 8 || 5 * (int64_t)s.size >= 2 * cases[i].size ||
                    cases[i].size < 8);
        for (int axis = 0; axis < s.ndim; axis++) {
            int64_t *const from = malloc((size_t)s.shape[axis] * sizeof *from);

            assert_non_null(from);
            assert_in_range(s.shape[axis], 1, o.params.shape[axis]);
            find_indices(&s, &o.params, axis, from);
            if (s.shape[axis] == o.params.shape[axis])
                for (int64_t k = 0; k < s.shape[axis]; k++)
                    assert_int_equal(from[k], k);
            else
                check_pieces(cases[i].shape, from, s.shape[axis], o.params.shape[axis]);
            free(from);
        }
        sample_close(&s);
    }
}

// The longest axes are shortened, the others are whole.
static void
test_longest(void **state)
{
    struct origin o = {.reads = 0};
    struct sample s;

    (void)state;
    set_params(&o.params, "10x1000x100");
    assert_int_equal(sample_take(&s, &o.params, 8 * 10 * 130 * 100, read_numbers, &o, NULL),
                     TESS_OK);
    assert_memory_equal(s.shape, ((int64_t[]){10, 125, 100}), 3 * sizeof s.shape[0]);
    sample_close(&s);
}

// Whichever read fails: its sentence comes out, and all can be closed.
static void
test_failing(void **state)
{
    int reads = 0;

    (void)state;
    for (int n = 1; n <= 17; n++) {
        struct origin o = {.fails_at = n};
        struct sample s;
        tess_error err;

        set_params(&o.params, "1000x1000");
        const tess_status st = sample_take(&s, &o.params, 8 * 300 * 300, read_numbers, &o, &err);
        if (st != TESS_OK) {
            assert_int_equal(st, TESS_ERR_IO);
            assert_string_equal(err.message, "the disk is gone");
            assert_int_equal(o.reads, n);
            reads++;
        }
        sample_close(&s);
        sample_close(&s);
    }
    assert_int_equal(reads, 16); // 4 x 4 pieces
}

// -- without an array

static const char *const dtypes[] = {
    "|b1",   "|u1", "|i1", "<u2",  "<i2",     "<u4",
    "<i4",   "<u8", "<i8", "<f2",  "<f4",     "<f8",
    ">f4",   ">f8", ">i4", "<c8",  "<c16",    "|S1",
    "|S300", "<U5", "|V1", "|V17", "|V300",   "|S3",
    "<M8",   "|V3", "<m8", ">U2",  "<M8[ms]", "[('a', '<i4'), ('b', '<f8')]",
};

// Made up for each type alike, with more than one value.
static void
test_generate(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        struct sample s, again;
        tess_params p;

        set_params(&p, "300x200");
        p.dtype = dtypes[i];
        p.typesize = tess_dtype_parse(dtypes[i]).size;
        if (p.typesize <= 0)
            fail_msg("%s: no type", dtypes[i]);
        assert_int_equal(sample_generate(&s, &p, 100 * 100 * p.typesize, NULL), TESS_OK);
        assert_int_equal(sample_generate(&again, &p, 100 * 100 * p.typesize, NULL), TESS_OK);
        assert_false(s.whole);
        assert_int_equal(s.size, s.shape[0] * s.shape[1] * p.typesize);
        assert_true((int64_t)s.size <= (int64_t)100 * 100 * p.typesize);
        assert_memory_equal(s.items, again.items, s.size);
        int differ = 0;
        for (size_t n = 1; n < s.size / (size_t)p.typesize; n++)
            differ += memcmp(s.items, s.items + n * (size_t)p.typesize, (size_t)p.typesize) != 0;
        if (differ < 10)
            fail_msg("%s: only %d items differ from the first", dtypes[i], differ);
        sample_close(&s);
        sample_close(&again);
    }
}

// The number in an item: a float of 4 or 8 bytes, else a signed integer.
static double
load(const uint8_t *item, const tess_dtype *type)
{
    uint64_t bits = 0;
    uint32_t half;
    double real;
    float single;

    for (int i = 0; i < type->size; i++)
        bits = bits << 8 | item[type->order == '>' ? i : type->size - 1 - i];
    if (type->kind != TESS_KIND_FLOAT)
        return (double)((int64_t)(bits << (64 - 8 * type->size)) >> (64 - 8 * type->size));
    if (type->size == 8) {
        memcpy(&real, &bits, sizeof real);
        return real;
    }
    half = (uint32_t)bits;
    memcpy(&single, &half, sizeof single);
    return single;
}

// The same numbers in either byte order, as the type says, not the machine.
static void
test_orders(void **state)
{
    static const struct {
        const char *dtype;
        double unit; // what is lost by rounding
    } orders[] = {{"<f8", 0}, {">f8", 0}, {"<f4", 1e-4}, {">f4", 1e-4}, {"<i2", 1}, {">i2", 1},
                  {"<u4", 1}, {">u4", 1}, {"<i8", 1},    {">i8", 1},    {"<M8", 1}};
    double first[100];

    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const tess_dtype type = tess_dtype_parse(orders[i].dtype);
        struct sample s;
        tess_params p;

        set_params(&p, "10x10");
        p.dtype = orders[i].dtype;
        p.typesize = type.size;
        assert_int_equal(sample_generate(&s, &p, 1 << 20, NULL), TESS_OK);
        for (int n = 0; n < 100; n++) {
            const uint8_t *const item = s.items + n * type.size;
            const double v = load(item, &type);

            first[n] = i == 0 ? v : first[n];
            assert_true(first[n] > 0 && first[n] < 1001);
            if (!(fabs(v - first[n]) <= orders[i].unit))
                fail_msg("%s: item %d is %g, not %g", orders[i].dtype, n, v, first[n]);
        }
        sample_close(&s);
    }
}

// A field that is smooth: neighbours differ less than items far away.
static void
test_smooth(void **state)
{
    const tess_dtype type = {.kind = TESS_KIND_FLOAT, .order = '<', .size = 8};
    double near = 0, far = 0;
    struct sample s;
    tess_params p;

    (void)state;
    set_params(&p, "200x200");
    p.dtype = "<f8";
    assert_int_equal(sample_generate(&s, &p, 1 << 20, NULL), TESS_OK);
    assert_true(s.whole);
    assert_int_equal(s.size, 200 * 200 * 8);
    double *const v = malloc(s.size);
    assert_non_null(v);
    for (int n = 0; n < 200 * 200; n++)
        v[n] = load(s.items + 8 * n, &type);
    for (int n = 0; n < 200 * 100; n++) {
        assert_true(isfinite(v[n]) && v[n] >= -1000 && v[n] <= 2000);
        near += fabs(v[n] - v[n + 1]);
        far += fabs(v[n] - v[n + 200 * 70 + 35]);
    }
    assert_true(3 * near < far && near > 0);
    free(v);
    sample_close(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take),    cmocka_unit_test(test_longest),
        cmocka_unit_test(test_failing), cmocka_unit_test(test_generate),
        cmocka_unit_test(test_orders),  cmocka_unit_test(test_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
