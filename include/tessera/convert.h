/**
 * @file convert.h
 * Typed reads and writes: items in memory of another type than the array's.
 *
 *     double temperature[100];
 *     tess_conversion how;
 *     TRY(tess_conversion_from_attributes(a, &how, &err)); // scale_factor, _FillValue, ...
 *     TRY(tess_array_read_as(a, start, stop, TESS_DTYPE_F64, &how, temperature,
 *                            sizeof temperature, NULL, &err));
 *
 * Blocks are converted as they are decoded, by all threads of the call, straight into the memory of
 * the program. The types are those of dtype.h that are numbers or times, in either byte order, on
 * both sides: bool, integers of 1 to 8 bytes, floats of 2, 4 and 8 bytes, complex numbers of 8 and
 * 16 bytes, dates (`M8`) and durations (`m8`). The name `bfloat16` is a type of memory only, in the
 * byte order of the machine. Other types, also equal ones, are TESS_ERR_UNSUPPORTED.
 *
 * Example: test/examples/convert.c.
 *
 * How items are converted
 * -----------------------
 *
 * An item *fits* if these rules give a result; otherwise it is a misfit, and tess_conversion.misfit
 * decides. Results do not depend on the machine, nor on the number of threads.
 *
 * - To bool: 0 and -0.0 become false, all else true, also NaN. Every item fits. From bool: 0 and 1;
 *   any byte that is not 0 is true.
 * - Integer to integer: fits if the target has the number. Wrapping keeps the low bits, as C and
 *   NumPy do. Saturating gives the nearest number of the target.
 * - Float to integer: truncated towards 0, as C and NumPy do; with scale or offset rounded to the
 *   nearest, of two the even one, since what is scaled is rarely an exact integer. Fits if the
 *   target has the integer: -0.9 fits unsigned types, as 0. NaN and infinities are misfits.
 *   Saturating: NaN becomes 0, infinities the least and greatest number. Wrapping: the integer
 *   modulo 2^bits; NaN and infinities become 0.
 * - To float, from an integer or a wider float: rounded once, to the nearest, of two the even one.
 *   What is too small becomes a subnormal number or 0 with its sign; that fits. A finite number
 *   that would become infinite is a misfit. Saturating: the largest finite number with its sign.
 *   Wrapping: the infinity, as C and NumPy do. NaN stays NaN (its payload may change), infinities
 *   and -0.0 stay what they are.
 * - To complex: the imaginary part becomes 0. Complex to complex: both parts like floats. Complex
 * to real: fits if the imaginary part is 0; otherwise a misfit, for which saturating and wrapping
 *   ignore the imaginary part. Complex to bool: true if one of the parts is not 0.
 * - Dates to dates, durations to durations: counts of one unit become counts of another; a coarser
 *   unit is rounded down (towards the past), as in NumPy. NaT stays NaT. Years and months of dates
 *   are those of the calendar (proleptic Gregorian); durations in years or months do not convert to
 *   other units: TESS_ERR_UNSUPPORTED. A misfit is what exceeds 64 bits. Saturating: the first or
 *   last date. Wrapping: modulo 2^64. Dates convert to durations or numbers not at all
 *   (TESS_ERR_UNSUPPORTED); the counts of dates are read with tess_array_read().
 */
#ifndef TESSERA_CONVERT_H
#define TESSERA_CONVERT_H

#include "tessera/array.h"
#include "tessera/dtype.h"
#include "tessera/iterate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What happens to an item that does not fit in the target type. */
typedef enum tess_misfit {
    /** The call fails with TESS_ERR_LIMIT; the message has the index of an item that does not fit:
        on writing the first one in C order, on reading any. */
    TESS_MISFIT_ERROR = 0,
    TESS_MISFIT_SATURATE = 1, /**< it becomes the nearest value of the target */
    TESS_MISFIT_WRAP = 2 /**< as C and NumPy do: integers modulo 2^bits, floats infinite */
} tess_misfit;

/** Number of missing values in a tess_conversion. */
#define TESS_MISSING_MAX 8

/** How items are converted. Fill it with tess_conversion_init(), and change what matters. */
typedef struct tess_conversion {
    /** sizeof(tess_conversion) of the program; set by tess_conversion_init(). */
    size_t struct_size;

    /** A tess_misfit. Default TESS_MISFIT_ERROR. */
    int misfit;

    /**
     * Reading: stored * scale + offset. Writing: (item - offset) / scale. Calculated in doubles,
     * each operation rounded. Finite, and scale is not 0. Not for complex numbers and times
     * (TESS_ERR_UNSUPPORTED). Default 1 and 0, with which nothing is calculated.
     */
    double scale;
    double offset; /**< see scale */

    /** Missing values in use, 0 to TESS_MISSING_MAX. Default 0. */
    int nmissing;

    /**
     * Stored values, before scaling, that stand for none. Reading into a float type: they become
     * NaN. Writing from a float type: NaN becomes the first of them. Compared as items of the
     * stored type: rounded if that is a float; a value that an integer type does not have is in no
     * array, and as the first one it is TESS_ERR_ARG on writing. NaN among them is ignored on
     * reading, and written as NaN. Other types in memory have no NaN: there, missing values are
     * converted like all others. Not for complex numbers and times (TESS_ERR_UNSUPPORTED).
     */
    tess_number missing[TESS_MISSING_MAX];

    /**
     * Stored values, before scaling, that are valid: [least, most], where kind is not 0. Reading
     * into a float type: all others become NaN. Not used on writing, nor for other types in memory.
     * Default: kind 0, no bounds.
     */
    tess_number least;
    tess_number most; /**< see least */
} tess_conversion;

/**
 * Set the defaults: misfits are errors, no scaling, nothing is missing.
 *
 * @param how          Filled.
 * @param struct_size  Size of *how in bytes: the macro passes sizeof(tess_conversion).
 */
TESS_API void tess_conversion_init_sized(tess_conversion *how, size_t struct_size);
/** For programs in C and C++: tess_conversion_init_sized() with the size of their struct. */
#define tess_conversion_init(how) tess_conversion_init_sized((how), sizeof(tess_conversion))

/**
 * Copy a box of an array into memory of another type.
 *
 * @param a         Open array, or a view; any number of threads may read one array at once.
 * @param start     First index per axis: ndim values, 0 <= start[i] <= stop[i]. NULL if ndim is 0.
 * @param stop      One past the last index per axis, stop[i] <= shape[i]. NULL if ndim is 0.
 * @param dtype     Type of the items in memory, in the notation of dtype.h, or `bfloat16`.
 * @param how       What is done with them; stays the caller's. NULL: as tess_conversion_init().
 * @param dst       Receives the items, the first one at dst; any alignment. May be NULL if there
 *                  are none.
 * @param dst_size  Bytes of memory from dst on. It must reach as far as positive strides lead, and
 *                  hold an item; more is fine. That bytes before dst belong to the caller where
 *                  strides are negative is not checked.
 * @param strides   Bytes from one item to the next in memory, per axis: ndim values, of any sign;
 *                  items must not overlap. NULL: C order without gaps.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_ARG if the box leaves the array, dst is too small, items overlap in it, or `how`
 *         contradicts itself;
 *         TESS_ERR_UNSUPPORTED if one of the types is no number, or the two do not convert;
 *         TESS_ERR_LIMIT if an item does not fit (TESS_MISFIT_ERROR);
 *         else as tess_array_read(). After a failure dst holds anything, and the array is as it
 *         was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_read_as(const tess_array *a, const int64_t *start,
                                                       const int64_t *stop, const char *dtype,
                                                       const tess_conversion *how, void *dst,
                                                       size_t dst_size, const int64_t *strides,
                                                       tess_error *err);

/**
 * Copy memory of another type into a box of an array.
 *
 * Each block is converted when it is encoded; no memory of the size of the box is needed. If items
 * may not fit and that is an error, the items are looked at once before anything is written.
 *
 * @param a         Array, or a view, opened for writing; any number of threads may write at once.
 * @param start     The box, as in tess_array_read_as().
 * @param stop      Its end.
 * @param dtype     Type of the items in memory, in the notation of dtype.h, or `bfloat16`.
 * @param how       What is done with them; stays the caller's. NULL: as tess_conversion_init().
 * @param src       The items, the first one at src; any alignment; unchanged until the call
 *                  returns. May be NULL if there are none.
 * @param src_size  Bytes of memory from src on, as dst_size of tess_array_read_as().
 * @param strides   As in tess_array_read_as(), but 0 repeats one item along the axis. NULL: C order
 *                  without gaps.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_ARG if the box leaves the array, src is too small, `how` contradicts itself or
 *         the array was opened for reading;
 *         TESS_ERR_UNSUPPORTED if one of the types is no number, or the two do not convert;
 *         TESS_ERR_LIMIT if an item does not fit (TESS_MISFIT_ERROR);
 *         else as tess_array_write(). After a failure the array is as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_array_write_as(tess_array *a, const int64_t *start,
                                                        const int64_t *stop, const char *dtype,
                                                        const tess_conversion *how, const void *src,
                                                        size_t src_size, const int64_t *strides,
                                                        tess_error *err);

/**
 * A conversion from the attributes of an array, by the conventions of netCDF and CF.
 *
 * scale_factor and add_offset become scale and offset; _FillValue and missing_value (a number, or a
 * list of them) become missing values, in this order, equal ones once; valid_range (a list of two),
 * valid_min and valid_max become bounds, and valid_range goes first. An attribute that is absent,
 * no number, a scale of 0, or not finite as a scale, an offset or a bound, is ignored. All else is
 * as tess_conversion_init() sets it.
 *
 * @param a    Open array; any number of threads may read one array at once.
 * @param how  Receives the conversion. After a failure, the defaults.
 * @param how_size  Size of *how in bytes: the macro passes sizeof(tess_conversion).
 * @param err  Filled on failure; may be NULL.
 *
 * @return TESS_OK, also if there is no such attribute;
 *         TESS_ERR_LIMIT for more than TESS_MISSING_MAX missing values;
 *         else as tess_attr_get().
 */
TESS_API TESS_NODISCARD tess_status tess_conversion_from_attributes_sized(const tess_array *a,
                                                                          tess_conversion *how,
                                                                          size_t how_size,
                                                                          tess_error *err);
/** For programs in C and C++: the size of their struct is passed. */
#define tess_conversion_from_attributes(a, how, err) \
    tess_conversion_from_attributes_sized((a), (how), sizeof(tess_conversion), (err))

/**
 * Whether an attribute holds items of its array, by the conventions of netCDF and CF: _FillValue,
 * missing_value, valid_min, valid_max, valid_range, actual_range, flag_values, flag_masks.
 *
 * @param name  Name of an attribute. NULL: the result is false.
 * @return whether it is one of these names.
 */
TESS_API bool tess_attr_holds_items(const char *name);

/**
 * Copy the attributes of one array to another one whose items were converted from its items.
 *
 *     tess_array_read_as(from, start, stop, dtype, read, items, size, NULL, &err);
 *     tess_array_write_as(to, start, stop, dtype, write, items, size, NULL, &err);
 *     tess_attrs_copy_as(from, dtype, read, write, to, omitted, sizeof omitted, &err);
 *
 * The values of attributes that hold items (tess_attr_holds_items()) are converted like the items;
 * all other attributes are copied unchanged. If the type of one of the arrays, or dtype, is no
 * number or time, all attributes are copied unchanged.
 *
 * - Not copied, because `read` has applied them: _FillValue and missing_value if it turns missing
 *   values into NaN, valid_min, valid_max and valid_range if it turns items out of bounds into NaN,
 *   scale_factor and add_offset if they are its scale and offset.
 * - If `write` scales, scale_factor and add_offset are set to its scale and offset. If items in
 *   memory are floats and `write` has missing values, the first of them becomes _FillValue.
 * - A missing value that does not fit is omitted if such items are errors (TESS_MISFIT_ERROR),
 *   because no item can have it. A missing value that would become another number (-99.9 as an
 *   integer, or 70000 when it wraps) is refused, because missing items would look like valid ones:
 *   give `read` and `write` missing values then.
 * - Bounds are converted like items, also if that gives another number. A negative scale turns the
 *   lower bound into the upper one. Bounds that do not fit are omitted.
 * - actual_range of packed items has unpacked numbers (CF, 2.5.1), and is copied unchanged.
 * - flag_values and flag_masks are omitted as a whole if one of them would become another number;
 *   flag_masks also if the items are scaled, or become floats.
 *
 * @param from   Open array or view; any number of threads may read one array at once.
 * @param dtype  Type of the items in memory. NULL: that of `to`.
 * @param read   How the items were read. NULL: as tess_conversion_init().
 * @param write  How the items were written. NULL: as tess_conversion_init().
 * @param to     Array opened for writing. It keeps its attributes of other names.
 * @param omitted  Receives names and values of the omitted attributes, "valid_max 70000, ...", as
 *                 many as fit, or "". May be NULL if omitted_size is 0.
 * @param omitted_size  Size of the memory at omitted, in bytes.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_LIMIT if a missing value would become another number, or as tess_attr_set();
 *         TESS_ERR_ARG, TESS_ERR_UNSUPPORTED as tess_array_read_as();
 *         else as tess_attr_get() and tess_attr_set(). After a failure some attributes are copied.
 */
TESS_API TESS_NODISCARD tess_status tess_attrs_copy_as(const tess_array *from, const char *dtype,
                                                       const tess_conversion *read,
                                                       const tess_conversion *write, tess_array *to,
                                                       char *omitted, size_t omitted_size,
                                                       tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
