/*
 * chunks.h - the list of an array's chunks.
 */
#ifndef TESS_TEXT_CHUNKS_H
#define TESS_TEXT_CHUNKS_H

#include "text/json.h"

#include <tessera/array.h>

// Both print each chunk when it has been looked at, and stop at one that is damaged.

// A table, and a line that sums it up.
tess_status chunks_write(FILE *out, tess_array *a, const tess_info *info, tess_error *err);

// The key chunks of an object: a list of objects.
tess_status chunks_json(struct json *j, tess_array *a, const tess_info *info, tess_error *err);

#endif
