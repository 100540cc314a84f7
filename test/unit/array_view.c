/*
 * array_view.c - tests of array/array, array/items/box and array/update: views of random arrays,
 * and views of those, against lists of the items that are seen through them.
 *
 * The three are driven together: box and chosen have nothing of their own but the way through a
 * view, and update is these as one change each.
 */
#include "array/array.h"

#include "array/items/box.h"
#include "array/update.h"
#include "cache/cache.h"
#include "frame/commit/change.h"
#include "frame/frame.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// An array, or a view of it, and the numbers of the items of the base that are seen, in C order.
struct seen {
    tess_array *a;
    int ndim;
    int64_t shape[NDIM_MAX];
    int64_t *numbers;
};

static int64_t
nitems(const struct seen *v)
{
    return reference_nitems(v->ndim, v->shape);
}

static int64_t *
number_at(const struct seen *v, const int64_t *index)
{
    int64_t n = 0;
    for (int i = 0; i < v->ndim; i++)
        n = n * v->shape[i] + index[i];
    return &v->numbers[n];
}

static void
seen_base(struct seen *v, const struct scene *s)
{
    *v = (struct seen){.a = s->a, .ndim = s->ref.ndim};
    memcpy(v->shape, s->ref.shape, sizeof v->shape);
    v->numbers = malloc((size_t)nitems(v) * sizeof *v->numbers);
    assert_non_null(v->numbers);
    for (int64_t n = 0; n < nitems(v); n++)
        v->numbers[n] = n;
}

static void
seen_slice(struct seen *v, struct random *r, const struct seen *of)
{
    int64_t first[NDIM_MAX], step[NDIM_MAX], at[NDIM_MAX] = {0}, index[NDIM_MAX];
    *v = (struct seen){.ndim = of->ndim};
    for (int i = 0; i < v->ndim; i++) {
        const int64_t by = 1 + (int64_t)random_below(r, 3);
        v->shape[i] = 1 + (int64_t)random_below(r, (uint64_t)((of->shape[i] - 1) / by + 1));
        const int64_t room = of->shape[i] - (v->shape[i] - 1) * by;
        first[i] = (int64_t)random_below(r, (uint64_t)room);
        step[i] = by;
        if (random_below(r, 2)) {
            first[i] += (v->shape[i] - 1) * by;
            step[i] = -by;
        }
    }
    v->numbers = malloc((size_t)nitems(v) * sizeof *v->numbers);
    assert_non_null(v->numbers);
    do {
        for (int i = 0; i < v->ndim; i++)
            index[i] = first[i] + at[i] * step[i];
        *number_at(v, at) = *number_at(of, index);
    } while (scene_next(v->ndim, v->shape, at));
    ok(view_slice(of->a, first, v->shape, step, &v->a, err));
}

// Axes in another order; some of length 1 go, and new ones come.
static void
seen_axes(struct seen *v, struct random *r, const struct seen *of)
{
    int axes[NDIM_MAX], n = 0;
    int64_t at[NDIM_MAX] = {0}, index[NDIM_MAX];
    for (int i = 0; i < of->ndim; i++)
        if (of->shape[i] > 1 || random_below(r, 2))
            axes[n++] = i;
    if (random_below(r, 2))
        axes[n++] = -1;
    for (int i = n - 1; i > 0; i--) {
        const int k = (int)random_below(r, (uint64_t)i + 1), axis = axes[i];
        axes[i] = axes[k];
        axes[k] = axis;
    }
    *v = (struct seen){.ndim = n};
    for (int i = 0; i < n; i++)
        v->shape[i] = axes[i] < 0 ? 1 : of->shape[axes[i]];
    v->numbers = malloc((size_t)nitems(v) * sizeof *v->numbers);
    assert_non_null(v->numbers);
    do {
        memset(index, 0, sizeof index);
        for (int i = 0; i < n; i++)
            if (axes[i] >= 0)
                index[axes[i]] = at[i];
        *number_at(v, at) = *number_at(of, index);
    } while (scene_next(n, v->shape, at));
    ok(view_axes(of->a, n, axes, &v->a, err));
}

static void
seen_finish(struct seen *v)
{
    array_free(v->a);
    free(v->numbers);
}

// A view of a view of ...; those between are ended before it is used.
static void
random_view(struct seen *v, struct random *r, const struct scene *s)
{
    struct seen next;
    seen_base(v, s);
    array_hold(s->a); // as a view does
    for (uint64_t k = random_below(r, 4); k > 0; k--) {
        if (random_below(r, 2))
            seen_slice(&next, r, v);
        else
            seen_axes(&next, r, v);
        seen_finish(v);
        *v = next;
    }
}

static uint8_t *
base_item(const struct scene *s, int64_t number)
{
    return s->ref.data + (size_t)number * s->ref.typesize;
}

static void
check_geometry(const struct seen *v, const struct scene *s)
{
    struct index_map map;
    int64_t at[NDIM_MAX] = {0};
    assert_int_equal(v->a->g->ndim, v->ndim);
    for (int i = 0; i < v->ndim; i++)
        assert_int_equal(v->a->g->shape[i], v->shape[i]);
    assert_ptr_equal(view_base(v->a), s->a);
    assert_ptr_equal(view_base_const(v->a), s->a);
    assert_ptr_equal(v->a->grid, s->a->grid);
    ok(view_map(v->a, &map, err));
    do {
        int64_t n = 0;
        for (int b = 0; b < s->ref.ndim; b++)
            n = n * s->ref.shape[b] + index_map_index(&map, b, at);
        assert_int_equal(n, *number_at(v, at));
    } while (scene_next(v->ndim, v->shape, at));
}

struct request {
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX], count[NDIM_MAX];
    bool steps;
    struct scene_memory m;
};

static void
request_init(struct request *q, struct random *r, const struct seen *v, int64_t typesize)
{
    scene_box(r, v->ndim, v->shape, q->start, q->stop);
    q->steps = random_below(r, 3) == 0;
    if (q->steps)
        scene_steps(r, v->ndim, q->start, q->stop, q->step);
    scene_counts(v->ndim, q->start, q->stop, q->steps ? q->step : NULL, q->count);
    scene_memory(r, v->ndim, q->count, typesize, &q->m);
}

// Each item of a box: copied to memory, or from there to the reference.
static void
move_box(const struct request *q, const struct seen *v, struct scene *s, uint8_t *bytes, bool write)
{
    int64_t at[NDIM_MAX] = {0}, index[NDIM_MAX];
    do {
        uint8_t *memory = bytes + (q->m.at.items - q->m.bytes);
        for (int i = 0; i < v->ndim; i++) {
            index[i] = q->start[i] + at[i] * (q->steps ? q->step[i] : 1);
            memory += at[i] * q->m.at.stride[i];
        }
        uint8_t *const item = base_item(s, *number_at(v, index));
        memcpy(write ? item : memory, write ? memory : item, s->ref.typesize);
    } while (scene_next(v->ndim, q->count, at));
}

static void
boxes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        struct scene s;
        struct seen v;
        scene_random(&s, &r, NULL, SCENE_LIKELY);
        random_view(&v, &r, &s);
        check_geometry(&v, &s);
        for (int k = 0; k < 6; k++) {
            struct request q;
            request_init(&q, &r, &v, s.a->g->typesize);
            const int64_t *const step = q.steps ? q.step : NULL;
            uint8_t *const want = malloc(q.m.size);
            assert_non_null(want);
            memcpy(want, q.m.bytes, q.m.size);
            switch (random_below(&r, 3)) {
            case 0:
                move_box(&q, &v, &s, want, false);
                ok(array_read(v.a, &(struct box){q.start, q.stop, step}, &q.m.at, NULL, err));
                assert_memory_equal(q.m.bytes, want, q.m.size);
                break;
            case 1: // which knows nothing of blocks that wait
                ok(array_commit(v.a, err));
                frame_begin(s.a->grid->frame);
                ok(array_write(v.a, &(struct box){q.start, q.stop, step}, &q.m.from, NULL, NULL,
                               err));
                frame_keep(s.a->grid->frame);
                move_box(&q, &v, &s, q.m.bytes, true);
                break;
            default: // which may wait in the cache
                ok(array_update_box(v.a, &(struct box){q.start, q.stop, step}, &q.m.from, NULL,
                                    err));
                move_box(&q, &v, &s, q.m.bytes, true);
            }
            scene_check(s.a, &s.ref);
            free(want);
            free(q.m.bytes);
        }
        seen_finish(&v);
        scene_check_stored(&s);
        scene_close(&s);
    }
}

// Of an item that is chosen more than once, the last value stays.
static void
points(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        enum { MOST = 60 };
        int64_t coords[MOST * NDIM_MAX];
        uint8_t got[MOST * 16], src[MOST * 16];
        struct scene s;
        struct seen v;
        scene_random(&s, &r, NULL, SCENE_LIKELY);
        random_view(&v, &r, &s);
        const size_t size = s.ref.typesize;
        const int64_t n = 1 + (int64_t)random_below(&r, MOST);
        for (int64_t k = 0; k < n; k++)
            for (int axis = 0; axis < v.ndim; axis++)
                coords[k * v.ndim + axis] = (int64_t)random_below(&r, (uint64_t)v.shape[axis]);
        ok(array_get_points(v.a, n, coords, got, NULL, err));
        for (int64_t k = 0; k < n; k++)
            assert_memory_equal(got + (size_t)k * size,
                                base_item(&s, *number_at(&v, coords + k * v.ndim)), size);
        random_bytes(&r, src, sizeof src);
        ok(array_update_points(v.a, n, coords, src, NULL, err));
        for (int64_t k = 0; k < n; k++)
            memcpy(base_item(&s, *number_at(&v, coords + k * v.ndim)), src + (size_t)k * size,
                   size);
        seen_finish(&v);
        scene_check_stored(&s);
        scene_close(&s);
    }
}

static void
orthogonal(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        enum { MOST = 6 };
        int64_t list[NDIM_MAX][MOST], counts[NDIM_MAX], at[NDIM_MAX] = {0}, index[NDIM_MAX];
        const int64_t *indices[NDIM_MAX];
        struct scene s;
        struct seen v;
        scene_random(&s, &r, NULL, SCENE_LIKELY);
        random_view(&v, &r, &s);
        const size_t size = s.ref.typesize;
        for (int axis = 0; axis < v.ndim; axis++) {
            counts[axis] = 1 + (int64_t)random_below(&r, MOST);
            for (int64_t k = 0; k < counts[axis]; k++)
                list[axis][k] = (int64_t)random_below(&r, (uint64_t)v.shape[axis]);
            indices[axis] = list[axis];
        }
        const int64_t n = reference_nitems(v.ndim, counts);
        uint8_t *const got = malloc((size_t)n * size), *const src = malloc((size_t)n * size);
        assert_true(got && src);
        random_bytes(&r, src, (size_t)n * size);
        ok(array_get_orthogonal(v.a, counts, indices, got, NULL, err));
        ok(array_update_orthogonal(v.a, counts, indices, src, NULL, err));
        for (int64_t k = 0; k < n; k++, scene_next(v.ndim, counts, at)) {
            for (int axis = 0; axis < v.ndim; axis++)
                index[axis] = list[axis][at[axis]];
            assert_memory_equal(got + (size_t)k * size, base_item(&s, *number_at(&v, index)), size);
        }
        memset(at, 0, sizeof at);
        for (int64_t k = 0; k < n; k++, scene_next(v.ndim, counts, at)) {
            for (int axis = 0; axis < v.ndim; axis++)
                index[axis] = list[axis][at[axis]];
            memcpy(base_item(&s, *number_at(&v, index)), src + (size_t)k * size, size);
        }
        seen_finish(&v);
        scene_check_stored(&s);
        scene_close(&s);
        free(got);
        free(src);
    }
}

// A view of items that went away is refused; growth at the end moves nothing.
static void
stale(void **state)
{
    static const int64_t zero = 0, one = 1, ten = 10, twenty = 20, five = 5;
    struct random r;
    struct scene s;
    tess_params p;
    tess_array *view = NULL;
    uint8_t items[10];
    const struct box_memory dst = {.items = items, .stride = {1}};
    struct index_map map;
    (void)state;
    random_init(&r, random_seed());
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 10;
    scene_new(&s, &p, NULL, SCENE_NOISE, &r);
    ok(view_slice(s.a, &zero, &five, &one, &view, err));
    ok(array_update_shape(s.a, &twenty, NULL, NULL, NULL, err));
    ok(view_check(view, err));
    ok(view_check(s.a, err));
    ok(array_update_shape(s.a, &ten, NULL, NULL, NULL, err));
    assert_int_equal(view_check(view, NULL), TESS_ERR_STALE);
    assert_int_equal(view_map(view, &map, NULL), TESS_ERR_STALE);
    assert_int_equal(array_read(view, &(struct box){&zero, &five, NULL}, &dst, NULL, NULL),
                     TESS_ERR_STALE);
    ok(view_check(s.a, err));
    array_free(view);
    ok(view_slice(s.a, &zero, &five, &one, &view, err));
    ok(view_check(view, err));
    s.a->discarded = true;
    assert_int_equal(view_check(view, NULL), TESS_ERR_STALE);
    s.a->discarded = false;
    array_free(view);
    scene_check_stored(&s);
    scene_close(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),
        cmocka_unit_test(points),
        cmocka_unit_test(orthogonal),
        cmocka_unit_test(stale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
