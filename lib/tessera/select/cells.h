/*
 * cells.h - chunks and blocks that picks along each axis have in common.
 */
#ifndef SELECT_CELLS_H
#define SELECT_CELLS_H

#include "select/selection.h"

// As selection_chunk() and selection_block(), for kinds that have sorted picks along each axis.
bool cells_chunk(const struct selection *s, int64_t n, struct part *chunk);
bool cells_block(const struct selection *s, const struct part *chunk, int64_t n,
                 struct part *block);

#endif
