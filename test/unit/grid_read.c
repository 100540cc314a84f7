/*
 * grid_read.c - tests of grid/read: boxes with and without steps, cached or not, into memory
 * of any strides, against a loop over the items; from chunks, and from decoded blocks.
 */
#include "grid/read/read.h"

#include "cache/cache.h"
#include "task/watch.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A box, and memory that has what is to come, and what has come.
struct request {
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX], count[NDIM_MAX];
    bool steps;
    struct scene_memory m;
    uint8_t *want;
};

static void
request_init(struct request *q, struct random *r, const struct scene *s)
{
    const struct geometry *const g = s->a->g;
    scene_box(r, g->ndim, g->shape, q->start, q->stop);
    q->steps = random_below(r, 2);
    if (q->steps)
        scene_steps(r, g->ndim, q->start, q->stop, q->step);
    scene_counts(g->ndim, q->start, q->stop, q->steps ? q->step : NULL, q->count);
    scene_memory(r, g->ndim, q->count, g->typesize, &q->m);
    q->want = malloc(q->m.size);
    assert_non_null(q->want);
    memcpy(q->want, q->m.bytes, q->m.size); // gaps stay as they are
    struct box_memory dst = q->m.at;
    dst.items = q->want + (q->m.at.items - q->m.bytes);
    scene_gather(&s->ref, q->start, q->stop, q->steps ? q->step : NULL, &dst);
}

static void
request_finish(struct request *q)
{
    assert_memory_equal(q->m.bytes, q->want, q->m.size);
    free(q->m.bytes);
    free(q->want);
}

// Boxes again and again, so that some blocks get into the cache; `from` NULL: no progress.
static void
read_some(struct random *r, const struct scene *s, int times)
{
    for (int i = 0; i < times; i++) {
        struct request q;
        request_init(&q, r, s);
        ok(grid_read(s->a->grid, &(struct box){q.start, q.stop, q.steps ? q.step : NULL}, &q.m.at,
                     NULL, err));
        request_finish(&q);
    }
}

static void
boxes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(250, 20000); i > 0; i--) {
        static const int64_t caches[] = {0, 2000, -1};
        struct scene s;
        tess_context c;
        scene_context(&c, random_below(&r, 2) ? 1 : 4, caches[random_below(&r, 3)]);
        scene_random(&s, &r, &c, (enum scene_items)random_below(&r, 3));
        read_some(&r, &s, 8);
        scene_close(&s);
    }
}

// Large enough that other threads come to help, whatever the chunks: small, one, special.
static void
many_threads(void **state)
{
    static const int64_t chunks[][2] = {{64, 64}, {512, 512}, {1000, 30}};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct scene s;
        tess_params p;
        tess_context c;
        scene_context(&c, 4, 1 << 18);
        tess_params_init(&p);
        p.typesize = 4;
        p.ndim = 2;
        for (int k = 0; k < 2; k++) {
            p.shape[k] = 500;
            p.chunkshape[k] = chunks[i][k];
            p.blockshape[k] = 30;
        }
        scene_new(&s, &p, &c, SCENE_LIKELY, &r);
        read_some(&r, &s, 6);
        scene_close(&s);
    }
}

struct progress {
    int64_t done, total;
    int calls, calls_left;
};

static bool
told(int64_t done, int64_t total, void *user)
{
    struct progress *const p = user;
    assert_true(done >= p->done && done <= total);
    p->done = done;
    p->total = total;
    p->calls++;
    return --p->calls_left > 0;
}

// All of the work is counted, and no more; and the program may end it.
static void
watched(void **state)
{
    struct random r;
    tess_context c;
    struct scene s;
    tess_params p;
    (void)state;
    random_init(&r, random_seed());
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 20000;
    p.chunkshape[0] = 1000;
    p.blockshape[0] = 100;
    scene_new(&s, &p, NULL, SCENE_LIKELY, &r);
    for (int left = 1; left <= 1000; left += 999) {
        const int64_t start = 10, stop = 19990;
        struct progress seen = {.calls_left = left};
        struct box_memory dst = {.items = malloc(20000), .stride = {1}};
        struct watch watch;
        tess_error err;
        scene_context(&c, 1, -1);
        c.progress = told;
        c.progress_user = &seen;
        c.progress_interval = 0;
        watch_begin(&watch, &c, stop - start);
        const tess_status st = watch_end(
            &watch, grid_read(s.a->grid, &(struct box){&start, &stop, NULL}, &dst, &watch, &err));
        assert_int_equal(st, left == 1 ? TESS_ERR_CANCELLED : TESS_OK);
        assert_int_equal(seen.total, stop - start);
        if (left > 1) {
            assert_int_equal(seen.done, seen.total);
            assert_true(seen.calls >= 19);
        }
        free(dst.items);
    }
    scene_close(&s);
}

static void
from_the_cache(void **state)
{
    struct random r;
    int found = 0, missed = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(250, 20000); i > 0; i--) {
        struct scene s;
        struct cache_stats before, after;
        scene_random(&s, &r, NULL, SCENE_LIKELY);
        struct chunk_grid *const grid = s.a->grid;
        for (int k = 0; k < 6; k++) {
            struct request q;
            request_init(&q, &r, &s);
            const int64_t *const step = q.steps ? q.step : NULL;
            cache_stats(grid->cache, &before);
            // What the cache has now is all that it may take: nothing is decoded.
            struct grid_reading reading;
            const bool is =
                grid_read_begin(&reading, grid, &(struct box){q.start, q.stop, step}, &q.m.at);
            cache_stats(grid->cache, &after);
            assert_int_equal(after.used, before.used);
            assert_int_equal(after.misses, before.misses);
            if (before.used == 0)
                assert_false(is);
            if (is)
                assert_true(after.hits > before.hits);
            found += is;
            missed += !is;
            if (!is) {
                ok(grid_read_rest(&reading, NULL, err));
                for (int again = 0; again < 2; again++)
                    ok(grid_read(grid, &(struct box){q.start, q.stop, step}, &q.m.at, NULL, err));
            }
            request_finish(&q);
        }
        scene_close(&s);
    }
    assert_true(found > 20 && missed > 20);
}

// Of at most 64 blocks those that are cached are placed at once; each is asked for once, and counts
// as a hit. The others are read.
static void
cached_blocks(void **state)
{
    struct random r;
    struct scene s;
    tess_params p;
    uint8_t item[65];
    const struct box_memory dst = {.items = item, .stride = {1}};
    struct cache_stats before, after;
    struct grid_reading reading;
    const int64_t start = 0, enough = 64, more = 65;
    (void)state;
    random_init(&r, random_seed());
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 200;
    p.chunkshape[0] = 100;
    p.blockshape[0] = 1;
    scene_new(&s, &p, NULL, SCENE_NOISE, &r);
    struct cache *const cache = s.a->grid->cache;
    for (int32_t i = 0; i < 65; i++) {
        memset(item, s.ref.data[0] ^ 0xff, sizeof item);
        cache_stats(cache, &before);
        assert_int_equal(
            grid_read_begin(&reading, s.a->grid, &(struct box){&start, &enough, NULL}, &dst),
            i >= 64);
        assert_memory_equal(item, s.ref.data, i < 64 ? (size_t)i : 64);
        if (i < 64)
            ok(grid_read_rest(&reading, NULL, err));
        cache_stats(cache, &after);
        assert_int_equal(after.hits - before.hits, i < 64 ? i : 64);
        assert_memory_equal(item, s.ref.data, 64);
        struct cached *const b = cache_reserve(cache, 0, i);
        assert_non_null(b);
        b->items[0] = s.ref.data[i];
        cache_unpin(cache_add(cache, b));
    }
    cache_stats(cache, &before);
    assert_true(grid_read_begin(&reading, s.a->grid, &(struct box){&start, &enough, NULL}, &dst));
    cache_stats(cache, &after);
    assert_int_equal(after.hits - before.hits, 64);
    assert_memory_equal(item, s.ref.data, 64);
    assert_false(grid_read_begin(&reading, s.a->grid, &(struct box){&start, &more, NULL}, &dst));
    assert_false(reading.inside);
    scene_close(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),         cmocka_unit_test(many_threads),
        cmocka_unit_test(watched),       cmocka_unit_test(from_the_cache),
        cmocka_unit_test(cached_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
