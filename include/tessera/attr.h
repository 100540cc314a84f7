/**
 * @file attr.h
 * Attributes: named, typed values attached to an array, readable by other programs.
 *
 * An attribute is a variable-length metalayer (meta.h) that holds one msgpack value. python-blosc2
 * stores its `vlmeta` in the same way; each reads what the other wrote. Names, their limits, and
 * listing (tess_info.nvlmetalayers, tess_vlmeta_name()) are those of variable-length metalayers,
 * and so is the maximum of 16, in memory 8192. Changes are committed together with those of the
 * items.
 *
 *     TRY(tess_attr_set_string(a, "units", "metres", &err));
 *     TRY(tess_attr_set_float(a, "scale", 0.01, &err));
 *     TRY(tess_attr_set_json(a, "origin", "{\"x\": 1.5, \"y\": [2, 3]}", &err));
 *
 * Threads: any number of threads may read, set and delete attributes of one array at once, also
 * while others read and write items (array.h).
 */
#ifndef TESSERA_ATTR_H
#define TESSERA_ATTR_H

#include "tessera/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum depth of nested lists and maps, the outermost included. */
#define TESS_VALUE_MAX_DEPTH 32

/** Type of a value. */
typedef enum tess_value_type {
    TESS_VALUE_NULL = 0, /**< nothing: None, null */
    TESS_VALUE_BOOL = 1, /**< as.boolean */
    TESS_VALUE_INT = 2, /**< as.i64 */
    TESS_VALUE_UINT = 3, /**< as.u64; on reading, only values of 2^63 and more */
    TESS_VALUE_FLOAT = 4, /**< as.f64 */
    TESS_VALUE_STRING = 5, /**< as.string, UTF-8 */
    TESS_VALUE_BYTES = 6, /**< as.bytes */
    TESS_VALUE_LIST = 7, /**< as.list */
    TESS_VALUE_MAP = 8, /**< as.map */
    TESS_VALUE_EXT = 9, /**< as.bytes and ext: a msgpack extension, such as a timestamp (-1) */
    /**
     * as.bytes: the whole content of a metalayer that is not a single msgpack value within the
     * limits of this header. Never inside a list or map.
     */
    TESS_VALUE_OPAQUE = 10
} tess_value_type;

/**
 * A value and everything it contains. Programs may build one in their own memory:
 *
 *     const tess_value v = {.type = TESS_VALUE_INT, .as = {.i64 = 42}};
 */
typedef struct tess_value {
    tess_value_type type; /**< selects the member of `as` */
    int ext; /**< code of an extension, -128 to 127; else not used */
    union {
        bool boolean; /**< of TESS_VALUE_BOOL */
        int64_t i64; /**< of TESS_VALUE_INT */
        uint64_t u64; /**< of TESS_VALUE_UINT */
        double f64; /**< of TESS_VALUE_FLOAT */
        struct {
            const char *data; /**< on reading NUL-terminated; may be NULL if size is 0 */
            size_t size; /**< bytes, without that NUL */
        } string; /**< of TESS_VALUE_STRING */
        struct {
            const void *data; /**< may be NULL if size is 0 */
            size_t size; /**< bytes */
        } bytes; /**< of TESS_VALUE_BYTES, TESS_VALUE_EXT, TESS_VALUE_OPAQUE */
        struct {
            const struct tess_value *items; /**< may be NULL if count is 0 */
            size_t count; /**< values in the list */
        } list; /**< of TESS_VALUE_LIST */
        struct {
            const struct tess_pair *pairs; /**< in the order of the file; NULL if count is 0 */
            size_t count; /**< entries of the map */
        } map; /**< of TESS_VALUE_MAP */
    } as; /**< the value; unused for TESS_VALUE_NULL */
} tess_value;

/** An entry of a map. Keys may be values of any type; in practice they are strings. */
typedef struct tess_pair {
    tess_value key; /**< of any type */
    tess_value value; /**< value of the key */
} tess_pair;

/**
 * The name of a type.
 *
 * @param type  Any number.
 * @return "null", "bool", "int", "uint", "float", "string", "bytes", "list", "map", "ext" or
 *         "opaque"; static. Never NULL.
 */
TESS_API const char *tess_value_type_name(tess_value_type type);

/**
 * Find the value of a string key in a map.
 *
 * @param map  A value; NULL, and a value that is not a map, has no keys.
 * @param key  NUL-terminated.
 * @return the value, which belongs to the map; the last one if keys repeat, as in Python; NULL if
 *         there is no such key.
 */
TESS_API const tess_value *tess_value_find(const tess_value *map, const char *key);

/**
 * Read an attribute.
 *
 * @param a      Open array.
 * @param name   Its name.
 * @param value  Receives the value in a single allocation: one tess_free() frees it with everything
 *               it contains. NULL on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, also if the content is not msgpack (type TESS_VALUE_OPAQUE);
 *         TESS_ERR_NOT_FOUND if the attribute does not exist;
 *         TESS_ERR_LIMIT if content or value exceed tess_limits.memory;
 *         TESS_ERR_CORRUPT if the content cannot be decompressed; TESS_ERR_NOMEM.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_get(const tess_array *a, const char *name,
                                                  tess_value **value, tess_error *err);

/**
 * Add or replace an attribute.
 *
 * @param a      Array opened for writing.
 * @param name   1 to TESS_MAX_NAME bytes.
 * @param value  Copied. TESS_VALUE_OPAQUE stores the bytes as they are.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, or
 *         TESS_ERR_ARG if name or value is invalid (a string that is not UTF-8, an unknown type);
 *         TESS_ERR_LIMIT if the value is nested too deeply or too large, or if it would be a 17th
 *         metalayer;
 *         TESS_ERR_NOMEM. After a failure the attribute is as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_set(tess_array *a, const char *name,
                                                  const tess_value *value, tess_error *err);

/**
 * Delete an attribute.
 *
 * @param a     Array opened for writing.
 * @param name  Its name.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_vlmeta_delete().
 */
TESS_API TESS_NODISCARD tess_status tess_attr_delete(tess_array *a, const char *name,
                                                     tess_error *err);

/**
 * @name Set an attribute of a given type. Otherwise as tess_attr_set().
 *
 * @param a     Array opened for writing.
 * @param name  1 to TESS_MAX_NAME bytes.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_attr_set().
 */
/**@{*/
/**
 * Set a bool.
 * @param value  Stored as true or false, not as a number.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_set_bool(tess_array *a, const char *name, bool value,
                                                       tess_error *err);
/**
 * Set an integer.
 * @param value  Any signed 64-bit integer.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_set_int(tess_array *a, const char *name,
                                                      int64_t value, tess_error *err);
/**
 * Set a float.
 * @param value  Also NaN and the infinities.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_set_float(tess_array *a, const char *name,
                                                        double value, tess_error *err);
/**
 * Set a string.
 * @param text  NUL-terminated UTF-8.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_set_string(tess_array *a, const char *name,
                                                         const char *text, tess_error *err);
/**
 * Set bytes.
 * @param bytes       Copied. May be NULL if there are none.
 * @param bytes_size  Their number.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_set_bytes(tess_array *a, const char *name,
                                                        const void *bytes, size_t bytes_size,
                                                        tess_error *err);
/**@}*/

/**
 * @name Read an attribute of a given type. Otherwise as tess_attr_get(). If the attribute has
 * another type: TESS_ERR_TYPE. After any failure the output is unchanged: initialise a pointer with
 * NULL if it is freed in any case.
 *
 * @param a     Open array.
 * @param name  Name of the attribute.
 * @param err   Filled on failure; may be NULL.
 *
 * @return as tess_attr_get(), or TESS_ERR_TYPE.
 */
/**@{*/
/**
 * Get a bool.
 * @param value  Receives the value. A number is not accepted as a bool.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_get_bool(const tess_array *a, const char *name,
                                                       bool *value, tess_error *err);
/**
 * Get an integer.
 * @param value  Receives the value. Integers above 2^63 - 1, and floats, are TESS_ERR_TYPE.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_get_int(const tess_array *a, const char *name,
                                                      int64_t *value, tess_error *err);
/**
 * Get a float.
 * @param value  Receives the value, also of integers that a double represents exactly.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_get_float(const tess_array *a, const char *name,
                                                        double *value, tess_error *err);
/**
 * Get a string.
 * @param text       Receives a NUL-terminated copy; free it with tess_free().
 * @param text_size  Receives the number of bytes, without the NUL. May be NULL.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_get_string(const tess_array *a, const char *name,
                                                         char **text, size_t *text_size,
                                                         tess_error *err);
/**
 * Get bytes.
 * @param bytes       Receives a copy; free it with tess_free().
 * @param bytes_size  Receives the number of bytes.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_get_bytes(const tess_array *a, const char *name,
                                                        void **bytes, size_t *bytes_size,
                                                        tess_error *err);
/**@}*/

/**
 * Read an attribute as JSON.
 *
 * Floats are written so that they read back as the same number, always with a point or exponent.
 * Values without a JSON type are written as an object with one key:
 *
 *     {"$bytes": "AAEC"}               bytes, in base64
 *     {"$float": "nan"}                nan, inf, -inf
 *     {"$ext": [-1, "ZR8a8A=="]}       an extension: code, bytes in base64
 *     {"$map": [[1, "a"], [2, "b"]]}   a map with keys that are not strings, or whose first key
 *                                      starts with '$'
 *     {"$opaque": "wQ=="}              content that is not msgpack, in base64; outermost only
 *
 * @param a     Open array.
 * @param name  Its name.
 * @param json  Receives one NUL-terminated line of UTF-8; free it with tess_free().
 * @param err   Filled on failure; may be NULL.
 * @return As tess_attr_get().
 */
TESS_API TESS_NODISCARD tess_status tess_attr_get_json(const tess_array *a, const char *name,
                                                       char **json, tess_error *err);

/**
 * Add or replace an attribute by a value in JSON, in the notation of tess_attr_get_json().
 *
 * Numbers without point and exponent are integers, from -2^63 to 2^64 - 1.
 *
 * @param a     Array opened for writing.
 * @param name  1 to TESS_MAX_NAME bytes.
 * @param json  One JSON value; NUL-terminated.
 * @param err   Filled on failure; may be NULL.
 * @return As tess_attr_set(); TESS_ERR_ARG if the text is not valid JSON.
 */
TESS_API TESS_NODISCARD tess_status tess_attr_set_json(tess_array *a, const char *name,
                                                       const char *json, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
