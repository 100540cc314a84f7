/*
 * cache.c - tests of cache/cache: what stays, what leaves, and what threads see of it. The items of
 * a block are its key again and again, so that a block of another key shows.
 */
#include "cache/cache.h"

#include "support/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKSIZE = 512, PER_CHUNK = 64, PLACES = BLOCKSIZE / (int)sizeof(int64_t) };

static void
fill(struct cached *b, int64_t key)
{
    for (int i = 0; i < PLACES; i++)
        memcpy(b->items + (size_t)i * sizeof key, &key, sizeof key);
}

static bool
holds(const struct cached *b, int64_t key)
{
    for (int i = 0; i < PLACES; i++)
        if (memcmp(b->items + (size_t)i * sizeof key, &key, sizeof key) != 0)
            return false;
    return true;
}

enum found { HIT, PART, LOADED };

static struct cached *
find(struct cache *c, int64_t key)
{
    return cache_find(c, key / PER_CHUNK, (int32_t)(key % PER_CHUNK));
}

// What a read of part of a block does.
static enum found
use(struct cache *c, int64_t key)
{
    struct cached *place;
    struct cached *b = cache_find_part(c, key / PER_CHUNK, (int32_t)(key % PER_CHUNK), &place);
    if (b) {
        if (!holds(b, key))
            abort();
        cache_unpin(b);
        return HIT;
    }
    if (!place)
        return PART;
    fill(place, key);
    b = cache_add(c, place);
    if (!holds(b, key))
        abort();
    cache_unpin(b);
    return LOADED;
}

static struct cached *
write_block(struct cache *c, int64_t key)
{
    struct cached *b = cache_reserve(c, key / PER_CHUNK, (int32_t)(key % PER_CHUNK));
    if (!b)
        return NULL;
    fill(b, key);
    b = cache_add(c, b);
    cache_begin_write(c);
    cache_mark_dirty(c, b);
    cache_unpin(b);
    return b;
}

static struct cache *
room_for(int64_t nblocks)
{
    struct cache *const c = cache_new(nblocks * BLOCKSIZE + BLOCKSIZE / 2, BLOCKSIZE);
    assert_non_null(c);
    return c;
}

static struct cache_stats
stats_of(struct cache *c)
{
    struct cache_stats stats;
    cache_stats(c, &stats);
    return stats;
}

static void
second_time(void **state)
{
    struct cache *const c = room_for(10);

    (void)state;
    assert_int_equal(use(c, 7), PART);
    assert_int_equal(stats_of(c).used, 0);
    assert_int_equal(use(c, 7), LOADED);
    assert_int_equal(use(c, 7), HIT);
    const struct cache_stats stats = stats_of(c);
    assert_int_equal(stats.used, BLOCKSIZE);
    assert_int_equal(stats.hits, 1);
    assert_int_equal(stats.misses, 2);
    assert_int_equal(stats.evictions, 0);
    // One that cannot be kept is missed, and that is all.
    for (int i = 0; i < 3; i++)
        assert_null(cache_find_part(c, 99, 0, NULL));
    assert_int_equal(use(c, 99 * PER_CHUNK), PART);
    cache_free(c);
}

static void
too_small(void **state)
{
    static const int64_t nblocks[] = {0, 1, 3};

    (void)state;
    for (size_t i = 0; i < sizeof nblocks / sizeof *nblocks; i++) {
        struct cache *const c = room_for(nblocks[i]);
        assert_false(cache_is_on(c));
        for (int k = 0; k < 5; k++)
            assert_int_equal(use(c, 1), PART);
        assert_null(cache_reserve(c, 0, 1));
        assert_int_equal(stats_of(c).misses, 0);
        cache_free(c);
    }
}

// A budget that nothing can use up costs nothing before it is used.
static void
boundless(void **state)
{
    struct cache *const c = cache_new(INT64_MAX, 1);

    (void)state;
    assert_non_null(c);
    assert_true(cache_is_on(c));
    for (int i = 0; i < 3; i++) {
        struct cached *place;
        struct cached *const b = cache_find_part(c, INT64_MAX, INT32_MAX, &place);
        assert_int_equal(b != NULL, i == 2);
        assert_int_equal(place != NULL, i == 1);
        cache_unpin(b ? b : place ? cache_add(c, place) : NULL);
    }
    assert_int_equal(stats_of(c).used, 1);
    cache_free(c);
}

// A working set that fits, also one that just fits, is decoded as a whole once. Where many keys are
// remembered, a few meet in their places.
static void
fits(void **state)
{
    static const struct {
        int64_t nblocks;
        int late;
    } cases[] = {{4, 0}, {8, 0}, {100, 0}, {5000, 5}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cache *const c = room_for(cases[i].nblocks);
        int count[4][3] = {{0}};
        for (int round = 0; round < 4; round++)
            for (int64_t key = 0; key < cases[i].nblocks; key++)
                count[round][use(c, key)]++;
        assert_int_equal(count[0][PART], cases[i].nblocks);
        assert_true(count[1][LOADED] >= cases[i].nblocks - cases[i].late);
        assert_true(count[2][HIT] >= cases[i].nblocks - cases[i].late);
        assert_true(count[3][HIT] >= count[2][HIT]);
        assert_int_equal(stats_of(c).used, count[3][HIT] * BLOCKSIZE);
        assert_int_equal(stats_of(c).evictions, 0);
        cache_free(c);
    }
}

// Blocks [0, n) that are used, and enter.
static void
warm_up(struct cache *c, int64_t n)
{
    for (int round = 0; round < 5; round++)
        for (int64_t key = 0; key < n; key++)
            use(c, key);
    for (int64_t key = 0; key < n; key++)
        assert_int_equal(use(c, key), HIT);
}

static void
scan_once(void **state)
{
    enum { N = 100 };
    struct cache *const c = room_for(N);

    (void)state;
    warm_up(c, N);
    for (int64_t key = 1000; key < 21000; key++)
        assert_int_equal(use(c, key), PART);
    for (int64_t key = 0; key < N; key++)
        assert_int_equal(use(c, key), HIT);
    cache_free(c);
}

// Two scans, side by side, beside a set that is in use.
static void
scans_beside(void **state)
{
    enum { N = 100, HOT = 80 };
    struct cache *const c = room_for(N);
    int hits = 0, loaded = 0;

    (void)state;
    warm_up(c, HOT);
    for (int64_t i = 0; i < 40000; i++) {
        hits += use(c, i % HOT) == HIT;
        loaded += use(c, 1000 + i % 350) == LOADED;
        loaded += use(c, 5000 + i % 470) == LOADED;
    }
    assert_true(hits > 40000 * 99 / 100);
    assert_true(loaded < 80000 / 100);
    cache_free(c);
}

// Random blocks of four times the budget: it serves its share, and hardly anything is decoded as a
// whole for it.
static void
beyond(void **state)
{
    enum { N = 128, ROUNDS = 100000 };
    struct cache *const c = room_for(N);
    struct random random;
    int count[3] = {0};

    (void)state;
    random_init(&random, 2);
    for (int i = 0; i < ROUNDS; i++)
        count[use(c, (int64_t)random_below(&random, 4 * N))]++;
    assert_in_range(count[HIT], ROUNDS * 23 / 100, ROUNDS * 27 / 100);
    assert_true(count[LOADED] < ROUNDS * 3 / 100);
    cache_free(c);
}

// Rows of 8 blocks, 50 rows through the same ones, 2000 of these, beside random access: each block
// is missed a few times.
static void
rows_beside(void **state)
{
    enum { N = 128, ROWS = 20000, ACROSS = 8, ROWS_OF_BLOCK = 50 };
    struct cache *const c = room_for(N);
    struct random random;
    int count[3] = {0};

    (void)state;
    random_init(&random, 3);
    for (int i = 0; i < 20000; i++)
        use(c, (int64_t)random_below(&random, 4 * N));
    for (int64_t row = 0; row < ROWS; row++)
        for (int k = 0; k < ACROSS; k++) {
            count[use(c, 100000 + row / ROWS_OF_BLOCK * ACROSS + k)]++;
            use(c, (int64_t)random_below(&random, 4 * N));
        }
    assert_true(count[LOADED] < 2 * ROWS / ROWS_OF_BLOCK * ACROSS);
    assert_true(count[PART] < 3 * ROWS / ROWS_OF_BLOCK * ACROSS);
    cache_free(c);
}

static void
pinned(void **state)
{
    enum { N = 8 };
    struct cache *const c = room_for(N);
    struct cached *held[N];

    (void)state;
    warm_up(c, N);
    for (int i = 0; i < N; i++)
        held[i] = find(c, i);
    for (int64_t key = 100; key < 110; key++) // none can leave
        for (int i = 0; i < 3; i++)
            assert_int_equal(use(c, key), PART);
    assert_null(cache_reserve(c, 7, 7));
    for (int i = 0; i < N; i++)
        assert_true(holds(held[i], i));
    cache_unpin(held[3]);
    struct cached *const b = cache_reserve(c, 7, 7); // that one
    assert_ptr_equal(b, held[3]);
    assert_null(find(c, 3));
    cache_drop(c, b);
    for (int i = 0; i < N; i++)
        if (i != 3)
            cache_unpin(held[i]);
    cache_free(c);
}

// In the steady state, blocks get the memory of those that left.
static void
same_memory(void **state)
{
    enum { N = 20 };
    struct cache *const c = room_for(N);
    const struct cached *seen[N + 1];
    int nseen = 0;

    (void)state;
    for (int64_t key = 0; key < 2000; key++) {
        struct cached *const b = cache_reserve(c, key, 0);
        int i = 0;
        assert_non_null(b);
        cache_unpin(cache_add(c, b));
        while (i < nseen && seen[i] != b)
            i++;
        seen[i] = b;
        nseen += i == nseen;
        assert_true(nseen <= N);
    }
    assert_int_equal(stats_of(c).evictions, 2000 - N);
    cache_free(c);
}

static void
faster_thread(void **state)
{
    struct cache *const c = room_for(10);
    struct cached *const a = cache_reserve(c, 1, 2), *const b = cache_reserve(c, 1, 2);

    (void)state;
    assert_ptr_not_equal(a, b);
    assert_int_equal(stats_of(c).used, 2 * BLOCKSIZE);
    assert_ptr_equal(cache_add(c, a), a);
    assert_ptr_equal(cache_add(c, b), a); // b is dropped
    assert_int_equal(stats_of(c).used, BLOCKSIZE);
    cache_unpin(a);
    cache_unpin(a);
    cache_free(c);
}

static void
dirty(void **state)
{
    enum { N = 20 };
    struct cache *const c = room_for(N);
    struct cached **list;
    size_t n;

    (void)state;
    for (int64_t key = 14; key >= 0; key--) // the last one is the oldest
        assert_non_null(write_block(c, key));
    for (int64_t key = 1000; key < 1300; key++)
        for (int i = 0; i < 3; i++)
            use(c, key);
    assert_int_equal(cache_dirty_size(c), 15 * BLOCKSIZE);
    assert_true(cache_list_dirty(c, 100, &list, &n));
    assert_int_equal(n, 15);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(list[i]->block, i);
        assert_true(holds(list[i], (int64_t)i));
    }
    free(list);
    write_block(c, 14); // not the oldest any more
    assert_true(cache_list_dirty(c, 4, &list, &n));
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(list[i]->block, 10 + i);
    }
    cache_mark_clean(c, list, n);
    free(list);
    assert_int_equal(cache_dirty_size(c), 11 * BLOCKSIZE);
    for (int64_t key = 100; key < 109; key++)
        assert_non_null(write_block(c, key));
    assert_null(write_block(c, 200)); // all others wait
    assert_int_equal(cache_dirty_size(c), N * BLOCKSIZE);
    cache_free(c);
}

// Of a write that is stored in part, what waits is urgent, and so is what joins it later.
static void
hurry(void **state)
{
    struct cache *const c = room_for(20);
    struct cached **list;
    size_t n;

    (void)state;
    write_block(c, 1);
    write_block(c, 2); // a call of its own
    assert_false(cache_has_urgent(c));
    cache_hurry_write(c);
    assert_true(cache_has_urgent(c));
    assert_true(cache_list_urgent(c, &list, &n));
    assert_int_equal(n, 1);
    assert_true(holds(list[0], 2));
    cache_mark_clean(c, list, n);
    free(list);
    assert_false(cache_has_urgent(c));
    assert_int_equal(cache_dirty_size(c), BLOCKSIZE);
    cache_free(c);
}

static void
forget(void **state)
{
    enum { CHUNKS = 10, BLOCKS = 6 };
    static const struct {
        const char *what;
        int64_t first, last;
        int64_t nblocks; // 0: a range
    } cases[] = {
        {"a chunk", 3, 3, BLOCKS}, {"a chunk of many blocks, of which few are there", 4, 4, 100000},
        {"a range", 2, 5, 0},      {"the end", 7, INT64_MAX, 0},
        {"all", 0, INT64_MAX, 0},  {"none", 50, 60, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cache *const c = room_for(100);
        int64_t left = 0;
        for (int round = 0; round < 3; round++)
            for (int64_t n = 0; n < CHUNKS * BLOCKS; n++)
                use(c, n / BLOCKS * PER_CHUNK + n % BLOCKS);
        write_block(c, 3 * PER_CHUNK + BLOCKS - 1);
        if (cases[i].nblocks > 0)
            cache_forget_chunk(c, cases[i].first, cases[i].nblocks);
        else
            cache_forget_range(c, cases[i].first, cases[i].last);
        print_message("%s\n", cases[i].what);
        for (int64_t n = 0; n < CHUNKS * BLOCKS; n++) {
            const int64_t chunk = n / BLOCKS;
            struct cached *const b = find(c, chunk * PER_CHUNK + n % BLOCKS);
            assert_int_equal(b == NULL, chunk >= cases[i].first && chunk <= cases[i].last);
            cache_unpin(b);
            left += b != NULL;
        }
        assert_int_equal(stats_of(c).used, left * BLOCKSIZE);
        assert_int_equal(stats_of(c).dirty,
                         cases[i].first <= 3 && cases[i].last >= 3 ? 0 : BLOCKSIZE);
        for (int64_t key = 5000; key < 5000 + 100 - left; key++) // there is room again
            assert_true(use(c, key) == PART && use(c, key) == LOADED);
        assert_int_equal(stats_of(c).evictions, 0);
        cache_free(c);
    }
}

struct reader {
    struct cache *c;
    uint64_t seed;
    int64_t nblocks; // of the budget
    int64_t uses, hits;
};

static void *
read_some(void *arg)
{
    struct reader *const r = arg;
    struct random random;
    random_init(&random, r->seed);
    for (; r->uses < 20000; r->uses++) {
        const bool rows = random_below(&random, 2) == 0;
        const int64_t key =
            rows ? 1000 + r->uses / 400 * 4 + r->uses % 4 : (int64_t)random_below(&random, 60);
        r->hits += use(r->c, key) == HIT;
        if (random_below(&random, 10) == 0) { // as a write does, and gives up
            struct cached *const b = cache_reserve(r->c, key / PER_CHUNK, 3);
            if (b) {
                fill(b, -1);
                cache_drop(r->c, b);
            }
        }
        if (stats_of(r->c).used > r->nblocks * BLOCKSIZE)
            abort();
    }
    return NULL;
}

// Readers of a cache that is too small for them. Each one looks at the items of the blocks it has
// pinned: a block that gets others meanwhile shows, under the thread sanitizer in any case.
static void
threads_in(int64_t nblocks)
{
    enum { THREADS = 8 };
    struct cache *const c = room_for(nblocks);
    struct reader readers[THREADS];
    pthread_t ids[THREADS];
    int64_t uses = 0, hits = 0;

    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){c, (uint64_t)i, nblocks, 0, 0};
        assert_int_equal(pthread_create(&ids[i], NULL, read_some, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
        uses += readers[i].uses;
        hits += readers[i].hits;
    }
    const struct cache_stats stats = stats_of(c);
    assert_int_equal(stats.hits, hits);
    assert_int_equal(stats.hits + stats.misses, uses);
    assert_true(stats.evictions > 0);
    for (int64_t key = 0; key < 2000; key++) { // none is pinned any more
        struct cached *const b = find(c, key);
        if (b)
            assert_int_equal(atomic_load(&b->pins), 1);
        cache_unpin(b);
    }
    cache_free(c);
}

static void
threads(void **state)
{
    (void)state;
    threads_in(40);
    threads_in(12);
    threads_in(4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_time),   cmocka_unit_test(too_small),
        cmocka_unit_test(boundless),     cmocka_unit_test(fits),
        cmocka_unit_test(scan_once),     cmocka_unit_test(scans_beside),
        cmocka_unit_test(beyond),        cmocka_unit_test(rows_beside),
        cmocka_unit_test(pinned),        cmocka_unit_test(same_memory),
        cmocka_unit_test(faster_thread), cmocka_unit_test(dirty),
        cmocka_unit_test(hurry),         cmocka_unit_test(forget),
        cmocka_unit_test(threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
