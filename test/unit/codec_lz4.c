/*
 * codec_lz4.c - our LZ4 decoder with the loop of every machine hidden in this one, against the
 * library: the same verdicts and bytes.
 *
 * Input and output lie at one end or the other of guarded memory: a byte beyond kills the program.
 */
#include "base/cpu.h"
#include "codec/lz4/lz4_decode.h"

#include "support/guard.h"
#include "support/random.h"

#include <lz4.h>
#include <lz4hc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 70000, STREAM = SIZE + SIZE / 8 + 100, SMALL = 400, LOOPS_MAX = 8 };

static lz4_loop_fn *loops[LOOPS_MAX];
static int nloops;

static struct random r;
static struct guard in, out;
static uint8_t *data, *stream, *whole;

static void
collect_loops(void)
{
    const unsigned have = cpu_mask();
    for (unsigned cpu = have;; cpu = (cpu - 1) & have) {
        lz4_loop_fn *const loop = lz4_loop_for(cpu);
        bool known = false;
        for (int i = 0; i < nloops; i++)
            known |= loops[i] == loop;
        if (!known) {
            assert_in_range(nloops, 0, LOOPS_MAX - 1);
            loops[nloops++] = loop;
        }
        if (cpu == 0)
            break;
    }
}

static int
setup(void **state)
{
    (void)state;
    collect_loops();
    random_init(&r, random_seed());
    guard_init(&in, STREAM);
    guard_init(&out, SIZE);
    data = malloc(SIZE);
    stream = malloc(STREAM);
    whole = malloc(SIZE);
    return data && stream && whole ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    free(whole);
    free(stream);
    free(data);
    guard_finish(&out);
    guard_finish(&in);
    return 0;
}

static size_t
pick(size_t below)
{
    return (size_t)random_below(&r, below);
}

static bool
library_takes(size_t n, size_t size)
{
    return LZ4_decompress_safe((const char *)stream, (char *)whole, (int)n, (int)size) == (int)size;
}

static bool
decode(lz4_loop_fn *loop, size_t n, uint8_t *dst, size_t need, size_t size)
{
    static const struct lz4_dict none = {0};
    uint8_t *const src = guard_end(&in, n, &r);

    memcpy(src, stream, n);
    memset(dst, 0xee, size);
    return lz4_decode_with(loop, src, n, &none, dst, need, size);
}

// All of the stream: as the library says. A part: at least where the library takes the whole.
static void
check(size_t n, size_t need, size_t size, bool good)
{
    for (int i = 0; i < nloops; i++) {
        uint8_t *const dst = guard_end(&out, size, &r);
        const bool took = decode(loops[i], n, dst, need, size);
        if (took != good && (good || need == size))
            fail_msg("loop %d, %zu of %zu bytes, a stream of %zu: %s", i, need, size, n,
                     took ? "taken" : "refused");
        if (good && memcmp(dst, whole, need) != 0)
            fail_msg("loop %d, %zu of %zu bytes, a stream of %zu: other bytes", i, need, size, n);
    }
}

static size_t
encode(size_t size)
{
    const char *const src = (const char *)data;
    return (
        size_t)(pick(3)
                    ? LZ4_compress_fast(src, (char *)stream, (int)size, STREAM, 1 + (int)pick(9))
                    : LZ4_compress_HC(src, (char *)stream, (int)size, STREAM, 1 + (int)pick(12)));
}

static void
streams_of_encoders(void **state)
{
    (void)state;
    for (int64_t i = random_cases(600, 20000); i > 0; i--) {
        const size_t size = 1 + pick(i % 4 ? 5000 : SIZE - 1);
        random_repetitive(&r, data, size);
        const size_t n = encode(size);
        assert_true(library_takes(n, size));
        assert_memory_equal(whole, data, size);
        check(n, size, size, true);
        for (int k = 0; k < 10; k++)
            check(n, 1 + pick(size), size, true);
    }
}

static void
damaged_streams(void **state)
{
    int64_t taken = 0, refused = 0;

    (void)state;
    for (int64_t i = random_cases(20000, 1000000); i > 0; i--) {
        size_t size = 1 + pick(i % 8 ? SMALL : 5000);
        random_repetitive(&r, data, size);
        size_t n = encode(size);
        for (size_t k = pick(4); k > 0; k--)
            stream[pick(n)] = (uint8_t)(pick(2) ? pick(256) : 255 * pick(2));
        if (pick(4) == 0)
            n = 1 + pick(n);
        if (pick(8) == 0)
            size = 1 + pick(size + size / 8);
        const bool good = library_takes(n, size);
        taken += good;
        refused += !good;
        check(n, size, size, good);
        check(n, 1 + pick(size), size, good);
    }
    assert_true(taken > refused / 100 && refused > taken / 100);
}

// Bytes that no encoder made: short sequences, distances that are often right.
static void
streams_of_noise(void **state)
{
    int64_t taken = 0;

    (void)state;
    for (int64_t i = random_cases(20000, 1000000); i > 0; i--) {
        size_t n = 0, made = 0;
        while (n < SMALL && pick(30) > 0) {
            const size_t literals = pick(pick(4) ? 4 : 15), length = pick(pick(4) ? 8 : 15);
            const size_t distance = pick(10) ? 1 + pick(made + literals + 1) : pick(70);
            stream[n++] = (uint8_t)(literals << 4 | length);
            random_bytes(&r, stream + n, literals);
            n += literals;
            stream[n++] = (uint8_t)distance;
            stream[n++] = (uint8_t)(distance >> 8);
            made += literals + length + 4;
        }
        const size_t last = pick(15);
        stream[n++] = (uint8_t)(last << 4);
        random_bytes(&r, stream + n, last);
        n += last;
        made += last;
        const size_t size = made > 0 ? made : 1;
        const bool good = library_takes(n, size);
        taken += good;
        check(n, size, size, good);
        check(n, 1 + pick(size), size, good);
    }
    assert_true(taken > 1000);
}

// An LZ4 block by hand: so many literals, a match, `tail` literals.
static size_t
put_block(size_t literals, size_t distance, size_t length, size_t tail)
{
    const size_t parts[][2] = {{literals, length - 4}, {tail, 0}};
    size_t n = 0;

    for (int i = 0; i < 2; i++) {
        const size_t run = parts[i][0], more = parts[i][1];
        stream[n++] = (uint8_t)((run < 15 ? run : 15) << 4 | (more < 15 ? more : 15));
        if (run >= 15) {
            memset(stream + n, 255, (run - 15) / 255);
            n += (run - 15) / 255;
            stream[n++] = (uint8_t)((run - 15) % 255);
        }
        random_bytes(&r, stream + n, run);
        n += run;
        if (i == 1)
            break;
        stream[n++] = (uint8_t)distance;
        stream[n++] = (uint8_t)(distance >> 8);
        if (more >= 15) {
            memset(stream + n, 255, (more - 15) / 255);
            n += (more - 15) / 255;
            stream[n++] = (uint8_t)((more - 15) % 255);
        }
    }
    return n;
}

// 0 is no distance, but the library makes zeros of it.
static void
any_distance_and_length(void **state)
{
    (void)state;
    for (size_t distance = 0; distance <= 70; distance++)
        for (size_t length = 4; length <= 700; length += length < 60 ? 1 : 41) {
            const size_t literals = (distance > 0 ? distance : 1) + (pick(2) ? pick(700) : 0);
            const size_t tail = 12 + pick(pick(2) ? 10 : 200);
            const size_t size = literals + length + tail;
            const size_t n = put_block(literals, distance, length, tail);
            const size_t edges[] = {1,
                                    literals,
                                    literals + 1,
                                    literals + length - 1,
                                    literals + length,
                                    literals + length + 1,
                                    size - 1,
                                    size};
            assert_true(library_takes(n, size));
            for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++)
                check(n, edges[k], size, true);
        }
}

static const struct {
    const char *why;
    size_t size;
    uint8_t bytes[8];
    size_t need, out_size;
    bool good;
} cases[] = {
    {"nothing", 0, {0}, 1, 1, false},
    {"one literal", 2, {0x10, 'a'}, 1, 1, true},
    {"one literal of two", 3, {0x20, 'a', 'b'}, 1, 2, true},
    {"the second is missing, the first enough", 2, {0x20, 'a'}, 1, 2, true},
    {"the second is missing", 2, {0x20, 'a'}, 2, 2, false},
    {"a length without its byte", 1, {0xf0}, 1, 20, false},
    {"a length without an end", 4, {0xf0, 255, 255, 255}, 1, 2000, false},
    {"more literals than room", 4, {0xf0, 255, 0, 'a'}, 1, 100, false},
    {"no match behind the literals", 2, {0x10, 'a'}, 2, 8, false},
    {"half a distance", 3, {0x10, 'a', 1}, 2, 8, false},
    {"distance 1 of 1", 4, {0x10, 'a', 1, 0}, 5, 8, true},
    {"distance 2 of 1", 4, {0x10, 'a', 2, 0}, 2, 8, false},
    {"distance 2 of 1, behind what is needed", 4, {0x10, 'a', 2, 0}, 1, 8, true},
    {"distance 256 of 1", 4, {0x10, 'a', 0, 1}, 5, 8, false},
    {"a match beyond the output", 4, {0x14, 'a', 1, 0}, 2, 8, false},
    {"a match first", 3, {0x00, 1, 0}, 1, 8, false},
    {"a match length without its byte", 4, {0x1f, 'a', 1, 0}, 2, 80, false},
    {"a match length without an end", 6, {0x1f, 'a', 1, 0, 255, 255}, 2, 2000, false},
    {"a match that is longer than needed", 5, {0x1f, 'a', 1, 0, 10}, 2, 80, true},
};

static void
good_from_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int k = 0; k < nloops; k++) {
            memcpy(stream, cases[i].bytes, cases[i].size);
            if (decode(loops[k], cases[i].size, guard_end(&out, cases[i].out_size, &r),
                       cases[i].need, cases[i].out_size) != cases[i].good)
                fail_msg("loop %d: %s: %s", k, cases[i].why, cases[i].good ? "refused" : "taken");
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_encoders), cmocka_unit_test(damaged_streams),
        cmocka_unit_test(streams_of_noise),    cmocka_unit_test(any_distance_and_length),
        cmocka_unit_test(good_from_bad),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
