/*
 * grid_read.c - tests of lib/grid/read: boxes with steps and strides, boxes that are in the cache,
 * and the engine with a sink of the test. blocks, place, prefetch and open_chunk are driven by
 * them.
 */
#include "grid/read/read.h"

#include "base/error.h"
#include "geom/shape.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/read/cached_read.h"
#include "grid/read/fetch.h"
#include "grid/strided.h"
#include "unit/grid_kit.h"

#include <stdatomic.h>

enum { ROUNDS = 150 };

// -- boxes

// Memory with gaps, in any order of axes; some strides are negative.
static size_t
random_memory(struct random *r, const struct kit *k, const int64_t *count, int64_t *stride,
              size_t *first)
{
    int64_t size = (int64_t)k->ref.typesize, at = 0;
    bool used[TESS_MAX_NDIM] = {false};

    for (int n = 0; n < k->ref.ndim; n++) {
        int i = (int)random_below(r, (uint64_t)k->ref.ndim);

        while (used[i])
            i = (i + 1) % k->ref.ndim;
        used[i] = true;
        stride[i] = size + (int64_t)random_below(r, 3) * (int64_t)k->ref.typesize;
        size = stride[i] * count[i];
        if (random_below(r, 3) == 0) {
            at += stride[i] * (count[i] - 1);
            stride[i] = -stride[i];
        }
    }
    *first = (size_t)at;
    return (size_t)size;
}

static void
check_box(struct random *r, const struct kit *k)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM], count[TESS_MAX_NDIM];
    const bool steps = random_below(r, 2);
    struct strided to;
    size_t first;

    kit_random_box(r, k, start, stop);
    for (int i = 0; i < k->ref.ndim; i++) {
        step[i] = steps ? 1 + (int64_t)random_below(r, 5) : 1;
        count[i] = (stop[i] - start[i] - 1) / step[i] + 1;
        stop[i] = start[i] + (count[i] - 1) * step[i] + 1;
    }
    const size_t size = random_memory(r, k, count, to.stride, &first);
    uint8_t *const memory = malloc(size), *const untouched = malloc(size);
    assert_true(memory && untouched);
    memset(memory, 0xa5, size);
    memset(untouched, 1, size);
    to.items = memory + first;
    const bool cached =
        random_below(r, 4) == 0 && grid_read_cached(k->grid, start, stop, steps ? step : NULL, &to);
    if (!cached)
        assert_int_equal(grid_read(k->grid, start, stop, steps ? step : NULL, &to, NULL, NULL),
                         TESS_OK);
    int64_t index[TESS_MAX_NDIM] = {0};
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    do {
        int64_t item[TESS_MAX_NDIM];
        const uint8_t *at = to.items;

        for (int i = 0; i < k->ref.ndim; i++) {
            item[i] = start[i] + index[i] * step[i];
            at += index[i] * to.stride[i];
        }
        assert_memory_equal(at, kit_item(k, item), k->ref.typesize);
        memset(untouched + (at - memory), 0, k->ref.typesize);
    } while (kit_next(k->ref.ndim, zeros, count, index));
    for (size_t i = 0; i < size; i++) // between the items
        assert_true(!untouched[i] || memory[i] == 0xa5);
    free(memory);
    free(untouched);
}

static void
test_boxes(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 5000); n > 0; n--) {
        struct kit k;

        kit_begin(&r, &k, random_below(&r, 2) ? 1 << 20 : 0);
        for (int i = 0; i < 8; i++)
            check_box(&r, &k);
        kit_end(&k);
    }
}

// -- the cache

static void
test_cached(void **state)
{
    struct random r;
    int hits = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 2000); n > 0; n--) {
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], extent[TESS_MAX_NDIM];
        struct strided to;
        struct kit k;

        kit_begin(&r, &k, 8 << 20);
        kit_random_box(&r, &k, start, stop);
        for (int i = 0; i < k.ref.ndim; i++)
            extent[i] = stop[i] - start[i];
        shape_strides(k.ref.ndim, extent, (int64_t)k.ref.typesize, to.stride);
        const size_t size = reference_box_size(&k.ref, start, stop);
        uint8_t *const got = malloc(size), *const want = malloc(size);
        assert_true(got && want);
        to.items = got;
        assert_false(grid_read_cached(k.grid, start, stop, NULL, &to)); // nothing is decoded yet
        for (int i = 0; i < 2; i++) // the second miss admits blocks that are read in part
            assert_int_equal(grid_read(k.grid, start, stop, NULL, &to, NULL, NULL), TESS_OK);
        memset(got, 0x5a, size);
        if (grid_read_cached(k.grid, start, stop, NULL, &to)) {
            reference_get(&k.ref, start, stop, want);
            assert_memory_equal(got, want, size);
            hits++;
        }
        free(got);
        free(want);
        kit_end(&k);
    }
    assert_true(hits > 0);
}

// -- the engine

// Counts how often each block comes, and looks at its items.
struct sink {
    const struct kit *k;
    int64_t nchunks, at; // chunks that are asked for, from first on
    int64_t first, step;
    atomic_int *seen; // per block of all chunks
    atomic_int taken, dropped, finished;
    int fail_at; // the block of that number fails; 0: none
    int stop_at; // none is wanted after so many; 0: never
};

struct sink_position {
    int64_t chunk;
    int32_t block, nblocks;
};

static enum fetch_next
sink_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct sink *const s = self;
    struct sink_position *const p = chunk;

    if (s->at == s->nchunks)
        return FETCH_NOTHING;
    *n = p->chunk = s->first + s->at++ * s->step;
    *all = true;
    return FETCH_CHUNK;
}

static bool
sink_next_block(const void *self, void *block)
{
    const struct sink *const s = self;
    struct sink_position *const p = block;

    while (++p->block < p->nblocks)
        if (kit_has_items(&s->k->grid->g, p->chunk, p->block))
            return true;
    return false;
}

static void
sink_begin_blocks(const void *self, const void *chunk, void *block)
{
    const struct sink *const s = self;
    struct sink_position *const p = block;

    *p = *(const struct sink_position *)chunk;
    p->nblocks = (int32_t)s->k->grid->g.nblocks;
    p->block = -1;
    assert_true(sink_next_block(self, p));
}

static int32_t
sink_number(const void *block)
{
    return ((const struct sink_position *)block)->block;
}

static struct block_need
sink_need(const void *self, const void *block, bool *whole)
{
    const struct sink *const s = self;

    (void)block;
    *whole = true;
    return (struct block_need){.itemsize = (int32_t)s->k->ref.typesize,
                               .stop = (int32_t)s->k->grid->g.block_nitems};
}

// Every item of the block that the array has.
static void
look_at_block(const struct sink *s, const struct sink_position *p, const uint8_t *items, bool equal)
{
    const struct geometry *const g = &s->k->grid->g;
    const size_t size = s->k->ref.typesize;

    for (int64_t n = 0; n < g->block_nitems; n++) {
        int64_t index[TESS_MAX_NDIM], c = p->chunk, b = p->block, k = n;
        bool inside = true;

        for (int i = g->ndim - 1; i >= 0; i--) {
            const int64_t in_chunk = b % g->bgrid[i] * g->blockshape[i] + k % g->blockshape[i];
            index[i] = c % g->grid[i] * g->chunkshape[i] + in_chunk;
            inside = inside && in_chunk < g->chunkshape[i] && index[i] < g->shape[i];
            c /= g->grid[i];
            b /= g->bgrid[i];
            k /= g->blockshape[i];
        }
        if (inside)
            assert_memory_equal(items + (equal ? 0 : (size_t)n * size), kit_item(s->k, index),
                                size);
    }
}

static tess_status
sink_take(void *self, void *tally, const void *block, const struct decoded *items, bool equal,
          tess_error *err)
{
    struct sink *const s = self;
    const struct sink_position *const p = block;

    for (int i = 0; i < FETCH_TALLY_SIZE && *(int *)tally == 0; i++)
        assert_int_equal(((const uint8_t *)tally)[i], 0);
    ++*(int *)tally;
    atomic_fetch_add(&s->seen[p->chunk * s->k->grid->g.nblocks + p->block], 1);
    assert_int_equal(items->planes, 0);
    look_at_block(s, p, items->bytes, equal);
    if (atomic_fetch_add(&s->taken, 1) + 1 == s->fail_at)
        return err_set(err, TESS_ERR_IO, -1, "enough");
    return TESS_OK;
}

static int64_t
sink_weight(const void *self, const void *position, int32_t nblocks)
{
    (void)self;
    (void)position;
    return nblocks;
}

static tess_status
sink_finish(void *self, void *tally, tess_error *err)
{
    struct sink *const s = self;

    (void)err;
    atomic_fetch_add(&s->finished, *(const int *)tally);
    return TESS_OK;
}

static bool
sink_stopped(const void *self)
{
    const struct sink *const s = self;
    return s->stop_at > 0 && atomic_load(&s->taken) >= s->stop_at;
}

static void
sink_drop(void *self, void *tally)
{
    (void)tally;
    atomic_fetch_add(&((struct sink *)self)->dropped, 1);
}

static const struct fetch_reader reader = {
    .position_size = sizeof(struct sink_position),
    .next_chunk = sink_next_chunk,
    .begin_blocks = sink_begin_blocks,
    .next_block = sink_next_block,
    .number = sink_number,
    .need = sink_need,
    .take = sink_take,
    .weight = sink_weight,
    .finish = sink_finish,
    .stopped = sink_stopped,
    .drop = sink_drop,
    .align = 1,
};

static tess_status
run(struct sink *s, const struct kit *k, struct random *r, tess_error *err)
{
    const struct geometry *const g = &k->grid->g;

    *s = (struct sink){.k = k, .fail_at = s->fail_at, .stop_at = s->stop_at};
    s->step = 1 + (int64_t)random_below(r, 3);
    s->first = (int64_t)random_below(r, (uint64_t)g->nchunks);
    s->nchunks = (g->nchunks - 1 - s->first) / s->step + 1;
    s->seen = calloc((size_t)(g->nchunks * g->nblocks), sizeof *s->seen);
    assert_non_null(s->seen);
    // so many bytes that all threads work
    const struct fetch f = {.grid = k->grid,
                            .reader = &reader,
                            .self = s,
                            .nbytes = s->nchunks * g->chunksize + (4 << 20),
                            .weight = s->nchunks * g->nblocks,
                            .cost = 1000000};
    return fetch_run(&f, err);
}

// Each wanted block comes once, the others never; a grain that took blocks is finished.
static void
test_engine(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        struct sink s = {0};
        struct kit k;

        kit_begin(&r, &k, random_below(&r, 2) ? 1 << 20 : 0);
        assert_int_equal(run(&s, &k, &r, NULL), TESS_OK);
        const struct geometry *const g = &k.grid->g;
        int total = 0;
        for (int64_t c = 0; c < g->nchunks; c++)
            for (int32_t b = 0; b < (int32_t)g->nblocks; b++) {
                const bool wanted =
                    c >= s.first && (c - s.first) % s.step == 0 && kit_has_items(g, c, b);

                assert_int_equal(atomic_load(&s.seen[c * g->nblocks + b]), wanted);
                total += wanted;
            }
        assert_int_equal(atomic_load(&s.taken), total);
        assert_int_equal(atomic_load(&s.finished), total);
        assert_true(atomic_load(&s.dropped) > 0);
        free(s.seen);
        kit_end(&k);
    }
}

// The first failure is the job's; what a sink wants no more does not come for ever.
static void
test_ends(void **state)
{
    struct random r;
    int failures = 0, stops = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 2000); n > 0; n--) {
        struct sink s = {0};
        tess_error err;
        struct kit k;

        kit_begin(&r, &k, 0);
        s.fail_at = (int)(1 + random_below(&r, 10));
        const tess_status st = run(&s, &k, &r, &err);
        assert_int_equal(st, atomic_load(&s.taken) >= s.fail_at ? TESS_ERR_IO : TESS_OK);
        if (st == TESS_ERR_IO) {
            assert_string_equal(err.message, "enough");
            failures++;
        }
        free(s.seen);
        s.fail_at = 0;
        s.stop_at = 1;
        assert_int_equal(run(&s, &k, &r, NULL), TESS_OK);
        stops += atomic_load(&s.taken) < (int)(s.nchunks * k.grid->g.nblocks);
        free(s.seen);
        kit_end(&k);
    }
    assert_true(failures > 0 && stops > 0);
}

// -- opened chunks

// A chunk is opened once, until the list of chunks changes; whoever holds it keeps it.
static void
test_opened(void **state)
{
    struct random r;
    int again = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 2000); n > 0; n--) {
        struct open_chunk *first = NULL, *second = NULL, *third = NULL;
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        int64_t one[TESS_MAX_NDIM];
        struct kit k;

        kit_begin(&r, &k, 1 << 20);
        const int64_t chunk = (int64_t)random_below(&r, (uint64_t)k.grid->g.nchunks);
        assert_int_equal(open_chunks_get(k.grid, chunk, false, &first, NULL), TESS_OK);
        assert_int_equal(first->n, chunk);
        assert_int_equal(open_chunks_get(k.grid, chunk, false, &second, NULL), TESS_OK);
        again += first == second; // a large one is not kept
        for (int i = 0; i < k.ref.ndim; i++)
            one[i] = 1;
        memset(k.ref.data, 0xc3, k.ref.typesize);
        assert_int_equal(tess_array_write(k.a, zeros, one, k.ref.data, k.ref.typesize, NULL),
                         TESS_OK);
        assert_int_equal(tess_array_flush(k.a, NULL), TESS_OK); // chunk 0 is another one now
        assert_int_equal(open_chunks_get(k.grid, chunk, false, &third, NULL), TESS_OK);
        assert_true(third != first && third->generation != first->generation);
        assert_int_equal(first->n, chunk);
        open_chunk_release(first);
        open_chunk_release(second);
        open_chunk_release(third);
        open_chunk_release(NULL);
        kit_check(&k);
        kit_end(&k);
    }
    assert_true(again > 0);
}

// All items of any block, however the chunk is stored.
static void
test_blocks_of_chunk(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 2000); n > 0; n--) {
        struct kit k;

        kit_begin(&r, &k, 0);
        const struct geometry *const g = &k.grid->g;
        struct chunk_scratch *const s = pool_take(k.grid->pool);
        uint8_t *const items = malloc((size_t)g->blocksize);
        struct sink sink = {.k = &k};
        assert_true(s && items);
        for (int64_t c = 0; c < g->nchunks; c++) {
            struct open_chunk *v = NULL;

            assert_int_equal(open_chunk_new(k.grid, c, true, &v, NULL), TESS_OK);
            assert_true(open_chunk_size(v) >= sizeof *v);
            for (int32_t b = 0; b < (int32_t)g->nblocks; b++) {
                const struct sink_position p = {.chunk = c, .block = b};

                assert_int_equal(open_chunk_block(k.grid, v, b, items, s, NULL), TESS_OK);
                look_at_block(&sink, &p, items, false);
            }
            open_chunk_release(v);
        }
        free(items);
        pool_give(k.grid->pool, s);
        kit_end(&k);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),  cmocka_unit_test(test_cached),
        cmocka_unit_test(test_engine), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_opened), cmocka_unit_test(test_blocks_of_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
