/*
 * json.h - values as JSON text, in the notation of <tessera/attr.h>. Binary strings are base64
 * there: RFC 4648 section 4, with padding, without line breaks.
 */
#ifndef META_JSON_H
#define META_JSON_H

#include "base/error.h"

#include <tessera/attr.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Write a value that value_parse() or value_opaque() made. *text is allocated for the caller and
// ends with a NUL.
tess_status json_write(const tess_value *value, char **text, tess_error *err);

// Read one JSON value, as msgpack; *out is allocated for the caller, NULL if there are no bytes.
// The text is the user's: TESS_ERR_ARG, TESS_ERR_LIMIT (nested too deeply, or
// more than LAYER_CONTENT_MAX bytes), TESS_ERR_NOMEM.
tess_status json_read(const char *text, uint8_t **out, size_t *out_size, tess_error *err);

// Decode `size` characters of base64 in place; *decoded receives the number of bytes. Takes what
// json_write() makes and nothing else.
bool base64_decode(uint8_t *text, size_t size, size_t *decoded);

#endif
