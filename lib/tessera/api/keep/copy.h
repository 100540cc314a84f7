/*
 * copy.h - where copies of an array may go.
 */
#ifndef API_KEEP_COPY_H
#define API_KEEP_COPY_H

#include "array/array.h"

// Not to the place of the array itself while it is written, nor inside its directory. The storage
// has a path.
tess_status copy_check_target(const tess_array *a, const tess_storage *storage, tess_error *err);

#endif
