/*
 * grid_write.c - tests of grid/write, and through it of grid/store, grid/rewrite and grid/replace,
 * which nothing else can drive: boxes from memory of any strides, as changes that stay or are
 * undone, against a loop over the items; what is stored of them.
 */
#include "grid/write/write.h"

#include "cache/cache.h"
#include "chunk/chunk.h"
#include "frame/chunks/stored.h"
#include "frame/commit/change.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "geom/walk.h"
#include "grid/open_chunk.h"
#include "grid/pool.h"
#include "grid/write/store.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A box, and memory for it: any strides, or one item for all.
struct request {
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX], count[NDIM_MAX];
    bool steps;
    struct scene_memory m;
};

static void
request_init(struct request *q, struct random *r, const struct geometry *g)
{
    scene_box(r, g->ndim, g->shape, q->start, q->stop);
    if (random_below(r, 4) == 0)
        for (int i = 0; i < g->ndim; i++) {
            q->start[i] = 0;
            q->stop[i] = g->shape[i];
        }
    q->steps = random_below(r, 3) == 0;
    if (q->steps)
        scene_steps(r, g->ndim, q->start, q->stop, q->step);
    scene_counts(g->ndim, q->start, q->stop, q->steps ? q->step : NULL, q->count);
    scene_memory(r, g->ndim, q->count, g->typesize, &q->m);
    if (random_below(r, 2))
        random_repetitive(r, q->m.bytes, q->m.size);
    if (random_below(r, 4) == 0)
        memset(q->m.from.stride, 0, sizeof q->m.from.stride);
    if (random_below(r, 6) == 0)
        memset(q->m.bytes, 0, q->m.size);
}

static tess_status
write_request(struct scene *s, const struct request *q, tess_error *err)
{
    return grid_write(s->a->grid, &(struct box){q->start, q->stop, q->steps ? q->step : NULL},
                      &q->m.from, NULL, NULL, err);
}

static void
boxes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(250, 20000); i > 0; i--) {
        struct scene s;
        tess_context c;
        scene_context(&c, random_below(&r, 2) ? 1 : 4, random_below(&r, 2) ? 0 : -1);
        scene_random(&s, &r, &c, (enum scene_items)random_below(&r, 3));
        for (int k = 0; k < 5; k++) {
            struct request q;
            request_init(&q, &r, s.a->g);
            const bool undo = random_below(&r, 3) == 0;
            frame_begin(s.a->grid->frame);
            ok(write_request(&s, &q, err));
            if (undo) {
                frame_undo(s.a->grid->frame);
                cache_forget_from(s.a->grid->cache, 0);
            } else {
                frame_keep(s.a->grid->frame);
                scene_scatter(&s.ref, q.start, q.stop, q.steps ? q.step : NULL, &q.m.from);
            }
            scene_check(s.a, &s.ref);
            free(q.m.bytes);
        }
        scene_check_stored(&s);
        scene_close(&s);
    }
}

// The bytes do not depend on the number of threads.
static void
same_bytes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(4, 200); i > 0; i--) {
        const uint64_t seed = random_next(&r);
        uint8_t *image[2];
        size_t size[2];
        for (int k = 0; k < 2; k++) {
            struct random twin;
            struct scene s;
            tess_params p;
            tess_context c;
            random_init(&twin, seed);
            scene_context(&c, k == 0 ? 1 : 4, 0);
            scene_params(&twin, 1, &p);
            p.ndim = 2;
            for (int axis = 0; axis < 2; axis++) {
                p.shape[axis] = 300;
                p.chunkshape[axis] = 100 + (int64_t)random_below(&twin, 200);
                p.blockshape[axis] = 20 + (int64_t)random_below(&twin, 30);
            }
            scene_new(&s, &p, &c, SCENE_LIKELY, &twin);
            for (int n = 0; n < 2; n++) {
                struct request q;
                request_init(&q, &twin, s.a->g);
                frame_begin(s.a->grid->frame);
                ok(write_request(&s, &q, err));
                frame_keep(s.a->grid->frame);
                scene_scatter(&s.ref, q.start, q.stop, q.steps ? q.step : NULL, &q.m.from);
                free(q.m.bytes);
            }
            scene_check(s.a, &s.ref);
            image[k] = scene_image(&s, &size[k]);
            scene_close(&s);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(image[0], image[1], size[0]);
        free(image[0]);
        free(image[1]);
    }
}

// The stored bytes of a block, copied.
static uint8_t *
stored_block(const struct chunk_grid *grid, int64_t n, int32_t block, int32_t *size)
{
    struct open_chunk *v = NULL;
    const uint8_t *bytes;
    struct chunk_scratch *const s = pool_take(grid->pool);
    ok(open_chunk_new(grid, n, false, NULL, NULL, &v, err));
    assert_int_equal(v->kind, OPEN_BLOCKS);
    const struct span span = open_chunk_span(grid, v, block);
    *size = span.stop - span.start;
    ok(v->stored.bytes.fetch(v->stored.bytes.from, span.start, *size, s, &bytes, err));
    uint8_t *const copy = malloc((size_t)*size);
    assert_non_null(copy);
    memcpy(copy, bytes, (size_t)*size);
    pool_give(grid->pool, s);
    open_chunk_release(v);
    return copy;
}

static void
line_params(tess_params *p, int64_t length, int64_t chunk, int64_t block)
{
    tess_params_init(p);
    p->typesize = 1;
    p->ndim = 1;
    p->shape[0] = length;
    p->chunkshape[0] = chunk;
    p->blockshape[0] = block;
    p->codec = TESS_CODEC_ZLIB;
}

// Bytes that some codec makes smaller, and every level in its own way.
static void
few_letters(struct random *r, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = i >= 64 && random_below(r, 3) == 0 ? bytes[i - 64] : (uint8_t)random_below(r, 8);
}

static void
line_write(struct scene *s, int64_t start, int64_t stop, const uint8_t *items, int64_t stride)
{
    const struct box_memory_const src = {.items = items, .stride = {stride}};
    frame_begin(s->a->grid->frame);
    ok(grid_write(s->a->grid, &(struct box){&start, &stop, NULL}, &src, NULL, NULL, err));
    frame_keep(s->a->grid->frame);
    scene_scatter(&s->ref, &start, &stop, NULL, &src);
}

// Blocks that are not touched are copied as they are stored, though another level would encode
// them otherwise.
static void
kept_blocks(void **state)
{
    struct random r;
    struct scene s;
    tess_params p;
    uint8_t items[1000];
    int32_t before, after;
    (void)state;
    random_init(&r, random_seed());
    line_params(&p, 4000, 4000, 1000);
    p.clevel = 9;
    scene_new(&s, &p, NULL, SCENE_ZEROS, &r);
    uint8_t *const all = malloc(4000);
    assert_non_null(all);
    few_letters(&r, all, 4000);
    line_write(&s, 0, 4000, all, 1);
    few_letters(&r, items, sizeof items);
    uint8_t *const x = stored_block(s.a->grid, 0, 2, &before);
    s.a->grid->encoder.level = 1;
    line_write(&s, 1100, 1900, items, 1);
    uint8_t *const y = stored_block(s.a->grid, 0, 2, &after);
    assert_int_equal(after, before);
    assert_memory_equal(x, y, (size_t)before);
    free(x);
    free(y);
    scene_check_stored(&s);
    // The level matters: all of it anew becomes something else.
    memcpy(all, s.ref.data, 4000);
    uint8_t *const z = stored_block(s.a->grid, 0, 2, &before);
    line_write(&s, 0, 4000, all, 1);
    uint8_t *const anew = stored_block(s.a->grid, 0, 2, &after);
    assert_true(before != after || memcmp(z, anew, (size_t)before) != 0);
    free(z);
    free(anew);
    free(all);
    scene_check_stored(&s);
    scene_close(&s);
}

// Chunks that become one item are special; those that are it already stay, also where a part of
// them is edited.
static void
constant_chunks(void **state)
{
    static const uint8_t seven = 7, zero = 0;
    struct random r;
    struct scene s;
    tess_params p;
    (void)state;
    random_init(&r, random_seed());
    line_params(&p, 350, 100, 10); // the last chunk is cut off
    scene_new(&s, &p, NULL, SCENE_NOISE, &r);
    struct frame *const f = s.a->grid->frame;
    line_write(&s, 50, 350, &zero, 0);
    assert_int_equal(frame_special(f, 0), SPECIAL_NONE);
    for (int64_t n = 1; n < 4; n++)
        assert_int_equal(frame_special(f, n), SPECIAL_ZEROS);
    line_write(&s, 120, 150, &zero, 0);
    assert_int_equal(frame_special(f, 1), SPECIAL_ZEROS);
    line_write(&s, 200, 350, &seven, 0);
    for (int64_t n = 2; n < 4; n++) {
        struct open_chunk *v = NULL;
        uint8_t item = 0;
        ok(open_chunk_new(s.a->grid, n, false, NULL, NULL, &v, err));
        assert_int_equal(v->kind, OPEN_SPECIAL);
        ok(open_chunk_item(s.a->grid, v, &item, err));
        assert_int_equal(item, 7);
        open_chunk_release(v);
    }
    const int64_t entry = frame_entry(f, 2);
    line_write(&s, 220, 250, &seven, 0);
    assert_int_equal(frame_entry(f, 2), entry);
    line_write(&s, 220, 221, &zero, 0);
    assert_int_not_equal(frame_entry(f, 2), entry);
    scene_check_stored(&s);
    scene_close(&s);
}

// What the cache holds of a chunk is forgotten when the chunk gets other items.
static void
cache_forgets(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(60, 2000); i > 0; i--) {
        struct scene s;
        struct request q;
        scene_random(&s, &r, NULL, SCENE_LIKELY);
        for (int k = 0; k < 3; k++) // item by item, so that blocks enter
            for (int64_t n = 0; n < 20; n++) {
                int64_t start[NDIM_MAX], stop[NDIM_MAX];
                uint8_t item[16];
                for (int axis = 0; axis < s.ref.ndim; axis++) {
                    start[axis] = n % s.ref.shape[axis];
                    stop[axis] = start[axis] + 1;
                }
                ok(tess_array_read(s.a, start, stop, item, sizeof item, err));
                assert_memory_equal(item, scene_item(&s.ref, start), s.ref.typesize);
            }
        request_init(&q, &r, s.a->g);
        frame_begin(s.a->grid->frame);
        ok(write_request(&s, &q, err));
        frame_keep(s.a->grid->frame);
        scene_scatter(&s.ref, q.start, q.stop, q.steps ? q.step : NULL, &q.m.from);
        free(q.m.bytes);
        scene_check(s.a, &s.ref);
        scene_close(&s);
    }
}

// One item to those parts of a box that are wanted, chunk by chunk.
static void
some_chunks(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(150, 20000); i > 0; i--) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX];
        bool wanted[20000];
        uint8_t item[16];
        struct walk w;
        struct scene s;
        size_t n = 0;
        scene_random(&s, &r, NULL, SCENE_LIKELY);
        const struct geometry *const g = s.a->g;
        const struct box_memory_const src = {.items = item};
        random_bytes(&r, item, sizeof item);
        scene_box(&r, g->ndim, g->shape, start, stop);
        for (bool more = walk_chunks(&w, g, &(struct box){start, stop, NULL}); more;
             more = walk_next(&w), n++) {
            int64_t lo[NDIM_MAX], hi[NDIM_MAX];
            assert_true(n < sizeof wanted);
            wanted[n] = random_below(&r, 2);
            for (int k = 0; k < g->ndim; k++) {
                lo[k] = w.at[k] * g->chunkshape[k] + w.lo[k];
                hi[k] = w.at[k] * g->chunkshape[k] + w.hi[k];
            }
            if (wanted[n])
                scene_scatter(&s.ref, lo, hi, NULL, &src);
        }
        frame_begin(s.a->grid->frame);
        ok(grid_write_some(s.a->grid, &(struct box){start, stop, NULL}, item, wanted, NULL, err));
        frame_keep(s.a->grid->frame);
        scene_check_stored(&s);
        scene_close(&s);
    }
}

// Zeros, but for chunks that are one item: those stay, where a part of them is cut off.
static void
padding(void **state)
{
    static const uint8_t seven = 7;
    struct random r;
    struct scene s;
    tess_params p;
    const int64_t start = 250, stop = 350;
    (void)state;
    random_init(&r, random_seed());
    line_params(&p, 400, 100, 10);
    scene_new(&s, &p, NULL, SCENE_NOISE, &r);
    line_write(&s, 200, 300, &seven, 0);
    const int64_t entry = frame_entry(s.a->grid->frame, 2);
    frame_begin(s.a->grid->frame);
    ok(grid_write_padding(s.a->grid, &(struct box){&start, &stop, NULL}, NULL, err));
    frame_keep(s.a->grid->frame);
    memset(s.ref.data + 300, 0, 50);
    assert_int_equal(frame_entry(s.a->grid->frame, 2), entry);
    scene_check_stored(&s);
    scene_close(&s);
}

// Whole blocks, with their padding; some of each chunk, or all of it.
static void
replaced_blocks(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(150, 20000); i > 0; i--) {
        enum { MOST = 200 };
        struct new_block list[MOST];
        struct scene s;
        size_t n = 0;
        scene_random(&s, &r, NULL, (enum scene_items)random_below(&r, 3));
        const struct geometry *const g = s.a->g;
        const uint64_t one_in = 1 + random_below(&r, 3);
        const bool constant = random_below(&r, 3) == 0;
        int64_t zero[NDIM_MAX] = {0};
        struct walk chunk, w;
        for (bool more = walk_chunks(&chunk, g, &(struct box){zero, g->shape, NULL}); more;
             more = walk_next(&chunk))
            for (bool next = walk_blocks(&w, g, &chunk); next; next = walk_next(&w)) {
                int64_t lo[NDIM_MAX], hi[NDIM_MAX];
                struct box_memory_const src = {0};
                if (n == MOST || random_below(&r, one_in) != 0)
                    continue;
                uint8_t *const items = malloc((size_t)g->blocksize);
                assert_non_null(items);
                random_bytes(&r, items, (size_t)g->blocksize);
                if (constant)
                    memset(items, 5, (size_t)g->blocksize);
                list[n++] = (struct new_block){chunk.index, (int32_t)w.index, items};
                src.items = items;
                shape_strides(g->ndim, g->blockshape, g->typesize, src.stride);
                for (int k = 0; k < g->ndim; k++) {
                    lo[k] = chunk.at[k] * g->chunkshape[k] + w.at[k] * g->blockshape[k];
                    hi[k] = lo[k] + w.hi[k];
                }
                scene_scatter(&s.ref, lo, hi, NULL, &src);
            }
        frame_begin(s.a->grid->frame);
        if (n > 0)
            ok(replace_blocks(s.a->grid, list, n, NULL, false, NULL, err));
        frame_keep(s.a->grid->frame);
        for (size_t k = 0; k < n; k++)
            free((void *)(uintptr_t)list[k].items);
        scene_check_stored(&s);
        scene_close(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),         cmocka_unit_test(same_bytes),
        cmocka_unit_test(kept_blocks),   cmocka_unit_test(constant_chunks),
        cmocka_unit_test(cache_forgets), cmocka_unit_test(some_chunks),
        cmocka_unit_test(padding),       cmocka_unit_test(replaced_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
