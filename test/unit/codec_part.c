/*
 * codec_part.c - streams decoded only as far as needed, against the same streams decoded whole.
 *
 * Input and output lie at one end or the other of guarded memory: a byte beyond kills the program.
 */
#include "codec/codec.h"
#include "codec/dict.h"

#include "support/guard.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 70000, STREAM = SIZE + SIZE / 8 + 100, SMALL = 400 };

static const int ids[] = {CODEC_BLOSCLZ, CODEC_LZ4, CODEC_LZ4HC};
enum { NIDS = sizeof ids / sizeof ids[0] };

static struct codec_state *codec_state;
static struct random r;
static struct guard in, out;
static uint8_t *data, *stream, *whole;

static int
setup(void **state)
{
    (void)state;
    random_init(&r, random_seed());
    guard_init(&in, STREAM);
    guard_init(&out, SIZE);
    data = malloc(SIZE);
    stream = malloc(STREAM);
    whole = malloc(SIZE);
    codec_state = codec_state_new();
    return data && stream && whole && codec_state ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    codec_state_free(codec_state);
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

// Bytes of some alphabet, and copies of what was before, near or far, short or long.
static void
make_data(size_t size)
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

static struct codec_call
a_call(int id, const struct codec_dict *dict)
{
    return (struct codec_call){
        .codec = codec_by_id(id), .state = codec_state, .level = 1 + (int)pick(9), .dict = dict};
}

// The size of the stream; 0: no smaller than its bytes.
static size_t
encode(const struct codec_call *call, size_t size)
{
    size_t n;
    assert_int_equal(call->codec->encode(call, data, size, stream, STREAM, &n, NULL), TESS_OK);
    return n;
}

static bool
decode_whole(const struct codec_call *call, size_t n, size_t size)
{
    return call->codec->decode(call, stream, n, whole, size, NULL) == TESS_OK;
}

static uint8_t *
place(const struct guard *g, size_t size)
{
    return pick(2) ? g->start : guard_tail(g, size);
}

// What comes out is what the whole begins with; if the whole is refused, anything may come out.
static bool
check_part(const struct codec_call *call, size_t n, size_t need, size_t size, bool good)
{
    uint8_t *const src = place(&in, n);
    uint8_t *const dst = place(&out, size);

    memcpy(src, stream, n);
    memset(dst, 0xee, size);
    const tess_status st = call->codec->decode_part(call, src, n, dst, need, size, NULL);
    if (!good) {
        assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT);
        return st == TESS_OK;
    }
    if (st != TESS_OK || memcmp(dst, whole, need) != 0)
        fail_msg("%s: %zu of %zu bytes, a stream of %zu: %s", call->codec->name, need, size, n,
                 st == TESS_OK ? "other bytes" : "refused");
    return true;
}

static void
every_need_of_small_streams(void **state)
{
    (void)state;
    for (int i = 0; i < 900; i++) {
        const struct codec_call call = a_call(ids[i % NIDS], NULL);
        const size_t size = 16 + pick(SMALL - 16);
        make_data(size);
        const size_t n = encode(&call, size);
        if (n == 0)
            continue;
        assert_true(decode_whole(&call, n, size));
        assert_memory_equal(whole, data, size);
        for (size_t need = 1; need <= size; need++)
            (void)check_part(&call, n, need, size, true);
    }
}

static void
parts_of_large_streams(void **state)
{
    (void)state;
    for (int i = 0; i < 600; i++) {
        const struct codec_call call = a_call(ids[i % NIDS], NULL);
        const size_t size = 16 + pick(i % 5 ? 5000 : SIZE - 16);
        make_data(size);
        const size_t n = encode(&call, size);
        if (n == 0)
            continue;
        assert_true(decode_whole(&call, n, size));
        for (int k = 0; k < 40; k++)
            (void)check_part(&call, n, 1 + pick(size), size, true);
    }
}

static void
damaged_streams(void **state)
{
    int taken = 0, refused = 0, sound = 0;

    (void)state;
    for (int i = 0; i < 6000; i++) {
        const struct codec_call call = a_call(ids[i % NIDS], NULL);
        size_t size = 16 + pick(SMALL - 16);
        make_data(size);
        size_t n = encode(&call, size);
        if (n == 0)
            continue;
        for (size_t k = 1 + pick(3); k > 0; k--)
            stream[pick(n)] = (uint8_t)(pick(2) ? pick(256) : 255 * pick(2));
        if (pick(4) == 0)
            n = 1 + pick(n);
        if (pick(8) == 0)
            size = 1 + pick(2 * size);
        const bool good = decode_whole(&call, n, size);
        sound += good;
        for (size_t need = 1; need <= size; need += i < 600 ? 1 : 1 + pick(size)) {
            const bool took = check_part(&call, n, need, size, good);
            taken += took && !good;
            refused += !took;
        }
    }
    assert_true(taken > 500 && refused > 500 && sound > 100);
}

// Of the items some are from the dictionary.
static void
streams_with_a_dictionary(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        const size_t dict_size = DICT_SIZE_MIN + pick(i % 4 ? 1000 : DICT_SIZE_MAX - DICT_SIZE_MIN);
        const size_t size = 32 + pick(2 * SMALL);
        struct codec_dict d;
        struct codec_call call = a_call(ids[1 + i % 2], NULL);

        for (size_t k = 0; k < dict_size; k++)
            data[SIZE - dict_size + k] = (uint8_t)random_next(&r);
        make_data(size);
        for (size_t at = pick(40); at < size;) {
            const size_t from = pick(pick(2) ? dict_size : 10);
            size_t length = 8 + pick(60);
            length = length < dict_size - from ? length : dict_size - from;
            length = length < size - at ? length : size - at;
            memcpy(data + at, data + SIZE - dict_size + from, length);
            at += length + pick(40);
        }
        assert_int_equal(
            codec_dict_init(&d, call.codec, call.level, data + SIZE - dict_size, dict_size, NULL),
            TESS_OK);
        call.dict = &d;
        size_t n = encode(&call, size);
        if (n > 0 && pick(3) == 0)
            stream[pick(n)] = (uint8_t)random_next(&r);
        const bool good = n > 0 && decode_whole(&call, n, size);
        for (size_t need = 1; need <= size && n > 0; need += 1 + pick(5))
            (void)check_part(&call, n, need, size, good);
        codec_dict_finish(&d);
    }
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
lz4_any_distance_and_length(void **state)
{
    const struct codec_call call = a_call(CODEC_LZ4, NULL);

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
            assert_true(decode_whole(&call, n, size));
            for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++)
                (void)check_part(&call, n, edges[k], size, true);
        }
}

static const struct {
    const char *why;
    size_t size;
    uint8_t bytes[8];
    size_t need, out_size;
    bool good;
} lz4_cases[] = {
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
lz4_good_from_bad(void **state)
{
    const struct codec_call call = a_call(CODEC_LZ4, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof lz4_cases / sizeof lz4_cases[0]; i++) {
        memcpy(stream, lz4_cases[i].bytes, lz4_cases[i].size);
        if (check_part(&call, lz4_cases[i].size, lz4_cases[i].need, lz4_cases[i].out_size, false) !=
            lz4_cases[i].good)
            fail_msg("%s: %s", lz4_cases[i].why, lz4_cases[i].good ? "refused" : "taken");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_need_of_small_streams),
        cmocka_unit_test(parts_of_large_streams),
        cmocka_unit_test(damaged_streams),
        cmocka_unit_test(streams_with_a_dictionary),
        cmocka_unit_test(lz4_any_distance_and_length),
        cmocka_unit_test(lz4_good_from_bad),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
