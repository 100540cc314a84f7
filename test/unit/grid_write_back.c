/*
 * grid_write_back.c - tests of grid/write_back: small writes that wait in the block cache, against
 * a loop over the items; what is dirty, what is in the frame, and what a failure leaves.
 */
#include "grid/write/write_back.h"

#include "cache/cache.h"
#include "frame/query.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct request {
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX], count[NDIM_MAX];
    bool steps;
    struct scene_memory m;
};

static void
request_init(struct request *q, struct random *r, const struct geometry *g)
{
    scene_box(r, g->ndim, g->shape, q->start, q->stop);
    q->steps = random_below(r, 3) == 0;
    if (q->steps)
        scene_steps(r, g->ndim, q->start, q->stop, q->step);
    scene_counts(g->ndim, q->start, q->stop, q->steps ? q->step : NULL, q->count);
    scene_memory(r, g->ndim, q->count, g->typesize, &q->m);
}

// Bytes of the blocks in which a box has items.
static int64_t
touched(const struct geometry *g, const struct request *q)
{
    int64_t n = g->blocksize;
    for (int i = 0; i < g->ndim; i++) {
        int64_t blocks = 0, before = -1;
        for (int64_t k = 0; k < q->count[i]; k++) {
            const int64_t at = q->start[i] + k * (q->steps ? q->step[i] : 1);
            const int64_t block =
                at / g->chunkshape[i] * g->bgrid[i] + at % g->chunkshape[i] / g->blockshape[i];
            blocks += block != before;
            before = block;
        }
        n *= blocks;
    }
    return n;
}

static void
boxes(void **state)
{
    int wanted = 0, refused = 0;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(250, 20000); i > 0; i--) {
        static const int64_t caches[] = {0, 3000, 20000, -1};
        struct scene s;
        tess_context c;
        scene_context(&c, random_below(&r, 2) ? 1 : 4, caches[random_below(&r, 4)]);
        scene_random(&s, &r, &c, (enum scene_items)random_below(&r, 3));
        struct chunk_grid *const grid = s.a->grid;
        const int64_t most = cache_dirty_max(grid->cache);
        for (int k = 0; k < 10; k++) {
            struct request q;
            int64_t size;
            request_init(&q, &r, s.a->g);
            const int64_t *const step = q.steps ? q.step : NULL;
            const bool wants = write_back_wants(grid, &(struct box){q.start, q.stop, step}, &size);
            wanted += wants;
            refused += !wants;
            if (!cache_is_on(grid->cache))
                assert_false(wants);
            else if (!q.steps) // else more blocks may be counted than there are
                assert_int_equal(wants, touched(s.a->g, &q) <= most / 4);
            else if (wants)
                assert_true(touched(s.a->g, &q) <= most / 4);
            if (wants) {
                const int64_t generation = frame_generation(grid->frame);
                int64_t room = -1;
                ok(write_back_make_room(grid, size, &room, err));
                assert_true(room >= touched(s.a->g, &q));
                const int64_t before = cache_dirty_size(grid->cache);
                const int64_t now = frame_generation(grid->frame);
                assert_true(before + touched(s.a->g, &q) <= most);
                ok(write_back_box(grid, &(struct box){q.start, q.stop, step}, &q.m.from, err));
                write_back_end_room(grid, room);
                scene_scatter(&s.ref, q.start, q.stop, step, &q.m.from);
                const int64_t after = cache_dirty_size(grid->cache);
                assert_true(after > 0 && after >= before && after <= most);
                assert_true(after - before <= touched(s.a->g, &q));
                assert_int_equal(frame_generation(grid->frame), now); // nothing of it is there yet
                (void)generation;
            }
            free(q.m.bytes);
            if (random_below(&r, 3) == 0)
                scene_check(s.a, &s.ref);
            if (random_below(&r, 5) == 0) {
                ok(write_back_all(grid, err));
                assert_int_equal(cache_dirty_size(grid->cache), 0);
                cache_forget_from(grid->cache, 0); // all of it is in the frame
                scene_check(s.a, &s.ref);
            }
        }
        scene_check_stored(&s);
        scene_close(&s);
    }
    assert_true(wanted > 100 && refused > 100);
}

static void
line(struct scene *s, struct random *r, int64_t cache)
{
    tess_context c;
    tess_params p;
    scene_context(&c, 1, cache);
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 10000;
    p.chunkshape[0] = 1000;
    p.blockshape[0] = 100;
    scene_new(s, &p, &c, SCENE_NOISE, r);
}

static tess_status
line_write(struct scene *s, int64_t at, int64_t n, uint8_t item, tess_error *err)
{
    const struct box_memory_const src = {.items = &item};
    const int64_t start = at, stop = at + n;
    const tess_status st =
        write_back_box(s->a->grid, &(struct box){&start, &stop, NULL}, &src, err);
    if (st == TESS_OK)
        memset(s->ref.data + at, item, (size_t)n);
    return st;
}

// A write of a block that is dirty makes no more dirty; the blocks written to last stay.
static void
oldest_first(void **state)
{
    struct random r;
    struct scene s;
    (void)state;
    random_init(&r, random_seed());
    line(&s, &r, 4000); // 40 blocks, of which 30 may be dirty
    struct cache *const cache = s.a->grid->cache;
    assert_int_equal(cache_dirty_max(cache), 3000);
    ok(line_write(&s, 0, 1, 1, err));
    ok(line_write(&s, 1, 99, 2, err));
    assert_int_equal(cache_dirty_size(cache), 100);
    for (int64_t n = 1; n < 30; n++)
        ok(line_write(&s, n * 100, 10, 3, err));
    ok(line_write(&s, 50, 10, 4, err)); // block 0 is the youngest now
    assert_int_equal(cache_dirty_size(cache), 3000);
    int64_t room = -1, other = -1;
    ok(write_back_make_room(s.a->grid, 100, &room, err)); // a half goes, no more
    const int64_t left = cache_dirty_size(cache);
    assert_true(left <= 1500 && left > 1300);
    ok(write_back_make_room(s.a->grid, 100, &other, err));
    assert_int_equal(cache_dirty_size(cache), left);
    assert_true(room == 100 && other == 100);
    write_back_end_room(s.a->grid, room + other);
    struct cached *const young = cache_find(cache, 0, 0), *const old = cache_find(cache, 0, 1);
    assert_true(young && young->dirty);
    assert_true(!old || !old->dirty);
    cache_unpin(young);
    cache_unpin(old);
    scene_check_stored(&s);
    scene_close(&s);
}

// A chunk that cannot be opened: nothing is changed, also not of the blocks that could be had.
static void
nothing_on_failure(void **state)
{
    struct random r;
    struct scene s;
    size_t size;
    tess_array *a = NULL;
    tess_storage storage;
    (void)state;
    random_init(&r, random_seed());
    line(&s, &r, -1);
    uint8_t *const image = scene_image(&s, &size);
    uint8_t *const chunk = memmem(image, size, s.ref.data + 3000, 1000); // noise, as it stands
    assert_non_null(chunk);
    chunk[500] ^= 1; // seen when the chunk is compared with its checksum
    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    storage.mode = TESS_MODE_UPDATE;
    storage.checksums = TESS_CHECKSUMS_VERIFY;
    ok(tess_array_open(&storage, &a, err));
    struct scene broken = {.a = a};
    reference_copy(&broken.ref, &s.ref);
    ok(line_write(&broken, 2950, 10, 7, err));
    assert_int_equal(line_write(&broken, 2955, 200, 8, NULL), TESS_ERR_CORRUPT);
    assert_int_equal(cache_dirty_size(a->grid->cache), 100);
    const int64_t start = 0, stop = 3000;
    uint8_t *const got = malloc(3000);
    assert_non_null(got);
    ok(tess_array_read(a, &start, &stop, got, 3000, err));
    assert_memory_equal(got, broken.ref.data, 3000);
    ok(write_back_all(a->grid, err)); // pins are given back, too
    ok(line_write(&broken, 2955, 45, 9, err));
    ok(tess_array_read(a, &start, &stop, got, 3000, err));
    assert_memory_equal(got, broken.ref.data, 3000);
    free(got);
    ok(tess_array_close(a, err));
    reference_finish(&broken.ref);
    scene_close(&s);
    free(image);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),
        cmocka_unit_test(oldest_first),
        cmocka_unit_test(nothing_on_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
