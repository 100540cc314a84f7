/*
 * compute_map.c - tests of compute/map: borders of chunks through views, against a walk from item
 * to item; and boxes, which cover everything once, keep to the memory, and to whole chunks of the
 * outputs where they fit.
 */
#include "array/array.h"
#include "base/checked.h"
#include "compute/map/map.h"
#include "compute/map/private.h"
#include "support/random.h"

#include <tessera.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 1500, ARRAYS = 4 };

static uint64_t running; // the seed of the case

// An array of that shape: every second one is a view with steps of either sign.
struct drawn {
    tess_array *base, *a;
};

static void
draw(struct random *r, int ndim, const int64_t *shape, struct drawn *d)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
    tess_storage storage;
    tess_params params;
    const bool view = below(r, 2);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.typesize = (int32_t)(1 + below(r, 8));
    params.ndim = ndim;
    for (int i = 0; i < ndim; i++) {
        const int64_t by = view ? 1 + below(r, 3) : 1;
        const int64_t last = (shape[i] - 1) * by, first = view ? below(r, 4) : 0;
        params.shape[i] = first + last + 1 + (view ? below(r, 4) : 0);
        params.chunkshape[i] = 1 + below(r, params.shape[i]);
        params.blockshape[i] = 1 + below(r, params.chunkshape[i]);
        const bool back = view && below(r, 2);
        start[i] = back ? first + last : first;
        step[i] = back ? -by : by;
        stop[i] = back ? (first > 0 ? first - 1 : -1) : first + last + 1;
    }
    assert_int_equal(tess_array_zeros(&storage, &params, &d->base, NULL), TESS_OK);
    d->a = d->base;
    if (view)
        assert_int_equal(tess_array_view_slice(d->base, start, stop, step, &d->a, NULL), TESS_OK);
}

static void
close_drawn(struct drawn *d)
{
    if (d->a != d->base)
        tess_array_discard(d->a);
    tess_array_discard(d->base);
}

// The index along an axis of the grid.
static int64_t
base_index(const struct lattice *l, int axis, int64_t at)
{
    const int b = l->map.axis[axis - l->first];
    return l->map.first[b] + at * l->map.step[b];
}

static bool
is_border(const struct lattice *l, int axis, int64_t at)
{
    const int64_t chunk = l->g->chunkshape[l->map.axis[axis - l->first]];
    return base_index(l, axis, at) / chunk != base_index(l, axis, at - 1) / chunk;
}

static void
borders_are_those_of_a_walk(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int n = 0; n < CASES; n++) {
        struct random r;
        struct drawn d[2];
        struct lattice l[2];
        running = seed + (uint64_t)n;
        random_init(&r, running);
        const int64_t shape[] = {1 + below(&r, 40)};
        for (int k = 0; k < 2; k++) {
            draw(&r, 1, shape, &d[k]);
            assert_int_equal(lattice_init(&l[k], d[k].a, 0, NULL), TESS_OK);
        }
        for (int64_t at = 0; at < shape[0]; at++) {
            int64_t one = at + 1, both = at + 1;
            while (one < shape[0] && !is_border(&l[0], 0, one))
                one++;
            while (both < shape[0] && !(is_border(&l[0], 0, both) && is_border(&l[1], 0, both)))
                both++;
            assert_int_equal(lattice_next_chunk(&l[0], 0, at, shape[0]), one);
            assert_int_equal(lattices_next_chunk(l, 2, 0, at, shape[0]), both);
            if (at == 0)
                continue;
            const int64_t x = base_index(&l[0], 0, at), y = base_index(&l[0], 0, at - 1);
            const int64_t chunk = l[0].g->chunkshape[0], block = l[0].g->blockshape[0];
            assert_int_equal(lattice_share_block(&l[0], 0, at),
                             x / chunk == y / chunk && x % chunk / block == y % chunk / block);
        }
        close_drawn(&d[0]);
        close_drawn(&d[1]);
    }
}

// Each item is in one box.
static void
check_cover(const struct mapping *m, const struct division *d)
{
    struct division_walk w;
    int64_t start[NDIM_MAX], stop[NDIM_MAX], nitems = 0, all = 1;
    for (int i = 0; i < m->ndim; i++) {
        assert_int_equal(d->at[i][0], m->start[i]);
        assert_int_equal(d->at[i][d->n[i]], m->stop[i]);
        all *= m->stop[i] - m->start[i];
    }
    division_walk_begin(&w, d);
    while (w.more) {
        int64_t n = 1;
        division_walk_next(&w, start, stop);
        for (int i = 0; i < m->ndim; i++) {
            assert_true(start[i] < stop[i] && stop[i] - start[i] <= d->longest[i]);
            n *= stop[i] - start[i];
        }
        nitems += n;
    }
    assert_int_equal(nitems, all);
}

// Whether a chunk of an output goes on behind a border of boxes.
static bool
divides_chunks(const struct mapping *m, const struct division *d)
{
    for (int k = 0; k < m->noutputs; k++) {
        struct lattice l;
        assert_int_equal(lattice_init(&l, m->outputs[k].a, 0, NULL), TESS_OK);
        for (int i = 0; i < m->ndim; i++)
            for (int64_t n = 1; n < d->n[i]; n++)
                if (!is_border(&l, i, d->at[i][n]))
                    return true;
    }
    return false;
}

static void
check_division(struct random *r)
{
    int64_t shape[NDIM_MAX], own[NDIM_MAX];
    struct map_input inputs[ARRAYS] = {0};
    struct map_output outputs[ARRAYS] = {0};
    struct drawn in[ARRAYS], out[ARRAYS];
    bool kept[ARRAYS] = {false};
    struct mapping m = {.inputs = inputs, .outputs = outputs};
    const int ndim = (int)below(r, 4);
    struct division d;
    for (int i = 0; i < ndim; i++)
        shape[i] = 1 + below(r, 20);
    m.noutputs = (int)below(r, 3);
    m.ninputs = (int)below(r, 3) + (m.noutputs == 0);
    for (int k = 0; k < m.noutputs; k++) {
        draw(r, ndim, shape, &out[k]);
        outputs[k].a = out[k].a;
    }
    for (int k = 0; k < m.ninputs; k++) {
        const int first = (int)below(r, ndim + 1) * (int)below(r, 2);
        for (int i = first; i < ndim; i++)
            own[i - first] = below(r, 4) ? shape[i] : 1;
        draw(r, ndim - first, own, &in[k]);
        inputs[k].a = in[k].a;
        inputs[k].itemsize = in[k].a->g->typesize;
    }
    assert_int_equal(map_shape(&m, NULL), TESS_OK);
    for (int i = 0; i < m.ndim; i++) {
        m.start[i] = below(r, m.shape[i]);
        m.stop[i] = m.start[i] + 1 + below(r, m.shape[i] - m.start[i]);
        m.halo[i] = below(r, 3);
    }
    const int64_t memory = 1 << below(r, 20);
    const tess_status st = division_init(&d, &m, kept, memory, NULL);
    assert_true(st == TESS_OK || st == TESS_ERR_LIMIT);
    if (st == TESS_OK) {
        const int64_t size =
            mapping_inputs_size(&m, kept, d.longest) + mapping_outputs_size(&m, d.longest);
        check_cover(&m, &d);
        assert_true(size <= memory);
        for (int i = 0; i < m.ndim; i++)
            own[i] = m.stop[i] - m.start[i];
        // All of it would fit
        if (mapping_inputs_size(&m, kept, own) + mapping_outputs_size(&m, own) <= memory)
            assert_false(divides_chunks(&m, &d));
    }
    division_finish(&d);
    for (int k = 0; k < m.ninputs; k++)
        close_drawn(&in[k]);
    for (int k = 0; k < m.noutputs; k++)
        close_drawn(&out[k]);
}

static void
boxes_cover_everything_once(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int n = 0; n < CASES; n++) {
        struct random r;
        running = seed + (uint64_t)n;
        random_init(&r, running);
        check_division(&r);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_are_those_of_a_walk),
        cmocka_unit_test(boxes_cover_everything_once),
    };
    return cmocka_run_group_tests_name("compute_map", tests, NULL, NULL);
}
