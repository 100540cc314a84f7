/*
 * io_source_joined.c - tests of joined_read(): which ranges are read together, and that each
 * arrives once, in whatever order the pieces come.
 */

#include "base/error.h"
#include "io/io.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 1 << 16, RANGES = 30 };

static uint8_t bytes[SIZE];

struct reading {
    struct io_progress progress; // what is told of the ranges
    int arrived[RANGES];
    bool cancelled;
    size_t npieces; // of the last read
    bool backwards, tells;
    int failing; // pieces before it fails; -1: it does not
};

static void
range_arrived(const struct io_progress *p, size_t i)
{
    ((struct reading *)(uintptr_t)p)->arrived[i]++;
}

static bool
reading_cancelled(const struct io_progress *p)
{
    return ((const struct reading *)p)->cancelled;
}

static tess_status
read_pieces(void *arg, const tess_range *pieces, size_t n, const struct io_progress *p,
            tess_error *err)
{
    struct reading *const r = arg;
    r->npieces = n;
    for (size_t i = 0; i < n; i++) {
        const size_t k = r->backwards ? n - 1 - i : i;
        if ((int)i == r->failing)
            return err_set(err, TESS_ERR_STALE, -1, "piece %zu", i);
        assert_true(k == 0 ||
                    pieces[k].offset >= pieces[k - 1].offset + (int64_t)pieces[k - 1].dst_size);
        memcpy(pieces[k].dst, bytes + pieces[k].offset, pieces[k].dst_size);
        if (r->tells)
            p->arrived(p, k);
    }
    return p->cancelled(p) ? err_set(err, TESS_ERR_CANCELLED, -1, "cancelled") : TESS_OK;
}

static void
reading_init(struct reading *r)
{
    *r = (struct reading){
        .progress = {.arrived = range_arrived, .cancelled = reading_cancelled},
        .failing = -1,
    };
}

static void
pieces(void **state)
{
    static const struct {
        const char *why;
        tess_range ranges[3];
        size_t n, npieces;
    } cases[] = {
        {"one", {{100, NULL, 10}}, 1, 1},
        {"neighbours", {{100, NULL, 10}, {110, NULL, 10}, {120, NULL, 1}}, 3, 1},
        {"a gap of 50", {{100, NULL, 10}, {160, NULL, 10}}, 2, 1},
        {"a gap of 51", {{100, NULL, 10}, {161, NULL, 10}}, 2, 2},
        {"a piece of 1000", {{0, NULL, 500}, {500, NULL, 500}}, 2, 1},
        {"a piece of 1001", {{0, NULL, 500}, {500, NULL, 501}}, 2, 2},
        {"a gap counts", {{0, NULL, 500}, {510, NULL, 491}}, 2, 2},
        {"longer than a piece", {{0, NULL, 2000}, {2000, NULL, 10}}, 2, 2},
        {"two of three", {{0, NULL, 900}, {900, NULL, 200}, {1100, NULL, 800}}, 3, 2},
    };
    static const struct io_manner manner = {.gap = 50, .piece = 1000};
    static uint8_t got[3][2000];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_range ranges[3];
        struct reading r;
        reading_init(&r);
        memset(got, 0, sizeof got);
        for (size_t k = 0; k < cases[i].n; k++) {
            ranges[k] = cases[i].ranges[k];
            ranges[k].dst = got[k];
        }
        assert_int_equal(joined_read(&manner, ranges, cases[i].n, NULL, read_pieces, &r, NULL),
                         TESS_OK);
        if (r.npieces != cases[i].npieces)
            fail_msg("%s: %zu pieces", cases[i].why, r.npieces);
        for (size_t k = 0; k < cases[i].n; k++)
            assert_memory_equal(got[k], bytes + ranges[k].offset, ranges[k].dst_size);
    }
}

static void
drawn_ranges(void **state)
{
    static uint8_t got[SIZE];
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    random_bytes(&random, bytes, sizeof bytes);
    for (int64_t left = random_cases(2000, 100000); left > 0; left--) {
        const struct io_manner manner = {.gap = (int64_t)random_below(&random, 2000),
                                         .piece = (int64_t)random_below(&random, 20000)};
        tess_range ranges[RANGES];
        size_t n = 0;
        int64_t at = 0;
        struct reading r;
        tess_error err;
        while (n < RANGES && (n == 0 || random_below(&random, 20))) {
            const size_t size = 1 + random_below(&random, 1000);
            at += (int64_t)(random_below(&random, 2) * random_below(&random, 1100));
            ranges[n++] = (tess_range){at, got + at, size};
            at += (int64_t)size;
        }
        memset(got, 0, (size_t)at);
        reading_init(&r);
        r.backwards = random_below(&random, 2);
        r.tells = random_below(&random, 2);
        r.cancelled = random_below(&random, 10) == 0;
        r.failing = random_below(&random, 5) ? -1 : (int)random_below(&random, 4);
        const tess_status st = joined_read(&manner, ranges, n, &r.progress, read_pieces, &r, &err);
        const bool fails = r.failing >= 0 && r.failing < (int)r.npieces;
        assert_int_equal(st, fails ? TESS_ERR_STALE : r.cancelled ? TESS_ERR_CANCELLED : TESS_OK);
        for (size_t i = 0; i < n; i++) {
            assert_in_range(r.arrived[i], st == TESS_OK, 1);
            if (r.arrived[i] > 0)
                assert_memory_equal(ranges[i].dst, bytes + ranges[i].offset, ranges[i].dst_size);
        }
        for (int64_t i = 0, k = 0; i < at; i++) { // gaps are read to elsewhere
            while (k < (int64_t)n && i >= ranges[k].offset + (int64_t)ranges[k].dst_size)
                k++;
            if (i < ranges[k].offset)
                assert_int_equal(got[i], 0);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_ranges), cmocka_unit_test(pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
