/*
 * frame_header.c - tests of frame/header and frame/history: bytes as text, and what is wrong with
 * them.
 */
#include "frame/format/header.h"

#include "base/bytes.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// The array of one int32 of the format's description.
#define EXAMPLE                                                                              \
    "9e a8 62326672616d6500 d2 0000007f cf 00000000000000ee a4 12005003 d3 0000000000000004" \
    "d3 0000000000000024 d2 00000004 d2 00000004 d2 00000004 d1 0001 d1 0001 c2"             \
    "d8 06 000000000001 00 00 000000000000 00 00"

static void
example(void **state)
{
    struct frame_header h;
    tess_error err;
    size_t size;
    uint8_t *const bytes = hex_bytes(EXAMPLE, &size);

    (void)state;
    assert_int_equal(size, FRAME_HEADER_SIZE);
    if (frame_header_parse(bytes, size, 238, &h, &err) != TESS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(h.version, 2);
    assert_int_equal(h.fixed_size, 87);
    assert_true(h.has_layers && h.has_trailer);
    assert_false(h.sparse || h.vlblocks || h.has_vlmeta || h.use_dict);
    assert_int_equal(h.header_len, 127);
    assert_int_equal(h.frame_len, 238);
    assert_int_equal(h.nbytes, 4);
    assert_int_equal(h.cbytes, 36);
    assert_int_equal(h.typesize, 4);
    assert_int_equal(h.blocksize, 4);
    assert_int_equal(h.chunksize, 4);
    assert_int_equal(h.codec, 0);
    assert_int_equal(h.clevel, 5);
    assert_int_equal(h.split, 4);
    assert_int_equal(h.filters[5], 1);
    assert_int_equal(h.filters[0] + h.filters[4] + h.codec_meta + h.filters_meta[5], 0);

    uint8_t again[FRAME_HEADER_SIZE];
    frame_header_write(&h, again);
    assert_memory_equal(again, bytes, sizeof again);
    free(bytes);
}

// Fields of the example, changed, and what comes of it.
static const struct changed {
    const char *what;
    size_t at;
    const char *bytes;
    tess_status status;
    int64_t offset;
} changes[] = {
    {"a frame inside of something larger", 0, "9e", TESS_OK, 0},
    {"markers that are wrong do no harm", 10, "00", TESS_OK, 0},
    {"no magic", 2, "61", TESS_ERR_FORMAT, 2},
    {"no NUL behind the magic", 9, "61", TESS_ERR_FORMAT, 2},
    {"an unknown first byte", 0, "9f", TESS_ERR_FORMAT, 0},
    {"version 0", 25, "10", TESS_ERR_UNSUPPORTED, 25},
    {"version 1 under a first byte of today", 25, "11", TESS_ERR_UNSUPPORTED, 25},
    {"version 4", 25, "14", TESS_ERR_UNSUPPORTED, 25},
    {"version 3", 25, "13", TESS_OK, 0},
    {"offsets of 32 bits", 25, "02", TESS_ERR_UNSUPPORTED, 25},
    {"offsets of 128 bits", 25, "22", TESS_ERR_UNSUPPORTED, 25},
    {"frame type 2", 26, "02", TESS_ERR_UNSUPPORTED, 26},
    {"user bits in the frame type", 26, "f0", TESS_ERR_UNSUPPORTED, 26},
    {"7 filter slots", 70, "07", TESS_ERR_CORRUPT, 70},
    {"a header that ends in its fixed part", 11, "00000056", TESS_ERR_CORRUPT, 11},
    {"a negative header", 11, "ffffffff", TESS_ERR_CORRUPT, 11},
    {"a header that leaves no room for a trailer", 11, "000000cc", TESS_ERR_CORRUPT, 11},
    {"a frame shorter than any", 16, "0000000000000079", TESS_ERR_CORRUPT, 16},
    {"a frame longer than the file", 16, "00000000000000ef", TESS_ERR_CORRUPT, 16},
    {"a frame of 2^63 bytes", 16, "8000000000000000", TESS_ERR_CORRUPT, 16},
    {"a frame of 2^64 - 1 bytes", 16, "ffffffffffffffff", TESS_ERR_CORRUPT, 16},
    {"-1 bytes", 30, "ffffffffffffffff", TESS_ERR_CORRUPT, 30},
    {"-1 stored bytes", 39, "ffffffffffffffff", TESS_ERR_CORRUPT, 30},
    {"stored bytes past the end", 39, "0000000000000070", TESS_ERR_CORRUPT, 39},
    {"stored bytes whose end overflows", 39, "7fffffffffffffff", TESS_ERR_CORRUPT, 39},
    {"items of 0 bytes", 48, "00000000", TESS_ERR_CORRUPT, 48},
    {"items of -1 bytes", 48, "ffffffff", TESS_ERR_CORRUPT, 48},
    {"items of 2^29 bytes", 48, "20000000", TESS_ERR_CORRUPT, 48},
    {"the largest items", 48, "1ffff000", TESS_OK, 0},
    {"blocks of -1 bytes", 53, "ffffffff", TESS_ERR_CORRUPT, 53},
    {"blocks of 2^29 bytes", 53, "20000000", TESS_ERR_CORRUPT, 53},
    {"blocks of no size: chosen chunk by chunk", 53, "00000000", TESS_OK, 0},
    {"chunks of -2 bytes", 58, "fffffffe", TESS_ERR_CORRUPT, 58},
    {"no chunks yet, and 4 bytes in them", 58, "ffffffff", TESS_ERR_CORRUPT, 58},
    {"chunks of 2^31 - 1 bytes", 58, "7fffffff", TESS_ERR_CORRUPT, 58},
    {"chunks of different sizes", 58, "00000000", TESS_OK, 0},
};

static void
fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct changed *const t = &changes[i];
        struct frame_header h;
        tess_error err = {0};
        size_t size, n;
        uint8_t *const bytes = hex_bytes(EXAMPLE, &size);
        uint8_t *const change = hex_bytes(t->bytes, &n);
        memcpy(bytes + t->at, change, n);
        const tess_status st = frame_header_parse(bytes, size, i == 0 ? 1000 : 238, &h, &err);
        if (st != t->status || (st != TESS_OK && (err.offset != t->offset || !err.message[0])))
            fail_msg("%s: status %d at %" PRId64 ": %s", t->what, st, err.offset, err.message);
        assert_int_equal(frame_header_parse(bytes, size, i == 0 ? 1000 : 238, &h, NULL), st);
        free(change);
        free(bytes);
    }
}

// An empty frame may claim stored bytes that are no more.
static void
empty_frame(void **state)
{
    struct frame_header h;
    size_t size;
    uint8_t *const bytes = hex_bytes(EXAMPLE, &size);

    (void)state;
    put_u64be(bytes + 30, 0);
    put_u64be(bytes + 39, UINT64_C(1) << 60);
    put_u32be(bytes + 58, UINT32_MAX);
    assert_int_equal(frame_header_parse(bytes, size, 238, &h, NULL), TESS_OK);
    assert_int_equal(h.chunksize, -1);
    free(bytes);
}

static void
sparse_frame(void **state)
{
    struct frame_header h;
    size_t size;
    uint8_t *const bytes = hex_bytes(EXAMPLE, &size);

    (void)state;
    bytes[26] = 1;
    put_u64be(bytes + 39, UINT64_C(1) << 40); // in files of their own
    assert_int_equal(frame_header_parse(bytes, size, 238, &h, NULL), TESS_OK);
    assert_true(h.sparse);
    free(bytes);
}

static void
cut_off(void **state)
{
    size_t size;
    uint8_t *const bytes = hex_bytes(EXAMPLE, &size);

    (void)state;
    for (size_t n = 0; n < size; n++) {
        struct frame_header h;
        uint8_t *const exact = exact_copy(bytes, n);
        assert_int_equal(frame_header_parse(exact, n, (int64_t)n, &h, NULL),
                         n < FRAME_HEADER_MIN ? TESS_ERR_FORMAT : TESS_ERR_CORRUPT);
        free(exact);
    }
    free(bytes);
}

// Betas: nothing between the sizes, filters squeezed together in eight slots.
#define BETA                                                                                 \
    "9d a8 62326672616d6500 d2 00000060 cf 0000000000000200 a4 21001500 d3 0000000000000064" \
    "d3 0000000000000050 d2 00000008 d2 00000032 d1 0001 d1 0001 c3 d8 02 0301000000000000"  \
    "0900000000000000"

static void
beta(void **state)
{
    struct frame_header h;
    size_t size;
    uint8_t *const bytes = hex_bytes(BETA, &size);

    (void)state;
    assert_int_equal(size, 82);
    assert_int_equal(frame_header_parse(bytes, size, 512, &h, NULL), TESS_OK);
    assert_int_equal(h.version, 1);
    assert_int_equal(h.fixed_size, 82);
    assert_true(h.has_layers && h.has_trailer && h.has_vlmeta);
    assert_int_equal(h.header_len, 96);
    assert_int_equal(h.frame_len, 512);
    assert_int_equal(h.nbytes, 100);
    assert_int_equal(h.cbytes, 80);
    assert_int_equal(h.typesize, 8);
    assert_int_equal(h.chunksize, 50);
    assert_int_equal(h.codec, 5);
    assert_int_equal(h.clevel, 1);
    assert_int_equal(h.filters[0], 3);
    assert_int_equal(h.filters[1], 1);
    assert_int_equal(h.filters_meta[0], 9);
    assert_int_equal(frame_header_parse(bytes, size - 1, 512, &h, NULL), TESS_ERR_CORRUPT);
    bytes[25] = 0x11;
    assert_int_equal(frame_header_parse(bytes, size, 512, &h, NULL), TESS_ERR_UNSUPPORTED);
    free(bytes);
}

static void
alpha(void **state)
{
    struct frame_header h;
    size_t size;
    uint8_t *const bytes = hex_bytes(BETA, &size);

    (void)state;
    bytes[0] = 0x9c;
    bytes[25] = 0x24;
    bytes[63] = 0xc2;
    put_u32be(bytes + 11, 64);
    assert_int_equal(frame_header_parse(bytes, 64, 512, &h, NULL), TESS_OK);
    assert_int_equal(h.version, 0);
    assert_int_equal(h.fixed_size, 64);
    assert_false(h.has_layers || h.has_trailer);
    put_u64be(bytes + 16, 143); // there is no trailer, but the chunks must fit
    assert_int_equal(frame_header_parse(bytes, 64, 512, &h, NULL), TESS_ERR_CORRUPT);
    put_u64be(bytes + 16, 144);
    assert_int_equal(frame_header_parse(bytes, 64, 512, &h, NULL), TESS_OK);
    free(bytes);
}

// Whatever is accepted is inside the file.
static void
promises(void **state)
{
    enum { ROUNDS = 200000 };
    struct random r;
    size_t size;
    int accepted = 0;
    uint8_t *const example = hex_bytes(EXAMPLE, &size);

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t bytes[FRAME_HEADER_SIZE];
        struct frame_header h;
        memcpy(bytes, example, sizeof bytes);
        bytes[0] = (uint8_t)(0x9c + random_below(&r, 3));
        bytes[25] = (uint8_t)(bytes[0] == 0x9c ? 0x24 : bytes[0] == 0x9d ? 0x21 : 0x12);
        for (uint64_t n = 1 + random_below(&r, 4); n > 0; n--)
            bytes[10 + random_below(&r, sizeof bytes - 10)] = (uint8_t)random_next(&r);
        const int64_t room = 238 + (int64_t)random_below(&r, 1000);
        if (frame_header_parse(bytes, sizeof bytes, room, &h, NULL) != TESS_OK)
            continue;
        accepted++;
        assert_true(h.header_len >= h.fixed_size && h.header_len <= h.frame_len);
        assert_true(h.frame_len <= room);
        assert_true(h.nbytes >= 0 && h.cbytes >= 0 && h.typesize >= 1 && h.blocksize >= 0);
        assert_true(h.chunksize >= (h.nbytes > 0 ? 0 : -1));
        if (h.nbytes > 0 && !h.sparse)
            assert_true(h.cbytes <= h.frame_len - h.header_len);
        assert_in_range(h.split, 1, 4);
    }
    assert_true(accepted > ROUNDS / 100);
    free(example);
}

static void
written_and_parsed(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 2000; i++) {
        static const int codecs[] = {0, 1, 2, 4, 5, 32, 35, 200};
        uint8_t bytes[FRAME_HEADER_SIZE];
        struct frame_header back;
        struct frame_header h = {
            .fixed_size = FRAME_HEADER_SIZE,
            .has_layers = true,
            .has_trailer = true,
            .header_len = 97 + (int32_t)random_below(&r, 10000),
            .nbytes = (int64_t)random_below(&r, UINT64_C(1) << 60),
            .cbytes = (int64_t)random_below(&r, UINT64_C(1) << 60),
            .typesize = 1 + (int32_t)random_below(&r, 1 << 20),
            .blocksize = (int32_t)random_below(&r, 1 << 20),
            .chunksize = (int32_t)random_below(&r, 3) * 1000,
            .codec = codecs[random_below(&r, 8)],
            .codec_meta = (int)random_below(&r, 256),
            .clevel = (int)random_below(&r, 10),
            .split = 1 + (int)random_below(&r, 4),
            .has_vlmeta = random_below(&r, 2),
            .use_dict = random_below(&r, 2),
        };
        h.version = h.chunksize == 0 ? 3 : 2;
        h.frame_len = h.header_len + h.cbytes + 35 + (int64_t)random_below(&r, 1000);
        random_bytes(&r, h.filters, sizeof h.filters);
        random_bytes(&r, h.filters_meta, sizeof h.filters_meta);
        frame_header_write(&h, bytes);
        assert_int_equal(frame_header_parse(bytes, sizeof bytes, h.frame_len, &back, NULL),
                         TESS_OK);
        uint8_t again[FRAME_HEADER_SIZE];
        frame_header_write(&back, again);
        assert_memory_equal(again, bytes, sizeof bytes);
        assert_int_equal(back.codec, h.codec);
        assert_int_equal(back.chunksize, h.chunksize);
        assert_int_equal(back.nbytes, h.nbytes);
        assert_int_equal(back.cbytes, h.cbytes);
        assert_int_equal(back.frame_len, h.frame_len);
        assert_int_equal(back.split, h.split);
        assert_memory_equal(back.filters, h.filters, sizeof h.filters);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example),
        cmocka_unit_test(fields),
        cmocka_unit_test(empty_frame),
        cmocka_unit_test(sparse_frame),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(beta),
        cmocka_unit_test(alpha),
        cmocka_unit_test(promises),
        cmocka_unit_test(written_and_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
