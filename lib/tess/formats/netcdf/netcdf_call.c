/*
 * netcdf_call.c - what calls of netCDF have in common: what went wrong.
 */
#include "formats/netcdf/netcdf_call.h"

#include "report.h"

#include <netcdf.h>

tess_status
netcdf_fail(tess_error *err, const char *what, int status)
{
    const tess_status st = status == NC_ENOMEM ? TESS_ERR_NOMEM : TESS_ERR_IO;
    return report_set(err, st, "%s: %s", what, nc_strerror(status));
}
