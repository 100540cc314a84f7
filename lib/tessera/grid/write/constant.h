/*
 * constant.h - boxes that are one item again and again, known without decoding.
 *
 * Whether a chunk that is written becomes a special one is decided in rewrite.c.
 *
 * A special chunk stands for any number of equal items in no space. What moves, copies or sets the
 * items of a box asks here first, so that constants stay constants, at a cost that follows the
 * number of chunks, or less: a list that is one entry again and again is looked at once.
 *
 * Threads: constant_box() may be asked by any number at once, inside the gate; constant_set_all()
 * and constant_put() change the frame, and require that the gate is closed, or exclusive access. A
 * struct constant does not change once it is made. There are no locks here; those of open_chunks.h
 * and cache.h are taken and released inside.
 *
 * Dirty blocks are newer than the chunks, and constant_box() looks at chunks alone: while there is
 * any dirty block, the answer is that the box is not known to be constant.
 */
#ifndef GRID_WRITE_CONSTANT_H
#define GRID_WRITE_CONSTANT_H

#include "grid/grid.h"

struct frame_staged;
struct watch;

// The special value that an item is, if it is one without bytes of its own; else SPECIAL_VALUE.
enum chunk_special constant_special(const uint8_t *item, int32_t typesize);

// The item that a chunk is, again and again; false if it is none.
bool constant_chunk(const struct chunk *c, int32_t typesize, uint8_t *item);

enum constant_look {
    CONSTANT_LISTED, // at the list of chunks: zeros, NaNs, and what was never written
    CONSTANT_STORED, // at stored chunks too, up to the first that is something else
};

/*
 * Whether a box with items is one item again and again, as its chunks say. Then *item, of
 * typesize bytes, is that. Never while blocks wait to be written back. watch: of the call; NULL:
 * none.
 */
tess_status constant_box(const struct chunk_grid *grid, const struct box *box,
                         enum constant_look look, struct watch *watch, uint8_t *item, bool *is,
                         tess_error *err);

/*
 * As part of a change: set a box to one item where that is one step, because all of the array is,
 * or becomes, that item. *done: it was; else nothing happened. No block of the box is dirty.
 */
tess_status constant_set_all(struct chunk_grid *grid, const struct box *box, const uint8_t *item,
                             bool *done, tess_error *err);

// A chunk that is one item, made once and put any number of times.
struct constant {
    enum chunk_special special;
    uint8_t *bytes; // SPECIAL_VALUE; owned
    int32_t size;
};

// Whether chunk n is one item again and again where all items that are written are that one: its
// padding may have to be zeros.
bool constant_is_chunk(const struct chunk_grid *grid, const uint8_t *item, int64_t n);
// Whether such a chunk is known to be the smallest. A wide item may take less in few blocks: with
// LZ4, one block of a constant takes some 30 bytes.
bool constant_pays(const uint8_t *item, const struct geometry *g);
tess_status constant_init(struct constant *c, const struct chunk_grid *grid, const uint8_t *item,
                          tess_error *err);
void constant_finish(struct constant *c); // zeroed: fine
tess_status constant_put(struct chunk_grid *grid, struct frame_staged *staged, int64_t n,
                         const struct constant *c, tess_error *err);

#endif
