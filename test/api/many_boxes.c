/*
 * many_boxes.c - many boxes in one call, also past the edges, against a loop over items.
 *
 * Random arrays and views: case i is drawn from the seed plus i alone, so TESS_TEST_SEED with the
 * number that a failure prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 * And the files of other writers, where reading all says what the items are.
 */
#include "support/draw.h"
#include "support/exact.h"
#include "support/files.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES_SHORT = 300,
    CASES_LONG = 30000,
    CHOSEN_MAX = 6000, // items of all boxes of a call
};

static const struct draw_limits limits = {
    .ndim = 6, .items = 3000, .bytes = 900000, .chunks = 1000};

static uint64_t running; // the seed of the case

// -- an array or a view of it, and which item of the array each of its items is

struct subject {
    tess_array *a; // closed by its owner, if it is the array itself
    struct reference *items; // of the array
    struct reference numbers; // int64_t, of the shape of `a`
};

static uint8_t *
item_at(const struct subject *s, const int64_t *index)
{
    int64_t at = 0, number;
    for (int i = 0; i < s->numbers.ndim; i++)
        at = at * s->numbers.shape[i] + index[i];
    memcpy(&number, s->numbers.data + (size_t)at * sizeof number, sizeof number);
    return s->items->data + (size_t)number * s->items->typesize;
}

static void
number_all(struct subject *s, tess_array *a, struct reference *items)
{
    s->a = a;
    s->items = items;
    reference_init(&s->numbers, items->ndim, items->shape, sizeof(int64_t));
    const int64_t n = reference_nitems(items->ndim, items->shape);
    for (int64_t i = 0; i < n; i++)
        memcpy(s->numbers.data + (size_t)i * sizeof i, &i, sizeof i);
}

// From a view to the next one; the old one is closed if it is not the array.
static void
become(struct subject *s, tess_array *base, tess_array *view)
{
    if (s->a != base)
        ok(tess_array_close(s->a, err));
    s->a = view;
}

static void
view_slice(struct random *r, struct subject *s, tess_array *base)
{
    const int ndim = s->numbers.ndim;
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM], count[TESS_MAX_NDIM];
    struct reference next;
    tess_array *view;
    for (int i = 0; i < ndim; i++) {
        const int64_t n = s->numbers.shape[i], by = 1 + below(r, 3);
        const int64_t lo = below(r, 1 + n / 3), hi = n - below(r, 1 + n / 3) - 1;
        step[i] = below(r, 2) ? by : -by;
        start[i] = step[i] > 0 ? lo : hi;
        stop[i] = step[i] > 0 ? hi + 1 : lo - 1;
        count[i] = tess_slice_length(start[i], stop[i], step[i]);
    }
    reference_init(&next, ndim, count, sizeof(int64_t));
    reference_get_slice(&s->numbers, start, count, step, next.data);
    ok(tess_array_view_slice(s->a, start, stop, step, &view, err));
    become(s, base, view);
    reference_finish(&s->numbers);
    s->numbers = next;
}

static void
view_permute(struct random *r, struct subject *s, tess_array *base)
{
    int axes[TESS_MAX_NDIM];
    tess_array *view;
    for (int i = 0; i < s->numbers.ndim; i++) {
        const int k = (int)below(r, i + 1);
        axes[i] = axes[k];
        axes[k] = i;
    }
    ok(tess_array_view_permute(s->a, axes, &view, err));
    become(s, base, view);
    reference_permute(&s->numbers, axes);
}

static void
view_expand(struct random *r, struct subject *s, tess_array *base)
{
    const int axis = (int)below(r, s->numbers.ndim + 1);
    tess_array *view;
    ok(tess_array_view_expand(s->a, axis, &view, err));
    become(s, base, view);
    for (int i = s->numbers.ndim++; i > axis; i--)
        s->numbers.shape[i] = s->numbers.shape[i - 1];
    s->numbers.shape[axis] = 1;
}

static void
draw_subject(struct random *r, tess_array *a, struct reference *items, struct subject *s)
{
    number_all(s, a, items);
    if (below(r, 2))
        view_slice(r, s, a);
    if (below(r, 3) == 0)
        view_permute(r, s, a);
    if (below(r, 5) == 0 && s->numbers.ndim < TESS_MAX_NDIM)
        view_expand(r, s, a);
}

static void
subject_finish(struct subject *s, tess_array *base)
{
    become(s, base, base);
    reference_finish(&s->numbers);
}

// -- boxes

struct boxes {
    int64_t n;
    int64_t nitems; // of one
    int64_t shape[TESS_MAX_NDIM];
    int64_t *starts;
};

// past: they may leave the array.
static void
draw_boxes(struct random *r, const struct subject *s, bool past, struct boxes *b)
{
    const struct reference *const of = &s->numbers;
    const int64_t most = below(r, 4) == 0 ? 4 : 20;
    b->nitems = 1;
    for (int i = 0; i < of->ndim; i++) {
        const int64_t room = CHOSEN_MAX / 8 / b->nitems;
        int64_t length = past ? of->shape[i] * 3 + 4 : of->shape[i];
        length = length > room ? room : length;
        b->shape[i] =
            length == 0 ? 0 : 1 + below(r, below(r, 2) ? length : (length < most ? length : most));
        if (b->shape[i] > length || below(r, 100) == 0)
            b->shape[i] = 0;
        b->nitems *= b->shape[i] > 0 ? b->shape[i] : 1;
    }
    b->n = below(r, 1 + CHOSEN_MAX / b->nitems);
    b->n = b->n > 300 ? 300 : b->n;
    b->starts = exact_memory((size_t)(b->n * of->ndim) * sizeof *b->starts);
    for (int64_t k = 0; k < b->n * of->ndim; k++) {
        const int i = (int)(k % of->ndim);
        const int64_t wide = of->shape[i] + b->shape[i];
        b->starts[k] =
            past && below(r, 3)
                ? below(r, 3 * wide + 20) - wide - 10 - b->shape[i]
                : below(r, of->shape[i] - b->shape[i] > 0 ? of->shape[i] - b->shape[i] + 1 : 1);
    }
    for (int i = 0; i < of->ndim; i++)
        b->nitems *= b->shape[i] > 0;
}

// The index along an axis that another one stands for, found by walking; -1: none.
static int64_t
inside(tess_edge edge, int64_t index, int64_t length)
{
    int64_t at = 0, step = 1;
    if (index >= 0 && index < length)
        return index;
    if (edge == TESS_EDGE_NEAREST)
        return index < 0 ? 0 : length - 1;
    if (edge != TESS_EDGE_MIRROR)
        return -1;
    for (int64_t k = index < 0 ? -index : index; k > 0 && length > 1; k--) {
        at += step;
        if (at == length) { // what was the last one is behind us
            at = length - 2;
            step = -1;
        } else if (at < 0) {
            at = 1;
            step = 1;
        }
    }
    return at;
}

// The index of item k of a box; false: outside, where the fill value is.
static bool
find_item(const struct subject *s, const struct boxes *b, tess_edge edge, int64_t box, int64_t k,
          int64_t *index)
{
    bool found = true;
    for (int i = s->numbers.ndim - 1; i >= 0; i--) {
        index[i] = b->starts[box * s->numbers.ndim + i] + k % b->shape[i];
        index[i] = inside(edge, index[i], s->numbers.shape[i]);
        found &= index[i] >= 0;
        k /= b->shape[i];
    }
    return found;
}

static void
get_once(struct random *r, const struct subject *s, const uint8_t *array_fill, const char *what)
{
    const size_t ts = s->items->typesize;
    const tess_edge edge = (tess_edge)below(r, 4);
    struct boxes b;
    tess_boxes_options options;
    uint8_t fill[DRAW_ITEM_MAX];

    draw_boxes(r, s, edge != TESS_EDGE_ERROR, &b);
    random_bytes(r, fill, sizeof fill);
    tess_boxes_options_init(&options);
    options.edge = edge;
    if (below(r, 2)) {
        options.fill = fill;
        options.fill_size = ts;
    }
    const uint8_t *const outside = options.fill ? fill : array_fill;
    const size_t size = (size_t)(b.n * b.nitems) * ts;
    uint8_t *const got = exact_memory(size + 8);
    memset(got, 0x5a, size + 8);
    const bool plain = edge == TESS_EDGE_ERROR && below(r, 2);
    ok(tess_array_get_boxes(s->a, b.n, b.starts, b.shape, plain ? NULL : &options, got, size, err));
    for (int64_t box = 0; box < b.n; box++)
        for (int64_t k = 0; k < b.nitems; k++) {
            int64_t index[TESS_MAX_NDIM];
            const bool found = find_item(s, &b, edge, box, k, index);
            if (memcmp(got + (size_t)(box * b.nitems + k) * ts, found ? item_at(s, index) : outside,
                       ts) != 0)
                fail_msg("%s, seed %" PRIu64 ": item %" PRId64 " of box %" PRId64
                         " is wrong, edge mode %d",
                         what, running, k, box, (int)edge);
        }
    for (int i = 0; i < 8; i++)
        assert_int_equal(got[size + (size_t)i], 0x5a);
    free(got);
    free(b.starts);
}

static void
set_once(struct random *r, const struct subject *s)
{
    const size_t ts = s->items->typesize;
    struct boxes b;
    draw_boxes(r, s, false, &b);
    const size_t size = (size_t)(b.n * b.nitems) * ts;
    uint8_t *const items = exact_memory(size);
    draw_items(r, items, b.n * b.nitems, ts);
    ok(tess_array_set_boxes(s->a, b.n, b.starts, b.shape, items, size, err));
    for (int64_t box = 0; box < b.n; box++)
        for (int64_t k = 0; k < b.nitems; k++) {
            int64_t index[TESS_MAX_NDIM];
            assert_true(find_item(s, &b, TESS_EDGE_ERROR, box, k, index));
            memcpy(item_at(s, index), items + (size_t)(box * b.nitems + k) * ts, ts);
        }
    free(items);
    free(b.starts);
}

// -- random arrays

static void
live(struct random *r)
{
    tess_params p;
    tess_storage storage;
    tess_context context;
    struct reference ref;
    struct subject s;
    uint8_t fill[DRAW_ITEM_MAX];

    draw_params(r, &limits, NULL, &p);
    draw_context(r, &context);
    draw_place(r, "boxes", &context, &p, &storage);
    tess_array *const a = draw_create(r, &storage, &p, &ref);
    memset(fill, 0, sizeof fill);
    if (ref.fill)
        memcpy(fill, ref.fill, ref.typesize);
    for (int i = 0; i < 4; i++) {
        draw_subject(r, a, &ref, &s);
        get_once(r, &s, fill, "random array");
        set_once(r, &s);
        get_once(r, &s, fill, "random array");
        subject_finish(&s, a);
        check_array(a, &ref);
    }
    ok(tess_array_close(a, err));
    if (storage.path)
        check_file(storage.path, &ref);
    reference_finish(&ref);
}

static void
random_arrays(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        live(&r);
    }
}

// -- files of other writers

static void
check_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    static const uint8_t zeros[300];
    struct reference items;
    struct random r;
    (void)user;
    random_init(&r, running);
    if (ref->typesize > sizeof zeros || reference_nitems(ref->ndim, ref->shape) == 0)
        return;
    reference_copy(&items, ref);
    for (int i = 0; i < 10; i++) {
        struct subject s;
        tess_info info;
        draw_subject(&r, a, &items, &s);
        tess_array_info(a, &info);
        get_once(&r, &s, info.fill ? info.fill : zeros, name);
        subject_finish(&s, a);
    }
    reference_finish(&items);
}

static void
golden_files(void **state)
{
    (void)state;
    running = random_seed();
    check_golden_files(check_golden, NULL);
}

// -- by hand

static tess_array *
letters(const tess_context *context)
{
    tess_params p;
    tess_storage storage;
    tess_array *a;
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 4;
    p.chunkshape[0] = 3;
    p.blockshape[0] = 2;
    tess_storage_init(&storage);
    storage.context = context;
    ok(tess_array_from(&storage, &p, "abcd", 4, &a, err));
    return a;
}

static void
check_shown(const tess_array *a, int edge, int64_t start, int64_t length, const char *want)
{
    tess_boxes_options o;
    char got[64] = {0};
    tess_boxes_options_init(&o);
    o.edge = edge;
    o.fill = ".";
    o.fill_size = 1;
    ok(tess_array_get_boxes(a, 1, &start, &length, &o, got, sizeof got, err));
    assert_string_equal(got, want);
}

static void
edges(void **state)
{
    tess_array *const a = letters(NULL);
    (void)state;
    check_shown(a, TESS_EDGE_ERROR, 1, 3, "bcd");
    check_shown(a, TESS_EDGE_FILL, -3, 10, "...abcd...");
    check_shown(a, TESS_EDGE_NEAREST, -3, 10, "aaaabcdddd");
    check_shown(a, TESS_EDGE_MIRROR, -3, 10, "dcbabcdcba");
    check_shown(a, TESS_EDGE_MIRROR, -9, 22, "dcbabcdcbabcdcbabcdcba");
    check_shown(a, TESS_EDGE_MIRROR, -2, 3, "cba");
    check_shown(a, TESS_EDGE_MIRROR, 2, 3, "cdc");
    check_shown(a, TESS_EDGE_MIRROR, -2, 5, "cbabc");
    // Wholly outside, near and far.
    check_shown(a, TESS_EDGE_FILL, 4, 3, "...");
    check_shown(a, TESS_EDGE_FILL, INT64_MIN, 3, "...");
    check_shown(a, TESS_EDGE_FILL, INT64_MAX - 3, 3, "...");
    check_shown(a, TESS_EDGE_NEAREST, INT64_MIN, 3, "aaa");
    check_shown(a, TESS_EDGE_NEAREST, INT64_MAX - 3, 3, "ddd");
    check_shown(a, TESS_EDGE_MIRROR, 6, 4, "abcd");
    check_shown(a, TESS_EDGE_MIRROR, -6, 4, "abcd");
    check_shown(a, TESS_EDGE_MIRROR, INT64_MIN, 4, "cbab"); // 2^63 modulo 6 is 2
    check_shown(a, TESS_EDGE_MIRROR, INT64_MAX - 4, 4, "dcba"); // 2^63 - 5 modulo 6 is 3
    ok(tess_array_close(a, err));
}

// The fill value of the array is what boxes show by default.
static void
fill_of_array(void **state)
{
    static const int16_t fill = 77;
    const int64_t shape = 3, starts[] = {-2, 3};
    int16_t got[6];
    tess_boxes_options o;
    tess_params p;
    tess_storage storage;
    tess_array *a;
    (void)state;
    tess_params_init(&p);
    p.typesize = 2;
    p.ndim = 1;
    p.shape[0] = 4;
    p.fill = &fill;
    p.fill_size = sizeof fill;
    tess_storage_init(&storage);
    ok(tess_array_from(&storage, &p, (const int16_t[]){1, 2, 3, 4}, 8, &a, err));
    tess_boxes_options_init(&o);
    o.edge = TESS_EDGE_FILL;
    ok(tess_array_get_boxes(a, 2, starts, &shape, &o, got, sizeof got, err));
    assert_memory_equal(got, ((const int16_t[]){77, 77, 1, 4, 77, 77}), sizeof got);
    ok(tess_array_close(a, err));
}

// Later boxes count, in each order, also within one block.
static void
later_counts(void **state)
{
    const int64_t shape = 2, up[] = {0, 1, 2}, down[] = {2, 1, 0};
    tess_array *const a = letters(NULL);
    (void)state;
    ok(tess_array_set_boxes(a, 3, up, &shape, "ABCDEF", 6, err));
    check_shown(a, TESS_EDGE_ERROR, 0, 4, "ACEF");
    ok(tess_array_set_boxes(a, 3, down, &shape, "ABCDEF", 6, err));
    check_shown(a, TESS_EDGE_ERROR, 0, 4, "EFDB");
    ok(tess_array_close(a, err));
}

static void
bad_boxes(void **state)
{
    static const struct {
        int64_t starts[3];
        const char *sentence;
    } outside[] = {
        {{0, 1, 3}, "box 2 has the indices 3 to 5 on axis 0 of 4"},
        {{0, -1, 1}, "box 1 has the indices -1 to 1 on axis 0 of 4"},
        {{INT64_MAX, 1, 0}, "box 0 ends beyond 2^63 on axis 0"},
        {{INT64_MIN, 1, 0},
         "box 0 has the indices -9223372036854775808 to -9223372036854775806 on axis 0 of 4"},
    };
    static const int64_t starts[3] = {0}, two = 2, negative = -1, none = 0;
    tess_array *const a = letters(NULL);
    tess_boxes_options o;
    tess_error error;
    char dst[] = "123456";

    (void)state;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        const int64_t *const s = outside[i].starts;
        assert_int_equal(tess_array_get_boxes(a, 3, s, &two, NULL, dst, 6, &error), TESS_ERR_ARG);
        assert_string_equal(error.message, outside[i].sentence);
        assert_int_equal(tess_array_set_boxes(a, 3, s, &two, dst, 6, &error), TESS_ERR_ARG);
        assert_string_equal(error.message, outside[i].sentence);
    }
    refused(TESS_ERR_ARG, tess_array_get_boxes(NULL, 3, starts, &two, NULL, dst, 6, err));
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, -1, starts, &two, NULL, dst, 6, err));
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, NULL, &two, NULL, dst, 6, err));
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, NULL, NULL, dst, 6, err));
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &negative, NULL, dst, 6, err));
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &two, NULL, dst, 5, err));
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &two, NULL, NULL, 6, err));
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, INT64_MAX, starts, &two, NULL, dst, 6, err));
    refused(TESS_ERR_ARG, tess_array_set_boxes(NULL, 3, starts, &two, dst, 6, err));
    refused(TESS_ERR_ARG, tess_array_set_boxes(a, 3, starts, &two, dst, 5, err));
    refused(TESS_ERR_ARG, tess_array_set_boxes(a, 3, starts, &two, NULL, 6, err));

    tess_boxes_options_init(&o);
    o.edge = 4;
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &two, &o, dst, 6, err));
    o.edge = TESS_EDGE_FILL;
    o.fill = "ab";
    o.fill_size = 0;
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &two, &o, dst, 6, err));
    o.fill_size = 1;
    o.struct_size--;
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &two, &o, dst, 6, err));
    assert_string_equal(dst, "123456"); // nothing was written

    ok(tess_array_get_boxes(a, 0, NULL, &two, NULL, NULL, 0, err));
    ok(tess_array_get_boxes(a, 3, starts, &none, NULL, NULL, 0, err));
    ok(tess_array_set_boxes(a, 0, NULL, &two, NULL, 0, err));
    check_shown(a, TESS_EDGE_ERROR, 0, 4, "abcd"); // nothing was set

    ok(tess_array_resize(a, &none, err));
    tess_boxes_options_init(&o);
    o.edge = TESS_EDGE_MIRROR;
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &two, &o, dst, 6, err));
    o.edge = TESS_EDGE_NEAREST;
    refused(TESS_ERR_ARG, tess_array_get_boxes(a, 3, starts, &two, &o, dst, 6, err));
    check_shown(a, TESS_EDGE_FILL, -1, 3, "...");
    ok(tess_array_close(a, err));
}

// Each block that boxes meet is decoded once: a block is not read a second time from the cache,
// either.
static void
each_block_once(void **state)
{
    enum { SIDE = 64, BLOCK = 16, BOXES = 500, BOX = 20 };
    const int64_t shape[2] = {BOX, BOX};
    int64_t starts[BOXES][2];
    tess_params p;
    tess_storage storage;
    tess_context context;
    tess_info info;
    tess_array *a;
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < BOXES; i++)
        for (int k = 0; k < 2; k++)
            starts[i][k] = below(&r, SIDE - BOX + 1);
    tess_context_init(&context);
    context.cache = 1 << 20;
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 2;
    for (int k = 0; k < 2; k++) {
        p.shape[k] = SIDE;
        p.chunkshape[k] = 2 * BLOCK;
        p.blockshape[k] = BLOCK;
    }
    tess_storage_init(&storage);
    storage.context = &context;
    uint8_t *const items = exact_memory(SIDE * SIDE);
    uint8_t *const got = exact_memory((size_t)BOXES * BOX * BOX);
    random_bytes(&r, items, SIDE * SIDE);
    ok(tess_array_from(&storage, &p, items, SIDE * SIDE, &a, err));
    ok(tess_array_get_boxes(a, BOXES, starts[0], shape, NULL, got, (size_t)BOXES * BOX * BOX, err));
    tess_array_info(a, &info);
    assert_true(info.cache_hits + info.cache_misses <= (SIDE / BLOCK) * (SIDE / BLOCK));
    ok(tess_array_close(a, err));
    free(items);
    free(got);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arrays),   cmocka_unit_test(golden_files),
        cmocka_unit_test(edges),           cmocka_unit_test(fill_of_array),
        cmocka_unit_test(later_counts),    cmocka_unit_test(bad_boxes),
        cmocka_unit_test(each_block_once),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
