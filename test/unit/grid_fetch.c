/*
 * grid_fetch.c - tests of grid/fetch and grid/blocks: a reader that notes what it is given, and by
 * how many threads at once. What blocks_get() decodes is seen through the engine only.
 */
#include "grid/read/fetch.h"

#include "base/error.h"
#include "cache/cache.h"
#include "chunk/chunk.h"
#include "frame/query.h"
#include "grid/blocks.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNKS = 60, BLOCKS = 7, BLOCK = 96, CHUNK = BLOCKS * BLOCK };

enum asked { NOT, BLOCKWISE, OTHER }; // of a chunk

struct notes {
    const struct scene *s;
    enum asked asked[CHUNKS];
    bool wanted[CHUNKS][BLOCKS];
    int64_t next; // chunk
    int64_t finished; // the last block, or chunk, of the grains so far
    atomic_int inside; // of next_chunk and finish
    atomic_int taken[CHUNKS][BLOCKS], others[CHUNKS];
    atomic_int wrong, takes, grains, drops;
    _Atomic int64_t weight;
    int fail_at, stop_at; // takes
    atomic_bool stopped;
};

struct at_chunk {
    int64_t n;
};
struct at_block {
    int64_t n;
    int32_t block;
};
// Of a grain, in its tally; memory, so that a grain dropped twice, or never, shows.
struct of_grain {
    int64_t *first; // its first block, counted over all chunks
};

static void
wrong_if(struct notes *t, bool is)
{
    if (is)
        atomic_fetch_add(&t->wrong, 1);
}

static enum fetch_next
note_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct notes *const t = self;
    wrong_if(t, atomic_fetch_add(&t->inside, 1) != 0);
    while (t->next < CHUNKS && t->asked[t->next] == NOT)
        t->next++;
    const int64_t at = t->next++;
    atomic_fetch_sub(&t->inside, 1);
    if (at >= CHUNKS)
        return FETCH_NOTHING;
    ((struct at_chunk *)chunk)->n = at;
    *n = at;
    *all = false;
    return t->asked[at] == OTHER ? FETCH_OTHER : FETCH_CHUNK;
}

static bool
stand_on(const struct notes *t, struct at_block *b, int32_t from)
{
    for (int32_t i = from; i < BLOCKS; i++)
        if (t->wanted[b->n][i]) {
            b->block = i;
            return true;
        }
    return false;
}

static void
note_begin_blocks(const void *self, const void *chunk, void *block)
{
    struct at_block *const b = block;
    b->n = ((const struct at_chunk *)chunk)->n;
    (void)stand_on(self, b, 0);
}

static bool
note_next_block(const void *self, void *block)
{
    struct at_block *const b = block;
    return stand_on(self, b, b->block + 1);
}

static int32_t
note_number(const void *block)
{
    return ((const struct at_block *)block)->block;
}

static struct block_need
note_need(const void *self, const void *block, bool *whole)
{
    (void)self;
    *whole = ((const struct at_block *)block)->block % 2 == 0;
    return (struct block_need){0};
}

static void
begin_tally(struct notes *t, void *tally, int64_t first)
{
    struct of_grain *const g = tally;
    if (g->first)
        return;
    atomic_fetch_add(&t->grains, 1);
    g->first = malloc(sizeof *g->first);
    if (!g->first)
        abort();
    *g->first = first;
}

static tess_status
note_take(void *self, void *tally, const void *block, const struct decoded *items, bool equal,
          tess_error *err)
{
    struct notes *const t = self;
    const struct at_block *const b = block;
    const uint8_t *const want = t->s->ref.data + b->n * CHUNK + b->block * BLOCK;
    begin_tally(t, tally, b->n * BLOCKS + b->block);
    wrong_if(t, items->planes != 0 || items->nbytes != BLOCK ||
                    memcmp(items->bytes, want, BLOCK) != 0);
    wrong_if(t, ((uintptr_t)items->bytes & 15) != 0); // as was asked
    wrong_if(t, equal && memcmp(want, want + 1, BLOCK - 1) != 0);
    atomic_fetch_add(&t->taken[b->n][b->block], 1);
    const int n = atomic_fetch_add(&t->takes, 1) + 1;
    if (n == t->stop_at)
        atomic_store(&t->stopped, true);
    return n == t->fail_at ? err_set(err, TESS_ERR_CANCELLED, -1, "take %d", n) : TESS_OK;
}

static tess_status
note_take_equal(void *self, void *tally, const void *chunk, const uint8_t *item, tess_error *err)
{
    struct notes *const t = self;
    const int64_t n = ((const struct at_chunk *)chunk)->n;
    (void)err;
    begin_tally(t, tally, n * BLOCKS);
    for (int64_t i = 0; i < CHUNK; i++)
        wrong_if(t, t->s->ref.data[n * CHUNK + i] != *item);
    for (int32_t i = 0; i < BLOCKS; i++)
        if (t->wanted[n][i])
            atomic_fetch_add(&t->taken[n][i], 1);
    return TESS_OK;
}

static tess_status
note_other(void *self, void *tally, const void *chunk, tess_error *err)
{
    struct notes *const t = self;
    const int64_t n = ((const struct at_chunk *)chunk)->n;
    (void)err;
    begin_tally(t, tally, n * BLOCKS);
    atomic_fetch_add(&t->others[n], 1);
    return TESS_OK;
}

static int64_t
note_weight(const void *self, const void *position, int32_t nblocks)
{
    struct notes *const t = (struct notes *)(uintptr_t)self;
    (void)position;
    atomic_fetch_add(&t->weight, nblocks);
    return nblocks;
}

static tess_status
note_finish(void *self, void *tally, tess_error *err)
{
    struct notes *const t = self;
    const struct of_grain *const g = tally;
    (void)err;
    wrong_if(t, atomic_fetch_add(&t->inside, 1) != 0);
    if (g->first) { // else it was stopped before it began
        wrong_if(t, *g->first <= t->finished);
        t->finished = *g->first;
    }
    atomic_fetch_sub(&t->inside, 1);
    return TESS_OK;
}

static bool
note_stopped(const void *self)
{
    return atomic_load(&((const struct notes *)self)->stopped);
}

static void
note_drop(void *self, void *tally)
{
    struct of_grain *const g = tally;
    if (g->first)
        atomic_fetch_add(&((struct notes *)self)->drops, 1);
    free(g->first);
    g->first = NULL;
}

static const struct fetch_reader reader = {
    .position_size = sizeof(struct at_block),
    .next_chunk = note_next_chunk,
    .begin_blocks = note_begin_blocks,
    .next_block = note_next_block,
    .number = note_number,
    .need = note_need,
    .take = note_take,
    .take_equal = note_take_equal,
    .other = note_other,
    .weight = note_weight,
    .finish = note_finish,
    .stopped = note_stopped,
    .drop = note_drop,
    .align = 16,
};

static void
notes_init(struct notes *t, struct random *r, const struct scene *s)
{
    memset(t, 0, sizeof *t);
    t->s = s;
    t->finished = -1;
    for (int n = 0; n < CHUNKS; n++) {
        const uint64_t one_in = 1 + random_below(r, 4);
        t->asked[n] = random_below(r, 8) == 0 ? OTHER : NOT;
        for (int i = 0; i < BLOCKS && t->asked[n] != OTHER; i++)
            if ((t->wanted[n][i] = random_below(r, one_in) == 0))
                t->asked[n] = BLOCKWISE;
    }
}

// Chunks of all kinds, in an array that may be compared with its checksums.
static void
make(struct scene *s, struct random *r, tess_context *c)
{
    tess_params p;
    scene_context(c, random_below(r, 2) ? 1 : 4, random_below(r, 2) ? 0 : -1);
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = CHUNKS * CHUNK;
    p.chunkshape[0] = CHUNK;
    p.blockshape[0] = BLOCK;
    scene_new(s, &p, c, SCENE_ZEROS, r);
    for (int64_t n = 0; n < CHUNKS; n++) {
        uint8_t *const items = s->ref.data + n * CHUNK;
        const uint64_t kind = random_below(r, 4);
        if (kind == 0)
            random_bytes(r, items, CHUNK);
        else if (kind < 3)
            for (int i = 0; i < CHUNK; i++)
                items[i] = (uint8_t)(kind == 1 ? n + i % 3 : n);
    }
    const int64_t start = 0;
    ok(tess_array_write(s->a, &start, p.shape, s->ref.data, CHUNKS * CHUNK, err));
    ok(tess_array_flush(s->a, err));
}

static void
jobs(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(150, 20000); i > 0; i--) {
        static struct notes t;
        tess_context c;
        struct scene s;
        size_t size;
        int64_t nblocks = 0;
        make(&s, &r, &c);
        uint8_t *const image = scene_image(&s, &size);
        tess_array *const a = scene_open(
            image, size, random_below(&r, 2) ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE, &c);
        for (int again = 0; again < 3; again++) { // some blocks get into the cache
            notes_init(&t, &r, &s);
            struct fetch_reader mine = reader;
            if (random_below(&r, 3) == 0)
                mine.take_equal = NULL; // then they come as blocks
            const uint64_t end = random_below(&r, 4);
            if (end == 1)
                t.fail_at = 1 + (int)random_below(&r, 20);
            if (end == 2)
                t.stop_at = 1 + (int)random_below(&r, 20);
            const struct fetch fetch = {.grid = a->grid,
                                        .reader = &mine,
                                        .self = &t,
                                        .nbytes = CHUNKS * CHUNK,
                                        .cost = 10000000};
            tess_error err = {0};
            const tess_status st = fetch_run(&fetch, &err);
            assert_int_equal(t.wrong, 0);
            assert_int_equal(t.drops, t.grains);
            if (t.fail_at > 0 && t.takes >= t.fail_at) {
                assert_int_equal(st, TESS_ERR_CANCELLED);
                assert_int_equal(err.status, TESS_ERR_CANCELLED);
                continue;
            }
            assert_int_equal(st, TESS_OK);
            if (t.stop_at > 0 && t.takes >= t.stop_at) {
                if (c.threads == 1)
                    assert_int_equal(t.takes, t.stop_at);
                continue;
            }
            nblocks = 0;
            for (int n = 0; n < CHUNKS; n++) {
                assert_int_equal(t.others[n], t.asked[n] == OTHER);
                for (int b = 0; b < BLOCKS; b++) {
                    assert_int_equal(t.taken[n][b], t.wanted[n][b]);
                    // Chunks that come at once weigh 0 here.
                    const bool equal = mine.take_equal && frame_entry(a->grid->frame, n) < 0;
                    nblocks += t.wanted[n][b] && !equal;
                }
            }
            assert_true(t.weight <= nblocks);
            if (!mine.take_equal)
                assert_int_equal(t.weight, nblocks);
        }
        ok(tess_array_close(a, err));
        free(image);
        scene_close(&s);
    }
}

// Stored bytes that follow are read together, if little lies between, and not too much comes.
static void
joined(void **state)
{
    static const struct {
        const char *what;
        struct span span, next;
        int32_t most;
        bool join;
    } cases[] = {
        {"the next", {0, 100}, {100, 150}, 1000, true},
        {"a gap of 4 KiB", {0, 100}, {4196, 4200}, 10000, true},
        {"a byte more", {0, 100}, {4197, 4200}, 10000, false},
        {"all that may be", {50, 100}, {100, 150}, 100, true},
        {"a byte too many", {50, 100}, {100, 151}, 100, false},
        {"in front", {200, 300}, {100, 200}, 1000, false},
        {"overlapping", {200, 300}, {299, 400}, 1000, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct span span = cases[i].span;
        if (blocks_join(&span, cases[i].next, cases[i].most) != cases[i].join)
            fail_msg("%s", cases[i].what);
        assert_int_equal(span.start, cases[i].span.start);
        assert_int_equal(span.stop, cases[i].join ? cases[i].next.stop : cases[i].span.stop);
    }
}

// At least one block, some grains for the threads, and not more bytes than are worth it.
static void
run_length(void **state)
{
    (void)state;
    assert_int_equal(blocks_run_length(0, 1000), 1);
    assert_int_equal(blocks_run_length(1 << 30, 1 << 20), 1);
    assert_int_equal(blocks_run_length(INT64_MAX, 1 << 10), 256);
    assert_int_equal(blocks_run_length(80000, 1000), 10); // eight grains
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs),
        cmocka_unit_test(joined),
        cmocka_unit_test(run_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
