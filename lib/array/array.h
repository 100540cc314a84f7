/*
 * array.h - an array: a frame whose chunks are the cells of a grid.
 *
 * How a read goes: geom says which chunks and blocks the box meets; frame finds a chunk and reads
 * its table; chunk decodes one block into scratch memory; place.c puts the items where they belong.
 * No memory of the size of a chunk is needed. A write goes the other way (store.h) and stores whole
 * chunks, in which blocks that were not touched are copied as they stand.
 */
#ifndef ARRAY_ARRAY_H
#define ARRAY_ARRAY_H

#include "array/pool.h"
#include "chunk/decode.h"
#include "chunk/encode.h"
#include "geom/shape.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/path.h"
#include "io/sidecar.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "task/watch.h"

#include <tessera/array.h>
#include <tessera/select.h>

#include <stdatomic.h>

struct cache;
struct frame;
struct frame_header;
struct frame_options;
struct mask;
struct sources;
struct store;
struct view;
struct visits;

struct tess_array {
    struct frame *frame;
    int64_t offset; // of the frame in its file
    struct geometry g;
    struct block_grid grid; // of g
    struct ndlayer nd; // dtype; shapes are in g
    const char *layer; // "b2nd", "caterva", or NULL
    uint8_t *fill; // the item that growth shows; NULL: zeros
    struct plugins plugins; // of the program
    bool linear; // chunks hold their items in C order, without a grid of blocks
    bool plain; // no N-dimensional layer: one dimension
    int64_t *chunk_starts; // plain, chunks of different sizes: where each begins; and the end
    struct chunk_encoder encoder; // for new chunks; writable arrays only
    struct pool *pool;
    struct visits *visits; // chunks opened last
    struct cache *cache; // decoded blocks
    struct store *store; // what writing keeps from call to call; NULL: nothing yet
    tess_context context;
    char *path; // where to look for newer states; NULL: there are none but its own
    bool mapped;

    struct view *view; // NULL: no view. What is above is the base's, or empty, but for g, nd, fill.
    atomic_int users; // the handle, and the views of the array
    int64_t moved; // how often its items were moved to other indices, or lost
    bool discarded; // its views may not be used any more
};

// array.c
tess_array *array_new(void); // held once
void array_hold(tess_array *a);
void array_free(tess_array *a); // lets go, without a commit; NULL, half-built: fine
// Let the frame's chunks know the shape of their blocks.
void array_set_grid(tess_array *a);
// Set up what new chunks are encoded with, from frame header and geometry.
tess_status array_prepare_encoder(tess_array *a, const struct frame_header *h, tess_error *err);

// Set up what calls share: scratch memory and chunks opened last, for the frame; and decoded
// blocks, for the geometry.
tess_status array_prepare_memory(tess_array *a, tess_error *err);
tess_status array_prepare_cache(tess_array *a, tess_error *err);

// Watch a call that is about so many items (task/watch.h).
void array_watch(struct watch *w, const tess_array *a, int64_t nitems);

// What the frame is told of the storage. The array keeps the plugins.
tess_status array_take_options(tess_array *a, const tess_storage *storage,
                               struct frame_options *options, tess_error *err);

#endif
