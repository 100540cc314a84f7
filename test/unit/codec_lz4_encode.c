/*
 * codec_lz4_encode.c - our LZ4 encoder: what it writes is what the library reads, never more than
 * the room it is given, and the same whatever the processor.
 *
 * Input and output lie at one end or the other of guarded memory: a byte beyond kills the program.
 */

// The encoder in plain C, beside that for this machine.
#pragma push_macro("__SSE2__")
#pragma push_macro("__aarch64__")
#undef __SSE2__
#undef __aarch64__
#define lz4_encode lz4_encode_plain
#include "codec/lz4/lz4_encode.c"
#undef lz4_encode
#pragma pop_macro("__SSE2__")
#pragma pop_macro("__aarch64__")

#include "codec/codec.h"
#include "codec/lz4/lz4_decode.h"

#include "support/guard.h"
#include "support/random.h"

#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

size_t lz4_encode(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size,
                  unsigned acceleration, uint16_t *table);

enum { SIZE = LZ4_ENCODE_MAX, ROOM = SIZE + SIZE / 255 + 200, SMALL = 2000 };

static struct random r;
static struct guard in, out;
static uint8_t *first, *back;
static uint16_t *table;

static int
setup(void **state)
{
    (void)state;
    random_init(&r, random_seed());
    guard_init(&in, SIZE);
    guard_init(&out, ROOM);
    first = malloc(ROOM);
    back = malloc(SIZE);
    table = malloc(LZ4_TABLE_SIZE * sizeof *table);
    return first && back && table ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    free(table);
    free(back);
    free(first);
    guard_finish(&out);
    guard_finish(&in);
    return 0;
}

static size_t
pick(size_t below)
{
    return (size_t)random_below(&r, below);
}

// A plane of bytes: few values, runs of each, now and then something else.
static void
make_plane(uint8_t *dst, size_t size)
{
    const size_t kinds = 1 + pick(12), mean = 1 + pick(20), odd = 1 + pick(200);
    for (size_t i = 0; i < size;) {
        const uint8_t value = (uint8_t)(pick(odd) ? 60 + pick(kinds) : pick(256));
        for (size_t n = 1 + pick(mean); n > 0 && i < size; n--)
            dst[i++] = value;
    }
}

static void
make(uint8_t *dst, size_t size)
{
    switch (pick(6)) {
    case 0:
        random_bytes(&r, dst, size);
        break;
    case 1:
        memset(dst, (int)pick(256), size);
        break;
    case 2: // noise, and what comes again at some distance
        random_bytes(&r, dst, size);
        if (size > 10)
            memcpy(dst + size / 2, dst + pick(size / 4), size / 4);
        break;
    case 3:
        make_plane(dst, size);
        break;
    default:
        random_repetitive(&r, dst, size);
        break;
    }
}

typedef size_t encode_fn(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size,
                         unsigned acceleration, uint16_t *table);

// Whatever the table held before.
static size_t
encode(encode_fn *f, const uint8_t *src, size_t size, uint8_t *dst, size_t room,
       unsigned acceleration)
{
    random_bytes(&r, (uint8_t *)table, LZ4_TABLE_SIZE * sizeof *table);
    return f(src, size, dst, room, acceleration, table);
}

static void
assert_decodes(const uint8_t *block, size_t n, const uint8_t *src, size_t size)
{
    static const struct lz4_dict none = {0};
    assert_int_equal(LZ4_decompress_safe((const char *)block, (char *)back, (int)n, SIZE), size);
    assert_memory_equal(back, src, size);
    memset(back, 0, size);
    if (size > 0)
        assert_true(lz4_decode(block, n, &none, back, size, size));
    assert_memory_equal(back, src, size);
}

static void
check(size_t size)
{
    uint8_t *const src = guard_end(&in, size, &r);
    const unsigned acceleration = 1 + (unsigned)pick(9);
    make(src, size);
    const size_t n = encode(lz4_encode, src, size, first, ROOM, acceleration);
    assert_in_range(n, 1, size + size / 255 + 16);
    assert_decodes(first, n, src, size);

    const size_t rooms[] = {n + CODEC_SLACK, pick(n), pick(n + CODEC_SLACK)};
    for (int i = 0; i < 6; i++) {
        const size_t room = rooms[i / 2];
        uint8_t *const dst = guard_end(&out, room, &r);
        const size_t m =
            encode(i % 2 ? lz4_encode : lz4_encode_plain, src, size, dst, room, acceleration);
        if (i < 2)
            assert_int_equal(m, n);
        else if (room < n)
            assert_int_equal(m, 0);
        else
            assert_true(m == n || m == 0);
        if (m > 0)
            assert_memory_equal(dst, first, n);
    }
}

static void
small_streams(void **state)
{
    (void)state;
    for (size_t size = 0; size < SMALL; size++)
        check(size);
}

static void
streams_of_any_size(void **state)
{
    (void)state;
    for (int64_t i = random_cases(600, 200000); i > 0; i--)
        check(pick(i % 4 ? 6000 : SIZE + 1));
    check(SIZE);
}

// The end of a block is where decoders differ in what they take.
static void
matches_up_to_the_end(void **state)
{
    (void)state;
    for (size_t size = 12; size < 400; size++) {
        uint8_t *const src = guard_tail(&in, size);
        const size_t period = 1 + pick(size / 2);
        random_bytes(&r, src, period);
        for (size_t i = period; i < size; i++)
            src[i] = src[i - period];
        const size_t n = encode(lz4_encode, src, size, first, ROOM, 1);
        assert_decodes(first, n, src, size);
        assert_true(size < 100 + 2 * period || n < size / 2 + period);
    }
}

// In a dense plane matches are worth it; noise has none.
static void
sizes_are_as_they_should_be(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        const size_t size = 4000 + pick(20000);
        uint8_t *const src = guard_end(&in, size, &r);
        for (size_t k = 0; k < size; k++)
            src[k] = (uint8_t)(k % 64 < 60 ? k % 64 : pick(256));
        assert_true(encode(lz4_encode, src, size, first, ROOM, 1 + (unsigned)pick(5)) < size / 3);
        random_bytes(&r, src, size);
        assert_true(encode(lz4_encode, src, size, first, ROOM, 1) >= size);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_streams),
        cmocka_unit_test(streams_of_any_size),
        cmocka_unit_test(matches_up_to_the_end),
        cmocka_unit_test(sizes_are_as_they_should_be),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
