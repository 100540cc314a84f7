/*
 * scatter.h - memory into chosen items of an array.
 */
#ifndef SELECT_SCATTER_H
#define SELECT_SCATTER_H

#include "grid/grid.h"
#include "select/selection.h"

// Write the items of a selection that has some, of this grid, as part of a change of the frame that
// the caller has begun. `src` has the items in the order in which they were chosen; of an item that
// was chosen more than once, the last value stays. `same` is for masks: src has one item for all.
tess_status selection_write(struct chunk_grid *grid, const struct selection *s, const uint8_t *src,
                            bool same, struct watch *watch, tess_error *err);

#endif
