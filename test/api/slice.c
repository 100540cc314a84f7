/*
 * slice.c - slices with steps, memory with strides and fill, against the slow reference.
 *
 * Case i is drawn from the seed plus i alone: TESS_TEST_SEED with the number that a failure prints
 * and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more. And the files of other writers,
 * where reading all says what the items are.
 */
#include "support/files.h"
#include "support/seen.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES_SHORT = 600, CASES_LONG = 30000, OPERATIONS_MAX = 10 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// -- random arrays

static void
operate(struct trial *t, struct seen *v)
{
    bool cut;

    switch (below(&t->random, 14)) {
    case 0:
        trial_tell(t, "flush\n");
        ok(tess_array_flush(t->a, err));
        if (t->storage.path)
            check_file(t->storage.path, &t->reference);
        return;
    case 1:
        trial_reopen(t);
        v->a = t->a;
        return;
    case 2:
        if (seen_resize(t, one_in(&t->random, 2), &cut)) {
            seen_finish(v);
            seen_whole(t, v);
        }
        return;
    case 3:
        seen_write(t, v);
        return;
    case 4:
    case 5:
        seen_fill(t, v);
        return;
    case 6:
    case 7:
    case 8:
        seen_set_slice(t, v);
        return;
    case 9:
        seen_read(t, v);
        return;
    default:
        seen_get_slice(t, v);
        return;
    }
}

static void
live(struct trial *t)
{
    struct seen v;

    seen_begin(t, &v);
    for (int64_t n = 2 + below(&t->random, OPERATIONS_MAX); n > 0; n--) {
        operate(t, &v);
        if (one_in(&t->random, 3))
            check_array(t->a, &t->reference);
    }
    trial_reopen(t);
    check_array(t->a, &t->reference);
    seen_finish(&v);
    trial_finish(t);
}

static void
random_arrays(void **state)
{
    (void)state;
    trial_cases(CASES_SHORT, CASES_LONG, live);
}

// -- files of other writers

static void
check_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    static struct trial t;
    struct seen v;

    (void)name;
    memset(&t, 0, sizeof t);
    random_init(&t.random, *(const uint64_t *)user);
    t.a = a;
    t.reference = *ref;
    seen_whole(&t, &v);
    for (int i = 0; i < 20; i++)
        seen_get_slice(&t, &v);
    seen_finish(&v);
}

static void
golden_files(void **state)
{
    uint64_t seed = random_seed();
    (void)state;
    check_golden_files(check_golden, &seed);
}

// -- what is decoded

static atomic_int decoded; // blocks

// Bytes that count up from the first one become that one.
static tess_status
compress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size,
         size_t *made)
{
    (void)block;
    *made = 0;
    for (size_t i = 1; i < size; i++)
        if (((const uint8_t *)src)[i] != (uint8_t)(((const uint8_t *)src)[0] + i))
            return TESS_OK;
    if (dst_size >= 1)
        memcpy(dst, src, *made = 1);
    return TESS_OK;
}

static tess_status
decompress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size)
{
    (void)block;
    if (size != 1)
        return TESS_ERR_CORRUPT;
    for (size_t i = 0; i < dst_size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(*(const uint8_t *)src + i);
    decoded++;
    return TESS_OK;
}

static const tess_user_codec counting = {.struct_size = sizeof(tess_user_codec),
                                         .id = TESS_PLUGIN_PRIVATE,
                                         .name = "counting",
                                         .compress = compress,
                                         .decompress = decompress};
static const tess_plugins plugins = {&counting, 1, NULL, 0};

enum { SIDE = 40, CHUNK = 20, BLOCK = 5 };

static uint8_t
counted_item(int i, int j)
{
    const int block = i / BLOCK * (SIDE / BLOCK) + j / BLOCK;
    return (uint8_t)(3 * block + i % BLOCK * BLOCK + j % BLOCK);
}

// Each block is one for the codec. Nothing is kept in a cache.
static tess_array *
counted_array(void)
{
    static uint8_t items[SIDE][SIDE];
    tess_context context;
    tess_storage storage;
    tess_params p;
    tess_array *a;

    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            items[i][j] = counted_item(i, j);
    tess_context_init(&context);
    context.cache = 0;
    tess_storage_init(&storage);
    storage.plugins = &plugins;
    storage.context = &context;
    tess_params_init(&p);
    p.ndim = 2;
    for (int i = 0; i < 2; i++) {
        p.shape[i] = SIDE;
        p.chunkshape[i] = CHUNK;
        p.blockshape[i] = BLOCK;
    }
    p.codec = (tess_codec)TESS_PLUGIN_PRIVATE;
    p.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_NONE;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    decoded = 0;
    return a;
}

static void
blocks_decoded(void **state)
{
    static const struct {
        const char *why;
        int64_t start[2], stop[2], step[2];
        int blocks;
    } cases[] = {
        {"one item", {0, 0}, {1, 1}, {1, 1}, 1},
        {"everything", {0, 0}, {SIDE, SIDE}, {1, 1}, 64},
        {"everything, downwards", {SIDE - 1, SIDE - 1}, {-1, -1}, {-1, -1}, 64},
        {"an item of each block", {0, 0}, {SIDE, SIDE}, {BLOCK, BLOCK}, 64},
        {"every other block", {1, 0}, {SIDE, SIDE}, {2 * BLOCK, BLOCK}, 32},
        {"every other block, downwards", {38, 39}, {-1, -1}, {-2 * BLOCK, -2 * BLOCK}, 16},
        {"an item of each chunk", {3, 3}, {SIDE, SIDE}, {CHUNK, CHUNK}, 4},
        {"a row of chunks has none", {1, 0}, {SIDE, 1}, {SIDE, 1}, 1},
        {"7 apart: blocks 0 1 2 4 5 7", {0, 0}, {SIDE, 1}, {7, 1}, 6},
        {"nothing", {5, 5}, {5, 40}, {1, 1}, 0},
    };
    static uint8_t got[SIDE * SIDE];
    tess_array *const a = counted_array();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        decoded = 0;
        ok(tess_array_get_slice(a, cases[i].start, cases[i].stop, cases[i].step, got, sizeof got,
                                NULL, err));
        if (decoded != cases[i].blocks)
            fail_msg("%s: %d blocks decoded instead of %d", cases[i].why, decoded, cases[i].blocks);
    }
    ok(tess_array_close(a, err));
}

// -- fill

static void
check_chunk(tess_array *a, int64_t n, tess_chunk_kind kind)
{
    tess_chunk_info chunk;

    ok(tess_array_chunk(a, n, &chunk, err));
    assert_int_equal(chunk.kind, kind);
    assert_true(chunk.cbytes < 64);
}

static void
filled_chunks(void **state)
{
    const int64_t start[2] = {0, 0}, stop[2] = {CHUNK, SIDE};
    const int64_t last[2] = {SIDE - 1, SIDE - 1}, end[2] = {CHUNK - 1, CHUNK - 1};
    const int64_t down[2] = {-1, -1};
    const uint8_t item = 77, zero = 0;
    tess_array *const a = counted_array();
    uint8_t got[SIDE * SIDE];

    (void)state;
    ok(tess_array_fill(a, start, stop, NULL, &item, 1, err));
    ok(tess_array_fill(a, last, end, down, &zero, 1, err));
    assert_int_equal(decoded, 0);
    check_chunk(a, 0, TESS_CHUNK_VALUE);
    check_chunk(a, 1, TESS_CHUNK_VALUE);
    check_chunk(a, 3, TESS_CHUNK_ZEROS);
    const int64_t all[2] = {SIDE, SIDE};
    ok(tess_array_read(a, start, all, got, sizeof got, err));
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            assert_int_equal(got[i * SIDE + j], i < CHUNK   ? 77
                                                : j < CHUNK ? counted_item(i, j)
                                                            : 0);
    ok(tess_array_close(a, err));
}

// Whole blocks of a chunk are not decoded either.
static void
filled_blocks(void **state)
{
    const int64_t start[2] = {BLOCK, BLOCK}, stop[2] = {3 * BLOCK, 4 * BLOCK};
    const uint8_t item = 77;
    tess_array *const a = counted_array();

    (void)state;
    ok(tess_array_fill(a, start, stop, NULL, &item, 1, err));
    assert_int_equal(decoded, 0);
    ok(tess_array_close(a, err));
}

// -- lengths

static void
lengths(void **state)
{
    static const struct {
        int64_t start, stop, step, length;
    } cases[] = {
        {0, 10, 1, 10},
        {0, 10, 3, 4},
        {0, 9, 3, 3},
        {9, -1, -1, 10},
        {9, -1, -3, 4},
        {8, -1, -3, 3},
        {0, -1, -1, 1},
        {5, 5, 1, 0},
        {5, 5, -1, 0},
        {6, 5, 1, 0},
        {5, 6, -1, 0},
        {0, 10, 0, 0},
        {0, 10, INT64_MAX, 1},
        {9, -1, INT64_MIN, 1},
        {9, -1, -INT64_MAX, 1},
        {0, INT64_MAX, 1, INT64_MAX},
        {0, INT64_MAX, INT64_MAX, 1},
        {0, INT64_MAX, INT64_MAX - 1, 2},
        {INT64_MAX - 1, -1, -1, INT64_MAX},
        {INT64_MAX, INT64_MIN, INT64_MIN, 2},
        {INT64_MIN, INT64_MAX, INT64_MAX, 3},
        {INT64_MIN, INT64_MAX - 1, 2, INT64_MAX},
        {INT64_MIN, INT64_MAX, 2, INT64_MAX}, // and one more
        {INT64_MIN, INT64_MAX, 1, INT64_MAX},
        {INT64_MAX, INT64_MIN, -1, INT64_MAX},
        {INT64_MAX, INT64_MIN, 1, 0},
        {INT64_MIN, INT64_MAX, -1, 0},
        {INT64_MIN, INT64_MAX, INT64_MIN, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int64_t got = tess_slice_length(cases[i].start, cases[i].stop, cases[i].step);
        if (got != cases[i].length)
            fail_msg("%" PRId64 ":%" PRId64 ":%" PRId64 " has %" PRId64 ", not %" PRId64,
                     cases[i].start, cases[i].stop, cases[i].step, cases[i].length, got);
    }
}

// -- arguments

static tess_array *
small_array(int ndim, const char *path)
{
    static int32_t items[20];
    tess_params p;
    tess_storage storage;
    tess_array *a;
    size_t n = 1;

    for (int i = 0; i < 20; i++)
        items[i] = i;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = ndim;
    for (int i = 0; i < ndim; i++)
        n *= (size_t)(p.shape[i] = 4 + i);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    ok(tess_array_from(&storage, &p, items, n * sizeof *items, &a, err));
    return a;
}

// Nothing was set.
static void
check_numbers(const tess_array *a)
{
    const int64_t shape[] = {4, 5};
    struct reference ref;

    reference_init(&ref, 2, shape, sizeof(int32_t));
    for (int32_t i = 0; i < 20; i++)
        memcpy(ref.data + 4 * i, &i, 4);
    check_array(a, &ref);
    reference_finish(&ref);
}

// Slices that leave the array of 4 x 5, or are none.
static const struct bad {
    int64_t start[2], stop[2], step[2];
    const char *sentence;
} bad[] = {
    {{0, 0}, {4, 6}, {1, 1}, "the slice 0:6:1 leaves axis 1, which has 5 items"},
    {{-1, 0}, {4, 5}, {1, 1}, "the slice -1:4:1 leaves axis 0, which has 4 items"},
    {{0, INT64_MIN},
     {4, 5},
     {1, 1},
     "the slice -9223372036854775808:5:1 leaves axis 1, which has 5 items"},
    {{0, 0},
     {4, INT64_MAX},
     {1, INT64_MAX},
     "the slice 0:9223372036854775807:9223372036854775807 leaves axis 1, which has 5 items"},
    {{0, 0}, {4, 5}, {1, 0}, "the step along axis 1 is 0"},
    {{4, 0}, {-1, 5}, {-1, 1}, "the slice 4:-1:-1 leaves axis 0, which has 4 items"},
    {{3, 4}, {-1, -2}, {-1, -1}, "the slice 4:-2:-1 leaves axis 1, which has 5 items"},
    {{3, INT64_MAX},
     {-1, -1},
     {-1, INT64_MIN},
     "the slice 9223372036854775807:-1:-9223372036854775808 leaves axis 1, which has 5 items"},
    {{3, 4},
     {-1, INT64_MIN},
     {-1, -1},
     "the slice 4:-9223372036854775808:-1 leaves axis 1, which has 5 items"},
    {{0, 5},
     {0, 0},
     {1, -1},
     "the slice 5:0:-1 leaves axis 1, which has 5 items"}, // also where there is nothing
    {{-1, 0}, {-1, 5}, {1, 1}, "the slice -1:-1:1 leaves axis 0, which has 4 items"},
};

static void
bad_slices(void **state)
{
    int32_t memory[20], before[20];
    tess_array *const a = small_array(2, NULL);
    tess_error error;

    (void)state;
    for (int i = 0; i < 20; i++)
        before[i] = memory[i] = 1000 + i;
    for (size_t i = 0; i < COUNT(bad); i++) {
        const struct bad *const b = &bad[i];
        refused(TESS_ERR_ARG, tess_array_get_slice(a, b->start, b->stop, b->step, memory,
                                                   sizeof memory, NULL, err));
        refused(TESS_ERR_ARG, tess_array_set_slice(a, b->start, b->stop, b->step, memory,
                                                   sizeof memory, NULL, err));
        refused(TESS_ERR_ARG, tess_array_fill(a, b->start, b->stop, b->step, memory, 4, err));
        assert_int_equal(tess_array_get_slice(a, b->start, b->stop, b->step, memory, sizeof memory,
                                              NULL, &error),
                         TESS_ERR_ARG);
        assert_string_equal(error.message, b->sentence);
        assert_memory_equal(memory, before, sizeof memory);
    }
    check_numbers(a);
    ok(tess_array_close(a, err));
}

static const int64_t origin[2] = {0, 0}, whole[2] = {4, 5}, ones[2] = {1, 1};

static void
missing_arguments(void **state)
{
    const int64_t strides[2] = {20, 4};
    int32_t m[20] = {0};
    tess_array *const a = small_array(2, NULL);

    (void)state;
    refused(TESS_ERR_ARG,
            tess_array_get_slice(NULL, origin, whole, ones, m, sizeof m, strides, err));
    refused(TESS_ERR_ARG, tess_array_get_slice(a, NULL, whole, ones, m, sizeof m, strides, err));
    refused(TESS_ERR_ARG, tess_array_get_slice(a, origin, NULL, ones, m, sizeof m, strides, err));
    refused(TESS_ERR_ARG,
            tess_array_get_slice(a, origin, whole, ones, NULL, sizeof m, strides, err));
    refused(TESS_ERR_ARG,
            tess_array_set_slice(NULL, origin, whole, ones, m, sizeof m, strides, err));
    refused(TESS_ERR_ARG, tess_array_set_slice(a, NULL, whole, ones, m, sizeof m, strides, err));
    refused(TESS_ERR_ARG, tess_array_set_slice(a, origin, NULL, ones, m, sizeof m, strides, err));
    refused(TESS_ERR_ARG,
            tess_array_set_slice(a, origin, whole, ones, NULL, sizeof m, strides, err));
    refused(TESS_ERR_ARG, tess_array_fill(NULL, origin, whole, ones, m, 4, err));
    refused(TESS_ERR_ARG, tess_array_fill(a, NULL, whole, ones, m, 4, err));
    refused(TESS_ERR_ARG, tess_array_fill(a, origin, NULL, ones, m, 4, err));
    refused(TESS_ERR_ARG, tess_array_fill(a, origin, whole, ones, NULL, 4, err));
    refused(TESS_ERR_ARG, tess_array_fill(a, origin, whole, ones, m, 3, err));
    refused(TESS_ERR_ARG, tess_array_fill(a, origin, whole, ones, m, 0, err));
    check_numbers(a);
    ok(tess_array_get_slice(a, whole, whole, NULL, NULL, 0, NULL, err));
    ok(tess_array_set_slice(a, whole, whole, NULL, NULL, 0, strides, err));
    ok(tess_array_fill(a, whole, whole, NULL, m, 4, err));
    ok(tess_array_fill(a, whole, whole, NULL, m, sizeof m, err));
    check_numbers(a);
    ok(tess_array_close(a, err));
}

// The size counts from the pointer on: what positive strides lead to must lie inside.
static void
sizes(void **state)
{
    static const struct {
        const char *why;
        int64_t stop[2], step[2], strides[2];
        bool given; // strides
        size_t needed;
    } cases[] = {
        {"C order", {4, 5}, {1, 1}, {0, 0}, false, 80},
        {"every other column", {4, 5}, {1, 2}, {0, 0}, false, 48},
        {"C order, by strides", {4, 5}, {1, 1}, {20, 4}, true, 80},
        {"rows apart", {4, 5}, {1, 1}, {24, 4}, true, 92},
        {"Fortran order", {4, 5}, {1, 1}, {4, 16}, true, 80},
        {"rows in front", {4, 5}, {1, 1}, {-20, 4}, true, 20},
        {"columns in front", {4, 5}, {1, 1}, {4, -16}, true, 16},
        {"all in front", {4, 5}, {1, 1}, {-20, -4}, true, 4},
        {"one row: its stride leads nowhere", {1, 5}, {1, 1}, {1000, 4}, true, 20},
    };
    int32_t memory[200];
    tess_array *const a = small_array(2, NULL);
    tess_error error;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int64_t *const stop = cases[i].stop, *const step = cases[i].step;
        const int64_t *const strides = cases[i].given ? cases[i].strides : NULL;
        const size_t needed = cases[i].needed;
        int32_t *const at = memory + 100;
        char sentence[100];

        snprintf(sentence, sizeof sentence, "%zu bytes of memory, the items take %zu", needed - 1,
                 needed);
        for (int way = 0; way < 2; way++)
            for (size_t size = needed - 1; size <= needed + 1; size++) {
                const tess_status st =
                    way ? tess_array_set_slice(a, origin, stop, step, at, size, strides, &error)
                        : tess_array_get_slice(a, origin, stop, step, at, size, strides, &error);
                if ((st == TESS_OK) != (size >= needed))
                    fail_msg("%s, %zu bytes: %s", cases[i].why, size, tess_status_name(st));
                if (st != TESS_OK) {
                    check_error(&error, TESS_ERR_ARG, cases[i].why);
                    assert_string_equal(error.message, sentence);
                }
            }
    }
    check_numbers(a); // what was read was written to the same place
    ok(tess_array_close(a, err));
}

static void
overlaps(void **state)
{
#define OVER "with these strides, items overlap in memory"
#define FAR "the strides lead out of memory"
    static const struct {
        int64_t strides[2];
        const char *sentence; // NULL: it works
        const char *why;
    } cases[] = {
        {{20, 4}, NULL, "C order"},
        {{4, 16}, NULL, "Fortran order"},
        {{-20, 4}, NULL, "the last row first"},
        {{4, -16}, NULL, "the last column first"},
        {{21, 4}, NULL, "no alignment"},
        {{0, 4}, OVER, "all rows in one place"},
        {{20, 0}, OVER, "all columns in one place"},
        {{20, 3}, OVER, "items over each other"},
        {{20, -3}, OVER, "items over each other"},
        {{19, 4}, OVER, "rows over each other"},
        {{-16, -4}, OVER, "the end of a row is the start of the next"},
        {{4, 4}, OVER, "diagonals in one place"},
        {{4, -4}, OVER, "diagonals in one place"},
        {{4, 15}, OVER, "columns over each other"},
        {{INT64_MIN, INT64_MIN}, FAR, "no memory is that large"},
        {{INT64_MAX, 4}, FAR, "no memory is that large"},
        {{4, INT64_MIN}, FAR, "no memory is that large"},
    };
    static const int64_t two[2] = {2, 1}, far[2] = {INT64_MAX, 4};
    int32_t memory[200], before[200];
    tess_array *const a = small_array(2, NULL);
    tess_error error;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        memset(memory, 0x5a, sizeof memory);
        memcpy(before, memory, sizeof memory);
        const tess_status st = tess_array_get_slice(a, origin, whole, NULL, memory + 100, 400,
                                                    cases[i].strides, &error);
        if ((st == TESS_OK) != !cases[i].sentence)
            fail_msg("%s: %s", cases[i].why, tess_status_name(st));
        if (st == TESS_OK)
            continue;
        check_error(&error, TESS_ERR_ARG, cases[i].why);
        assert_string_equal(error.message, cases[i].sentence);
        assert_memory_equal(memory, before, sizeof memory);
    }
    refused(TESS_ERR_ARG,
            tess_array_get_slice(a, origin, two, NULL, memory, sizeof memory, far, err));
    refused(TESS_ERR_ARG,
            tess_array_set_slice(a, origin, two, NULL, memory, sizeof memory, far, err));
    check_numbers(a);
    ok(tess_array_close(a, err));
#undef OVER
#undef FAR
}

static void
only_read(void **state)
{
    const int32_t item = 3;
    const char *const path = files_path("small.b2nd");
    tess_storage storage;
    tess_array *a;

    (void)state;
    ok(tess_array_close(small_array(2, path), err));
    tess_storage_init(&storage);
    storage.path = path;
    ok(tess_array_open(&storage, &a, err));
    refused(TESS_ERR_ARG,
            tess_array_set_slice(a, origin, ones, NULL, &item, sizeof item, NULL, err));
    refused(TESS_ERR_ARG, tess_array_fill(a, origin, ones, NULL, &item, 4, err));
    check_numbers(a);
    ok(tess_array_close(a, err));
}

static void
no_axes(void **state)
{
    tess_array *const a = small_array(0, NULL);
    int32_t item = 7;

    (void)state;
    ok(tess_array_fill(a, NULL, NULL, NULL, &item, 4, err));
    item = 0;
    ok(tess_array_get_slice(a, NULL, NULL, NULL, &item, sizeof item, NULL, err));
    assert_int_equal(item, 7);
    item = 8;
    ok(tess_array_set_slice(a, NULL, NULL, NULL, &item, sizeof item, NULL, err));
    ok(tess_array_get_slice(a, NULL, NULL, NULL, &item, sizeof item, NULL, err));
    assert_int_equal(item, 8);
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_arrays, files_setup, trial_teardown),
        cmocka_unit_test(golden_files),
        cmocka_unit_test(blocks_decoded),
        cmocka_unit_test(filled_chunks),
        cmocka_unit_test(filled_blocks),
        cmocka_unit_test(lengths),
        cmocka_unit_test(bad_slices),
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(sizes),
        cmocka_unit_test(overlaps),
        cmocka_unit_test_setup_teardown(only_read, files_setup, files_teardown),
        cmocka_unit_test(no_axes),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
