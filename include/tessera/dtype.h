/**
 * @file dtype.h
 * Types of items, in NumPy's notation.
 *
 * An array records the type of its items as a string: `<f4`, `|u1`, `<M8[ns]`, `|S12`, or the
 * list of a structured type, `[('a', '<i4'), ('b', '<f8')]`. Reading and writing move items as
 * opaque bytes in the byte order of the array: a program must compare this type with the type of
 * its own memory, or have items converted (tess_array_read_as()). Only the functions of convert.h
 * and these interpret the type: tess_array_copy(), tess_array_concatenate() and tess_array_stack()
 * swap bytes if the copy is to have the other byte order, tess_array_statistics() takes items as
 * numbers, and tess_array_nan() creates NaNs.
 *
 * The notation is that of numpy.dtype.str and numpy.dtype.descr:
 * https://numpy.org/doc/stable/reference/arrays.interface.html
 */
#ifndef TESSERA_DTYPE_H
#define TESSERA_DTYPE_H

#include "tessera/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest type string that an array can be created with, in bytes. */
#define TESS_DTYPE_MAX 65535

/** @cond */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TESS_DTYPE_ORDER_ ">"
#else
#define TESS_DTYPE_ORDER_ "<"
#endif
/** @endcond */

/** @name Types of C as types of items, in the byte order of the machine: string literals. */
/**@{*/
#define TESS_DTYPE_BOOL "|b1" /**< bool, one byte */
#define TESS_DTYPE_I8 "|i1" /**< int8_t */
#define TESS_DTYPE_I16 TESS_DTYPE_ORDER_ "i2" /**< int16_t */
#define TESS_DTYPE_I32 TESS_DTYPE_ORDER_ "i4" /**< int32_t */
#define TESS_DTYPE_I64 TESS_DTYPE_ORDER_ "i8" /**< int64_t */
#define TESS_DTYPE_U8 "|u1" /**< uint8_t */
#define TESS_DTYPE_U16 TESS_DTYPE_ORDER_ "u2" /**< uint16_t */
#define TESS_DTYPE_U32 TESS_DTYPE_ORDER_ "u4" /**< uint32_t */
#define TESS_DTYPE_U64 TESS_DTYPE_ORDER_ "u8" /**< uint64_t */
#define TESS_DTYPE_F16 TESS_DTYPE_ORDER_ "f2" /**< _Float16: IEEE, 2 bytes */
#define TESS_DTYPE_F32 TESS_DTYPE_ORDER_ "f4" /**< float */
#define TESS_DTYPE_F64 TESS_DTYPE_ORDER_ "f8" /**< double */
#define TESS_DTYPE_C64 TESS_DTYPE_ORDER_ "c8" /**< float _Complex */
#define TESS_DTYPE_C128 TESS_DTYPE_ORDER_ "c16" /**< double _Complex */
#define TESS_DTYPE_BF16 \
    "bfloat16" /**< the upper half of a float; a type of memory only (convert.h) */
/**@}*/

/**
 * The type of an expression of C11 as a type of items; does not compile if there is none.
 *
 *     float room[10];
 *     tess_array_read_as(a, start, stop, TESS_DTYPE_OF(room[0]), NULL, room, sizeof room,
 *                        NULL, &err);
 */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TESS_DTYPE_OF(expression)                                                 \
    _Generic((expression), bool                                                   \
             : TESS_DTYPE_BOOL, char                                              \
             : (char)-1 < 0 ? TESS_DTYPE_I8 : TESS_DTYPE_U8, signed char          \
             : TESS_DTYPE_I8, unsigned char                                       \
             : TESS_DTYPE_U8, short                                               \
             : TESS_DTYPE_I16, unsigned short                                     \
             : TESS_DTYPE_U16, int                                                \
             : TESS_DTYPE_I32, unsigned int                                       \
             : TESS_DTYPE_U32, long                                               \
             : sizeof(long) == 8 ? TESS_DTYPE_I64 : TESS_DTYPE_I32, unsigned long \
             : sizeof(long) == 8 ? TESS_DTYPE_U64 : TESS_DTYPE_U32, long long     \
             : TESS_DTYPE_I64, unsigned long long                                 \
             : TESS_DTYPE_U64, float                                              \
             : TESS_DTYPE_F32, double                                             \
             : TESS_DTYPE_F64, float _Complex                                     \
             : TESS_DTYPE_C64, double _Complex                                    \
             : TESS_DTYPE_C128)
#endif

/** Kind of an item, independent of its size. */
typedef enum tess_kind {
    TESS_KIND_OPAQUE = 0, /**< bytes without known meaning: `V`, or an unknown string */
    TESS_KIND_BOOL = 'b', /**< one byte, 0 or 1: `?`, `b1` */
    TESS_KIND_INT = 'i', /**< signed integer of 1, 2, 4 or 8 bytes */
    TESS_KIND_UINT = 'u', /**< unsigned integer of 1, 2, 4 or 8 bytes */
    TESS_KIND_FLOAT = 'f', /**< IEEE float of 2, 4 or 8 bytes, or a long double of 10 to 16 */
    TESS_KIND_COMPLEX = 'c', /**< two floats: 8 or 16 bytes (or two long doubles) */
    TESS_KIND_BYTES = 'S', /**< byte string of fixed length, padded with NUL */
    TESS_KIND_UNICODE = 'U', /**< string of UCS-4 code points, padded with NUL */
    TESS_KIND_DATETIME = 'M', /**< int64 count of the unit in the string since 1970 */
    TESS_KIND_TIMEDELTA = 'm', /**< int64 count of the unit in the string */
    TESS_KIND_STRUCT = '[' /**< several fields */
} tess_kind;

/** A parsed type. */
typedef struct tess_dtype {
    /** Kind of the items. */
    tess_kind kind;
    /** '<' little endian, '>' big endian, '|' byte order does not apply. */
    char order;
    /** Bytes of one item; for TESS_KIND_OPAQUE 0 when the string is not understood. */
    int32_t size;
} tess_dtype;

/**
 * Parse a type string.
 *
 * Never fails: a string that is not understood gives TESS_KIND_OPAQUE with size 0. Names without
 * a byte order ("uint8", "float64", "f4") are taken as little endian. Any thread may call.
 *
 * @param str  NUL-terminated string; NULL counts as not understood.
 * @return the type.
 */
TESS_API tess_dtype tess_dtype_parse(const char *str);

#ifdef __cplusplus
}
#endif

#endif
