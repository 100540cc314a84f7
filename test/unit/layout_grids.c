/*
 * layout_grids.c - shapes of chunks and blocks: neighbours, bounds, and what is proposed.
 *
 * Proposals are compared with the cheapest of all grids whose parts are halved again and again, as
 * the model sees it.
 */
#include "layout/private.h"

#include "layout/blosc2_default.h"

#include "support/random.h"
#include "support/shape_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

static int64_t
parts(int64_t n, int64_t length)
{
    return (n + length - 1) / length;
}

// -- neighbours

static bool
is_even(int64_t n, int64_t length)
{
    return length == parts(n, parts(n, length));
}

static void
describe(const struct grid_space *s, const struct grid *g, char *text, size_t size)
{
    size_t n = 0;

    for (int i = 0; i < s->ndim; i++)
        n += (size_t)snprintf(text + n, size - n, " %" PRId64 "/%" PRId64 "/%" PRId64, s->shape[i],
                              g->chunk[i], g->block[i]);
}

static void
check_neighbour(const struct grid_space *s, const struct grid *g, const struct grid *next)
{
    int longer = 0, shorter = 0;
    char a[900], b[900];

    describe(s, g, a, sizeof a);
    describe(s, next, b, sizeof b);
    for (int i = 0; i < s->ndim; i++) {
        const int64_t chunk = next->chunk[i], block = next->block[i];

        if (chunk < 1 || chunk > s->shape[i] || block < 1 ||
            (block > chunk && (!s->fixed_blocks || grids_is_valid(s, next))))
            fail_msg("after%s:%s", a, b);
        if ((s->fixed_chunks && chunk != g->chunk[i]) || (s->fixed_blocks && block != g->block[i]))
            fail_msg("fixed, but after%s:%s", a, b);
        if ((chunk != g->chunk[i] && !is_even(s->shape[i], chunk)) ||
            (block != g->block[i] && !is_even(chunk, block)))
            fail_msg("uneven, after%s:%s", a, b);
        longer += chunk > g->chunk[i] || (chunk == g->chunk[i] && block > g->block[i]);
        shorter += chunk < g->chunk[i] || (chunk == g->chunk[i] && block < g->block[i]);
    }
    if (longer > 1 || shorter > 1)
        fail_msg("more than a step, from%s to%s", a, b);
}

static int64_t
random_length(struct random *r)
{
    static const int64_t most[] = {2, 10, 1000, INT64_C(1) << 40};
    return 1 + (int64_t)random_below(r, (uint64_t)most[random_below(r, 4)]);
}

static void
test_neighbours(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(500, 20000); n > 0; n--) {
        struct grid_space s = {.ndim = 1 + (int)random_below(&r, n % 10 ? 4 : TESS_MAX_NDIM),
                               .typesize = 1,
                               .chunk_most = INT64_MAX,
                               .block_most = INT64_MAX};
        struct grid_step step = {0};
        struct grid g = {0}, next;
        int count = 0;

        s.fixed_chunks = random_below(&r, 4) == 0;
        s.fixed_blocks = random_below(&r, 4) == 0;
        for (int i = 0; i < s.ndim; i++) {
            s.shape[i] = random_length(&r);
            g.chunk[i] = 1 + (int64_t)random_below(&r, (uint64_t)s.shape[i]);
            if (!s.fixed_chunks) // as steps find them
                g.chunk[i] = parts(s.shape[i], parts(s.shape[i], g.chunk[i]));
            g.block[i] = 1 + (int64_t)random_below(&r, (uint64_t)g.chunk[i]);
            if (!s.fixed_blocks)
                g.block[i] = parts(g.chunk[i], parts(g.chunk[i], g.block[i]));
        }
        for (; grids_next(&s, &g, &step, &next); count++) {
            if (count > 3 * (s.ndim + 1) * (s.ndim + 1))
                fail_msg("%d neighbours of %d axes, and no end", count, s.ndim);
            check_neighbour(&s, &g, &next);
        }
        assert_true(count > 0);
    }
}

static bool
is_neighbour(const struct grid_space *s, const struct grid *g, const struct grid *wanted)
{
    struct grid_step step = {0};
    struct grid next;

    while (grids_next(s, g, &step, &next))
        if (grids_equal(s->ndim, &next, wanted))
            return true;
    return false;
}

static const struct {
    const char *what;
    const char *chunk, *block;
} around[] = {
    // 256x256x256, chunks of 64x64x64, blocks of 16x16x16
    {"shorter chunks", "32x64x64", "16x16x16"},
    {"longer chunks", "64x64x128", "16x16x16"},
    {"chunks shorter here, longer there", "64x32x128", "16x16x16"},
    {"shorter blocks", "64x64x64", "16x8x16"},
    {"longer blocks", "64x64x64", "32x16x16"},
    {"blocks shorter here, longer there", "64x64x64", "32x16x8"},
    {"both shorter", "64x64x32", "16x16x8"},
    {"both longer", "64x128x64", "16x32x16"},
    {"both shorter here, longer there", "128x64x32", "32x16x8"},
};

static void
test_all_around(void **state)
{
    const struct grid_space s = {.ndim = 3,
                                 .shape = {256, 256, 256},
                                 .typesize = 1,
                                 .chunk_most = INT64_MAX,
                                 .block_most = INT64_MAX};
    const struct grid g = {.chunk = {64, 64, 64}, .block = {16, 16, 16}};

    (void)state;
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        struct grid wanted;
        int ndim = 0;

        assert_true(shape_text(around[i].chunk, &ndim, wanted.chunk));
        assert_true(shape_text(around[i].block, &ndim, wanted.block));
        if (!is_neighbour(&s, &g, &wanted))
            fail_msg("no neighbour: %s", around[i].what);
    }
}

// -- bounds

static const struct {
    const char *what;
    const char *shape, *chunk, *block;
    int32_t typesize;
    int64_t chunk_most, block_most, block_least;
    bool fixed_chunks, fixed_blocks;
    bool valid;
} bounds[] = {
    {"a chunk of as many bytes as may be", "100", "50", "10", 2, 100, 99, 1, 0, 0, true},
    {"one byte too many", "100", "50", "10", 2, 99, 99, 1, 0, 0, false},
    {"a chunk that fits until its blocks fill it", "100", "50", "20", 2, 119, 99, 1, 0, 0, false},
    {"a chunk that fits with its padding", "100", "50", "20", 2, 120, 99, 1, 0, 0, true},
    {"a fixed chunk may be larger", "100", "50", "10", 2, 99, 99, 1, 1, 0, true},
    {"a block of as many bytes as may be", "100", "50", "10", 3, 999, 30, 1, 0, 0, true},
    {"one byte too many", "100", "50", "10", 3, 999, 29, 1, 0, 0, false},
    {"a fixed block may be larger", "100", "50", "10", 3, 999, 29, 1, 0, 1, true},
    {"one item is never too large", "100", "50", "1", 3, 999, 2, 1, 0, 0, true},
    {"a block of as few bytes as may be", "100", "50", "10", 3, 999, 99, 30, 0, 0, true},
    {"one byte too few", "100", "50", "10", 3, 999, 99, 31, 0, 0, false},
    {"a fixed block may be smaller", "100", "50", "10", 3, 999, 99, 31, 0, 1, true},
    {"few bytes, but all of the array", "5", "5", "5", 3, 999, 99, 31, 0, 0, true},
    {"few bytes, but all of a fixed chunk", "100", "5", "5", 3, 999, 99, 31, 1, 0, true},
    {"few bytes, all of a chunk that could be longer", "100", "5", "5", 3, 999, 99, 31, 0, 0,
     false},
    {"a block beyond the chunk", "100", "10", "20", 1, 999, 99, 1, 0, 0, false},
    {"the same, both fixed", "100", "10", "20", 1, 999, 99, 1, 1, 1, false},
    {"one that is longer along one axis", "9x9", "3x9", "4x1", 1, 999, 99, 1, 0, 0, false},
    {"all of an array of one item", "1", "1", "1", 300, 300, 1, 1024, 0, 0, true},
    {"16 axes", "2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", "2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2",
     "1x1x1x1x2x2x2x2x2x2x2x2x2x2x2x2", 1, 65536, 4096, 4096, 0, 0, true},
    {"too many chunks", "1099511627776", "16", "16", 1, 999, 99, 1, 0, 0, false},
    {"more chunks than can be counted", "9223372036854775807x9223372036854775807", "1x1", "1x1", 1,
     999, 99, 1, 0, 0, false},
    {"too many blocks", "1048576", "1048576", "1", 1, 1048576, 1048576, 1, 0, 0, false},
    {"more bytes than can be counted", "9223372036854775807x9", "4611686018427387904x9",
     "4611686018427387904x9", 1, INT64_MAX, INT64_MAX, 1, 0, 0, false},
};

static void
test_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct grid_space s = {.typesize = bounds[i].typesize,
                               .chunk_most = bounds[i].chunk_most,
                               .block_most = bounds[i].block_most,
                               .block_least = bounds[i].block_least,
                               .fixed_chunks = bounds[i].fixed_chunks,
                               .fixed_blocks = bounds[i].fixed_blocks};
        struct grid g;

        assert_true(shape_text(bounds[i].shape, &s.ndim, s.shape));
        assert_true(shape_text(bounds[i].chunk, &s.ndim, g.chunk));
        assert_true(shape_text(bounds[i].block, &s.ndim, g.block));
        if (grids_is_valid(&s, &g) != bounds[i].valid)
            fail_msg("%s: %s", bounds[i].what, bounds[i].valid ? "not valid" : "valid");
    }
}

// -- proposals

static const struct machine machine = {.l1 = 32 * KIB, .l2 = 1 * MIB, .l3 = 16 * MIB};

static const struct model model = {
    .l2 = 1 * MIB,
    .block = MODEL_BLOCK,
    .small_loss = MODEL_SMALL_LOSS,
    .threads = 2,
    .cache = 32 * MIB,
    .decode = 0.5e-9,
    .encode = 2e-9,
    .ratio = 3,
    .disk_speed = 1e9,
};

static const struct frequent {
    const char *shape;
    int32_t typesize;
    const char *mix;
    double latency; // of the disk, in seconds
    const char *chunks, *blocks; // fixed, or NULL
} uses[] = {
    {"1000000", 4, "full", 0, NULL, NULL},
    {"1000000", 4, "point", 0, NULL, NULL},
    {"100000007", 8, "full,box:1000*100,point*100", 0, NULL, NULL},
    {"30000000", 2, "append:0:100*1000,full", 0, NULL, NULL},
    {"2161x4320", 4, "full,plane:0*10,plane:1*10,point*100", 0, NULL, NULL},
    {"2161x4320", 4, "plane:1", 0, NULL, NULL},
    {"2161x4320", 4, "line:0*10,row,box:64x64*1000", 0, NULL, NULL},
    {"4096x4096", 1, "box:300x20*100,full", 1e-3, NULL, NULL},
    {"2161x4320", 4, "plane:1,full", 0, "541x1080", NULL},
    {"2161x4320", 4, "plane:1,full", 0, NULL, "50x100"},
    {"132x73x144", 4, "full,plane:0*10,plane:1*10,plane:2*10,point*100", 0, NULL, NULL},
    {"132x73x144", 4, "line:0", 0, NULL, NULL},
    {"132x73x144", 4, "append:0*10,line:0*100", 0, NULL, NULL},
    {"365x181x360", 4, "full,plane:0*10,line:0*1000", 0, NULL, NULL},
    {"365x181x360", 4, "box:30x30x30*100,update:1x181x360*10", 0, NULL, NULL},
    {"365x181x360", 8, "full,plane:0*10,line:0*1000", 1e-2, NULL, NULL},
    {"3x1000x1000", 2, "box:3x64x64*100,full", 0, NULL, NULL},
    {"24x17x61x90", 4, "full,plane:0*10,plane:1*10,plane:2*10,plane:3*10,point*100", 0, NULL, NULL},
    {"24x17x61x90", 4, "line:0*100,plane:0*10", 0, NULL, NULL},
    {"50x10x60x120", 4, "plane:1*10,line:0*1000,full", 0, NULL, NULL},
    {"50x10x60x120", 8, "box:5x2x30x30*100,append:0", 1e-3, NULL, NULL},
};

#define NUSES (sizeof uses / sizeof uses[0])

static void
start(const struct frequent *u, struct grid_space *s, struct mix *mix, struct model *m,
      struct grid *g)
{
    tess_access accesses[TESS_MAX_ACCESSES];
    int naccesses = 0;
    tess_params p;

    *m = model;
    m->disk_latency = u->latency;
    *s = (struct grid_space){.typesize = u->typesize,
                             .chunk_most = 16 * MIB,
                             .block_most = 2 * model.l2,
                             .block_least = 1 * KIB};
    assert_true(shape_text(u->shape, &s->ndim, s->shape));
    assert_int_equal(
        tess_access_parse(u->mix, s->ndim, s->shape, accesses, TESS_MAX_ACCESSES, &naccesses, NULL),
        TESS_OK);
    assert_int_equal(mix_init(mix, accesses, naccesses, s->ndim, s->shape, NULL), TESS_OK);

    tess_params_init(&p);
    p.typesize = s->typesize;
    p.ndim = s->ndim;
    memcpy(p.shape, s->shape, sizeof p.shape);
    blosc2_default_choose(&machine, &p);
    memcpy(g->chunk, p.chunkshape, sizeof g->chunk);
    memcpy(g->block, p.blockshape, sizeof g->block);
    if (u->chunks) {
        s->fixed_chunks = true;
        assert_true(shape_text(u->chunks, &s->ndim, g->chunk));
        memcpy(g->block, g->chunk, sizeof g->block);
        g->block[0] = 1;
    }
    if (u->blocks) {
        s->fixed_blocks = true;
        assert_true(shape_text(u->blocks, &s->ndim, g->block));
    }
}

// The next shorter length of an axis that is halved again and again, or all of it after the last.
static bool
shorten(int64_t n, int64_t *length)
{
    for (int64_t k = 1; *length > 1; k *= 2) {
        const int64_t next = k < n ? parts(n, k) : 1;

        if (next < *length) {
            *length = next;
            return true;
        }
    }
    *length = n;
    return false;
}

static bool
shorten_one(int ndim, const int64_t *whole, int64_t *lengths)
{
    for (int i = ndim - 1; i >= 0; i--)
        if (shorten(whole[i], &lengths[i]))
            return true;
    return false;
}

static double
cheapest_of_all(const struct model *m, const struct mix *mix, const struct grid_space *s,
                struct grid g, int64_t *count)
{
    double best = 0;

    *count = 0;
    if (!s->fixed_chunks)
        memcpy(g.chunk, s->shape, sizeof g.chunk);
    do {
        if (!s->fixed_blocks)
            memcpy(g.block, g.chunk, sizeof g.block);
        do {
            if (!grids_is_valid(s, &g))
                continue;
            const double cost = mix_predict(mix, m, s, &g);
            if ((*count)++ == 0 || cost < best)
                best = cost;
        } while (!s->fixed_blocks && shorten_one(s->ndim, g.chunk, g.block));
    } while (!s->fixed_chunks && shorten_one(s->ndim, s->shape, g.chunk));
    return best;
}

static void
check_order(const struct proposals *p, const struct model *m, const struct mix *mix,
            const struct grid_space *s)
{
    assert_in_range(p->count, 1, PROPOSALS_MAX);
    for (int i = 0; i < p->count; i++) {
        const struct proposal *const one = &p->items[i];

        assert_true(grids_is_valid(s, &one->grid));
        assert_true(one->predicted == mix_predict(mix, m, s, &one->grid));
        assert_true(i == 0 || p->items[i - 1].predicted <= one->predicted);
        for (int k = 0; k < i; k++)
            assert_false(grids_equal(s->ndim, &p->items[k].grid, &one->grid));
    }
}

// Steps end where no neighbour is cheaper, so they need not find the cheapest: of 400 random uses
// of arrays of 1 to 3 axes six ended more than 10 % above it, by 16 % at most.
static void
test_proposals(void **state)
{
    struct proposals *const p = malloc(sizeof *p);

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < NUSES; i++) {
        struct grid_space s;
        struct mix mix;
        struct model m;
        struct grid g;
        int64_t count = 0;

        start(&uses[i], &s, &mix, &m, &g);
        proposals_make(p, &m, &mix, &s, &g, 1);
        check_order(p, &m, &mix, &s);
        const double best = cheapest_of_all(&m, &mix, &s, g, &count);
        print_message("%s, %s: %.4f of the best of %" PRId64 "\n", uses[i].shape, uses[i].mix,
                      p->items[0].predicted / best, count);
        if (p->items[0].predicted > 1.1 * best)
            fail_msg("%s, %s: %g s, but there is one of %g s", uses[i].shape, uses[i].mix,
                     p->items[0].predicted, best);
    }
    free(p);
}

static void
test_many_axes(void **state)
{
    static const char *const mixes[] = {"full,plane:0*10,point*100", "line:15,append:0,plane:7"};
    struct proposals *const p = malloc(sizeof *p);

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        const struct frequent use = {"4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4", 4, mixes[i], 0, NULL, NULL};
        const clock_t begin = clock();
        struct grid_space s;
        struct mix mix;
        struct model m;
        struct grid g;

        start(&use, &s, &mix, &m, &g);
        proposals_make(p, &m, &mix, &s, &g, 1);
        check_order(p, &m, &mix, &s);
        print_message("%s: %.2f s\n", mixes[i], (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    free(p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_all_around),
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_proposals),
        cmocka_unit_test(test_many_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
