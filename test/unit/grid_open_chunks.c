/*
 * grid_open_chunks.c - tests of grid/open_chunk and grid/open_chunks: what an open chunk says of
 * its blocks, against the items; which chunks stay open, and what threads see of them.
 */
#include "grid/open_chunks.h"

#include "chunk/chunk.h"
#include "chunk/scratch.h"
#include "frame/commit/change.h"
#include "frame/query.h"
#include "grid/pool.h"
#include "grid/write/constant.h"
#include "grid/write/write.h"
#include "unit/scene.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The items of a block, padding included, which is zeros.
static void
block_items(const struct scene *s, int64_t n, int32_t block, uint8_t *dst)
{
    const struct geometry *const g = s->a->g;
    int64_t origin[NDIM_MAX], inside[NDIM_MAX], at[NDIM_MAX] = {0};
    memset(dst, 0, (size_t)g->blocksize);
    for (int i = g->ndim - 1; i >= 0; i--) {
        inside[i] = block % g->bgrid[i] * g->blockshape[i];
        origin[i] = n % g->grid[i] * g->chunkshape[i] + inside[i];
        block /= (int32_t)g->bgrid[i];
        n /= g->grid[i];
    }
    for (int64_t k = 0; k < g->block_nitems; k++, scene_next(g->ndim, g->blockshape, at)) {
        int64_t index[NDIM_MAX];
        bool is = true;
        for (int i = 0; i < g->ndim; i++) {
            index[i] = origin[i] + at[i];
            is = is && index[i] < g->shape[i] && inside[i] + at[i] < g->chunkshape[i];
        }
        if (is)
            memcpy(dst + k * g->typesize, scene_item(&s->ref, index), (size_t)g->typesize);
    }
}

static void
blocks(void **state)
{
    int kinds[4] = {0};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        struct scene s;
        scene_random(&s, &r, NULL, (enum scene_items)random_below(&r, 3));
        const struct geometry *const g = s.a->g;
        struct chunk_grid *const grid = s.a->grid;
        struct chunk_scratch *const scratch = pool_take(grid->pool);
        uint8_t *const want = malloc((size_t)g->blocksize), *const got =
                                                                malloc((size_t)g->blocksize);
        assert_true(want && got);
        for (int64_t n = 0; n < g->nchunks && n < 5; n++) {
            struct open_chunk *v = NULL;
            int32_t end = 0;
            ok(open_chunk_new(grid, n, random_below(&r, 2), NULL, NULL, &v, err));
            assert_int_equal(v->n, n);
            assert_int_equal(v->generation, frame_generation(grid->frame));
            assert_true(open_chunk_size(v) >= sizeof *v);
            kinds[v->kind]++;
            assert_int_equal(v->kind == OPEN_SPECIAL, v->stored.chunk.h.special != SPECIAL_NONE);
            for (int32_t b = 0; b < g->nblocks; b++) {
                ok(open_chunk_block(grid, v, b, got, scratch, err));
                block_items(&s, n, b, want);
                if (v->kind == OPEN_SPECIAL) { // its padding is that item, too
                    uint8_t item[16];
                    ok(open_chunk_item(grid, v, item, err));
                    if (b == 0)
                        assert_memory_equal(item, want, (size_t)g->typesize);
                    for (int64_t k = 0; k < g->block_nitems; k++)
                        assert_memory_equal(got + k * g->typesize, item, (size_t)g->typesize);
                    continue;
                }
                assert_memory_equal(got, want, (size_t)g->blocksize);
                const struct span span = open_chunk_span(grid, v, b);
                assert_true(span.start >= CHUNK_HEADER_SIZE && span.stop >= span.start &&
                            span.stop <= v->stored.chunk.h.cbytes);
                if (v->kind == OPEN_MEMCPYED)
                    assert_int_equal(span.stop - span.start, g->blocksize);
                assert_true(span.start >= end || v->kind == OPEN_BLOCKS);
                end = span.stop;
            }
            open_chunk_hold(v);
            open_chunk_release(v);
            assert_int_equal(v->n, n); // still held once
            open_chunk_release(v);
        }
        open_chunk_release(NULL);
        pool_give(grid->pool, scratch);
        free(want);
        free(got);
        scene_close(&s);
    }
    assert_true(kinds[OPEN_SPECIAL] > 0 && kinds[OPEN_MEMCPYED] > 0 && kinds[OPEN_BLOCKS] > 0);
}

// What a chunk repeats must be a part of an item.
static void
special_items(void **state)
{
    static const struct {
        const char *what;
        struct chunk c;
        int32_t typesize;
        tess_status want;
    } cases[] = {
        {"zeros fit all", {.h = {.special = SPECIAL_ZEROS, .typesize = 8}}, 3, TESS_OK},
        {"NaNs of the size", {.h = {.special = SPECIAL_NANS, .typesize = 4}}, 4, TESS_OK},
        {"two NaNs", {.h = {.special = SPECIAL_NANS, .typesize = 4}}, 8, TESS_OK},
        {"half a NaN", {.h = {.special = SPECIAL_NANS, .typesize = 8}}, 4, TESS_ERR_CORRUPT},
        {"an item", {.h = {.special = SPECIAL_VALUE}, .item_size = 6}, 6, TESS_OK},
        {"not a part", {.h = {.special = SPECIAL_VALUE}, .item_size = 4}, 6, TESS_ERR_CORRUPT},
        {"more", {.h = {.special = SPECIAL_VALUE}, .item_size = 12}, 6, TESS_ERR_CORRUPT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct chunk_grid grid = {.g = {.typesize = cases[i].typesize}};
        if (open_chunk_check_special(&grid, &cases[i].c, 5, NULL) != cases[i].want)
            fail_msg("%s", cases[i].what);
    }
}

static void
line(struct scene *s, struct random *r, int64_t nchunks, int64_t chunk, int64_t block)
{
    tess_params p;
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = nchunks * chunk;
    p.chunkshape[0] = chunk;
    p.blockshape[0] = block;
    scene_new(s, &p, NULL, SCENE_ZEROS, r);
    uint8_t *const items = malloc((size_t)p.shape[0]);
    assert_non_null(items);
    for (int64_t i = 0; i < p.shape[0]; i++) // compressible, and different in each chunk
        items[i] = (uint8_t)(i / chunk * 31 + (i % block == 3));
    const int64_t start = 0;
    ok(tess_array_write(s->a, &start, p.shape, items, (size_t)p.shape[0], err));
    memcpy(s->ref.data, items, (size_t)p.shape[0]);
    ok(tess_array_flush(s->a, err));
    free(items);
}

// The same one again, until the list of chunks changes.
static void
found_again(void **state)
{
    static const uint8_t item = 9;
    const struct box_memory_const src = {.items = &item};
    const int64_t start = 100, stop = 150;
    struct open_chunk *a = NULL, *b = NULL, *c = NULL;
    uint8_t got[100];
    struct random r;
    struct scene s;
    (void)state;
    random_init(&r, random_seed());
    line(&s, &r, 3, 100, 50);
    struct chunk_grid *const grid = s.a->grid;
    ok(open_chunks_get(grid, 1, false, NULL, NULL, &a, err));
    ok(open_chunks_get(grid, 1, true, NULL, NULL, &b, err));
    assert_ptr_equal(a, b);
    ok(open_chunks_get(grid, 2, false, NULL, NULL, &c, err));
    assert_ptr_not_equal(a, c);
    assert_int_equal(c->n, 2);
    open_chunk_release(b);
    open_chunk_release(c);
    open_chunk_release(a);
    // Held by the table alone, and by us: not another one at the same address.
    ok(open_chunks_get(grid, 1, false, NULL, NULL, &a, err));
    frame_begin(grid->frame);
    ok(grid_write(grid, &(struct box){&start, &stop, NULL}, &src, NULL, NULL, err));
    frame_keep(grid->frame);
    memset(s.ref.data + 100, 9, 50);
    ok(open_chunks_get(grid, 1, false, NULL, NULL, &b, err));
    assert_ptr_not_equal(a, b);
    assert_true(b->generation != a->generation);
    struct chunk_scratch *const scratch = pool_take(grid->pool);
    ok(open_chunk_block(grid, b, 0, got, scratch, err));
    assert_memory_equal(got, s.ref.data + 100, 50);
    pool_give(grid->pool, scratch);
    open_chunk_release(a);
    open_chunk_release(b);
    scene_close(&s);
}

// What is kept takes no more memory than agreed on; large ones are not kept at all.
static void
bounded(void **state)
{
    enum { CHUNKS = 64, LEAST = 20 << 10, MOST = 256 << 10 };
    static const int64_t caches[] = {0, 16 << 20, INT64_MAX};
    struct open_chunk *v[CHUNKS];
    struct random r;
    struct scene s;
    (void)state;
    random_init(&r, random_seed());
    line(&s, &r, CHUNKS, 38400, 64); // a table of 600 blocks each
    struct chunk_grid *const grid = s.a->grid;
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        size_t kept = 0, size = 0;
        open_chunks_free(grid->open_chunks);
        grid->open_chunks = open_chunks_new(caches[i], false);
        assert_non_null(grid->open_chunks);
        for (int64_t n = 0; n < CHUNKS; n++)
            ok(open_chunks_get(grid, n, false, NULL, NULL, &v[n], err));
        for (int64_t n = CHUNKS - 1; n >= 0; n--) { // before another comes, which is not found
            struct open_chunk *again = NULL;
            if (atomic_load(&v[n]->users) < 2)
                continue; // only ours: not kept
            ok(open_chunks_get(grid, n, false, NULL, NULL, &again, err));
            assert_ptr_equal(again, v[n]);
            kept++;
            size += open_chunk_size(again);
            open_chunk_release(again);
        }
        const size_t most = caches[i] == 0 ? LEAST : caches[i] == INT64_MAX ? MOST : 128 << 10;
        assert_true(kept > 0 && size <= most);
        assert_true(size > most / 2);
        assert_true(atomic_load(&v[CHUNKS - 1]->users) == 2);
        for (int64_t n = 0; n < CHUNKS; n++)
            open_chunk_release(v[n]);
    }
    scene_close(&s);
    line(&s, &r, 1, 192000, 64); // a table of 12 KB, where 20 KiB may be kept in all
    open_chunks_free(s.a->grid->open_chunks);
    s.a->grid->open_chunks = open_chunks_new(0, false);
    ok(open_chunks_get(s.a->grid, 0, false, NULL, NULL, &v[0], err));
    assert_int_equal(v[0]->kind, OPEN_BLOCKS);
    assert_int_equal(atomic_load(&v[0]->users), 1);
    open_chunk_release(v[0]);
    open_chunks_free(NULL);
    scene_close(&s);
}

enum { THREADS = 4, ROUNDS = 3000, SHARED = 70, SHARED_CHUNK = 400 };

static void *
open_all(void *arg)
{
    const struct scene *const s = arg;
    struct chunk_scratch *const scratch = pool_take(s->a->grid->pool);
    uint8_t got[SHARED_CHUNK / 4];
    void *failed = NULL;
    for (int i = 0; i < ROUNDS && !failed; i++) {
        struct open_chunk *v = NULL;
        const int64_t n = (int64_t)i * 13 % SHARED; // more than there are places for
        if (open_chunks_get(s->a->grid, n, false, NULL, NULL, &v, NULL) != TESS_OK || v->n != n ||
            open_chunk_block(s->a->grid, v, i % 4, got, scratch, NULL) != TESS_OK ||
            memcmp(got, s->ref.data + n * SHARED_CHUNK + i % 4 * (SHARED_CHUNK / 4), sizeof got) !=
                0)
            failed = arg;
        open_chunk_release(v);
    }
    pool_give(s->a->grid->pool, scratch);
    return failed;
}

static void
threads(void **state)
{
    pthread_t t[THREADS];
    struct random r;
    struct scene s;
    (void)state;
    random_init(&r, random_seed());
    line(&s, &r, SHARED, SHARED_CHUNK, SHARED_CHUNK / 4);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, open_all, &s), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        assert_null(failed);
    }
    scene_close(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),  cmocka_unit_test(special_items), cmocka_unit_test(found_again),
        cmocka_unit_test(bounded), cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
