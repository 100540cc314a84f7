/*
 * private.h - what the units of select share: the chunks and blocks that a selection meets, and its
 * items copied between a block and the caller's memory.
 */
#ifndef SELECT_PRIVATE_H
#define SELECT_PRIVATE_H

#include "select/selection.h"

/*
 * Chunks and blocks (selection.c): picks along each axis that have them in common, or things sorted
 * by chunk and block (points, parts of boxes).
 *
 * The things of a part stand together, so a part is a range of the list: part.first[0] and
 * part.stop[0]. Things that are in the same block keep the order in which the caller gave them.
 */

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

// -- single items and short runs of a block (block_copy.c)

// Put the picks of a block where they belong in dst. Where the last shuffle was left to us, it is
// undone for these items only.
void take_picks(const struct decoded *block, size_t typesize, const struct pick *picks, int64_t n,
                uint8_t *dst);

// What take_picks() needs of a block.
struct block_need take_need(const struct geometry *g, const struct reach *reach);

// The other way round: into the items of a block.
void give_picks(uint8_t *items, size_t typesize, const struct pick *picks, int64_t n,
                const uint8_t *src);

// All picks are the same item.
void repeat_picks(const uint8_t *item, size_t typesize, const struct pick *picks, int64_t n,
                  uint8_t *dst);

// -- rows of a mask's bytes in the blocks that they are in, and the items that they choose
// (block_copy.c)

// Of the mask's bytes, how many are chosen in a block.
int64_t mask_chosen(const struct selection *s, const struct part *block);

// The pieces of a mask's rows in a block of which something is chosen.
void mask_rows_begin(struct mask_rows *r, const struct selection *s, const struct part *block);
bool mask_rows_next(struct mask_rows *r);
// The first chosen byte from k on; n: none.
int64_t mask_next(const uint8_t *bytes, int64_t k, int64_t n);

// As in struct selection_kind.
bool mask_gather(const struct selection *s, const struct part *part, const struct decoded *block,
                 uint8_t *dst);
void mask_scatter(const struct selection *s, const struct part *part, uint8_t *items,
                  const uint8_t *src, bool same);

#endif
