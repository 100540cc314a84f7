/*
 * format.h - recognises the format of a file or directory by its first bytes: formats that are
 * imported, and others that users may give in place of an array or of raw items.
 */
#ifndef TESS_DATA_FORMAT_H
#define TESS_DATA_FORMAT_H

#include <stdbool.h>

enum format_kind {
    FORMAT_UNKNOWN, // perhaps raw items
    FORMAT_ARRAY, // an array or frame of Blosc2
    FORMAT_NPY,
    FORMAT_ZIP, // also .npz
    FORMAT_NETCDF, // classic netCDF; netCDF-4 files are FORMAT_HDF5
    FORMAT_HDF5,
    FORMAT_OTHER // a format that tess does not read
};

struct format_found {
    enum format_kind kind;
    const char *what; // "a TIFF image"; NULL for FORMAT_UNKNOWN
    const char *how; // how to make an array of it, for messages; may be NULL
    bool folder;
};

// Also FORMAT_UNKNOWN: what cannot be read, and pipes and devices, which are not opened.
struct format_found format_at(const char *path);

// The format that the suffix of `name` stands for, among those that are not imported; else NULL.
const char *format_of_name(const char *name);

#endif
