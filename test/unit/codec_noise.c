/*
 * codec_noise.c - what is called noise, or without repeats, cannot be made smaller, and noise is
 * called so, whatever the processor.
 */
// The looks in plain C, beside those for this machine.
#pragma push_macro("__SSE2__")
#pragma push_macro("__aarch64__")
#undef __SSE2__
#undef __aarch64__
#define bytes_repeat bytes_repeat_plain
#define bytes_are_noise bytes_are_noise_plain
#include "codec/noise.c"
#undef bytes_repeat
#undef bytes_are_noise
#pragma pop_macro("__SSE2__")
#pragma pop_macro("__aarch64__")

#include "codec/codec.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum repeats bytes_repeat(const uint8_t *src, size_t size);
bool bytes_are_noise(const uint8_t *src, size_t size);

enum { SIZE = 300000, SHORTEST = 4096, TRIALS = 300 };

static struct codec_state *codec_state;
static struct random r;
static uint8_t *data, *stream;

static int
setup(void **state)
{
    (void)state;
    random_init(&r, random_seed());
    data = malloc(SIZE);
    stream = malloc(SIZE + CODEC_SLACK);
    codec_state = codec_state_new();
    return data && stream && codec_state ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    codec_state_free(codec_state);
    free(stream);
    free(data);
    return 0;
}

static size_t
pick(size_t below)
{
    return (size_t)random_below(&r, below);
}

// In 4 KiB of noise, triples come again by chance two times in a thousand.
static void
noise_is_noise(void **state)
{
    int missed = 0;
    (void)state;
    random_bytes(&r, data, SIZE);
    for (size_t size = SHORTEST; size <= SIZE; size += 1 + pick(size))
        missed += !bytes_are_noise(data + pick(SIZE - size + 1), size);
    assert_true(missed <= 2);
}

static void
little_is_not_judged(void **state)
{
    (void)state;
    random_bytes(&r, data, SHORTEST);
    for (size_t size = 0; size < SHORTEST; size += 1 + pick(500))
        assert_false(bytes_are_noise(data, size));
}

static void
values_missing_anywhere_are_seen(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const size_t size = 2 * SHORTEST + pick(20000);
        const size_t at = pick(size - SHORTEST);
        random_bytes(&r, data, size);
        for (size_t k = at; k < at + SHORTEST; k++)
            data[k] = (uint8_t)(data[k] & 0x7f);
        assert_false(bytes_are_noise(data, size));
    }
}

static void
a_stretch_that_comes_again_is_seen(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const size_t size = SHORTEST + pick(SIZE - SHORTEST);
        const size_t n = size / 5;
        random_bytes(&r, data, size);
        const size_t from = pick(size - 2 * n);
        memcpy(data + from + n + pick(size - 2 * n - from), data + from, n);
        assert_false(bytes_are_noise(data, size));
    }
}

// Items of some bytes, out of so many different ones, with something left out of each byte.
static void
make_items(size_t size)
{
    const size_t width = 1 + pick(16);
    const size_t nkinds = (size_t)1 << pick(18);
    const uint8_t mask = (uint8_t)(0xff ^ (pick(2) << pick(8)));
    uint8_t *const kinds = malloc(nkinds * width);

    assert_non_null(kinds);
    random_bytes(&r, kinds, nkinds * width);
    for (size_t i = 0; i < size; i += width) {
        const uint8_t *const kind = kinds + pick(nkinds) * width;
        for (size_t k = 0; k < width && i + k < size; k++)
            data[i + k] = (uint8_t)(pick(64) ? kind[k] & mask : (int)pick(256));
    }
    free(kinds);
}

static size_t
encoded_size(int id, size_t size)
{
    const struct codec_call call = {.codec = codec_by_id(id), .state = codec_state, .level = 8};
    tess_error err;
    size_t made;

    assert_int_equal(call.codec->encode(&call, data, size, stream, size + CODEC_SLACK, &made, &err),
                     TESS_OK);
    return made > 0 && made < size ? made : size;
}

static void
what_is_called_noise_stays_as_long(void **state)
{
    int nnoise = 0;

    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const size_t size = SHORTEST + pick(40000);
        make_items(size);
        if (!bytes_are_noise(data, size))
            continue;
        nnoise++;
        assert_true(encoded_size(TESS_CODEC_ZSTD, size) >= size - size / 12);
        assert_true(encoded_size(TESS_CODEC_ZLIB, size) >= size - size / 12);
    }
    assert_in_range(nnoise, TRIALS / 50, TRIALS - TRIALS / 50);
}

// -- what comes again

static void
noise_has_no_repeats(void **state)
{
    int missed = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const size_t size = 1024 + pick(i % 8 ? 8000 : SIZE - 1024);
        random_bytes(&r, data, size);
        missed += bytes_repeat(data, size) != REPEATS_NONE;
    }
    assert_in_range(missed, 0, 1);
    assert_int_equal(bytes_repeat(data, 1023), REPEATS_MANY); // too short to tell
    assert_int_equal(bytes_repeat(data, 0), REPEATS_MANY);
}

// A short period has few words, which may be any: one of them is the least.
static void
periods_and_runs_are_repeats(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const size_t size = 1024 + pick(i % 4 ? 20000 : SIZE - 1024);
        const size_t period = 1 + pick(size < 6400 ? size / 32 : 200);
        random_bytes(&r, data, size);
        const size_t from = pick(size / 2), n = size / 4 + pick(size / 4);
        for (size_t k = from + period; k < from + n; k++)
            data[k] = data[k - period];
        assert_int_not_equal(bytes_repeat(data, size), REPEATS_NONE);
        for (size_t k = period; k < size; k++)
            data[k] = data[k - period];
        assert_int_not_equal(bytes_repeat(data, size), REPEATS_NONE);
        if (period < 64 && size < 1 << 17) // of longer streams, all that comes again may be skipped
            assert_int_equal(bytes_repeat(data, size), REPEATS_MANY);
    }
}

// Words of a large vocabulary seldom come again at the beginning, where the look may end, and often
// later.
static void
repeats_are_those_of_the_whole_stream(void **state)
{
    enum { WORDS = 2500, WORD = 8, LONG = 1 << 16 };
    static uint8_t words[WORDS][WORD];
    int begun = 0;
    (void)state;
    for (int i = 0; i < TRIALS / 4; i++) {
        random_bytes(&r, words, sizeof words);
        for (size_t k = 0; k < LONG; k += WORD)
            memcpy(data + k, words[pick(WORDS)], WORD);
        assert_int_equal(bytes_repeat(data, LONG), REPEATS_MANY);
        begun += bytes_repeat(data, LONG / 8) == REPEATS_MANY;
    }
    assert_in_range(begun, 0, TRIALS / 40);
}

// LZ4HC, which finds all there is.
static void
what_does_not_repeat_stays_as_long(void **state)
{
    int64_t before = 0, after = 0;
    int nnone = 0, missed = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const size_t size = 1024 + pick(40000);
        make_items(size);
        if (bytes_repeat(data, size) != REPEATS_NONE)
            continue;
        nnone++;
        const size_t n = encoded_size(TESS_CODEC_LZ4HC, size);
        before += (int64_t)size;
        after += (int64_t)n;
        missed += n < size - size / 20;
    }
    assert_in_range(nnone, TRIALS / 50, TRIALS - TRIALS / 50);
    assert_true(after >= before - before / 100);
    assert_in_range(missed, 0, nnone / 20); // of few words, some are missed
}

static void
answers_are_the_same_without_vectors(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        const size_t size = pick(20000);
        if (i % 2)
            make_items(size);
        else
            random_repetitive(&r, data, size);
        assert_int_equal(bytes_repeat(data, size), bytes_repeat_plain(data, size));
        assert_int_equal(bytes_are_noise(data, size), bytes_are_noise_plain(data, size));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_noise),
        cmocka_unit_test(little_is_not_judged),
        cmocka_unit_test(values_missing_anywhere_are_seen),
        cmocka_unit_test(a_stretch_that_comes_again_is_seen),
        cmocka_unit_test(what_is_called_noise_stays_as_long),
        cmocka_unit_test(noise_has_no_repeats),
        cmocka_unit_test(periods_and_runs_are_repeats),
        cmocka_unit_test(repeats_are_those_of_the_whole_stream),
        cmocka_unit_test(what_does_not_repeat_stays_as_long),
        cmocka_unit_test(answers_are_the_same_without_vectors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
