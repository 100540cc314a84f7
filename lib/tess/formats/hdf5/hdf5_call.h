/*
 * hdf5_call.h - what calls of HDF5 have in common: boxes, and what went wrong.
 */
#ifndef TESS_FORMATS_HDF5_HDF5_CALL_H
#define TESS_FORMATS_HDF5_HDF5_CALL_H

#include <tessera/error.h>

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

// Nothing is printed by the library from here on.
void hdf5_silence(void);

// "<what>: <the innermost sentence of HDF5>"; TESS_ERR_IO.
tess_status hdf5_fail(tess_error *err, const char *what);

// Selects the box [start, stop) of a dataset's space; the space of its items in memory, to be
// closed with H5Sclose(), or -1.
hid_t hdf5_select(hid_t space, int ndim, const int64_t *start, const int64_t *stop);

// Whether HDF5 or netCDF keeps its own books in an attribute of that name.
bool hdf5_is_internal(const char *attribute);

#endif
