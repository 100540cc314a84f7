/*
 * cells.h - the chunks and blocks that a selection meets: picks along each axis that have them in
 * common, or things sorted by chunk and block (points, parts of boxes).
 *
 * The things of a part stand together, so a part is a range of the list: part.first[0] and
 * part.stop[0]. Things that are in the same block keep the order in which the caller gave them.
 */
#ifndef SELECT_CELLS_H
#define SELECT_CELLS_H

#include "select/selection.h"

// As selection_chunk() and selection_block(), for kinds that have sorted picks along each axis.
bool cells_chunk(const struct selection *s, int64_t n, struct part *chunk);
bool cells_block(const struct selection *s, const struct part *chunk, int64_t n,
                 struct part *block);

struct sorted {
    int64_t chunk;
    int32_t block;
    int32_t item; // of the block
    int64_t at; // of the caller's
};

// Room for n of them in s->own.
tess_status sorted_allocate(struct selection *s, int64_t n, const char *what, tess_error *err);
// s->own has s->nown of them: sort them, and set s->nblocks. by_item: also within a block.
tess_status sorted_sort(struct selection *s, bool by_item, tess_error *err);

// As the members of struct selection_kind.
bool sorted_chunk(const struct selection *s, int64_t n, struct part *chunk);
bool sorted_block(const struct selection *s, const struct part *chunk, int64_t n,
                  struct part *block);
void sorted_finish(struct selection *s);

#endif
