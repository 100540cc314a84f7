/*
 * memory.c - the memory of decoded blocks: slots that are used again and again.
 */
#include "cache/memory.h"

#include "base/checked.h"

#include <stdlib.h>

enum {
    ALIGNMENT = 64, // of items
    CAPACITY_MIN = 16,
};

void
memory_init(struct memory *m, int32_t blocksize, int64_t budget)
{
    *m = (struct memory){.blocksize = (size_t)max_i64(blocksize, 1)};
    m->most = budget / (int64_t)m->blocksize;
}

void
memory_finish(struct memory *m)
{
    for (int64_t i = 0; i < m->n; i++)
        free(m->slots[i]);
    free(m->slots);
}

bool
memory_has_room(const struct memory *m)
{
    return m->free || m->n < m->most;
}

static bool
grow_list(struct memory *m)
{
    const int64_t capacity = min_i64(max_i64(2 * m->capacity, CAPACITY_MIN), m->most);
    struct cached **const slots = realloc(m->slots, (size_t)capacity * sizeof(struct cached *));
    if (!slots)
        return false;
    m->slots = slots;
    m->capacity = capacity;
    return true;
}

// A new slot: the block's own, then its items.
static struct cached *
allocate_slot(struct memory *m)
{
    const size_t head = (sizeof(struct cached) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t size = (head + m->blocksize + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (m->n == m->most || (m->n == m->capacity && !grow_list(m)))
        return NULL;
    struct cached *const b = aligned_alloc(ALIGNMENT, size);
    if (!b)
        return NULL;
    *b = (struct cached){.items = (uint8_t *)b + head};
    atomic_init(&b->pins, 1);
    atomic_init(&b->uses, 0);
    m->slots[m->n++] = b;
    return b;
}

struct cached *
memory_take(struct memory *m)
{
    struct cached *const b = m->free;
    if (!b)
        return allocate_slot(m);
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
