/*
 * codec_zfp.c - ZFP: bounds that are kept, blocks that cannot be, and damaged streams.
 */
#include "base/bytes.h"
#include "codec/codec.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NTURNS = 300 };

static int64_t
nitems_of(const struct block_grid *g)
{
    int64_t n = 1;
    for (int i = 0; i < g->ndim; i++)
        n *= g->shape[i];
    return n;
}

static struct block_grid
random_grid(struct random *r)
{
    struct block_grid g = {.ndim = 1 + (int)random_below(r, 4),
                           .typesize = random_below(r, 2) ? 4 : 8};
    for (int i = 0; i < g.ndim; i++)
        g.shape[i] = 4 + (int32_t)random_below(r, g.ndim == 1 ? 200 : g.ndim < 4 ? 8 : 3);
    return g;
}

// Items are little-endian on any machine.
static double
item(const struct block_grid *g, const uint8_t *items, int64_t i)
{
    return g->typesize == 4 ? (double)get_f32le(items + i * 4) : get_f64le(items + i * 8);
}

static void
set_item(const struct block_grid *g, uint8_t *items, int64_t i, double d)
{
    if (g->typesize == 4)
        put_f32le(items + i * 4, (float)d);
    else
        put_f64le(items + i * 8, d);
}

// A smooth block, in memory of exactly its size.
static uint8_t *
make_block(struct random *r, const struct block_grid *g)
{
    const size_t size = (size_t)(nitems_of(g) * g->typesize);
    const double scale = 1 + (double)random_below(r, 1000);
    uint8_t *const items = malloc(size);
    assert_non_null(items);
    for (int64_t i = 0; i < nitems_of(g); i++)
        set_item(g, items, i, scale * sin((double)i / 9) + (double)random_below(r, 100) / 1e4);
    return items;
}

// Each mode with parameters that it can have.
static int
random_meta(struct random *r, int id)
{
    if (id == TESS_CODEC_ZFP_ACCURACY)
        return (uint8_t)(int8_t)((int)random_below(r, 6) - 4);
    return id == TESS_CODEC_ZFP_PRECISION ? (int)random_below(r, 256)
                                          : 1 + (int)random_below(r, 100);
}

// Not with fmax(): gcc 12 crashes when it makes vectors of that loop for aarch64.
static double
largest_error(const struct block_grid *g, const uint8_t *items, const uint8_t *expected)
{
    double worst = 0;
    for (int64_t i = 0; i < nitems_of(g); i++) {
        const double error = fabs(item(g, items, i) - item(g, expected, i));
        if (error > worst)
            worst = error;
    }
    return worst;
}

static void
keeps_its_bounds(void **state)
{
    struct random r;
    int smaller = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int turn = 0; turn < NTURNS; turn++) {
        const int id = TESS_CODEC_ZFP_ACCURACY + turn % 3;
        const struct codec *const c = codec_by_id(id);
        const struct block_grid g = random_grid(&r);
        const struct codec_call call = {
            .codec = c, .level = 5, .meta = random_meta(&r, id), .grid = &g};
        const size_t size = (size_t)(nitems_of(&g) * g.typesize);
        uint8_t *const block = make_block(&r, &g), *const back = malloc(size),
                       *const packed = malloc(size);
        size_t n;
        tess_error err = {0};

        assert_true(back && packed);
        assert_int_equal(c->check(&call, (int32_t)size, &err), TESS_OK);
        assert_int_equal(c->encode(&call, block, size, packed, size - 1, &n, &err), TESS_OK);
        assert_true(n < size && n % 8 == 0);
        if (n > 0) {
            uint8_t *const stream = exact_copy(packed, n);
            if (c->decode(&call, stream, n, back, size, &err) != TESS_OK)
                fail_msg("%s", err.message);
            if (id == TESS_CODEC_ZFP_ACCURACY)
                assert_true(largest_error(&g, back, block) <= pow(10, (int8_t)call.meta));
            free(stream);
            smaller++;
        }
        if (id == TESS_CODEC_ZFP_RATE && call.meta >= 10 && call.meta <= 50) {
            int64_t cells = 1; // of 4 items along each axis, the last cut off
            for (int i = 0; i < g.ndim; i++)
                cells *= (g.shape[i] + 3) / 4;
            const double bits =
                (double)cells *
                floor((double)(1 << 2 * g.ndim) * call.meta / 100 * 8 * g.typesize + 0.5);
            const size_t expected = (size_t)((bits + 63) / 64) * 8;
            if (n > 0)
                assert_int_equal(n, expected);
            else
                assert_true(expected >= size);
        }
        free(block);
        free(back);
        free(packed);
    }
    assert_true(smaller > NTURNS / 4);
}

// Item (i, k) of a block of 4 x 8, and streams that bring all of them back exactly.
static double
item_of_stream(int64_t n)
{
    const double i = (double)(n / 8), k = (double)(n % 8);
    return 100 + 1.5 * i - 0.25 * k * k;
}

static const struct {
    int id, meta;
    int32_t typesize;
    const char *bytes;
} streams[] = {
    {TESS_CODEC_ZFP_ACCURACY, 255, 4, "0dad68ddb4a60000 0000686885bd92d6 1400000000000000"},
    {TESS_CODEC_ZFP_ACCURACY, 255, 8, "0d6845eba6350500 000040035a61afa4 3505000000000000"},
    {TESS_CODEC_ZFP_PRECISION, 10, 4, "0dad68ddb4a60000 0000686885bd92d6 1400000000000000"},
    {TESS_CODEC_ZFP_PRECISION, 10, 8, "0d6845eba6350500 000040035a61afa4 3505000000000000"},
    {TESS_CODEC_ZFP_RATE, 20, 4,
     "0dad68ddb4a60000 0000000040432bec 95b4a60000000000 0000000000000000"},
    {TESS_CODEC_ZFP_RATE, 20, 8,
     "0d6845eba6350500 0000000000000000 0000000000000000 00a001adb057d29a"
     "0200000000000000 0000000000000000 0000000000000000"},
};

// Streams and items are those of the format in whichever byte order the machine has.
static void
reads_bytes_of_the_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        const struct block_grid g = {.ndim = 2, .typesize = streams[i].typesize, .shape = {4, 8}};
        const struct codec_call call = {
            .codec = codec_by_id(streams[i].id), .level = 5, .meta = streams[i].meta, .grid = &g};
        const size_t size = 32 * (size_t)g.typesize;
        size_t n = 0, packed_size = 0;
        uint8_t *const stream = hex_bytes(streams[i].bytes, &n), *const back = malloc(size),
                       *const packed = malloc(size);

        assert_true(back && packed);
        for (int turn = 0; turn < 2; turn++) {
            assert_int_equal(call.codec->decode(&call, turn ? packed : stream,
                                                turn ? packed_size : n, back, size, NULL),
                             TESS_OK);
            for (int64_t k = 0; k < 32; k++)
                if (item(&g, back, k) != item_of_stream(k))
                    fail_msg("stream %zu, item %" PRId64 ": %g, not %g", i, k, item(&g, back, k),
                             item_of_stream(k));
            assert_int_equal(
                call.codec->encode(&call, back, size, packed, size - 1, &packed_size, NULL),
                TESS_OK);
            assert_int_equal(packed_size, n);
        }
        free(stream);
        free(back);
        free(packed);
    }
}

// More bits, more precision.
static void
precision_grows(void **state)
{
    const struct block_grid g = {.ndim = 2, .typesize = 8, .shape = {12, 20}};
    const struct codec *const c = codec_by_id(TESS_CODEC_ZFP_PRECISION);
    uint8_t packed[1920], back[1920];
    double last = INFINITY;
    struct random r;
    (void)state;
    random_init(&r, 1);
    uint8_t *const block = make_block(&r, &g);
    for (int meta = 0; meta <= 32; meta += 8) {
        const struct codec_call call = {.codec = c, .level = 5, .meta = meta, .grid = &g};
        size_t n;
        assert_int_equal(c->encode(&call, block, 1920, packed, 1919, &n, NULL), TESS_OK);
        assert_true(n > 0);
        assert_int_equal(c->decode(&call, packed, n, back, 1920, NULL), TESS_OK);
        const double worst = largest_error(&g, back, block);
        assert_true(worst < last / 8);
        last = worst;
    }
    free(block);
}

// ZFP has no place for them: the block stays as it is.
static void
leaves_what_is_not_finite(void **state)
{
    static const double strangers[] = {NAN, INFINITY, -INFINITY};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int turn = 0; turn < 30; turn++) {
        const int id = TESS_CODEC_ZFP_ACCURACY + turn % 3;
        const struct block_grid g = random_grid(&r);
        const struct codec_call call = {
            .codec = codec_by_id(id), .meta = id == TESS_CODEC_ZFP_RATE ? 30 : 1, .grid = &g};
        const size_t size = (size_t)(nitems_of(&g) * g.typesize);
        uint8_t *const block = make_block(&r, &g), *const packed = malloc(size);
        size_t n = 1;
        assert_non_null(packed);
        set_item(&g, block, (int64_t)random_below(&r, (uint64_t)nitems_of(&g)),
                 strangers[turn / 3 % 3]);
        assert_int_equal(call.codec->encode(&call, block, size, packed, size - 1, &n, NULL),
                         TESS_OK);
        assert_int_equal(n, 0);
        free(block);
        free(packed);
    }
}

static const struct {
    const char *what;
    int id, meta;
    int32_t size;
    struct block_grid grid;
    tess_status status;
} calls[] = {
    {"4 dimensions", 33, 0, 1024, {4, 4, {4, 4, 4, 4}}, TESS_OK},
    {"5 dimensions", 33, 0, 4096, {5, 4, {4, 4, 4, 4, 4}}, TESS_ERR_ARG},
    {"no dimension", 33, 0, 4, {0, 4, {0}}, TESS_ERR_ARG},
    {"an axis of 3", 34, 0, 48, {2, 4, {4, 3}}, TESS_ERR_ARG},
    {"items of 2 bytes", 33, 0, 8, {1, 2, {4}}, TESS_ERR_ARG},
    {"another size", 33, 0, 20, {1, 4, {4}}, TESS_ERR_ARG},
    {"rate 0", 35, 0, 16, {1, 4, {4}}, TESS_ERR_ARG},
    {"rate 1", 35, 1, 16, {1, 4, {4}}, TESS_OK},
    {"rate 100", 35, 100, 16, {1, 4, {4}}, TESS_OK},
    {"rate 101", 35, 101, 16, {1, 4, {4}}, TESS_ERR_ARG},
    {"more than 2^31 bytes", 33, 0, 0, {4, 8, {65536, 65536, 65536, 65536}}, TESS_ERR_ARG},
};

static void
tells_what_can_be(void **state)
{
    uint8_t src[16] = {0}, dst[16];
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct codec_call call = {
            .codec = codec_by_id(calls[i].id), .meta = calls[i].meta, .grid = &calls[i].grid};
        tess_error err = {0};
        if (call.codec->check(&call, calls[i].size, &err) != calls[i].status)
            fail_msg("%s: %s", calls[i].what, err.message);
    }
    const struct codec_call none = {.codec = codec_by_id(TESS_CODEC_ZFP_ACCURACY)};
    assert_int_equal(none.codec->check(&none, 16, NULL), TESS_ERR_ARG);
    assert_int_equal(none.codec->decode(&none, src, 16, dst, 16, NULL), TESS_ERR_CORRUPT);
}

// Whatever the bytes are, decoding stays inside them and the block.
static void
survives_mutations(void **state)
{
    struct random r;
    int valid = 0, refused = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int turn = 0; turn < 10 * NTURNS; turn++) {
        const int id = TESS_CODEC_ZFP_ACCURACY + turn % 3;
        const struct block_grid g = random_grid(&r);
        const struct codec_call call = {
            .codec = codec_by_id(id), .level = 5, .meta = random_meta(&r, id), .grid = &g};
        const struct codec_call any = {
            .codec = call.codec, .meta = (int)random_below(&r, 256), .grid = &g};
        const size_t size = (size_t)(nitems_of(&g) * g.typesize);
        uint8_t *const block = make_block(&r, &g), *const packed = malloc(size);
        size_t n;
        assert_non_null(packed);
        assert_int_equal(call.codec->encode(&call, block, size, packed, size - 1, &n, NULL),
                         TESS_OK);
        if (n == 0 || turn % 4 == 0)
            random_bytes(&r, packed, n = 1 + random_below(&r, size));
        if (turn % 4 == 1)
            n = 1 + random_below(&r, n);
        if (turn % 4 == 2)
            packed[random_below(&r, n)] ^= (uint8_t)(1 + random_below(&r, 255));
        uint8_t *const stream = exact_copy(packed, n);
        const tess_status st =
            call.codec->decode(turn % 8 < 4 ? &call : &any, stream, n, block, size, NULL);
        assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT);
        valid += st == TESS_OK;
        refused += st != TESS_OK;
        free(stream);
        free(block);
        free(packed);
    }
    assert_true(valid > NTURNS && refused > NTURNS); // both outcomes were seen
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_its_bounds),  cmocka_unit_test(reads_bytes_of_the_format),
        cmocka_unit_test(precision_grows),   cmocka_unit_test(leaves_what_is_not_finite),
        cmocka_unit_test(tells_what_can_be), cmocka_unit_test(survives_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
