/*
 * cache.c - decoded blocks in 64 shards, each with a lock, a table and its part of the clock.
 *
 * The budget is for all shards together. A hand goes round: from shard to shard, and in each from
 * bucket to bucket, one bucket a step.
 */
#include "array/cache.h"

#include "base/checked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    SHARDS = 64,
    CACHE_LINE = 64,
    MISSED = 16, // keys of blocks missed lately, a shard
    BUCKETS_MAX = 1024, // of a shard
    ROOM_MIN = 4, // blocks in the budget, or nothing is kept
};

struct shard {
    _Alignas(CACHE_LINE) pthread_mutex_t lock;
    struct cached **buckets; // NULL: no block so far
    uint32_t hand; // bucket
    uint64_t missed[MISSED];
    uint32_t next_missed; // place of the next key
    int64_t hits, misses, evictions;
};

struct cache {
    int64_t budget;
    size_t blocksize;
    uint32_t nbuckets; // of a shard, a power of two
    atomic_uint hand; // shard
    _Atomic int64_t used;
    _Atomic int64_t dirty;
    _Atomic int64_t hits; // that no shard has counted
    int64_t writes;
    struct shard shards[SHARDS];
};

static uint64_t
hash(int64_t chunk, int32_t block)
{
    uint64_t h = (uint64_t)chunk * UINT64_C(0x9e3779b97f4a7c15) ^
                 (uint64_t)(uint32_t)block * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (h ^ h >> 32) | 1; // 0 marks an empty place
}

static struct shard *
shard_of(struct cache *c, uint64_t h)
{
    return &c->shards[h >> 58];
}

static struct cached **
bucket_of(const struct cache *c, struct shard *s, uint64_t h)
{
    return &s->buckets[h >> 1 & (c->nbuckets - 1)];
}

static uint32_t
buckets_for(int64_t blocks)
{
    uint32_t n = 1;
    while (n < BUCKETS_MAX && n < blocks)
        n *= 2;
    return n;
}

struct cache *
cache_new(int64_t budget, int32_t blocksize)
{
    struct cache *const c = aligned_alloc(CACHE_LINE, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct cache){.budget = budget, .blocksize = (size_t)max_i64(blocksize, 1)};
    c->nbuckets = buckets_for(budget / (int64_t)c->blocksize / SHARDS);
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&c->shards[i].lock, NULL);
    return c;
}

static void
entry_free(struct cached *b)
{
    if (b)
        free(b->items);
    free(b);
}

void
cache_free(struct cache *c)
{
    if (!c)
        return;
    cache_forget_from(c, 0);
    for (int i = 0; i < SHARDS; i++) {
        free(c->shards[i].buckets);
        pthread_mutex_destroy(&c->shards[i].lock);
    }
    free(c);
}

bool
cache_is_on(const struct cache *c)
{
    return c->budget / ROOM_MIN >= (int64_t)c->blocksize;
}

static struct cached *
look_up(const struct cache *c, struct shard *s, uint64_t h, int64_t chunk, int32_t block)
{
    struct cached *b = s->buckets ? *bucket_of(c, s, h) : NULL;
    while (b && (b->chunk != chunk || b->block != block))
        b = b->next;
    if (b) {
        b->pins++;
        b->used = true;
    }
    return b;
}

bool
cache_has_blocks(const struct cache *c)
{
    return atomic_load_explicit(&c->used, memory_order_relaxed) > 0;
}

struct cached *
cache_find(struct cache *c, int64_t chunk, int32_t block)
{
    if (!cache_has_blocks(c))
        return NULL;
    const uint64_t h = hash(chunk, block);
    struct shard *const s = shard_of(c, h);
    pthread_mutex_lock(&s->lock);
    struct cached *const b = look_up(c, s, h, chunk, block);
    pthread_mutex_unlock(&s->lock);
    return b;
}

// Whether the block was missed before; else it is from here on.
static bool
missed_before(struct shard *s, uint64_t h)
{
    for (int i = 0; i < MISSED; i++)
        if (s->missed[i] == h)
            return true;
    s->missed[s->next_missed] = h;
    s->next_missed = (s->next_missed + 1) % MISSED;
    return false;
}

struct cached *
cache_find_part(struct cache *c, int64_t chunk, int32_t block, bool *worth_it)
{
    *worth_it = false;
    if (!cache_is_on(c))
        return NULL;
    const uint64_t h = hash(chunk, block);
    struct shard *const s = shard_of(c, h);
    pthread_mutex_lock(&s->lock);
    struct cached *const b = look_up(c, s, h, chunk, block);
    if (b) {
        s->hits++;
    } else {
        *worth_it = missed_before(s, h);
        s->misses++;
    }
    pthread_mutex_unlock(&s->lock);
    return b;
}

void
cache_count_hits(struct cache *c, int64_t n)
{
    atomic_fetch_add_explicit(&c->hits, n, memory_order_relaxed);
}

// One step of the hand: the blocks of one bucket that were not used since it passed leave.
static void
sweep_bucket(struct cache *c, struct shard *s)
{
    struct cached *gone = NULL;

    pthread_mutex_lock(&s->lock);
    struct cached **link = s->buckets ? &s->buckets[s->hand] : &gone; // which is NULL
    while (*link) {
        struct cached *const b = *link;
        if (b->pins > 0 || b->dirty || b->used) {
            b->used = false;
            link = &b->next;
            continue;
        }
        *link = b->next;
        b->next = gone;
        gone = b;
        s->evictions++;
    }
    s->hand = (s->hand + 1) & (c->nbuckets - 1);
    pthread_mutex_unlock(&s->lock);

    while (gone) {
        struct cached *const b = gone;
        gone = b->next;
        entry_free(b);
        atomic_fetch_sub(&c->used, (int64_t)c->blocksize);
    }
}

// Take the bytes of one block from the budget. Two rounds see every block once unused.
static bool
make_room(struct cache *c)
{
    const int64_t size = (int64_t)c->blocksize;
    uint32_t steps = 2 * SHARDS * c->nbuckets;

    atomic_fetch_add(&c->used, size);
    while (atomic_load(&c->used) > c->budget) {
        if (steps-- == 0) {
            atomic_fetch_sub(&c->used, size);
            return false;
        }
        sweep_bucket(c, &c->shards[atomic_fetch_add(&c->hand, 1) % SHARDS]);
    }
    return true;
}

// A table for the shard's first block. Opening an array to read little of it needs none.
static bool
have_buckets(const struct cache *c, struct shard *s)
{
    pthread_mutex_lock(&s->lock);
    if (!s->buckets)
        s->buckets = calloc(c->nbuckets, sizeof(struct cached *));
    const bool have = s->buckets != NULL;
    pthread_mutex_unlock(&s->lock);
    return have;
}

struct cached *
cache_reserve(struct cache *c, int64_t chunk, int32_t block)
{
    if (!cache_is_on(c) || !make_room(c))
        return NULL;
    struct cached *const b = calloc(1, sizeof *b);
    if (b && have_buckets(c, shard_of(c, hash(chunk, block))) &&
        (b->items = malloc(c->blocksize))) {
        b->chunk = chunk;
        b->block = block;
        b->pins = 1;
        return b;
    }
    cache_drop(c, b);
    return NULL;
}

void
cache_drop(struct cache *c, struct cached *b)
{
    entry_free(b);
    atomic_fetch_sub(&c->used, (int64_t)c->blocksize);
}

struct cached *
cache_add(struct cache *c, struct cached *b)
{
    const uint64_t h = hash(b->chunk, b->block);
    struct shard *const s = shard_of(c, h);

    pthread_mutex_lock(&s->lock);
    struct cached *const other = look_up(c, s, h, b->chunk, b->block);
    if (!other) {
        struct cached **const bucket = bucket_of(c, s, h);
        b->next = *bucket;
        *bucket = b;
    }
    pthread_mutex_unlock(&s->lock);
    if (!other)
        return b;
    cache_drop(c, b);
    return other;
}

void
cache_unpin(struct cache *c, struct cached *b)
{
    if (!b)
        return;
    struct shard *const s = shard_of(c, hash(b->chunk, b->block));
    pthread_mutex_lock(&s->lock);
    b->pins--;
    pthread_mutex_unlock(&s->lock);
}

int64_t
cache_dirty_max(const struct cache *c)
{
    return c->budget / 4 * 3;
}

int64_t
cache_dirty_size(const struct cache *c)
{
    return atomic_load(&c->dirty);
}

void
cache_begin_write(struct cache *c)
{
    c->writes++;
}

void
cache_mark_dirty(struct cache *c, struct cached *b)
{
    b->written = c->writes;
    if (b->dirty)
        return;
    b->dirty = true;
    atomic_fetch_add(&c->dirty, (int64_t)c->blocksize);
}

void
cache_mark_clean(struct cache *c, struct cached *b)
{
    if (!b->dirty)
        return;
    b->dirty = false;
    atomic_fetch_sub(&c->dirty, (int64_t)c->blocksize);
}

static int
by_place(const void *x, const void *y)
{
    const struct cached *const a = *(struct cached *const *)x, *const b =
                                                                   *(struct cached *const *)y;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

static int
by_age(const void *x, const void *y)
{
    const struct cached *const a = *(struct cached *const *)x, *const b =
                                                                   *(struct cached *const *)y;
    return (a->written > b->written) - (a->written < b->written);
}

bool
cache_list_dirty(struct cache *c, int64_t wanted, struct cached ***blocks, size_t *n)
{
    const size_t count = (size_t)(atomic_load(&c->dirty) / (int64_t)c->blocksize);
    struct cached **const list = malloc((count + 1) * sizeof *list);
    size_t found = 0;
    if (!list)
        return false;
    for (int i = 0; i < SHARDS && count > 0; i++)
        for (uint32_t k = 0; c->shards[i].buckets && k < c->nbuckets; k++)
            for (struct cached *b = c->shards[i].buckets[k]; b; b = b->next)
                if (b->dirty)
                    list[found++] = b;
    if (wanted < (int64_t)found) {
        qsort(list, found, sizeof(struct cached *), by_age);
        found = (size_t)wanted;
    }
    qsort(list, found, sizeof(struct cached *), by_place);
    *blocks = list;
    *n = found;
    return true;
}

// Remove the blocks of chunks [first, last] from one bucket.
static void
forget(struct cache *c, struct cached **link, int64_t first, int64_t last)
{
    while (*link) {
        struct cached *const b = *link;
        if (b->chunk < first || b->chunk > last) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        cache_mark_clean(c, b);
        cache_drop(c, b);
    }
}

void
cache_forget_range(struct cache *c, int64_t first, int64_t last)
{
    for (int i = 0; i < SHARDS && atomic_load(&c->used) > 0; i++)
        for (uint32_t k = 0; c->shards[i].buckets && k < c->nbuckets; k++)
            forget(c, &c->shards[i].buckets[k], first, last);
}

void
cache_forget_chunk(struct cache *c, int64_t chunk, int64_t nblocks)
{
    if (atomic_load(&c->used) == 0)
        return;
    if (nblocks > (int64_t)SHARDS * c->nbuckets) {
        cache_forget_range(c, chunk, chunk);
        return;
    }
    for (int32_t block = 0; block < nblocks; block++) {
        const uint64_t h = hash(chunk, block);
        struct shard *const s = shard_of(c, h);
        if (s->buckets)
            forget(c, bucket_of(c, s, h), chunk, chunk);
    }
}

void
cache_forget_from(struct cache *c, int64_t chunk)
{
    cache_forget_range(c, chunk, INT64_MAX);
}

void
cache_stats(struct cache *c, struct cache_stats *stats)
{
    *stats = (struct cache_stats){
        .used = atomic_load(&c->used),
        .dirty = atomic_load(&c->dirty),
        .hits = atomic_load(&c->hits),
    };
    for (int i = 0; i < SHARDS; i++) {
        struct shard *const s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        stats->hits += s->hits;
        stats->misses += s->misses;
        stats->evictions += s->evictions;
        pthread_mutex_unlock(&s->lock);
    }
}
