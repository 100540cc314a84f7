/*
 * grid_constant.c - tests of grid/constant: which items are special values, which boxes are one
 * item as their chunks say, and setting all of an array in one step.
 */
#include "grid/write/constant.h"

#include "cache/cache.h"
#include "chunk/chunk.h"
#include "frame/commit/change.h"
#include "frame/query.h"
#include "geom/walk.h"
#include "grid/write/write.h"
#include "unit/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
items(void **state)
{
    static const uint8_t zeros[16] = {0}, one[16] = {1}, late[16] = {[15] = 1};
    static const uint8_t nan4[4] = {0, 0, 0xc0, 0x7f}, nan8[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    static const struct {
        const char *what;
        const uint8_t *item;
        int32_t typesize;
        enum chunk_special want;
    } cases[] = {
        {"one byte 0", zeros, 1, SPECIAL_ZEROS},
        {"one byte 1", one, 1, SPECIAL_VALUE},
        {"16 bytes 0", zeros, 16, SPECIAL_ZEROS},
        {"the first is not", one, 16, SPECIAL_VALUE},
        {"the last is not", late, 16, SPECIAL_VALUE},
        {"NaN of 4 bytes", nan4, 4, SPECIAL_NANS},
        {"NaN of 8 bytes", nan8, 8, SPECIAL_NANS},
        {"a half of it", nan8, 4, SPECIAL_ZEROS},
        {"its bytes as 2", nan4 + 2, 2, SPECIAL_VALUE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (constant_special(cases[i].item, cases[i].typesize) != cases[i].want)
            fail_msg("%s", cases[i].what);
}

// The item that a chunk repeats may be a part of the array's, but no more than it.
static void
chunks(void **state)
{
    static uint8_t value[3] = {1, 2, 3};
    static const struct {
        struct chunk c;
        int32_t typesize;
        bool is;
        const char *want; // bytes
    } cases[] = {
        {{.h = {.special = SPECIAL_NONE, .typesize = 1}}, 1, false, NULL},
        {{.h = {.special = SPECIAL_ZEROS, .typesize = 1}}, 5, true, "\0\0\0\0\0"},
        {{.h = {.special = SPECIAL_UNINIT, .typesize = 1}}, 2, true, "\0\0"},
        {{.h = {.special = SPECIAL_NANS, .typesize = 4}}, 4, true, "\0\0\xc0\x7f"},
        {{.h = {.special = SPECIAL_NANS, .typesize = 4}}, 8, true, "\0\0\xc0\x7f\0\0\xc0\x7f"},
        {{.h = {.special = SPECIAL_NANS, .typesize = 8}}, 4, false, NULL},
        {{.h = {.special = SPECIAL_VALUE, .typesize = 3}, .item = value, .item_size = 3},
         6,
         true,
         "\1\2\3\1\2\3"},
        {{.h = {.special = SPECIAL_VALUE, .typesize = 3}, .item = value, .item_size = 3},
         4,
         false,
         NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t item[8];
        if (constant_chunk(&cases[i].c, cases[i].typesize, item) != cases[i].is)
            fail_msg("case %zu", i);
        if (cases[i].is)
            assert_memory_equal(item, cases[i].want, (size_t)cases[i].typesize);
    }
}

// What each chunk is: one item, which is not zeros and not 0 only where it is stored; or not.
enum content { MIXED = -1 };

struct chunky {
    struct scene s;
    int is[20000]; // a byte that all bytes are, or MIXED
};

static void
chunky_init(struct chunky *c, struct random *r)
{
    static const int64_t zero[NDIM_MAX] = {0};
    struct walk w;
    tess_params p;
    scene_params(r, 3, &p);
    p.dtype = NULL;
    scene_new(&c->s, &p, NULL, SCENE_ZEROS, r);
    const struct geometry *const g = c->s.a->g;
    const uint64_t kinds = 1 + random_below(r, 4);
    assert_true(g->nchunks <= 20000);
    frame_begin(c->s.a->grid->frame);
    for (bool more = walk_chunks(&w, g, &(struct box){zero, g->shape, NULL}); more;
         more = walk_next(&w)) {
        int64_t start[NDIM_MAX], stop[NDIM_MAX], count[NDIM_MAX];
        static const int kind[] = {0, 7, MIXED, 9};
        c->is[w.index] = kind[random_below(r, kinds)];
        for (int i = 0; i < g->ndim; i++) {
            start[i] = w.at[i] * g->chunkshape[i];
            stop[i] = start[i] + w.hi[i];
        }
        const int64_t n = scene_counts(g->ndim, start, stop, NULL, count);
        if (c->is[w.index] == MIXED && n == 1)
            c->is[w.index] = 0; // one item is one
        if (c->is[w.index] == 0)
            continue;
        uint8_t *const bytes = malloc((size_t)(n * g->typesize));
        assert_non_null(bytes);
        random_bytes(r, bytes, (size_t)(n * g->typesize));
        bytes[0] = 1;
        bytes[(n - 1) * g->typesize] = 2;
        if (c->is[w.index] != MIXED)
            memset(bytes, c->is[w.index], (size_t)(n * g->typesize));
        struct box_memory_const src = {.items = bytes};
        shape_strides(g->ndim, count, g->typesize, src.stride);
        ok(grid_write(c->s.a->grid, &(struct box){start, stop, NULL}, &src, NULL, NULL, err));
        scene_scatter(&c->s.ref, start, stop, NULL, &src);
        free(bytes);
    }
    frame_keep(c->s.a->grid->frame);
}

// What the chunks that have items of a box are together.
static int
box_is(const struct chunky *c, const int64_t *start, const int64_t *stop, const int64_t *step)
{
    const struct geometry *const g = c->s.a->g;
    int64_t count[NDIM_MAX], at[NDIM_MAX] = {0};
    int is = -2;
    scene_counts(g->ndim, start, stop, step, count);
    do {
        int64_t n = 0;
        for (int i = 0; i < g->ndim; i++)
            n = n * g->grid[i] + (start[i] + at[i] * (step ? step[i] : 1)) / g->chunkshape[i];
        if (is != -2 && is != c->is[n])
            return MIXED;
        is = c->is[n];
    } while (is != MIXED && scene_next(g->ndim, count, at));
    return is;
}

static void
boxes(void **state)
{
    static struct chunky c;
    int found[11] = {0};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        chunky_init(&c, &r);
        const struct geometry *const g = c.s.a->g;
        for (int k = 0; k < 10; k++) {
            int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX];
            uint8_t item[16];
            bool listed, stored;
            scene_box(&r, g->ndim, g->shape, start, stop);
            const bool steps = random_below(&r, 2);
            if (steps)
                scene_steps(&r, g->ndim, start, stop, step);
            const int want = box_is(&c, start, stop, steps ? step : NULL);
            ok(constant_box(c.s.a->grid, &(struct box){start, stop, steps ? step : NULL},
                            CONSTANT_LISTED, NULL, item, &listed, err));
            assert_int_equal(listed, want == 0);
            ok(constant_box(c.s.a->grid, &(struct box){start, stop, steps ? step : NULL},
                            CONSTANT_STORED, NULL, item, &stored, err));
            assert_int_equal(stored, want != MIXED);
            if (stored)
                for (int32_t b = 0; b < g->typesize; b++)
                    assert_int_equal(item[b], want);
            found[want + 1]++;
        }
        scene_close(&c.s);
    }
    assert_true(found[0] > 0 && found[1] > 0 && found[8] > 0);
}

// While a block waits to be written back, the chunks do not say what the items are.
static void
dirty(void **state)
{
    static const int64_t start = 0, stop = 100;
    struct random r;
    struct scene s;
    tess_params p;
    uint8_t item;
    bool is;
    (void)state;
    random_init(&r, random_seed());
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 100;
    scene_new(&s, &p, NULL, SCENE_ZEROS, &r);
    ok(constant_box(s.a->grid, &(struct box){&start, &stop, NULL}, CONSTANT_LISTED, NULL, &item,
                    &is, err));
    assert_true(is);
    const int64_t at = 50, behind = 51;
    ok(tess_array_write(s.a, &at, &behind, "x", 1, err));
    s.ref.data[50] = 'x';
    assert_true(cache_dirty_size(s.a->grid->cache) > 0);
    ok(constant_box(s.a->grid, &(struct box){&start, &stop, NULL}, CONSTANT_STORED, NULL, &item,
                    &is, err));
    assert_false(is);
    scene_check_stored(&s);
    scene_close(&s);
}

static void
all_at_once(void **state)
{
    static struct chunky c;
    struct random r;
    int did = 0, did_not = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(200, 20000); i > 0; i--) {
        int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX], step[NDIM_MAX];
        uint8_t item[16];
        bool done, same, all = true, zeros = true;
        chunky_init(&c, &r);
        const struct geometry *const g = c.s.a->g;
        struct frame *const f = c.s.a->grid->frame;
        memcpy(stop, g->shape, sizeof stop);
        if (random_below(&r, 2))
            scene_box(&r, g->ndim, g->shape, start, stop);
        const bool steps = random_below(&r, 3) == 0;
        if (steps)
            scene_steps(&r, g->ndim, start, stop, step);
        memset(item, random_below(&r, 3) == 0 ? 3 : 0, sizeof item);
        for (int k = 0; k < g->ndim; k++)
            all = all && start[k] == 0 && stop[k] == g->shape[k] && (!steps || step[k] == 1);
        for (int64_t n = 0; n < g->nchunks; n++)
            zeros = zeros && frame_special(f, n) == SPECIAL_ZEROS;
        const int64_t *const by = steps ? step : NULL;
        const bool uniform = frame_is_uniform(f);
        frame_begin(f);
        ok(constant_set_all(c.s.a->grid, &(struct box){start, stop, by}, item, &done, err));
        frame_keep(f);
        same = item[0] == 0 && (all || (zeros && uniform));
        assert_int_equal(done, same);
        if (done) {
            const struct box_memory_const src = {.items = item};
            scene_scatter(&c.s.ref, start, stop, by, &src);
        }
        did += done;
        did_not += !done;
        scene_check_stored(&c.s);
        scene_close(&c.s);
    }
    assert_true(did > 0 && did_not > 0);
}

// One chunk, put many times; it reads as its item, and takes no more than that and a header.
static void
put(void **state)
{
    static const uint8_t zeros[16] = {0}, nan4[4] = {0, 0, 0xc0, 0x7f};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(100, 5000); i > 0; i--) {
        struct scene s;
        struct constant c;
        uint8_t item[16];
        scene_random(&s, &r, NULL, SCENE_NOISE);
        const struct geometry *const g = s.a->g;
        random_bytes(&r, item, sizeof item);
        if (random_below(&r, 3) == 0)
            memcpy(item, zeros, sizeof item);
        else if (g->typesize == 4 && random_below(&r, 2))
            memcpy(item, nan4, sizeof nan4);
        assert_true(constant_pays(item, g)); // items are narrow here
        ok(constant_init(&c, s.a->grid, item, err));
        assert_int_equal(c.special, constant_special(item, g->typesize));
        assert_true(c.special != SPECIAL_VALUE || c.size == g->typesize + 32);
        frame_begin(s.a->grid->frame);
        for (int64_t n = 0; n < g->nchunks; n++)
            ok(constant_put(s.a->grid, NULL, n, &c, err));
        frame_keep(s.a->grid->frame);
        cache_forget_from(s.a->grid->cache, 0);
        constant_finish(&c);
        assert_null(c.bytes);
        reference_fill(&s.ref, item);
        scene_check_stored(&s);
        scene_close(&s);
    }
}

// A wide item in few blocks takes less as a block.
static void
pays(void **state)
{
    static const uint8_t wide[300] = {1}, zeros[300] = {0};
    const int64_t shape = 64, block = 4;
    struct geometry g;
    (void)state;
    ok(geometry_init(&g, 1, &shape, &shape, &shape, 300, TESS_ERR_ARG, err));
    assert_false(constant_pays(wide, &g));
    assert_true(constant_pays(zeros, &g));
    ok(geometry_init(&g, 1, &shape, &shape, &shape, 64, TESS_ERR_ARG, err));
    assert_true(constant_pays(wide, &g));
    ok(geometry_init(&g, 1, &shape, &shape, &block, 128, TESS_ERR_ARG, err));
    assert_true(constant_pays(wide, &g)); // 16 blocks of 8 bytes
    ok(geometry_init(&g, 1, &shape, &shape, &block, 129, TESS_ERR_ARG, err));
    assert_false(constant_pays(wide, &g));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items), cmocka_unit_test(chunks),      cmocka_unit_test(boxes),
        cmocka_unit_test(dirty), cmocka_unit_test(all_at_once), cmocka_unit_test(put),
        cmocka_unit_test(pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
