/*
 * mask.h - the items of an array that a mask over its first axes chooses.
 *
 * In C order, what is chosen of a slab of layers follows what is chosen of the slab before. So a
 * mask is worked off in slabs, as large as memory allows; mostly there is one. Each becomes a
 * selection (selection.h), that of the only one when items are counted, so a mask is looked at, and
 * decoded, once.
 *
 * A struct mask belongs to the call that began it, and to its thread: `left`, the slab and the
 * selection change between jobs, and workers only read them during one, without a lock.
 *
 * A mask in an array may change between counting and copying. Memory was sized by the count, so
 * `left` bounds what is copied: TESS_ERR_STALE if the two differ.
 */
#ifndef ARRAY_ITEMS_MASK_H
#define ARRAY_ITEMS_MASK_H

#include "select/selection.h"

#include <tessera/select.h>

struct mask {
    const tess_array *a;
    const tess_mask *from;
    int64_t count; // chosen items of the array; INT64_MAX if there are more
    bool locked; // the lock file of the mask's array
    int64_t left; // chosen bytes of the mask that were counted, and not come to since

    // Slabs: one index along the axes before `axis`, some along it, all along those behind.
    int axis;
    int64_t thickness;
    bool only; // there is one slab: it stays
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // along the mask's axes
    int64_t nbytes; // of the mask, in the slab
    int64_t done; // bytes of the mask, with those of the slab
    uint8_t *bytes; // of a slab of a mask in an array
    struct selection s; // of the slab
};

// The mask fits the array: count what is chosen. The lock file of a mask in an array, which is read
// more than once, is held shared until mask_finish(), also after a failure.
tess_status mask_begin(struct mask *m, const tess_array *a, const tess_mask *from,
                       struct watch *watch, tess_error *err);
void mask_finish(struct mask *m); // zeroed: fine

// dst receives the chosen items, of which there are some.
tess_status mask_get(struct mask *m, uint8_t *dst, struct watch *watch, tess_error *err);

// a is that of the mask; src has the chosen items, or, if `same` is set, one for all. The caller
// has the turn of the chunks (grid/write/turns.h), of which nothing is dirty. Slabs are installed
// one by one: if there are several, as parts of an open change of the frame.
tess_status mask_set(struct mask *m, tess_array *a, const uint8_t *src, bool same,
                     struct watch *watch, tess_error *err);

#endif
