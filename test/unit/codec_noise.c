/*
 * codec_noise.c - what is called noise cannot be made smaller, and noise is called so.
 */
#include "codec/codec.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_noise),
        cmocka_unit_test(little_is_not_judged),
        cmocka_unit_test(values_missing_anywhere_are_seen),
        cmocka_unit_test(a_stretch_that_comes_again_is_seen),
        cmocka_unit_test(what_is_called_noise_stays_as_long),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
