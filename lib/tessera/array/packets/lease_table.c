/*
 * lease_table.c - leases by number, and found by their extent: a hash table with chains.
 */
#include "array/packets/lease_table.h"

#include "base/memory.h"

#include <string.h>

enum { CAPACITY_MIN = 16 };

struct lease_slot {
    struct extent whole; // size 0: the number is free
    uint64_t age; // smaller: older
    uint32_t next; // in the chain, or of the numbers that are free
};

void
lease_table_finish(struct lease_table *t)
{
    mem_free(t->slots);
    mem_free(t->heads);
    *t = (struct lease_table){0};
}

static uint32_t *
head_of(const struct lease_table *t, struct extent whole)
{
    uint64_t h = (uint64_t)whole.start * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)whole.size;
    h = (h ^ (h >> 32)) * UINT64_C(0xbf58476d1ce4e5b9);
    return &t->heads[(h >> 32) & (t->capacity - 1)];
}

static void
link_slot(struct lease_table *t, uint32_t number)
{
    uint32_t *const head = head_of(t, t->slots[number].whole);
    t->slots[number].next = *head;
    *head = number;
}

static bool
lease_table_grow(struct lease_table *t)
{
    const uint32_t capacity = t->capacity > 0 ? 2 * t->capacity : CAPACITY_MIN;
    if (capacity > UINT32_MAX / 2)
        return false;
    uint32_t *const heads = mem_zeroed(capacity, sizeof *heads);
    struct lease_slot *const slots =
        heads ? mem_resize(t->slots, ((size_t)capacity + 1) * sizeof *slots) : NULL;
    if (!slots) {
        mem_free(heads);
        return false;
    }
    mem_free(t->heads);
    t->heads = heads;
    t->slots = slots;
    t->capacity = capacity;
    for (uint32_t number = 1; number <= t->used; number++) // all are taken: none is spare
        link_slot(t, number);
    return true;
}

bool
lease_table_reserve(struct lease_table *t)
{
    return t->spare != 0 || t->used < t->capacity || lease_table_grow(t);
}

uint32_t
lease_table_add(struct lease_table *t, struct extent whole)
{
    uint32_t number = t->spare;
    if (number != 0)
        t->spare = t->slots[number].next;
    else
        number = ++t->used;
    t->slots[number] = (struct lease_slot){.whole = whole, .age = t->taken++};
    link_slot(t, number);
    return number;
}

uint32_t
lease_table_find(const struct lease_table *t, struct extent whole)
{
    uint32_t found = 0;
    if (t->capacity == 0)
        return 0;
    for (uint32_t n = *head_of(t, whole); n != 0; n = t->slots[n].next) {
        const struct lease_slot *const s = &t->slots[n];
        if (s->whole.start == whole.start && s->whole.size == whole.size &&
            (found == 0 || s->age < t->slots[found].age))
            found = n;
    }
    return found;
}

uint32_t
lease_table_next(const struct lease_table *t, uint32_t from)
{
    for (uint32_t n = from; n <= t->used; n++)
        if (t->slots[n].whole.size > 0)
            return n;
    return 0;
}

struct extent
lease_table_get(const struct lease_table *t, uint32_t number)
{
    return t->slots[number].whole;
}

void
lease_table_remove(struct lease_table *t, uint32_t number)
{
    struct lease_slot *const s = &t->slots[number];
    uint32_t *at = head_of(t, s->whole);
    while (*at != number)
        at = &t->slots[*at].next;
    *at = s->next;
    *s = (struct lease_slot){.next = t->spare};
    t->spare = number;
}
