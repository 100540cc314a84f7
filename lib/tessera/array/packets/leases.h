/*
 * leases.h - the leases of one adoption: space of the array's file or directory that workers write
 * to, as the program knows it.
 *
 * Positions are those in the file, whatever stands in front of the array in it.
 *
 * A mutex guards the set; it is held while the gate of the grid is closed, and never the other way
 * round.
 */
#ifndef ARRAY_PACKETS_LEASES_H
#define ARRAY_PACKETS_LEASES_H

#include "array/array.h"
#include "array/packets/lease_table.h"
#include "frame/container.h"
#include "frame/contiguous/extents.h"

#include <pthread.h>

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
