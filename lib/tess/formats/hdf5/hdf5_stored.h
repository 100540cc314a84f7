/*
 * hdf5_stored.h - which parts of a dataset are stored in the file; all other items are the fill
 * value.
 */
#ifndef TESS_FORMATS_HDF5_HDF5_STORED_H
#define TESS_FORMATS_HDF5_HDF5_STORED_H

#include "formats/hdf5/hdf5_call.h"

#include <tessera/params.h>

#include <stdbool.h>

struct hdf5_stored {
    hid_t dataset; // the caller's
    int ndim;
    int64_t chunk[TESS_MAX_NDIM]; // shape of a chunk, if neither all nor none
    bool all, none; // all items are stored, or none; neither: some chunks
    hsize_t *first; // index of the first item of each stored chunk; NULL: look chunks up
    hsize_t count; // of stored chunks
};

// For an open dataset. If HDF5 does not tell what is stored, everything counts as stored.
void hdf5_stored_init(struct hdf5_stored *s, hid_t dataset, int ndim);
void hdf5_stored_finish(struct hdf5_stored *s);

// Whether a box contains a stored item, or may contain one.
bool hdf5_stored_has(const struct hdf5_stored *s, const int64_t *start, const int64_t *stop);

#endif
