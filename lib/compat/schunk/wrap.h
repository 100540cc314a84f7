/*
 * wrap.h - super-chunks begin and end.
 */
#ifndef COMPAT_SCHUNK_WRAP_H
#define COMPAT_SCHUNK_WRAP_H

#include "compat/schunk/schunk.h"

/*
 * Wrap a handle, which then belongs to the super-chunk, as does the caller's part of access. path:
 * where the array lives, NULL: in memory. NULL if memory is missing: both stay the caller's.
 */
struct b2_schunk *b2_schunk_wrap(tess_array *a, const blosc2_storage *storage, const char *path,
                                 struct b2_access *access, bool is_view);

#endif
