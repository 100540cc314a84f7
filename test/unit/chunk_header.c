/*
 * chunk_header.c - tests of chunk/header: bytes as text, good ones with what they mean, bad ones
 * with why.
 */
#include "chunk/header.h"

#include "base/bytes.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// The second half of a 32-byte header: shuffle in the last slot, LZ4.
#define EXT "000000000001 01 00 000000000000 00 00"

static const struct good {
    const char *what;
    const char *bytes;
    int64_t room;
    int32_t itemsize; // of the frame
    struct chunk_header h; // only what differs from zero
} goods[] = {
    {"64 int32, LZ4, shuffle, split",
     "05 01 25 04 00010000 00010000 74000000 000000000001 01 00 000000000000 00 00",
     116,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 256,
      .blocksize = 256,
      .cbytes = 116,
      .nblocks = 1,
      .codec_format = 1,
      .udcodec = 1,
      .filters = {0, 0, 0, 0, 0, 1},
      .split = true}},
    {"10000 int32 equal to 0x07070707, one block",
     "05 01 05 04 409c0000 409c0000 38000000 000000000001 00 00 000000000000 00 00",
     56,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 40000,
      .blocksize = 40000,
      .cbytes = 56,
      .nblocks = 1,
      .filters = {0, 0, 0, 0, 0, 1},
      .split = true}},
    {"40000 zeros",
     "05 01 05 04 409c0000 409c0000 20000000 000000000000 00 00 000000000000 00 10",
     32,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 40000,
      .blocksize = 40000,
      .cbytes = 32,
      .special = SPECIAL_ZEROS,
      .split = true}},
    {"1.5f 1000 times",
     "05 01 05 04 a00f0000 a00f0000 24000000 000000000000 00 00 000000000000 0030",
     36,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 4000,
      .blocksize = 4000,
      .cbytes = 36,
      .special = SPECIAL_VALUE,
      .split = true}},
    {"40 bytes as they are",
     "05 01 07 04 28000000 28000000 48000000 000000000001 00 00 000000000000 00 00",
     72,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 40,
      .blocksize = 40,
      .cbytes = 72,
      .filters = {0, 0, 0, 0, 0, 1},
      .memcpyed = true,
      .split = true}},
    {"blocks of different sizes",
     "06 01 35 01 e8030000 02000000 ab000000 000000000001 01 00 000000000000 01 00",
     171,
     1,
     {.version = 6,
      .header_size = 32,
      .typesize = 1,
      .nbytes = 1000,
      .cbytes = 171,
      .nblocks = 2,
      .codec_format = 1,
      .udcodec = 1,
      .filters = {0, 0, 0, 0, 0, 1},
      .vlblocks = true}},
    {"Blosc 1.x: shuffle, 10 blocks, the last one shorter",
     "02 01 01 04 6a090000 00010000 00020000",
     512,
     0,
     {.version = 2,
      .header_size = 16,
      .typesize = 4,
      .nbytes = 2410,
      .blocksize = 256,
      .cbytes = 512,
      .nblocks = 10,
      .leftover = 106,
      .filters = {0, 0, 0, 0, 0, 1},
      .split = true}},
    {"Blosc 1.x: bitshuffle and delta, not split, zlib",
     "02 01 7c 08 00010000 00010000 40000000",
     1000,
     0,
     {.version = 2,
      .header_size = 16,
      .typesize = 8,
      .nbytes = 256,
      .blocksize = 256,
      .cbytes = 64,
      .nblocks = 1,
      .codec_format = 3,
      .filters = {0, 0, 0, 0, 3, 2}}},
    {"Blosc 1.x: plain bytes",
     "02 01 02 01 10000000 10000000 20000000",
     32,
     0,
     {.version = 2,
      .header_size = 16,
      .typesize = 1,
      .nbytes = 16,
      .blocksize = 16,
      .cbytes = 32,
      .memcpyed = true,
      .split = true}},
    {"an alpha: the bytes of today's second half are not looked at",
     "03 01 25 04 00010000 00010000 74000000 000000000109 77 66 555555555555 44 00",
     116,
     4,
     {.version = 3,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 256,
      .blocksize = 256,
      .cbytes = 116,
      .nblocks = 1,
      .codec_format = 1,
      .filters = {0, 0, 0, 0, 1, 0},
      .split = true}},
    {"no bytes",
     "05 01 17 08 00000000 01000000 20000000 " EXT,
     32,
     8,
     {.version = 5,
      .header_size = 32,
      .typesize = 8,
      .blocksize = 1,
      .cbytes = 32,
      .udcodec = 1,
      .filters = {0, 0, 0, 0, 0, 1},
      .memcpyed = true}},
    {"no bytes, and not said to be plain",
     "05 01 15 08 00000000 01000000 20000000 " EXT,
     32,
     8,
     {.version = 5,
      .header_size = 32,
      .typesize = 8,
      .blocksize = 1,
      .cbytes = 32,
      .udcodec = 1,
      .filters = {0, 0, 0, 0, 0, 1}}},
    {"a block size that is not whole items, of 3.x",
     "05 01 35 08 64000000 22000000 80000000 " EXT,
     128,
     8,
     {.version = 5,
      .header_size = 32,
      .typesize = 8,
      .nbytes = 100,
      .blocksize = 32,
      .cbytes = 128,
      .nblocks = 4,
      .leftover = 4,
      .codec_format = 1,
      .udcodec = 1,
      .filters = {0, 0, 0, 0, 0, 1}}},
    {"the same with items above 255 bytes",
     "05 01 35 01 58020000 2d010000 a0000000 " EXT,
     160,
     300,
     {.version = 5,
      .header_size = 32,
      .typesize = 1,
      .nbytes = 600,
      .blocksize = 300,
      .cbytes = 160,
      .nblocks = 2,
      .codec_format = 1,
      .udcodec = 1,
      .filters = {0, 0, 0, 0, 0, 1}}},
    {"a block larger than the chunk, of 3.x",
     "05 01 35 04 64000000 00010000 60000000 " EXT,
     96,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 100,
      .blocksize = 100,
      .cbytes = 96,
      .nblocks = 1,
      .codec_format = 1,
      .udcodec = 1,
      .filters = {0, 0, 0, 0, 0, 1}}},
    {"a dictionary",
     "05 01 95 04 00010000 80000000 00010000 000000000001 05 00 000000000000 00 01",
     256,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 256,
      .blocksize = 128,
      .cbytes = 256,
      .nblocks = 2,
      .codec_format = 4,
      .udcodec = 5,
      .filters = {0, 0, 0, 0, 0, 1},
      .has_dict = true}},
    {"a dictionary that is not there, in plain bytes",
     "05 01 97 04 10000000 10000000 30000000 000000000001 05 00 000000000000 00 01",
     48,
     4,
     {.version = 5,
      .header_size = 32,
      .typesize = 4,
      .nbytes = 16,
      .blocksize = 16,
      .cbytes = 48,
      .codec_format = 4,
      .udcodec = 5,
      .filters = {0, 0, 0, 0, 0, 1},
      .memcpyed = true}},
    {"NaNs",
     "05 01 05 08 00010000 00010000 20000000 000000000000 00 00 000000000000 00 20",
     32,
     8,
     {.version = 5,
      .header_size = 32,
      .typesize = 8,
      .nbytes = 256,
      .blocksize = 256,
      .cbytes = 32,
      .special = SPECIAL_NANS,
      .split = true}},
    {"special and memcpyed: special counts",
     "05 01 07 03 00010000 00010000 20000000 000000000000 00 00 000000000000 00 10",
     32,
     3,
     {.version = 5,
      .header_size = 32,
      .typesize = 3,
      .nbytes = 256,
      .blocksize = 256,
      .cbytes = 32,
      .special = SPECIAL_ZEROS,
      .split = true}},
    {"as large as can be, zeros",
     "05 01 05 01 dfffff7f 00f0ff1f 20000000 000000000000 00 00 000000000000 00 10",
     32,
     1,
     {.version = 5,
      .header_size = 32,
      .typesize = 1,
      .nbytes = 2147483615,
      .blocksize = 536866816,
      .cbytes = 32,
      .special = SPECIAL_ZEROS,
      .split = true}},
    {"more room than needed",
     "02 01 02 01 01000000 01000000 11000000 ffffffffffffffff",
     INT64_MAX,
     0,
     {.version = 2,
      .header_size = 16,
      .typesize = 1,
      .nbytes = 1,
      .blocksize = 1,
      .cbytes = 17,
      .memcpyed = true,
      .split = true}},
};

static void
good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof goods[0]; i++) {
        const struct good *const t = &goods[i];
        struct chunk_header h;
        tess_error err;
        size_t size;
        uint8_t *const bytes = hex_bytes(t->bytes, &size);
        if (chunk_header_parse(bytes, size, t->room, t->itemsize, &h, &err) != TESS_OK)
            fail_msg("%s: %s", t->what, err.message);
        const struct chunk_header *const e = &t->h;
        const bool same =
            h.version == e->version && h.header_size == e->header_size &&
            h.typesize == e->typesize && h.nbytes == e->nbytes && h.blocksize == e->blocksize &&
            h.cbytes == e->cbytes && h.nblocks == e->nblocks && h.leftover == e->leftover &&
            h.codec_format == e->codec_format && h.udcodec == e->udcodec &&
            h.codec_meta == e->codec_meta && memcmp(h.filters, e->filters, FILTER_SLOTS) == 0 &&
            memcmp(h.filters_meta, e->filters_meta, FILTER_SLOTS) == 0 && h.special == e->special &&
            h.memcpyed == e->memcpyed && h.split == e->split && h.has_dict == e->has_dict &&
            h.vlblocks == e->vlblocks && h.instrumented == e->instrumented;
        if (!same)
            fail_msg("%s: %" PRId32 " bytes in %" PRId32 " blocks of %" PRId32 ", %" PRId32
                     " left over, format %d, codec %d, split %d, special %d",
                     t->what, h.nbytes, h.nblocks, h.blocksize, h.leftover, h.codec_format,
                     h.udcodec, h.split, h.special);
        free(bytes);
    }
}

static const struct bad {
    const char *what;
    const char *bytes;
    int64_t room;
    tess_status status;
    int64_t offset;
} bads[] = {
    {"no bytes at all", "", 1000, TESS_ERR_CORRUPT, 0},
    {"15 bytes", "05 01 25 04 00010000 00010000 740000", 1000, TESS_ERR_CORRUPT, 0},
    {"16 bytes that need 32", "05 01 25 04 00010000 00010000 74000000", 1000, TESS_ERR_CORRUPT, 16},
    {"31 bytes", "05 01 25 04 00010000 00010000 74000000 000000000001 01 00 000000000000 00", 1000,
     TESS_ERR_CORRUPT, 16},
    {"version 0", "00 01 25 04 00010000 00010000 74000000 " EXT, 116, TESS_ERR_UNSUPPORTED, 0},
    {"version 1", "01 01 25 04 00010000 00010000 74000000 " EXT, 116, TESS_ERR_UNSUPPORTED, 0},
    {"version 7", "07 01 25 04 00010000 00010000 74000000 " EXT, 116, TESS_ERR_UNSUPPORTED, 0},
    {"items of 0 bytes", "05 01 25 00 00010000 00010000 74000000 " EXT, 116, TESS_ERR_CORRUPT, 3},
    {"-1 bytes", "05 01 25 04 ffffffff 00010000 74000000 " EXT, 116, TESS_ERR_CORRUPT, 4},
    {"a byte more than a chunk can have", "05 01 05 01 e0ffff7f 00010000 74000000 " EXT, 116,
     TESS_ERR_CORRUPT, 4},
    {"blocks of 0 bytes", "05 01 25 04 00010000 00000000 74000000 " EXT, 116, TESS_ERR_CORRUPT, 8},
    {"blocks of -1 bytes", "05 01 25 04 00010000 ffffffff 74000000 " EXT, 116, TESS_ERR_CORRUPT, 8},
    {"blocks of a byte too many", "05 01 25 04 00010000 01f0ff1f 74000000 " EXT, 116,
     TESS_ERR_CORRUPT, 8},
    {"smaller than its header of 32", "05 01 25 04 00010000 00010000 1f000000 " EXT, 116,
     TESS_ERR_CORRUPT, 12},
    {"smaller than its header of 16", "02 01 21 04 00010000 00010000 0f000000", 116,
     TESS_ERR_CORRUPT, 12},
    {"-1 stored bytes", "05 01 25 04 00010000 00010000 ffffffff " EXT, 116, TESS_ERR_CORRUPT, 12},
    {"more stored bytes than there is room for", "05 01 25 04 00010000 00010000 74000000 " EXT, 115,
     TESS_ERR_CORRUPT, 12},
    {"no room", "05 01 25 04 00010000 00010000 74000000 " EXT, 0, TESS_ERR_CORRUPT, 12},
    {"negative room", "05 01 25 04 00010000 00010000 74000000 " EXT, -5, TESS_ERR_CORRUPT, 12},
    {"special value 5",
     "05 01 05 04 00010000 00010000 20000000 000000000000 00 00 000000000000 0050", 32,
     TESS_ERR_CORRUPT, 31},
    {"special value 7",
     "05 01 05 04 00010000 00010000 20000000 000000000000 00 00 000000000000 0070", 32,
     TESS_ERR_CORRUPT, 31},
    {"unknown bit in flags2",
     "05 01 25 04 00010000 00010000 74000000 000000000001 01 00 000000000000 02 00", 116,
     TESS_ERR_UNSUPPORTED, 30},
    {"unknown high bit in flags2",
     "06 01 35 04 00010000 01000000 74000000 000000000001 01 00 000000000000 81 00", 116,
     TESS_ERR_UNSUPPORTED, 30},
    {"lazy", "05 01 25 04 00010000 00010000 74000000 000000000001 01 00 000000000000 00 08", 116,
     TESS_ERR_CORRUPT, 31},
    {"instrumented", "05 01 25 04 00010000 00010000 74000000 000000000001 01 00 000000000000 00 80",
     116, TESS_ERR_UNSUPPORTED, 31},
    {"blocks of different sizes, and special",
     "06 01 35 01 e8030000 02000000 20000000 000000000001 01 00 000000000000 01 10", 32,
     TESS_ERR_CORRUPT, 30},
    {"blocks of different sizes, and memcpyed",
     "06 01 37 01 08000000 02000000 28000000 000000000001 01 00 000000000000 01 00", 40,
     TESS_ERR_CORRUPT, 30},
    {"more blocks of different sizes than fit",
     "06 01 35 01 e8030000 24000000 ab000000 000000000001 01 00 000000000000 01 00", 171,
     TESS_ERR_CORRUPT, 8},
    {"a table whose size overflows 32 bits",
     "06 01 35 01 e8030000 00f0ff1f ab000000 000000000001 01 00 000000000000 01 00", 171,
     TESS_ERR_CORRUPT, 8},
    {"more blocks than fit", "05 01 35 01 00010000 01000000 74000000 " EXT, 116, TESS_ERR_CORRUPT,
     8},
    {"2^31 - 33 blocks", "05 01 35 01 dfffff7f 01000000 74000000 " EXT, 116, TESS_ERR_CORRUPT, 8},
    {"NaNs of 2 bytes",
     "05 01 05 02 00010000 00010000 20000000 000000000000 00 00 000000000000 0020", 32,
     TESS_ERR_CORRUPT, 3},
    {"NaNs that are cut",
     "05 01 05 08 01010000 00010000 20000000 000000000000 00 00 000000000000 0020", 32,
     TESS_ERR_CORRUPT, 3},
    {"uninitialised items that are cut",
     "05 01 05 03 00010000 00010000 20000000 000000000000 00 00 000000000000 0040", 32,
     TESS_ERR_CORRUPT, 4},
    {"a repeated value of 0 bytes",
     "05 01 05 04 a00f0000 a00f0000 20000000 000000000000 00 00 000000000000 00 30", 32,
     TESS_ERR_CORRUPT, 12},
    {"a repeated value that is cut",
     "05 01 05 04 a10f0000 a00f0000 24000000 000000000000 00 00 000000000000 00 30", 36,
     TESS_ERR_CORRUPT, 12},
    {"plain bytes: one too few", "05 01 07 04 28000000 28000000 47000000 " EXT, 100,
     TESS_ERR_CORRUPT, 12},
    {"plain bytes: one too many", "05 01 07 04 28000000 28000000 49000000 " EXT, 100,
     TESS_ERR_CORRUPT, 12},
    {"plain bytes under 16 bytes of header: 16 too many", "02 01 02 04 28000000 28000000 48000000",
     100, TESS_ERR_CORRUPT, 12},
};

static void
bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        const struct bad *const t = &bads[i];
        struct chunk_header h;
        tess_error err = {0};
        size_t size;
        uint8_t *const bytes = hex_bytes(t->bytes, &size);
        const tess_status st = chunk_header_parse(bytes, size, t->room, 0, &h, &err);
        if (st != t->status || err.status != st || err.offset != t->offset || !err.message[0])
            fail_msg("%s: status %d at %" PRId64 ": %s", t->what, st, err.offset, err.message);
        assert_int_equal(chunk_header_parse(bytes, size, t->room, 0, &h, NULL), st);
        free(bytes);
    }
}

// Whatever the bytes are: what is accepted keeps the promises that the rest relies on.
static void
promises(void **state)
{
    enum { ROUNDS = 300000 };
    struct random r;
    int accepted = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t bytes[CHUNK_HEADER_SIZE];
        struct chunk_header h;
        random_bytes(&r, bytes, sizeof bytes);
        bytes[0] = (uint8_t)random_below(&r, 8);
        put_u32le(bytes + 4, (uint32_t)random_below(&r, UINT64_C(1) << random_below(&r, 33)));
        put_u32le(bytes + 8, (uint32_t)random_below(&r, UINT64_C(1) << random_below(&r, 33)));
        put_u32le(bytes + 12, (uint32_t)random_below(&r, UINT64_C(1) << random_below(&r, 33)));
        bytes[30] &= (uint8_t)random_below(&r, 4);
        bytes[31] &= (uint8_t)(random_below(&r, 2) ? 0x71 : 0xff);
        const int64_t room = (int64_t)random_below(&r, UINT64_C(1) << random_below(&r, 34));
        const int32_t itemsize = (int32_t)random_below(&r, 600);
        if (chunk_header_parse(bytes, sizeof bytes, room, itemsize, &h, NULL) != TESS_OK)
            continue;

        accepted++;
        assert_true(h.nbytes >= 0 && h.nbytes <= CHUNK_NBYTES_MAX);
        assert_true(h.cbytes >= h.header_size && h.cbytes <= room);
        assert_true(h.typesize >= 1 && h.typesize <= 255);
        assert_true(h.header_size + 4 * (int64_t)h.nblocks <= h.cbytes);
        if (h.memcpyed)
            assert_int_equal(h.cbytes - h.header_size, h.nbytes);
        if (h.special != SPECIAL_NONE || h.memcpyed || h.nbytes == 0) {
            assert_int_equal(h.nblocks, 0);
        } else if (!h.vlblocks) { // blocks that make up the chunk exactly
            assert_true(h.blocksize >= 1 && h.blocksize <= h.nbytes);
            int64_t total = (int64_t)(h.nblocks - 1) * h.blocksize;
            total += chunk_block_nbytes(&h, h.nblocks - 1);
            assert_int_equal(total, h.nbytes);
        } else {
            assert_true(h.nblocks >= 1);
        }
    }
    assert_true(accepted > ROUNDS / 100);
}

static void
written_and_parsed(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int i = 0; i < 1000; i++) {
        uint8_t bytes[CHUNK_HEADER_SIZE];
        struct chunk_header back;
        struct chunk_header h = {
            .version = 5,
            .header_size = CHUNK_HEADER_SIZE,
            .typesize = 1 + (int32_t)random_below(&r, 255),
            .codec_format = (int)random_below(&r, 5),
            .udcodec = (int)random_below(&r, 256),
            .codec_meta = (int)random_below(&r, 256),
            .split = random_below(&r, 2),
        };
        for (int slot = 0; slot < FILTER_SLOTS; slot++) {
            h.filters[slot] = (uint8_t)random_below(&r, 4);
            h.filters_meta[slot] = (uint8_t)random_below(&r, 256);
        }
        h.blocksize = h.typesize * (1 + (int32_t)random_below(&r, 50));
        h.nblocks = 1 + (int32_t)random_below(&r, 9);
        h.leftover = (int32_t)random_below(&r, (uint64_t)h.blocksize);
        h.nbytes = (h.nblocks - (h.leftover > 0)) * h.blocksize + h.leftover;
        h.cbytes = 68 + (int32_t)random_below(&r, 10000);
        if (random_below(&r, 3) == 0) {
            h.special = SPECIAL_ZEROS;
            h.nblocks = h.leftover = 0;
        } else if (random_below(&r, 3) == 0) {
            h.memcpyed = true;
            h.nblocks = h.leftover = 0;
            h.cbytes = h.nbytes + CHUNK_HEADER_SIZE;
        }
        if (h.nbytes < h.blocksize) // a single shorter block is a full one
            continue;
        chunk_header_write(&h, bytes);
        assert_int_equal(chunk_header_parse(bytes, sizeof bytes, h.cbytes, 0, &back, NULL),
                         TESS_OK);
        assert_memory_equal(&back, &h, offsetof(struct chunk_header, special));
        assert_int_equal(back.special, h.special);
        assert_int_equal(back.memcpyed, h.memcpyed);
        assert_int_equal(back.split, h.split);
        assert_false(back.has_dict || back.vlblocks || back.instrumented);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good),
        cmocka_unit_test(bad),
        cmocka_unit_test(promises),
        cmocka_unit_test(written_and_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
