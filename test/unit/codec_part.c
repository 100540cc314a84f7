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

static const int ids[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC};
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

static void
make_data(size_t size)
{
    random_repetitive(&r, data, size);
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

// What comes out is what the whole begins with; if the whole is refused, anything may come out.
static bool
check_part(const struct codec_call *call, size_t n, size_t need, size_t size, bool good)
{
    uint8_t *const src = guard_end(&in, n, &r);
    uint8_t *const dst = guard_end(&out, size, &r);

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_need_of_small_streams),
        cmocka_unit_test(parts_of_large_streams),
        cmocka_unit_test(damaged_streams),
        cmocka_unit_test(streams_with_a_dictionary),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
