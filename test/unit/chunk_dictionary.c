/*
 * chunk_dictionary.c - tests of chunk/dictionary: whether a dictionary pays, told from a few
 * samples.
 */
#include "chunk/encode/dictionary.h"

#include "codec/codec.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const int codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_LZ4HC, TESS_CODEC_ZSTD};

enum { STREAMS = 128, SIZE = 156, TRIALS = STREAMS / 8, CAPACITY = 1000 };

// Noise, but for so many of the streams that it is tried on: they are what the first one is, which
// gets into the dictionary.
static size_t
made(int codec_id, int repeated, size_t capacity, int nstreams, bool always, uint64_t seed)
{
    static uint8_t bytes[STREAMS * SIZE], tmp[SIZE];
    size_t sizes[STREAMS];
    struct random r;
    struct codec_dict d;
    const struct samples samples = {bytes, sizes, STREAMS};
    struct codec_call call = {
        .codec = codec_by_id(codec_id), .state = codec_state_new(), .level = 5, .typesize = 1};

    random_init(&r, seed);
    random_bytes(&r, bytes, sizeof bytes);
    for (int i = 0; i < STREAMS; i++)
        sizes[i] = SIZE;
    for (int i = 0; i < repeated; i++)
        memcpy(bytes + (STREAMS - 1 - i) * SIZE, bytes, SIZE);
    assert_non_null(call.state);
    assert_int_equal(dictionary_make(&d, &call, &samples, capacity, nstreams, always, tmp, NULL),
                     TESS_OK);
    const size_t size = d.size;
    codec_dict_finish(&d);
    codec_state_free(call.state);
    return size;
}

// Two of 16 streams would save twice what the dictionary takes, if all were like these 16; they
// tell too little for that.
static void
in_doubt(void **state)
{
    const uint64_t seed = random_seed();

    (void)state;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        assert_int_equal(made(codecs[i], 0, CAPACITY, STREAMS, false, seed), 0);
        assert_int_equal(made(codecs[i], 2, CAPACITY, STREAMS, false, seed), 0);
        assert_true(made(codecs[i], TRIALS, CAPACITY, STREAMS, false, seed) > 0);
        assert_true(made(codecs[i], 0, CAPACITY, STREAMS, true, seed) > 0);
    }
}

// Sixteen streams save some 2,000 bytes: too few for a dictionary of 4,000, enough for one of
// 1,000.
static void
a_small_one(void **state)
{
    const uint64_t seed = random_seed();

    (void)state;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        assert_in_range(made(codecs[i], TRIALS, 4 * CAPACITY, TRIALS, false, seed), 1, CAPACITY);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_doubt), cmocka_unit_test(a_small_one)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
