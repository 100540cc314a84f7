/*
 * selection.h - chosen items of an array, sorted by the chunk and block they are in.
 *
 * Kinds have a file each: points (points.h); lists of indices per axis whose
 * combinations are meant (orthogonal.h); a box of which a mask chooses (masked.h); and many boxes
 * (boxes.h). Each is a table of functions here: gather and scatter do not know the kind of a
 * selection. The
 * caller's memory holds the items in the order in which they were chosen; `at` counts items there.
 * Chunks and blocks of a selection are found by number, so that any thread may start anywhere:
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
#include "grid/grid.h"
#include "select/mask_copy.h"

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

struct selection {
    const struct selection_kind *kind; // NULL: empty
    const struct chunk_grid *grid;
    int64_t cell[NDIM_MAX]; // what counts as a block
    int64_t cells[NDIM_MAX]; // in a chunk
    int64_t nblocks; // that the selection meets, of all chunks
    void *own; // of kinds that have a sorted list (cells.h), freed by their finish()
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

#endif
