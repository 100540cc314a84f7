/*
 * read.h - a box of a grid into memory.
 *
 * Any number of threads may read one grid at once. Each call is a job of its own (fetch.h): its
 * workers write to dst without a lock, each item once, as no item is in two blocks.
 *
 * A box that meets few blocks asks the cache about each of them, once. What is there is copied by
 * the calling thread: such a read is done before another thread would have woken up. Blocks that
 * wait to be written back are found like all others: the answer is what the array holds, which the
 * frame may not have yet.
 */
#ifndef GRID_READ_READ_H
#define GRID_READ_READ_H

#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/grid.h"

// The box is inside the shape.
tess_status grid_read(const struct chunk_grid *grid, const struct box *box,
                      const struct box_memory *dst, struct watch *watch, tess_error *err);

enum { READ_FEW = 64 }; // blocks of a box

// A read that has begun. It belongs to one thread at a time, and refers to dst.
struct grid_reading {
    const struct chunk_grid *grid;
    const struct box_memory *dst;
    struct watch *watch; // NULL: none yet
    int64_t hit_nbytes; // of blocks that are placed
    bool few; // at most READ_FEW blocks, of which some may be cached
    bool inside; // the gate of the grid was entered
    bool more; // `chunks` stands on a chunk
    bool asked; // of that chunk, `placed` is known
    uint64_t placed; // of its wanted blocks: bit i for the i-th one
    struct walk chunks;
    int nbegun;
    struct chunk_begun {
        int64_t n;
        uint64_t placed;
    } begun[READ_FEW]; // chunks of few blocks that the engine has
};

/*
 * The same in two steps: of an array that is not plain, what is cached, without looking at the
 * frame and without a cancellation point; true: that was all. Else the rest has to be read.
 * Meanwhile nothing changes the grid.
 */
bool grid_read_begin(struct grid_reading *r, const struct chunk_grid *grid, const struct box *box,
                     const struct box_memory *dst);
tess_status grid_read_rest(struct grid_reading *r, struct watch *watch, tess_error *err);

#endif
