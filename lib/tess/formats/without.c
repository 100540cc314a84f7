/*
 * without.c - what stands for the formats whose library this build was made without.
 */
#include "formats/feed.h"
#include "formats/sink.h"
#include "formats/source.h"
#include "formats/tree/tree.h"
#include "report.h"

#if !defined(HAVE_HDF5) || !defined(HAVE_NETCDF) || !defined(HAVE_LIBZIP)
static tess_status
refuse_format(const void *path, const void *part, void *result, const char *what, tess_error *err)
{
    (void)path;
    (void)part;
    (void)result;
    return report_set(err, TESS_ERR_UNSUPPORTED, "this build of tess does not %s", what);
}
#endif

#ifndef HAVE_HDF5
tess_status
source_hdf5_open(const char *path, const char *dataset, struct source **source, tess_error *err)
{
    return refuse_format(path, dataset, source, "read HDF5", err);
}

tess_status
sink_hdf5_open(const char *path, const struct sink_plan *plan, struct sink **sink, tess_error *err)
{
    return refuse_format(path, plan, sink, "write HDF5", err);
}

const struct sink_file_kind *
sink_file_hdf5(void)
{
    return NULL;
}

tess_status
tree_hdf5_list(const char *path, struct tree *t, tess_error *err)
{
    return refuse_format(path, NULL, t, "read HDF5", err);
}
#endif

#ifndef HAVE_NETCDF
tess_status
source_netcdf_open(const char *path, const char *variable, struct source **source, tess_error *err)
{
    return refuse_format(path, variable, source, "read netCDF", err);
}

tess_status
sink_netcdf_open(const char *path, const struct sink_plan *plan, struct sink **sink,
                 tess_error *err)
{
    return refuse_format(path, plan, sink, "write netCDF", err);
}

const struct sink_file_kind *
sink_file_netcdf(void)
{
    return NULL;
}

tess_status
tree_netcdf_list(const char *path, struct tree *t, tess_error *err)
{
    return refuse_format(path, NULL, t, "read netCDF", err);
}
#endif

#ifndef HAVE_LIBZIP
tess_status
feed_npz_open(const char *path, const char *member, struct feed **feed, tess_error *err)
{
    return refuse_format(path, member, feed, "read .npz", err);
}
#endif
