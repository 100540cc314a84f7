/*
 * hdf5_stored.h - of which parts of a dataset a file has items; all others are its fill value.
 */
#ifndef CLI_FORMATS_HDF5_STORED_H
#define CLI_FORMATS_HDF5_STORED_H

#include "cli/formats/hdf5/hdf5_call.h"

#include <tessera/params.h>

#include <stdbool.h>

struct hdf5_stored {
    hid_t dataset; // the caller's
    int ndim;
    int64_t chunk[TESS_MAX_NDIM]; // of a chunked one
    bool all, none; // stored; else chunk by chunk
    hsize_t
        *first; // of each stored chunk its first item, if they are few; NULL: they are asked for
    hsize_t count;
};

// Of an open dataset. Where the library does not say it, all is stored.
void hdf5_stored_init(struct hdf5_stored *s, hid_t dataset, int ndim);
void hdf5_stored_finish(struct hdf5_stored *s);

// Whether a box has an item that is stored, or may be.
bool hdf5_stored_has(const struct hdf5_stored *s, const int64_t *start, const int64_t *stop);

#endif
