/*
 * cache.c - decoded blocks: a table in 64 shards that finds them, and what is dirty.
 *
 * A block is in one of these states:
 *   free      in the list of memory.c, pinned by it
 *   reserved  pinned by the thread that fills it, not in the table
 *   listed    in the table; pinned or not, dirty or not
 * From listed to free, or to the next block, it goes with the shard's lock held and no pins; as
 * pins grow with that lock only, no thread holds it then.
 */
#include "cache/cache.h"

#include "base/checked.h"
#include "base/sorted.h"
#include "cache/clock.h"
#include "cache/dirty.h"
#include "cache/memory.h"
#include "cache/policy.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    SHARDS = 64,
    CACHE_LINE = 64,
    BUCKETS_MAX = 4096, // of a shard
    ROOM_MIN = 4, // blocks in the budget, or nothing is kept
};

struct shard {
    _Alignas(CACHE_LINE) pthread_mutex_t lock; // guards the rest
    struct cached **buckets; // NULL: no block so far
    int64_t hits, misses;
};

struct cache {
    int64_t budget;
    size_t blocksize;
    uint32_t nbuckets; // of a shard, a power of two
    _Atomic int64_t used;
    struct dirty dirty;
    _Atomic int64_t hits; // that no shard has counted
    pthread_mutex_t lock; // guards policy, clock, memory and evictions; before any shard's
    struct policy policy;
    struct clock clock;
    struct memory memory;
    int64_t evictions;
    struct shard shards[SHARDS];
};

static uint64_t
cache_hash(int64_t chunk, int32_t block)
{
    uint64_t h = (uint64_t)chunk * UINT64_C(0x9e3779b97f4a7c15) ^
                 (uint64_t)(uint32_t)block * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
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
    memory_init(&c->memory, blocksize, budget);
    dirty_init(&c->dirty, (int64_t)c->blocksize);
    policy_init(&c->policy, c->memory.most);
    c->nbuckets = buckets_for(c->memory.most / SHARDS);
    pthread_mutex_init(&c->lock, NULL);
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&c->shards[i].lock, NULL);
    return c;
}

void
cache_free(struct cache *c)
{
    if (!c)
        return;
    for (int i = 0; i < SHARDS; i++) {
        free(c->shards[i].buckets);
        pthread_mutex_destroy(&c->shards[i].lock);
    }
    pthread_mutex_destroy(&c->lock);
    policy_finish(&c->policy);
    memory_finish(&c->memory);
    free(c);
}

bool
cache_is_on(const struct cache *c)
{
    return c->memory.most >= ROOM_MIN;
}

// -- finding

// With the shard's lock held.
static struct cached *
look_up(struct cache *c, struct shard *s, uint64_t h, int64_t chunk, int32_t block)
{
    struct cached *b = s->buckets ? *bucket_of(c, s, h) : NULL;
    while (b && (b->chunk != chunk || b->block != block))
        b = b->next;
    if (!b)
        return NULL;
    atomic_fetch_add_explicit(&b->pins, 1, memory_order_relaxed);
    clock_use(b);
    if (b->credit > 0) {
        b->credit--;
        policy_earn(&c->policy, b->group);
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
    const uint64_t h = cache_hash(chunk, block);
    struct shard *const s = shard_of(c, h);
    pthread_mutex_lock(&s->lock);
    struct cached *const b = look_up(c, s, h, chunk, block);
    pthread_mutex_unlock(&s->lock);
    return b;
}

void
cache_count_hits(struct cache *c, int64_t n)
{
    atomic_fetch_add_explicit(&c->hits, n, memory_order_relaxed);
}

void
cache_unpin(struct cached *b)
{
    if (b) // what was read is read before the block can get other items
        atomic_fetch_sub_explicit(&b->pins, 1, memory_order_release);
}

// -- memory for a block

// With the shard's lock held.
static void
unlist(struct cache *c, struct shard *s, struct cached *b)
{
    struct cached **link = bucket_of(c, s, cache_hash(b->chunk, b->block));
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    b->listed = false;
}

// A block leaves; its memory is the caller's then, pinned. NULL: none can.
static struct cached *
evict(struct cache *c)
{
    struct cached *b;
    while ((b = clock_victim(&c->clock, &c->memory))) {
        struct shard *const s = shard_of(c, cache_hash(b->chunk, b->block));
        int none = 0;
        pthread_mutex_lock(&s->lock);
        const bool gone = atomic_compare_exchange_strong(&b->pins, &none, 1);
        if (gone)
            unlist(c, s, b);
        pthread_mutex_unlock(&s->lock);
        if (gone) {
            c->evictions++;
            return b;
        }
    }
    return NULL;
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

// Memory for a block, pinned; with the cache's lock held.
static struct cached *
cache_take(struct cache *c, uint64_t h, int64_t chunk, int32_t block)
{
    if (!have_buckets(c, shard_of(c, h)))
        return NULL;
    struct cached *b = memory_take(&c->memory);
    if (b)
        atomic_fetch_add(&c->used, (int64_t)c->blocksize);
    else
        b = evict(c);
    if (!b)
        return NULL;
    b->chunk = chunk;
    b->block = block;
    b->group = b->credit = 0;
    atomic_store_explicit(&b->uses, 0, memory_order_relaxed);
    return b;
}

struct cached *
cache_reserve(struct cache *c, int64_t chunk, int32_t block)
{
    if (!cache_is_on(c))
        return NULL;
    pthread_mutex_lock(&c->lock);
    struct cached *const b = cache_take(c, cache_hash(chunk, block), chunk, block);
    pthread_mutex_unlock(&c->lock);
    return b;
}

// A missed block: memory for it, if it is worth that.
static struct cached *
admit(struct cache *c, uint64_t h, int64_t chunk, int32_t block)
{
    struct cached *b = NULL;
    uint8_t group;
    pthread_mutex_lock(&c->lock);
    if (policy_admits(&c->policy, h, memory_has_room(&c->memory), &group) &&
        (b = cache_take(c, h, chunk, block))) {
        b->group = group;
        b->credit = POLICY_CREDIT;
    }
    pthread_mutex_unlock(&c->lock);
    return b;
}

struct cached *
cache_find_part(struct cache *c, int64_t chunk, int32_t block, struct cached **place)
{
    if (place)
        *place = NULL;
    if (!cache_is_on(c))
        return NULL;
    const uint64_t h = cache_hash(chunk, block);
    struct shard *const s = shard_of(c, h);
    pthread_mutex_lock(&s->lock);
    struct cached *const b = look_up(c, s, h, chunk, block);
    if (b)
        s->hits++;
    else
        s->misses++;
    pthread_mutex_unlock(&s->lock);
    if (!b && place)
        *place = admit(c, h, chunk, block);
    return b;
}

void
cache_drop(struct cache *c, struct cached *b)
{
    atomic_fetch_sub(&c->used, (int64_t)c->blocksize);
    pthread_mutex_lock(&c->lock);
    memory_give(&c->memory, b);
    pthread_mutex_unlock(&c->lock);
}

struct cached *
cache_add(struct cache *c, struct cached *b)
{
    const uint64_t h = cache_hash(b->chunk, b->block);
    struct shard *const s = shard_of(c, h);

    pthread_mutex_lock(&s->lock);
    struct cached *const other = look_up(c, s, h, b->chunk, b->block);
    if (!other) {
        struct cached **const bucket = bucket_of(c, s, h);
        b->next = *bucket;
        b->listed = true;
        *bucket = b;
    }
    pthread_mutex_unlock(&s->lock);
    if (!other)
        return b;
    cache_drop(c, b);
    return other;
}

// -- dirty blocks, and changed chunks: the caller has exclusive access

int64_t
cache_dirty_max(const struct cache *c)
{
    return c->budget / 4 * 3;
}

int64_t
cache_dirty_size(const struct cache *c)
{
    return atomic_load(&c->dirty.size);
}

bool
cache_promise(struct cache *c, int64_t size)
{
    return dirty_promise(&c->dirty, size, cache_dirty_max(c));
}

void
cache_keep_promise(struct cache *c, int64_t size)
{
    dirty_keep(&c->dirty, size);
}

void
cache_begin_write(struct cache *c)
{
    dirty_begin(&c->dirty);
}

void
cache_mark_dirty(struct cache *c, struct cached *b)
{
    dirty_mark(&c->dirty, b);
}

void
cache_hurry_write(struct cache *c)
{
    dirty_hurry(&c->dirty);
}

bool
cache_has_urgent(const struct cache *c)
{
    return atomic_load(&c->dirty.urgent) > 0;
}

void
cache_mark_clean(struct cache *c, struct cached *const *blocks, size_t n)
{
    dirty_clean(&c->dirty, blocks, n);
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

// Dirty blocks, or urgent ones, in no order; NULL: no memory.
static struct cached **
find_dirty(struct cache *c, bool urgent, size_t *n)
{
    const size_t count = (size_t)(atomic_load(&c->dirty.size) / (int64_t)c->blocksize);
    struct cached **const list = malloc((count + 1) * sizeof *list);
    *n = 0;
    if (!list)
        return NULL;
    pthread_mutex_lock(&c->lock);
    for (int64_t i = 0; i < c->memory.n && count > 0; i++) {
        struct cached *const b = c->memory.slots[i];
        if (urgent ? b->urgent : b->dirty)
            list[(*n)++] = b;
    }
    pthread_mutex_unlock(&c->lock);
    return list;
}

static int
by_name(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

// Of n blocks, move those that are in a set with one of the first `first` next to these. How many
// there are then; without memory, no more than the first.
static size_t
complete_sets(struct cached **blocks, size_t first, size_t n)
{
    int64_t *const sets = malloc(first * sizeof *sets + 1);
    size_t count = first;
    if (!sets)
        return first;
    for (size_t i = 0; i < first; i++)
        sets[i] = blocks[i]->set;
    qsort(sets, first, sizeof *sets, by_name);
    for (size_t i = first; i < n; i++)
        if (sorted_has_i64(sets, first, blocks[i]->set))
            blocks[count++] = blocks[i];
    free(sets);
    return count;
}

bool
cache_list_dirty(struct cache *c, int64_t wanted, struct cached ***blocks, size_t *n)
{
    *blocks = find_dirty(c, false, n);
    if (!*blocks)
        return false;
    if (wanted < (int64_t)*n) {
        qsort(*blocks, *n, sizeof(struct cached *), by_age);
        *n = complete_sets(*blocks, (size_t)wanted, *n);
    }
    qsort(*blocks, *n, sizeof(struct cached *), by_place);
    return true;
}

bool
cache_list_urgent(struct cache *c, struct cached ***blocks, size_t *n)
{
    *blocks = find_dirty(c, true, n);
    if (*blocks)
        qsort(*blocks, *n, sizeof(struct cached *), by_place);
    return *blocks != NULL;
}

static void
cache_forget(struct cache *c, struct cached *b)
{
    struct shard *const s = shard_of(c, cache_hash(b->chunk, b->block));
    cache_mark_clean(c, &b, 1);
    pthread_mutex_lock(&s->lock);
    unlist(c, s, b);
    pthread_mutex_unlock(&s->lock);
    cache_drop(c, b);
}

void
cache_forget_range(struct cache *c, int64_t first, int64_t last)
{
    for (int64_t i = 0; i < c->memory.n && cache_has_blocks(c); i++) {
        struct cached *const b = c->memory.slots[i];
        if (b->listed && b->chunk >= first && b->chunk <= last)
            cache_forget(c, b);
    }
}

void
cache_forget_chunk(struct cache *c, int64_t chunk, int64_t nblocks)
{
    if (nblocks > c->memory.n) {
        cache_forget_range(c, chunk, chunk);
        return;
    }
    for (int32_t block = 0; block < nblocks && cache_has_blocks(c); block++) {
        struct cached *const b = cache_find(c, chunk, block);
        cache_unpin(b);
        if (b)
            cache_forget(c, b);
    }
}

void
cache_forget_chunks(struct cache *c, const int64_t *chunks, size_t n)
{
    for (int64_t i = 0; i < c->memory.n && cache_has_blocks(c); i++) {
        struct cached *const b = c->memory.slots[i];
        if (b->listed && sorted_has_i64(chunks, n, b->chunk))
            cache_forget(c, b);
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
        .dirty = atomic_load(&c->dirty.size),
        .hits = atomic_load(&c->hits),
    };
    for (int i = 0; i < SHARDS; i++) {
        struct shard *const s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        stats->hits += s->hits;
        stats->misses += s->misses;
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_lock(&c->lock);
    stats->evictions = c->evictions;
    pthread_mutex_unlock(&c->lock);
}
