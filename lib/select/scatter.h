/*
 * scatter.h - memory into chosen items of an array.
 */
#ifndef SELECT_SCATTER_H
#define SELECT_SCATTER_H

#include "grid/grid.h"
#include "select/selection.h"

struct frame_staged;

// Write the items of a selection that has some, of this grid. staged: where the chunks go, for the
// caller to install, who has the turn of them; NULL: to the open change of the frame. `src` has the
// items in the order in which they were chosen; of an item that was chosen more than once, the last
// value stays. `same` is for masks: src has one item for all.
tess_status selection_write(struct chunk_grid *grid, const struct selection *s, const uint8_t *src,
                            bool same, struct frame_staged *staged, struct watch *watch,
                            tess_error *err);

#endif
