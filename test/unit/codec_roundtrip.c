/*
 * codec_roundtrip.c - every codec at every level: there and back, too little room, wrong sizes;
 * and what only one of them has: dictionaries, frames.
 */
#include "codec/codec.h"
#include "codec/dict.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lz4.h>
#include <zdict.h>
#include <zstd.h>

#define SEED UINT64_C(0xc0dec5eed)
#define SIZE_MAX_HERE 70000
#define GUARD 64

static const int ids[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC, TESS_CODEC_ZLIB,
                          TESS_CODEC_ZSTD};
#define NIDS (sizeof ids / sizeof ids[0])

static struct codec_state *codec_state;
static uint64_t random_state;

static int
setup(void **state)
{
    (void)state;
    codec_state = codec_state_new();
    random_state = SEED;
    print_message("seed %#" PRIx64 "\n", random_state);
    return codec_state ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    codec_state_free(codec_state);
    codec_state_free(NULL);
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

enum kind { ZEROS, RAMP, STEPS, WORDS, SPARSE, NOISE, NKINDS };

static void
make_data(enum kind kind, uint8_t *data, size_t size)
{
    static const char *const words[] = {"chunk ", "block ", "of ", "an array ", "the ", "\n"};
    size_t at = 0;

    switch (kind) {
    case WORDS:
        while (at < size) {
            const char *const w = words[pick(6)];
            for (size_t i = 0; w[i] && at < size; i++)
                data[at++] = (uint8_t)w[i];
        }
        break;
    case STEPS:
        for (uint8_t v = 0; at < size; v = (uint8_t)(v + pick(3)))
            for (size_t n = 1 + pick(20); n > 0 && at < size; n--)
                data[at++] = v;
        break;
    default:
        for (; at < size; at++)
            data[at] = (uint8_t)(kind == ZEROS    ? 0
                                 : kind == RAMP   ? at
                                 : kind == SPARSE ? (pick(30) == 0)
                                                  : pick(256));
    }
}

static uint8_t *
make(size_t size)
{
    uint8_t *const p = malloc(size > 0 ? size : 1);

    assert_non_null(p);
    return p;
}

static tess_status
decode(const struct codec *c, const uint8_t *bytes, size_t size, uint8_t *dst, size_t dst_size)
{
    tess_error err = {0};
    uint8_t *const src = make(size);

    memcpy(src, bytes, size);
    const tess_status st = c->decode(&(struct codec_call){.codec = c, .state = codec_state}, src,
                                     size, dst, dst_size, &err);
    free(src);
    assert_int_equal(err.status, st);
    assert_true((st == TESS_OK) == (err.message[0] == '\0'));
    return st;
}

static void
check_decodes(const struct codec *c, const uint8_t *packed, size_t packed_size, const uint8_t *data,
              size_t size)
{
    uint8_t *const back = make(size);

    assert_int_equal(decode(c, packed, packed_size, back, size), TESS_OK);
    assert_memory_equal(back, data, size);
    free(back);
}

static void
check_refuses(const struct codec *c, const uint8_t *packed, size_t packed_size, size_t size)
{
    uint8_t *const back = make(size);

    assert_int_equal(decode(c, packed, packed_size, back, size), TESS_ERR_CORRUPT);
    free(back);
}

// Into exactly `room` bytes, with a guard behind them.
static size_t
encode(const struct codec *c, int level, const uint8_t *src, size_t size, uint8_t *dst, size_t room)
{
    size_t out_size = 12345;

    memset(dst + room, 0xa5, GUARD);
    assert_int_equal(
        c->encode(&(struct codec_call){.codec = c, .state = codec_state, .level = level}, src, size,
                  dst, room, &out_size, NULL),
        TESS_OK);
    assert_true(out_size <= room);
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(dst[room + i], 0xa5);
    return out_size;
}

static void
check_codec(const struct codec *c, int level, const uint8_t *data, size_t size)
{
    const size_t plenty = size + size / 8 + 100;
    uint8_t *const src = make(size);
    uint8_t *const packed = make(plenty + GUARD);
    memcpy(src, data, size);

    const size_t n = encode(c, level, src, size, packed, plenty);
    if (c->id == TESS_CODEC_BLOSCLZ && size < 16) {
        assert_int_equal(n, 0);
    } else {
        assert_true(n > 0);
        check_decodes(c, packed, n, data, size);
        check_refuses(c, packed, n, size + 1);
        if (size > 1)
            check_refuses(c, packed, n, size - 1);
        check_refuses(c, packed, n - 1, size);
        check_refuses(c, packed, pick(n), size);
        packed[n] = (uint8_t)pick(256);
        check_refuses(c, packed, n + 1, size);

        // Less room: it fits in another way, or not at all.
        const size_t rooms[] = {n - 1, pick(n), 0};
        for (size_t i = 0; i < 3; i++) {
            const size_t again = encode(c, level, src, size, packed, rooms[i]);
            if (again > 0)
                check_decodes(c, packed, again, data, size);
        }
    }
    free(packed);
    free(src);
}

static void
round_trips(void **state)
{
    (void)state;
    static uint8_t data[SIZE_MAX_HERE];

    for (size_t i = 0; i < NIDS; i++) {
        const struct codec *const c = codec_by_id(ids[i]);
        for (int level = 1; level <= 9; level++) {
            for (int kind = 0; kind < NKINDS; kind++) {
                for (size_t size = 1; size <= 100; size += size < 40 ? 1 : 7) {
                    make_data((enum kind)kind, data, size);
                    check_codec(c, level, data, size);
                }
                const size_t sizes[] = {100 + pick(4000), 4096, 1 + pick(SIZE_MAX_HERE),
                                        SIZE_MAX_HERE};
                for (size_t k = 0; k < 4; k++) {
                    make_data((enum kind)kind, data, sizes[k]);
                    check_codec(c, level, data, sizes[k]);
                }
            }
        }
    }
}

static void
noise_does_not_fit(void **state)
{
    (void)state;
    static uint8_t data[20000];
    static uint8_t packed[20000 + GUARD];

    make_data(NOISE, data, sizeof data);
    for (size_t i = 0; i < NIDS; i++)
        for (int level = 1; level <= 9; level++)
            assert_int_equal(
                encode(codec_by_id(ids[i]), level, data, sizeof data, packed, sizeof data - 1), 0);
}

static void
smooth_data_shrinks(void **state)
{
    (void)state;
    static uint8_t data[20000];
    static uint8_t packed[20000 + GUARD];

    make_data(STEPS, data, sizeof data);
    for (size_t i = 0; i < NIDS; i++)
        for (int level = 1; level <= 9; level++) {
            const size_t n =
                encode(codec_by_id(ids[i]), level, data, sizeof data, packed, sizeof data - 1);
            assert_in_range(n, 1, sizeof data / 2);
        }
}

// Decoders answer "damaged" or make dst_size bytes, whatever they are given.
static void
survives_mutations(void **state)
{
    (void)state;
    static uint8_t data[5000];
    static uint8_t packed[6000 + GUARD];

    for (size_t i = 0; i < NIDS; i++) {
        const struct codec *const c = codec_by_id(ids[i]);
        int refused = 0;
        for (int round = 0; round < 2000; round++) {
            const size_t size = 20 + pick(sizeof data - 20);
            make_data((enum kind)pick(NKINDS), data, size);
            const size_t n = encode(c, 1 + (int)pick(6), data, size, packed, 6000);
            for (size_t k = 1 + pick(3); k > 0; k--)
                packed[pick(n)] = (uint8_t)pick(256);
            uint8_t *const back = make(size);
            const tess_status st = decode(c, packed, n, back, size);
            assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT);
            refused += st != TESS_OK;
            free(back);
        }
        assert_true(refused > 200);
    }
}

static void
has_names_and_formats(void **state)
{
    (void)state;
    static const struct {
        int id;
        int format; // -1: not built in
        const char *name;
    } all[] = {
        {0, 0, "blosclz"}, {1, 1, "lz4"},         {2, 1, "lz4hc"},  {3, -1, NULL},
        {4, 3, "zlib"},    {5, 4, "zstd"},        {6, -1, NULL},    {31, -1, NULL},
        {32, 6, "ndlz"},   {36, -1, "openhtj2k"}, {37, -1, "grok"}, {38, -1, "openzl"},
        {39, -1, "j2k"},   {40, -1, "htj2k"},     {41, -1, NULL},   {160, -1, NULL},
        {-1, -1, NULL},    {256, -1, NULL},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct codec *const c = codec_by_id(all[i].id);
        assert_true((c != NULL) == (all[i].format >= 0));
        if (c) {
            assert_int_equal(c->id, all[i].id);
            assert_int_equal(c->format, all[i].format);
            assert_string_equal(c->name, all[i].name);
        }
        if (all[i].name)
            assert_string_equal(codec_name(all[i].id), all[i].name);
        else
            assert_null(codec_name(all[i].id));
    }

    static const int decoder_of[8] = {
        TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, -1, TESS_CODEC_ZLIB, TESS_CODEC_ZSTD, -1, -1, -1};
    for (int format = 0; format < 8; format++)
        for (int udcodec = 0; udcodec < 256; udcodec++) {
            const struct codec *const c = codec_by_format(format, udcodec);
            const struct codec *const other = codec_by_id(udcodec);
            if (format == CODEC_FORMAT_OTHER && other && other->format == CODEC_FORMAT_OTHER)
                assert_ptr_equal(c, other);
            else
                assert_int_equal(c ? c->id : -1, decoder_of[format]);
        }
}

static void
lz4_takes_a_dictionary(void **state)
{
    (void)state;
    static uint8_t dict[5000];
    static uint8_t packed[5000];
    uint8_t data[300];
    uint8_t back[300];
    const struct codec *const c = codec_by_format(CODEC_FORMAT_LZ4, 0);
    LZ4_stream_t *const stream = LZ4_createStream();
    assert_non_null(stream);

    make_data(NOISE, dict, sizeof dict);
    memcpy(data, dict + 1234, sizeof data);
    LZ4_loadDict(stream, (const char *)dict, sizeof dict);
    const int n = LZ4_compress_fast_continue(stream, (const char *)data, (char *)packed,
                                             sizeof data, sizeof packed, 1);
    LZ4_freeStream(stream);
    assert_in_range(n, 1, 50);

    const size_t size = (size_t)n;
    struct codec_dict whole, part;
    assert_int_equal(codec_dict_init(&whole, c, 0, dict, sizeof dict, NULL), TESS_OK);
    assert_int_equal(codec_dict_init(&part, c, 0, dict, 1000, NULL), TESS_OK);
    assert_int_equal(
        c->decode(&(struct codec_call){.codec = c, .state = codec_state, .dict = &whole}, packed,
                  size, back, sizeof back, NULL),
        TESS_OK);
    assert_memory_equal(back, data, sizeof data);
    check_refuses(c, packed, size, sizeof data);
    assert_int_equal(
        c->decode(&(struct codec_call){.codec = c, .state = codec_state, .dict = &part}, packed,
                  size, back, sizeof back, NULL),
        TESS_ERR_CORRUPT);
    codec_dict_finish(&whole);
    codec_dict_finish(&part);
}

// Compressed by the library with a dictionary, decoded by us with it and without.
static void
check_zstd_dictionary(const uint8_t *dict, size_t dict_size, const uint8_t *data, size_t size)
{
    const struct codec *const c = codec_by_id(TESS_CODEC_ZSTD);
    uint8_t *const packed = make(ZSTD_compressBound(size));
    uint8_t *const back = make(size);
    ZSTD_CCtx *const z = ZSTD_createCCtx();
    assert_non_null(z);

    const size_t n = ZSTD_compress_usingDict(z, packed, ZSTD_compressBound(size), data, size, dict,
                                             dict_size, 3);
    ZSTD_freeCCtx(z);
    assert_false(ZSTD_isError(n));
    assert_true(n < size / 2); // the dictionary helped
    struct codec_dict d;
    assert_int_equal(codec_dict_init(&d, c, 0, dict, dict_size, NULL), TESS_OK);
    for (int i = 0; i < 2; i++) { // the second time after a failure without it
        assert_int_equal(
            c->decode(&(struct codec_call){.codec = c, .state = codec_state, .dict = &d}, packed, n,
                      back, size, NULL),
            TESS_OK);
        assert_memory_equal(back, data, size);
        check_refuses(c, packed, n, size);
    }
    codec_dict_finish(&d);
    free(back);
    free(packed);
}

static void
zstd_takes_dictionaries(void **state)
{
    (void)state;
    static uint8_t samples[100 * 1000];
    static uint8_t trained[8192];
    size_t sizes[100];
    uint8_t plain[5000];
    uint8_t data[500]; // not in the dictionary's memory: the library sees that

    make_data(NOISE, plain, sizeof plain);
    memcpy(data, plain + 777, sizeof data);
    check_zstd_dictionary(plain, sizeof plain, data, sizeof data);

    make_data(WORDS, samples, sizeof samples);
    for (size_t i = 0; i < 100; i++)
        sizes[i] = 1000;
    const size_t n = ZDICT_trainFromBuffer(trained, sizeof trained, samples, sizes, 100);
    assert_false(ZDICT_isError(n));
    assert_memory_equal(trained, "\x37\xa4\x30\xec", 4);
    check_zstd_dictionary(trained, n, samples + 5000, 1000);

    // A trained one whose tables are damaged: refused, not crashed on.
    uint8_t packed[2000];
    uint8_t back[1000];
    const size_t size = ZSTD_compress(packed, sizeof packed, samples, 1000, 3);
    memset(trained + 8, 0xff, 100);
    struct codec_dict damaged;
    const struct codec *const c = codec_by_id(TESS_CODEC_ZSTD);
    assert_int_equal(codec_dict_init(&damaged, c, 0, trained, n, NULL), TESS_OK);
    assert_int_equal(c->decode(&(struct codec_call){.state = codec_state, .dict = &damaged}, packed,
                               size, back, sizeof back, NULL),
                     TESS_ERR_CORRUPT);
    codec_dict_finish(&damaged);
    assert_int_equal(codec_dict_init(&damaged, c, 3, trained, n, NULL), TESS_ERR_CORRUPT);
    assert_int_equal(damaged.size, 0);
}

// Each stream starts from the dictionary alone, whatever came before it.
static void
prepared_dictionaries(void **state)
{
    (void)state;
    static const int takers[] = {TESS_CODEC_LZ4, TESS_CODEC_LZ4HC, TESS_CODEC_ZSTD};
    static uint8_t dict[DICT_SIZE_MAX];
    uint8_t data[300], first[400], packed[400], back[300];
    make_data(NOISE, dict, sizeof dict);

    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
        for (int level = 1; level <= 9; level++) {
            const struct codec *const c = codec_by_id(takers[i]);
            struct codec_dict d;
            size_t first_size = 0;
            assert_int_equal(codec_dict_init(&d, c, level, dict, sizeof dict, NULL), TESS_OK);
            const struct codec_call call = {
                .codec = c, .state = codec_state, .level = level, .dict = &d};
            for (size_t turn = 0; turn < 5; turn++) {
                size_t n = 0;
                memcpy(data, dict + (turn % 2 ? 5000 : 100), sizeof data);
                assert_int_equal(
                    c->encode(&call, data, sizeof data, packed, sizeof packed, &n, NULL), TESS_OK);
                assert_in_range(n, 1, level == 9 ? 60 : sizeof packed);
                assert_int_equal(c->decode(&call, packed, n, back, sizeof back, NULL), TESS_OK);
                assert_memory_equal(back, data, sizeof data);
                if (turn == 0) {
                    first_size = n;
                    memcpy(first, packed, n);
                } else if (turn % 2 == 0) {
                    assert_int_equal(n, first_size);
                    assert_memory_equal(packed, first, n);
                }
            }
            codec_dict_finish(&d);
        }
}

static size_t
zstd_frame(uint8_t *dst, size_t room, const uint8_t *data, size_t size, int with_size,
           int with_checksum)
{
    ZSTD_CCtx *const z = ZSTD_createCCtx();
    assert_non_null(z);

    ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, with_size);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, with_checksum);
    ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, 27); // claimed where the size is not
    const size_t n = ZSTD_compress2(z, dst, room, data, size);
    ZSTD_freeCCtx(z);
    assert_false(ZSTD_isError(n));
    return n;
}

static void
zstd_takes_one_frame(void **state)
{
    (void)state;
    const struct codec *const c = codec_by_id(TESS_CODEC_ZSTD);
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 'x'};
    static const uint8_t old[] = {0x27, 0xb5, 0x2f, 0xfd, 0x04, 0, 0x10, 0, 0, 0, 0, 0};
    static uint8_t packed[10000];
    uint8_t data[1000];
    make_data(WORDS, data, sizeof data);

    size_t n = zstd_frame(packed, sizeof packed, data, sizeof data, 0, 0);
    check_decodes(c, packed, n, data, sizeof data);
    check_refuses(c, packed, n, sizeof data - 1);
    check_refuses(c, packed, n, sizeof data + 1);

    n = zstd_frame(packed, sizeof packed, data, sizeof data, 1, 1);
    check_decodes(c, packed, n, data, sizeof data);
    packed[n - 1] ^= 1; // the checksum
    check_refuses(c, packed, n, sizeof data);

    n = zstd_frame(packed, sizeof packed, data, 500, 1, 0); // two that make the size together
    n += zstd_frame(packed + n, sizeof packed - n, data + 500, 500, 1, 0);
    check_refuses(c, packed, n, sizeof data);
    n = zstd_frame(packed, sizeof packed, data, 500, 0, 0);
    n += zstd_frame(packed + n, sizeof packed - n, data + 500, 500, 0, 0);
    check_refuses(c, packed, n, sizeof data);

    n = zstd_frame(packed, sizeof packed, data, sizeof data, 1, 0);
    memcpy(packed + n, skippable, sizeof skippable);
    check_refuses(c, packed, n + sizeof skippable, sizeof data);
    memmove(packed + sizeof skippable, packed, n);
    memcpy(packed, skippable, sizeof skippable);
    check_refuses(c, packed, n + sizeof skippable, sizeof data);
    check_refuses(c, skippable, sizeof skippable, 1);
    check_refuses(c, old, sizeof old, 16);
}

static void
refuses_nothing_at_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < NIDS; i++)
        check_refuses(codec_by_id(ids[i]), (const uint8_t *)"", 0, 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(noise_does_not_fit),
        cmocka_unit_test(smooth_data_shrinks),
        cmocka_unit_test(survives_mutations),
        cmocka_unit_test(has_names_and_formats),
        cmocka_unit_test(lz4_takes_a_dictionary),
        cmocka_unit_test(zstd_takes_dictionaries),
        cmocka_unit_test(prepared_dictionaries),
        cmocka_unit_test(zstd_takes_one_frame),
        cmocka_unit_test(refuses_nothing_at_all),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
