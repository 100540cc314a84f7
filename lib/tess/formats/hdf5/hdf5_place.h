/*
 * hdf5_place.h - the place of a dataset in an HDF5 file that exists: what is there, and how it
 * goes.
 */
#ifndef TESS_FORMATS_HDF5_HDF5_PLACE_H
#define TESS_FORMATS_HDF5_HDF5_PLACE_H

#include <tessera/error.h>

#include <hdf5.h>
#include <stdbool.h>

enum hdf5_place {
    HDF5_PLACE_FREE, // nothing
    HDF5_PLACE_TAKEN, // a dataset, or a link that leads nowhere
    HDF5_PLACE_SCALE // a dataset that is a dimension scale, which others refer to
};

// What has that name. TESS_ERR_IO: something that no dataset can replace; or a link on the way
// leads to another file.
tess_status hdf5_place_look(hid_t file, const char *name, enum hdf5_place *place, tess_error *err);

// "holds NAME; --force replaces it"
tess_status hdf5_place_refuse(const char *name, tess_error *err);

// Removes what HDF5_PLACE_TAKEN is. The scales of its own axes forget it.
tess_status hdf5_place_clear(hid_t file, const char *name, tess_error *err);

// The same of one or the other name, in a closed file.
tess_status hdf5_place_clear_file(const char *path, const char *name, const char *other,
                                  tess_error *err);

#endif
