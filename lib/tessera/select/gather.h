/*
 * gather.h - chosen items of an array into memory, and memory into chosen items, or added to them.
 *
 * Numbers are added in the order of the picks, each one by itself: an item that is picked three
 * times gets three additions, and the sum of floats is rounded after each. What the rules are,
 * tessera/select.h says.
 *
 * Functions without state: any thread. A struct addition does not change once it is made.
 */
#ifndef SELECT_GATHER_H
#define SELECT_GATHER_H

#include "base/error.h"
#include "grid/grid.h"
#include "select/selection.h"

#include <tessera/dtype.h>

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
        *add; // points: added to the items that are there (add.c), from its own src
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

// -- numbers added to chosen items of a block (add.c)

struct addition;

// Add the items of the caller to the picked ones, which have the length 1. Returns how many picks
// were done: all, or those before the first whose sum does not fit.
typedef int64_t add_fn(uint8_t *items, const struct pick *picks, int64_t n,
                       const struct addition *add);

struct addition {
    add_fn *add;
    add_fn *subtract; // undoes additions of integers that fitted; NULL: all fit
    const uint8_t *src; // of the caller
    int64_t src_step; // bytes from an item to the next; 0: one for all
    int misfit; // a tess_misfit
    tess_dtype dtype;
    const char *name; // of the type, for messages
    const int64_t *coords; // of the points, for messages
    int ndim;
};

// Set the first two, and dtype; false: items of the type, of `typesize` bytes, are no numbers.
bool addition_init(struct addition *a, const char *dtype, int32_t typesize, int misfit);

// The additions of a block. On failure its items are as they were.
tess_status add_picks(const struct addition *a, const struct selection *s, const struct part *block,
                      uint8_t *items, tess_error *err);
// Undo them, which all fitted.
void subtract_picks(const struct addition *a, const struct selection *s, const struct part *block,
                    uint8_t *items);

#endif
