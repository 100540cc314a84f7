/*
 * memory.c - the memory of decoded blocks: slots that are used again and again.
 */
#include "cache/memory.h"

#include "base/checked.h"
#include "base/memory.h"
#include "cache/account.h"

#include <stdlib.h>

enum {
    ALIGNMENT = 64, // of items
    CAPACITY_MIN = 16,
};

static size_t
aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void
memory_init(struct memory *m, int32_t blocksize, int64_t budget, struct account_member *account)
{
    *m = (struct memory){.blocksize = (size_t)max_i64(blocksize, 1), .account = account};
    m->slot_size = aligned(aligned(sizeof(struct cached)) + m->blocksize);
    m->most = budget / (int64_t)m->blocksize;
}

static bool
pay(const struct memory *m, bool force)
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
    if (m->n == m->most || (m->n == m->capacity && !grow_list(m)) || !pay(m, force))
        return NULL;
    struct cached *const b = mem_aligned(ALIGNMENT, m->slot_size);
    if (!b) {
        pay_back(m, 1);
        return NULL;
    }
    *b = (struct cached){.items = (uint8_t *)b + aligned(sizeof *b), .slot = m->n};
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
