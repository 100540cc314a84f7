/*
 * filter_pipeline.c - pipelines on blocks: the examples of the format, one filter at a time against
 * its formula, any pipeline there and back, and what is refused.
 */
#include "filter/pipeline.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE_LIMIT = 3000, NTURNS = 20000 };

static uint8_t block[SIZE_LIMIT], first[SIZE_LIMIT], tmp[4][SIZE_LIMIT], kept[SIZE_LIMIT];

static struct pipeline
pipeline_of(const struct filter_spec *spec)
{
    struct pipeline p;
    tess_error err;
    if (pipeline_init(spec, &p, &err) != TESS_OK)
        fail_msg("%s", err.message);
    return p;
}

static struct pipeline
one_filter(uint8_t id, uint8_t meta, int32_t typesize)
{
    const struct filter_spec spec = {
        .ids = {0, 0, id}, .metas = {9, 9, meta}, .typesize = typesize, .frame_typesize = typesize};
    return pipeline_of(&spec);
}

static const uint8_t *
forward(const struct pipeline *p, const uint8_t *src, int32_t nblock, size_t size)
{
    memset(tmp[0], 0xee, SIZE_LIMIT);
    memset(tmp[1], 0xee, SIZE_LIMIT);
    const uint8_t *out = NULL;
    assert_int_equal(pipeline_forward(p, src, nblock, nblock > 0 ? first : NULL, tmp[0], tmp[1],
                                      size, &out, NULL),
                     TESS_OK);
    return out;
}

static const uint8_t *
backward(const struct pipeline *p, const uint8_t *src, int32_t nblock, size_t size)
{
    memset(tmp[2], 0xee, SIZE_LIMIT);
    memset(tmp[3], 0xee, SIZE_LIMIT);
    const uint8_t *out = NULL;
    assert_int_equal(pipeline_backward(p, 0, src, nblock, nblock > 0 ? first : NULL, tmp[2], tmp[3],
                                       size, &out, NULL),
                     TESS_OK);
    return out;
}

struct example {
    const char *what;
    uint8_t ids[FILTER_SLOTS], metas[FILTER_SLOTS];
    int32_t typesize;
    size_t size;
    uint8_t plain[16], filtered[16];
};

#define ITEMS                                    \
    {                                            \
        1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 0, 0, 0xaa \
    } // int32 1, 2, 259 and a trailing byte

static const struct example examples[] = {
    {"no filter", {0}, {0}, 4, 13, ITEMS, ITEMS},
    {"shuffle", {1}, {0}, 4, 13, ITEMS, {1, 2, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xaa}},
    {"shuffle, meta 4 on bytes",
     {1},
     {4},
     1,
     13,
     ITEMS,
     {1, 2, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xaa}},
    {"shuffle of one byte", {1}, {0}, 1, 13, ITEMS, ITEMS},
    {"shuffle wider than the block", {1}, {200}, 4, 13, ITEMS, ITEMS},
    {"delta", {3}, {0}, 4, 13, ITEMS, {1, 0, 0, 0, 3, 0, 0, 0, 1, 1, 0, 0, 0xaa}},
    {"delta of odd items goes by bytes", {3}, {0}, 3, 5, {1, 3, 7, 7, 0}, {1, 2, 4, 0, 7}},
    {"delta of 24-byte items goes by 8",
     {3},
     {0},
     24,
     16,
     {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 9},
     {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1}},
    {"bytedelta after shuffle",
     {1, 35},
     {0, 4},
     4,
     13,
     ITEMS,
     {1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xaa}},
    {"bytedelta, width of the frame",
     {0, 0, 1, 0, 0, 35},
     {0},
     4,
     13,
     ITEMS,
     {1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xaa}},
    {"bitshuffle", {2}, {0}, 1, 8, {1, 2, 3, 4, 5, 6, 7, 8}, {0x55, 0x66, 0x78, 0x80}},
    {"bitshuffle leaves the items behind the eighth",
     {2},
     {0},
     1,
     11,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
     {0x55, 0x66, 0x78, 0x80, 0, 0, 0, 0, 9, 10, 11}},
    {"bitshuffle of 7 items", {2}, {0}, 1, 7, {1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7}},
};

static void
examples_of_the_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *const x = &examples[i];
        struct filter_spec spec = {.typesize = x->typesize, .frame_typesize = x->typesize};
        memcpy(spec.ids, x->ids, FILTER_SLOTS);
        memcpy(spec.metas, x->metas, FILTER_SLOTS);
        const struct pipeline p = pipeline_of(&spec);
        const uint8_t *const there = forward(&p, x->plain, 0, x->size);
        if (memcmp(there, x->filtered, x->size) != 0)
            fail_msg("%s: filtered wrongly", x->what);
        if (memcmp(backward(&p, there, 0, x->size), x->plain, x->size) != 0)
            fail_msg("%s: undone wrongly", x->what);
    }
}

static void
delta_of_later_blocks_is_to_the_first(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    random_bytes(&r, block, SIZE_LIMIT);
    random_bytes(&r, first, SIZE_LIMIT);
    for (int32_t typesize = 1; typesize <= 255; typesize++) {
        const size_t e = typesize % 8 == 0                                 ? 8
                         : typesize == 1 || typesize == 2 || typesize == 4 ? (size_t)typesize
                                                                           : 1;
        const struct pipeline p = one_filter(TESS_FILTER_DELTA, 0, typesize);
        for (size_t size = 0; size < 80; size++) {
            const uint8_t *const there = forward(&p, block, 3, size);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(there[i], i < size / e * e ? block[i] ^ first[i] : block[i]);
            if (size > 0)
                assert_memory_equal(backward(&p, there, 3, size), block, size);
        }
    }
}

// Slots after delta see xor'ed bytes in block 0 as well as in others; the reference stays the
// content, whatever the slot.
static void
reference_is_the_content(void **state)
{
    (void)state;
    const struct filter_spec spec = {.ids = {TESS_FILTER_SHUFFLE, TESS_FILTER_DELTA},
                                     .typesize = 2};
    const struct pipeline p = pipeline_of(&spec);
    memcpy(first, (const uint8_t[]){0x10, 0x20, 0x30, 0x40}, 4);
    const uint8_t items[] = {1, 2, 3, 4};
    const uint8_t want[] = {1 ^ 0x10, 3 ^ 0x20, 2 ^ 0x30, 4 ^ 0x40}; // shuffled, then xor
    assert_memory_equal(forward(&p, items, 1, 4), want, 4);
    assert_memory_equal(backward(&p, want, 1, 4), items, 4);
}

static uint64_t
number_at(const uint8_t *p, int32_t size)
{
    uint64_t x = 0;
    for (int32_t i = 0; i < size; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static void
check_truncation(uint8_t id, int32_t typesize, int meta, int nbits, struct random *r)
{
    const struct pipeline p = one_filter(id, (uint8_t)meta, typesize);
    const uint64_t cleared = (UINT64_C(1) << nbits) - 1;
    tess_error err;

    if (pipeline_check_encode(&p, &err) != TESS_OK)
        fail_msg("%s", err.message);
    const size_t size = (size_t)random_below(r, 100);
    const size_t whole = size - size % (size_t)typesize;
    const uint8_t *const there = forward(&p, block, 0, size);
    for (size_t i = 0; i < whole; i += (size_t)typesize)
        assert_true(number_at(there + i, typesize) == (number_at(block + i, typesize) & ~cleared));
    for (size_t i = whole; i < size; i++)
        assert_int_equal(there[i], block[i]);
    assert_ptr_equal(backward(&p, there, 0, size), there); // nothing to undo
}

static void
truncation_clears_the_lowest_bits(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    random_bytes(&r, block, SIZE_LIMIT);
    for (int32_t typesize = 1; typesize <= 8; typesize *= 2) {
        const int bits = 8 * typesize;
        for (int p = 1; p <= bits; p++)
            check_truncation(TESS_FILTER_INT_TRUNC, typesize, p, bits - p, &r);
        for (int p = 1; p < bits; p++)
            check_truncation(TESS_FILTER_INT_TRUNC, typesize, -p, p, &r);
        if (typesize < 4)
            continue;
        const int mantissa = typesize == 4 ? 23 : 52;
        for (int p = 1; p <= mantissa; p++)
            check_truncation(TESS_FILTER_TRUNC_PREC, typesize, p, mantissa - p, &r);
        for (int p = 1; p < mantissa; p++)
            check_truncation(TESS_FILTER_TRUNC_PREC, typesize, -p, p, &r);
    }
}

// The running value starts again behind a multiple of 16 bytes.
static void
first_bytedelta_restarts(void **state)
{
    (void)state;
    const struct pipeline p = one_filter(FILTER_BYTEDELTA_OLD, 2, 4);
    for (size_t q = 0; q < 70; q++) {
        const size_t size = 2 * q + 1;
        memset(block, 1, size);
        const uint8_t *const there = backward(&p, block, 0, size);
        for (size_t i = 0; i < q; i++) {
            const size_t start = i < q / 16 * 16 ? 0 : q / 16 * 16;
            assert_int_equal(there[i], i - start + 1);
            assert_int_equal(there[q + i], i - start + 1);
        }
        assert_int_equal(there[2 * q], 1); // trailing
    }
}

static void
old_bitshuffle_is_all_or_nothing(void **state)
{
    (void)state;
    const struct filter_spec spec = {
        .ids = {TESS_FILTER_BITSHUFFLE}, .typesize = 1, .old_bitshuffle = true};
    const struct pipeline p = pipeline_of(&spec);
    const uint8_t bits[9] = {0x55, 0x66, 0x78, 0x80, 0, 0, 0, 0, 0x77};
    const uint8_t items[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_memory_equal(backward(&p, bits, 0, 8), items, 8);
    assert_memory_equal(backward(&p, bits, 0, 9), bits, 9);
}

static void
random_spec(struct random *r, struct filter_spec *spec)
{
    static const uint8_t lossless[] = {0, 1, 2, 3, 35};
    const int nused = (int)random_below(r, FILTER_SLOTS + 1);

    *spec = (struct filter_spec){.typesize = 1 + (int32_t)random_below(r, 255),
                                 .old_bitshuffle = random_below(r, 8) == 0};
    if (random_below(r, 2))
        spec->typesize = 1 << random_below(r, 5);
    spec->frame_typesize = random_below(r, 4) ? spec->typesize : 1000 + (int32_t)random_below(r, 9);
    for (int i = 0; i < nused; i++) {
        spec->ids[i] = lossless[random_below(r, sizeof lossless)];
        spec->metas[i] = (uint8_t)(random_below(r, 2) ? 0 : random_below(r, 256));
    }
}

static void
what_comes_back_is_what_went_in(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    random_bytes(&r, first, SIZE_LIMIT);
    for (int turn = 0; turn < NTURNS; turn++) {
        struct filter_spec spec;
        random_spec(&r, &spec);
        const struct pipeline p = pipeline_of(&spec);
        const size_t size = 1 + random_below(&r, random_below(&r, 2) ? 100 : SIZE_LIMIT - 1);
        const int32_t nblock = (int32_t)random_below(&r, 3);
        random_bytes(&r, block, size);
        memcpy(kept, block, size);

        const uint8_t *const there = forward(&p, block, nblock, size);
        assert_memory_equal(block, kept, size);
        memcpy(kept, there, size);
        const uint8_t *const back = backward(&p, there, nblock, size);
        assert_memory_equal(there, kept, size); // may be shared with others
        if (memcmp(back, block, size) != 0)
            fail_msg("turn %d: %zu bytes of typesize %" PRId32, turn, size, spec.typesize);
    }
}

// What keep = 1 leaves are planes of the items, also behind a filter that only cuts off bits.
static void
planes_are_left_to_the_reader(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint8_t ids[FILTER_SLOTS], metas[FILTER_SLOTS];
        int32_t typesize, itemsize, planes;
    } cases[] = {
        {"the usual one", {0, 0, 0, 0, 0, 1}, {0}, 4, 4, 4},
        {"bytedelta behind", {1, 35}, {0}, 4, 4, 4},
        {"bits cut off before", {4, 1}, {10, 0}, 4, 4, 4},
        {"bits cut off before and behind", {4, 1, 36, 35}, {10, 0, 30, 0}, 4, 4, 4},
        {"width in the meta", {1}, {8}, 4, 8, 8},
        {"narrower than an item", {1}, {2}, 4, 4, 0},
        {"other items", {1}, {0}, 4, 8, 0},
        {"delta before", {3, 1}, {0}, 4, 4, 0},
        {"only bits cut off", {4}, {10}, 4, 4, 0},
        {"no filter", {0}, {0}, 4, 4, 0},
    };
    struct random r;
    random_init(&r, random_seed());
    random_bytes(&r, block, SIZE_LIMIT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter_spec spec = {.typesize = cases[i].typesize,
                                   .frame_typesize = cases[i].typesize};
        memcpy(spec.ids, cases[i].ids, FILTER_SLOTS);
        memcpy(spec.metas, cases[i].metas, FILTER_SLOTS);
        const struct pipeline p = pipeline_of(&spec);
        const size_t w = (size_t)cases[i].planes, n = 100;
        if (pipeline_planes(&p, cases[i].itemsize) != cases[i].planes)
            fail_msg("%s: %" PRId32 " planes", cases[i].why,
                     pipeline_planes(&p, cases[i].itemsize));
        if (w == 0)
            continue;
        memcpy(kept, backward(&p, block, 0, w * n), w * n);
        const uint8_t *planes = NULL;
        assert_int_equal(
            pipeline_backward(&p, 1, block, 0, NULL, tmp[0], tmp[1], w * n, &planes, NULL),
            TESS_OK);
        for (size_t k = 0; k < w * n; k++)
            assert_int_equal(planes[k % w * n + k / w], kept[k]);
    }
}

static void
filters_that_are_not_known(void **state)
{
    (void)state;
    for (int id = 0; id < 256; id++) {
        const bool known = id <= 4 || (id >= 34 && id <= 36);
        struct filter_spec spec = {
            .ids = {0, 1, 0, 0, (uint8_t)id}, .typesize = 4, .frame_typesize = 4};
        struct pipeline p;
        tess_error err;
        char expected[32];

        if (known) {
            assert_int_equal(pipeline_init(&spec, &p, &err), TESS_OK);
            continue;
        }
        snprintf(expected, sizeof expected, "filter %d in slot 4 ", id);
        assert_int_equal(pipeline_init(&spec, &p, &err), TESS_ERR_UNSUPPORTED);
        assert_int_equal(err.status, TESS_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.message, expected));
        assert_int_equal(pipeline_init(&spec, &p, NULL), TESS_ERR_UNSUPPORTED);
    }
}

static void
specs_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct filter_spec spec;
        tess_status want;
    } cases[] = {
        {"bytedelta as wide as an unknown frame",
         {.ids = {35}, .typesize = 4},
         TESS_ERR_UNSUPPORTED},
        {"a negative typesize of the frame",
         {.ids = {34}, .typesize = 4, .frame_typesize = -1},
         TESS_ERR_UNSUPPORTED},
        {"bytedelta with a width of its own", {.ids = {35}, .metas = {3}, .typesize = 4}, TESS_OK},
        {"items of no bytes", {.ids = {1}, .typesize = 0}, TESS_ERR_CORRUPT},
        {"items of 256 bytes", {.ids = {1}, .typesize = 256}, TESS_ERR_CORRUPT},
        {"a lossy filter with any meta is not undone",
         {.ids = {4, 36}, .metas = {200, 0}, .typesize = 3},
         TESS_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pipeline p;
        tess_error err;
        if (pipeline_init(&cases[i].spec, &p, &err) != cases[i].want)
            fail_msg("%s", cases[i].why);
    }
}

static void
pipelines_that_are_not_written(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint8_t ids[FILTER_SLOTS];
        int metas[FILTER_SLOTS];
        int32_t typesize;
        tess_status want;
    } cases[] = {
        {"the first bytedelta", {34}, {4}, 4, TESS_ERR_ARG},
        {"trunc_prec of 16-bit items", {4}, {5}, 2, TESS_ERR_ARG},
        {"trunc_prec to no bit", {4}, {0}, 4, TESS_ERR_ARG},
        {"trunc_prec of all bits", {4}, {-23}, 4, TESS_ERR_ARG},
        {"trunc_prec to 24 bits", {4}, {24}, 4, TESS_ERR_ARG},
        {"trunc_prec of 24 bits", {4}, {-24}, 4, TESS_ERR_ARG},
        {"trunc_prec to 53 bits", {4}, {53}, 8, TESS_ERR_ARG},
        {"trunc_prec of 52 bits", {4}, {-52}, 8, TESS_ERR_ARG},
        {"trunc_prec of 51 bits", {4}, {-51}, 8, TESS_OK},
        {"int_trunc of 16-byte items", {36}, {5}, 16, TESS_ERR_ARG},
        {"int_trunc to no bit", {36}, {0}, 4, TESS_ERR_ARG},
        {"int_trunc to 33 bits", {36}, {33}, 4, TESS_ERR_ARG},
        {"int_trunc of 32 bits", {36}, {-32}, 4, TESS_ERR_ARG},
        {"int_trunc of -128 bits", {36}, {-128}, 8, TESS_ERR_ARG},
        {"int_trunc to all bits", {36}, {32}, 4, TESS_OK},
        {"delta behind trunc_prec", {4, 0, 3}, {10}, 4, TESS_ERR_ARG},
        {"delta behind int_trunc", {36, 1, 3}, {10}, 4, TESS_ERR_ARG},
        {"delta before trunc_prec", {3, 4, 1}, {0, 10}, 4, TESS_OK},
        {"all that is lossless", {1, 2, 3, 35}, {0}, 4, TESS_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter_spec spec = {.typesize = cases[i].typesize,
                                   .frame_typesize = cases[i].typesize};
        memcpy(spec.ids, cases[i].ids, FILTER_SLOTS);
        for (int k = 0; k < FILTER_SLOTS; k++)
            spec.metas[k] = (uint8_t)cases[i].metas[k];
        const struct pipeline p = pipeline_of(&spec);
        tess_error err;
        if (pipeline_check_encode(&p, &err) != cases[i].want)
            fail_msg("%s", cases[i].why);
        assert_int_equal(pipeline_check_encode(&p, NULL), cases[i].want);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_format),
        cmocka_unit_test(delta_of_later_blocks_is_to_the_first),
        cmocka_unit_test(reference_is_the_content),
        cmocka_unit_test(truncation_clears_the_lowest_bits),
        cmocka_unit_test(first_bytedelta_restarts),
        cmocka_unit_test(old_bitshuffle_is_all_or_nothing),
        cmocka_unit_test(what_comes_back_is_what_went_in),
        cmocka_unit_test(planes_are_left_to_the_reader),
        cmocka_unit_test(filters_that_are_not_known),
        cmocka_unit_test(specs_that_cannot_be),
        cmocka_unit_test(pipelines_that_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
