/*
 * dims_arrays.h - arrays whose dimensions get names and coordinates.
 */
#ifndef SUPPORT_DIMS_ARRAYS_H
#define SUPPORT_DIMS_ARRAYS_H

#include <tessera.h>

enum { ROWS = 4, COLUMNS = 5 };

tess_storage dims_at(const char *path, tess_mode mode);

// ROWS x COLUMNS x 1, in memory or at a path.
tess_array *dims_grid(const char *path);

#endif
