/*
 * policy.c - which missed blocks are worth being decoded as a whole, and kept.
 *
 * A block that is wanted in part is decoded as far as the part reaches; to keep it, all of it has
 * to be decoded and copied, which costs more than the part. So, unlike in other caches, letting a
 * block in has a price, and a block that comes once must not be let in at all:
 *
 * 1. A block enters when it is missed for the second time. Of the first miss only the key is kept
 *    (a ghost). Johnson and Shasha, "2Q: a low overhead high performance buffer management
 *    replacement algorithm", VLDB 1994; S3-FIFO (memory.c) finds keys alone enough, too. A scan
 * that comes by once changes nothing.
 * 2. While there is room, that is all. When the budget is used up, the second miss counts only if
 *    the budget could have kept the block until then: no more misses ago than it holds blocks.
 * 3. Then blocks have to earn their price. Misses are told apart by their age, in four groups;
 *    each has an account from which an entering block is paid, and into which the first few hits of
 *    the block are paid back. Where an account is empty, only every sixteenth block enters, as a
 *    trial: random access to more than the budget holds then costs next to nothing, and rows, whose
 *    blocks return within a few misses, enter next to it. Learning from what happened to blocks of
 *    the same kind is SHiP's idea (Wu et al., "SHiP: signature-based hit predictor for high
 *    performance caching", MICRO 2011), the kind being the age.
 *
 * bench/cache compares it with LRU, CLOCK, 2Q, S3-FIFO, W-TinyLFU and Belady's optimum.
 *
 * Ghosts are a table of sets: a key has a few places it can be in, and takes that of the oldest one
 * there. Time is counted in misses, so the age of a key is how many blocks were missed since, a
 * bound on how many others were asked for: what a budget can hold is a matter of this number. The
 * keys themselves are 32 bits of a hash. Two that agree make a block enter early, which does no
 * harm. The table grows with the misses there are: a program that reads little has a small one,
 * whatever the budget.
 *
 * The lock of the cache guards `ghosts` and `refused`. `accounts` are atomic, as a hit pays into
 * them with the lock of a shard only.
 */
#include "cache/private.h"

#include "base/checked.h"
#include "base/memory.h"

#include <stddef.h>

// -- ghosts

enum {
    WAYS = 8, // a set is 64 bytes
    NSETS_MIN = 16, // at first: 1 KiB
    NSETS_MAX = 1 << 17, // 8 MiB
};

void
ghosts_init(struct ghosts *g, int64_t most)
{
    *g = (struct ghosts){.nsets_most = NSETS_MIN};
    while (g->nsets_most < NSETS_MAX && (int64_t)g->nsets_most * WAYS < most)
        g->nsets_most *= 2;
}

void
ghosts_finish(struct ghosts *g)
{
    mem_free(g->table);
}

static struct ghost *
set_of(const struct ghosts *g, uint32_t key)
{
    return g->table + (size_t)(key & (g->nsets - 1)) * WAYS;
}

static uint32_t
ghosts_key_of(uint64_t hash)
{
    return (uint32_t)(hash >> 16);
}

// The key's place; else that of the oldest key that it can have.
static struct ghost *
place_of_ghost(const struct ghosts *g, uint32_t key)
{
    struct ghost *const set = set_of(g, key), *oldest = set;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].key == key && set[i].when != 0)
            return &set[i];
        if (set[i].when == 0 || (oldest->when != 0 && g->now - set[i].when > g->now - oldest->when))
            oldest = &set[i];
    }
    return oldest;
}

// Another table, of so many sets, with the same keys. false: no memory.
static bool
ghosts_resize(struct ghosts *g, uint32_t nsets)
{
    struct ghost *const before = g->table;
    const size_t n = (size_t)g->nsets * WAYS; // 0 at first
    struct ghost *const table = mem_zeroed((size_t)nsets * WAYS, sizeof *table);
    if (!table)
        return false;
    g->table = table;
    g->nsets = nsets;
    for (size_t i = 0; i < n; i++)
        if (before[i].when != 0)
            *place_of_ghost(g, before[i].key) = before[i];
    mem_free(before);
    return true;
}

uint32_t
ghosts_miss(struct ghosts *g, uint64_t hash)
{
    const uint32_t key = ghosts_key_of(hash);
    uint32_t age = GHOST_UNKNOWN;

    if (!g->table && !ghosts_resize(g, NSETS_MIN))
        return GHOST_UNKNOWN;
    if (g->nsets < g->nsets_most && g->now >= g->nsets * (WAYS / 4)) // a quarter full, at most
        (void)ghosts_resize(g, g->nsets * 2); // else a few keys get lost
    if (++g->now == 0) // once in 2^32 misses
        g->now = 1;
    struct ghost *const place = place_of_ghost(g, key);
    if (place->key == key && place->when != 0)
        age = g->now - place->when;
    *place = (struct ghost){key, g->now};
    return age;
}

void
ghosts_remove(struct ghosts *g, uint64_t hash)
{
    const uint32_t key = ghosts_key_of(hash);
    struct ghost *const place = g->table ? place_of_ghost(g, key) : NULL;
    if (place && place->key == key)
        place->when = 0;
}

// -- policy

enum {
    REACH = 4, // keys remembered per block of the budget: for the time there is room
    // Hits that a block has to have. Decoding and copying all of it, less the part that was wanted,
    // costs up to 1.7 such parts for single items with LZ4 and blocks of 250 KiB, 1 with 32 KiB,
    // 0.1 with Zstandard; and more, where a part is at the front of its block. With 4, hit rates
    // are the same as with 2, and whole decodes half as many (bench/cache).
    PRICE = 4,
    SAMPLE = 16, // of those refused, one enters
};

void
policy_init(struct policy *p, int64_t nblocks)
{
    p->nblocks = min_i64(nblocks, UINT32_MAX); // ages are below
    ghosts_init(&p->ghosts, p->nblocks * REACH);
    for (int i = 0; i < POLICY_GROUPS; i++) {
        atomic_init(&p->accounts[i], p->nblocks); // not known yet: let some in
        p->refused[i] = 0;
    }
}

void
policy_finish(struct policy *p)
{
    ghosts_finish(&p->ghosts);
}

// The last group: missed within an eighth of the budget; the first: within the whole of it.
static uint8_t
group_of(int64_t holds, uint32_t age)
{
    uint8_t group = 0;
    while (group < POLICY_GROUPS - 1 && age <= holds >> (group + 1))
        group++;
    return group;
}

// Whether blocks of the group earn what they cost, or another sample is due; then it is paid.
static bool
policy_pay(struct policy *p, uint8_t group)
{
    _Atomic int64_t *const account = &p->accounts[group];
    if (atomic_load_explicit(account, memory_order_relaxed) < PRICE &&
        ++p->refused[group] % SAMPLE != 0)
        return false;
    const int64_t left = atomic_fetch_sub_explicit(account, PRICE, memory_order_relaxed) - PRICE;
    if (left < -PRICE) // samples run into no more debt than one
        atomic_fetch_add_explicit(account, PRICE, memory_order_relaxed);
    return true;
}

bool
policy_admits(struct policy *p, uint64_t hash, bool room, int64_t holds, uint8_t *group)
{
    const uint32_t age = ghosts_miss(&p->ghosts, hash);
    if (age == GHOST_UNKNOWN || (!room && age > holds))
        return false;
    *group = group_of(holds, age);
    if (!room && !policy_pay(p, *group))
        return false;
    ghosts_remove(&p->ghosts, hash);
    return true;
}

void
policy_earn(struct policy *p, uint8_t group)
{
    _Atomic int64_t *const account = &p->accounts[group];
    if (atomic_load_explicit(account, memory_order_relaxed) < PRICE * p->nblocks)
        atomic_fetch_add_explicit(account, 1, memory_order_relaxed);
}
