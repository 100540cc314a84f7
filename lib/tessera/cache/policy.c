/*
 * policy.c - which missed blocks are worth being decoded as a whole, and kept.
 */
#include "cache/policy.h"

#include "base/checked.h"

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
pay(struct policy *p, uint8_t group)
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
    if (!room && !pay(p, *group))
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
