/*
 * codec_blosclz.c - BloscLZ against a slow decoder that follows the description line by line.
 */
#include "codec/private.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEED UINT64_C(0x5eed0b105c12)

static uint32_t table[BLOSCLZ_TABLE_SIZE];
static uint64_t random_state;

static int
setup(void **state)
{
    (void)state;
    random_state = SEED;
    print_message("seed %#" PRIx64 "\n", random_state);
    return 0;
}

// 0 to below - 1.
static size_t
pick(size_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)((random_state * UINT64_C(0x2545f4914f6cdd1d) >> 33) % below);
}

// A copy in a block of exactly that size, so that the sanitizer sees a step beyond it.
static uint8_t *
boxed(const void *bytes, size_t size)
{
    uint8_t *const p = malloc(size > 0 ? size : 1);

    assert_non_null(p);
    if (size > 0)
        memcpy(p, bytes, size);
    return p;
}

// What a stream is made of.
struct anatomy {
    size_t first; // literals in the first instruction
    size_t tail; // literals after the last match
    size_t shortest_near;
    size_t shortest_far;
    size_t longest;
    size_t farthest;
};

static bool
slow_match(const uint8_t *in, size_t in_size, size_t *i, unsigned c, uint8_t *out, size_t *o,
           size_t out_size, struct anatomy *a)
{
    size_t length = (c >> 5) + 2;
    if (c >> 5 == 7) {
        unsigned more = 255;
        while (more == 255) {
            if (*i + 1 >= in_size)
                return false;
            more = in[(*i)++];
            length += more;
        }
    }
    if (*i + 1 >= in_size)
        return false;
    const unsigned lo = in[(*i)++];
    size_t distance = (c & 31) * 256 + lo + 1;
    const bool is_far = (c & 31) == 31 && lo == 255;
    if (is_far) {
        if (*i + 2 > in_size)
            return false;
        distance = in[*i] * 256u + in[*i + 1] + 8192;
        *i += 2;
    }
    if (distance > *o || length > out_size - *o)
        return false;
    for (size_t k = 0; k < length; k++, (*o)++)
        out[*o] = out[*o - distance];

    size_t *const shortest = is_far ? &a->shortest_far : &a->shortest_near;
    if (length < *shortest)
        *shortest = length;
    if (length > a->longest)
        a->longest = length;
    if (distance > a->farthest)
        a->farthest = distance;
    return true;
}

static bool
slow_decode(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size, struct anatomy *a)
{
    size_t i = 0;
    size_t o = 0;

    *a = (struct anatomy){.shortest_near = SIZE_MAX, .shortest_far = SIZE_MAX};
    while (i < in_size) {
        const unsigned c = i > 0 ? in[i] : in[i] & 31u;
        i++;
        if (c >= 32) {
            if (!slow_match(in, in_size, &i, c, out, &o, out_size, a))
                return false;
            a->tail = 0;
            continue;
        }
        if (i + c + 1 > in_size || o + c + 1 > out_size)
            return false;
        memcpy(out + o, in + i, c + 1);
        if (i == 1)
            a->first = c + 1;
        i += c + 1;
        o += c + 1;
        a->tail += c + 1;
    }
    return in_size > 0 && o == out_size;
}

// Both decoders agree about a stream; returns whether it is valid.
static bool
check_decode(const uint8_t *bytes, size_t size, size_t out_size)
{
    struct anatomy a;
    uint8_t *const in = boxed(bytes, size);
    uint8_t *const slow = malloc(out_size);
    uint8_t *const fast = malloc(out_size);
    assert_non_null(slow);
    assert_non_null(fast);

    const bool valid = slow_decode(in, size, slow, out_size, &a);
    assert_int_equal(blosclz_decode(in, size, fast, out_size), valid ? out_size : 0);
    if (valid)
        assert_memory_equal(fast, slow, out_size);
    free(fast);
    free(slow);
    free(in);
    return valid;
}

// Worked example: 100 int32 that cycle through 0, 1000, 2000, 3000, 4000, shuffled.
static const uint8_t example[] = {
    0x24, 0x00, 0xe8, 0xd0, 0xb8, 0xa0, // 5 literals
    0xe0, 0x56, 0x04, // 95 bytes, distance 5
    0x04, 0x00, 0x03, 0x07, 0x0b, 0x0f, // 5 literals
    0xe0, 0x56, 0x04, // 95 bytes, distance 5
    0x00, 0x00, // 1 literal
    0xe0, 0xbb, 0x00, // 196 bytes, distance 1
    0x02, 0x00, 0x00, 0x00, // 3 literals
};

static void
decodes_the_example(void **state)
{
    (void)state;
    uint8_t want[400];
    for (size_t i = 0; i < 100; i++) {
        const uint32_t v = (uint32_t)(i % 5 * 1000);
        for (size_t j = 0; j < 4; j++)
            want[j * 100 + i] = (uint8_t)(v >> 8 * j);
    }
    uint8_t *const in = boxed(example, sizeof example);
    uint8_t *const out = malloc(400);
    assert_non_null(out);

    assert_int_equal(blosclz_decode(in, sizeof example, out, 400), 400);
    assert_memory_equal(out, want, 400);
    free(out);
    free(in);
}

static const struct {
    const char *why;
    size_t size;
    uint8_t bytes[16];
    size_t out_size;
    bool good;
} cases[] = {
    {"nothing", 0, {0}, 1, false},
    {"one literal", 2, {0x20, 'a'}, 1, true},
    {"the mark is not looked at", 2, {0x00, 'a'}, 1, true},
    {"nor are other marks: still a literal run", 2, {0xe0, 'a'}, 1, true},
    {"a control byte alone", 1, {0x20}, 1, false},
    {"one literal too few", 4, {0x23, 'a', 'b', 'c'}, 4, false},
    {"one byte too many", 5, {0x22, 'a', 'b', 'c', 'd'}, 3, false},
    {"literals beyond the output", 4, {0x22, 'a', 'b', 'c'}, 2, false},
    {"fewer bytes than there should be", 4, {0x22, 'a', 'b', 'c'}, 4, false},
    {"a run, then a literal", 6, {0x20, 'a', 0x20, 0x00, 0x00, 'b'}, 5, true},
    {"distance 1 of 1", 6, {0x20, 'a', 0xc0, 0x00, 0x00, 'b'}, 10, true},
    {"distance 2 of 1", 6, {0x20, 'a', 0x20, 0x01, 0x00, 'b'}, 5, false},
    {"distance 257 of 1", 6, {0x20, 'a', 0x21, 0x00, 0x00, 'b'}, 5, false},
    {"far distance 8192 of 1", 8, {0x20, 'a', 0x3f, 0xff, 0x00, 0x00, 0x00, 'b'}, 5, false},
    {"farthest of all", 8, {0x20, 'a', 0x3f, 0xff, 0xff, 0xff, 0x00, 'b'}, 5, false},
    {"far distance cut", 5, {0x20, 'a', 0x3f, 0xff, 0x00}, 4, false},
    {"far distance missing", 4, {0x20, 'a', 0x3f, 0xff}, 4, false},
    {"near match at the very end", 4, {0x20, 'a', 0x20, 0x00}, 4, false},
    {"match without a distance", 3, {0x20, 'a', 0x20}, 4, false},
    {"match beyond the output", 6, {0x20, 'a', 0x60, 0x00, 0x00, 'b'}, 5, false},
    {"match that leaves no room for the literal", 6, {0x20, 'a', 0x40, 0, 0, 'b'}, 5, false},
    {"a match first is a literal run", 3, {0x21, 0x20, 0x00}, 2, true},
    {"long length, nothing added", 7, {0x20, 'a', 0xe0, 0, 0, 0, 'b'}, 11, true},
    {"long length, 255 and 0 added", 8, {0x20, 'a', 0xe0, 255, 0, 0, 0, 'b'}, 266, true},
    {"long length without its byte", 3, {0x20, 'a', 0xe0}, 10, false},
    {"long length without an end", 6, {0x20, 'a', 0xe0, 255, 255, 255}, 800, false},
    {"long length without a distance", 4, {0x20, 'a', 0xe0, 1}, 11, false},
    {"long length beyond the output", 9, {0x20, 'a', 0xe0, 255, 255, 0, 0, 0, 'b'}, 500, false},
    {"two matches in a row", 8, {0x20, 'a', 0x20, 0, 0x20, 0, 0, 'b'}, 8, true},
};

static void
tells_good_from_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool valid = check_decode(cases[i].bytes, cases[i].size, cases[i].out_size);
        if (valid != cases[i].good)
            fail_msg("%s: %s", cases[i].why, valid ? "accepted" : "refused");
    }
}

// A literal run of `before` bytes, a match, one literal.
static size_t
put_stream(uint8_t *in, size_t before, size_t distance, size_t length)
{
    size_t n = 0;
    size_t more = length - 2;
    const size_t near = (distance < 8192 ? distance : 8192) - 1;

    for (size_t left = before; left > 0;) {
        const size_t run = left < 32 ? left : 32;
        in[n++] = (uint8_t)(run - 1);
        for (size_t i = 0; i < run; i++)
            in[n++] = (uint8_t)pick(256);
        left -= run;
    }
    in[n++] = (uint8_t)((more < 7 ? more : 7) << 5 | near >> 8);
    if (more >= 7) {
        for (more -= 7; more >= 255; more -= 255)
            in[n++] = 255;
        in[n++] = (uint8_t)more;
    }
    in[n++] = (uint8_t)near;
    if (distance >= 8192) {
        in[n++] = (uint8_t)((distance - 8192) >> 8);
        in[n++] = (uint8_t)(distance - 8192);
    }
    in[n++] = 0;
    in[n++] = 'z';
    return n;
}

static void
copies_any_distance_and_length(void **state)
{
    (void)state;
    static uint8_t in[90000];

    for (size_t distance = 1; distance <= 70; distance++)
        for (size_t length = 3; length <= 700; length += length < 100 ? 1 : 37)
            for (size_t tail = 0; tail <= 1; tail++) {
                size_t n = put_stream(in, distance, distance, length);
                if (tail) { // so that the match is far from the end
                    in[n++] = 31;
                    memset(in + n, 't', 32);
                    n += 32;
                }
                assert_true(check_decode(in, n, distance + length + 1 + 32 * tail));
            }
}

static void
takes_distances_up_to_the_last(void **state)
{
    (void)state;
    static const size_t distances[] = {8190, 8191, 8192, 8193, 73724, 73727};
    static uint8_t in[90000];

    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        size_t n = put_stream(in, distances[i], distances[i], 6);
        assert_true(check_decode(in, n, distances[i] + 7));
        n = put_stream(in, distances[i] - 1, distances[i], 6);
        assert_false(check_decode(in, n, distances[i] + 6));
    }
}

// Literals of some alphabet, and copies from before.
static void
make_data(uint8_t *data, size_t size)
{
    const size_t alphabet = (size_t)1 << pick(9);
    const size_t reach = (size_t)1 << (1 + pick(17));
    const size_t longest = (size_t)1 << (1 + pick(12));
    const size_t copies = pick(101); // per cent

    for (size_t i = 0; i < size;) {
        size_t n = 1 + pick(longest);
        if (n > size - i)
            n = size - i;
        if (i > 0 && pick(100) < copies) {
            const size_t distance = 1 + pick(i < reach ? i : reach);
            for (; n > 0; n--, i++)
                data[i] = data[i - distance];
        } else {
            for (; n > 0; n--)
                data[i++] = (uint8_t)pick(alphabet);
        }
    }
}

// What is promised to older decoders.
static void
check_anatomy(const struct anatomy *a, int level)
{
    assert_true(a->first >= 4);
    assert_true(a->tail >= 3);
    assert_true(a->shortest_near >= (level <= 6 ? 7 : 6));
    assert_true(a->shortest_far >= (level <= 6 ? 7 : 6));
    assert_true(a->farthest <= 73724);
}

// With the steps of streams of few repeats, or of many.
static size_t
encode(int level, const uint8_t *src, size_t size, uint8_t *dst, size_t dst_size, uint32_t *buckets)
{
    return blosclz_encode(level, size % 2 ? REPEATS_FEW : REPEATS_MANY, src, size, dst, dst_size,
                          buckets);
}

// Encode and decode back; returns the size of the stream, which is left in `out`.
static size_t
check_round_trip(int level, const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    uint8_t *const src = boxed(data, size);
    uint8_t *const dst = malloc(out_size);
    uint8_t *const back = malloc(size);
    struct anatomy a;
    assert_non_null(dst);
    assert_non_null(back);

    const size_t n = encode(level, src, size, dst, out_size, table);
    assert_true(n <= out_size);
    if (n > 0) {
        assert_int_equal(dst[0] >> 5, 1);
        assert_true(slow_decode(dst, n, back, size, &a));
        assert_memory_equal(back, data, size);
        check_anatomy(&a, level);
        memset(back, 0, size);
        assert_int_equal(blosclz_decode(dst, n, back, size), size);
        assert_memory_equal(back, data, size);
        memcpy(out, dst, n);
    }
    free(back);
    free(dst);
    free(src);
    return n;
}

static void
round_trips_random_data(void **state)
{
    (void)state;
    static uint8_t data[100000];
    static uint8_t out[110000];

    for (int i = 0; i < 10000; i++) {
        const size_t size = 16 + pick(i % 50 ? 3000 : sizeof data - 16);
        make_data(data, size);
        const int level = 1 + (int)pick(9);
        const size_t n = check_round_trip(level, data, size, out, size + size / 32 + 16);
        assert_true(n > 0);

        // It fits where it just fits, and nowhere else.
        uint8_t *const less = malloc(n);
        assert_non_null(less);
        const size_t again = encode(level, data, size, less, n, table);
        assert_int_equal(again, n);
        assert_memory_equal(less, out, n);
        free(less);
        const size_t room = pick(n);
        uint8_t *const little = malloc(room > 0 ? room : 1);
        assert_non_null(little);
        assert_int_equal(encode(level, data, size, little, room, table), 0);
        free(little);
    }
}

static void
refuses_tiny_sources(void **state)
{
    (void)state;
    const uint8_t zeros[16] = {0};
    uint8_t out[64];

    for (int level = 1; level <= 9; level++) {
        for (size_t size = 0; size < 16; size++)
            assert_int_equal(encode(level, zeros, size, out, sizeof out, table), 0);
        assert_true(check_round_trip(level, zeros, 16, out, sizeof out) > 0);
    }
}

static void
does_not_depend_on_the_table(void **state)
{
    (void)state;
    static uint8_t data[20000];
    static uint8_t one[21000];
    static uint8_t other[21000];

    for (int level = 1; level <= 9; level++) {
        make_data(data, sizeof data);
        memset(table, 0, sizeof table);
        const size_t n = encode(level, data, sizeof data, one, sizeof one, table);
        memset(table, 0xff, sizeof table);
        assert_int_equal(encode(level, data, sizeof data, other, sizeof other, table), n);
        assert_memory_equal(one, other, n);
    }
}

// Random bytes twice, so far apart; zeros between them.
static void
finds_matches_up_to_the_farthest(void **state)
{
    (void)state;
    static const size_t distances[] = {100, 8191, 8192, 8193, 73724, 73725};
    static uint8_t data[74000];
    static uint8_t out[80000];
    uint8_t noise[64];

    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(1 + pick(255));
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        const size_t size = distances[i] + sizeof noise + 12;
        struct anatomy a;
        memset(data, 0, size);
        memcpy(data, noise, sizeof noise);
        memcpy(data + distances[i], noise, sizeof noise);
        const size_t n = check_round_trip(5, data, size, out, sizeof out);
        assert_true(slow_decode(out, n, data, size, &a));
        if (distances[i] <= 73724)
            assert_int_equal(a.farthest, distances[i]);
        else
            assert_int_equal(a.farthest, 1); // the zeros only
    }
}

static void
compresses_more_at_higher_levels(void **state)
{
    (void)state;
    static uint8_t data[60000];
    static uint8_t out[70000];
    uint8_t words[16 * 500];
    size_t sizes[10];

    // Words in any order: matches of many lengths.
    for (size_t i = 0; i < sizeof words; i++)
        words[i] = (uint8_t)pick(256);
    for (size_t i = 0; i < sizeof data;) {
        const size_t word = 16 * pick(sizeof words / 16);
        const size_t length = 4 + words[word] % 12;
        for (size_t k = 0; k < length && i < sizeof data; k++)
            data[i++] = words[word + k];
    }
    for (int level = 1; level <= 9; level++)
        sizes[level] = check_round_trip(level, data, sizeof data, out, sizeof out);
    assert_true(sizes[3] < sizeof data * 8 / 10);
    assert_true(sizes[3] <= sizes[1]);
    assert_true(sizes[5] < sizes[3]);
    assert_true(sizes[7] < sizes[5]);
    assert_true(sizes[9] <= sizes[7]);
}

// Matches come as near to the end as they may: three literals are left.
static void
leaves_three_literals(void **state)
{
    (void)state;
    static const uint8_t zeros[300];
    uint8_t out[400];
    struct anatomy a;
    uint8_t back[300];

    for (int level = 1; level <= 9; level++)
        for (size_t size = 17; size <= sizeof zeros; size++) {
            const size_t n = check_round_trip(level, zeros, size, out, sizeof out);
            assert_true(slow_decode(out, n, back, size, &a));
            assert_int_equal(a.first, 4);
            assert_int_equal(a.longest, size - 4 - 3);
            assert_int_equal(a.tail, 3);
        }
}

// Noise with the same 12 bytes every 100: a ninth is gained where the levels look closely.
static size_t
encode_sparse(int level, uint8_t *data, size_t size, size_t end, uint8_t *out, size_t out_size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i % 100 < 12 ? i % 100 : pick(256));
    memset(data + size - end, 7, end);
    return check_round_trip(level, data, size, out, out_size);
}

static void
is_coarse_where_little_is_gained(void **state)
{
    (void)state;
    static uint8_t data[20000];
    static uint8_t out[21000];
    const size_t all = sizeof data;

    for (int level = 1; level <= 2; level++) {
        assert_true(encode_sparse(level, data, all, 0, out, sizeof out) > all);
        assert_true(encode_sparse(level, data, all, all / 4, out, sizeof out) < all * 73 / 100);
    }
    assert_true(encode_sparse(3, data, all, 0, out, sizeof out) < all * 97 / 100);
}

static void
survives_mutations(void **state)
{
    (void)state;
    static uint8_t data[3000];
    static uint8_t out[4000];
    int valid = 0;

    for (int i = 0; i < 20000; i++) {
        const size_t size = 16 + pick(sizeof data - 16);
        make_data(data, size);
        size_t n = check_round_trip(1 + (int)pick(9), data, size, out, sizeof out);
        for (size_t k = 1 + pick(4); k > 0; k--)
            out[pick(n)] = (uint8_t)(pick(2) ? pick(256) : 255 * pick(2));
        if (pick(4) == 0)
            n = pick(n + 1);
        valid += check_decode(out, n, pick(8) ? size : 1 + pick(2 * size));
    }
    assert_in_range(valid, 100, 19900); // both outcomes were seen
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_the_example),
        cmocka_unit_test(tells_good_from_bad),
        cmocka_unit_test(copies_any_distance_and_length),
        cmocka_unit_test(takes_distances_up_to_the_last),
        cmocka_unit_test(round_trips_random_data),
        cmocka_unit_test(refuses_tiny_sources),
        cmocka_unit_test(does_not_depend_on_the_table),
        cmocka_unit_test(finds_matches_up_to_the_farthest),
        cmocka_unit_test(compresses_more_at_higher_levels),
        cmocka_unit_test(leaves_three_literals),
        cmocka_unit_test(is_coarse_where_little_is_gained),
        cmocka_unit_test(survives_mutations),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
