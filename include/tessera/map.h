/**
 * @file map.h
 * Apply a function to boxes of several arrays in step, on many threads.
 *
 * The library divides the arrays into boxes. For each box it reads the items of all inputs, calls a
 * function of the program with them, and stores the items that the function computed for the
 * outputs. Compare nditer of NumPy, and map_blocks and map_overlap of Dask.
 *
 *     static tess_each_next
 *     add(const tess_map_part *part, void *user) { ... return TESS_EACH_NEXT; }
 *
 *     const tess_array *inputs[] = {a, b};
 *     tess_array *outputs[] = {c};
 *     tess_map(inputs, 2, outputs, 1, NULL, NULL, NULL, add, NULL, &err);
 *
 * Shapes. Inputs are broadcast as in NumPy: an input may have fewer dimensions than the others
 * (its axes are then the last ones), and an axis of length 1 is repeated. All outputs have the same
 * shape, to which the inputs must broadcast; without outputs, boxes cover the shape to which the
 * inputs broadcast.
 *
 * Memory. The items of all boxes that are processed at the same time take at most
 * tess_context.memory. Boxes are whole chunks of the outputs if memory is sufficient, so each chunk
 * is encoded once; chunks of less than 1 MiB are put together as long as 64 boxes are left for the
 * threads. A block of an input that several boxes overlap is decoded once for each of them,
 * unless it is in the block cache: no block is decoded twice if the grids of the arrays fit
 * together and there is no halo. Otherwise boxes get larger, up to an eighth of the memory.
 * Measured with two cubes of 400^3 floats that are added to one with chunks of 100^3: if the inputs
 * have chunks of 64^3 and blocks of 32^3, 1.7 times their items are decoded; with chunks of 128^3
 * and blocks of 64^3, 2.5 times; with automatic chunks everywhere and a halo of one item, 1.5
 * times.
 *
 * The boxes depend on the arrays and tess_context.memory, not on the number of threads.
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

/** Maximum number of inputs of a call, and of outputs. */
#define TESS_MAP_MAX_ARRAYS 32

/**
 * A box of several arrays, with at least one item. The struct and all that it points to belong to
 * the library, and are valid until the function returns.
 */
typedef struct tess_map_part {
    int ndim; /**< dimensions of the outputs, or of what the inputs broadcast to */
    int64_t start[TESS_MAX_NDIM]; /**< index of the first item per axis, the same for all arrays */
    int64_t stop[TESS_MAX_NDIM]; /**< one past the index of the last item; more than start */
    int64_t nitems; /**< prod(stop - start) */
    int ninputs; /**< length of inputs and input_strides */
    int noutputs; /**< length of outputs */
    /**
     * For each input, its item at `start`, aligned for its type, in type and byte order of the
     * array, or as tess_map_options.input_dtypes says.
     */
    const void *const *inputs;
    /**
     * For each input, bytes from an item to the next along each of the ndim axes; 0 along an axis
     * that is broadcast. Without broadcast axes and without a halo, the items are in C order
     * without gaps. With a halo, the function may also read items before `start` and from `stop`
     * on, as many as tess_map_options.halo says, along axes whose stride is not 0.
     */
    const int64_t *const *input_strides;
    /**
     * For each output, memory for the items of the box in C order without gaps, aligned for its
     * type. Its content is undefined before the function runs; the function must set every item. It
     * overlaps no input.
     */
    void *const *outputs;
} tess_map_part;

/**
 * Computes the outputs of a box; `user` is the argument of tess_map(). Runs on several threads at
 * once, each with another box. It may read the arrays of the call, which show their items from
 * before the call; it must not change or close them. Otherwise as tess_each_fn.
 *
 * @return TESS_EACH_NEXT or TESS_EACH_CHANGED: continue; the outputs of the box are stored.
 *         TESS_EACH_STOP: no further box is started; the outputs of this box are not stored, those
 *         of finished boxes are; the call returns TESS_OK. TESS_EACH_FAIL: no further box is
 *         started; nothing is stored; the call returns TESS_ERR_CANCELLED.
 */
typedef tess_each_next tess_map_fn(const tess_map_part *part, void *user);

/** Options of tess_map(). Initialise with tess_map_options_init(). */
typedef struct tess_map_options {
    size_t struct_size; /**< set by tess_map_options_init() */
    /**
     * Halo: how many items of each input the function reads before and after a box, one value >= 0
     * per axis of the boxes. An input that is broadcast along an axis has no halo there. NULL
     * (default): none.
     */
    const int64_t *halo;
    /**
     * What the halo contains past the edges of an input: a tess_edge (boxes.h). With
     * TESS_EDGE_ERROR (default), start - halo and stop + halo of the call must lie inside the
     * shape.
     */
    int edge;
    int reserved; /**< 0 */
    /**
     * With TESS_EDGE_FILL: ninputs pointers, each to one item in type and byte order of that input,
     * or NULL for its fill value. NULL (default): the fill values of all inputs.
     */
    const void *const *fills;
    /**
     * ninputs strings: the type that the items of each input are converted to, as by
     * tess_array_read_as() without options (an item that does not fit is TESS_ERR_LIMIT), or NULL
     * for no conversion. NULL (default): no conversions.
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
 * An array may be input and output of the same call, also through different views, and with a halo:
 * inputs show the items from before the call. Without outputs, the function can compute a reduction
 * into `user`; it must synchronise access to `user`, since it runs on several threads.
 *
 * Each output changes in one step at the end of the call. Until then all reads see its old items.
 * Other calls may write to other chunks of it at the same time; writes to the same chunks wait.
 * After a failure, or if the program cancels the call, all outputs are as they were; for each
 * output, a commit contains all of the call or nothing of it. Old and new chunks both take space,
 * in the file or in memory, until the next commit.
 *
 * The function runs on as many threads as the smallest tess_context.threads of all arrays that is
 * not 0. Reading and storing the box of an array also uses the threads of its own context. Memory,
 * progress and executor are those of the first output; without outputs, of the first input.
 *
 * If one chunk of each output, with the boxes of the inputs, does not fit in memory, or if the
 * chunks of several outputs have no common borders, boxes are parts of chunks, and a chunk is
 * stored once for each of its boxes.
 *
 * @param inputs    Open arrays, or views; ninputs pointers. Any number of threads may read them at
 *                  once. May be NULL if there are none.
 * @param ninputs   Number of inputs, 0 <= ninputs <= TESS_MAP_MAX_ARRAYS.
 * @param outputs   Arrays opened for writing, or views of such, all of one shape; noutputs
 *                  pointers. No two are the same array, or views of one array. May be NULL if there
 *                  are none.
 * @param noutputs  Number of outputs, 0 <= noutputs <= TESS_MAP_MAX_ARRAYS; not 0 if ninputs is.
 * @param start     First index per axis of the range to process, in the shape of the outputs. NULL,
 *                  together with stop: all items.
 * @param stop      One past the last index per axis.
 * @param options   NULL: the defaults.
 * @param fn        Called once for each box; not at all if there are no items.
 * @param user      Given to fn; any value.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, also after TESS_EACH_STOP; TESS_ERR_CANCELLED after TESS_EACH_FAIL;
 *         TESS_ERR_ARG (shapes that do not broadcast, start and stop, options, an array that is an
 *         output twice); TESS_ERR_LIMIT if a box of one item, with its halo, needs more than
 *         tess_context.memory, or an item does not fit in its input_dtypes; TESS_ERR_UNSUPPORTED if
 *         items cannot be converted; else as tess_array_read() of the inputs and
 *         tess_array_write() to the outputs. Of several failures, the first one.
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
