/*
 * source_open.c - finds out what an input is, by its name.
 */
#include "cli/data/shapes.h"
#include "cli/formats/feed.h"
#include "cli/formats/source.h"
#include "cli/formats/tree/tree.h"
#include "cli/report.h"
#include "cli/text/text.h"

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

// part: "" for the only one that there is
static tess_status
open_file(const char *path, const char *part, struct source **source, tess_error *err)
{
    return text_ends_with(path, ".npz") ? open_npz(path, part[0] ? part : NULL, source, err)
           : text_is_hdf5(path)         ? source_hdf5_open(path, part, source, err)
                                        : source_netcdf_open(path, part, source, err);
}

static tess_status
open_part(const char *name, const char *colon, struct source **source, tess_error *err)
{
    char *const path = strndup(name, (size_t)(colon - name));

    if (!path)
        return report_nomem(err, colon - name);
    const tess_status st = open_file(path, colon + 1, source, err);
    free(path);
    return st;
}

static tess_status
open_raw(const char *name, const char *dtype, const char *shape, struct source **source,
         tess_error *err)
{
    int64_t parsed[TESS_MAX_NDIM];
    struct feed *feed = NULL;
    int ndim = 0;

    if (!dtype || !shape)
        return report_set(
            err, TESS_ERR_ARG,
            "raw input needs --dtype and --shape; other inputs are known by their suffix");
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

bool
source_has_name_of(const char *name)
{
    return text_ends_with(name, ".npy") || text_ends_with(name, ".npz") || text_is_hdf5(name) ||
           is_netcdf(name) || find_variable(name);
}

bool
source_is_tree(const char *name)
{
    return (is_netcdf(name) || text_is_hdf5(name)) && !find_variable(name);
}

tess_status
source_list(const char *name, struct tree *t, tess_error *err)
{
    if (access(name, F_OK) != 0)
        return report_errno(err, "cannot open");
    return text_is_hdf5(name) ? tree_hdf5_list(name, t, err) : tree_netcdf_list(name, t, err);
}

tess_status
source_open_variable(const char *name, const char *path, struct source **source, tess_error *err)
{
    return text_is_hdf5(name) ? source_hdf5_open(name, path, source, err)
                              : source_netcdf_open(name, path, source, err);
}

tess_status
source_open(const char *name, const char *dtype, const char *shape, struct source **source,
            tess_error *err)
{
    const char *const colon = find_variable(name);
    const bool npy = text_ends_with(name, ".npy"), npz = text_ends_with(name, ".npz");

    if (strcmp(name, "-") == 0)
        return open_stdin(dtype, shape, source, err);
    if (!colon && access(name, F_OK) != 0)
        return report_errno(err, "cannot open");
    if ((dtype || shape) && (colon || npy || npz))
        return report_set(err, TESS_ERR_ARG, "--dtype and --shape are for raw input");
    if (dtype || shape || !source_has_name_of(name))
        return open_raw(name, dtype, shape, source, err);
    return colon ? open_part(name, colon, source, err)
           : npy ? source_npy_open(name, NULL, source, err)
                 : open_file(name, "", source, err);
}
