/*
 * geom_model.c - what the model expects of an access, against counting and its own words.
 *
 * A disk that is slow in one thing only tells what was counted: one whose latency alone costs tells
 * chunks, one of a byte per second tells bytes.
 */
#include "geom/model.h"

#include "support/random.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define NEAR 1e-9 // relative: the same but for rounding

// Blocks of a chunk are not too small for a good ratio from here on.
#define LARGE 0x1p30

static const struct model plain = {
    .l2 = 1 * MIB,
    .threads = 1,
    .block = MODEL_BLOCK,
    .small_loss = MODEL_SMALL_LOSS,
    .decode = 0.5e-9,
    .encode = 2e-9,
    .ratio = 1,
};

static void
check_near(const char *what, double actual, double expected)
{
    if (!(fabs(actual - expected) <= NEAR * fabs(expected)))
        fail_msg("%s: %.12g, expected %.12g", what, actual, expected);
}

static double
chunks_met(const struct access *a, int ndim, const int64_t *shape, const struct grid *g)
{
    struct model m = plain;

    m.disk_latency = 1;
    return model_disk(&m, a, ndim, shape, 1, g, 1);
}

static double
bytes_met(const struct access *a, int ndim, const int64_t *shape, int32_t typesize,
          const struct grid *g)
{
    struct model m = plain;

    m.disk_speed = 1;
    return model_disk(&m, a, ndim, shape, typesize, g, 1);
}

// -- counts

// The number of the part that item i of an axis is in: chunks, or blocks inside chunks.
static int64_t
part_of(int64_t i, int64_t chunk, int64_t block)
{
    return i / chunk * ((chunk + block - 1) / block) + i % chunk / block;
}

// How many a range of that extent meets, averaged over all places that it can have.
static double
average(int64_t n, int64_t extent, int64_t chunk, int64_t block)
{
    int64_t sum = 0;

    for (int64_t start = 0; start + extent <= n; start++)
        sum += part_of(start + extent - 1, chunk, block) - part_of(start, chunk, block) + 1;
    return (double)sum / (double)(n - extent + 1);
}

static void
check_counts(struct random *r, bool even)
{
    const int ndim = 1 + (int)random_below(r, 4);
    struct access a = {.kind = ACCESS_READ};
    double chunks = 1, bytes = 3;
    int64_t shape[NDIM_MAX];
    struct grid g;

    for (int i = 0; i < ndim; i++) {
        g.block[i] = 1 + (int64_t)random_below(r, 6);
        g.chunk[i] = g.block[i] * (1 + (int64_t)random_below(r, 4));
        if (even) { // as many starts in each place of a chunk
            a.extent[i] = 1 + (int64_t)random_below(r, 20);
            shape[i] = a.extent[i] - 1 + g.chunk[i] * (1 + (int64_t)random_below(r, 4));
        } else { // the whole axis, also with a rest, and with blocks that do not fit the chunk
            shape[i] = 1 + (int64_t)random_below(r, 40);
            a.extent[i] = random_below(r, 2) ? shape[i] : ACCESS_WHOLE;
            g.chunk[i] += (int64_t)random_below(r, 3);
        }
        const int64_t extent = a.extent[i] == ACCESS_WHOLE ? shape[i] : a.extent[i];
        chunks *= average(shape[i], extent, g.chunk[i], g.chunk[i]);
        bytes *= average(shape[i], extent, g.chunk[i], g.block[i]) * (double)g.block[i];
    }
    check_near("chunks", chunks_met(&a, ndim, shape, &g), chunks);
    check_near("bytes of blocks", bytes_met(&a, ndim, shape, 3, &g), bytes);
}

// Where all places in a chunk are as probable, and for whole axes, the expectation is exact.
static void
test_counts(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(2000, 100000); n > 0; n--)
        check_counts(&r, n % 2);
}

// Elsewhere it is less than one part away, is never more than all, and grows with the box.
static void
test_counts_at_edges(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 24; n++)
        for (int64_t p = 1; p <= n; p++) {
            double before = 0;

            for (int64_t e = 1; e <= n; e++) {
                const struct access a = {.kind = ACCESS_READ, .extent = {e}};
                const struct grid g = {.chunk = {p}, .block = {p}};
                const double chunks = chunks_met(&a, 1, &n, &g);

                if (!(fabs(chunks - average(n, e, p, p)) < 1) || chunks < before ||
                    chunks > (double)((n + p - 1) / p))
                    fail_msg("%" PRId64 " of %" PRId64 " items meet %g parts of %" PRId64
                             ", counted %g",
                             e, n, chunks, p, average(n, e, p, p));
                before = chunks;
            }
        }
}

// -- prices

static const int64_t shape[] = {1000, 600};
static const struct grid grid = {.chunk = {200, 300}, .block = {50, 100}}; // blocks of 40000 bytes
static const int32_t typesize = 8;
static const struct access box = {.kind = ACCESS_READ, .extent = {51, 101}};
static const struct access full = {.kind = ACCESS_READ, .extent = {ACCESS_WHOLE, ACCESS_WHOLE}};
static const double box_bytes = 2 * 2 * 40000, box_chunks = 1.25 * (1 + 100.0 / 300);

static void
test_disk(void **state)
{
    struct model m = plain;

    (void)state;
    m.disk_speed = 1e6;
    m.disk_latency = 0.25;
    m.ratio = 4;
    const double expected = box_bytes / 4 / 1e6 + box_chunks * 0.25;
    check_near("disk", model_predict(&m, &box, 2, shape, typesize, &grid).disk, expected);
    check_near("disk", model_disk(&m, &box, 2, shape, typesize, &grid, 4), expected);
    m.disk_speed = 0; // all is in memory
    check_near("latency", model_predict(&m, &box, 2, shape, typesize, &grid).disk,
               box_chunks * 0.25);
}

// Bytes that move: an update reads and writes, an append that waits in the cache writes its items.
static void
test_moved(void **state)
{
    struct access a = box;

    (void)state;
    check_near("box", bytes_met(&a, 2, shape, typesize, &grid), box_bytes);
    a.kind = ACCESS_UPDATE;
    check_near("update", bytes_met(&a, 2, shape, typesize, &grid), 2 * box_bytes);
    a = full;
    a.kind = ACCESS_WRITE;
    check_near("write", bytes_met(&a, 2, shape, typesize, &grid), 1000 * 600 * 8);

    // A row of chunks across axis 0: 200 x 600 items.
    struct model m = plain;
    m.disk_speed = 1;
    a = (struct access){.kind = ACCESS_APPEND, .extent = {1, ACCESS_WHOLE}};
    m.cache = 200 * 600 * 8;
    check_near("cached append", model_disk(&m, &a, 2, shape, typesize, &grid, 1), 600 * 8);
    m.cache--;
    check_near("append", model_disk(&m, &a, 2, shape, typesize, &grid, 1), 2 * 6 * 40000);
}

// Seconds of the CPU that come with a second per byte.
static double
price(const struct model *m, const struct access *a, const struct grid *g, bool encode)
{
    struct model dearer = *m;
    double *const field = encode ? &dearer.encode : &dearer.decode;

    *field += 1;
    return model_predict(&dearer, a, 2, shape, typesize, g).cpu -
           model_predict(m, a, 2, shape, typesize, g).cpu;
}

static void
test_bytes_of_cpu(void **state)
{
    static const struct grid large = {.chunk = {500, 300}, .block = {500, 300}};
    const double all = 1000 * 600 * 8;
    struct model m = plain;
    struct access a = box;

    (void)state;
    check_near("decoded by a read", price(&m, &a, &grid, false), box_bytes);
    assert_true(price(&m, &a, &grid, true) == 0);
    a.kind = ACCESS_UPDATE;
    check_near("decoded by an update", price(&m, &a, &grid, false), box_bytes);
    check_near("encoded by an update", price(&m, &a, &grid, true), box_bytes);
    a = full;
    a.kind = ACCESS_WRITE;
    check_near("encoded by writing", price(&m, &a, &grid, true), all);
    assert_true(price(&m, &a, &grid, false) == 0);

    a = (struct access){.kind = ACCESS_APPEND, .extent = {1, ACCESS_WHOLE}};
    m.cache = 1 << 30;
    check_near("encoded by a cached append", price(&m, &a, &grid, true), 600 * 8);
    assert_true(price(&m, &a, &grid, false) == 0);
    m.cache = 0;
    check_near("encoded by an append", price(&m, &a, &grid, true), 6 * 40000);
    check_near("decoded by an append", price(&m, &a, &grid, false), 6 * 40000);

    // Blocks of more than 1 MiB leave the cache; threads share the work.
    assert_true(price(&m, &full, &large, false) > 1.01 * all);
    check_near("one thread", price(&m, &full, &grid, false), all);
    m.threads = 4;
    check_near("four threads", price(&m, &full, &grid, false), all / 4);
}

// Small blocks compress less, large ones as measured; none less than not at all.
static void
test_ratio_of_blocks(void **state)
{
    struct model m = plain;
    double before = LARGE;

    (void)state;
    m.disk_speed = 1;
    m.ratio = 3;
    for (int64_t block = 1; block <= 1000; block *= 10) {
        const struct grid g = {.chunk = {1000, 600}, .block = {block, 600}};
        const double moved = model_predict(&m, &full, 2, shape, typesize, &g).disk;

        assert_true(moved <= before && moved <= 1000 * 600 * 8);
        if (block * 600 * 8 < 32 * KIB)
            assert_true(moved > 1000 * 600 * 8 / 3.0);
        else
            check_near("large blocks", moved, 1000 * 600 * 8 / 3.0);
        before = moved;
    }
}

// -- which way it goes

static double
total(const struct model *m, const struct access *a, const struct grid *g)
{
    const struct model_cost cost = model_predict(m, a, 2, shape, typesize, g);

    assert_true(isfinite(cost.cpu) && cost.cpu > 0 && isfinite(cost.disk) && cost.disk >= 0);
    return cost.cpu + cost.disk;
}

static void
test_slower_machines(void **state)
{
    static const enum access_kind kinds[] = {ACCESS_READ, ACCESS_UPDATE, ACCESS_APPEND,
                                             ACCESS_WRITE};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct access a = kinds[i] == ACCESS_WRITE ? full : box;
        struct model m = plain, slower;

        a.kind = kinds[i];
        m.disk_speed = 1e9;
        m.disk_latency = 1e-4;
        m.ratio = 2;
        m.threads = 2;
        const double cost = total(&m, &a, &grid);

        slower = m, slower.disk_speed = 5e8;
        assert_true(total(&slower, &a, &grid) > cost);
        slower = m, slower.disk_latency = 2e-4;
        assert_true(total(&slower, &a, &grid) > cost);
        slower = m, slower.ratio = 1;
        assert_true(total(&slower, &a, &grid) > cost);
        slower = m, slower.threads = 1;
        assert_true(total(&slower, &a, &grid) > cost);
        slower = m, slower.disk_speed = 0; // no disk
        assert_true(total(&slower, &a, &grid) < cost);
    }
}

// Each of these differs from the grid in one thing that costs.
static void
test_worse_grids(void **state)
{
    static const struct access point = {.kind = ACCESS_READ, .extent = {1, 1}};
    static const struct grid more_chunks = {.chunk = {100, 300}, .block = {50, 100}};
    static const struct grid more_blocks = {.chunk = {200, 300}, .block = {50, 50}};
    static const struct grid larger_blocks = {.chunk = {200, 300}, .block = {100, 100}};
    static const struct grid shorter_rows = {.chunk = {200, 300}, .block = {100, 50}};

    (void)state;
    assert_true(total(&plain, &full, &more_chunks) > total(&plain, &full, &grid));
    assert_true(total(&plain, &full, &more_blocks) > total(&plain, &full, &grid));
    assert_true(total(&plain, &full, &shorter_rows) > total(&plain, &full, &grid));
    assert_true(total(&plain, &point, &larger_blocks) > total(&plain, &point, &grid));
    assert_true(total(&plain, &box, &grid) < total(&plain, &full, &grid));
}

// What is counted once for many accesses gives the same.
static void
test_counted_once(void **state)
{
    static const enum access_kind kinds[] = {ACCESS_READ, ACCESS_UPDATE, ACCESS_APPEND,
                                             ACCESS_WRITE};
    struct model_counts counts;

    (void)state;
    model_count(&counts, 2, shape, typesize, &grid);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct access a = kinds[i] == ACCESS_WRITE ? full : box;
        a.kind = kinds[i];
        assert_true(model_cpu(&plain, &a, &counts) ==
                    model_predict(&plain, &a, 2, shape, typesize, &grid).cpu);
    }
}

// Blocks made for an access cost no more than any others.
static void
test_best(void **state)
{
    static const struct grid rows = {.chunk = {1000, 600}, .block = {100, 600}};

    struct model m = plain;

    (void)state;
    m.l2 = 0; // large blocks cost no more
    const double best = model_best(&m, ACCESS_READ, 1000 * 600 * 8, 1000, 100 * 600 * 8);
    check_near("blocks of whole rows", total(&m, &full, &rows), best);
    assert_true(total(&m, &full, &grid) > best);
    assert_true(model_best(&plain, ACCESS_WRITE, 1e6, 1, 1e5) >
                model_best(&plain, ACCESS_READ, 1e6, 1, 1e5));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_at_edges),
        cmocka_unit_test(test_disk),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_bytes_of_cpu),
        cmocka_unit_test(test_ratio_of_blocks),
        cmocka_unit_test(test_slower_machines),
        cmocka_unit_test(test_worse_grids),
        cmocka_unit_test(test_counted_once),
        cmocka_unit_test(test_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
