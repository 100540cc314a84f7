/*
 * policy.h - which missed blocks are worth being decoded as a whole, and kept.
 *
 * A block that is wanted in part is decoded as far as the part reaches; to keep it, all of it has
 * to be decoded and copied, which costs more than the part. So, unlike in other caches, letting a
 * block in has a price, and a block that comes once must not be let in at all:
 *
 * 1. A block enters when it is missed for the second time. Of the first miss only the key is kept
 *    (ghosts.h). Johnson and Shasha, "2Q: a low overhead high performance buffer management
 *    replacement algorithm", VLDB 1994; S3-FIFO (clock.h) finds keys alone enough, too. A scan that
 *    comes by once changes nothing.
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
 * The caller has a lock around all calls but policy_earn().
 *
 * That lock is `lock` of struct cache; it guards `ghosts` and `refused`. `accounts` are atomic, as
 * a hit pays into them with the lock of a shard only.
 */
#ifndef CACHE_POLICY_H
#define CACHE_POLICY_H

#include "cache/ghosts.h"

#include <stdatomic.h>

enum {
    POLICY_GROUPS = 4,
    POLICY_CREDIT = 8, // hits of a block that are paid into the account of its group
};

struct policy {
    int64_t nblocks; // that the budget holds
    struct ghosts ghosts;
    _Atomic int64_t accounts[POLICY_GROUPS];
    unsigned refused[POLICY_GROUPS];
};

// For a budget that holds so many blocks.
void policy_init(struct policy *p, int64_t nblocks);
void policy_finish(struct policy *p);

// A block is missed. Whether it should enter; then *group is the one it belongs to. room: no other
// block has to leave. holds: blocks that there can be memory for at present, at most nblocks.
bool policy_admits(struct policy *p, uint64_t hash, bool room, int64_t holds, uint8_t *group);

// A hit of a block of that group which had credit left. Any thread.
void policy_earn(struct policy *p, uint8_t group);

#endif
