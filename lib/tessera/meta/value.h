/*
 * value.h - msgpack <-> a tree of values.
 *
 * What the bytes of a stranger may do is bounded: nesting and memory by what the caller allows;
 * strings are UTF-8, extensions are kept as they are.
 */
#ifndef META_VALUE_H
#define META_VALUE_H

#include "base/error.h"

#include <tessera/attr.h>

#include <stddef.h>
#include <stdint.h>

/*
 * Parse src, which is one msgpack value and nothing else. *value is one allocation: free() it. It
 * does not point into src. TESS_ERR_CORRUPT (err->offset counts from src; also where lists and maps
 * are nested deeper than max_depth <= TESS_VALUE_MAX_DEPTH), TESS_ERR_LIMIT (it would
 * need more than max_memory bytes), TESS_ERR_NOMEM; *value is NULL then.
 */
tess_status value_parse(const uint8_t *src, size_t size, int max_depth, int64_t max_memory,
                        tess_value **value, tess_error *err);

// A value of type TESS_VALUE_OPAQUE that holds a copy of src; else as value_parse().
tess_status value_opaque(const uint8_t *src, size_t size, int64_t max_memory, tess_value **value,
                         tess_error *err);

// Write a value, each part in its shortest form. *out is allocated for the caller. The value is
// the user's: TESS_ERR_ARG if it breaks the rules, TESS_ERR_LIMIT (nested too deeply, or more than
// LAYER_CONTENT_MAX bytes: known before anything is copied), TESS_ERR_NOMEM. An opaque value is
// written as its bytes; *out may be NULL then.
tess_status value_pack(const tess_value *value, uint8_t **out, size_t *out_size, tess_error *err);

#endif
