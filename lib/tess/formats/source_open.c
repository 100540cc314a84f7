/*
 * source_open.c - recognises the format of an input by its first bytes, or else by its name.
 */
#include "data/format.h"
#include "data/shapes.h"
#include "formats/feed.h"
#include "formats/source.h"
#include "formats/tree/tree.h"
#include "report.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The colon of `file.nc:variable` and its like: the last one, if the name as a whole is not a file
// and what stands before it is.
static const char *
find_variable(const char *name)
{
    const char *colon = strrchr(name, ':');

    if (!colon || access(name, F_OK) == 0)
        return NULL;
    char *path = strndup(name, (size_t)(colon - name));
    const bool exists = path && access(path, F_OK) == 0;
    free(path);
    return exists ? colon : NULL;
}

static tess_status
open_npz(const char *path, const char *member, struct source **source, tess_error *err)
{
    struct feed *feed = NULL;
    const tess_status st = feed_npz_open(path, member, &feed, err);

    return st == TESS_OK ? source_npy_open(NULL, feed, source, err) : st;
}

static bool
is_netcdf(const char *name)
{
    return text_ends_with(name, ".nc") || text_ends_with(name, ".nc4") ||
           text_ends_with(name, ".cdf");
}

// Whether a file is HDF5, not netCDF. A netCDF-4 file is both: its suffix decides.
static bool
is_hdf5(const char *path, const struct format_found *is)
{
    return is->kind == FORMAT_HDF5 ? !is_netcdf(path)
                                   : is->kind != FORMAT_NETCDF && text_is_hdf5(path);
}

static tess_status
open_raw(const char *name, const char *dtype, const char *shape, struct source **source,
         tess_error *err)
{
    int64_t parsed[TESS_MAX_NDIM];
    struct feed *feed = NULL;
    int ndim = 0;

    const char *const other = !dtype && !shape ? format_of_name(name) : NULL;
    if (other)
        return report_set(err, TESS_ERR_ARG,
                          "has the name of %s, but does not begin as one; if it is raw items, they "
                          "need --dtype and --shape",
                          other);
    if (!dtype || !shape)
        return report_set(err, TESS_ERR_ARG,
                          "raw input needs --dtype and --shape; other inputs are known by their "
                          "first bytes or their suffix");
    tess_status st = shapes_parse("--shape", shape, &ndim, parsed, err);
    if (st != TESS_OK)
        return st;
    if (strcmp(name, "-") != 0)
        return source_raw_open(name, NULL, dtype, ndim, parsed, source, err);
    st = feed_stdin_open(&feed, err);
    return st == TESS_OK ? source_raw_open(NULL, feed, dtype, ndim, parsed, source, err) : st;
}

static tess_status
open_stdin(const char *dtype, const char *shape, struct source **source, tess_error *err)
{
    struct feed *feed = NULL;

    if (dtype || shape)
        return open_raw("-", dtype, shape, source, err);
    tess_status st = feed_stdin_open(&feed, err);
    if (st == TESS_OK)
        st = source_npy_open(NULL, feed, source, err);
    if (st == TESS_ERR_FORMAT)
        return report_set(err, TESS_ERR_FORMAT,
                          "not a .npy file; raw items need --dtype and --shape");
    return st;
}

// The suffixes of formats that can be imported.
static bool
has_name_of_kind(const char *name)
{
    return text_ends_with(name, ".npy") || text_ends_with(name, ".npz") || text_is_hdf5(name) ||
           is_netcdf(name);
}

bool
source_is_meant(const char *name)
{
    const enum format_kind kind = format_at(name).kind;

    return has_name_of_kind(name) || find_variable(name) ||
           (kind != FORMAT_UNKNOWN && kind != FORMAT_ARRAY && kind != FORMAT_OTHER);
}

bool
source_is_tree(const char *name)
{
    const enum format_kind kind = format_at(name).kind;
    const bool named = is_netcdf(name) || text_is_hdf5(name);

    return (kind == FORMAT_NETCDF || kind == FORMAT_HDF5 || (kind == FORMAT_UNKNOWN && named)) &&
           !find_variable(name);
}

tess_status
source_list(const char *name, struct tree *t, tess_error *err)
{
    const struct format_found is = format_at(name);

    if (access(name, F_OK) != 0)
        return report_errno(err, "opening the file");
    return is_hdf5(name, &is) ? tree_hdf5_list(name, t, err) : tree_netcdf_list(name, t, err);
}

tess_status
source_open_variable(const char *name, const char *path, struct source **source, tess_error *err)
{
    const struct format_found is = format_at(name);

    return is_hdf5(name, &is) ? source_hdf5_open(name, path, source, err)
                              : source_netcdf_open(name, path, source, err);
}

// Open by the first bytes, else by the name. part: the part behind the colon; "": the only one.
static tess_status
open_kind(const char *path, const char *part, const struct format_found *is, struct source **source,
          tess_error *err)
{
    if (is->kind == FORMAT_ARRAY || is->kind == FORMAT_OTHER)
        return report_set(err, TESS_ERR_ARG, "%s; %s", is->what, is->how);
    if (is->kind == FORMAT_NPY && !part[0])
        return source_npy_open(path, NULL, source, err);
    if (is->kind == FORMAT_ZIP)
        return open_npz(path, part[0] ? part : NULL, source, err);
    if (is->kind == FORMAT_UNKNOWN && text_ends_with(path, ".npz"))
        return open_npz(path, part[0] ? part : NULL, source, err);
    if (is->kind == FORMAT_UNKNOWN && text_ends_with(path, ".npy"))
        return source_npy_open(path, NULL, source, err);
    return is_hdf5(path, is) ? source_hdf5_open(path, part, source, err)
                             : source_netcdf_open(path, part, source, err);
}

static tess_status
open_part(const char *name, const char *colon, struct source **source, tess_error *err)
{
    char *const path = strndup(name, (size_t)(colon - name));

    if (!path)
        return report_nomem(err, colon - name);
    const struct format_found is = format_at(path);
    const tess_status st = open_kind(path, colon + 1, &is, source, err);
    free(path);
    return st;
}

tess_status
source_open(const char *name, const char *dtype, const char *shape, struct source **source,
            tess_error *err)
{
    const char *const colon = find_variable(name);

    if (strcmp(name, "-") == 0)
        return open_stdin(dtype, shape, source, err);
    if (!colon && access(name, F_OK) != 0)
        return report_errno(err, "opening the file");
    if ((dtype || shape) && colon)
        return report_set(err, TESS_ERR_ARG, "--dtype and --shape are for raw input");
    if (colon)
        return open_part(name, colon, source, err);
    const struct format_found is = format_at(name);
    if ((dtype || shape) && is.kind != FORMAT_UNKNOWN)
        return report_set(err, TESS_ERR_ARG, "%s, not raw items; %s%s", is.what, is.how,
                          is.folder ? "" : "; from standard input, -, bytes are taken as they are");
    if ((dtype || shape) && (text_ends_with(name, ".npy") || text_ends_with(name, ".npz")))
        return report_set(err, TESS_ERR_ARG, "--dtype and --shape are for raw input");
    if (!dtype && !shape && is.kind == FORMAT_UNKNOWN && is.what && !has_name_of_kind(name))
        return report_set(err, TESS_ERR_ARG, "%s", is.what);
    return is.kind == FORMAT_UNKNOWN && (dtype || shape || !has_name_of_kind(name))
               ? open_raw(name, dtype, shape, source, err)
               : open_kind(name, "", &is, source, err);
}
