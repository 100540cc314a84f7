/*
 * format.h - what stands at a path, by its first bytes: formats that people take for an array, or
 * for raw items.
 */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include <stdbool.h>

enum format_kind {
    FORMAT_UNKNOWN, // raw items may look like anything
    FORMAT_ARRAY, // of Blosc2
    FORMAT_NPY,
    FORMAT_ZIP, // .npz files, too
    FORMAT_NETCDF, // classic; netCDF-4 files are HDF5
    FORMAT_HDF5,
    FORMAT_OTHER // that tess does not read
};

struct format_found {
    enum format_kind kind;
    const char *what; // "a TIFF image"; NULL for FORMAT_UNKNOWN
    const char *how; // to make an array of it
    bool folder;
};

// FORMAT_UNKNOWN, too, if it cannot be read. Nothing is read of what is neither file nor directory.
struct format_found format_at(const char *path);

// What a file with the suffix of `name` is, of formats that are not imported; NULL: it tells none.
const char *format_of_name(const char *name);

#endif
