/*
 * account.c - the memory of decoded blocks that all arrays of a process share.
 */
#include "cache/account.h"

#include "base/checked.h"

#include <pthread.h>
#include <stddef.h>

enum {
    STEPS = 32, // of the hand, for one block
    PART = 1024, // of the budget, that is given back at once, if it is more than a block
    DIRTY_PARTS = 4, // of the budget; all but one may be dirty
    ONE_PARTS = 4, // of the budget; one array takes one of them, or ONE_LEAST
};

#define ONE_LEAST ((int64_t)32 << 20)

static struct {
    pthread_mutex_t registry; // while members are asked; taken first
    pthread_mutex_t ring; // guards hand and count, and the places of members; taken last
    struct account_member *hand; // NULL: no member has blocks
    int64_t count; // members in the ring
    _Atomic int64_t budget, used, dirty, own;
} account = {
    .registry = PTHREAD_MUTEX_INITIALIZER,
    .ring = PTHREAD_MUTEX_INITIALIZER,
    .budget = ACCOUNT_BUDGET,
};

static void
lock_account(void)
{
    (void)pthread_mutex_lock(&account.registry);
    (void)pthread_mutex_lock(&account.ring);
}

static void
unlock_account(void)
{
    (void)pthread_mutex_unlock(&account.ring);
    (void)pthread_mutex_unlock(&account.registry);
}

static void
account_watch_forks(void)
{
    (void)pthread_atfork(lock_account, unlock_account, unlock_account);
}

static void
lock_ring(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, account_watch_forks);
    (void)pthread_mutex_lock(&account.ring);
}

static void
unlock_ring(void)
{
    (void)pthread_mutex_unlock(&account.ring);
}

// -- the ring; with its mutex held

static void
ring_add(struct account_member *m)
{
    struct account_member *const next = account.hand ? account.hand : m;
    m->after = next;
    m->before = account.hand ? next->before : m;
    m->before->after = m;
    next->before = m;
    account.hand = next; // it is the last to be passed
    account.count++;
}

static void
ring_remove(struct account_member *m)
{
    m->before->after = m->after;
    m->after->before = m->before;
    if (account.hand == m)
        account.hand = m->after == m ? NULL : m->after;
    m->before = m->after = NULL;
    account.count--;
}

// A member may have got its first block, or lost its last.
static void
ring_update(struct account_member *m)
{
    lock_ring();
    const bool has = atomic_load(&m->used) > 0;
    if (has && !m->after)
        ring_add(m);
    else if (!has && m->after)
        ring_remove(m);
    unlock_ring();
}

// The member that the hand passes; NULL: there is none. It stays while the registry is locked.
static struct account_member *
ring_step(void)
{
    lock_ring();
    struct account_member *const m = account.hand;
    if (m)
        account.hand = m->after;
    unlock_ring();
    return m;
}

static int64_t
ring_count(void)
{
    lock_ring();
    const int64_t count = account.count;
    unlock_ring();
    return count;
}

// -- bytes

int64_t
account_budget(void)
{
    return atomic_load(&account.budget);
}

int64_t
account_most_of_one(void)
{
    const int64_t budget = account_budget();
    return max_i64(budget / ONE_PARTS, min_i64(budget, ONE_LEAST));
}

bool
account_has_room(int64_t size)
{
    return size <= account_budget() - atomic_load_explicit(&account.used, memory_order_relaxed);
}

bool
account_take(struct account_member *m, int64_t size, bool force)
{
    int64_t used = atomic_load(&account.used);
    do
        if (!force && size > account_budget() - used)
            return false;
    while (!atomic_compare_exchange_weak(&account.used, &used, used + size));
    if (atomic_fetch_add(&m->used, size) == 0)
        ring_update(m);
    return true;
}

void
account_give(struct account_member *m, int64_t size)
{
    atomic_fetch_sub(&account.used, size);
    if (atomic_fetch_sub(&m->used, size) == size)
        ring_update(m);
}

void
account_count_own(int64_t size)
{
    atomic_fetch_add_explicit(&account.own, size, memory_order_relaxed);
}

void
account_leave(void)
{
    (void)pthread_mutex_lock(&account.registry);
    (void)pthread_mutex_unlock(&account.registry);
}

int64_t
account_share(const struct account_member *m)
{
    const int64_t others = ring_count() - (atomic_load(&m->used) > 0);
    return account_budget() / (max_i64(others, 0) + 1);
}

// -- giving back

// Whether a member that the hand passes is to give something to `m`, which has a fair share.
static bool
has_too_much(struct account_member *other, const struct account_member *m, int64_t size,
             int64_t share)
{
    if (!atomic_exchange_explicit(&other->touched, false, memory_order_relaxed))
        return true;
    return atomic_load(&other->used) > share && atomic_load(&m->used) + size <= share;
}

// Bytes that have to be given back.
static int64_t
missing(int64_t size)
{
    return atomic_load(&account.used) + size - account_budget();
}

// With the registry locked.
static bool
ask_others(struct account_member *m, int64_t size, bool needed)
{
    const int64_t share = m ? account_share(m) : 0;
    const int64_t part = account_budget() / PART;
    const int64_t count = ring_count();
    int64_t steps = needed ? 2 * count : min_i64(count, STEPS); // no more than once round
    while (!account_has_room(size) && steps-- > 0) {
        struct account_member *const other = ring_step();
        if (!other)
            break;
        if (other != m && (needed || has_too_much(other, m, size, share)))
            other->give_back(other, max_i64(part, missing(size)));
    }
    return account_has_room(size);
}

bool
account_reclaim(struct account_member *m, int64_t size, bool needed)
{
    lock_ring(); // forks are watched from here on
    unlock_ring();
    if (needed)
        (void)pthread_mutex_lock(&account.registry);
    else if (pthread_mutex_trylock(&account.registry) != 0) // not worth waiting for
        return false;
    const bool room = ask_others(m, size, needed);
    (void)pthread_mutex_unlock(&account.registry);
    return room;
}

void
account_set_budget(int64_t budget)
{
    atomic_store(&account.budget, budget);
    if (!account_has_room(0))
        (void)account_reclaim(NULL, 0, true);
}

// -- dirty blocks

void
account_dirty_add(int64_t size)
{
    atomic_fetch_add(&account.dirty, size);
}

int64_t
account_dirty_room(int64_t dirty)
{
    const int64_t most = account_budget() / DIRTY_PARTS * (DIRTY_PARTS - 1);
    return max_i64((most - (atomic_load(&account.dirty) - dirty)) / 2, 0);
}

void
account_report(struct account_report *report)
{
    *report = (struct account_report){
        .budget = account_budget(),
        .used = atomic_load(&account.used),
        .dirty = atomic_load(&account.dirty),
        .own = atomic_load(&account.own),
    };
}
