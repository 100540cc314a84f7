/*
 * grid.h - the chunks of a frame as the cells of a grid: what is decoded of them, and how.
 *
 * How a read goes: geom says which chunks and blocks a box meets; frame finds a chunk and reads its
 * table; chunk decodes one block into scratch memory; place.c puts the items where they belong. No
 * memory of the size of a chunk is needed. A write goes the other way (store.h) and stores whole
 * chunks, in which blocks that were not touched are copied as they stand.
 *
 * Views, types of items and names of layers are not known here; the module array knows them.
 *
 * Any number of threads may read a grid and write to it at once. Calls that change its shape, its
 * frame or its list of chunks as a whole require exclusive access, which the caller of the library
 * grants (tessera/array.h).
 *
 *   turns   calls that write to the same chunk wait for each other, from the first look at the old
 *           content to the end (turns.h)
 *   gate    what looks at frame or cache is inside; what changes them is alone (task/gate.h).
 * Nothing is encoded while the gate is closed.
 *
 * A call takes its turn before it enters or closes the gate. A chunk that a call has stored gets
 * into the list with all others of the call, at its end (frame/commit/change.h): a read sees each
 * chunk as it was before or after the call. It leaves the gate between chunks at most.
 *
 * By member: open_chunks has a mutex per slot (open_chunks.h); cache has a mutex per shard and one
 * for admission, what is dirty changes while the gate is closed (cache.h); pool has atomic slots
 * and no lock (pool.h). The frame's list and bytes change while the gate is closed. encoder and
 * plugins do not change after opening, so that any number of workers encode with them. g,
 * block_grid and chunk_starts change with exclusive access. store is taken by the call that writes,
 * and given back (store.h).
 */
#ifndef GRID_GRID_H
#define GRID_GRID_H

#include "chunk/encode/encode.h"
#include "geom/shape.h"
#include "task/task.h"

#include <tessera/context.h>

struct cache;
struct expected_chunks;
struct frame;
struct frame_header;
struct gate;
struct open_chunks;
struct pool;
struct store;
struct turns;
struct watch;

struct chunk_grid {
    struct frame *frame; // owned
    struct geometry g;
    struct block_grid block_grid; // of g
    bool linear; // chunks hold their items in C order, without a grid of blocks
    bool plain; // no N-dimensional layer: one dimension
    bool zero_padding; // of chunks whose items are all one value (tess_storage)
    int64_t *chunk_starts; // plain, chunks of different sizes: where each begins; and the end
    struct plugins plugins; // of the program
    const tess_context *context; // of the handle that owns the grid
    struct chunk_encoder encoder; // for new chunks; writable frames only
    struct pool *pool;
    struct open_chunks *open_chunks; // opened last
    struct expected_chunks *expected; // opened for reads to come; NULL: never, it is near
    struct cache *cache; // decoded blocks
    struct gate *gate; // what reads is inside, what changes is alone; NULL: nothing ever changes
    struct turns *turns; // of calls that write; NULL: as gate
    _Atomic(struct store *) store; // what writing keeps from call to call; NULL: nothing, or in use
};

struct chunk_grid *chunk_grid_new(void); // zeros; NULL: no memory
void chunk_grid_free(
    struct chunk_grid *grid); // closes the frame without a commit; NULL, half-built: fine

// Let the frame's chunks know the shape of their blocks.
void chunk_grid_tell_frame(struct chunk_grid *grid);

// Set up what new chunks are encoded with, from frame header and geometry.
tess_status chunk_grid_prepare_encoder(struct chunk_grid *grid, const struct frame_header *h,
                                       tess_error *err);
// Set up what calls share: scratch memory and chunks opened last, for the frame; and decoded
// blocks, for the geometry.
tess_status chunk_grid_prepare_memory(struct chunk_grid *grid, tess_error *err);
tess_status chunk_grid_prepare_cache(struct chunk_grid *grid, tess_error *err);

// Another budget for decoded blocks (tess_context.cache). None is dirty; all are decoded again.
tess_status chunk_grid_set_cache(struct chunk_grid *grid, int64_t budget, tess_error *err);

// A job on the grid, of its context's threads: also one that a view began, whatever its own context
// says. cost, watch: as in struct task_width.
static inline struct task_width
chunk_grid_width(const struct chunk_grid *grid, int64_t cost, struct watch *watch)
{
    return (struct task_width){
        .threads = grid->context->threads,
        .executor = grid->context->executor,
        .cost = cost,
        .watch = watch,
    };
}

// What decoding so many bytes of its items costs (cost.h).
int64_t chunk_grid_decode_cost(const struct chunk_grid *grid, int64_t nbytes);

// Exchange what the two hold, but for encoder, plugins, context, gate, turns and store. Pointers to
// the grids, their frames and geometries stay valid, and show what the other one had.
void chunk_grid_exchange(struct chunk_grid *x, struct chunk_grid *y);

#endif
