/*
 * codec_ndlz.c - NDLZ: every token by hand, blocks of any shape there and back, and damaged
 * streams.
 */
#include "codec/codec.h"
#include "codec/private.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE_MAX_HERE = 100 * 100, ROOM = 2 * SIZE_MAX_HERE + 100, NTURNS = 3000 };

static uint32_t table[NDLZ_TABLE_SIZE];

// Two cells of 4 x 4: the first literal (at 9; its rows from 10 on), then the token at 26.
#define FIRST "02 04000000 08000000 00 00010203 10111213 20212223 30313233 "

static const struct {
    const char *what;
    const char *stream;
    const char *second; // the second cell, row by row; NULL: damaged
} tokens4[] = {
    {"literal", FIRST "00 a0a1a2a3 b0b1b2b3 c0c1c2c3 d0d1d2d3",
     "a0a1a2a3 b0b1b2b3 c0c1c2c3 d0d1d2d3"},
    {"one byte", FIRST "40 77", "77777777 77777777 77777777 77777777"},
    {"a whole cell", FIRST "c0 1000", "00010203 10111213 20212223 30313233"},
    {"rows 1 2 3", FIRST "e0 1000 aaaaaaab", "aaaaaaab 00010203 10111213 20212223"},
    {"rows 0 1 2", FIRST "e8 0c00 aaaaaaab", "10111213 20212223 30313233 aaaaaaab"},
    {"rows 0 1 3", FIRST "f0 1000 aaaaaaab", "00010203 10111213 aaaaaaab 20212223"},
    {"rows 0 2 3", FIRST "f8 1000 aaaaaaab", "00010203 aaaaaaab 10111213 20212223"},
    {"rows 2 3", FIRST "80 1000 aaaaaaab acacacad", "aaaaaaab acacacad 00010203 10111213"},
    {"rows 0 1", FIRST "88 0800 aaaaaaab acacacad", "20212223 30313233 aaaaaaab acacacad"},
    {"rows 0 2", FIRST "90 1000 aaaaaaab acacacad", "00010203 aaaaaaab 10111213 acacacad"},
    {"rows 0 3", FIRST "98 1000 aaaaaaab acacacad", "00010203 aaaaaaab acacacad 10111213"},
    {"rows 1 2", FIRST "b0 1000 aaaaaaab acacacad", "aaaaaaab 00010203 10111213 acacacad"},
    {"rows 1 3", FIRST "b8 1000 aaaaaaab acacacad", "aaaaaaab 00010203 acacacad 10111213"},
    {"rows 0 1, and 2 3", FIRST "28 0800 1000", "20212223 30313233 00010203 10111213"},
    {"rows 0 2, and 1 3", FIRST "30 0800 1000", "20212223 00010203 30313233 10111213"},
    {"rows 0 3, and 1 2", FIRST "38 0800 1000", "20212223 00010203 10111213 30313233"},
    {"a reference over its own token", FIRST "88 0400 aaaaaaab acacacad",
     "30313233 880400aa aaaaaaab acacacad"},
    {"a reference to the first byte of the cells", FIRST "88 1100 aaaaaaab acacacad",
     "00000102 03101112 aaaaaaab acacacad"},
    {"a reference before it", FIRST "88 1200 aaaaaaab acacacad", NULL},
    {"a reference past the end", FIRST "c0 0100", NULL},
    {"a reference cut off", FIRST "c0 10", NULL},
    {"literal cut off", FIRST "00 a0a1a2a3 b0b1b2b3 c0c1c2c3 d0d1d2", NULL},
    {"rows cut off", FIRST "88 1000 aaaaaaab acacac", NULL},
    {"a run cut off", FIRST "40", NULL},
    {"a second offset cut off", FIRST "28 0800 10", NULL},
    {"a cell missing", FIRST, NULL},
    {"a byte too many", FIRST "40 77 00", NULL},
    {"a token of side 8", FIRST "a8 1000 aaaaaaab", NULL},
    {"an unknown token", FIRST "01 a0a1a2a3 b0b1b2b3 c0c1c2c3 d0d1d2d3", NULL},
};

static void
takes_each_token_of_side_4(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tokens4 / sizeof *tokens4; i++) {
        size_t size, cell_size;
        uint8_t *const stream = hex_bytes(tokens4[i].stream, &size);
        uint8_t *const cell = hex_bytes(tokens4[i].second ? tokens4[i].second : "", &cell_size);
        uint8_t got[32];
        const bool good = ndlz_decode(4, stream, size, got, sizeof got);

        if (good != (tokens4[i].second != NULL))
            fail_msg("%s: %d", tokens4[i].what, good);
        for (size_t row = 0; good && row < 4; row++)
            if (memcmp(got + 8 * row + 4, cell + 4 * row, 4) != 0)
                fail_msg("%s: row %zu", tokens4[i].what, row);
        free(stream);
        free(cell);
    }
}

// Rows r to r + n - 1 of the second cell are found in the first, the others follow.
static void
takes_each_token_of_side_8(void **state)
{
    (void)state;
    for (unsigned token = 0; token < 256; token++) {
        const bool three = token >= 0xa8 && token <= 0xad, two = token >= 0x88 && token <= 0x8e;
        const size_t r = token & 7, n = three ? 3 : 2;
        const size_t size = 9 + 65 + 3 + (8 - n) * 8;
        uint8_t bytes[200] = {2, 8, 0, 0, 0, 16};
        uint8_t got[128];

        if (token == 0x00 || token == 0x40 || token == 0xc0)
            continue;
        for (size_t i = 10; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(i * 3);
        bytes[74] = (uint8_t)token;
        bytes[75] = 64;
        bytes[76] = 0;
        uint8_t *const stream = exact_copy(bytes, size);
        assert_int_equal(ndlz_decode(8, stream, size, got, sizeof got), three || two);
        const uint8_t *next = bytes + 77;
        for (size_t row = 0; (three || two) && row < 8; row++) {
            const bool found = row >= r && row < r + n;
            assert_memory_equal(got + 16 * row + 8, found ? bytes + 10 + 8 * (row - r) : next, 8);
            next += found ? 0 : 8;
        }
        free(stream);
    }
}

static const struct {
    const char *what;
    const char *stream;
    size_t size;
} headers[] = {
    {"nothing", "", 16},
    {"cut off", "02 04000000 040000", 16},
    {"one dimension", "01 04000000 04000000 40 01", 16},
    {"another size", "02 04000000 05000000 40 01", 16},
    {"negative lengths", "02 fcffffff fcffffff 40 01", 16},
    {"a product of 2^32 and 16", "02 10000010 01000010 40 01", 16},
    {"rows of nothing", "02 00000000 04000000", 16},
    {"a cell cut off by the border that is no literal", "02 03000000 04000000 40 01", 12},
};

static void
refuses_wrong_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        size_t size;
        uint8_t got[32];
        uint8_t *const stream = hex_bytes(headers[i].stream, &size);
        if (ndlz_decode(4, stream, size, got, headers[i].size))
            fail_msg("%s", headers[i].what);
        free(stream);
    }
}

// Smooth, with repeated rows and cells here and there.
static void
make_block(struct random *r, uint8_t *block, int32_t rows, int32_t columns)
{
    const uint64_t kind = random_below(r, 5);
    const uint64_t few = 1 + random_below(r, 4);
    for (int32_t y = 0; y < rows; y++)
        for (int32_t x = 0; x < columns; x++) {
            uint8_t *const at = block + (int64_t)y * columns + x;
            if (kind == 0)
                *at = (uint8_t)random_next(r);
            else if (kind == 1)
                *at = (uint8_t)random_below(r, 1 + few / 2);
            else if (kind == 2)
                *at = (uint8_t)((x & 7) * 10 + (int)random_below(r, 12) / 11 + (y & 3));
            else if (kind == 3)
                *at = (uint8_t)((x >> 3) * 3 + (y >> 3) * 5);
            else
                *at = (uint8_t)(random_below(r, 9) ? (x & 3) * 7 + y % (int)(few + 1) * 31
                                                   : (int)random_below(r, 256));
        }
}

static void
round_trips(void **state)
{
    uint8_t *const block = malloc(SIZE_MAX_HERE), *const back = malloc(SIZE_MAX_HERE),
                   *const packed = malloc(ROOM);
    struct random r;
    size_t valid = 0;
    (void)state;

    assert_true(block && back && packed);
    random_init(&r, random_seed());
    for (int turn = 0; turn < NTURNS; turn++) {
        const int side = random_below(&r, 2) ? 4 : 8;
        const int32_t rows = 1 + (int32_t)random_below(&r, turn % 50 ? 40 : 100);
        const int32_t columns = 1 + (int32_t)random_below(&r, turn % 50 ? 40 : 100);
        const size_t size = (size_t)rows * (size_t)columns;

        make_block(&r, block, rows, columns);
        const size_t n = ndlz_encode(side, block, rows, columns, packed, ROOM, table);
        assert_true(n > 0);
        uint8_t *const stream = exact_copy(packed, n), *const out = exact_copy(back, size);
        assert_true(ndlz_decode(side, stream, n, out, size));
        assert_memory_equal(out, block, size);

        // Too little room: nothing, and nothing is written beyond it.
        const size_t room = (size_t)random_below(&r, n);
        uint8_t *const little = exact_copy(packed, room);
        assert_int_equal(ndlz_encode(side, block, rows, columns, little, room, table), 0);

        for (int k = 0; k < 4; k++) {
            stream[random_below(&r, n)] = (uint8_t)random_next(&r);
            valid += ndlz_decode(side, stream, n, out, size);
        }
        uint8_t *const shorter = exact_copy(stream, room);
        valid += ndlz_decode(side, shorter, room, out, size);
        free(stream);
        free(out);
        free(little);
        free(shorter);
    }
    assert_in_range(valid, 100, NTURNS * 4 - 100); // both outcomes were seen
    free(block);
    free(back);
    free(packed);
}

// Each kind of token pays: what repeats gets smaller than what does not.
static void
finds_repeated_rows(void **state)
{
    uint8_t block[64 * 64], packed[ROOM];
    struct random r;
    (void)state;

    random_init(&r, 1);
    for (int side = 4; side <= 8; side += 4) {
        const size_t cell = (size_t)(side * side), ncells = sizeof block / cell;
        random_bytes(&r, block, sizeof block);
        for (size_t y = 0; y < 64;
             y++) // pairs and triples of rows: those of the first column of cells
            if (y % (size_t)side < 3)
                for (size_t x = (size_t)side; x < 64; x++)
                    block[y * 64 + x] = block[y * 64 + x % (size_t)side];
        const size_t n = ndlz_encode(side, block, 64, 64, packed, sizeof packed, table);
        assert_true(n > 0 &&
                    n < NDLZ_HEADER_SIZE + ncells / 8 * cell + ncells * (cell - 2 * (size_t)side));
        memset(block, 9, sizeof block);
        assert_int_equal(ndlz_encode(side, block, 64, 64, packed, sizeof packed, table),
                         NDLZ_HEADER_SIZE + 2 * ncells);
    }
}

// A literal cell, runs of two bytes each, and the first cell again, at an offset of 16 + 2 * nruns.
static size_t
far_apart(size_t nruns)
{
    const size_t columns = 4 * (nruns + 2), size = 4 * columns;
    uint8_t *const block = malloc(size), *const back = malloc(size), *const packed = malloc(size);

    assert_true(block && back && packed);
    memset(block, 0, size);
    for (size_t i = 0; i < 16; i++) {
        block[i / 4 * columns + i % 4] = (uint8_t)(i + 1);
        block[i / 4 * columns + columns - 4 + i % 4] = (uint8_t)(i + 1);
    }
    const size_t n = ndlz_encode(4, block, 4, (int32_t)columns, packed, size, table);
    assert_true(ndlz_decode(4, packed, n, back, size));
    assert_memory_equal(back, block, size);
    free(block);
    free(back);
    free(packed);
    return n - NDLZ_HEADER_SIZE - 17 - 2 * nruns; // of the last cell
}

// Offsets beyond 65530 are not for every decoder.
static void
offsets_end_in_time(void **state)
{
    (void)state;
    assert_int_equal(far_apart(32757), 3);
    assert_int_equal(far_apart(32758), 7); // three rows, one row nearer
    assert_int_equal(far_apart(32760), 11); // two
    assert_int_equal(far_apart(32764), 17);
}

static const struct {
    const char *what;
    int meta;
    int32_t size;
    struct block_grid grid;
    tess_status status;
} calls[] = {
    {"side 4", 4, 64, {2, 1, {8, 8}}, TESS_OK},
    {"side 8, streams of larger items", 8, 64, {2, 4, {8, 8}}, TESS_OK},
    {"side 5", 5, 64, {2, 1, {8, 8}}, TESS_ERR_ARG},
    {"side 0", 0, 64, {2, 1, {8, 8}}, TESS_ERR_ARG},
    {"one dimension", 4, 64, {1, 1, {64}}, TESS_ERR_ARG},
    {"items that are not split", 4, 256, {2, 4, {8, 8}}, TESS_ERR_ARG},
};

static void
tells_what_can_be_encoded(void **state)
{
    const struct codec *const c = codec_by_id(TESS_CODEC_NDLZ);
    (void)state;
    assert_non_null(c);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct codec_call call = {.codec = c, .meta = calls[i].meta, .grid = &calls[i].grid};
        tess_error err = {0};
        if (c->check(&call, calls[i].size, &err) != calls[i].status)
            fail_msg("%s: %s", calls[i].what, err.message);
    }
    const struct codec_call none = {.codec = c, .meta = 4};
    const struct codec_call wrong = {.codec = c, .meta = 7};
    uint8_t bytes[16];
    assert_int_equal(c->check(&none, 16, NULL), TESS_ERR_ARG);
    assert_int_equal(c->decode(&wrong, bytes, 16, bytes, 16, NULL), TESS_ERR_CORRUPT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_each_token_of_side_4), cmocka_unit_test(takes_each_token_of_side_8),
        cmocka_unit_test(refuses_wrong_headers),      cmocka_unit_test(round_trips),
        cmocka_unit_test(finds_repeated_rows),        cmocka_unit_test(offsets_end_in_time),
        cmocka_unit_test(tells_what_can_be_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
