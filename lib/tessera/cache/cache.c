/*
 * cache.c - decoded blocks: a table in 64 shards that finds them.
 *
 * A block is in one of these states:
 *   free      in the list of memory.c, pinned by it
 *   reserved  pinned by the thread that fills it, not in the table
 *   listed    in the table; pinned or not, dirty or not
 * From listed to free, or to the next block, it goes with the shard's lock held and no pins; as
 * pins grow with that lock only, no thread holds it then. From free or listed to freed it goes with
 * the lock of the cache held as well, so what looks at blocks that it has not pinned, and that are
 * not dirty, holds that.
 */
#include "cache/cache.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "cache/account.h"
#include "cache/private.h"

#include <pthread.h>
#include <stddef.h>

enum {
    SHARDS = 64,
    CACHE_LINE = 64,
    BUCKETS_MIN = 8, // of a shard
    BUCKETS_MAX = 4096,
    ROOM_MIN = 4, // blocks in the budget, or nothing is kept
};

struct shard {
    _Alignas(CACHE_LINE) pthread_mutex_t lock; // guards the rest
    struct cached **buckets; // NULL: no block so far
    uint32_t nbuckets; // a power of two
    uint32_t nblocks;
    _Atomic int64_t hits, misses; // also read without the lock
};

// Writers hold a lock; readers do not.
static void
count_one(_Atomic int64_t *n)
{
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static uint64_t
cache_hash(int64_t chunk, int32_t block)
{
    uint64_t h = (uint64_t)chunk * UINT64_C(0x9e3779b97f4a7c15) ^
                 (uint64_t)(uint32_t)block * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

// NULL: there is none.
static struct shard *
shard_of(const struct cache *c, uint64_t h)
{
    struct shard *const shards = atomic_load_explicit(&c->shards, memory_order_acquire);
    return shards ? &shards[h >> 58] : NULL;
}

static struct cached **
bucket_of(struct shard *s, uint64_t h)
{
    return &s->buckets[h >> 1 & (s->nbuckets - 1)];
}

static void give_back(struct account_member *m, int64_t wanted);

struct cache *
cache_new(int64_t budget, int32_t blocksize)
{
    struct cache *const c = mem_alloc(sizeof *c);
    if (!c)
        return NULL;
    const bool shared = budget == CACHE_SHARED;
    *c = (struct cache){
        .budget = shared ? account_most_of_one() : budget,
        .blocksize = (size_t)max_i64(blocksize, 1),
        .shared = shared,
        .account = {.give_back = give_back},
    };
    memory_init(&c->memory, blocksize, c->budget, shared ? &c->account : NULL);
    dirty_init(&c->dirty, (int64_t)c->blocksize, shared ? account_dirty_add : NULL);
    policy_init(&c->policy, c->memory.most);
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void
cache_free(struct cache *c)
{
    if (!c)
        return;
    struct shard *const shards = atomic_load(&c->shards);
    pthread_mutex_lock(&c->lock);
    memory_finish(&c->memory);
    pthread_mutex_unlock(&c->lock);
    if (c->shared && shards) // it had blocks once
        account_leave();
    dirty_finish(&c->dirty);
    policy_finish(&c->policy);
    for (int i = 0; shards && i < SHARDS; i++) {
        mem_free(shards[i].buckets);
        pthread_mutex_destroy(&shards[i].lock);
    }
    mem_free(shards);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
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
    struct cached *b = s->buckets ? *bucket_of(s, h) : NULL;
    while (b && (b->chunk != chunk || b->block != block))
        b = b->next;
    if (!b)
        return NULL;
    atomic_fetch_add_explicit(&b->pins, 1, memory_order_relaxed);
    clock_use(b);
    account_touch(&c->account);
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
    if (!s)
        return NULL;
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
unlist(struct shard *s, struct cached *b)
{
    struct cached **link = bucket_of(s, cache_hash(b->chunk, b->block));
    s->nblocks--;
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    b->listed = false;
}

// Unlist a block that is neither in use nor dirty, with the shard's lock held; it is pinned then.
static bool
evict_block(struct shard *s, struct cached *b)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&b->pins, &none, 1))
        return false;
    if (b->dirty) { // since it was chosen
        atomic_store(&b->pins, 0);
        return false;
    }
    unlist(s, b);
    return true;
}

// A block leaves; its memory is the caller's then, pinned. NULL: none can. tries: do not wait for
// the lock of a shard. With the cache's lock held.
static struct cached *
evict(struct cache *c, bool tries)
{
    struct cached *b;
    while ((b = clock_victim(&c->clock, &c->memory))) {
        struct shard *const s = shard_of(c, cache_hash(b->chunk, b->block));
        if (!tries)
            pthread_mutex_lock(&s->lock);
        else if (pthread_mutex_trylock(&s->lock) != 0)
            return NULL;
        const bool gone = evict_block(s, b);
        pthread_mutex_unlock(&s->lock);
        if (gone) {
            count_one(&c->evictions);
            return b;
        }
    }
    return NULL;
}

// Memory without a block goes first, then the block that is used least. false: there is none. With
// the cache's lock held.
static bool
free_one(struct cache *c, bool tries)
{
    if (memory_free_idle(&c->memory))
        return true;
    struct cached *const b = evict(c, tries);
    if (!b)
        return false;
    memory_free(&c->memory, b);
    atomic_fetch_sub(&c->used, (int64_t)c->blocksize);
    return true;
}

// For other arrays.
static void
give_back(struct account_member *m, int64_t wanted)
{
    struct cache *const c = (struct cache *)((char *)m - offsetof(struct cache, account));
    const int64_t size = (int64_t)c->memory.slot_size;
    if (pthread_mutex_trylock(&c->lock) != 0)
        return;
    while (wanted > 0 && free_one(c, true))
        wanted -= size;
    pthread_mutex_unlock(&c->lock);
}

// Tables for the first blocks; with the cache's lock held.
static bool
have_shards(struct cache *c)
{
    if (atomic_load_explicit(&c->shards, memory_order_relaxed))
        return true;
    struct shard *const shards = mem_aligned(CACHE_LINE, SHARDS * sizeof *shards);
    for (int i = 0; shards && i < SHARDS; i++) {
        shards[i] = (struct shard){.nblocks = 0};
        pthread_mutex_init(&shards[i].lock, NULL);
    }
    atomic_store_explicit(&c->shards, shards, memory_order_release);
    return shards != NULL;
}

// As many buckets as blocks, about. false: none at all.
static bool
grow_buckets(struct shard *s)
{
    struct cached **const before = s->buckets;
    const uint32_t nbefore = s->nbuckets;
    if (before && (s->nblocks < nbefore || nbefore == BUCKETS_MAX))
        return true;
    const uint32_t n = before ? 2 * nbefore : BUCKETS_MIN;
    struct cached **const buckets = mem_zeroed(n, sizeof(struct cached *));
    if (!buckets)
        return before != NULL;
    s->buckets = buckets;
    s->nbuckets = n;
    for (uint32_t i = 0; i < nbefore; i++)
        for (struct cached *b = before[i], *next; b; b = next) {
            struct cached **const to = bucket_of(s, cache_hash(b->chunk, b->block));
            next = b->next;
            b->next = *to;
            *to = b;
        }
    mem_free(before);
    return true;
}

static bool
have_buckets(struct cache *c, uint64_t h)
{
    if (!have_shards(c))
        return false;
    struct shard *const s = shard_of(c, h);
    pthread_mutex_lock(&s->lock);
    const bool have = grow_buckets(s);
    pthread_mutex_unlock(&s->lock);
    return have;
}

// Memory for a block, pinned; with the cache's lock held. force: whether the account has room or
// not.
static struct cached *
cache_take(struct cache *c, uint64_t h, int64_t chunk, int32_t block, bool force)
{
    if (!have_buckets(c, h))
        return NULL;
    struct cached *b = memory_take(&c->memory, false);
    const bool more = b != NULL;
    if (!b)
        b = evict(c, false);
    const bool forced = !b && force;
    if (forced)
        b = memory_take(&c->memory, true);
    if (!b)
        return NULL;
    if (more || forced)
        atomic_fetch_add(&c->used, (int64_t)c->blocksize);
    b->chunk = chunk;
    b->block = block;
    b->group = b->credit = 0;
    atomic_store_explicit(&b->uses, 0, memory_order_relaxed);
    return b;
}

// Whether a block would be evicted here while idle arrays may have memory. With the cache's lock
// held.
static bool
could_grow(const struct cache *c)
{
    return c->shared && !memory_has_room(&c->memory) && c->memory.n < c->memory.most;
}

struct cached *
cache_reserve(struct cache *c, int64_t chunk, int32_t block)
{
    const uint64_t h = cache_hash(chunk, block);
    if (!cache_is_on(c))
        return NULL;
    account_touch(&c->account);
    pthread_mutex_lock(&c->lock);
    if (could_grow(c)) {
        pthread_mutex_unlock(&c->lock);
        (void)account_reclaim(&c->account, (int64_t)c->memory.slot_size, false);
        pthread_mutex_lock(&c->lock);
    }
    struct cached *b = cache_take(c, h, chunk, block, false);
    if (!b && c->shared) { // what others have in use, or dirty, is most of the budget
        pthread_mutex_unlock(&c->lock);
        (void)account_reclaim(&c->account, (int64_t)c->memory.slot_size, true);
        pthread_mutex_lock(&c->lock);
        b = cache_take(c, h, chunk, block, true);
    }
    pthread_mutex_unlock(&c->lock);
    return b;
}

// Blocks that there can be memory for, while other arrays want some. With the cache's lock held.
static int64_t
can_hold(const struct cache *c)
{
    if (!c->shared || memory_has_room(&c->memory))
        return c->memory.most;
    const int64_t share = account_share(&c->account) / (int64_t)c->memory.slot_size;
    return min_i64(c->memory.most, max_i64(share, c->memory.n));
}

// A missed block: memory for it, if it is worth that.
static struct cached *
admit(struct cache *c, uint64_t h, int64_t chunk, int32_t block)
{
    struct cached *b = NULL;
    uint8_t group;
    account_touch(&c->account);
    pthread_mutex_lock(&c->lock);
    if (policy_admits(&c->policy, h, memory_has_room(&c->memory), can_hold(c), &group)) {
        if (could_grow(c)) {
            pthread_mutex_unlock(&c->lock);
            (void)account_reclaim(&c->account, (int64_t)c->memory.slot_size, false);
            pthread_mutex_lock(&c->lock);
        }
        b = cache_take(c, h, chunk, block, false);
    }
    if (b) {
        b->group = group;
        b->credit = POLICY_CREDIT;
    }
    pthread_mutex_unlock(&c->lock);
    return b;
}

// With the shard's lock held, or without any shard.
static void
count_lookup(struct cache *c, struct shard *s, bool hit)
{
    if (!s)
        atomic_fetch_add_explicit(&c->misses, 1, memory_order_relaxed);
    else if (hit)
        count_one(&s->hits);
    else
        count_one(&s->misses);
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
    struct cached *b = NULL;
    if (s)
        pthread_mutex_lock(&s->lock);
    if (s)
        b = look_up(c, s, h, chunk, block);
    count_lookup(c, s, b != NULL);
    if (s)
        pthread_mutex_unlock(&s->lock);
    if (!b && place)
        *place = admit(c, h, chunk, block);
    return b;
}

struct cached *
cache_miss_part(struct cache *c, int64_t chunk, int32_t block, bool can_be_kept)
{
    if (!cache_is_on(c))
        return NULL;
    atomic_fetch_add_explicit(&c->misses, 1, memory_order_relaxed);
    return can_be_kept ? admit(c, cache_hash(chunk, block), chunk, block) : NULL;
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
        struct cached **const bucket = bucket_of(s, h);
        s->nblocks++;
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

// -- clean blocks, and changed chunks: the caller has exclusive access

void
cache_mark_clean(struct cache *c, struct cached *const *blocks, size_t n)
{
    pthread_mutex_lock(&c->lock); // they may be evicted from here on
    dirty_clean(&c->dirty, blocks, n);
    while (c->shared && !account_has_room(0) && free_one(c, false)) // it was lowered
        continue;
    pthread_mutex_unlock(&c->lock);
}

// With the cache's lock held.
static void
cache_forget(struct cache *c, struct cached *b)
{
    struct shard *const s = shard_of(c, cache_hash(b->chunk, b->block));
    dirty_clean(&c->dirty, &b, 1);
    pthread_mutex_lock(&s->lock);
    unlist(s, b);
    pthread_mutex_unlock(&s->lock);
    atomic_fetch_sub(&c->used, (int64_t)c->blocksize);
    memory_give(&c->memory, b);
}

static void
forget_range(struct cache *c, int64_t first, int64_t last)
{
    for (int64_t i = 0; i < c->memory.n && cache_has_blocks(c); i++) {
        struct cached *const b = c->memory.slots[i];
        if (b->listed && b->chunk >= first && b->chunk <= last)
            cache_forget(c, b);
    }
}

void
cache_forget_range(struct cache *c, int64_t first, int64_t last)
{
    pthread_mutex_lock(&c->lock);
    forget_range(c, first, last);
    pthread_mutex_unlock(&c->lock);
}

void
cache_forget_chunk(struct cache *c, int64_t chunk, int64_t nblocks)
{
    pthread_mutex_lock(&c->lock);
    if (nblocks > c->memory.n)
        forget_range(c, chunk, chunk);
    else
        for (int32_t block = 0; block < nblocks && cache_has_blocks(c); block++) {
            struct cached *const b = cache_find(c, chunk, block);
            cache_unpin(b);
            if (b)
                cache_forget(c, b);
        }
    pthread_mutex_unlock(&c->lock);
}

void
cache_forget_chunks(struct cache *c, const int64_t *chunks, size_t n)
{
    pthread_mutex_lock(&c->lock);
    for (int64_t i = 0; i < c->memory.n && cache_has_blocks(c); i++) {
        struct cached *const b = c->memory.slots[i];
        if (b->listed && sorted_has_i64(chunks, n, b->chunk))
            cache_forget(c, b);
    }
    pthread_mutex_unlock(&c->lock);
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
        .misses = atomic_load(&c->misses),
        .evictions = atomic_load(&c->evictions),
    };
    struct shard *const shards = atomic_load(&c->shards);
    for (int i = 0; shards && i < SHARDS; i++) {
        stats->hits += atomic_load_explicit(&shards[i].hits, memory_order_relaxed);
        stats->misses += atomic_load_explicit(&shards[i].misses, memory_order_relaxed);
    }
}
