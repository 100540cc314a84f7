/*
 * cache_account.c - tests of cache/account: caches that share a budget, seen through cache.h.
 *
 * A block holds its key; a thread that finds another one complains.
 */
#include "cache/account.h"

#include "cache/cache.h"
#include "support/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// Allocators of sanitizers keep their locks in the child of a fork.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORKS false
#else
#define FORKS true
#endif

enum {
    BLOCKSIZE = 8192,
    SLOT = BLOCKSIZE + (sizeof(struct cached) + 63) / 64 * 64,
    MANY = 50,
    THREADS = 6
};

static struct account_report
report_now(void)
{
    struct account_report r;
    account_report(&r);
    return r;
}

static int64_t
used_by(struct cache *c)
{
    struct cache_stats stats;
    cache_stats(c, &stats);
    return stats.used / BLOCKSIZE;
}

static uint64_t
key_of(const struct cached *b)
{
    return (uint64_t)b->chunk * 1000 + (uint64_t)b->block;
}

static bool
is_right(const struct cached *b)
{
    uint64_t found;
    memcpy(&found, b->items, sizeof found);
    return found == key_of(b);
}

// Read a part of a block, as a reader does. Whether it was in the cache; *right: as it was added.
static bool
read_part(struct cache *c, int64_t chunk, int32_t block, bool *right)
{
    struct cached *place;
    struct cached *b = cache_find_part(c, chunk, block, &place);
    const bool hit = b != NULL;
    if (place) {
        const uint64_t key = key_of(place);
        memset(place->items, 0x5a, BLOCKSIZE);
        memcpy(place->items, &key, sizeof key);
        b = cache_add(c, place);
    }
    *right &= !b || is_right(b);
    cache_unpin(b);
    return hit;
}

static void
fill(struct cache *c, int64_t nblocks)
{
    bool right = true;
    for (int times = 0; times < 2; times++)
        for (int64_t i = 0; i < nblocks; i++)
            (void)read_part(c, i, 0, &right);
    assert_true(right);
}

static void
write_block(struct cache *c, int64_t chunk)
{
    struct cached *b = cache_find(c, chunk, 0);
    if (!b) {
        b = cache_reserve(c, chunk, 0);
        assert_non_null(b);
        const uint64_t key = key_of(b);
        memcpy(b->items, &key, sizeof key);
        b = cache_add(c, b);
    }
    cache_begin_write(c);
    cache_mark_dirty(c, b);
    cache_unpin(b);
}

static void
clean_all(struct cache *c)
{
    struct cached **blocks;
    size_t n;
    assert_true(cache_list_dirty(c, INT64_MAX, &blocks, &n));
    for (size_t i = 0; i < n; i++)
        assert_true(is_right(blocks[i]));
    cache_mark_clean(c, blocks, n);
    free(blocks);
}

// A budget that is lowered takes effect on dirty blocks when they are clean.
static void
lowered(void **state)
{
    struct cache *const c = cache_new(CACHE_SHARED, BLOCKSIZE);
    (void)state;
    for (int64_t i = 0; i < 10; i++)
        write_block(c, i);
    fill(c, 15);
    account_set_budget(3 * SLOT);
    assert_int_equal(report_now().used, 10 * SLOT);
    clean_all(c);
    assert_int_equal(report_now().used, 3 * SLOT);
    write_block(c, 20);
    account_set_budget(0);
    clean_all(c);
    assert_int_equal(report_now().used, 0);
    cache_free(c);
    account_set_budget(ACCOUNT_BUDGET);
}

// A fifth of the blocks that all ask for.
static void
within_budget(void **state)
{
    struct cache *c[MANY];
    struct random r;
    bool right = true;
    (void)state;
    random_init(&r, random_seed());
    account_set_budget((int64_t)MANY * 4 * SLOT);
    for (int i = 0; i < MANY; i++)
        c[i] = cache_new(CACHE_SHARED, BLOCKSIZE);
    for (int i = 0; i < 100000; i++) {
        (void)read_part(c[random_below(&r, MANY)], (int64_t)random_below(&r, 20), 0, &right);
        assert_true(report_now().used <= report_now().budget);
    }
    assert_true(right);
    assert_true(report_now().used > report_now().budget / 10 * 9);
    account_set_budget((int64_t)MANY * SLOT); // takes effect at once
    assert_true(report_now().used <= report_now().budget);
    account_set_budget(0);
    assert_int_equal(report_now().used, 0);
    for (int i = 0; i < MANY; i++)
        cache_free(c[i]);
    account_set_budget(ACCOUNT_BUDGET);
}

static void
idle_gives(void **state)
{
    enum { BLOCKS = 64 };
    (void)state;
    account_set_budget((int64_t)BLOCKS * SLOT);
    struct cache *const idle = cache_new(CACHE_SHARED, BLOCKSIZE);
    struct cache *const busy = cache_new(CACHE_SHARED, BLOCKSIZE);
    fill(idle, BLOCKS);
    assert_int_equal(used_by(idle), BLOCKS);
    for (int i = 0; i < 20; i++)
        fill(busy, BLOCKS / 2);
    assert_true(used_by(busy) >= BLOCKS / 2);
    assert_true(used_by(idle) <= BLOCKS / 2);
    cache_free(idle);
    bool right = true;
    for (int i = 0; i < 10; i++)
        fill(busy, BLOCKS);
    assert_true(read_part(busy, 1, 0, &right) && right);
    assert_int_equal(used_by(busy), BLOCKS);
    cache_free(busy);
    assert_int_equal(report_now().used, 0);
    account_set_budget(ACCOUNT_BUDGET);
}

// Two that are used all the time: the one with more gives to the one that has less than its share.
static void
fair(void **state)
{
    enum { BLOCKS = 64 };
    bool right = true;
    (void)state;
    account_set_budget((int64_t)BLOCKS * SLOT);
    struct cache *const first = cache_new(CACHE_SHARED, BLOCKSIZE);
    struct cache *const second = cache_new(CACHE_SHARED, BLOCKSIZE);
    fill(first, BLOCKS);
    for (int times = 0; times < 100; times++)
        for (int64_t i = 0; i < BLOCKS; i++) {
            (void)read_part(first, i, 0, &right);
            (void)read_part(second, i / 4, 0, &right);
        }
    assert_true(right);
    assert_int_equal(used_by(second), BLOCKS / 4);
    assert_true(used_by(first) >= BLOCKS / 2);
    cache_free(first);
    cache_free(second);
    account_set_budget(ACCOUNT_BUDGET);
}

// What is dirty, and what is pinned, stays; and some room for what is dirty is left to others.
static void
dirty(void **state)
{
    enum { BLOCKS = 64 };
    struct cache *c[10];
    int64_t total = 0;
    (void)state;
    account_set_budget((int64_t)BLOCKS * SLOT);
    for (int i = 0; i < 10; i++) {
        int64_t chunk = 0;
        c[i] = cache_new(CACHE_SHARED, BLOCKSIZE);
        while (cache_promise(c[i], BLOCKSIZE)) {
            write_block(c[i], chunk++);
            cache_keep_promise(c[i], BLOCKSIZE);
        }
        assert_int_equal(cache_dirty_size(c[i]), chunk * BLOCKSIZE);
        if (i < 5)
            assert_true(chunk > 0);
        total += chunk;
        assert_true(report_now().dirty == total * BLOCKSIZE);
    }
    assert_true(report_now().dirty <= report_now().budget / 4 * 3);
    fill(c[9], BLOCKS); // readers have the rest
    assert_true(report_now().used <= report_now().budget);
    account_set_budget(SLOT);
    assert_int_equal(report_now().dirty, total * BLOCKSIZE);
    assert_int_equal(report_now().used, total * SLOT);
    for (int i = 0; i < 10; i++)
        clean_all(c[i]);
    assert_int_equal(report_now().dirty, 0);
    account_set_budget(SLOT);
    assert_true(report_now().used <= SLOT);
    for (int i = 0; i < 10; i++)
        cache_free(c[i]);
    account_set_budget(ACCOUNT_BUDGET);
}

// A write that was promised room gets memory, if all others are in use.
static void
promised(void **state)
{
    enum { BLOCKS = 16 };
    struct cached *pinned[BLOCKS];
    (void)state;
    account_set_budget((int64_t)BLOCKS * SLOT);
    struct cache *const reader = cache_new(CACHE_SHARED, BLOCKSIZE);
    struct cache *const writer = cache_new(CACHE_SHARED, BLOCKSIZE);
    fill(reader, BLOCKS);
    for (int i = 0; i < BLOCKS; i++)
        pinned[i] = cache_find(reader, i, 0);
    assert_true(cache_promise(writer, BLOCKSIZE));
    write_block(writer, 0);
    cache_keep_promise(writer, BLOCKSIZE);
    assert_int_equal(report_now().used, (BLOCKS + 1) * SLOT);
    for (int i = 0; i < BLOCKS; i++) {
        assert_non_null(pinned[i]);
        assert_true(is_right(pinned[i]));
        cache_unpin(pinned[i]);
    }
    cache_free(writer); // dirty blocks are lost
    cache_free(reader);
    assert_int_equal(report_now().used, 0);
    assert_int_equal(report_now().dirty, 0);
    account_set_budget(ACCOUNT_BUDGET);
}

static void
own_budget(void **state)
{
    (void)state;
    struct cache *const c = cache_new(10 * BLOCKSIZE, BLOCKSIZE);
    const int64_t before = report_now().own;
    account_set_budget(0);
    fill(c, 10);
    assert_int_equal(used_by(c), 10);
    assert_int_equal(report_now().own - before, 10 * SLOT);
    assert_int_equal(report_now().used, 0);
    cache_free(c);
    assert_int_equal(report_now().own, before);
    account_set_budget(ACCOUNT_BUDGET);
}

// -- threads

struct worker {
    struct cache **caches;
    struct cache *own; // written by this one alone
    uint64_t seed;
    bool right;
};

static void *
work(void *arg)
{
    struct worker *const w = arg;
    struct random r;
    random_init(&r, w->seed);
    w->right = true;
    for (int i = 0; i < 20000; i++) {
        (void)read_part(w->caches[random_below(&r, MANY)], (int64_t)random_below(&r, 20),
                        (int32_t)random_below(&r, 2), &w->right);
        if (random_below(&r, 4) == 0 && cache_promise(w->own, BLOCKSIZE)) {
            write_block(w->own, (int64_t)random_below(&r, 30));
            cache_keep_promise(w->own, BLOCKSIZE);
        }
        if (random_below(&r, 50) == 0)
            clean_all(w->own);
        if (random_below(&r, 200) == 0)
            cache_forget_range(w->own, 3, 7);
        if (random_below(&r, 500) == 0) {
            clean_all(w->own);
            cache_free(w->own);
            w->own = cache_new(CACHE_SHARED, BLOCKSIZE);
        }
    }
    cache_free(w->own);
    return NULL;
}

// The child of a fork finds the account whole, whatever other threads hold.
static void
use_in_child(void)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        bool right = true;
        alarm(60); // a child that waits for ever is killed
        struct cache *const own = cache_new(CACHE_SHARED, BLOCKSIZE);
        for (int64_t k = 0; k < 100; k++)
            (void)read_part(own, k % 10, 0, &right);
        if (!right)
            abort();
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
}

static void
many_threads(void **state)
{
    struct cache *c[MANY];
    struct worker w[THREADS];
    pthread_t threads[THREADS];
    const uint64_t seed = random_seed();
    (void)state;
    account_set_budget((int64_t)MANY * 4 * SLOT);
    for (int i = 0; i < MANY; i++)
        c[i] = cache_new(CACHE_SHARED, BLOCKSIZE);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct worker){c, cache_new(CACHE_SHARED, BLOCKSIZE), seed + (uint64_t)i, true};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < 30; i++) {
        if (FORKS)
            use_in_child();
        account_set_budget((int64_t)MANY * (i % 2 ? 4 : 2) * SLOT);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(w[i].right);
    }
    for (int i = 0; i < MANY; i++)
        cache_free(c[i]);
    assert_int_equal(report_now().used, 0);
    assert_int_equal(report_now().dirty, 0);
    account_set_budget(ACCOUNT_BUDGET);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowered),    cmocka_unit_test(within_budget), cmocka_unit_test(idle_gives),
        cmocka_unit_test(fair),       cmocka_unit_test(dirty),         cmocka_unit_test(promised),
        cmocka_unit_test(own_budget), cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
