/*
 * tree_netcdf.c - what a whole netCDF file holds.
 */
#include "formats/attributes.h"
#include "formats/netcdf/netcdf_call.h"
#include "formats/netcdf/source_netcdf.h"
#include "formats/tree/tree.h"
#include "report.h"

#include <netcdf.h>
#include <stdlib.h>

static tess_status
list_dimensions(int group, struct tree *t, struct tree_group *g, tess_error *err)
{
    int count = 0, nunlimited = 0, *ids = NULL, *unlimited = NULL;
    tess_status st = TESS_OK;

    int status = nc_inq_dimids(group, &count, NULL, 0);
    if (status == NC_NOERR)
        status = nc_inq_unlimdims(group, &nunlimited, NULL);
    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot list the dimensions", status);
    ids = attributes_alloc(&t->memory, (size_t)count, sizeof *ids);
    unlimited = attributes_alloc(&t->memory, (size_t)nunlimited, sizeof *unlimited);
    if (!ids || !unlimited)
        return report_nomem(err, count);
    status = nc_inq_dimids(group, NULL, ids, 0);
    if (status == NC_NOERR)
        status = nc_inq_unlimdims(group, NULL, unlimited);
    for (int i = 0; i < count && status == NC_NOERR && st == TESS_OK; i++) {
        char name[NC_MAX_NAME + 1];
        size_t length = 0;
        bool grows = false;

        status = nc_inq_dim(group, ids[i], name, &length);
        for (int k = 0; k < nunlimited; k++)
            grows = grows || unlimited[k] == ids[i];
        if (status == NC_NOERR && length > SIZE_MAX / 2)
            st = report_set(err, TESS_ERR_LIMIT, "a dimension of %zu", length);
        else if (status == NC_NOERR && !tree_add_dimension(t, g, name, (int64_t)length, grows))
            st = report_nomem(err, NC_MAX_NAME);
    }
    return status == NC_NOERR ? st : netcdf_fail(err, "cannot list the dimensions", status);
}

static tess_status
list_variables(int group, struct tree *t, struct tree_group *g, tess_error *err)
{
    int count = 0;

    int status = nc_inq_varids(group, &count, NULL);
    int *const ids = attributes_alloc(&t->memory, (size_t)(count > 0 ? count : 0), sizeof *ids);
    if (!ids)
        return report_nomem(err, count);
    if (status == NC_NOERR)
        status = nc_inq_varids(group, NULL, ids);
    for (int i = 0; i < count && status == NC_NOERR; i++) {
        char name[NC_MAX_NAME + 1];

        status = nc_inq_varname(group, ids[i], name);
        if (status == NC_NOERR && !tree_add_variable(t, g, name, NULL))
            return report_nomem(err, NC_MAX_NAME);
    }
    return status == NC_NOERR ? TESS_OK : netcdf_fail(err, "cannot list the variables", status);
}

static tess_status
list_group(int group, const char *path, int depth, struct tree *t, tess_error *err)
{
    struct tree_group *const g = tree_add_group(t, path);
    int count = 0;
    tess_status st = TESS_OK;

    if (!g)
        return report_nomem(err, sizeof *g);
    if (depth == TREE_DEPTH_MAX)
        return report_set(err, TESS_ERR_LIMIT, "more than %d groups inside each other",
                          TREE_DEPTH_MAX);
    TRY(source_netcdf_group_attributes(group, &g->attributes, err));
    TRY(list_dimensions(group, t, g, err));
    TRY(list_variables(group, t, g, err));
    if (nc_inq_grps(group, &count, NULL) != NC_NOERR)
        return TESS_OK; // netCDF-3 has none
    int *const ids = attributes_alloc(&t->memory, (size_t)count, sizeof *ids);
    if (!ids)
        return report_nomem(err, count);
    int status = nc_inq_grps(group, NULL, ids);
    for (int i = 0; i < count && status == NC_NOERR && st == TESS_OK; i++) {
        char name[NC_MAX_NAME + 1];

        status = nc_inq_grpname(ids[i], name);
        const char *const inner = status == NC_NOERR ? tree_join(t, path, name) : NULL;
        if (inner)
            st = list_group(ids[i], inner, depth + 1, t, err);
        else if (status == NC_NOERR)
            st = report_nomem(err, NC_MAX_NAME);
    }
    if (st == TESS_OK && status != NC_NOERR)
        return netcdf_fail(err, "cannot list the groups", status);
out:
    return st;
}

tess_status
tree_netcdf_list(const char *path, struct tree *t, tess_error *err)
{
    int file = -1;
    const int status = nc_open(path, NC_NOWRITE, &file);

    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot open as netCDF", status);
    const tess_status st = list_group(file, "", 0, t, err);
    (void)nc_close(file);
    return st;
}
