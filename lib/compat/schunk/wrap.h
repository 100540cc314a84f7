/*
 * wrap.h - super-chunks begin and end.
 */
#ifndef COMPAT_SCHUNK_WRAP_H
#define COMPAT_SCHUNK_WRAP_H

#include "schunk/schunk.h"

/*
 * Wrap a handle, which then belongs to the super-chunk, as does the caller's part of access. path:
 * where the array lives, NULL: in memory. NULL if memory is missing: both stay the caller's.
 */
struct b2_schunk *b2_schunk_wrap(tess_array *a, const blosc2_storage *storage, const char *path,
                                 struct b2_access *access, bool is_view);

// A new array is not to be, as its super-chunk could not begin: close it (NULL: it is closed), drop
// access (NULL: there is none), and remove the file at path (NULL: in memory).
void b2_schunk_undo(tess_array *a, struct b2_access *access, const char *path);

#endif
