/*
 * gather.h - chosen items of an array into memory.
 */
#ifndef SELECT_GATHER_H
#define SELECT_GATHER_H

#include "grid/grid.h"
#include "select/selection.h"

// The items of a selection that has some, in the order in which they were chosen, without gaps.
tess_status selection_read(const struct selection *s, uint8_t *dst, struct watch *watch,
                           tess_error *err);

#endif
