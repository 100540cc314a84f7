/*
 * b2nd_shape.c - arrays that grow and shrink.
 */
#include "compat/nd.h"
#include "support/files.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};
static const struct nd_shapes cube = {3, {6, 5, 7}, {2, 5, 3}, {1, 2, 3}};

// Items of an array whose shape changes at one place per axis: what is new is `item`.
static int32_t *
reshaped(const int32_t *items, int ndim, const int64_t *old, const int64_t *shape,
         const int64_t *start, int32_t item)
{
    const int64_t count = nd_count(shape, ndim);
    int32_t *const out = nd_items(count, 0);

    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k, at = 0, stride = 1;
        bool is_new = false;
        for (int i = ndim - 1; i >= 0; i--) {
            int64_t index = rest % shape[i];
            const int64_t change = shape[i] - old[i];
            rest /= shape[i];
            if (change > 0 && index >= start[i]) {
                is_new |= index < start[i] + change;
                index -= change;
            } else if (change < 0 && index >= start[i]) {
                index -= change;
            }
            at += index * stride;
            stride *= old[i];
        }
        out[k] = is_new ? item : items[at];
    }
    return out;
}

static void
change(b2nd_array_t *array, int32_t **items, const int64_t *shape, const int64_t *start)
{
    int64_t old[B2ND_MAX_DIM], places[B2ND_MAX_DIM];

    memcpy(old, array->shape, sizeof old);
    for (int i = 0; i < array->ndim; i++)
        places[i] = start ? start[i] : shape[i] < old[i] ? shape[i] : old[i];
    assert_good(b2nd_resize(array, shape, start));
    int32_t *const next = reshaped(*items, array->ndim, old, shape, places, 0);
    free(*items);
    *items = next;
    assert_memory_equal(array->shape, shape, (size_t)array->ndim * sizeof *shape);
    nd_check(array, *items);
}

static void
resizes(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        int32_t *items = nd_items(140, 0);

        change(array, &items, (int64_t[]){20, 10}, NULL);
        change(array, &items, (int64_t[]){20, 13}, NULL);
        change(array, &items, (int64_t[]){9, 30}, NULL); // one axis shrinks, the other grows
        change(array, &items, (int64_t[]){9, 30}, NULL);
        change(array, &items, (int64_t[]){17, 25}, (int64_t[]){8, 10}); // in the middle
        change(array, &items, (int64_t[]){9, 30}, (int64_t[]){0, 25});
        change(array, &items, (int64_t[]){0, 30}, NULL);
        change(array, &items, (int64_t[]){3, 4}, NULL);
        assert_good(b2nd_free(array));
        if (path) {
            assert_good(b2nd_open(path, &array));
            nd_check(array, items);
            assert_good(b2nd_free(array));
            files_remove(path);
        }
        free(items);
    }
}

// The padding of chunks of one repeated item is that item; new chunks are zeros.
static void
padding_that_appears(void **state)
{
    static const struct nd_shapes s = {2, {5, 3}, {4, 4}, {2, 2}};
    b2nd_context_t *const ctx = nd_context(&s, false, NULL);
    const int32_t item = 9;
    b2nd_array_t *array = NULL;

    (void)state;
    assert_good(b2nd_full(ctx, &array, &item));
    assert_good(b2nd_resize(array, (int64_t[]){10, 6}, NULL));
    int32_t *const found = nd_all(array);
    for (int i = 0; i < 60; i++)
        assert_int_equal(found[i], i / 6 < 8 && i % 6 < 4 ? 9 : 0);
    nd_check(array, found);
    free(found);
    assert_good(b2nd_free(array));
    assert_good(b2nd_free_ctx(ctx));
}

static void
layers(b2nd_array_t *array, int32_t **items, int axis, int64_t start, int64_t count, bool append)
{
    int64_t old[B2ND_MAX_DIM], shape[B2ND_MAX_DIM], places[B2ND_MAX_DIM];
    int64_t from[B2ND_MAX_DIM] = {0}, stop[B2ND_MAX_DIM];

    memcpy(old, array->shape, sizeof old);
    memcpy(shape, old, sizeof shape);
    memcpy(places, old, sizeof places);
    shape[axis] += count;
    places[axis] = from[axis] = start;
    memcpy(stop, shape, sizeof stop);
    stop[axis] = start + count;
    const int64_t n = nd_count(old, array->ndim) / old[axis] * count;
    int32_t *const box = nd_items(n, 10000);
    if (append)
        assert_good(b2nd_append(array, box, n * 4, (int8_t)axis));
    else
        assert_good(b2nd_insert(array, box, n * 4, (int8_t)axis, start));
    int32_t *const next = reshaped(*items, array->ndim, old, shape, places, 0);
    nd_box(array->ndim, shape, from, stop, next, box, true);
    free(box);
    free(*items);
    *items = next;
    nd_check(array, *items);
}

static void
layers_come_and_go(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *array = nd_numbers(&cube, nd_places[k].contiguous, path);
        int32_t *items = nd_items(210, 0);

        layers(array, &items, 0, 6, 2, true);
        layers(array, &items, 0, 8, 3, true);
        layers(array, &items, 2, 7, 4, true);
        layers(array, &items, 1, 5, 1, false); // at the end: of any length
        layers(array, &items, 0, 4, 2, false); // a whole chunk, at a chunk
        layers(array, &items, 2, 0, 6, false);

        int64_t shape[3], start[3];
        memcpy(shape, array->shape, sizeof shape);
        memcpy(start, shape, sizeof start);
        shape[2] -= 3;
        start[2] = 6;
        assert_good(b2nd_delete(array, 2, 6, 3));
        int32_t *next =
            reshaped(items, 3, (int64_t[]){shape[0], shape[1], shape[2] + 3}, shape, start, 0);
        nd_check(array, next);
        free(items);
        items = next;
        assert_good(b2nd_delete(array, 0, shape[0] - 1, 1)); // at the end
        nd_check(array, items); // the first rows are as before
        assert_good(b2nd_free(array));
        if (path) {
            assert_good(b2nd_open(path, &array));
            nd_check(array, items);
            assert_good(b2nd_free(array));
            files_remove(path);
        }
        free(items);
    }
}

static void
changes_that_are_refused(void **state)
{
    b2nd_array_t *const array = nd_numbers(&matrix, false, NULL);
    int32_t *const items = nd_items(140, 0);

    (void)state;
    static const struct {
        const char *reason;
        int64_t shape[2], start[2];
    } cases[] = {
        {"growth in the middle of a chunk", {22, 10}, {3, 10}},
        {"growth by less than a chunk", {15, 10}, {8, 10}},
        {"a start behind the end", {22, 10}, {15, 10}},
        {"a start below 0", {22, 10}, {-8, 10}},
        {"deleting by less than a chunk", {13, 10}, {0, 10}},
        {"deleting behind the end", {6, 10}, {8, 10}},
        {"a negative length", {-1, 10}, {0, 10}},
    };
    for (size_t k = 0; k < COUNT(cases); k++)
        if (b2nd_resize(array, cases[k].shape, cases[k].start) != BLOSC2_ERROR_INVALID_PARAM) {
            fprintf(stderr, "%s\n", cases[k].reason);
            fail();
        }
    assert_int_equal(b2nd_resize(array, NULL, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_resize(NULL, cases[0].shape, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_append(array, items, 39, 0), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_append(array, items, 40, 2), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_append(array, items, 40, -1), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_append(array, NULL, 40, 0), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_append(NULL, items, 40, 0), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_insert(array, items, 40, 0, 3), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_insert(array, items, 320, 0, -8), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_insert(array, items, 320, 0, 15), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_delete(array, 0, 0, 3), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_delete(array, 0, 8, 8), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_delete(array, 0, 0, 15), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_delete(array, 0, 0, -1), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_delete(array, 2, 0, 1), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_delete(NULL, 0, 0, 1), BLOSC2_ERROR_NULL_POINTER);
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(resizes),
        cmocka_unit_test(padding_that_appears),
        IN_A_FOLDER(layers_come_and_go),
        cmocka_unit_test(changes_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
