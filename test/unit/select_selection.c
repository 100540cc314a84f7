/*
 * select_selection.c - tests of lib/tessera/select: points, lists of indices, masks and boxes of
 * random views, walked chunk by chunk, block by block and pick by pick, against a loop over what
 * was chosen.
 */
#include "select/selection.h"

#include "geom/index_map.h"
#include "geom/shape.h"
#include "grid/grid.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 2000, LENGTH = 12, NDIM_TRIED = 4, CHOSEN_MAX = 20736 };

// A grid that has a geometry and nothing else, and a view of it.
struct scene {
    struct chunk_grid grid;
    struct index_map map;
    int64_t shape[NDIM_MAX]; // of the view
};

static void
random_scene(struct random *r, struct scene *s)
{
    int64_t shape[NDIM_MAX], chunk[NDIM_MAX], block[NDIM_MAX];
    int64_t first[NDIM_MAX], step[NDIM_MAX];
    int axes[NDIM_MAX];
    const int ndim = 1 + (int)random_below(r, NDIM_TRIED);
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ndim; i++) {
        shape[i] = 1 + (int64_t)random_below(r, LENGTH);
        chunk[i] = 1 + (int64_t)random_below(r, (uint64_t)shape[i] + 2);
        block[i] = 1 + (int64_t)random_below(r, (uint64_t)chunk[i]);
        axes[i] = i;
    }
    assert_int_equal(geometry_init(&s->grid.g, ndim, shape, chunk, block, 4, TESS_ERR_ARG, NULL),
                     TESS_OK);
    s->grid.linear = random_below(r, 5) == 0;
    index_map_identity(&s->map, ndim);
    memcpy(s->shape, shape, sizeof shape);
    if (random_below(r, 2))
        return;
    for (int i = 0; i < ndim; i++) { // every item, or every other one, in either direction
        const int64_t by = 1 + (int64_t)random_below(r, 2);
        s->shape[i] = (shape[i] - 1) / by + 1;
        step[i] = random_below(r, 2) ? by : -by;
        first[i] = step[i] > 0 ? 0 : (s->shape[i] - 1) * by;
    }
    index_map_slice(&s->map, first, s->shape, step);
    for (int i = ndim - 1; i > 0; i--) {
        const int k = (int)random_below(r, (uint64_t)i + 1), axis = axes[i];
        const int64_t length = s->shape[i];
        axes[i] = axes[k];
        axes[k] = axis;
        s->shape[i] = s->shape[k];
        s->shape[k] = length;
    }
    index_map_axes(&s->map, ndim, axes);
}

// The number, in C order, of the item of the base at an index of the view.
static int64_t
number_in_base(const struct scene *s, const int64_t *index)
{
    int64_t n = 0;
    for (int b = 0; b < s->map.base_ndim; b++)
        n = n * s->grid.g.shape[b] + index_map_index(&s->map, b, index);
    return n;
}

// The same for an item of a block; padding is no item.
static int64_t
number_of_pick(const struct scene *s, const struct selection *sel, int64_t chunk, int64_t block,
               int64_t item)
{
    const struct geometry *const g = &s->grid.g;
    int64_t index[NDIM_MAX], n = 0;
    for (int i = g->ndim - 1; i >= 0; i--) {
        index[i] = chunk % g->grid[i] * g->chunkshape[i] + block % sel->cells[i] * sel->cell[i] +
                   item % sel->cell[i];
        assert_in_range(index[i], 0, g->shape[i] - 1);
        chunk /= g->grid[i];
        block /= sel->cells[i];
        item /= sel->cell[i];
    }
    for (int i = 0; i < g->ndim; i++)
        n = n * g->shape[i] + index[i];
    return n;
}

// All picks of a selection, each into the place where the caller's memory has it.
static void
collect(const struct scene *s, const struct selection *sel, int64_t *got, int64_t count)
{
    struct part chunk, block;
    struct picks p;
    int64_t nblocks = 0, before = -1;
    for (int64_t i = 0; i < count; i++)
        got[i] = -1;
    for (bool more = selection_chunk(sel, 0, &chunk); more;
         more = selection_chunk(sel, chunk.n + 1, &chunk)) {
        assert_true(chunk.n > before);
        before = chunk.n;
        for (bool next = selection_block(sel, &chunk, 0, &block); next;
             next = selection_block(sel, &chunk, block.n + 1, &block)) {
            const struct reach reach = selection_reach(sel, &block);
            int64_t first = INT64_MAX, stop = 0;
            nblocks++;
            picks_begin(&p, sel, &block);
            while (picks_next(&p))
                for (int64_t i = 0; i < p.n; i++)
                    for (int64_t k = 0; k < p.list[i].length; k++) {
                        const int64_t at = p.list[i].at + k, item = p.list[i].item + k;
                        assert_in_range(at, 0, count - 1);
                        assert_int_equal(got[at], -1);
                        got[at] = number_of_pick(s, sel, chunk.n, block.n, item);
                        first = item < first ? item : first;
                        stop = item + 1 > stop ? item + 1 : stop;
                    }
            assert_true(stop > 0 && reach.first <= first && reach.stop >= stop);
        }
    }
    assert_int_equal(nblocks, sel->nblocks);
}

static void
compare(const int64_t *got, const int64_t *want, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(got[i], want[i]);
}

static void
next_index(int ndim, const int64_t *count, int64_t *index)
{
    for (int i = ndim - 1; i >= 0 && ++index[i] == count[i]; i--)
        index[i] = 0;
}

static int64_t got[CHOSEN_MAX], want[CHOSEN_MAX];

// In any order, some more than once.
static void
points(void **state)
{
    static int64_t coords[200 * NDIM_MAX];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        struct scene s;
        struct selection sel;
        random_scene(&r, &s);
        const int64_t n = 1 + (int64_t)random_below(&r, 200);
        for (int64_t i = 0; i < n; i++) {
            int64_t *const index = coords + i * s.map.ndim;
            for (int k = 0; k < s.map.ndim; k++)
                index[k] = (int64_t)random_below(&r, (uint64_t)s.shape[k]);
            want[i] = number_in_base(&s, index);
        }
        assert_int_equal(selection_of_points(&sel, &s.grid, &s.map, n, coords, NULL), TESS_OK);
        collect(&s, &sel, got, n);
        compare(got, want, n);
        selection_finish(&sel);
    }
}

// Sorted or not, some indices more than once.
static void
lists_of_indices(void **state)
{
    static int64_t list[NDIM_MAX][LENGTH];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t *indices[NDIM_MAX];
        int64_t counts[NDIM_MAX], at[NDIM_MAX] = {0}, index[NDIM_MAX], n = 1;
        struct scene s;
        struct selection sel;
        random_scene(&r, &s);
        for (int i = 0; i < s.map.ndim; i++) {
            const bool sorted = random_below(&r, 2);
            counts[i] = 1 + (int64_t)random_below(&r, LENGTH);
            for (int64_t k = 0; k < counts[i]; k++)
                list[i][k] = sorted ? k * s.shape[i] / counts[i]
                                    : (int64_t)random_below(&r, (uint64_t)s.shape[i]);
            indices[i] = list[i];
            n *= counts[i];
        }
        for (int64_t k = 0; k < n; k++, next_index(s.map.ndim, counts, at)) {
            for (int i = 0; i < s.map.ndim; i++)
                index[i] = list[i][at[i]];
            want[k] = number_in_base(&s, index);
        }
        assert_int_equal(selection_of_axes(&sel, &s.grid, &s.map, counts, indices, NULL), TESS_OK);
        assert_int_equal(sel.ncopies, 1);
        collect(&s, &sel, got, n);
        compare(got, want, n);
        selection_finish(&sel);
    }
}

// Over the first axes of a box, from few bytes to all; what is chosen comes in C order.
static void
masks(void **state)
{
    static uint8_t bytes[CHOSEN_MAX];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX] = {0}, count[NDIM_MAX], at[NDIM_MAX] = {0};
        int64_t index[NDIM_MAX], inner = 1, nbytes = 1, n = 0;
        struct scene s;
        struct selection sel;
        random_scene(&r, &s);
        const int ndim = 1 + (int)random_below(&r, (uint64_t)s.map.ndim);
        const uint64_t one_in = 1 + random_below(&r, 5);
        for (int i = 0; i < s.map.ndim; i++) {
            stop[i] = s.shape[i];
            if (i < ndim) {
                start[i] = (int64_t)random_below(&r, (uint64_t)s.shape[i]);
                stop[i] =
                    start[i] + 1 + (int64_t)random_below(&r, (uint64_t)(s.shape[i] - start[i]));
                nbytes *= stop[i] - start[i];
            } else {
                inner *= s.shape[i];
            }
            count[i] = stop[i] - start[i];
        }
        for (int64_t i = 0; i < nbytes; i++)
            bytes[i] = random_below(&r, one_in) == 0 ? (uint8_t)(1 + random_below(&r, 255)) : 0;
        for (int64_t k = 0; k < nbytes * inner; k++, next_index(s.map.ndim, count, at)) {
            for (int i = 0; i < s.map.ndim; i++)
                index[i] = start[i] + at[i];
            if (bytes[k / inner])
                want[n++] = number_in_base(&s, index);
        }
        assert_int_equal(selection_of_mask(&sel, &s.grid, &s.map, s.shape, ndim,
                                           &(struct box){start, stop, NULL}, bytes, NULL),
                         TESS_OK);
        collect(&s, &sel, got, n);
        compare(got, want, n);
        selection_finish(&sel);
    }
}

// Boxes of the grid, with steps, turned or not, some of which are left out; box after box.
static void
boxes(void **state)
{
    enum { BOXES = 8, NITEMS_MAX = CHOSEN_MAX / BOXES };
    static int64_t start[BOXES * NDIM_TRIED], count[BOXES * NDIM_TRIED], at[BOXES];
    static uint16_t turned[BOXES];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        struct box_list list = {.start = start, .count = count, .at = at, .turned = turned};
        struct scene s;
        struct selection sel;
        int64_t n = 0, most[NDIM_MAX];
        random_scene(&r, &s);
        const struct geometry *const g = &s.grid.g;
        const int ndim = g->ndim;
        list.n = 1 + (int64_t)random_below(&r, BOXES);
        int64_t size = 1; // of the memory of a box
        for (int i = ndim - 1; i >= 0; i--) {
            list.step[i] = 1 + (int64_t)random_below(&r, 3);
            most[i] = (g->shape[i] - 1) / list.step[i] + 1;
            most[i] = most[i] * size > NITEMS_MAX ? 1 : most[i];
            list.stride[i] = size;
            size *= most[i];
        }
        for (int64_t k = 0; k < BOXES * size; k++)
            want[k] = -1;
        for (int64_t box = 0; box < list.n; box++, n += size) {
            int64_t index[NDIM_MAX] = {0}, nitems = 1;
            at[box] = random_below(&r, 6) == 0 ? -1 : n;
            turned[box] = (uint16_t)random_below(&r, 1U << ndim);
            for (int i = 0; i < ndim; i++) {
                const int64_t c = 1 + (int64_t)random_below(&r, (uint64_t)most[i]);
                count[box * ndim + i] = c;
                start[box * ndim + i] =
                    (int64_t)random_below(&r, (uint64_t)(g->shape[i] - (c - 1) * list.step[i]));
                nitems *= c;
                if (at[box] >= 0 && turned[box] >> i & 1)
                    at[box] += (c - 1) * list.stride[i];
            }
            for (int64_t k = 0; at[box] >= 0 && k < nitems; k++) {
                int64_t to = at[box], number = 0;
                for (int i = 0; i < ndim; i++) {
                    to += (turned[box] >> i & 1 ? -1 : 1) * index[i] * list.stride[i];
                    number = number * g->shape[i] + start[box * ndim + i] + index[i] * list.step[i];
                }
                want[to] = number;
                next_index(ndim, count + box * ndim, index);
            }
        }
        assert_int_equal(selection_of_boxes(&sel, &s.grid, &list, NULL), TESS_OK);
        collect(&s, &sel, got, n);
        compare(got, want, n);
        selection_finish(&sel);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points),
        cmocka_unit_test(lists_of_indices),
        cmocka_unit_test(masks),
        cmocka_unit_test(boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
