/*
 * memory.c - the memory of decoded blocks: slots that are used again and again, and which block
 * leaves its slot.
 *
 * A slot is allocated when the first block needs it, as long as the budget allows, and freed with
 * the cache, or when other arrays need its bytes (account.h). So a cache that is full allocates
 * nothing, asks the system for nothing and faults in no page: a block that enters gets the pages of
 * the one that left. A cache that was never used has no memory. What was tried before, malloc and
 * free for each block, costs an mmap, an munmap and a page fault per 4 KiB for blocks above glibc's
 * threshold of 128 KiB.
 *
 * The bytes of a slot need no lock: they belong to the thread that has the block reserved;
 * afterwards threads that have it pinned read them, and they are written with exclusive access to
 * the cache only.
 *
 * Which block leaves is found by the hand of a clock over all slots. Each use of a block is
 * counted, up to 3; the hand takes one off where it passes, and stops at a block that has none left
 * (generalized CLOCK, as the main queue of S3-FIFO: Yang et al., "FIFO queues are all you need for
 * cache eviction", SOSP 2023). A hit moves nothing and needs no lock of its own, which LRU does not
 * offer. Uses up to 7 or 15 gain nothing with Zipf's distribution and keep dead blocks for longer
 * (bench/cache). A block that enters is behind the hand and has no uses: it has one round to be
 * used. `uses` of a block is an atomic that is read and written in two steps: a lost use is cheaper
 * than a locked instruction per hit.
 */
#include "cache/private.h"

#include "base/checked.h"
#include "base/memory.h"
#include "cache/account.h"

#include <stdlib.h>

enum {
    ALIGNMENT = 64, // of items
    CAPACITY_MIN = 16,
};

static size_t
to_granule(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void
memory_init(struct memory *m, int32_t blocksize, int64_t budget, struct account_member *account)
{
    *m = (struct memory){.blocksize = (size_t)max_i64(blocksize, 1), .account = account};
    m->slot_size = to_granule(to_granule(sizeof(struct cached)) + m->blocksize);
    m->most = budget / (int64_t)m->blocksize;
}

static bool
memory_pay(const struct memory *m, bool force)
{
    if (m->account)
        return account_take(m->account, (int64_t)m->slot_size, force);
    account_count_own((int64_t)m->slot_size);
    return true;
}

static void
pay_back(const struct memory *m, int64_t nslots)
{
    const int64_t size = nslots * (int64_t)m->slot_size;
    if (nslots > 0 && m->account)
        account_give(m->account, size);
    else if (nslots > 0)
        account_count_own(-size);
}

void
memory_finish(struct memory *m)
{
    for (int64_t i = 0; i < m->n; i++)
        mem_free(m->slots[i]);
    mem_free(m->slots);
    pay_back(m, m->n);
}

bool
memory_has_room(const struct memory *m)
{
    return m->free || (m->n < m->most && (!m->account || account_has_room((int64_t)m->slot_size)));
}

static bool
grow_list(struct memory *m)
{
    const int64_t capacity = min_i64(max_i64(2 * m->capacity, CAPACITY_MIN), m->most);
    struct cached **const slots = mem_resize(m->slots, (size_t)capacity * sizeof(struct cached *));
    if (!slots)
        return false;
    m->slots = slots;
    m->capacity = capacity;
    return true;
}

// A new slot: the block's own, then its items.
static struct cached *
allocate_slot(struct memory *m, bool force)
{
    if (m->n == m->most || (m->n == m->capacity && !grow_list(m)) || !memory_pay(m, force))
        return NULL;
    struct cached *const b = mem_aligned(ALIGNMENT, m->slot_size);
    if (!b) {
        pay_back(m, 1);
        return NULL;
    }
    *b = (struct cached){.items = (uint8_t *)b + to_granule(sizeof *b), .slot = m->n};
    atomic_init(&b->pins, 1);
    atomic_init(&b->uses, 0);
    m->slots[m->n++] = b;
    return b;
}

struct cached *
memory_take(struct memory *m, bool force)
{
    struct cached *const b = m->free;
    if (!b)
        return allocate_slot(m, force);
    m->free = b->next;
    return b;
}

void
memory_give(struct memory *m, struct cached *b)
{
    atomic_store(&b->pins, 1); // the clock's hand passes it
    b->next = m->free;
    m->free = b;
}

// The last slot of the list gets its place there.
void
memory_free(struct memory *m, struct cached *b)
{
    struct cached *const last = m->slots[--m->n];
    m->slots[b->slot] = last;
    last->slot = b->slot;
    mem_free(b);
    pay_back(m, 1);
}

bool
memory_free_idle(struct memory *m)
{
    struct cached *const b = m->free;
    if (!b)
        return false;
    m->free = b->next;
    memory_free(m, b);
    return true;
}

// -- which block leaves

enum {
    USES_MAX = 3,
    STEPS = 256, // blocks that could leave; then the least used of these does
};

void
clock_use(struct cached *b)
{
    const unsigned char uses = atomic_load_explicit(&b->uses, memory_order_relaxed);
    if (uses < USES_MAX)
        atomic_store_explicit(&b->uses, uses + 1, memory_order_relaxed);
}

static bool
may_leave(const struct cached *b)
{
    return atomic_load_explicit(&b->pins, memory_order_acquire) == 0 && !b->dirty;
}

struct cached *
clock_victim(struct clock *k, const struct memory *m)
{
    struct cached *least = NULL;
    unsigned char least_uses = USES_MAX + 1;
    int steps = STEPS;

    if (k->hand >= m->n) // slots were freed
        k->hand = 0;
    for (int64_t passed = 0; passed < (USES_MAX + 1) * m->n && steps > 0; passed++) {
        struct cached *const b = m->slots[k->hand];
        k->hand = k->hand + 1 < m->n ? k->hand + 1 : 0;
        if (!may_leave(b))
            continue;
        steps--;
        const unsigned char uses = atomic_load_explicit(&b->uses, memory_order_relaxed);
        if (uses < least_uses) {
            least = b;
            least_uses = uses;
        }
        if (uses == 0)
            return b;
        atomic_store_explicit(&b->uses, uses - 1, memory_order_relaxed);
    }
    return least;
}
