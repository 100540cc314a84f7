/*
 * mask_copy.h - the rows of a mask's bytes in the blocks that they are in, and the items that they
 * choose copied between a block and the caller's memory.
 */
#ifndef SELECT_MASK_COPY_H
#define SELECT_MASK_COPY_H

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct decoded;
struct part;
struct selection;

/*
 * A mask over the first axes of a box. Here an axis has one pick for each block that the box meets:
 * `at` counts from where the box starts, `item` is the number in the block (not the coordinate),
 * and axis.item_step may be negative, as a view's step.
 *
 * The mask's bytes are divided into *pieces* of rows, one for each block along the row. In front of
 * each, so many bytes are chosen: that is where the items of a block go.
 */
struct mask_index {
    const uint8_t *bytes; // the box's, C order; not owned
    int row; // the axis along which bytes follow each other; -1: there is one byte
    bool over[NDIM_MAX]; // axes that the mask has (of the base; at_step: bytes), or only one index
    bool reversed; // the row's pieces come in the order opposite to that of its picks
    int64_t *before; // chosen bytes in front of a piece; and of all, behind the last
    int64_t piece_step[NDIM_MAX]; // pieces from one index to the next, of axes but the row
    int64_t *chosen; // bytes of a block
    int64_t block_step[NDIM_MAX]; // entries of it from one pick to the next
    int64_t nbytes, count; // of all, of those that are chosen
    int64_t inner; // items for each byte
    int inner_row; // the axis along which they follow each other in the caller's memory; -1: none
};

// Of the mask's bytes, how many are chosen in a block.
int64_t mask_chosen(const struct selection *s, const struct part *block);

// The pieces of a mask's rows in a block of which something is chosen.
struct mask_rows {
    const struct selection *s;
    const struct part *block;
    int64_t now[NDIM_MAX]; // per axis, from where the block's pick starts
    int64_t offset, piece; // in the mask's bytes, in `before`
    bool begun;
    int ahead; // the axis along which pieces come next; -1: none

    // This piece:
    const uint8_t *bytes; // n of them
    int64_t n, count, before; // count > 0 are chosen, so many before them
    int64_t item, item_step; // of the block: the first, and from one to the next
    int64_t later; // `before` of a piece some pieces on
};

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
