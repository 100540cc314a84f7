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
#include "chunk/encode.h"
#include "frame/frame.h"
#include "geom/shape.h"
#include "io/folder.h"
#include "meta/ndlayer.h"
#include "task/watch.h"

#include <tessera/array.h>
#include <tessera/select.h>

#include <stdatomic.h>

struct cache;
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

// Memory with arbitrary strides, in bytes, that stands for a box: they may be negative, and 0 where
// it is read. The first item of the box is at `items`.
struct strided {
    uint8_t *items;
    int64_t stride[NDIM_MAX];
};
struct strided_const {
    const uint8_t *items;
    int64_t stride[NDIM_MAX];
};

// Where an array lives: a file or memory, or the directory of a sparse frame. One is NULL.
struct home {
    struct io *io;
    struct folder *folder;
    struct sidecar *sidecar; // its lock file; NULL: none
    struct io_path *path; // of what is written; NULL: none
    int64_t offset; // of the frame in its file; the io starts there
};

// array.c
void home_close(const struct home *home); // of an array that was not made
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

// open.c, create.c: the home belongs to the array from here on, also after a failure.
tess_status array_open(const struct home *home, const tess_storage *storage, tess_array **a,
                       tess_error *err);

// refresh.c: a, open for reading, becomes what another one is, which ends. Its views stay what they
// are if that has all their items, in the same layout; else they may not be used any more.
void array_replace_state(tess_array *a, tess_array *newest);

// What the items of a new array are.
struct array_content {
    enum chunk_special special; // SPECIAL_NONE: from src, or sources
    const struct sources *sources; // array/sources.h; the first one's attributes come with it
    const uint8_t *item; // SPECIAL_VALUE
    const void *src; // C order
};
tess_status array_create(const struct home *home, const tess_storage *storage,
                         const tess_params *params, const struct array_content *content,
                         tess_array **a, tess_error *err);

// plain.c: frames without an N-dimensional layer.
tess_status plain_open(tess_array *a, tess_error *err);
int64_t plain_chunk_start(const tess_array *a, int64_t n); // in bytes; n = nchunks: the end
int64_t plain_chunk_at(const tess_array *a, int64_t at); // the one that holds that byte
// The items start, start + step, ... before stop, each `stride` bytes behind the one before.
tess_status plain_read(const tess_array *a, int64_t start, int64_t stop, int64_t step, uint8_t *dst,
                       int64_t stride, struct watch *watch, tess_error *err);

/*
 * From here on to array_commit(), arrays may be views.
 *
 * A box, here and below, is inside the shape. With `step` it is every step[i]-th item along an axis
 * (>= 1), from start[i] to stop[i] - 1, which is one of them; NULL: every item.
 */

// read.c
tess_status array_read(const tess_array *a, const int64_t *start, const int64_t *stop,
                       const int64_t *step, const struct strided *dst, struct watch *watch,
                       tess_error *err);

// select_read.c: what is chosen lies inside the shape, and there is something. dst receives the
// items one after the other.
tess_status array_get_points(const tess_array *a, int64_t npoints, const int64_t *coords,
                             uint8_t *dst, struct watch *watch, tess_error *err);
tess_status array_get_orthogonal(const tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, uint8_t *dst, struct watch *watch,
                                 tess_error *err);

// write.c: as one change of the frame, begun and ended by the caller.
tess_status array_write(tess_array *a, const int64_t *start, const int64_t *stop,
                        const int64_t *step, const struct strided_const *src, struct watch *watch,
                        tess_error *err);

// write.c: one item to parts of a box: those in the chunks, counted in C order, that are wanted.
tess_status array_write_some(tess_array *a, const int64_t *start, const int64_t *stop,
                             const uint8_t *item, const bool *wanted, struct watch *watch,
                             tess_error *err);
// The same with zeros, where no item will be any more. Chunks that are one item again and again
// stay.
tess_status array_write_padding(tess_array *a, const int64_t *start, const int64_t *stop,
                                struct watch *watch, tess_error *err);

// select_write.c: the same for what is chosen, as for reading; of an item that is chosen more than
// once, the last value stays.
tess_status array_set_points(tess_array *a, int64_t npoints, const int64_t *coords,
                             const uint8_t *src, struct watch *watch, tess_error *err);
tess_status array_set_orthogonal(tess_array *a, const int64_t *counts,
                                 const int64_t *const *indices, const uint8_t *src,
                                 struct watch *watch, tess_error *err);

// update.c: what a caller does as one. Small writes may wait in the cache; held_write_back() brings
// them to the frame, array_commit() does that, too.
tess_status array_update_box(tess_array *a, const int64_t *start, const int64_t *stop,
                             const int64_t *step, const struct strided_const *src,
                             struct watch *watch, tess_error *err);
// Another shape; src: the items from `start` to the new shape's end. NULL: the fill value.
tess_status array_update_shape(tess_array *a, const int64_t *shape, const int64_t *start,
                               const struct strided_const *src, struct watch *watch,
                               tess_error *err);
tess_status array_update_points(tess_array *a, int64_t npoints, const int64_t *coords,
                                const uint8_t *src, struct watch *watch, tess_error *err);
tess_status array_update_orthogonal(tess_array *a, const int64_t *counts,
                                    const int64_t *const *indices, const uint8_t *src,
                                    struct watch *watch, tess_error *err);
tess_status array_update_mask(tess_array *a, struct mask *mask, const uint8_t *src, bool same,
                              struct watch *watch, tess_error *err);
// A new array gets its name with it, if it has none yet.
tess_status array_commit(tess_array *a, tess_error *err);

// All was committed, and the array is freed next: make its file shorter, if that is worth it and no
// view needs it.
void array_shorten(tess_array *a);

// resize.c: another grid and shape, as part of a change of the frame; items that come into sight
// are what they are. Chunk rows along one axis may move, too: `gone` of them fall out from the row
// `first` on, those behind go `by` rows on. NULL: none. New chunks show the fill value where that
// is zeros or NaNs, else zeros.
struct row_move {
    int axis;
    int64_t first, gone, by;
};
tess_status array_reshape(tess_array *a, const int64_t *shape, const struct row_move *move,
                          tess_error *err);
// Whether chunks keep their numbers and none is lost.
bool array_grows_at_end(const tess_array *a, const int64_t *shape);

// To undo it, together with frame_undo(). Saved before the change.
struct saved_shape {
    struct geometry g;
    uint8_t *layer; // content of the N-dimensional layer; NULL: nothing saved
};
tess_status array_shape_save(const tess_array *a, struct saved_shape *saved, tess_error *err);
void array_shape_undo(tess_array *a, struct saved_shape *saved);

// update.c: the same around a change of the frame that gives an array another shape. Nothing waits
// in the cache, or the change is a growth at the end. `moves`: it is none. End undoes the change if
// st is no success, and returns it.
tess_status array_change_begin(tess_array *a, struct saved_shape *saved, tess_error *err);
tess_status array_change_end(tess_array *a, struct saved_shape *saved, bool moves, tess_status st,
                             tess_error *err);

// fill.c: the item that growth shows; NULL or zeros: zeros. From the metalayer, for an open frame.
tess_status array_set_fill(tess_array *a, const uint8_t *item, tess_error *err);
tess_status array_load_fill(tess_array *a, tess_error *err);
// Whether a fixed metalayer is the one that holds the fill value: tess_info.fill shows it, lists of
// metalayers do not. In a plain frame, which has no fill value, the name means nothing.
bool array_is_fill_layer(const tess_array *a, const struct layer *layer);
// The fill value as a list's entry for chunks that are not stored; zeros if it is none.
enum chunk_special array_fill_special(const tess_array *a);
// As part of a change: items of a box become the fill value; or all that array_reshape() brought
// into sight at the ends of the axes.
tess_status array_fill_box(tess_array *a, const int64_t *start, const int64_t *stop,
                           struct watch *watch, tess_error *err);
tess_status array_fill_grown(tess_array *a, const struct geometry *before, struct watch *watch,
                             tess_error *err);

#endif
