/**
 * @file dims.h
 * Names of dimensions, and coordinates: which index has a given latitude, time, wavelength.
 *
 *     int axis;
 *     int64_t start, stop;
 *     tess_array *time = NULL;
 *     const tess_number from = {.kind = TESS_KIND_FLOAT, .f = 10.5};
 *     TRY(tess_dims_find(a, "time", &axis, &err));
 *     TRY(tess_coord_open(a, axis, NULL, &time, &err));
 *     TRY(tess_coord_range(time, &from, NULL, &start, &stop, &err)); // all from 10.5 on
 *
 * Names are a list of strings in the attribute `_ARRAY_DIMENSIONS`, one per axis, as xarray writes
 * it to Zarr 2 and as `tess import` writes it. The *coordinate* of a dimension is a one-dimensional
 * array with the name of the dimension, beside the array: `winds/time.b2nd` for
 * `winds/temperature.b2nd`. So a folder of arrays is what a netCDF file or a group of Zarr is.
 *
 * Threads: any number may read names and search in one coordinate at once; see array.h for
 * tess_dims_set(), which writes. Unless a comment says otherwise, no pointer may be NULL
 * (TESS_ERR_ARG). Example: test/examples/dims.c.
 */
#ifndef TESSERA_DIMS_H
#define TESSERA_DIMS_H

#include "tessera/array.h"
#include "tessera/iterate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Name of the attribute; tess_attr_delete() removes the names. */
#define TESS_DIMS_ATTRIBUTE "_ARRAY_DIMENSIONS"

/** Longest name of a dimension, in bytes, without the terminating NUL. */
#define TESS_DIMS_NAME_MAX 255

/**
 * Get the names of all axes.
 *
 * Names of a view follow its axes: a slice keeps them, tess_array_view_permute() reorders them, an axis that was
 * squeezed loses its name with it, and a new axis has none. So do the names that
 * tess_array_copy(), tess_array_concatenate() and tess_array_stack() give to a copy of views.
 *
 * @param a      Open array, or a view.
 * @param names  Receives ndim strings of UTF-8, "" for an axis without a name, and a NULL behind
 *               them. One allocation: free it with tess_free(). NULL on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if the array has no names;
 *         TESS_ERR_TYPE if the attribute is no list of strings (or nulls), one for each axis of the
 *         array;
 *         TESS_ERR_LIMIT if a name has more than TESS_DIMS_NAME_MAX bytes; else as tess_attr_get().
 */
TESS_API TESS_NODISCARD tess_status tess_dims_get(const tess_array *a, const char ***names,
                                                  tess_error *err);

/**
 * Set the names of all axes.
 *
 * @param a      Array opened for writing, no view.
 * @param names  ndim strings of UTF-8, of at most TESS_DIMS_NAME_MAX bytes; NULL or "" for an axis
 *               without a name. Two axes may have one name, which few programs can use. NULL if
 *               ndim is 0.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_LIMIT if a name is too long; or as tess_attr_set(). After a failure the
 *         names are as they were.
 */
TESS_API TESS_NODISCARD tess_status tess_dims_set(tess_array *a, const char *const *names,
                                                  tess_error *err);

/**
 * Find the axis with a name.
 *
 * @param a     Open array, or a view.
 * @param name  The name, not empty.
 * @param axis  Receives the first axis that has it. Unchanged on failure.
 * @param err   Filled on failure; may be NULL.
 *
 * @return TESS_OK, TESS_ERR_NOT_FOUND if no axis has it, or as tess_dims_get().
 */
TESS_API TESS_NODISCARD tess_status tess_dims_find(const tess_array *a, const char *name, int *axis,
                                                   tess_error *err);

/**
 * Open the coordinate of an axis for reading.
 *
 * Looked for in the folder of the array, in this order: the name of the axis with the extension of
 * the array's own file or directory, with `.b2nd`, and without an extension. Each may be a file or
 * the directory of a sparse array. What is there but is no array is passed over. Limits, plugins,
 * checksums and memory map are those that the array was opened with.
 *
 * Of a view the result is a view: index i of it belongs to index i of the axis, whatever slice or
 * step.
 *
 * @param a        Open array that has a path, or a view of one.
 * @param axis     0 to ndim - 1.
 * @param context  Threads, memory and progress of calls on the coordinate; NULL: those of a.
 * @param coord    Receives the coordinate, with as many items as the axis; close it with
 *                 tess_array_close(), before or after a. NULL on failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if the axis has no name, no array of that name is in the folder, the
 *         name contains '/' or is "." or "..", or the array is in memory;
 *         TESS_ERR_TYPE if the array there is not one-dimensional, or of another length;
 *         else as tess_dims_get() and tess_array_open().
 */
TESS_API TESS_NODISCARD tess_status tess_coord_open(const tess_array *a, int axis,
                                                    const tess_context *context, tess_array **coord,
                                                    tess_error *err);

/** Which item is meant by a value that no item has. */
typedef enum tess_match {
    TESS_MATCH_EXACT = 0, /**< none: TESS_ERR_NOT_FOUND */
    /** The nearest one; of two at the same distance the larger value, as in pandas. */
    TESS_MATCH_NEAREST = 1,
    /**
     * The one in front of the place where the value would stand ("pad" of pandas and xarray). With
     * falling values that is the next larger one.
     */
    TESS_MATCH_AT_OR_BEFORE = 2,
    TESS_MATCH_AT_OR_AFTER = 3 /**< the one behind that place ("backfill") */
} tess_match;

/**
 * Find the index of a value in a coordinate: a one-dimensional array, or a view, whose values rise
 * or fall; equal ones may follow each other.
 *
 * Values are numbers (bool, integers of 1 to 8 bytes, floats of 2, 4 and 8 bytes) or times (`M8`,
 * `m8`: counts of the unit of the type). They are compared exactly, also integers with floats.
 * scale_factor, add_offset and missing values among the attributes are honoured, as by
 * tess_conversion_from_attributes(): scaled values are compared as doubles, so TESS_MATCH_NEAREST
 * finds what TESS_MATCH_EXACT may not. Units of netCDF ("days since ...") are not interpreted.
 *
 * Cost: the first and the last block, one item in each of log2(blocks) others, and one block as a
 * whole. Only what is read is checked: if values there neither rise nor fall, or are NaN, NaT or
 * missing, the call fails; if they do so elsewhere, the result is one of several, or a wrong one.
 * tess_coord_order() checks all of them.
 *
 * @param coord  The coordinate.
 * @param value  Kind TESS_KIND_INT, TESS_KIND_UINT or TESS_KIND_FLOAT; no NaN. Of times a count.
 * @param match  What to take if no item has the value.
 * @param index  Receives the index; of several items of one value that of the first. Unchanged on
 *               failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if there is no such item: another value (TESS_MATCH_EXACT), all items
 *         on the other side, or none at all;
 *         TESS_ERR_TYPE if the values neither rise nor fall;
 *         TESS_ERR_UNSUPPORTED if they are no such numbers or times;
 *         TESS_ERR_ARG (not one-dimensional, NaN); else as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_coord_find(const tess_array *coord,
                                                    const tess_number *value, tess_match match,
                                                    int64_t *index, tess_error *err);

/**
 * Find the indices whose values lie in a range, both ends included, as `.sel(x=slice(from, to))` of
 * xarray: the box [start, stop) along the axis.
 *
 * @param coord  As in tess_coord_find().
 * @param from   Least value; NULL: no bound. With rising and with falling values alike.
 * @param to     Greatest value; NULL: no bound.
 * @param start  Receives the first index. Unchanged on failure.
 * @param stop   Receives one past the last index; equal to *start if no value lies in the range.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_coord_find(), but no TESS_ERR_NOT_FOUND.
 */
TESS_API TESS_NODISCARD tess_status tess_coord_range(const tess_array *coord,
                                                     const tess_number *from, const tess_number *to,
                                                     int64_t *start, int64_t *stop,
                                                     tess_error *err);

/** How the values of a coordinate follow each other. */
typedef enum tess_order {
    TESS_ORDER_NONE = 0, /**< they rise and fall, or one is NaN, NaT or missing */
    TESS_ORDER_RISING = 1, /**< none is less than the one before; also of 0 or 1 values */
    TESS_ORDER_FALLING = 2 /**< none is greater than the one before, and not all are equal */
} tess_order;

/**
 * Look at all values of a coordinate: whether it can be searched.
 *
 * @param coord  As in tess_coord_find(). It is read until a value is out of order.
 * @param order  Receives the order. Unchanged on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return as tess_coord_range(), but no TESS_ERR_TYPE.
 */
TESS_API TESS_NODISCARD tess_status tess_coord_order(const tess_array *coord, tess_order *order,
                                                     tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
