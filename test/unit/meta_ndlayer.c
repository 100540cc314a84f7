/*
 * meta_ndlayer.c - tests of meta/ndlayer: layers of every writer there was, and damaged ones.
 */
#include "meta/ndlayer.h"

#include "../support/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Shape (30, 25) and chunks (12, 10), which most of the real layers below have; blocks (5, 4).
#define SHAPE "92 d3000000000000001e d30000000000000019"
#define CHUNKS "92 d20000000c d20000000a"
#define BLOCKS "92 d200000005 d200000004"
#define ONES4 "d200000001 d200000001 d200000001 d200000001"
#define LONGS4 "d30000000000000001 d30000000000000001 d30000000000000001 d30000000000000001"

static const struct good {
    const char *what;
    bool is_caterva;
    const char *bytes;
    struct ndlayer want;
    bool same; // written again, the bytes are these
} goods[] = {
    {"b2nd of c-blosc2 2.7.0 and later",
     false,
     "97 00 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934",
     {2, {30, 25}, {12, 10}, {5, 4}, false, 0, "<i4"},
     true},
    {"b2nd of no dimensions, c-blosc2 2.7.0",
     false,
     "97 00 00 90 90 90 00 db00000003 3c6934",
     {0, {0}, {0}, {0}, false, 0, "<i4"},
     true},
    {"b2nd of no items, c-blosc2 3.3.2",
     false,
     "97 00 01 91 d30000000000000000 91 d20000000a 91 d200000005 00 db00000003 7c5334",
     {1, {0}, {10}, {5}, false, 0, "|S4"},
     true},
    {"b2nd with a dtype of no characters, c-blosc2 3.3.2",
     false,
     "97 00 02" SHAPE CHUNKS BLOCKS "00 db00000000",
     {2, {30, 25}, {12, 10}, {5, 4}, false, 0, ""},
     true},
    {"b2nd with dtype format 127, c-blosc2 3.3.2",
     false,
     "97 00 01 91 d30000000000000014 91 d20000000b 91 d200000005 7f"
     "db00000014 7b226b696e64223a22766563222c226e223a337d",
     {1, {20}, {11}, {5}, false, 127, "{\"kind\":\"vec\",\"n\":3}"},
     true},
    {"b2nd of 16 dimensions, whose marker is a0, c-blosc2 3.3.2",
     false,
     "97 00 10 a0" LONGS4 LONGS4 LONGS4
     "d30000000000000001 d30000000000000001 d30000000000000001 d30000000000000028 a0" ONES4 ONES4
         ONES4 "d200000001 d200000001 d200000001 d200000010 a0" ONES4 ONES4 ONES4
     "d200000001 d200000001 d200000001 d200000005 00 db00000003 3c6938",
     {16,
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 40},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 16},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5},
      false,
      0,
      "<i8"},
     true},
    {"b2nd of February 2023: 7 elements, the marker says 6",
     false,
     "96 00 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934",
     {2, {30, 25}, {12, 10}, {5, 4}, false, 0, "<i4"},
     false},
    {"b2nd of February 2023 without dtype format",
     false,
     "96 00 02" SHAPE CHUNKS BLOCKS "db00000005 696e743332",
     {2, {30, 25}, {12, 10}, {5, 4}, false, 0, "int32"},
     false},
    {"b2nd of January 2023, three dimensions",
     false,
     "95 00 03 93 d3000000000000000b d30000000000000009 d3000000000000000d"
     "93 d200000005 d200000004 d200000006 93 d200000002 d200000004 d200000003",
     {3, {11, 9, 13}, {5, 4, 6}, {2, 4, 3}, false, 0, NULL},
     false},
    {"b2nd of January 2023 with blocks of 0 items: never linear, whoever wrote that",
     false,
     "95 00 02" SHAPE CHUNKS "92 d200000000 d200000000",
     {2, {30, 25}, {12, 10}, {0, 0}, false, 0, NULL},
     false},
    {"Caterva 0.4 and later",
     true,
     "95 00 02" SHAPE CHUNKS BLOCKS,
     {2, {30, 25}, {12, 10}, {5, 4}, false, 0, NULL},
     true},
    {"Caterva 0.3: blocks are 0",
     true,
     "95 00 02" SHAPE CHUNKS "92 d200000000 d200000000",
     {2, {30, 25}, {12, 10}, {12, 10}, true, 0, NULL},
     true},
    {"Caterva 0.2: blocks are whatever was in memory",
     true,
     "95 00 02" SHAPE CHUNKS "92 d2000000d3 d200000000",
     {2, {30, 25}, {12, 10}, {12, 10}, true, 0, NULL},
     false},
    {"the same, and some of it negative",
     true,
     "95 00 02" SHAPE CHUNKS "92 d200000005 d2ffffffff",
     {2, {30, 25}, {12, 10}, {12, 10}, true, 0, NULL},
     false},
    {"the same, and one block larger than its chunk",
     true,
     "95 00 02" SHAPE CHUNKS "92 d20000000c d20000000b",
     {2, {30, 25}, {12, 10}, {12, 10}, true, 0, NULL},
     false},
    {"Caterva 0.4: blocks as large as chunks are not linear",
     true,
     "95 00 02" SHAPE CHUNKS CHUNKS,
     {2, {30, 25}, {12, 10}, {12, 10}, false, 0, NULL},
     true},
    {"Caterva 0.4: an axis without items has chunks and blocks without items",
     true,
     "95 00 02 92 d3000000000000001e d30000000000000000 92 d20000000c d200000000"
     "92 d200000005 d200000000",
     {2, {30, 0}, {12, 0}, {5, 0}, false, 0, NULL},
     true},
    {"Caterva 0.3: the same",
     true,
     "95 00 02 92 d3000000000000001e d30000000000000000 92 d20000000c d200000000"
     "92 d200000000 d200000000",
     {2, {30, 0}, {12, 0}, {12, 0}, true, 0, NULL},
     true},
    {"Caterva 0.1.1",
     true,
     "93 02" SHAPE CHUNKS,
     {2, {30, 25}, {12, 10}, {12, 10}, true, 0, NULL},
     false},
    {"Caterva 0.1.0: little endian",
     true,
     "93 02 92 cf1e00000000000000 cf1900000000000000 92 d20c000000 d20a000000",
     {2, {30, 25}, {12, 10}, {12, 10}, true, 0, NULL},
     false},
};

static void
check_equal(const char *what, const struct ndlayer *got, const struct ndlayer *want)
{
    if (got->ndim != want->ndim || got->linear != want->linear ||
        got->dtype_format != want->dtype_format ||
        memcmp(got->shape, want->shape, sizeof got->shape) != 0 ||
        memcmp(got->chunkshape, want->chunkshape, sizeof got->chunkshape) != 0 ||
        memcmp(got->blockshape, want->blockshape, sizeof got->blockshape) != 0)
        fail_msg("%s: another layer", what);
    if (!got->dtype != !want->dtype || (got->dtype && strcmp(got->dtype, want->dtype) != 0))
        fail_msg("%s: dtype %s", what, got->dtype ? got->dtype : "missing");
}

static void
test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct good *const g = &goods[i];
        struct ndlayer nd;
        tess_error err;
        size_t size, again_size;
        uint8_t *again;
        uint8_t *const src = hex_bytes(g->bytes, &size);

        if (ndlayer_parse(src, size, g->is_caterva, &nd, &err) != TESS_OK)
            fail_msg("%s: %s", g->what, err.message);
        check_equal(g->what, &nd, &g->want);
        assert_int_equal(ndlayer_write(&nd, g->is_caterva, &again, &again_size, &err), TESS_OK);
        if ((again_size == size && memcmp(again, src, size) == 0) != g->same)
            fail_msg("%s: %s", g->what,
                     g->same ? "written otherwise than read" : "written as in old times");
        free(again);
        free(src);
        ndlayer_finish(&nd);
    }
}

static const struct {
    const char *what;
    bool is_caterva;
    const char *bytes;
    tess_status status;
} bads[] = {
    {"nothing", false, "", TESS_ERR_CORRUPT},
    {"an array of 8", false, "98 00 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"an array of 4", true, "94 00 02" SHAPE CHUNKS, TESS_ERR_CORRUPT},
    {"the layout of Caterva 0.1 as b2nd", false, "93 02" SHAPE CHUNKS, TESS_ERR_CORRUPT},
    {"nested in another array", false, "91 97 00 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"version 1", false, "97 01 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_UNSUPPORTED},
    {"version 127 and nothing else", false, "97 7f", TESS_ERR_UNSUPPORTED},
    {"version -1", false, "97 ff 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934", TESS_ERR_CORRUPT},
    {"an array of 2^32 - 1 elements as version", false, "97 ddffffffff 02", TESS_ERR_CORRUPT},
    {"17 dimensions", false, "97 00 11 a1", TESS_ERR_CORRUPT},
    {"127 dimensions", false, "97 00 7f", TESS_ERR_CORRUPT},
    {"-1 dimensions", false, "97 00 ff 8f", TESS_ERR_CORRUPT},
    {"one dimension less than the arrays", false,
     "97 00 01" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934", TESS_ERR_CORRUPT},
    {"a shape of another length", false,
     "97 00 02 93 d3000000000000001e d30000000000000019" CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"16 dimensions in an array16", false, "97 00 10 dc0010" LONGS4 LONGS4 LONGS4 LONGS4,
     TESS_ERR_CORRUPT},
    {"a shape of uint64", false,
     "97 00 02 92 cf000000000000001e cf0000000000000019" CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"a shape of small integers", false, "97 00 02 92 1e 19" CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"a shape of maps of 2^32 - 1 pairs", false, "97 00 01 91 dfffffffff", TESS_ERR_CORRUPT},
    {"chunks of uint32", false,
     "97 00 02" SHAPE "92 ce0000000c ce0000000a" BLOCKS "00 db00000003 3c6934", TESS_ERR_CORRUPT},
    {"a negative shape", false,
     "97 00 02 92 d3ffffffffffffffff d30000000000000019" CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"a negative chunk", false,
     "97 00 02" SHAPE "92 d20000000c d280000000" BLOCKS "00 db00000003 3c6934", TESS_ERR_CORRUPT},
    {"a negative block", false,
     "97 00 02" SHAPE CHUNKS "92 d200000005 d2ffffffff 00 db00000003 3c6934", TESS_ERR_CORRUPT},
    {"a negative block under five elements of b2nd", false,
     "95 00 02" SHAPE CHUNKS "92 d200000005 d2ffffffff", TESS_ERR_CORRUPT},
    {"a negative shape in Caterva", true,
     "95 00 01 91 d3ffffffffffffffff 91 d200000001 91 d200000001", TESS_ERR_CORRUPT},
    {"a shape of Caterva 0.1.0 that is negative", true, "93 01 91 cf00000000000000ff 91 d20c000000",
     TESS_ERR_CORRUPT},
    {"Caterva 0.1 with both markers in a shape", true,
     "93 02 92 cf1e00000000000000 d30000000000000019" CHUNKS, TESS_ERR_CORRUPT},
    {"dtype format 128", false, "97 00 02" SHAPE CHUNKS BLOCKS "80 db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"no dtype format under 97", false, "97 00 02" SHAPE CHUNKS BLOCKS "db00000003 3c6934",
     TESS_ERR_CORRUPT},
    {"no dtype", false, "97 00 02" SHAPE CHUNKS BLOCKS "00", TESS_ERR_CORRUPT},
    {"a dtype in a fixstr", false, "97 00 02" SHAPE CHUNKS BLOCKS "00 a3 3c6934", TESS_ERR_CORRUPT},
    {"a dtype in a bin32", false, "97 00 02" SHAPE CHUNKS BLOCKS "00 c600000003 3c6934",
     TESS_ERR_CORRUPT},
    {"a dtype cut by one byte", false, "97 00 02" SHAPE CHUNKS BLOCKS "00 db00000004 3c6934",
     TESS_ERR_CORRUPT},
    {"a dtype of 2^32 - 1 bytes", false, "97 00 02" SHAPE CHUNKS BLOCKS "00 dbffffffff 3c6934",
     TESS_ERR_CORRUPT},
    {"a dtype with a NUL", false, "97 00 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c0034",
     TESS_ERR_CORRUPT},
    {"a byte too many", false, "97 00 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934 00",
     TESS_ERR_CORRUPT},
    {"a dtype under five elements", true, "95 00 02" SHAPE CHUNKS BLOCKS "00 db00000003 3c6934",
     TESS_ERR_CORRUPT},
};

static void
test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct ndlayer nd = {.ndim = 99};
        tess_error err;
        size_t size;
        uint8_t *const src = hex_bytes(bads[i].bytes, &size);

        const tess_status st = ndlayer_parse(src, size, bads[i].is_caterva, &nd, &err);
        if (st != bads[i].status)
            fail_msg("%s: %s", bads[i].what, st == TESS_OK ? "accepted" : err.message);
        assert_int_equal(err.status, st);
        assert_true(nd.ndim == 0 && nd.dtype == NULL);
        assert_int_equal(ndlayer_parse(src, size, bads[i].is_caterva, &nd, NULL), st);
        free(src);
    }
}

static void
test_truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        size_t size;
        uint8_t *const src = hex_bytes(goods[i].bytes, &size);

        for (size_t n = 0; n < size; n++) {
            struct ndlayer nd;
            uint8_t *const cut = exact_copy(src, n);
            if (ndlayer_parse(cut, n, goods[i].is_caterva, &nd, NULL) != TESS_ERR_CORRUPT)
                fail_msg("%s: accepted when cut to %zu bytes", goods[i].what, n);
            free(cut);
        }
        free(src);
    }
}

// What holds of all that is accepted.
static void
check_accepted(const struct ndlayer *nd, bool is_caterva, size_t src_size)
{
    struct ndlayer again;
    uint8_t *bytes;
    size_t size;
    const bool as_caterva = is_caterva && !nd->dtype;

    assert_true(nd->ndim >= 0 && nd->ndim <= NDIM_MAX);
    for (int i = 0; i < nd->ndim; i++)
        assert_true(nd->shape[i] >= 0 && nd->chunkshape[i] >= 0 && nd->blockshape[i] >= 0);
    if (nd->linear)
        assert_true(is_caterva &&
                    memcmp(nd->blockshape, nd->chunkshape, sizeof nd->blockshape) == 0);
    if (nd->dtype)
        assert_true(strlen(nd->dtype) < src_size);

    if (nd->linear && nd->ndim == 0)
        return; // Caterva 0.1; without axes nothing tells it from later versions
    assert_int_equal(ndlayer_write(nd, as_caterva, &bytes, &size, NULL), TESS_OK);
    assert_int_equal(ndlayer_parse(bytes, size, as_caterva, &again, NULL), TESS_OK);
    if (!as_caterva && !nd->dtype) { // five elements under b2nd: written with an empty dtype
        assert_string_equal(again.dtype, "");
        free(again.dtype);
        again.dtype = NULL;
    }
    check_equal("a mutated layer", &again, nd);
    ndlayer_finish(&again);
    free(bytes);
}

static void
test_mutated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        size_t size;
        uint8_t *const src = hex_bytes(goods[i].bytes, &size);

        for (size_t at = 0; at < size; at++) {
            const uint8_t was = src[at];
            for (int value = 0; value < 256; value++) {
                struct ndlayer nd;
                src[at] = (uint8_t)value;
                const tess_status st = ndlayer_parse(src, size, goods[i].is_caterva, &nd, NULL);
                assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT || st == TESS_ERR_UNSUPPORTED);
                if (st == TESS_OK)
                    check_accepted(&nd, goods[i].is_caterva, size);
                ndlayer_finish(&nd);
            }
            src[at] = was;
        }
        free(src);
    }
}

static void
test_round_trip(void **state)
{
    char dtype[] = "[('a', '<i4'), ('caf\xc3\xa9', '<f8')]";

    (void)state;
    for (int ndim = 0; ndim <= NDIM_MAX; ndim++)
        for (int as_caterva = 0; as_caterva < 2; as_caterva++) {
            struct ndlayer nd = {.ndim = ndim}, again;
            uint8_t *bytes;
            size_t size;
            nd.dtype_format = as_caterva ? 0 : ndim;
            nd.dtype = as_caterva ? NULL : dtype;
            for (int i = 0; i < ndim; i++) {
                nd.shape[i] = INT64_MAX - i;
                nd.chunkshape[i] = INT32_MAX - i;
                nd.blockshape[i] = 1 + i;
            }

            assert_int_equal(ndlayer_write(&nd, as_caterva, &bytes, &size, NULL), TESS_OK);
            assert_int_equal(size, as_caterva ? 6 + 19 * (size_t)ndim
                                              : 12 + 19 * (size_t)ndim + strlen(dtype));
            assert_int_equal(bytes[3], 0x90 + ndim);
            assert_int_equal(ndlayer_parse(bytes, size, as_caterva, &again, NULL), TESS_OK);
            check_equal("a round trip", &again, &nd);
            ndlayer_finish(&again);
            free(bytes);
        }
    ndlayer_finish(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),       cmocka_unit_test(test_bad),
        cmocka_unit_test(test_truncated),  cmocka_unit_test(test_mutated),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests_name("meta/ndlayer", tests, NULL, NULL);
}
