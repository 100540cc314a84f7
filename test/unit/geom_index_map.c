/*
 * geom_index_map.c - tests of geom/index_map: random views of views against a table that holds, for
 * each item of the view, the index of its item in the base.
 */
#include "geom/index_map.h"

#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 3000, STEPS = 4, LENGTH = 5, NDIM_TRIED = 4, ITEMS_MAX = 625 };

// A view as a table: for each of its items, in C order, the number of an item of the base.
struct table {
    int ndim;
    int64_t shape[NDIM_MAX];
    int64_t items[ITEMS_MAX];
};

static int64_t
count_of(int ndim, const int64_t *shape)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= shape[i];
    return n;
}

static int64_t
number_of(int ndim, const int64_t *shape, const int64_t *index)
{
    int64_t n = 0;
    for (int i = 0; i < ndim; i++)
        n = n * shape[i] + index[i];
    return n;
}

static void
index_of(int ndim, const int64_t *shape, int64_t n, int64_t *index)
{
    for (int i = ndim - 1; i >= 0; i--) {
        index[i] = n % shape[i];
        n /= shape[i];
    }
}

static void
random_base(struct random *r, struct table *t)
{
    t->ndim = (int)random_below(r, NDIM_TRIED + 1);
    for (int i = 0; i < t->ndim; i++)
        t->shape[i] = 1 + (int64_t)random_below(r, LENGTH);
    for (int64_t n = 0; n < count_of(t->ndim, t->shape); n++)
        t->items[n] = n;
}

// Part of each axis, with steps of either sign.
static void
slice(struct random *r, struct table *t, struct index_map *map)
{
    int64_t first[NDIM_MAX], count[NDIM_MAX], step[NDIM_MAX], index[NDIM_MAX], from[NDIM_MAX];
    struct table sliced = {.ndim = t->ndim};
    for (int i = 0; i < t->ndim; i++) {
        first[i] = (int64_t)random_below(r, (uint64_t)t->shape[i]);
        step[i] = 1 + (int64_t)random_below(r, 2);
        int64_t room = (t->shape[i] - 1 - first[i]) / step[i];
        if (random_below(r, 2)) {
            room = first[i] / step[i];
            step[i] = -step[i];
        }
        count[i] = 1 + (int64_t)random_below(r, (uint64_t)room + 1);
        sliced.shape[i] = count[i];
    }
    for (int64_t n = 0; n < count_of(t->ndim, count); n++) {
        index_of(t->ndim, count, n, index);
        for (int i = 0; i < t->ndim; i++)
            from[i] = first[i] + index[i] * step[i];
        sliced.items[n] = t->items[number_of(t->ndim, t->shape, from)];
    }
    index_map_slice(map, first, count, step);
    *t = sliced;
}

// Axes in another order; those of length 1 may go, and new ones come.
static void
change_axes(struct random *r, struct table *t, struct index_map *map)
{
    int axes[NDIM_MAX], ndim = 0;
    int64_t index[NDIM_MAX], from[NDIM_MAX];
    struct table turned = {0};
    for (int i = 0; i < t->ndim; i++)
        if (t->shape[i] > 1 || random_below(r, 2) == 0)
            axes[ndim++] = i;
    for (int i = ndim - 1; i > 0; i--) {
        const int k = (int)random_below(r, (uint64_t)i + 1), axis = axes[i];
        axes[i] = axes[k];
        axes[k] = axis;
    }
    if (ndim < NDIM_TRIED && random_below(r, 3) == 0) {
        const int at = (int)random_below(r, (uint64_t)ndim + 1);
        memmove(axes + at + 1, axes + at, (size_t)(ndim - at) * sizeof *axes);
        axes[at] = -1;
        ndim++;
    }
    turned.ndim = ndim;
    for (int i = 0; i < ndim; i++)
        turned.shape[i] = axes[i] < 0 ? 1 : t->shape[axes[i]];
    for (int64_t n = 0; n < count_of(ndim, turned.shape); n++) {
        index_of(ndim, turned.shape, n, index);
        memset(from, 0, sizeof from);
        for (int i = 0; i < ndim; i++)
            if (axes[i] >= 0)
                from[axes[i]] = index[i];
        turned.items[n] = t->items[number_of(t->ndim, t->shape, from)];
    }
    index_map_axes(map, ndim, axes);
    *t = turned;
}

static void
check_indices(const struct table *base, const struct table *t, const struct index_map *map)
{
    int64_t index[NDIM_MAX], in_base[NDIM_MAX];
    assert_int_equal(map->ndim, t->ndim);
    assert_int_equal(map->base_ndim, base->ndim);
    for (int64_t n = 0; n < count_of(t->ndim, t->shape); n++) {
        index_of(t->ndim, t->shape, n, index);
        for (int b = 0; b < base->ndim; b++)
            in_base[b] = index_map_index(map, b, index);
        assert_int_equal(number_of(base->ndim, base->shape, in_base), t->items[n]);
    }
}

// A box of the view with steps: the items of the base's box, put where its strides say, are those
// of the view's box in C order.
static void
check_box(struct random *r, const struct table *base, const struct table *t,
          const struct index_map *map)
{
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX], count[NDIM_MAX], stride[NDIM_MAX];
    int64_t in_base[NDIM_MAX], counts[NDIM_MAX], index[NDIM_MAX];
    int64_t got[ITEMS_MAX];
    struct index_box box;
    for (int i = 0; i < t->ndim; i++) {
        start[i] = (int64_t)random_below(r, (uint64_t)t->shape[i]);
        step[i] = 1 + (int64_t)random_below(r, 3);
        count[i] =
            1 + (int64_t)random_below(r, (uint64_t)((t->shape[i] - 1 - start[i]) / step[i]) + 1);
        stop[i] = start[i] + (count[i] - 1) * step[i] + 1;
    }
    for (int64_t i = t->ndim - 1, n = 1; i >= 0; n *= count[i--])
        stride[i] = n * (int64_t)sizeof *got;
    memset(got, 0xff, sizeof got);
    index_map_box(map, &(struct box){start, stop, step}, stride, &box);
    for (int b = 0; b < base->ndim; b++) {
        assert_in_range(box.start[b], 0, base->shape[b] - 1);
        assert_in_range(box.stop[b], box.start[b] + 1, base->shape[b]);
        assert_int_equal((box.stop[b] - 1 - box.start[b]) % box.step[b], 0);
        counts[b] = (box.stop[b] - 1 - box.start[b]) / box.step[b] + 1;
    }
    assert_int_equal(count_of(base->ndim, counts), count_of(t->ndim, count));
    for (int64_t n = 0; n < count_of(base->ndim, counts); n++) {
        int64_t at = box.offset;
        index_of(base->ndim, counts, n, in_base);
        for (int b = 0; b < base->ndim; b++) {
            at += in_base[b] * box.stride[b];
            in_base[b] = box.start[b] + in_base[b] * box.step[b];
        }
        assert_in_range(at, 0, (count_of(t->ndim, count) - 1) * (int64_t)sizeof *got);
        got[at / (int64_t)sizeof *got] = number_of(base->ndim, base->shape, in_base);
    }
    for (int64_t n = 0; n < count_of(t->ndim, count); n++) {
        index_of(t->ndim, count, n, index);
        for (int i = 0; i < t->ndim; i++)
            index[i] = start[i] + index[i] * step[i];
        assert_int_equal(got[n], t->items[number_of(t->ndim, t->shape, index)]);
    }
}

static void
views_of_views(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        struct table base = {0};
        struct index_map map;
        random_base(&r, &base);
        struct table t = base;
        index_map_identity(&map, base.ndim);
        check_indices(&base, &t, &map);
        for (int64_t n = (int64_t)random_below(&r, STEPS); n > 0; n--) {
            if (random_below(&r, 2))
                slice(&r, &t, &map);
            else
                change_axes(&r, &t, &map);
            check_indices(&base, &t, &map);
            check_box(&r, &base, &t, &map);
        }
    }
}

// An axis without items: its first index counts for nothing.
static void
no_items(void **state)
{
    struct index_map map;
    (void)state;
    index_map_identity(&map, 2);
    index_map_slice(&map, (const int64_t[]){7, 1}, (const int64_t[]){0, 2},
                    (const int64_t[]){1, 3});
    assert_int_equal(map.first[0], 0);
    assert_int_equal(index_map_index(&map, 1, (const int64_t[]){0, 1}), 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_of_views),
        cmocka_unit_test(no_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
