/**
 * @file dims.h
 * Names of dimensions; and coordinates, which tell the index of a latitude, time or wavelength.
 *
 *     int axis;
 *     int64_t start, stop;
 *     tess_array *time = NULL;
 *     const tess_number from = {.kind = TESS_KIND_FLOAT, .f = 10.5};
 *     TRY(tess_dims_find(a, "time", &axis, &err));
 *     TRY(tess_coord_open(a, axis, NULL, &time, &err));
 *     TRY(tess_coord_range(time, &from, NULL, &start, &stop, &err)); // all from 10.5 on
 *
 * Names are a list of strings in the attribute `_ARRAY_DIMENSIONS`, one per axis, as xarray (in
 * Zarr 2) and `tess import` write it. The *coordinate* of a dimension is a one-dimensional array
 * with the name of the dimension, in the same folder as the array: `winds/time.b2nd` for
 * `winds/temperature.b2nd`. So a folder of arrays corresponds to a netCDF file or a group of Zarr.
 *
 * Threads: any number of threads may read names and search in one coordinate at once.
 * tess_dims_set() is a write (array.h). Unless a comment says otherwise, no pointer may be NULL
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
 * The names of a view follow its axes: a slice keeps them, tess_array_view_permute() reorders them,
 * an axis that is removed takes its name away, and a new axis has no name. The same holds for the
 * names in copies of views by tess_array_copy(), tess_array_concatenate() and tess_array_stack().
 *
 * @param a      Open array, or a view.
 * @param names  Receives a list of ndim strings in UTF-8, "" for an axis without a name, and a
 *               final NULL. One allocation: free it with tess_free(). NULL on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if the array has no names;
 *         TESS_ERR_TYPE if the attribute is not a list with one string (or null) per axis;
 *         TESS_ERR_LIMIT if a name has more than TESS_DIMS_NAME_MAX bytes; else as tess_attr_get().
 */
TESS_API TESS_NODISCARD tess_status tess_dims_get(const tess_array *a, const char ***names,
                                                  tess_error *err);

/**
 * Set the names of all axes.
 *
 * @param a      Array opened for writing, no view.
 * @param names  ndim strings of UTF-8, of at most TESS_DIMS_NAME_MAX bytes; NULL or "" for an axis
 *               without a name. Two axes may have the same name, but few programs can use that.
 *               NULL if ndim is 0.
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
 * The call looks in the folder of the array for these names, in this order: the name of the axis
 * with the extension of the array's own file or directory, with `.b2nd`, and without an extension.
 * Each may be a file or the directory of a sparse array; anything that is no array is skipped, and
 * devices, FIFOs and sockets are not opened.
 * Limits, plugins, checksums and memory map are those that the array was opened with.
 *
 * For a view, the result is a view with the same slice and step: its index i belongs to index i of
 * the axis.
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

/** Which item a search takes if no item has exactly the value. */
typedef enum tess_match {
    TESS_MATCH_EXACT = 0, /**< none: TESS_ERR_NOT_FOUND */
    /** The item with the nearest value; of two at the same distance the larger, as in pandas. */
    TESS_MATCH_NEAREST = 1,
    /**
     * The last item before the position where the value would be inserted ("pad" of pandas and
     * xarray). If values fall, that item has the next larger value.
     */
    TESS_MATCH_AT_OR_BEFORE = 2,
    TESS_MATCH_AT_OR_AFTER = 3 /**< the first item after that position ("backfill") */
} tess_match;

/**
 * Find the index of a value in a coordinate: a one-dimensional array, or a view, whose values are
 * sorted, rising or falling; equal values are allowed.
 *
 * Values are numbers (bool, integers of 1 to 8 bytes, floats of 2, 4 and 8 bytes) or times (`M8`,
 * `m8`: counts of the unit of the type). They are compared exactly, also integers with floats. The
 * attributes for scale_factor, add_offset and missing values are applied, as by
 * tess_conversion_from_attributes(): scaled values are compared as doubles, so rounding can make
 * TESS_MATCH_EXACT fail; use TESS_MATCH_NEAREST. Units of netCDF ("days since ...") are not
 * interpreted.
 *
 * Cost: the first and the last block, one item in each of log2(blocks) others, and one block as a
 * whole. Only items that are read are checked: the call fails if these are not sorted, or NaN, NaT
 * or missing. If other items are, the result may be wrong; tess_coord_order() checks all items.
 *
 * @param coord  The coordinate.
 * @param value  Kind TESS_KIND_INT, TESS_KIND_UINT or TESS_KIND_FLOAT; not NaN. For times, a count
 *               of the unit.
 * @param match  Which item to take if none has the value.
 * @param index  Receives the index; of several items with the same value, that of the first.
 *               Unchanged on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_NOT_FOUND if no item matches: none has the value (TESS_MATCH_EXACT), none is at
 *         or before it, or at or after it, or the coordinate is empty;
 *         TESS_ERR_TYPE if the items that were read are not sorted, or NaN, NaT or missing;
 *         TESS_ERR_UNSUPPORTED if items are no such numbers or times;
 *         TESS_ERR_ARG (not one-dimensional, NaN); else as tess_array_read().
 */
TESS_API TESS_NODISCARD tess_status tess_coord_find(const tess_array *coord,
                                                    const tess_number *value, tess_match match,
                                                    int64_t *index, tess_error *err);

/**
 * Find the indices [start, stop) whose values lie in a range: from <= value <= to. As
 * `.sel(x=slice(from, to))` of xarray.
 *
 * @param coord  As in tess_coord_find().
 * @param from   Least value, also if values fall; NULL: no lower bound.
 * @param to     Greatest value, also if values fall; NULL: no upper bound.
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

/** How the values of a coordinate are sorted. */
typedef enum tess_order {
    TESS_ORDER_NONE = 0, /**< not sorted, or a value is NaN, NaT or missing */
    TESS_ORDER_RISING = 1, /**< none is less than the one before; also of 0 or 1 values */
    TESS_ORDER_FALLING = 2 /**< none is greater than the one before, and not all are equal */
} tess_order;

/**
 * Read all values of a coordinate, and find out how they are sorted: whether it can be searched.
 *
 * @param coord  As in tess_coord_find(). Reading stops at the first value that is out of order.
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
