/*
 * array_shape.c - tests of lib/array/shape: items that are cut off leave nothing in the padding,
 * rows of chunks move by their numbers, items move inside an array, and grown items are the fill
 * value.
 *
 * Each is one change of a random array in memory, kept or undone, against a reference.
 */
#include "array/shape/padding.h"

#include "array/shape/fill.h"
#include "array/shape/resize.h"
#include "array/shape/shift.h"
#include "array/update.h"
#include "frame/change.h"
#include "grid/open_chunk.h"
#include "grid/pool.h"
#include "unit/grid_kit.h"

enum { ROUNDS = 150 };

static tess_status
end_change(struct kit *k, tess_status st)
{
    if (st == TESS_OK)
        frame_keep(k->grid->frame);
    else
        frame_undo(k->grid->frame);
    return st;
}

// Every byte of all blocks that is not an item of the box [0, shape) is zero in the chunks that the
// box has, unless the block has items of it and is better left alone.
static void
check_padding(const struct kit *k, const int64_t *shape)
{
    const struct geometry *const g = &k->grid->g;
    struct chunk_scratch *const s = pool_take(k->grid->pool);
    uint8_t *const items = malloc((size_t)g->blocksize);

    assert_true(s && items);
    for (int64_t c = 0; c < g->nchunks; c++) {
        struct open_chunk *v = NULL;

        assert_int_equal(open_chunk_new(k->grid, c, true, &v, NULL), TESS_OK);
        for (int32_t b = 0; b < (int32_t)g->nblocks && v->kind != OPEN_SPECIAL; b++) {
            bool stays = true; // the chunk has an item of the box
            int64_t origin[TESS_MAX_NDIM], rest = c, block = b;

            for (int i = g->ndim - 1; i >= 0; i--) {
                origin[i] = rest % g->grid[i] * g->chunkshape[i];
                stays = stays && origin[i] < shape[i];
                origin[i] += block % g->bgrid[i] * g->blockshape[i];
                rest /= g->grid[i];
                block /= g->bgrid[i];
            }
            if (!stays)
                continue;
            assert_int_equal(open_chunk_block(k->grid, v, b, items, s, NULL), TESS_OK);
            for (int64_t n = 0; n < g->block_nitems; n++) {
                int64_t at = n;
                bool inside = true;

                for (int i = g->ndim - 1; i >= 0; i--) {
                    inside = inside && origin[i] + at % g->blockshape[i] < shape[i];
                    at /= g->blockshape[i];
                }
                for (int i = 0; !inside && i < g->typesize; i++)
                    assert_int_equal(items[n * g->typesize + i], 0);
            }
        }
        open_chunk_release(v);
    }
    free(items);
    pool_give(k->grid->pool, s);
}

// Before an array becomes shorter; what stays does not change.
static void
test_padding(void **state)
{
    struct random r;
    int shorter = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        int64_t shape[TESS_MAX_NDIM];
        struct kit k;

        kit_begin(&r, &k, 0);
        for (int i = 0; i < k.ref.ndim; i++) {
            shape[i] = 1 + (int64_t)random_below(&r, (uint64_t)k.ref.shape[i]);
            shorter += shape[i] < k.ref.shape[i];
        }
        frame_begin(k.grid->frame);
        assert_int_equal(end_change(&k, padding_cut(k.a, shape, NULL, NULL)), TESS_OK);
        check_padding(&k, shape);
        const size_t size = reference_box_size(&k.ref, zeros, shape);
        uint8_t *const got = malloc(size), *const want = malloc(size);
        assert_true(got && want);
        assert_int_equal(tess_array_read(k.a, zeros, shape, got, size, NULL), TESS_OK);
        reference_get(&k.ref, zeros, shape, want);
        assert_memory_equal(got, want, size);
        free(got);
        free(want);
        kit_end(&k);
    }
    assert_true(shorter > 0);
}

// Rows of chunks fall out of the list, or rows of the fill value come in; nothing is encoded.
static void
test_rows(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        struct saved_shape saved = {0};
        int64_t shape[TESS_MAX_NDIM];
        struct kit k;

        kit_begin(&r, &k, 0);
        const struct geometry *const g = &k.grid->g;
        const int axis = (int)random_below(&r, (uint64_t)g->ndim);
        const int64_t rows = g->grid[axis], row = g->chunkshape[axis];
        const bool keep = random_below(&r, 3);
        struct row_move move = {.axis = axis};

        memcpy(shape, g->shape, sizeof shape);
        if (random_below(&r, 2)) { // whole rows before the last one go
            move.first = (int64_t)random_below(&r, (uint64_t)rows);
            move.gone = (int64_t)random_below(&r, (uint64_t)(rows - move.first));
            move.by = -move.gone;
        } else {
            move.first = (int64_t)random_below(&r, (uint64_t)rows);
            move.by = 1 + (int64_t)random_below(&r, 3);
        }
        shape[axis] += move.by * row;
        assert_int_equal(array_change_begin(k.a, &saved, NULL), TESS_OK);
        tess_status st = array_reshape(k.a, shape, &move, NULL);
        assert_int_equal(st, TESS_OK);
        st = array_change_end(k.a, &saved, true, keep ? TESS_OK : TESS_ERR_CANCELLED, NULL);
        assert_int_equal(st, keep ? TESS_OK : TESS_ERR_CANCELLED);
        if (keep && move.by < 0)
            reference_delete(&k.ref, axis, move.first * row, -move.by * row);
        else if (keep)
            reference_insert(&k.ref, axis, move.first * row, move.by * row, NULL);
        assert_memory_equal(k.a->g->shape, k.ref.shape, (size_t)g->ndim * sizeof *shape);
        kit_check(&k);
        kit_end(&k);
    }
}

// The items of a box come from another place; the rest stays.
static void
test_shift(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
        struct kit k;

        kit_begin(&r, &k, 0);
        const int axis = (int)random_below(&r, (uint64_t)k.ref.ndim);
        const int64_t length = k.ref.shape[axis];
        struct shift shift = {.axis = axis};

        kit_random_box(&r, &k, start, stop);
        const int64_t extent = stop[axis] - start[axis];
        const int64_t from = (int64_t)random_below(&r, (uint64_t)(length - extent + 1));
        shift.by = start[axis] - from;
        const size_t size = reference_box_size(&k.ref, start, stop);
        uint8_t *const items = malloc(size);
        assert_non_null(items);
        int64_t old_start[TESS_MAX_NDIM], old_stop[TESS_MAX_NDIM];
        memcpy(old_start, start, sizeof start);
        memcpy(old_stop, stop, sizeof stop);
        old_start[axis] = from;
        old_stop[axis] = from + extent;
        reference_get(&k.ref, old_start, old_stop, items);
        frame_begin(k.grid->frame);
        assert_int_equal(end_change(&k, array_shift(k.a, start, stop, &shift, NULL, NULL)),
                         TESS_OK);
        reference_set(&k.ref, start, stop, items);
        kit_check(&k);
        free(items);
        kit_end(&k);
    }
}

// Growth at the ends shows the fill value, whatever was in the padding before.
static void
test_fill(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        struct saved_shape saved = {0};
        int64_t shape[TESS_MAX_NDIM];
        uint8_t item[16];
        struct kit k;

        kit_begin(&r, &k, 0);
        const struct geometry before = *k.a->g;
        random_bytes(&r, item, sizeof item);
        if (random_below(&r, 3) == 0)
            memset(item, 0, sizeof item);
        assert_int_equal(array_set_fill(k.a, item, NULL), TESS_OK);
        assert_int_equal(array_fill_special(k.a), SPECIAL_ZEROS); // NaNs are drawn hardly ever
        reference_grow_with(&k.ref, item);
        for (int i = 0; i < k.ref.ndim; i++)
            shape[i] = k.ref.shape[i] + (int64_t)random_below(&r, 12);
        assert_int_equal(array_change_begin(k.a, &saved, NULL), TESS_OK);
        tess_status st = array_reshape(k.a, shape, NULL, NULL);
        if (st == TESS_OK)
            st = array_fill_grown(k.a, &before, NULL, NULL);
        assert_int_equal(array_change_end(k.a, &saved, false, st, NULL), TESS_OK);
        reference_resize(&k.ref, shape);
        kit_check(&k);

        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], index[TESS_MAX_NDIM];
        kit_random_box(&r, &k, start, stop);
        frame_begin(k.grid->frame);
        assert_int_equal(end_change(&k, array_fill_box(k.a, start, stop, NULL, NULL)), TESS_OK);
        memcpy(index, start, sizeof index);
        do
            memcpy((uint8_t *)(uintptr_t)kit_item(&k, index), item, k.ref.typesize);
        while (kit_next(k.ref.ndim, start, stop, index));
        kit_check(&k);
        kit_end(&k);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
