/*
 * selection.h - chosen items of an array, sorted by the chunk and block they are in.
 *
 * Kinds have a file each: points.c; lists of indices per axis whose combinations are meant
 * (orthogonal.c); a box of which a mask chooses (masked.c); and many boxes (boxes.c). Each is a
 * table of functions here: gather and scatter do not know the kind of a selection. The caller's
 * memory holds the items in the order in which they were chosen; `at` counts items there. Chunks
 * and blocks of a selection are found by number, so that any thread may start anywhere:
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
 *
 * Threads: a selection does not change once it is made; any number may ask it.
 */
#ifndef SELECT_SELECTION_H
#define SELECT_SELECTION_H

#include "chunk/decode.h"
#include "geom/index_map.h"
#include "grid/grid.h"

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

/*
 * Boxes, and where in the caller's memory their items are. Along an axis, box i has the items
 * start + k * step for 0 <= k < count, each `stride` items behind the one before in the caller's
 * memory, or before it if the box is turned along that axis.
 */
struct box_list {
    int64_t n;
    int64_t step[NDIM_MAX]; // > 0; with stride, the same for all boxes
    int64_t stride[NDIM_MAX]; // items, >= 0
    // Of each box; all of them inside the grid. Not owned by the selection.
    int64_t *start; // n * ndim
    int64_t *count; // n * ndim, > 0
    int64_t *at; // n: where the item at `start` is, in items; -1: nothing of the box is chosen
    uint16_t *turned; // n: a bit for each axis
};

_Static_assert(NDIM_MAX <= 16, "a bit for each axis must fit");

struct selection {
    const struct selection_kind *kind; // NULL: empty
    const struct chunk_grid *grid;
    int64_t cell[NDIM_MAX]; // what counts as a block
    int64_t cells[NDIM_MAX]; // in a chunk
    int64_t nblocks; // that the selection meets, of all chunks
    void *own; // of kinds that have a sorted list (private.h), freed by their finish()
    int64_t nown;
    const struct box_list *boxes; // boxes; not owned
    // Of kinds that choose along axes (orthogonal, masks):
    struct axis axis[NDIM_MAX];
    struct mask_index *mask;
    // Axes that are new in a view, along which the same items are chosen again and again.
    int nnew;
    int64_t copies[NDIM_MAX], copy_step[NDIM_MAX];
    int64_t ncopies; // in all, >= 1
};

// The part of a selection that is in a chunk, or in a block of one.
struct part {
    int64_t n; // number of the chunk, or of the block in it
    int64_t first[NDIM_MAX], stop[NDIM_MAX]; // picks per axis; sorted lists: [0] only
};

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

// Items of a block: all that are chosen lie in [first, stop).
struct reach {
    int64_t first, stop;
    int64_t npicks; // runs of items
};

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
    int64_t k, left; // boxes: the next pick is of entry k of the list
    int64_t n;
    struct pick list[PICKS_MAX];
};

// What differs between the kinds; the first five as the functions below that have their names.
struct selection_kind {
    bool (*chunk)(const struct selection *s, int64_t n, struct part *chunk);
    bool (*block)(const struct selection *s, const struct part *chunk, int64_t n,
                  struct part *block);
    struct reach (*reach)(const struct selection *s, const struct part *block);
    void (*picks_begin)(struct picks *p); // s, block and `more` are set
    void (*picks_next)(struct picks *p); // p->more: there may be some; p->n is 0
    void (*finish)(struct selection *s); // frees what the kind has

    // Shortcuts, each may be NULL: all is done with picks then.
    // Whether all items that a block has room for are chosen.
    bool (*fills_block)(const struct selection *s, const struct part *block);
    // What `gather` needs of a block; *whole: as for a reader (grid/read/fetch.h). NULL: what
    // take_picks() needs.
    struct block_need (*need)(const struct selection *s, const struct part *block, bool *whole);
    // The chosen items of a block, where they belong in dst, of which no other byte is touched;
    // false: not from such a block, nothing is done.
    bool (*gather)(const struct selection *s, const struct part *part, const struct decoded *block,
                   uint8_t *dst);
    // The other way round. `same`: src is one item for all, which only masks have.
    void (*scatter)(const struct selection *s, const struct part *part, uint8_t *items,
                    const uint8_t *src, bool same);
};

// For a kind: an empty selection of a grid.
void selection_begin(struct selection *s, const struct selection_kind *kind,
                     const struct chunk_grid *grid);
void selection_finish(struct selection *s); // zeroed: fine

// Where along an axis an index is.
struct place {
    int64_t chunk, block, item;
};
struct place selection_locate(const struct selection *s, int axis, int64_t index);

// Where copy n < ncopies of the chosen items begins, in items of the caller.
int64_t selection_copy(const struct selection *s, int64_t n);

// The first chunk from number n on that is met; false: there is none.
bool selection_chunk(const struct selection *s, int64_t n, struct part *chunk);
// The same for blocks of a chunk.
bool selection_block(const struct selection *s, const struct part *chunk, int64_t n,
                     struct part *block);
struct reach selection_reach(const struct selection *s, const struct part *block);
// Whether all items that a block has room for are chosen, if that is known.
bool selection_fills_block(const struct selection *s, const struct part *block);

void picks_begin(struct picks *p, const struct selection *s, const struct part *block);
bool picks_next(struct picks *p); // some more in p->list; false: that was all

// -- the kinds; on failure *s is empty

// `coords` has npoints times map->ndim indices of the view; each lies inside its shape, and there
// are some points.
tess_status selection_of_points(struct selection *s, const struct chunk_grid *grid,
                                const struct index_map *map, int64_t npoints, const int64_t *coords,
                                tess_error *err);

// For each axis of the view counts[i] >= 1 indices; each lies inside the view's shape.
tess_status selection_of_axes(struct selection *s, const struct chunk_grid *grid,
                              const struct index_map *map, const int64_t *counts,
                              const int64_t *const *indices, tess_error *err);

// Of a box without steps along the first `ndim` axes of a view of this shape, and of all along its
// other axes. The box has items, but maybe none is chosen. `bytes`, one for each index of
// the box, in C order, stay until the selection is finished.
tess_status selection_of_mask(struct selection *s, const struct chunk_grid *grid,
                              const struct index_map *map, const int64_t *shape, int ndim,
                              const struct box *box, const uint8_t *bytes, tess_error *err);

// The list stays until the selection is finished. Of an item that is in several boxes, the last box
// counts.
tess_status selection_of_boxes(struct selection *s, const struct chunk_grid *grid,
                               const struct box_list *boxes, tess_error *err);

#endif
