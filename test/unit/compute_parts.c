/*
 * compute_parts.c - tests of compute/parts/each and, through it, of
 * compute/parts/parts: each item of a box is handed out once, where it is said to be.
 */
#include "compute/parts/parts.h"

#include "geom/shape.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct visit {
    const struct scene *s;
    tess_unit unit;
    const int64_t *start, *stop;
    _Atomic int *times; // each item of the array was handed out
    atomic_int parts, wrong;
    int stop_at; // parts
    tess_each_next at_last;
};

// An item, by its number in the array.
static int64_t
number_of(const struct reference *ref, const int64_t *index)
{
    return (scene_item(ref, index) - ref->data) / (int64_t)ref->typesize;
}

static void
shape_of_part(const tess_part *part, int64_t *shape)
{
    for (int i = 0; i < part->ndim; i++)
        shape[i] = part->stop[i] - part->start[i];
}

// On any thread: no assertions of cmocka here.
static bool
is_right(const struct visit *v, const tess_part *part)
{
    const struct geometry *const g = v->s->a->g;
    int64_t at[NDIM_MAX] = {0}, index[NDIM_MAX], chunk = 0, block = 0;
    int64_t shape[NDIM_MAX], stride[NDIM_MAX];
    shape_of_part(part, shape);
    for (int i = 0; i < g->ndim; i++) {
        const int64_t c = part->start[i] / g->chunkshape[i];
        chunk = chunk * g->grid[i] + c;
        block = block * g->bgrid[i] + part->start[i] % g->chunkshape[i] / g->blockshape[i];
        if (part->start[i] < v->start[i] || part->stop[i] > v->stop[i] || shape[i] < 1)
            return false;
    }
    shape_strides(g->ndim, shape, g->typesize, stride);
    if (part->ndim != g->ndim || part->chunk != chunk ||
        part->block != (v->unit == TESS_BLOCKS ? block : -1) ||
        part->strides[g->ndim - 1] != g->typesize ||
        (v->unit == TESS_CHUNKS &&
         memcmp(part->strides, stride, sizeof *stride * (size_t)g->ndim) != 0))
        return false;
    do {
        const uint8_t *item = part->items;
        for (int i = 0; i < g->ndim; i++) {
            index[i] = part->start[i] + at[i];
            item += at[i] * part->strides[i];
            // All of it lies in the block, or chunk, of the first item.
            const int64_t inside = index[i] % g->chunkshape[i];
            if (index[i] / g->chunkshape[i] != part->start[i] / g->chunkshape[i] ||
                (v->unit == TESS_BLOCKS &&
                 inside / g->blockshape[i] != part->start[i] % g->chunkshape[i] / g->blockshape[i]))
                return false;
        }
        if (memcmp(item, scene_item(&v->s->ref, index), v->s->ref.typesize) != 0)
            return false;
        atomic_fetch_add(&v->times[number_of(&v->s->ref, index)], 1);
    } while (scene_next(g->ndim, shape, at));
    return true;
}

static tess_each_next
look(const tess_part *part, void *user)
{
    struct visit *const v = user;
    if (!is_right(v, part))
        atomic_fetch_add(&v->wrong, 1);
    return atomic_fetch_add(&v->parts, 1) + 1 == v->stop_at ? v->at_last : TESS_EACH_NEXT;
}

// A byte of each item, in every other part.
static tess_each_next
turn(const tess_part *part, void *items, void *user)
{
    struct visit *const v = user;
    const bool change = (part->chunk + part->block) % 2 == 0;
    int64_t at[NDIM_MAX] = {0}, shape[NDIM_MAX];
    shape_of_part(part, shape);
    if (items != part->items || !is_right(v, part))
        atomic_fetch_add(&v->wrong, 1);
    do {
        uint8_t *item = items;
        for (int i = 0; i < part->ndim; i++)
            item += at[i] * part->strides[i];
        *item ^= 0x55; // lost where the answer is that nothing was changed
    } while (scene_next(part->ndim, shape, at));
    if (atomic_fetch_add(&v->parts, 1) + 1 == v->stop_at)
        return v->at_last;
    return change ? TESS_EACH_CHANGED : TESS_EACH_NEXT;
}

static void
visit_init(struct visit *v, struct random *r, const struct scene *s, int64_t *start, int64_t *stop)
{
    *v = (struct visit){.s = s, .start = start, .stop = stop};
    scene_box(r, s->ref.ndim, s->ref.shape, start, stop);
    v->unit = random_below(r, 2) ? TESS_BLOCKS : TESS_CHUNKS;
    v->times = calloc((size_t)reference_nitems(s->ref.ndim, s->ref.shape), sizeof *v->times);
    assert_non_null(v->times);
}

static bool
in_box(const struct reference *ref, const int64_t *start, const int64_t *stop, const int64_t *at)
{
    for (int i = 0; i < ref->ndim; i++)
        if (at[i] < start[i] || at[i] >= stop[i])
            return false;
    return true;
}

static void
seen_once(const struct visit *v)
{
    int64_t at[NDIM_MAX] = {0};
    assert_int_equal(v->wrong, 0);
    do
        assert_int_equal(v->times[number_of(&v->s->ref, at)],
                         in_box(&v->s->ref, v->start, v->stop, at));
    while (scene_next(v->s->ref.ndim, v->s->ref.shape, at));
}

static void
each(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX];
        tess_context c;
        struct scene s;
        struct visit v;
        scene_context(&c, random_below(&r, 2) ? 1 : 4, -1);
        scene_random(&s, &r, &c, (enum scene_items)random_below(&r, 3));
        visit_init(&v, &r, &s, start, stop);
        ok(array_each(s.a, v.unit, start, stop, look, &v, NULL, err));
        seen_once(&v);
        // A program that stops, and one that gives up; with one thread no other part is begun.
        const int parts = v.parts;
        v.at_last = random_below(&r, 2) ? TESS_EACH_STOP : TESS_EACH_FAIL;
        v.stop_at = 1 + (int)random_below(&r, (uint64_t)parts);
        v.parts = 0;
        assert_int_equal(array_each(s.a, v.unit, start, stop, look, &v, NULL, NULL),
                         v.at_last == TESS_EACH_STOP ? TESS_OK : TESS_ERR_CANCELLED);
        assert_true(v.parts >= v.stop_at && v.parts <= parts);
        if (c.threads == 1)
            assert_int_equal(v.parts, v.stop_at);
        free((void *)v.times);
        scene_close(&s);
    }
}

static void
change(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX], at[NDIM_MAX] = {0};
        tess_context c;
        struct scene s;
        struct visit v;
        scene_context(&c, random_below(&r, 2) ? 1 : 4, -1);
        scene_random(&s, &r, &c, (enum scene_items)random_below(&r, 3));
        visit_init(&v, &r, &s, start, stop);
        const struct geometry *const g = s.a->g;
        if (random_below(&r, 4) == 0) { // given up: nothing of it stays
            v.stop_at = 1;
            v.at_last = TESS_EACH_FAIL;
            assert_int_equal(array_change(s.a, v.unit, start, stop, turn, &v, NULL, NULL),
                             TESS_ERR_CANCELLED);
            assert_int_equal(v.wrong, 0);
        } else {
            ok(array_change(s.a, v.unit, start, stop, turn, &v, NULL, err));
            seen_once(&v);
            do {
                int64_t chunk = 0, block = 0;
                for (int k = 0; k < g->ndim; k++) {
                    chunk = chunk * g->grid[k] + at[k] / g->chunkshape[k];
                    block = block * g->bgrid[k] + at[k] % g->chunkshape[k] / g->blockshape[k];
                }
                if (v.unit == TESS_CHUNKS)
                    block = -1;
                if (in_box(&s.ref, start, stop, at) && (chunk + block) % 2 == 0)
                    *scene_item(&s.ref, at) ^= 0x55;
            } while (scene_next(g->ndim, g->shape, at));
        }
        scene_check(s.a, &s.ref);
        scene_check_stored(&s);
        free((void *)v.times);
        scene_close(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each),
        cmocka_unit_test(change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
