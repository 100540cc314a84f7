/*
 * account.h - the memory of decoded blocks that all arrays of a process share.
 *
 * Each cache keeps its blocks, its policy and its clock. Those that have no budget of their own are
 * *members* of one account: a member takes bytes before it allocates memory for a block, and gives
 * them back when it frees that. While the account has room, caches do not notice each other. When
 * it has none, a member that wants a block looks for one elsewhere:
 *
 *   1. A hand passes the members that have blocks, as that of a clock (memory.c). A member that was
 *      not used since the hand passed it gives back some of its blocks: an array that is idle loses
 *      its memory to those that are used.
 *   2. A member that is used, and has more than its fair share (the budget, divided by the number
 *      of members with blocks), gives some to one that has less.
 *   3. Else the member evicts a block of its own, or does without.
 *
 * The bytes of dirty blocks are limited, too: a member may have as many as there is room for more
 * of all members (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet
 * switches", 1998). One alone gets what it asks for; however many there are, some room is left for
 * the next one; and a member that is refused writes back its own blocks. So no member waits for
 * another one.
 *
 * Locks: the mutex of the registry is taken first, while members are asked to give back, which take
 * their own locks then, one member at a time; a member has none of its locks when it asks. The
 * mutex of the ring guards which members have blocks and where the hand is, is taken with any lock
 * held, and for a few instructions. Both are held across fork(). Bytes are atomic.
 */
#ifndef CACHE_ACCOUNT_H
#define CACHE_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct account_member {
    // Free memory of blocks that are neither dirty nor in use, until so many bytes are given back,
    // or there are no more. Called without a lock of the member.
    void (*give_back)(struct account_member *m, int64_t wanted);
    _Atomic int64_t used; // bytes
    atomic_bool touched; // since the hand passed
    struct account_member *before, *after; // of the ring of members with blocks; NULL: not in it
};

struct account_report {
    int64_t budget, used, dirty; // of the members
    int64_t own; // bytes of caches that have a budget of their own
};

#define ACCOUNT_BUDGET ((int64_t)128 << 20) // the default: four arrays have what each asks for

void account_set_budget(int64_t budget); // a smaller one: blocks leave at once, but dirty ones
int64_t account_budget(void);
void account_report(struct account_report *report);

// The most that one member should want to have.
int64_t account_most_of_one(void);

// Before the memory of a member is freed, which has no blocks any more: wait until no other one
// asks it.
void account_leave(void);

static inline void
account_touch(struct account_member *m)
{
    if (!atomic_load_explicit(&m->touched, memory_order_relaxed))
        atomic_store_explicit(&m->touched, true, memory_order_relaxed);
}

bool account_has_room(int64_t size);

// false: the budget is used up. force: never.
bool account_take(struct account_member *m, int64_t size, bool force);
void account_give(struct account_member *m, int64_t size);
void account_count_own(int64_t size); // of a cache that is no member; < 0: freed

// What the member may have while all that have blocks want more.
int64_t account_share(const struct account_member *m);

// Let others give back until there is room for `size` more bytes, as above. needed: ask all of
// them, used or not. Whether there was room for a moment.
bool account_reclaim(struct account_member *m, int64_t size, bool needed);

// Bytes of dirty blocks, and of those that may become dirty: more, or less, of a member that has
// `dirty` of them. account_dirty_room(): how many it may have.
void account_dirty_add(int64_t size);
int64_t account_dirty_room(int64_t dirty);

#endif
