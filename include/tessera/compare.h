/**
 * @file compare.h
 * Compare the items of an array with a number, or with the items of another array; the result is a
 * mask. Combine masks.
 *
 *     const tess_number limit = {.kind = TESS_KIND_FLOAT, .f = 273.15};
 *     tess_array_compare(a, TESS_COMPARE_LT, &limit, &storage, NULL, &cold, &err);
 *
 * A mask is a new array of type `|b1`, with items 0 and 1, for tess_mask.array (select.h). Unless
 * params say otherwise, it has the chunks and blocks of the array, so that both can be decoded in
 * step.
 *
 * Comparisons are exact for all types: an integer of 64 bits is not rounded to be compared with a
 * float. NaN compares as in IEEE 754: it is not equal to, less than or greater than anything.
 *
 * Types are bool (0 and 1), integers of 1 to 8 bytes, IEEE floats of 2, 4 and 8 bytes, in both byte
 * orders; and dates and durations of 8 bytes, which compare by their counts, except that NaT
 * compares like NaN.
 *
 * Items are decoded and compared box by box, on all threads of the array's context. The boxes that
 * are processed at the same time take at most tess_context.memory, or 64 KiB if that is more.
 * Regions that are stored as one value are not decoded.
 *
 * Unless a comment says otherwise, no pointer may be NULL (TESS_ERR_ARG). See array.h for threads.
 * Example: test/examples/compare.c.
 */
#ifndef TESSERA_COMPARE_H
#define TESSERA_COMPARE_H

#include "tessera/array.h"
#include "tessera/iterate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How items are compared. */
typedef enum tess_comparison {
    TESS_COMPARE_EQ = 0, /**< equal */
    TESS_COMPARE_NE = 1, /**< not equal: true of NaN */
    TESS_COMPARE_LT = 2, /**< less */
    TESS_COMPARE_LE = 3, /**< less or equal */
    TESS_COMPARE_GT = 4, /**< greater */
    TESS_COMPARE_GE = 5 /**< greater or equal */
} tess_comparison;

/** How masks are combined. Items count as true if they are not 0; NaN is true. */
typedef enum tess_logic {
    TESS_LOGIC_AND = 0, /**< both are true */
    TESS_LOGIC_OR = 1, /**< at least one is true */
    TESS_LOGIC_XOR = 2, /**< exactly one is true */
    TESS_LOGIC_AND_NOT = 3, /**< the first is true, the second is not */
    TESS_LOGIC_NOT = 4 /**< the first is not true; there is no second */
} tess_logic;

/**
 * @name Masks
 *
 * @param a        Open array, or a view; any number of threads may read one array at once.
 * @param storage  Where to create the mask, as for tess_array_zeros(); not the path of one of the
 *                 arrays, if that is open for writing.
 * @param params   Parameters of the mask. The shape is always that of the result; dtype must be
 *                 NULL or bool. params NULL: the defaults of tess_params_init().
 * @param mask     Receives the new array, open, or NULL on failure; close it with
 *                 tess_array_close().
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (an unknown operation, a number of another kind, shapes that do not
 *         broadcast, params); TESS_ERR_UNSUPPORTED for other types of items; TESS_ERR_LIMIT if one
 *         item of each array needs more memory than the boxes may take; else as tess_array_read()
 *         of the arrays and tess_array_zeros(). A failed call leaves no new file behind, and an
 *         existing file as it was.
 * @{
 */
/**
 * Compare each item with a number. For dates and durations, the number is a count of the unit of
 * the array's type.
 *
 * @param op     How: item op value.
 * @param value  The number, of kind TESS_KIND_INT, TESS_KIND_UINT or TESS_KIND_FLOAT.
 */
TESS_API TESS_NODISCARD tess_status tess_array_compare(const tess_array *a, tess_comparison op,
                                                       const tess_number *value,
                                                       const tess_storage *storage,
                                                       const tess_params *params, tess_array **mask,
                                                       tess_error *err);

/**
 * Find the items in a range of values: least <= item <= most.
 *
 * @param least  Lower bound, included; as `value` of tess_array_compare().
 * @param most   Upper bound, included. If it is less than `least`, no item is true.
 */
TESS_API TESS_NODISCARD tess_status tess_array_between(
    const tess_array *a, const tess_number *least, const tess_number *most,
    const tess_storage *storage, const tess_params *params, tess_array **mask, tess_error *err);

/** Find the items that are NaN or NaT; the mask of a type that has neither is all 0. */
TESS_API TESS_NODISCARD tess_status tess_array_is_nan(const tess_array *a,
                                                      const tess_storage *storage,
                                                      const tess_params *params, tess_array **mask,
                                                      tess_error *err);

/**
 * Compare the items of two arrays, which are broadcast to each other as in NumPy.
 *
 * Both are numbers; or both are dates, or durations, of the same unit. TESS_COMPARE_EQ and
 * TESS_COMPARE_NE also take two arrays of one other type (strings, structs, bytes of any size),
 * whose items are equal if all their bytes are; of complex numbers, if both parts are.
 *
 * @param op  How: item of a op item of b.
 * @param b   Open array, or a view; it may be `a`.
 */
TESS_API TESS_NODISCARD tess_status tess_array_compare_arrays(
    const tess_array *a, tess_comparison op, const tess_array *b, const tess_storage *storage,
    const tess_params *params, tess_array **mask, tess_error *err);

/**
 * Combine two masks, or any two arrays of numbers, which are broadcast to each other as in NumPy.
 *
 * @param op  How.
 * @param b   Open array, or a view; it may be `a`. With TESS_LOGIC_NOT, NULL.
 */
TESS_API TESS_NODISCARD tess_status tess_array_logic(const tess_array *a, tess_logic op,
                                                     const tess_array *b,
                                                     const tess_storage *storage,
                                                     const tess_params *params, tess_array **mask,
                                                     tess_error *err);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
