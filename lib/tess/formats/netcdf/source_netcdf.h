/*
 * source_netcdf.h - what listing a whole netCDF file takes from reading a variable.
 */
#ifndef TESS_FORMATS_NETCDF_SOURCE_NETCDF_H
#define TESS_FORMATS_NETCDF_SOURCE_NETCDF_H

#include "formats/attributes.h"

// Adds the attributes of a group of an open file.
tess_status source_netcdf_group_attributes(int group, struct attributes *a, tess_error *err);

#endif
