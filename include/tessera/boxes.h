/**
 * @file boxes.h
 * Many boxes of one size in one call: random crops, patches, tiles.
 *
 * A call sorts the boxes by block, decodes each block once, however many boxes it is in, copies it
 * into all of them, and shares the blocks among the threads of the array's context. The order of
 * the boxes does not matter for speed. During the call it takes about 50 bytes of memory for each
 * block that a box meets, counted once for each box, and 60 bytes for each box of three
 * dimensions.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads
 * and commits. Example: test/examples/boxes.c.
 */
#ifndef TESSERA_BOXES_H
#define TESSERA_BOXES_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What boxes show past the edges of the array. Of an axis with the items a b c d, a box of 10 items
 * that starts at -3 shows
 *
 *     TESS_EDGE_FILL      . . . a b c d . . .
 *     TESS_EDGE_NEAREST   a a a a b c d d d d
 *     TESS_EDGE_MIRROR    d c b a b c d c b a
 */
typedef enum tess_edge {
    TESS_EDGE_ERROR = 0, /**< nothing: a box that leaves the array is an error */
    TESS_EDGE_FILL = 1, /**< one value: tess_boxes_options.fill, or the array's fill value */
    TESS_EDGE_NEAREST = 2, /**< the item at the edge, again and again */
    /**
     * The array reflected at its first and last item, which are not repeated (numpy.pad: "reflect",
     * scipy.ndimage: "mirror"), as often as it takes. An axis with one item shows that item.
     */
    TESS_EDGE_MIRROR = 3,
} tess_edge;

/** Options of tess_array_get_boxes(). Fill it with tess_boxes_options_init(). */
typedef struct tess_boxes_options {
    size_t struct_size; /**< sizeof(tess_boxes_options) of the program; set by the init */
    int edge; /**< as in tess_edge; default TESS_EDGE_ERROR */
    /**
     * TESS_EDGE_FILL: one item, in the byte order of the array, that stands for all items outside
     * the array; read during the call only. NULL (default): the array's fill value, zero if it has
     * none. Other modes: ignored.
     */
    const void *fill;
    size_t fill_size; /**< size of fill in bytes, at least the typesize; 0 if fill is NULL */
} tess_boxes_options;

/**
 * Set the defaults: boxes lie inside the array.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_boxes_options).
 */
TESS_API void tess_boxes_options_init_sized(tess_boxes_options *options, size_t struct_size);
/** For programs in C and C++: tess_boxes_options_init_sized() with the size of their struct. */
#define tess_boxes_options_init(options) \
    tess_boxes_options_init_sized((options), sizeof(tess_boxes_options))

/**
 * Copy many boxes of an array, all of one size, into memory.
 *
 * Box i is the items starts[i * ndim + axis] .. starts[i * ndim + axis] + shape[axis] - 1 along
 * each axis. Boxes may overlap, and be the same.
 *
 * @param a         Open array, or a view; any number of threads may read one array at once.
 * @param nboxes    Number of boxes, >= 0.
 * @param starts    nboxes * ndim indices, in items, one per axis: the first box, then the second,
 *                  and so on. Any numbers with options->edge, also negative ones, if
 *                  start + shape does not exceed 2^63 - 1; else 0 <= start <= array's
 *                  shape - shape. May be NULL if nboxes or ndim is 0.
 * @param shape     Items of every box along each axis: ndim values, >= 0. May be NULL if ndim is 0.
 * @param options   What is shown past the edges. NULL: TESS_EDGE_ERROR.
 * @param dst       Receives nboxes * prod(shape) items: box after box, each in C order, in the byte
 *                  order of the array. May be NULL if that is 0.
 * @param dst_size  Size of dst in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if a box leaves the array (err->message says which) and
 *         options->edge is TESS_EDGE_ERROR; if options->edge is TESS_EDGE_NEAREST or
 *         TESS_EDGE_MIRROR and an axis of the array has no items; if dst is too small; if the
 *         options were not made by their init, or make no sense: then nothing is written to dst.
 *         TESS_ERR_NOMEM if the list of blocks does not fit in memory. Else as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_array_get_boxes(
    const tess_array *a, int64_t nboxes, const int64_t *starts, const int64_t *shape,
    const tess_boxes_options *options, void *dst, size_t dst_size, tess_error *err);

/**
 * Set many boxes of an array, all of one size.
 *
 * On failure no item is set. Each block is decoded and encoded at most once, however many boxes it
 * is in; a block that one box covers is not decoded. Where boxes overlap, the later one counts.
 *
 * @param a         Array opened for writing, or a view of one.
 * @param nboxes    Number of boxes, >= 0.
 * @param starts    As in tess_array_get_boxes(); no box leaves the array.
 * @param shape     As in tess_array_get_boxes().
 * @param src       nboxes * prod(shape) items: box after box, each in C order. May be NULL if that
 *                  is 0.
 * @param src_size  Size of src in bytes. More than needed is fine.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG if a box leaves the array (err->message says which), src is too
 *         small or the array not opened for writing; TESS_ERR_NOMEM if the list of blocks does not
 *         fit in memory. Else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_array_set_boxes(tess_array *a, int64_t nboxes,
                                                         const int64_t *starts,
                                                         const int64_t *shape, const void *src,
                                                         size_t src_size, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
