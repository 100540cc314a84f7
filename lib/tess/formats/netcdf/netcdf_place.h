/*
 * netcdf_place.h - the netCDF file that a variable goes to, and its place there.
 */
#ifndef TESS_FORMATS_NETCDF_NETCDF_PLACE_H
#define TESS_FORMATS_NETCDF_NETCDF_PLACE_H

#include "formats/sink.h"

#include <netcdf.h>

struct netcdf_place {
    int file; // open, in define mode; -1: not open
    int group; // where the variable goes
    const char *name; // what it is called there; a part of plan->part
    int variable; // -1: to be defined; else it is there, with this type and shape
    bool classic; // netCDF-3: nothing is compressed
    // The dimensions of the variable that was replaced. Unlimited ones are as long as the longest
    // variable that has them, and so may be shorter now.
    int ndim;
    int dimensions[TESS_MAX_NDIM];
    size_t lengths[TESS_MAX_NDIM];
};

// A file for several variables.
struct netcdf_file {
    struct sink_file base;
    int id; // open, or -1
};

// The group that a name with slashes lies in, from the root; where one is missing it is made, or
// *group is -1.
tess_status netcdf_place_group(int file, const char *part, bool make, int *group, tess_error *err);

/*
 * Makes the file `path`: a new one, or with plan->old a copy of that, without the variable that is
 * to be replaced, if there is one; or with plan->file takes that, which stays the caller's. The
 * variable will have items of that type. The file is to be closed by the caller, also after a
 * failure.
 */
tess_status netcdf_place_open(struct netcdf_place *p, const char *path,
                              const struct sink_plan *plan, nc_type type, tess_error *err);

// Whether a dimension can have that length for the variable, without another one getting longer.
bool netcdf_place_fits(const struct netcdf_place *p, int dimension, size_t length);

#endif
