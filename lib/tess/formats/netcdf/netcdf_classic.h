/*
 * netcdf_classic.h - netCDF-3 files without one of their variables.
 */
#ifndef TESS_FORMATS_NETCDF_NETCDF_CLASSIC_H
#define TESS_FORMATS_NETCDF_NETCDF_CLASSIC_H

#include <tessera/error.h>

/*
 * Copies an open netCDF-3 file to a new one of the same kind, without the variable `but`: all
 * dimensions, attributes and other variables, in their order. *file receives the new one, open for
 * writing, or -1.
 */
tess_status netcdf_classic_copy(int from, const char *path, int but, int *file, tess_error *err);

#endif
