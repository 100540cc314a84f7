/*
 * random_lives.c - random arrays and random series of calls, against the slow reference.
 *
 * Case i is drawn from the seed plus i alone: TESS_TEST_SEED with the number that a failure prints
 * and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/exact.h"
#include "support/files.h"
#include "support/trial.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES_SHORT = 800, CASES_LONG = 20000, OPERATIONS_MAX = 10 };

static const struct draw_limits limits = {
    TESS_MAX_NDIM, .items = 6000, .bytes = 200000, .chunks = 600, .empty = true, .chosen = true,
};

static int64_t
divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// Items that the filters keep; free() them.
static uint8_t *
new_items(struct trial *t, size_t size)
{
    const size_t ts = (size_t)t->params.typesize;
    uint8_t *const items = exact_memory(size);

    draw_items(&t->random, items, (int64_t)(size / ts), ts);
    draw_exact(&t->params, items, size);
    return items;
}

static void
any_box(struct trial *t, int64_t *start, int64_t *stop)
{
    const struct reference *r = &t->reference;
    const int64_t style = below(&t->random, 4);
    tess_info info;

    tess_array_info(t->a, &info);
    for (int i = 0; i < r->ndim; i++) {
        start[i] = style == 0 ? 0 : below(&t->random, r->shape[i] + 1);
        stop[i] =
            style == 0 ? r->shape[i] : start[i] + below(&t->random, r->shape[i] - start[i] + 1);
        if (style == 1 && info.chunkshape[i] > 0) { // whole chunks
            start[i] -= start[i] % info.chunkshape[i];
            stop[i] = divide_up(stop[i], info.chunkshape[i]) * info.chunkshape[i];
            stop[i] = stop[i] < r->shape[i] ? stop[i] : r->shape[i];
            stop[i] = stop[i] < start[i] ? start[i] : stop[i];
        }
        if (style == 2 && start[i] < r->shape[i]) // never empty
            stop[i] = start[i] + 1 + below(&t->random, r->shape[i] - start[i]);
    }
}

static void
do_read(struct trial *t)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    any_box(t, start, stop);
    trial_tell_list(t, "read from", t->params.ndim, start);
    trial_tell_list(t, "to", t->params.ndim, stop);

    const size_t size = reference_box_size(&t->reference, start, stop);
    uint8_t *want = malloc(size > 0 ? size : 1);
    uint8_t *got = malloc(size > 0 ? size : 1);
    assert_non_null(want);
    assert_non_null(got);
    reference_get(&t->reference, start, stop, want);
    for (int64_t i = 1 + below(&t->random, 3); i > 0;
         i--) { // from the second time on blocks are kept
        memset(got, 0x5a, size);
        ok(tess_array_read(t->a, start, stop, got, size, err));
        assert_memory_equal(got, want, size);
    }
    free(got);
    free(want);
}

static void
do_write(struct trial *t)
{
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    any_box(t, start, stop);
    trial_tell_list(t, "write from", t->params.ndim, start);
    trial_tell_list(t, "to", t->params.ndim, stop);

    const size_t size = reference_box_size(&t->reference, start, stop);
    uint8_t *items = new_items(t, size);
    reference_set(&t->reference, start, stop, items);
    ok(tess_array_write(t->a, start, stop, items, size, err));
    free(items);
}

// Whether an array of this shape stays small enough for the reference.
static bool
small(const struct trial *t, const int64_t *shape)
{
    tess_params p = t->params;
    tess_info info;

    tess_array_info(t->a, &info);
    memcpy(p.chunkshape, info.chunkshape, sizeof p.chunkshape);
    memcpy(p.blockshape, info.blockshape, sizeof p.blockshape);
    return draw_fits(&limits, &p, shape);
}

// Chosen chunks of an array without items may be of no size: such axes stay as they are.
static bool
fixed(const tess_info *info, int axis)
{
    return info->chunkshape[axis] == 0;
}

static void
do_resize(struct trial *t)
{
    const struct reference *r = &t->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(t->a, &info);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i];
        if (fixed(&info, i) || one_in(&t->random, 2))
            continue;
        shape[i] =
            one_in(&t->random, 15) ? 0 : below(&t->random, r->shape[i] + 1) + below(&t->random, 6);
    }
    if (!small(t, shape))
        return;
    trial_tell_list(t, "resize to", t->params.ndim, shape);
    ok(tess_array_resize(t->a, shape, err));
    reference_resize(&t->reference, shape);
}

static void
do_append(struct trial *t)
{
    const struct reference *r = &t->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    size_t layer = r->typesize;
    tess_info info;

    tess_array_info(t->a, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(&t->random, r->ndim);
    const int64_t count = below(&t->random, 9);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i] + (i == axis ? count : 0);
        layer *= i == axis ? 1 : (size_t)r->shape[i];
    }
    if (layer == 0 || fixed(&info, axis) || !small(t, shape))
        return;
    trial_tell(t, " append %" PRId64 " to axis %d", count, axis);

    uint8_t *items = new_items(t, layer * (size_t)count);
    ok(tess_array_append(t->a, axis, count, items, layer * (size_t)count, NULL, err));
    reference_append(&t->reference, axis, count, items);
    free(items);
}

// A position or an amount along an axis, often where chunks begin.
static int64_t
draw_along(struct trial *t, int64_t chunk, int64_t most)
{
    const int64_t n = below(&t->random, most + 1);

    return chunk > 0 && one_in(&t->random, 2) ? n - n % chunk : n;
}

static void
do_insert(struct trial *t)
{
    const struct reference *r = &t->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    size_t layer = r->typesize;
    tess_info info;

    tess_array_info(t->a, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(&t->random, r->ndim);
    const int64_t chunk = info.chunkshape[axis];
    const int64_t position = draw_along(t, chunk, r->shape[axis]);
    const int64_t count = draw_along(t, chunk, chunk < 12 ? 3 * chunk : chunk + 3);
    for (int i = 0; i < r->ndim; i++) {
        shape[i] = r->shape[i] + (i == axis ? count : 0);
        layer *= i == axis ? 1 : (size_t)r->shape[i];
    }
    if (layer == 0 || fixed(&info, axis) || !small(t, shape))
        return;
    trial_tell(t, " insert %" PRId64 " into axis %d at %" PRId64, count, axis, position);

    uint8_t *items = new_items(t, layer * (size_t)count);
    ok(tess_array_insert(t->a, axis, position, count, items, layer * (size_t)count, NULL, err));
    reference_insert(&t->reference, axis, position, count, items);
    free(items);
}

static void
do_delete(struct trial *t)
{
    const struct reference *r = &t->reference;
    tess_info info;

    tess_array_info(t->a, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(&t->random, r->ndim);
    const int64_t chunk = info.chunkshape[axis];
    const int64_t position = draw_along(t, chunk, r->shape[axis]);
    const int64_t count = draw_along(t, chunk, r->shape[axis] - position);
    trial_tell(t, " delete %" PRId64 " from axis %d at %" PRId64, count, axis, position);
    ok(tess_array_delete(t->a, axis, position, position + count, err));
    reference_delete(&t->reference, axis, position, count);
}

static void
do_resize_at(struct trial *t)
{
    struct reference *r = &t->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    int64_t start[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(t->a, &info);
    for (int i = 0; i < r->ndim; i++) {
        const int64_t n = r->shape[i];
        const int64_t chunk = info.chunkshape[i];
        shape[i] = n;
        if (!fixed(&info, i) && one_in(&t->random, 2))
            shape[i] = one_in(&t->random, 2) ? n - draw_along(t, chunk, n)
                                             : n + draw_along(t, chunk, chunk);
        start[i] = one_in(&t->random, 4) ? (shape[i] < n ? shape[i] : n)
                                         : draw_along(t, chunk, shape[i] < n ? shape[i] : n);
    }
    if (!small(t, shape))
        return;
    trial_tell_list(t, "resize to", t->params.ndim, shape);
    trial_tell_list(t, "at", t->params.ndim, start);
    ok(tess_array_resize_at(t->a, shape, start, err));
    for (int i = 0; i < r->ndim; i++)
        if (shape[i] < r->shape[i])
            reference_delete(r, i, start[i], r->shape[i] - shape[i]);
    for (int i = 0; i < r->ndim; i++)
        if (shape[i] > r->shape[i])
            reference_insert(r, i, start[i], shape[i] - r->shape[i], NULL);
}

// A box of the array, as an array of its own with other chunks, behind it; or the array itself.
static void
do_append_array(struct trial *t)
{
    struct reference *r = &t->reference;
    tess_params params = t->params;
    tess_array *other = NULL;
    tess_storage memory;
    int64_t shape[TESS_MAX_NDIM] = {0};
    tess_info info;

    tess_array_info(t->a, &info);
    if (r->ndim == 0)
        return;
    const int axis = (int)below(&t->random, r->ndim);
    const bool itself = one_in(&t->random, 3);
    memcpy(params.shape, r->shape, sizeof params.shape);
    params.shape[axis] = itself ? r->shape[axis] : below(&t->random, 20);
    memcpy(shape, r->shape, sizeof shape);
    shape[axis] += params.shape[axis];
    if (fixed(&info, axis) || !small(t, shape))
        return;
    trial_tell(t, " append %s%" PRId64 " to axis %d", itself ? "itself, " : "an array, ",
               params.shape[axis], axis);

    struct reference added;
    reference_init(&added, r->ndim, params.shape, r->typesize);
    uint8_t *items = new_items(t, reference_size(&added));
    if (itself)
        memcpy(items, r->data, reference_size(r));
    if (!itself) {
        params.layout = TESS_LAYOUT_CONTIGUOUS;
        memset(params.blockshape, 0, sizeof params.blockshape);
        if (one_in(&t->random, 2))
            memset(params.chunkshape, 0, sizeof params.chunkshape);
        tess_storage_init(&memory);
        ok(tess_array_from(&memory, &params, items, reference_size(&added), &other, err));
    }
    ok(tess_array_append_array(t->a, axis, itself ? t->a : other, err));
    reference_append(r, axis, params.shape[axis], items);
    ok(tess_array_close(other, err));
    reference_finish(&added);
    free(items);
}

// One item for a box, as special chunks or the fill value have it, or any.
static void
do_fill(struct trial *t)
{
    struct reference *r = &t->reference;
    int64_t start[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};

    any_box(t, start, stop);
    trial_tell_list(t, "fill from", t->params.ndim, start);
    trial_tell_list(t, "to", t->params.ndim, stop);
    uint8_t *item = new_items(t, r->typesize);
    if (one_in(&t->random, 3))
        memset(item, 0, r->typesize);
    else if (t->params.fill && one_in(&t->random, 2))
        memcpy(item, t->params.fill, r->typesize);
    else if (reference_size(r) > 0 && one_in(&t->random, 2)) // what is there
        memcpy(item, r->data, r->typesize);
    const size_t size = reference_box_size(r, start, stop);
    uint8_t *items = malloc(size > 0 ? size : 1);
    assert_non_null(items);
    for (size_t i = 0; i < size; i += r->typesize)
        memcpy(items + i, item, r->typesize);
    ok(tess_array_fill(t->a, start, stop, NULL, item, r->typesize, err));
    reference_set(r, start, stop, items);
    free(items);
    free(item);
}

// A copy with other chunks, perhaps behind itself, holds the same.
static void
do_copy(struct trial *t)
{
    struct reference *r = &t->reference;
    tess_array *const twice[] = {t->a, t->a};
    tess_params params = t->params;
    struct reference want;
    tess_context context;
    tess_storage memory;
    tess_array *copy = NULL;

    tess_context_init(&context);
    if (one_in(&t->random, 2))
        context.memory = 1 + below(&t->random, 2000);
    tess_storage_init(&memory);
    memory.context = &context;
    params.layout = TESS_LAYOUT_CONTIGUOUS;
    memset(params.blockshape, 0, sizeof params.blockshape);
    double chunk = params.typesize; // bytes
    for (int i = 0; i < r->ndim; i++) {
        params.chunkshape[i] = 1 + below(&t->random, r->shape[i] + 2);
        chunk *= (double)params.chunkshape[i];
    }
    // An array without items may have many dimensions that are not 0.
    if (chunk > (double)limits.bytes || !draw_fits(&limits, &params, r->shape))
        memset(params.chunkshape, 0, sizeof params.chunkshape);
    const int axis = r->ndim > 0 && one_in(&t->random, 2) ? (int)below(&t->random, r->ndim) : -1;
    trial_tell(t, " copy %d", axis);
    reference_copy(&want, r);
    if (axis < 0) {
        ok(tess_array_copy(t->a, &memory, &params, &copy, err));
    } else {
        reference_append(&want, axis, r->shape[axis], r->data);
        ok(tess_array_concatenate(twice, 2, axis, &memory, &params, &copy, err));
    }
    check_array(copy, &want);
    ok(tess_array_close(copy, err));
    reference_finish(&want);
}

static void
do_flush(struct trial *t)
{
    trial_tell(t, " flush");
    ok(tess_array_flush(t->a, err));
    if (t->storage.path)
        check_file(t->storage.path, &t->reference);
}

static void (*const operations[])(struct trial *) = {
    do_read,      do_read,      do_write,        do_write,  do_write,  do_append,
    do_resize,    do_resize_at, do_append_array, do_insert, do_delete, do_insert,
    do_resize_at, trial_reopen, do_flush,        do_fill,   do_fill,   do_copy,
};

static void
live(struct trial *t)
{
    const int32_t ts = (trial_draw(t, &limits), t->params.typesize);
    if ((ts == 1 || ts == 2 || ts == 4 || ts == 8) && one_in(&t->random, 4)) {
        draw_lossy(&t->random, &t->params);
        draw_exact(&t->params, t->fill, (size_t)ts);
    }
    trial_create(t);
    check_array(t->a, &t->reference);
    for (int64_t n = below(&t->random, OPERATIONS_MAX + 1); n > 0; n--) {
        operations[below(&t->random, (int64_t)(sizeof operations / sizeof *operations))](t);
        trial_tell(t, "\n");
        check_array(t->a, &t->reference);
    }
    trial_reopen(t);
    check_array(t->a, &t->reference);
    trial_finish(t);
}

static void
random_lives(void **state)
{
    (void)state;
    trial_cases(CASES_SHORT, CASES_LONG, live);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_lives, files_setup, trial_teardown),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
