/*
 * tree_export.h - a folder of arrays as a whole netCDF or HDF5 file.
 */
#ifndef TESS_FORMATS_TREE_TREE_EXPORT_H
#define TESS_FORMATS_TREE_TREE_EXPORT_H

#include "formats/sink.h"
#include "options.h"

// Whether a path is a directory that is no array.
bool tree_is_folder(const char *path);
// That, or a store.
bool tree_is_whole(const char *path);

/*
 * Makes the file `out` of the folder `in`, by that kind of sink; `level` is that of sink_plan. The
 * file appears when it is complete. Arrays that the format cannot hold are named on stderr; with
 * --strict they are a failure. An exit status: 1 if arrays were left.
 */
int tree_export(const char *in, const char *out, const struct sink_file_kind *kind, int level,
                const struct arguments *args);

#endif
