/*
 * lease_table.h - leases by number, and found by their extent: a hash table with chains.
 *
 * Two leases may have the same extent: space that one has adopted, and that is free again, is
 * leased anew. Then the older one is found, which has nothing left.
 *
 * A table has no lock and belongs to its owner (leases.h).
 */
#ifndef ARRAY_PACKETS_LEASE_TABLE_H
#define ARRAY_PACKETS_LEASE_TABLE_H

#include "frame/contiguous/extents.h"

#include <stdbool.h>
#include <stdint.h>

struct lease_slot;

// Zeroed: empty. Numbers are 1 to `used`; 0 stands for none.
struct lease_table {
    struct lease_slot *slots; // by number
    uint32_t *heads; // the first number of each chain; `capacity` of them, a power of 2
    uint32_t capacity;
    uint32_t used; // numbers that are or were taken
    uint32_t spare; // the first number that is free again
    uint64_t taken; // leases so far, which is the age of the next one
};

void lease_table_finish(struct lease_table *t); // zeroed: fine

// Make room for one more. False: no memory.
bool lease_table_reserve(struct lease_table *t);

// Add a lease, for which there is room; its number.
uint32_t lease_table_add(struct lease_table *t, struct extent whole);

// The number of the oldest lease of that extent; 0: there is none.
uint32_t lease_table_find(const struct lease_table *t, struct extent whole);

// The first lease whose number is at least `from`; 0: there is none.
uint32_t lease_table_next(const struct lease_table *t, uint32_t from);

struct extent lease_table_get(const struct lease_table *t, uint32_t number);
void lease_table_remove(struct lease_table *t, uint32_t number);

#endif
