/*
 * chunk_bytes.c - tests of reading chunks that are put together by hand: what other writers make,
 * and what nobody should.
 */
#include "chunk/chunk.h"

#include "base/bytes.h"
#include "chunk/content.h"
#include "support/hex.h"

#include <inttypes.h>
#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

enum { LIMIT = 1 << 20 };

struct maker {
    uint8_t bytes[100000];
    size_t size;
};

static void
add(struct maker *m, const void *bytes, size_t size)
{
    assert_true(size <= sizeof m->bytes - m->size);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void
add_hex(struct maker *m, const char *text)
{
    size_t size;
    uint8_t *const bytes = hex_bytes(text, &size);
    add(m, bytes, size);
    free(bytes);
}

static void
add_i32(struct maker *m, int32_t v)
{
    uint8_t bytes[4];
    put_i32le(bytes, v);
    add(m, bytes, sizeof bytes);
}

// The size is known when all else is there.
static void
finish(struct maker *m)
{
    put_i32le(m->bytes + 12, (int32_t)m->size);
}

static tess_status
content_of(const struct maker *m, uint8_t **content, size_t *size, tess_error *err)
{
    uint8_t *const exact = exact_copy(m->bytes, m->size);
    const tess_status st = chunk_content(exact, m->size, LIMIT, content, size, err);
    free(exact);
    return st;
}

static void
check(const struct maker *m, const void *expected, size_t size)
{
    uint8_t *content;
    size_t found;
    tess_error err;
    if (content_of(m, &content, &found, &err) != TESS_OK)
        fail_msg("%s", err.message);
    assert_int_equal(found, size);
    assert_memory_equal(content, expected, size);
    free(content);
}

static void
check_refused(const struct maker *m, tess_status status, const char *what)
{
    uint8_t *content = NULL;
    size_t size;
    tess_error err = {0};
    const tess_status st = content_of(m, &content, &size, &err);
    if (st != status || err.status != st || !err.message[0] || content)
        fail_msg("%s: status %d: %s", what, st, err.message);
}

static uint8_t noise_byte(size_t i);

// Bytes that no codec makes smaller.
static void
noise(uint8_t *dst, size_t size)
{
    for (size_t i = 0; i < size; i++)
        dst[i] = noise_byte(i);
}

static uint8_t
noise_byte(size_t i)
{
    uint64_t x = i * UINT64_C(0x9e3779b97f4a7c15) + 1;
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint8_t)(x >> 56);
}

static void
shuffle(const uint8_t *src, size_t size, size_t width, uint8_t *dst)
{
    for (size_t i = 0; i < size; i++)
        dst[i % width * (size / width) + i / width] = src[i];
}

// -- the examples of the format

static void
worked_example(struct maker *m)
{
    m->size = 0;
    add_hex(m, "05 01 25 04 00010000 00010000 74000000 000000000001 01 00 000000000000 00 00"
               "24000000 40000000");
    for (uint8_t i = 0; i < 64; i++) {
        const uint8_t byte = i / 2;
        add(m, &byte, 1);
    }
    add_hex(m, "00000000 00000000 00000000");
}

static void
example_of_streams(void **state)
{
    uint8_t expected[256] = {0};
    struct maker m;

    (void)state;
    worked_example(&m);
    for (int i = 0; i < 64; i++)
        expected[4 * i] = (uint8_t)(i / 2);
    assert_int_equal(m.size, 116);
    check(&m, expected, sizeof expected);
}

static void
example_of_runs(void **state)
{
    static uint8_t expected[40000];
    struct maker m = {.size = 0};

    (void)state;
    add_hex(&m, "05 01 05 04 409c0000 409c0000 38000000 000000000001 00 00 000000000000 00 00"
                "24000000 f9ffffff01 f9ffffff01 f9ffffff01 f9ffffff01");
    memset(expected, 7, sizeof expected);
    check(&m, expected, sizeof expected);
}

static void
example_of_blosclz(void **state)
{
    uint8_t expected[400];
    struct maker m = {.size = 0};

    (void)state;
    add_hex(&m, "05 01 15 04 90010000 90010000 43000000 000000000001 00 00 000000000000 00 00"
                "24000000 1b000000"
                "2400e8d0b8a0 e05604 040003070b0f e05604 0000 e0bb00 02000000");
    for (uint32_t i = 0; i < 100; i++)
        put_u32le(expected + 4 * i, i % 5 * 1000);
    check(&m, expected, sizeof expected);
}

static void
special_values(void **state)
{
    static uint8_t expected[40000];
    struct maker m = {.size = 0};

    (void)state;
    add_hex(&m, "05 01 05 04 409c0000 409c0000 20000000 000000000000 00 00 000000000000 00 10");
    check(&m, expected, 40000);
    m.bytes[31] = 0x40; // uninitialised
    check(&m, expected, 40000);
    m.bytes[31] = 0x20;
    for (size_t i = 0; i < 40000; i += 4)
        put_u32le(expected + i, 0x7fc00000);
    check(&m, expected, 40000);
    m.bytes[3] = 8;
    for (size_t i = 0; i < 40000; i += 8)
        put_u64le(expected + i, UINT64_C(0x7ff8000000000000));
    check(&m, expected, 40000);

    m.size = 0;
    add_hex(&m, "05 01 05 04 a00f0000 a00f0000 24000000 000000000000 00 00 000000000000 00 30"
                "0000c03f");
    for (size_t i = 0; i < 4000; i += 4)
        put_u32le(expected + i, 0x3fc00000);
    check(&m, expected, 4000);

    m.size = 0; // an item of 300 bytes
    add_hex(&m, "05 01 05 01 84030000 2c010000 00000000 000000000000 00 00 000000000000 00 30");
    uint8_t item[300];
    noise(item, sizeof item);
    add(&m, item, sizeof item);
    finish(&m);
    for (size_t i = 0; i < 900; i++)
        expected[i] = item[i % 300];
    check(&m, expected, 900);
}

static void
plain_bytes(void **state)
{
    uint8_t bytes[1000];
    struct maker m = {.size = 0};

    (void)state;
    noise(bytes, sizeof bytes);
    add_hex(&m, "05 01 07 04 28000000 28000000 48000000 000000000001 00 00 000000000000 00 00");
    add(&m, bytes, 40);
    check(&m, bytes, 40);

    m.size = 0;
    add_hex(&m, "02 01 02 04 e8030000 00010000 f8030000");
    add(&m, bytes, 1000);
    check(&m, bytes, 1000);
}

static void
empty(void **state)
{
    struct maker m = {.size = 0};
    uint8_t *content;
    size_t size = 1;

    (void)state;
    add_hex(&m, "05 01 07 08 00000000 01000000 20000000 000000000001 00 00 000000000000 00 00");
    assert_int_equal(content_of(&m, &content, &size, NULL), TESS_OK);
    assert_null(content);
    assert_int_equal(size, 0);
    m.bytes[2] = 0x05;
    assert_int_equal(content_of(&m, &content, &size, NULL), TESS_OK);
    assert_null(content);
}

// -- headers of 16 bytes

// Two blocks and a shorter one of 40 bytes, as plain streams. The bit "not split" is clear.
static void
make_old(struct maker *m, int32_t typesize, int32_t blocksize, bool split, uint8_t *content)
{
    const int32_t nbytes = 2 * blocksize + 40;
    uint8_t filtered[4096];

    noise(content, (size_t)nbytes);
    m->size = 0;
    add_hex(m, "02 01 01 00");
    m->bytes[3] = (uint8_t)typesize;
    add_i32(m, nbytes);
    add_i32(m, blocksize);
    add_i32(m, 0);
    const int32_t stored = blocksize + 4 * (split ? typesize : 1);
    for (int32_t i = 0; i < 3; i++)
        add_i32(m, 28 + i * stored);
    for (int32_t i = 0; i < 3; i++) {
        const int32_t size = i < 2 ? blocksize : 40;
        const int32_t nstreams = i < 2 && split ? typesize : 1;
        shuffle(content + i * blocksize, (size_t)size, (size_t)typesize, filtered);
        for (int32_t j = 0; j < nstreams; j++) {
            add_i32(m, size / nstreams);
            add(m, filtered + j * (size / nstreams), (size_t)(size / nstreams));
        }
    }
    finish(m);
}

static void
old_headers(void **state)
{
    static const struct {
        int32_t typesize, blocksize;
    } layouts[] = {{4, 512}, {8, 1024}, {4, 64}, {4, 508}, {20, 1000}, {8, 1016}, {1, 100}};
    uint8_t content[4096];
    struct maker m;

    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const int32_t typesize = layouts[i].typesize, blocksize = layouts[i].blocksize;
        make_old(&m, typesize, blocksize, true, content);
        check(&m, content, (size_t)(2 * blocksize + 40));
        make_old(&m, typesize, blocksize, false, content);
        if (typesize > 16 || blocksize / typesize < 128 || typesize == 1)
            check(&m, content, (size_t)(2 * blocksize + 40)); // the writers of old did that
        else
            check_refused(&m, TESS_ERR_CORRUPT, "not split, though large enough to be");
    }
}

static void
old_header_without_runs(void **state)
{
    struct maker m;
    uint8_t content[4096];

    (void)state;
    make_old(&m, 4, 512, true, content);
    put_i32le(m.bytes + 28, 0); // runs came with the new header
    check_refused(&m, TESS_ERR_CORRUPT, "a run of zeros under a header of 16 bytes");
    put_i32le(m.bytes + 28, -7);
    check_refused(&m, TESS_ERR_CORRUPT, "a run of sevens under a header of 16 bytes");
}

// -- where blocks stand

static const char unsplit[] =
    "05 01 15 01 60000000 20000000 00000000 000000000000 00 00 000000000000 00 00";

// Three blocks of 32 bytes; `order` says which one stands first, second, third, and `gap` how many
// unused bytes are before each.
static void
make_blocks(struct maker *m, const int *order, int32_t gap, uint8_t *content)
{
    int32_t starts[3];

    noise(content, 96);
    m->size = 0;
    add_hex(m, unsplit);
    add(m, starts, sizeof starts);
    for (int k = 0; k < 3; k++) {
        for (int32_t i = 0; i < gap; i++)
            add(m, "!", 1);
        put_i32le(m->bytes + 32 + 4 * order[k], (int32_t)m->size);
        add_i32(m, 32);
        add(m, content + 32 * order[k], 32);
    }
    finish(m);
}

static void
blocks_in_any_order(void **state)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    uint8_t content[96];
    struct maker m;

    (void)state;
    for (int i = 0; i < 6; i++)
        for (int32_t gap = 0; gap < 3; gap++) {
            make_blocks(&m, orders[i], gap, content);
            check(&m, content, sizeof content);
        }
}

static void
blocks_that_cannot_be(void **state)
{
    static const struct {
        const char *what;
        int32_t start; // of block 1, instead of 80
    } wrong[] = {
        {"in the table", 43},        {"in the header", 0},      {"behind the end", 152},
        {"far behind", 1 << 30},     {"before the start", -1},  {"the same as block 0", 44},
        {"overlapping block 0", 79}, {"at the last byte", 151},
    };
    static const int in_order[3] = {0, 1, 2};
    uint8_t content[96];
    struct maker m;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        make_blocks(&m, in_order, 0, content);
        assert_int_equal(m.size, 152);
        put_i32le(m.bytes + 36, wrong[i].start);
        check_refused(&m, TESS_ERR_CORRUPT, wrong[i].what);
    }
}

// -- what streams cannot be; bytes of the worked example are replaced

static const struct wrong {
    const char *what;
    size_t at;
    const char *bytes;
    tess_status status;
} wrongs[] = {
    {"codec format 2", 2, "45", TESS_ERR_UNSUPPORTED},
    {"codec format 5", 2, "a5", TESS_ERR_UNSUPPORTED},
    {"codec format 7", 2, "e5", TESS_ERR_UNSUPPORTED},
    {"codec format 6, codec grok", 2, "c5 04 00010000 00010000 74000000 000000000001 25",
     TESS_ERR_UNSUPPORTED},
    {"codec format 6, unknown codec", 2, "c5 04 00010000 00010000 74000000 000000000001 ff",
     TESS_ERR_UNSUPPORTED},
    {"filter 5", 16, "05", TESS_ERR_UNSUPPORTED},
    {"filter ndcell, which needs an array", 21, "20", TESS_ERR_UNSUPPORTED},
    {"private filter", 16, "a0", TESS_ERR_UNSUPPORTED},
    {"bytedelta as wide as an item of a frame that is not there", 16, "23", TESS_ERR_UNSUPPORTED},
    {"a stream past the end", 36, "4d000000", TESS_ERR_CORRUPT},
    {"a stream of 2^31 - 1 bytes", 36, "ffffff7f", TESS_ERR_CORRUPT},
    {"a run of byte 256", 104, "00ffffff 01", TESS_ERR_CORRUPT},
    {"a run of -2^31", 104, "00000080 01", TESS_ERR_CORRUPT},
    {"a run whose token is cut off", 112, "ffffffff", TESS_ERR_CORRUPT},
    {"a token that is no run", 104, "ffffffff 00", TESS_ERR_CORRUPT},
    {"a stream of 63 bytes that are no LZ4", 36, "3f000000", TESS_ERR_CORRUPT},
    {"a stream with more bytes than it decodes to", 36, "48000000", TESS_ERR_CORRUPT},
    {"a dictionary of no bytes", 31, "01 28000000 00000000", TESS_ERR_CORRUPT},
    {"a dictionary of -1 bytes", 31, "01 28000000 ffffffff", TESS_ERR_CORRUPT},
    {"a dictionary of 32769 bytes", 31, "01 28000000 01800000", TESS_ERR_CORRUPT},
    {"a dictionary past the end", 31, "01 28000000 4d000000", TESS_ERR_CORRUPT},
    {"a dictionary as long as the rest", 31, "01 28000000 4c000000", TESS_ERR_CORRUPT},
    {"a block inside the dictionary", 31, "01 28000000 20000000", TESS_ERR_CORRUPT},
    {"a dictionary for BloscLZ", 31, "01 48000000 20000000", TESS_ERR_CORRUPT},
};

static void
streams_that_cannot_be(void **state)
{
    struct maker m;

    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const struct wrong *const t = &wrongs[i];
        size_t size;
        uint8_t *const bytes = hex_bytes(t->bytes, &size);
        worked_example(&m);
        memcpy(m.bytes + t->at, bytes, size);
        if (strstr(t->what, "BloscLZ"))
            m.bytes[2] = 0x05;
        check_refused(&m, t->status, t->what);
        free(bytes);
    }
}

static void
cut_off(void **state)
{
    struct maker m;

    (void)state;
    worked_example(&m);
    m.size -= 4; // the last stream
    finish(&m);
    check_refused(&m, TESS_ERR_CORRUPT, "three streams of four");
    worked_example(&m);
    m.size++;
    check_refused(&m, TESS_ERR_CORRUPT, "a byte behind the chunk");

    worked_example(&m); // items of 8 bytes in blocks of 4
    m.bytes[3] = 8;
    put_i32le(m.bytes + 4, 4);
    put_i32le(m.bytes + 8, 4);
    check_refused(&m, TESS_ERR_CORRUPT, "a block that cannot be cut in 8 streams");
}

static void
limit(void **state)
{
    struct maker m = {.size = 0};
    uint8_t *content;
    size_t size;

    (void)state;
    add_hex(&m, "05 01 05 01 01001000 01001000 20000000 000000000000 00 00 000000000000 00 10");
    check_refused(&m, TESS_ERR_LIMIT, "zeros of a byte more than the limit");
    m.bytes[4] = 0;
    assert_int_equal(content_of(&m, &content, &size, NULL), TESS_OK);
    assert_int_equal(size, LIMIT);
    free(content);
}

// -- blocks of different sizes

struct vl {
    const char *what;
    int32_t sizes[3]; // as written before each block
    tess_status status;
};

// Three blocks: as they are, LZ4, LZ4; of 10, 300 and 200 bytes; behind a filter.
static void
make_vl(struct maker *m, const int32_t *sizes, int filter, uint8_t *content)
{
    static const int32_t real[3] = {10, 300, 200};
    int32_t at = 0;

    m->size = 0;
    add_hex(m, "06 01 35 02 fe010000 03000000 00000000 000000000000 01 00 000000000000 01 00");
    m->bytes[21] = (uint8_t)filter;
    add_i32(m, 0);
    add_i32(m, 0);
    add_i32(m, 0);
    for (int i = 0; i < 3; i++) {
        uint8_t filtered[300], packed[400];
        for (int32_t j = 0; j < real[i]; j++)
            content[at + j] = (uint8_t)(i == 0 ? noise_byte((size_t)j) : j / 10 + i);
        memcpy(filtered, content + at, (size_t)real[i]);
        for (int32_t j = real[i] - 1; j >= 2 && filter == TESS_FILTER_DELTA; j--)
            filtered[j] ^= filtered[j - 2]; // each block is its own reference
        put_i32le(m->bytes + 32 + 4 * i, (int32_t)m->size);
        add_i32(m, sizes ? sizes[i] : real[i]);
        const int n = LZ4_compress_default((const char *)filtered, (char *)packed, real[i],
                                           (int)sizeof packed);
        if (i == 0)
            add(m, filtered, (size_t)real[i]);
        else
            add(m, packed, (size_t)n);
        at += real[i];
    }
    finish(m);
}

static void
vl_blocks(void **state)
{
    uint8_t content[510], part[510];
    struct maker m;

    (void)state;
    make_vl(&m, NULL, TESS_FILTER_NONE, content);
    check(&m, content, sizeof content);
    make_vl(&m, NULL, TESS_FILTER_DELTA, content);
    check(&m, content, sizeof content);

    // The front of a real one: header, table and the size of the first block.
    m.size = 0;
    add_hex(&m, "06 01 35 01 e8030000 02000000 ab000000 000000000001 01 00 000000000000 01 00"
                "28000000 69000000 f4010000");
    for (int i = 0; i < 2; i++) {
        uint8_t packed[600];
        memset(part, 'a' + i, 500);
        const int n = LZ4_compress_default((const char *)part, (char *)packed, 500, 600);
        if (i == 1) {
            put_i32le(m.bytes + 36, (int32_t)m.size);
            add_i32(&m, 500);
        }
        add(&m, packed, (size_t)n);
    }
    finish(&m);
    uint8_t expected[1000];
    memset(expected, 'a', 500);
    memset(expected + 500, 'b', 500);
    check(&m, expected, sizeof expected);
}

static void
vl_blocks_that_cannot_be(void **state)
{
    static const struct vl wrong[] = {
        {"a block of 0 bytes", {0, 300, 210}, TESS_ERR_CORRUPT},
        {"a block of -1 bytes", {10, -1, 501}, TESS_ERR_CORRUPT},
        {"a block larger than the chunk", {10, 511, 200}, TESS_ERR_CORRUPT},
        {"blocks that sum up to more", {10, 300, 201}, TESS_ERR_CORRUPT},
        {"blocks that sum up to less", {10, 300, 199}, TESS_ERR_CORRUPT},
        {"sums that overflow", {0x7fffffff, 0x7fffffff, 512}, TESS_ERR_CORRUPT},
        {"right in sum, wrong one by one", {10, 299, 201}, TESS_ERR_CORRUPT},
    };
    uint8_t content[510];
    struct maker m;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        make_vl(&m, wrong[i].sizes, TESS_FILTER_NONE, content);
        check_refused(&m, wrong[i].status, wrong[i].what);
    }
    make_vl(&m, NULL, TESS_FILTER_NONE, content);
    const int32_t first = get_i32le(m.bytes + 32), second = get_i32le(m.bytes + 36);
    put_i32le(m.bytes + 32, second);
    put_i32le(m.bytes + 36, first);
    check_refused(&m, TESS_ERR_CORRUPT, "blocks out of order");
    put_i32le(m.bytes + 32, first);
    put_i32le(m.bytes + 36, first);
    check_refused(&m, TESS_ERR_CORRUPT, "two blocks at one place");
    put_i32le(m.bytes + 36, first + 4);
    check_refused(&m, TESS_ERR_CORRUPT, "a block of 4 stored bytes");
}

// -- dictionaries

enum { DICT_BLOCK = 600, DICT_BLOCKS = 4 };

// Blocks that resemble the end of the dictionary, which every encoder remembers, each compressed
// with it.
static void
make_dict(struct maker *m, bool zstd, const uint8_t *dict, int32_t dict_size, uint8_t *content)
{
    const int32_t nbytes = DICT_BLOCK * DICT_BLOCKS - 100;
    const uint8_t *const end = dict + dict_size - 700;

    for (int32_t i = 0; i < nbytes; i++)
        content[i] = (uint8_t)(end[(i + i / DICT_BLOCK * 7) % 700] + (i % 97 == 0));
    m->size = 0;
    add_hex(m, "05 01 00 01 00000000 00000000 00000000 000000000000 00 00 000000000000 00 01");
    m->bytes[2] = zstd ? 0x95 : 0x35;
    put_i32le(m->bytes + 4, nbytes);
    put_i32le(m->bytes + 8, DICT_BLOCK);
    for (int i = 0; i < DICT_BLOCKS; i++)
        add_i32(m, 0);
    add_i32(m, dict_size);
    add(m, dict, (size_t)dict_size);
    for (int i = 0; i < DICT_BLOCKS; i++) {
        const int size = i == DICT_BLOCKS - 1 ? DICT_BLOCK - 100 : DICT_BLOCK;
        uint8_t packed[1000];
        size_t n;
        if (zstd) {
            ZSTD_CCtx *const c = ZSTD_createCCtx();
            n = ZSTD_compress_usingDict(c, packed, sizeof packed, content + i * DICT_BLOCK,
                                        (size_t)size, dict, (size_t)dict_size, 3);
            ZSTD_freeCCtx(c);
            assert_false(ZSTD_isError(n));
        } else {
            LZ4_stream_t *const s = LZ4_createStream();
            (void)LZ4_loadDict(s, (const char *)dict, dict_size);
            n = (size_t)LZ4_compress_fast_continue(s, (const char *)content + i * DICT_BLOCK,
                                                   (char *)packed, size, sizeof packed, 1);
            LZ4_freeStream(s);
        }
        assert_true(n > 0 && n < 200); // the dictionary helps
        put_i32le(m->bytes + 32 + 4 * i, (int32_t)m->size);
        add_i32(m, (int32_t)n);
        add(m, packed, n);
    }
    finish(m);
}

static void
dictionaries(void **state)
{
    uint8_t dict[DICT_SIZE_MAX], content[DICT_BLOCK * DICT_BLOCKS];
    static const int32_t sizes[] = {700, 3000, DICT_SIZE_MAX};
    struct maker m;

    (void)state;
    noise(dict, sizeof dict);
    for (int zstd = 0; zstd < 2; zstd++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            make_dict(&m, zstd, dict, sizes[i], content);
            check(&m, content, DICT_BLOCK * DICT_BLOCKS - 100);
        }
    make_dict(&m, false, dict, 700, content);
    m.bytes[100] ^= 1; // the dictionary is used
    uint8_t *damaged;
    size_t size;
    if (content_of(&m, &damaged, &size, NULL) == TESS_OK) {
        assert_memory_not_equal(damaged, content, size);
        free(damaged);
    }
}

// What a reader asks for is enough to open a chunk, and less is refused.
static void
front(void **state)
{
    const struct chunk_surroundings around = {0};
    uint8_t dict[700], content[DICT_BLOCK * DICT_BLOCKS];
    struct chunk_header h;
    struct chunk c;
    struct maker m;

    (void)state;
    noise(dict, sizeof dict);
    make_dict(&m, true, dict, sizeof dict, content);
    assert_int_equal(chunk_header_parse(m.bytes, CHUNK_HEADER_SIZE, (int64_t)m.size, 0, &h, NULL),
                     TESS_OK);
    assert_int_equal(chunk_front_size(&h), m.size); // the dictionary might be that long
    const size_t needed = CHUNK_HEADER_SIZE + 4 * DICT_BLOCKS + 4 + sizeof dict;
    for (size_t size = CHUNK_HEADER_SIZE; size < needed + 3; size++) {
        uint8_t *const exact = exact_copy(m.bytes, size);
        const tess_status st = chunk_open(&c, &h, exact, size, &around, NULL);
        assert_int_equal(st, size < needed ? TESS_ERR_CORRUPT : TESS_OK);
        free(exact);
        if (st == TESS_OK)
            assert_memory_equal(c.dict.bytes, dict, sizeof dict);
        chunk_close(&c);
    }

    worked_example(&m);
    assert_int_equal(chunk_header_parse(m.bytes, CHUNK_HEADER_SIZE, (int64_t)m.size, 0, &h, NULL),
                     TESS_OK);
    assert_int_equal(chunk_front_size(&h), 36);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_of_streams),
        cmocka_unit_test(example_of_runs),
        cmocka_unit_test(example_of_blosclz),
        cmocka_unit_test(special_values),
        cmocka_unit_test(plain_bytes),
        cmocka_unit_test(empty),
        cmocka_unit_test(old_headers),
        cmocka_unit_test(old_header_without_runs),
        cmocka_unit_test(blocks_in_any_order),
        cmocka_unit_test(blocks_that_cannot_be),
        cmocka_unit_test(streams_that_cannot_be),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(limit),
        cmocka_unit_test(vl_blocks),
        cmocka_unit_test(vl_blocks_that_cannot_be),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
