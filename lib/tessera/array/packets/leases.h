/*
 * leases.h - the leases of one adoption: space of the array's file or directory that workers write
 * to, as the program knows it.
 *
 * Positions are those in the file, whatever stands in front of the array in it. A mutex guards the
 * set; it is held while the gate of the grid is closed, and never the other way round.
 *
 * The set is in a table: leases by number, and found by their extent. Two may have the same extent:
 * space that one has adopted, and that is free again, is leased anew. Then the older one is found,
 * which has nothing left. A table has no lock and belongs to its owner.
 */
#ifndef ARRAY_PACKETS_LEASES_H
#define ARRAY_PACKETS_LEASES_H

#include "array/array.h"
#include "frame/container.h"
#include "frame/contiguous/extents.h"

#include <pthread.h>
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

struct leases {
    pthread_mutex_t lock;
    // Of all leases, without what was adopted; the owner is the lease. Space that a lease has
    // adopted and that is free again may be leased anew: extents of other leases may lie between
    // its own.
    struct extents left;
    struct lease_table wholes; // as they were handed out
};

void leases_init(struct leases *x);
void leases_end_all(struct leases *x, const tess_array *a); // that are left
void leases_finish(struct leases *x); // there are none

// `size` bytes, or numbers of files. TESS_ERR_UNSUPPORTED: the array is in no file.
tess_status leases_take(struct leases *x, tess_array *a, int64_t size, struct extent *lease,
                        tess_error *err);
// TESS_ERR_ARG: there is no such lease.
tess_status leases_return(struct leases *x, tess_array *a, struct extent lease, tess_error *err);

// Whether these chunks, at positions in the frame, are in leases of this adoption, and do not
// overlap. TESS_ERR_ARG. *which: of the chunks, the one of a failure; -1: of none.
tess_status leases_check(struct leases *x, const tess_array *a, const struct lent_chunk *chunks,
                         int64_t n, int64_t *which, tess_error *err);

// Adopt them: what is left of the leases gets less. A lease may have ended since they were checked.
tess_status leases_adopt(struct leases *x, const tess_array *a, const struct lent_chunk *chunks,
                         const int64_t *numbers, int64_t n, int64_t *which, tess_error *err);

#endif
