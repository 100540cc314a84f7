/*
 * array_shape.c - tests of array/shape: resize, reshape, shift, fill and padding, against a slow
 * reference that grows and shrinks alike. One file, as each is seen through the next: the fill
 * value where an array grows, cut items where it grows again.
 */
#include "array/shape/shape.h"

#include "array/update.h"
#include "cache/cache.h"
#include "chunk/scratch.h"
#include "frame/commit/change.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "grid/pool.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// With a fill value: none, zeros that are none, bytes, or NaN.
static void
scene_filled(struct scene *s, struct random *r)
{
    static const uint8_t nan4[4] = {0, 0, 0xc0, 0x7f};
    uint8_t item[16] = {0};
    tess_params p;
    scene_params(r, 3, &p);
    if (random_below(r, 3) > 0) {
        if (random_below(r, 4) > 0)
            random_bytes(r, item, sizeof item);
        if (p.typesize == 4 && random_below(r, 2))
            memcpy(item, nan4, sizeof nan4);
        p.fill = item;
        p.fill_size = (size_t)p.typesize;
    }
    scene_new(s, &p, NULL, (enum scene_items)random_below(r, 3), r);
    if (p.fill)
        reference_grow_with(&s->ref, item);
    if (p.fill) {
        bool zeros = true;
        for (int32_t k = 0; k < p.typesize; k++)
            zeros = zeros && item[k] == 0;
        assert_int_equal(s->a->fill != NULL, !zeros);
        if (!zeros)
            assert_memory_equal(s->a->fill, item, (size_t)p.typesize);
        const bool nans = p.typesize == 4 && memcmp(item, nan4, 4) == 0;
        assert_int_equal(array_fill_special(s->a), nans ? SPECIAL_NANS : SPECIAL_ZEROS);
    }
}

static void
new_shape(struct random *r, const struct reference *ref, int64_t *shape)
{
    for (int i = 0; i < ref->ndim; i++) {
        shape[i] = ref->shape[i];
        if (random_below(r, 2))
            shape[i] = 1 + (int64_t)random_below(r, 20);
    }
}

static void
write_somewhere(struct scene *s, struct random *r)
{
    int64_t start[NDIM_MAX], stop[NDIM_MAX], count[NDIM_MAX];
    struct scene_memory m;
    if (reference_size(&s->ref) == 0)
        return;
    scene_box(r, s->ref.ndim, s->ref.shape, start, stop);
    scene_counts(s->ref.ndim, start, stop, NULL, count);
    scene_memory(r, s->ref.ndim, count, (int64_t)s->ref.typesize, &m);
    ok(array_update_box(s->a, &(struct box){start, stop, NULL}, &m.from, NULL, err));
    scene_scatter(&s->ref, start, stop, NULL, &m.from);
    free(m.bytes);
}

static void
shapes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        struct scene s;
        scene_filled(&s, &r);
        for (int k = 0; k < 6; k++) {
            int64_t shape[NDIM_MAX], start[NDIM_MAX];
            const int axis = (int)random_below(&r, (uint64_t)s.ref.ndim);
            const int64_t n = s.ref.shape[axis];
            if (random_below(&r, 3) == 0)
                write_somewhere(&s, &r);
            switch (random_below(&r, 5)) {
            case 0:
                new_shape(&r, &s.ref, shape);
                ok(array_update_shape(s.a, shape, NULL, NULL, NULL, err));
                reference_resize(&s.ref, shape);
                break;
            case 1: { // along each axis, anywhere
                new_shape(&r, &s.ref, shape);
                for (int d = 0; d < s.ref.ndim; d++) {
                    const int64_t gone = s.ref.shape[d] - shape[d];
                    start[d] = (int64_t)random_below(
                        &r, (uint64_t)(s.ref.shape[d] - (gone > 0 ? gone : 0)) + 1);
                }
                ok(array_resize_at(s.a, shape, start, NULL, err));
                for (int d = 0; d < s.ref.ndim; d++) {
                    const int64_t more = shape[d] - s.ref.shape[d];
                    if (more > 0)
                        reference_insert(&s.ref, d, start[d], more, NULL);
                    else if (more < 0)
                        reference_delete(&s.ref, d, start[d], -more);
                }
                break;
            }
            case 2: {
                const int64_t count = 1 + (int64_t)random_below(&r, 9);
                const int64_t at = (int64_t)random_below(&r, (uint64_t)n + 1);
                int64_t extent[NDIM_MAX];
                memcpy(extent, s.ref.shape, sizeof extent);
                extent[axis] = count;
                const size_t size = (size_t)reference_nitems(s.ref.ndim, extent) * s.ref.typesize;
                uint8_t *const src = malloc(size);
                assert_non_null(src);
                random_repetitive(&r, src, size);
                struct box_memory_const from = {.items = src};
                shape_strides(s.ref.ndim, extent, (int64_t)s.ref.typesize, from.stride);
                const bool filled = random_below(&r, 2);
                ok(array_insert(s.a, axis, at, count, filled ? NULL : &from, NULL, err));
                reference_insert(&s.ref, axis, at, count, filled ? NULL : src);
                free(src);
                break;
            }
            case 3:
                if (n > 1) {
                    const int64_t count = 1 + (int64_t)random_below(&r, (uint64_t)n - 1);
                    const int64_t at = (int64_t)random_below(&r, (uint64_t)(n - count) + 1);
                    ok(array_delete(s.a, axis, at, count, NULL, err));
                    reference_delete(&s.ref, axis, at, count);
                }
                break;
            default:
                if (n < 40) { // itself
                    uint8_t *const src = malloc(reference_size(&s.ref) + 1);
                    assert_non_null(src);
                    memcpy(src, s.ref.data, reference_size(&s.ref));
                    ok(array_append_array(s.a, axis, s.a, NULL, err));
                    reference_append(&s.ref, axis, n, src);
                    free(src);
                }
            }
            scene_check(s.a, &s.ref);
        }
        scene_check_stored(&s);
        scene_close(&s);
    }
}

// Where chunks keep their numbers and none is lost.
static void
grows_at_end(void **state)
{
    struct random r;
    int grows = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        struct scene s;
        scene_random(&s, &r, NULL, SCENE_ZEROS);
        const struct geometry *const g = s.a->g;
        for (int k = 0; k < 10; k++) {
            int64_t shape[NDIM_MAX];
            struct geometry next;
            new_shape(&r, &s.ref, shape);
            ok(geometry_reshape(g, shape, &next, err));
            bool same = true;
            for (int d = 0; d < g->ndim; d++)
                same = same && shape[d] >= g->shape[d];
            for (int64_t n = 0; n < g->nchunks; n++) { // at the same place in both grids
                int64_t rest = n, to = 0, pitch = 1;
                for (int d = g->ndim - 1; d >= 0; d--) {
                    to += rest % g->grid[d] * pitch;
                    pitch *= next.grid[d];
                    rest /= g->grid[d];
                }
                same = same && to == n;
            }
            // It may be missed where all chunks lie along one axis.
            if (array_grows_at_end(s.a, shape)) {
                assert_true(same);
                grows++;
            } else if (same) {
                bool inner = false;
                for (int d = 1; d < g->ndim; d++)
                    inner = inner || next.grid[d] != g->grid[d];
                assert_true(inner);
            }
        }
        scene_close(&s);
    }
    assert_true(grows > 50);
}

// A change that is undone leaves items, shape and metalayer as they were.
static void
undone(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(150, 20000); i > 0; i--) {
        struct saved_shape saved = {0};
        int64_t shape[NDIM_MAX];
        struct scene s;
        scene_filled(&s, &r);
        new_shape(&r, &s.ref, shape);
        ok(array_change_begin(s.a, &saved, err));
        ok(array_reshape(s.a, shape, NULL, err));
        for (int d = 0; d < s.ref.ndim; d++)
            assert_int_equal(s.a->g->shape[d], shape[d]);
        ok(array_fill_grown(s.a, &saved.g, NULL, err));
        assert_int_equal(array_change_end(s.a, &saved, true, TESS_ERR_CANCELLED, NULL),
                         TESS_ERR_CANCELLED);
        assert_int_equal(s.a->moved, 0);
        scene_check(s.a, &s.ref);
        scene_check_stored(&s);
        scene_close(&s);
    }
}

// Items of a box from before or behind it; overlapping, in either direction.
static void
shifts(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(250, 20000); i > 0; i--) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX], from[NDIM_MAX], to[NDIM_MAX];
        struct scene s;
        scene_random(&s, &r, NULL, (enum scene_items)random_below(&r, 3));
        const int axis = (int)random_below(&r, (uint64_t)s.ref.ndim);
        scene_box(&r, s.ref.ndim, s.ref.shape, start, stop);
        const int64_t room = start[axis] + s.ref.shape[axis] - stop[axis];
        const int64_t by = start[axis] - (int64_t)random_below(&r, (uint64_t)room + 1);
        const struct shift shift = {.axis = axis, .by = by};
        memcpy(from, start, sizeof from);
        memcpy(to, stop, sizeof to);
        from[axis] -= by;
        to[axis] -= by;
        uint8_t *const items = malloc(reference_box_size(&s.ref, from, to) + 1);
        assert_non_null(items);
        reference_get(&s.ref, from, to, items);
        reference_set(&s.ref, start, stop, items);
        frame_begin(s.a->grid->frame);
        ok(array_shift(s.a, &(struct box){start, stop, NULL}, &shift, NULL, err));
        frame_keep(s.a->grid->frame);
        scene_check_stored(&s);
        free(items);
        scene_close(&s);
    }
}

// What is cut off is zeros where its chunk stays; what stays is as it was.
static void
cut(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        int64_t shape[NDIM_MAX], at[NDIM_MAX] = {0};
        struct scene s;
        scene_random(&s, &r, NULL, SCENE_NOISE);
        const struct geometry *const g = s.a->g;
        for (int d = 0; d < g->ndim; d++)
            shape[d] = 1 + (int64_t)random_below(&r, (uint64_t)g->shape[d]);
        frame_begin(s.a->grid->frame);
        ok(padding_cut(s.a, shape, NULL, err));
        frame_keep(s.a->grid->frame);
        do { // items of chunks that stay
            bool gone = false, stays = true;
            int64_t n = 0;
            for (int d = 0; d < g->ndim; d++) {
                gone = gone || at[d] >= shape[d];
                stays = stays && at[d] / g->chunkshape[d] * g->chunkshape[d] < shape[d];
                n = n * g->grid[d] + at[d] / g->chunkshape[d];
            }
            const struct frame *const f = s.a->grid->frame;
            uint8_t got[16];
            int64_t behind[NDIM_MAX];
            for (int d = 0; d < g->ndim; d++)
                behind[d] = at[d] + 1;
            if (!stays || frame_entry(f, n) < 0)
                continue;
            struct open_chunk *v = NULL;
            ok(open_chunk_new(s.a->grid, n, false, NULL, NULL, &v, err));
            const bool special = v->kind == OPEN_SPECIAL;
            open_chunk_release(v);
            ok(tess_array_read(s.a, at, behind, got, sizeof got, err));
            uint8_t *const item = scene_item(&s.ref, at);
            if (gone && !special)
                memset(item, 0, s.ref.typesize);
            assert_memory_equal(got, item, s.ref.typesize);
        } while (scene_next(g->ndim, g->shape, at));
        scene_close(&s);
    }
}

static void
fill_boxes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(150, 20000); i > 0; i--) {
        static const uint8_t zeros[16] = {0};
        int64_t start[NDIM_MAX], stop[NDIM_MAX];
        struct scene s;
        scene_filled(&s, &r);
        const struct box_memory_const src = {.items = s.ref.fill ? s.ref.fill : zeros};
        scene_box(&r, s.ref.ndim, s.ref.shape, start, stop);
        frame_begin(s.a->grid->frame);
        ok(array_fill_box(s.a, &(struct box){start, stop, NULL}, NULL, err));
        frame_keep(s.a->grid->frame);
        scene_scatter(&s.ref, start, stop, NULL, &src);
        scene_check_stored(&s);
        scene_close(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes), cmocka_unit_test(grows_at_end), cmocka_unit_test(undone),
        cmocka_unit_test(shifts), cmocka_unit_test(cut),          cmocka_unit_test(fill_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
