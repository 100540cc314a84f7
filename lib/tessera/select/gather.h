/*
 * gather.h - chosen items of an array into memory, and memory into chosen items.
 */
#ifndef SELECT_GATHER_H
#define SELECT_GATHER_H

#include "grid/grid.h"
#include "select/selection.h"

struct addition;
struct frame_staged;

// The items of a selection that has some, in the order in which they were chosen, without gaps.
tess_status selection_read(const struct selection *s, uint8_t *dst, struct watch *watch,
                           tess_error *err);

// The items that are given for those that are chosen, in the order in which they were chosen.
struct given {
    const uint8_t *src;
    bool same; // masks: src is one item for all
    const struct addition
        *add; // points: added to the items that are there (add.h), from its own src
};

// Write the items of a selection that has some, of this grid. staged: where the chunks go, for the
// caller to install, who has the turn of them; NULL: to the open change of the frame. Of an
// item that was chosen more than once, the last value stays.
tess_status selection_write(struct chunk_grid *grid, const struct selection *s,
                            const struct given *given, struct frame_staged *staged,
                            struct watch *watch, tess_error *err);

// The same for few blocks and items, which wait in the cache (grid/write/write_back.h): bytes of
// blocks that may become dirty; 0: it is not to wait. The caller has promised them, and the turn of
// the chunks.
int64_t selection_waiting_size(const struct selection *s, int64_t nitems);
tess_status selection_write_cached(struct chunk_grid *grid, const struct selection *s,
                                   const struct given *given, tess_error *err);

#endif
