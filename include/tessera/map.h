/**
 * @file map.h
 * Apply a function to boxes of several arrays in step, on many threads.
 *
 * The library divides the arrays into boxes, reads the box of each input, calls a function of the
 * program with all of them, and stores what it made of the box of each output. This is what NumPy
 * does with nditer, and Dask with map_blocks and map_overlap.
 *
 *     static tess_each_next
 *     add(const tess_map_part *part, void *user) { ... return TESS_EACH_NEXT; }
 *
 *     const tess_array *inputs[] = {a, b};
 *     tess_array *outputs[] = {c};
 *     tess_map(inputs, 2, outputs, 1, NULL, NULL, NULL, add, NULL, &err);
 *
 * Shapes. Inputs are broadcast as in NumPy: an input may have fewer dimensions than the others
 * (its axes are the last ones), and an axis of length 1 stands for any number of equal layers.
 * Outputs all have one shape, which is that of the boxes; without outputs it is that to which the
 * inputs broadcast.
 *
 * Memory. The items of all boxes that are in work take at most tess_context.memory. Boxes are whole
 * chunks of the outputs where that is enough, so that each chunk is encoded once, and small
 * where that costs nothing. Blocks of an input at the borders of boxes are decoded once for each of
 * these boxes, as far as the block cache does not have them: no block is decoded twice if the grids
 * of the arrays fit together and there is no halo. Otherwise boxes get larger, up to an eighth of
 * the memory. Two cubes of 400^3 floats with chunks of 64^3 and blocks of 32^3, added to one with
 * chunks of 100^3: 1.7 times their items are decoded, with 128^3 and 64^3 it is 2.5 times; with the
 * chunks of the library and a halo of one item, 1.5 times.
 *
 * Which boxes there are depends on the arrays and tess_context.memory, not on threads.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads
 * and commits. Example: test/examples/map.c.
 */
#ifndef TESSERA_MAP_H
#define TESSERA_MAP_H

#include "tessera/array.h"
#include "tessera/boxes.h"
#include "tessera/iterate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most inputs of a call, and most outputs. */
#define TESS_MAP_MAX_ARRAYS 32

/**
 * A box of several arrays, of at least one item. It belongs to the library, with all it points to,
 * and is valid until the function returns.
 */
typedef struct tess_map_part {
    int ndim; /**< dimensions of the outputs, or of what the inputs broadcast to */
    int64_t start[TESS_MAX_NDIM]; /**< index of the first item per axis, the same for all arrays */
    int64_t stop[TESS_MAX_NDIM]; /**< one past the index of the last item; more than start */
    int64_t nitems; /**< prod(stop - start) */
    int ninputs; /**< length of inputs and input_strides */
    int noutputs; /**< length of outputs */
    /**
     * For each input, its item at `start`, aligned as items of its type need it, in the byte order
     * of the array; with tess_map_options.input_dtypes, of that type.
     */
    const void *const *inputs;
    /**
     * For each input, bytes from an item to the next along each of the ndim axes; 0 along an axis
     * that is broadcast. Without axes that are broadcast and without a halo, the items are in C
     * order without gaps. With a halo, also items before `start` and behind `stop` may be read, as
     * many as tess_map_options.halo says, along axes whose stride is not 0.
     */
    const int64_t *const *input_strides;
    /**
     * For each output, memory for the items of the box in C order without gaps, aligned as theirs
     * need it: undefined at first, and all of it to be filled. It overlaps no input.
     */
    void *const *outputs;
} tess_map_part;

/**
 * Computes the outputs of a box; `user` is the argument of tess_map(). Runs on several threads at
 * once, each with another box. It may read the arrays of the call, which are as they were before
 * it; it must not change them, nor close them. Otherwise as tess_each_fn.
 *
 * @return TESS_EACH_NEXT or TESS_EACH_CHANGED: continue, the outputs of the box are stored;
 *         TESS_EACH_STOP: no further box is started, the outputs of this one are not stored, those
 *         of boxes that were finished are, and the call returns TESS_OK; TESS_EACH_FAIL: no further
 *         box is started, nothing is stored, and the call returns TESS_ERR_CANCELLED.
 */
typedef tess_each_next tess_map_fn(const tess_map_part *part, void *user);

/** Options of tess_map(). Initialise with tess_map_options_init(). */
typedef struct tess_map_options {
    size_t struct_size; /**< set by tess_map_options_init() */
    /**
     * How many items of each input are needed before and behind a box, per axis of the boxes, >= 0:
     * as many values as there are axes. Axes along which an input is broadcast have no
     * halo. NULL (default): none.
     */
    const int64_t *halo;
    /**
     * What the halo shows past the edges of an input, as in tess_edge. With TESS_EDGE_ERROR
     * (default), start - halo and stop + halo must lie inside the shape.
     */
    int edge;
    int reserved; /**< 0 */
    /**
     * TESS_EDGE_FILL: for each input one item in its type and byte order, or NULL for its fill
     * value; ninputs pointers. NULL (default): the fill values of the inputs.
     */
    const void *const *fills;
    /**
     * For each input the type that its items are converted to, as by tess_array_read_as() without
     * options: an item that does not fit is TESS_ERR_LIMIT. An entry that is NULL: as they are.
     * ninputs strings. NULL (default): all as they are.
     */
    const char *const *input_dtypes;
} tess_map_options;

/**
 * Fill *options with the defaults.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_map_options).
 */
TESS_API void tess_map_options_init_sized(tess_map_options *options, size_t struct_size);
/** For programs in C and C++: tess_map_options_init_sized() with the size of their struct. */
#define tess_map_options_init(options) \
    tess_map_options_init_sized((options), sizeof(tess_map_options))

/**
 * Call a function with boxes of several arrays, and store what it computes.
 *
 * An array may be input and output at once, also as different views, and with a halo: all inputs
 * show what the arrays had before the call. Without outputs, the call is a reduction into `user`,
 * which the function guards itself.
 *
 * Each output changes in one step at the end of the call. Until then all readers see what it had,
 * and calls that write to other chunks of it run at the same time; those that write to the
 * same chunks wait, as for any write. After a failure, or if the program cancels the call, all
 * outputs are as they were; a commit has all of the call or nothing of it, for each output.
 * Chunks take space in the file, or in memory, twice until the next commit.
 *
 * Threads: the smallest tess_context.threads of all arrays that is not 0. Reading and storing the
 * box of an array also uses the threads of its own context. Memory, progress and executor: of the
 * first output; without outputs, of the first input. If not even one chunk of all outputs with the boxes
 * of the inputs fits in memory, or the chunks of several outputs have no borders in common,
 * boxes are parts of chunks, and those chunks are stored once for each such box.
 *
 * @param inputs    Open arrays, or views; ninputs pointers. Any number of threads may read them at
 *                  once. May be NULL if there are none.
 * @param ninputs   Number of inputs, 0 <= ninputs <= TESS_MAP_MAX_ARRAYS.
 * @param outputs   Arrays opened for writing, or views of such, all of one shape; noutputs
 *                  pointers. No two are the same array, or views of one array. May be NULL if there
 *                  are none.
 * @param noutputs  Number of outputs, 0 <= noutputs <= TESS_MAP_MAX_ARRAYS; not 0 if ninputs is.
 * @param start     First index per axis of the box to be done, in the shape of the outputs. NULL,
 *                  together with stop: all items.
 * @param stop      One past the last index per axis.
 * @param options   NULL: the defaults.
 * @param fn        Called once for each box; not at all if there are no items.
 * @param user      Given to fn; any value.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, also after TESS_EACH_STOP; TESS_ERR_CANCELLED after TESS_EACH_FAIL;
 *         TESS_ERR_ARG (shapes that do not fit together, box, options, an array that is an output
 *         twice); TESS_ERR_LIMIT if one item of each array with its halo needs more than
 *         tess_context.memory, or an item does not fit in its input_dtypes; TESS_ERR_UNSUPPORTED if
 *         items cannot be converted; else as
 *         tess_array_read() of the inputs and tess_array_write() to the outputs. Of several
 *         failures, the first one.
 */
TESS_API TESS_NODISCARD tess_status tess_map(const tess_array *const *inputs, int ninputs,
                                             tess_array *const *outputs, int noutputs,
                                             const int64_t *start, const int64_t *stop,
                                             const tess_map_options *options, tess_map_fn *fn,
                                             void *user, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
