/*
 * hdf5_types.h - types of items in HDF5 and in NumPy's notation.
 *
 * Items keep their bytes in both directions: they are read and written as what they are in the
 * file.
 */
#ifndef TESS_FORMATS_HDF5_HDF5_TYPES_H
#define TESS_FORMATS_HDF5_HDF5_TYPES_H

#include <tessera/error.h>

#include <hdf5.h>
#include <stdint.h>

#define HDF5_DTYPE_SIZE 32

// Integers, IEEE floats of 2, 4 and 8 bytes, complex numbers as h5py has them (compounds of r and
// i), booleans likewise (enumerations of FALSE and TRUE), strings of a fixed length, opaque bytes.
// TESS_ERR_UNSUPPORTED names others.
tess_status hdf5_dtype(hid_t type, char dtype[HDF5_DTYPE_SIZE], int32_t *typesize, tess_error *err);

// The reverse; end *type with H5Tclose().
tess_status hdf5_type(const char *dtype, int32_t typesize, hid_t *type, tess_error *err);

#endif
