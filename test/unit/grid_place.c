/*
 * grid_place.c - tests of grid/place: parts of blocks, in order and as planes of bytes, into memory
 * of any strides, against a loop over the items; and what is said to be needed of them.
 */
#include "grid/place.h"

#include "geom/shape.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The bytes of a block as they are in order, and as the last shuffle left them.
struct block {
    struct reference items;
    uint8_t *planes;
};

static void
block_init(struct block *b, struct random *r, const struct geometry *g)
{
    reference_init(&b->items, g->ndim, g->blockshape, (size_t)g->typesize);
    random_bytes(r, b->items.data, (size_t)g->blocksize);
    b->planes = malloc((size_t)g->blocksize);
    assert_non_null(b->planes);
}

static void
block_finish(struct block *b)
{
    reference_finish(&b->items);
    free(b->planes);
}

// Every item outside [first, stop) becomes something else, in both.
static void
block_spoil(struct block *b, int64_t first, int64_t stop)
{
    const int64_t n = (int64_t)(reference_size(&b->items) / b->items.typesize);
    const size_t width = b->items.typesize;
    for (int64_t i = 0; i < n; i++)
        if (i < first || i >= stop)
            for (size_t k = 0; k < width; k++)
                b->items.data[(size_t)i * width + k] ^= 0xff;
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t k = 0; k < width; k++)
            b->planes[k * (size_t)n + i] = b->items.data[i * width + k];
}

// The numbers of the first item and of the one behind the last that the walk stands on.
static void
reached(const struct geometry *g, const struct walk *w, int64_t *first, int64_t *stop)
{
    int64_t at[NDIM_MAX] = {0};
    *first = INT64_MAX;
    *stop = 0;
    do {
        int64_t n = 0;
        for (int i = 0; i < g->ndim; i++)
            n = n * g->blockshape[i] + w->lo[i] + at[i] * w->step[i];
        *first = n < *first ? n : *first;
        *stop = n + 1 > *stop ? n + 1 : *stop;
    } while (scene_next(g->ndim, w->count, at));
}

static void
place_one(struct random *r, const struct geometry *g, const struct walk *w, struct block *b)
{
    struct scene_memory m;
    int64_t first, stop, last[NDIM_MAX];
    scene_memory(r, g->ndim, w->count, g->typesize, &m);
    uint8_t *const want = malloc(m.size), *const before = malloc(m.size);
    assert_true(want && before);
    memcpy(want, m.bytes, m.size);
    memcpy(before, m.bytes, m.size);
    struct box_memory dst = m.at;
    dst.items = want + (m.at.items - m.bytes);
    for (int i = 0; i < g->ndim; i++)
        last[i] = w->lo[i] + (w->count[i] - 1) * w->step[i] + 1;
    scene_gather(&b->items, w->lo, last, w->step, &dst);

    const struct block_need need = place_need(g, w, m.at.stride);
    reached(g, w, &first, &stop);
    assert_int_equal(need.itemsize, g->typesize);
    assert_int_equal(need.first, first);
    assert_int_equal(need.stop, stop);
    // Items that follow each other in memory may be left as planes.
    const int inner = g->ndim - 1;
    if (w->count[inner] > 1)
        assert_int_equal(need.planes, m.at.stride[inner] == g->typesize && w->step[inner] == 1);
    else
        assert_true(need.planes);

    block_spoil(b, first, stop);
    struct decoded d = {.bytes = b->items.data, .nbytes = g->blocksize};
    place_block(g, &d, w, m.at.items, m.at.stride);
    assert_memory_equal(m.bytes, want, m.size);
    memcpy(m.bytes, before, m.size);
    d.bytes = b->planes;
    d.planes = g->typesize;
    place_block(g, &d, w, m.at.items, m.at.stride);
    assert_memory_equal(m.bytes, want, m.size);
    free(m.bytes);
    free(want);
    free(before);
}

static void
blocks(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(800, 50000); i > 0; i--) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX];
        struct geometry g;
        struct walk w;
        struct block b;
        tess_params p;
        scene_params(&r, 4, &p);
        ok(geometry_init(&g, p.ndim, p.shape, p.chunkshape, p.blockshape, p.typesize, TESS_ERR_ARG,
                         err));
        scene_box(&r, g.ndim, g.extchunk, start, stop);
        const bool steps = random_below(&r, 2);
        if (steps)
            scene_steps(&r, g.ndim, start, stop, step);
        bool more = walk_begin(&w, g.ndim, g.blockshape, g.bgrid,
                               &(struct box){start, stop, steps ? step : NULL});
        for (int n = 0; more && n < 8; more = walk_next(&w), n++) {
            block_init(&b, &r, &g);
            place_one(&r, &g, &w, &b);
            block_finish(&b);
        }
    }
}

// No axes: one item.
static void
no_axes(void **state)
{
    static const uint8_t item[4] = {1, 2, 3, 4};
    const struct decoded d = {.bytes = item, .nbytes = 4}, planes = {item, 4, 4};
    struct geometry g;
    struct walk w;
    uint8_t got[4] = {0};
    (void)state;
    ok(geometry_init(&g, 0, NULL, NULL, NULL, 4, TESS_ERR_ARG, err));
    assert_true(walk_begin(&w, 0, NULL, NULL, &(struct box){0}));
    const struct block_need need = place_need(&g, &w, NULL);
    assert_true(need.first == 0 && need.stop == 1 && need.planes);
    place_block(&g, &d, &w, got, NULL);
    assert_memory_equal(got, item, 4);
    memset(got, 0, sizeof got);
    place_block(&g, &planes, &w, got, NULL);
    assert_memory_equal(got, item, 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),
        cmocka_unit_test(no_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
