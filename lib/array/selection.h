/*
 * selection.h - chosen items of an array, sorted by the chunk and block they are in.
 *
 * Three kinds: points; lists of indices per axis whose combinations are meant; and a box of which a
 * mask chooses. The caller's memory holds the items in the order in which they were chosen; `at`
 * counts items there. Chunks and blocks of a selection are found by number, so that any thread may
 * start anywhere:
 *
 *     struct part chunk, block;
 *     for (more = selection_chunk(s, 0, &chunk); more; ... chunk.n + 1 ...)
 *         for (more = selection_block(s, &chunk, 0, &block); more; ... block.n + 1 ...)
 *             for (picks_begin(s, &block, &p); picks_next(&p);)
 *                 ... p.list[0 .. p.n) ...
 *
 * The picks of a block come in an order that leaves the item chosen last for the last.
 *
 * Where chunks are no grids of blocks (linear and plain arrays) each counts as one block that holds
 * the items in order.
 */
#ifndef ARRAY_SELECTION_H
#define ARRAY_SELECTION_H

#include "array/array.h"

// A chosen point; sorted by chunk and block (and item, where there are no blocks).
struct point {
    int64_t chunk;
    int32_t block;
    int32_t item; // of the block
    int64_t at;
};

// Indices of an axis that follow each other in a block, and in the caller's list; sorted.
struct axis_pick {
    int64_t chunk, block, item; // coordinates along the axis
    int64_t at; // of the list
    int64_t length; // more than 1 only on the last axis
};
struct axis {
    struct axis_pick *picks;
    int64_t n;
    int64_t at_step; // items of the caller from one entry of the list to the next
    int64_t item_step; // items of a block from one item to the next along the axis
};

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

struct selection {
    const tess_array *a;
    int64_t cell[NDIM_MAX]; // what counts as a block
    int64_t cells[NDIM_MAX]; // in a chunk
    int64_t nblocks; // that the selection meets, of all chunks
    struct point *points; // NULL: axes
    int64_t npoints;
    struct axis axis[NDIM_MAX];
    struct mask_index *mask; // NULL: all combinations
    // Axes: new ones of a view, along which the same items are chosen again and again.
    int nnew;
    int64_t copies[NDIM_MAX], copy_step[NDIM_MAX];
    int64_t ncopies; // in all, >= 1
};

// Every index lies inside the shape, and there are some. On failure *s is empty. What is chosen of
// a view is a selection of its base.
tess_status selection_of_points(struct selection *s, const tess_array *a, int64_t npoints,
                                const int64_t *coords, tess_error *err);
tess_status selection_of_axes(struct selection *s, const tess_array *a, const int64_t *counts,
                              const int64_t *const *indices, tess_error *err);
// Of the box from start to stop along the first `ndim` axes, and of all along the others; it has
// items, but maybe none is chosen. `bytes` stay until the end.
tess_status selection_of_mask(struct selection *s, const tess_array *a, int ndim,
                              const int64_t *start, const int64_t *stop, const uint8_t *bytes,
                              tess_error *err);
// For those who make one: nothing of an array that is no view.
void selection_begin(struct selection *s, const tess_array *a);
void selection_finish(struct selection *s); // zeroed: fine

// select_read.c, select_write.c: the items of a selection that has some. The array is no view.
// `same` is for masks: src has one item for all.
tess_status selection_read(const struct selection *s, uint8_t *dst, struct watch *watch,
                           tess_error *err);
tess_status selection_write(tess_array *a, const struct selection *s, const uint8_t *src, bool same,
                            struct watch *watch, tess_error *err);

// Where copy n < ncopies of the chosen items begins, in items of the caller.
int64_t selection_copy(const struct selection *s, int64_t n);

// The part of a selection that is in a chunk, or in a block of one.
struct part {
    int64_t n; // number of the chunk, or of the block in it
    int64_t first[NDIM_MAX], stop[NDIM_MAX]; // picks per axis; points: [0] only
};

// The first chunk from number n on that is met; false: there is none.
bool selection_chunk(const struct selection *s, int64_t n, struct part *chunk);
// The same for blocks of a chunk.
bool selection_block(const struct selection *s, const struct part *chunk, int64_t n,
                     struct part *block);

// Items of a block: all that are chosen lie in [first, stop).
struct reach {
    int64_t first, stop;
    int64_t npicks; // runs of items
};
struct reach selection_reach(const struct selection *s, const struct part *block);

// selection_mask.c: whether anything is chosen; all items that a block has room for are.
bool mask_meets_chunk(const struct selection *s, const struct part *chunk);
bool mask_meets_block(const struct selection *s, const struct part *block);
bool mask_fills_block(const struct selection *s, const struct part *block);
struct reach mask_reach(const struct selection *s, const struct part *block);

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

// Chosen items that follow each other in the block and in the caller's memory.
struct pick {
    int64_t item;
    int64_t at;
    int64_t length;
};

enum { PICKS_MAX = 64 };

struct picks {
    const struct selection *s;
    const struct part *block;
    bool more;
    int64_t now[NDIM_MAX]; // the next pick, per axis
    struct mask_rows rows; // masks: the next pick is at byte k, of which `left` are chosen
    int64_t k, left;
    int64_t n;
    struct pick list[PICKS_MAX];
};

void picks_begin(struct picks *p, const struct selection *s, const struct part *block);
bool picks_next(struct picks *p); // some more in p->list; false: that was all
void mask_picks_next(struct picks *p); // the same for masks

#endif
