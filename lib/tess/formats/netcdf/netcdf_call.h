/*
 * netcdf_call.h - what calls of netCDF have in common: what went wrong.
 */
#ifndef TESS_FORMATS_NETCDF_NETCDF_CALL_H
#define TESS_FORMATS_NETCDF_NETCDF_CALL_H

#include <tessera/error.h>

// "<what>: <the sentence of netCDF>"
tess_status netcdf_fail(tess_error *err, const char *what, int status);

#endif
