/*
 * tree_import.h - a whole netCDF or HDF5 file as a folder of arrays.
 */
#ifndef TESS_FORMATS_TREE_TREE_IMPORT_H
#define TESS_FORMATS_TREE_TREE_IMPORT_H

#include "options.h"

#include <stdbool.h>

// Whether tess import makes a folder, or a store, of the whole file `in`.
bool tree_import_takes(const char *in, const char *out);

/*
 * Makes the folder `out` of the file `in`, with the options of tess import. The folder appears when
 * it is complete; in a store, or a group of one, it is one commit. Variables that cannot be arrays
 * are named on stderr, as are attributes; with
 * --strict they are a failure. An exit status: 1 if variables were left.
 */
int tree_import(const char *in, const char *out, const struct arguments *args);

#endif
