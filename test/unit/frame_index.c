/*
 * frame_index.c - tests of frame/index: the list in memory against a plain array, and its chunk.
 */
#include "frame/format/index.h"

#include "base/bytes.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/flat.h"
#include "support/hex.h"
#include "support/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH_MOST = 400, LIMIT = 1 << 24 };

#define ZEROS_ENTRY ((int64_t)UINT64_C(0x8100000000000000))
#define NANS_ENTRY ((int64_t)UINT64_C(0x8200000000000000))
#define UNINIT_ENTRY ((int64_t)UINT64_C(0x8400000000000000))

static void
special_entries(void **state)
{
    (void)state;
    assert_int_equal(index_entry_of(SPECIAL_ZEROS), ZEROS_ENTRY);
    assert_int_equal(index_entry_of(SPECIAL_NANS), NANS_ENTRY);
    assert_int_equal(index_entry_of(SPECIAL_UNINIT), UNINIT_ENTRY);
    assert_int_equal(index_special(ZEROS_ENTRY), SPECIAL_ZEROS);
    assert_int_equal(index_special(NANS_ENTRY), SPECIAL_NANS);
    assert_int_equal(index_special(UNINIT_ENTRY), SPECIAL_UNINIT);
    assert_int_equal(index_special(0), SPECIAL_NONE);
    assert_int_equal(index_special(INT64_MAX), SPECIAL_NONE);
}

static int64_t
random_entry(struct random *r)
{
    switch (random_below(r, 6)) {
    case 0:
        return ZEROS_ENTRY;
    case 1:
        return NANS_ENTRY;
    case 2:
        return UNINIT_ENTRY;
    default:
        return (int64_t)random_below(r, 1 << 20);
    }
}

static void
compare(const struct frame_index *x, const int64_t *expected, int64_t n)
{
    assert_int_equal(x->nchunks, n);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(index_get(x, i), expected[i]);
}

// To a chunk and back.
static void
check_chunk(const struct frame_index *x, const int64_t *expected, int64_t n)
{
    struct frame_index back;
    uint8_t *chunk = NULL;
    int32_t size;
    tess_error err;

    assert_int_equal(index_write(x, &chunk, &size, &err), TESS_OK);
    uint8_t *const exact = exact_copy(chunk, (size_t)size);
    if (index_parse(&back, exact, (size_t)size, n, 1 << 21, LIMIT, &err) != TESS_OK)
        fail_msg("%s", err.message);
    compare(&back, expected, n);
    index_finish(&back);
    assert_int_equal(index_parse(&back, exact, (size_t)size, -1, 1 << 21, LIMIT, &err), TESS_OK);
    assert_int_equal(back.nchunks, n);
    index_finish(&back);
    assert_int_equal(index_parse(&back, exact, (size_t)size, n + 1, 1 << 21, LIMIT, &err),
                     TESS_ERR_CORRUPT);
    assert_null(back.entries);
    free(exact);
    free(chunk);
}

static void
against_an_array(void **state)
{
    struct random r;
    int uniform = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 300; round++) {
        int64_t expected[LENGTH_MOST];
        struct frame_index x;
        int64_t n = (int64_t)random_below(&r, LENGTH_MOST / 2);
        const enum chunk_special special = random_below(&r, 2) ? SPECIAL_ZEROS : SPECIAL_NANS;
        const int64_t entry = special == SPECIAL_ZEROS ? ZEROS_ENTRY : NANS_ENTRY;

        index_init_uniform(&x, n, special);
        for (int64_t i = 0; i < n; i++)
            expected[i] = entry;
        for (uint64_t steps = random_below(&r, 20); steps > 0; steps--) {
            const int64_t some = random_below(&r, 2) ? random_entry(&r) : entry;
            if (random_below(&r, 3) == 0) {
                const int64_t next = (int64_t)random_below(&r, LENGTH_MOST);
                const enum chunk_special kind = some < 0 ? index_special(some) : special;
                assert_int_equal(index_resize(&x, next, kind, NULL), TESS_OK);
                for (int64_t i = n; i < next; i++)
                    expected[i] = index_entry_of(kind);
                n = next;
            } else if (random_below(&r, 5) == 0) {
                assert_int_equal(index_reserve(&x, n, NULL), TESS_OK);
                assert_non_null(x.entries);
            } else if (n > 0) {
                const int64_t at = (int64_t)random_below(&r, (uint64_t)n);
                assert_int_equal(index_set(&x, at, some, NULL), TESS_OK);
                expected[at] = some;
            }
            compare(&x, expected, n);
        }
        uniform += !x.entries;
        if (n > 0)
            check_chunk(&x, expected, n);
        index_finish(&x);
        assert_null(x.entries);
        index_finish(&x);
    }
    assert_true(uniform > 10);
}

static void
limits(void **state)
{
    struct frame_index x;
    uint8_t *chunk;
    int32_t size;

    (void)state;
    index_init_uniform(&x, 5, SPECIAL_ZEROS);
    assert_int_equal(index_resize(&x, INDEX_NCHUNKS_MAX + INT64_C(1), SPECIAL_ZEROS, NULL),
                     TESS_ERR_LIMIT);
    assert_int_equal(x.nchunks, 5);
    assert_int_equal(index_resize(&x, INDEX_NCHUNKS_MAX, SPECIAL_ZEROS, NULL), TESS_OK);
    assert_null(x.entries); // the longest list of equal chunks takes no memory
    assert_int_equal(index_write(&x, &chunk, &size, NULL), TESS_OK);
    assert_int_equal(size, 40);
    struct frame_index back;
    assert_int_equal(index_parse(&back, chunk, 40, INDEX_NCHUNKS_MAX, 0, 100, NULL), TESS_OK);
    assert_int_equal(back.nchunks, INDEX_NCHUNKS_MAX);
    assert_null(back.entries);
    free(chunk);
}

// What c-blosc2 writes, as text.
static void
of_others(void **state)
{
    struct frame_index x;
    size_t size;
    uint8_t *bytes = hex_bytes("05 01 05 08 20000000 20000000 28000000 000000000000 00 00"
                               "000000000000 00 30 0000000000000081",
                               &size);

    (void)state;
    assert_int_equal(index_parse(&x, bytes, size, 4, 0, LIMIT, NULL), TESS_OK);
    compare(&x, (const int64_t[]){ZEROS_ENTRY, ZEROS_ENTRY, ZEROS_ENTRY, ZEROS_ENTRY}, 4);
    index_finish(&x);
    free(bytes);

    bytes = hex_bytes("05 01 07 08 08000000 08000000 28000000 000000000001 00 00 000000000000 00 00"
                      "0000000000000000",
                      &size);
    assert_int_equal(index_parse(&x, bytes, size, 1, 0, LIMIT, NULL), TESS_OK);
    compare(&x, (const int64_t[]){0}, 1);
    index_finish(&x);
    assert_int_equal(index_parse(&x, bytes, size, 1, -1, LIMIT, NULL), TESS_ERR_CORRUPT);
    free(bytes);
}

static const struct bad {
    const char *what;
    uint64_t entry; // among four of zeros
    int64_t nchunks;
    tess_status status;
} bads[] = {
    {"the last place a chunk can be", 968, 4, TESS_OK},
    {"a chunk of less than a header", 969, 4, TESS_ERR_CORRUPT},
    {"a chunk far away", UINT64_C(0x7fffffffffffffff), 4, TESS_ERR_CORRUPT},
    {"a special value that is stored in other ways", UINT64_C(0x8300000000000000), 4,
     TESS_ERR_CORRUPT},
    {"special value 0", UINT64_C(0x8000000000000000), 4, TESS_ERR_CORRUPT},
    {"special value 127", UINT64_C(0xff00000000000000), 4, TESS_ERR_CORRUPT},
    {"three chunks wanted", 0, 3, TESS_ERR_CORRUPT},
    {"five chunks wanted", 0, 5, TESS_ERR_CORRUPT},
};

static void
entries_that_cannot_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        for (int kind = 0; kind < 2; kind++) { // among others, and as the only value
            uint8_t entries[32], *chunk;
            struct frame_index x;
            struct chunk_encoder e;
            int32_t size;
            for (size_t n = 0; n < 4; n++)
                put_u64le(entries + 8 * n,
                          n == 2 || kind == 1 ? bads[i].entry : (uint64_t)ZEROS_ENTRY);
            if (kind == 0) {
                assert_int_equal(chunk_of_bytes(entries, 32, 32, &chunk, &size, NULL), TESS_OK);
            } else {
                const struct chunk_spec spec = {.itemsize = 8, .nbytes = 32, .blocksize = 32};
                chunk = malloc(40);
                assert_non_null(chunk);
                assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
                size = chunk_encode_value(&e, entries, chunk);
            }
            tess_error err = {0};
            const tess_status st =
                index_parse(&x, chunk, (size_t)size, bads[i].nchunks, 1000 - 32, LIMIT, &err);
            if (st != bads[i].status)
                fail_msg("%s: status %d: %s", bads[i].what, st, err.message);
            if (st != TESS_OK)
                assert_null(x.entries);
            index_finish(&x);
            free(chunk);
        }
    }
}

static void
chunks_that_are_no_index(void **state)
{
    static const struct {
        const char *what, *bytes;
        tess_status status;
    } wrong[] = {
        {"9 bytes",
         "05 01 07 08 09000000 08000000 29000000 000000000001 00 00 000000000000 00 00"
         "000000000000000000",
         TESS_ERR_CORRUPT},
        {"blocks of different sizes",
         "06 01 35 01 08000000 01000000 30000000 000000000000 01 00 000000000000 01 00"
         "24000000 08000000 0000000000000000",
         TESS_ERR_CORRUPT},
        {"more than the limit",
         "05 01 05 08 d8ffff7f 08000000 28000000 000000000000 00 00 000000000000 00 30"
         "0000000000000000",
         TESS_ERR_LIMIT},
        {"all chunks uninitialised by a special index",
         "05 01 05 08 20000000 20000000 20000000 000000000000 00 00 000000000000 00 20",
         TESS_ERR_CORRUPT}, // four NaNs are four positions, far away
        {"cut off",
         "05 01 07 08 10000000 08000000 30000000 000000000001 00 00 000000000000 00 00"
         "0000000000000000",
         TESS_ERR_CORRUPT},
        {"nothing", "", TESS_ERR_CORRUPT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct frame_index x;
        size_t size;
        tess_error err = {0};
        uint8_t *const bytes = hex_bytes(wrong[i].bytes, &size);
        const tess_status st = index_parse(&x, bytes, size, -1, 1 << 20, LIMIT, &err);
        if (st != wrong[i].status)
            fail_msg("%s: status %d: %s", wrong[i].what, st, err.message);
        assert_null(x.entries);
        free(bytes);
    }
}

// All entries of stored chunks, in ascending order, however many there are and how large.
static void
sorted(void **state)
{
    static const int64_t counts[] = {0, 1, 100, 5000, 70000};
    static const int bits[] = {3, 11, 12, 40, 62};
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof bits / sizeof *bits; k++) {
            struct frame_index x;
            int64_t *entries, stored = 0;
            uint64_t sum = 0;
            size_t n;
            index_init_uniform(&x, counts[i], SPECIAL_ZEROS);
            assert_int_equal(index_reserve(&x, counts[i], NULL), TESS_OK);
            for (int64_t at = 0; at < counts[i]; at++) {
                if (random_below(&r, 8) == 0)
                    continue;
                x.entries[at] = (int64_t)random_below(&r, UINT64_C(1) << bits[k]);
                sum += (uint64_t)x.entries[at] * (uint64_t)x.entries[at];
                stored++;
            }
            assert_int_equal(index_sorted(&x, &entries, &n, NULL), TESS_OK);
            assert_int_equal(n, stored);
            for (size_t at = 0; at < n; at++) {
                assert_true(at == 0 || entries[at - 1] <= entries[at]);
                sum -= (uint64_t)entries[at] * (uint64_t)entries[at];
            }
            assert_true(sum == 0);
            free(entries);
            index_finish(&x);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_entries),
        cmocka_unit_test(against_an_array),
        cmocka_unit_test(limits),
        cmocka_unit_test(of_others),
        cmocka_unit_test(entries_that_cannot_be),
        cmocka_unit_test(chunks_that_are_no_index),
        cmocka_unit_test(sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
