/*
 * source_hdf5.h - what listing a whole HDF5 file takes from reading a dataset.
 */
#ifndef TESS_FORMATS_HDF5_SOURCE_HDF5_H
#define TESS_FORMATS_HDF5_SOURCE_HDF5_H

#include "formats/attributes.h"

#include <hdf5.h>

// Adds the attributes of a group of an open file.
tess_status source_hdf5_group_attributes(hid_t group, struct attributes *a, tess_error *err);

#endif
