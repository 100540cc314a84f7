/*
 * netcdf_place.c - the netCDF file that a variable goes to, and its place there.
 *
 * netCDF has no call that removes a variable. netCDF-3 files are copied without it. netCDF-4 files
 * are HDF5 files: their bytes are copied and the variable is removed as the dataset that it is, so
 * that everything else stays whatever it is. But not the variable of a dimension of the same name:
 * that dataset is the dimension, which other variables have. Its values are written over.
 */
#include "formats/netcdf/netcdf_place.h"

#include "data/path.h"
#include "formats/netcdf/netcdf_call.h"
#include "formats/netcdf/netcdf_classic.h"
#include "report.h"
#ifdef HAVE_HDF5
#include "formats/hdf5/hdf5_place.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What plan->old has.
struct found {
    int file; // open for reading, or -1
    int format; // NC_FORMAT_...
    int group, variable; // -1: there is none of that name
    bool is_dimension;
};

static bool
is_classic(int format)
{
    return format == NC_FORMAT_CLASSIC || format == NC_FORMAT_64BIT_OFFSET ||
           format == NC_FORMAT_CDF5;
}

// From the root along the slashes; where a group is missing it is made, or *group is -1.
tess_status
netcdf_place_group(int file, const char *part, bool make, int *group, tess_error *err)
{
    const char *slash;

    *group = file;
    for (part += strspn(part, "/"); (slash = strchr(part, '/')) != NULL;
         part = slash + strspn(slash, "/")) {
        char *const name = strndup(part, (size_t)(slash - part));
        const int parent = *group;

        if (!name)
            return report_nomem(err, slash - part);
        int status = nc_inq_grp_ncid(parent, name, group);
        if (status != NC_NOERR && make)
            status = nc_def_grp(parent, name, group);
        else if (status != NC_NOERR)
            *group = -1;
        free(name);
        if (*group < 0)
            return TESS_OK;
        if (status != NC_NOERR)
            return netcdf_fail(err, "cannot make a group", status);
    }
    return TESS_OK;
}

static tess_status
set_name(struct netcdf_place *p, const char *part, tess_error *err)
{
    const char *const slash = strrchr(part, '/');

    p->name = slash ? slash + 1 : part;
    return p->name[0]
               ? TESS_OK
               : report_set(err, TESS_ERR_ARG, "the name behind the colon names no variable");
}

// -- what is there

static bool
is_dimension(int group, int variable, const char *name)
{
    char own[NC_MAX_NAME + 1];
    int ndim = 0, dimensions[NC_MAX_VAR_DIMS], count = 0, ids[NC_MAX_DIMS];

    if (nc_inq_varndims(group, variable, &ndim) != NC_NOERR || ndim == 0 ||
        nc_inq_vardimid(group, variable, dimensions) != NC_NOERR ||
        nc_inq_dimname(group, dimensions[0], own) != NC_NOERR || strcmp(own, name) != 0 ||
        nc_inq_ndims(group, &count) != NC_NOERR || count > NC_MAX_DIMS ||
        nc_inq_dimids(group, &count, ids, 0) != NC_NOERR)
        return false;
    for (int i = 0; i < count; i++)
        if (ids[i] == dimensions[0])
            return true;
    return false;
}

static bool
has_shape(const struct found *f, const struct sink_plan *plan, nc_type type)
{
    int ndim = 0, dimensions[NC_MAX_VAR_DIMS];
    nc_type own = NC_NAT;
    size_t length = 0;

    if (nc_inq_var(f->group, f->variable, NULL, &own, &ndim, dimensions, NULL) != NC_NOERR ||
        own != type || ndim != plan->selection->out_ndim)
        return false;
    for (int i = 0; i < ndim; i++)
        if (nc_inq_dimlen(f->group, dimensions[i], &length) != NC_NOERR ||
            length != (size_t)plan->selection->out_shape[i])
            return false;
    return true;
}

static tess_status
check_replaceable(const struct found *f, const char *name, const struct sink_plan *plan,
                  nc_type type, tess_error *err)
{
    if (!plan->replace)
        return report_set(err, TESS_ERR_IO, "the file holds %.200s; --force replaces it",
                          plan->part);
    if (is_classic(f->format))
        return TESS_OK;
    if (f->is_dimension && !has_shape(f, plan, type))
        return report_set(err, TESS_ERR_IO,
                          "%.150s has the values of a dimension: only items of the same type and "
                          "shape can replace it",
                          name);
#ifndef HAVE_HDF5
    if (!f->is_dimension)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "replacing a variable of a netCDF-4 file needs HDF5, which this build "
                          "of tess does not have");
#endif
    return TESS_OK;
}

// Files of the classic model have no groups and six types, CDF-5 as many as there are here.
static tess_status
check_model(const struct found *f, const struct sink_plan *plan, nc_type type, tess_error *err)
{
    const bool six = f->format != NC_FORMAT_CDF5 && f->format != NC_FORMAT_NETCDF4;
    const char *const part = plan->part + strspn(plan->part, "/");

    if (f->format != NC_FORMAT_NETCDF4 && strchr(part, '/'))
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "the file is of the classic model (netCDF-3), which has no groups");
    if (six && type != NC_BYTE && type != NC_CHAR && type != NC_SHORT && type != NC_INT &&
        type != NC_FLOAT && type != NC_DOUBLE)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "the file is of the classic model (netCDF-3), in which items of type "
                          "%.100s have no counterpart",
                          plan->info->dtype);
    if (is_classic(f->format) && plan->level > 0)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "--level: the file is netCDF-3, in which nothing is compressed");
    return TESS_OK;
}

static tess_status
look(struct found *f, const char *name, const struct sink_plan *plan, nc_type type, tess_error *err)
{
    int extended = 0, group = -1;
    tess_status st = TESS_OK;

    int status = nc_open(plan->old, NC_NOWRITE, &f->file);
    if (status != NC_NOERR) {
        f->file = -1;
        return netcdf_fail(err, "exists, and cannot be opened as netCDF", status);
    }
    status = nc_inq_format(f->file, &f->format);
    if (status == NC_NOERR)
        status = nc_inq_format_extended(f->file, &extended, NULL);
    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot be described", status);
    if (extended != NC_FORMATX_NC3 && extended != NC_FORMATX_NC_HDF5)
        return report_set(err, TESS_ERR_UNSUPPORTED, "exists, and is not netCDF-3 nor netCDF-4");
    TRY(check_model(f, plan, type, err));
    TRY(netcdf_place_group(f->file, plan->part, false, &f->group, err));
    if (f->group < 0)
        goto out;
    if (f->format == NC_FORMAT_NETCDF4 && nc_inq_grp_ncid(f->group, name, &group) == NC_NOERR)
        return report_set(err, TESS_ERR_IO, "%.200s is a group, and is not replaced", plan->part);
    if (nc_inq_varid(f->group, name, &f->variable) != NC_NOERR) {
        f->variable = -1;
        goto out;
    }
    f->is_dimension = is_dimension(f->group, f->variable, name);
    TRY(check_replaceable(f, name, plan, type, err));
out:
    return st;
}

// -- the changed copy

#ifdef HAVE_HDF5
// A variable that is called like a dimension, and is not that dimension's, has another name in
// HDF5.
static tess_status
remove_dataset(const char *path, const char *part, const char *name, tess_error *err)
{
    static const char mark[] = "_nc4_non_coord_";
    const size_t size = strlen(part) + sizeof mark;
    char *const marked = malloc(size);

    if (!marked)
        return report_nomem(err, (int64_t)size);
    (void)snprintf(marked, size, "%.*s%s%s", (int)(name - part), part, mark, name);
    const tess_status st = hdf5_place_clear_file(path, marked, part, err);
    free(marked);
    return st;
}
#endif

// Of a netCDF-4 variable that is written over, all but the fill value, which cannot change.
static tess_status
remove_attributes(const struct netcdf_place *p, tess_error *err)
{
    char name[NC_MAX_NAME + 1];
    int count = 0;

    int status = nc_inq_varnatts(p->group, p->variable, &count);
    for (int i = count - 1; i >= 0 && status == NC_NOERR; i--) {
        status = nc_inq_attname(p->group, p->variable, i, name);
        if (status == NC_NOERR && strcmp(name, "_FillValue") != 0)
            status = nc_del_att(p->group, p->variable, name);
    }
    return status == NC_NOERR
               ? TESS_OK
               : netcdf_fail(err, "cannot remove the attributes of the old one", status);
}

static tess_status
copy(struct netcdf_place *p, struct found *f, const char *path, const struct sink_plan *plan,
     tess_error *err)
{
    tess_status st = TESS_OK;

    if (p->classic && f->variable >= 0)
        return netcdf_classic_copy(f->file, path, f->variable, &p->file, err);
    (void)nc_close(f->file);
    f->file = -1;
    TRY(path_copy(plan->old, path, err));
#ifdef HAVE_HDF5
    if (f->variable >= 0 && !f->is_dimension)
        TRY(remove_dataset(path, plan->part, p->name, err));
#endif
    const int status = nc_open(path, NC_WRITE, &p->file);
    if (status != NC_NOERR) {
        p->file = -1;
        return netcdf_fail(err, "cannot be changed as netCDF", status);
    }
out:
    return st;
}

static void
note_dimensions(struct netcdf_place *p, const struct found *f)
{
    int ndim = 0, dimensions[NC_MAX_VAR_DIMS];

    if (nc_inq_varndims(f->group, f->variable, &ndim) != NC_NOERR || ndim > TESS_MAX_NDIM ||
        nc_inq_vardimid(f->group, f->variable, dimensions) != NC_NOERR)
        return;
    for (p->ndim = 0; p->ndim < ndim; p->ndim++) {
        p->dimensions[p->ndim] = dimensions[p->ndim];
        if (nc_inq_dimlen(f->group, dimensions[p->ndim], &p->lengths[p->ndim]) != NC_NOERR)
            return;
    }
}

static tess_status
change(struct netcdf_place *p, struct found *f, const char *path, const struct sink_plan *plan,
       nc_type type, tess_error *err)
{
    tess_status st = TESS_OK;

    TRY(look(f, p->name, plan, type, err));
    p->classic = is_classic(f->format);
    if (f->variable >= 0)
        note_dimensions(p, f);
    TRY(copy(p, f, path, plan, err));
    int status = nc_redef(p->file);
    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot be changed as netCDF", status);
    TRY(netcdf_place_group(p->file, plan->part, true, &p->group, err));
    if (f->is_dimension && !p->classic) {
        status = nc_inq_varid(p->group, p->name, &p->variable);
        if (status != NC_NOERR)
            return netcdf_fail(err, p->name, status);
        TRY(remove_attributes(p, err));
    }
out:
    return st;
}

tess_status
netcdf_place_open(struct netcdf_place *p, const char *path, const struct sink_plan *plan,
                  nc_type type, tess_error *err)
{
    struct found f = {.file = -1, .group = -1, .variable = -1};
    tess_status st = TESS_OK;

    *p = (struct netcdf_place){.file = -1, .variable = -1};
    TRY(set_name(p, plan->part, err));
    if (plan->file) {
        p->file = ((const struct netcdf_file *)plan->file)->id;
        TRY(netcdf_place_group(p->file, plan->part, true, &p->group, err));
    } else if (plan->old) {
        TRY(change(p, &f, path, plan, type, err));
    } else {
        const int status = nc_create(path, NC_NETCDF4 | NC_NOCLOBBER, &p->file);
        if (status != NC_NOERR) {
            p->file = -1;
            return netcdf_fail(err, "cannot create", status);
        }
        TRY(netcdf_place_group(p->file, plan->part, true, &p->group, err));
    }
out:
    if (f.file >= 0)
        (void)nc_close(f.file);
    return st;
}

bool
netcdf_place_fits(const struct netcdf_place *p, int dimension, size_t length)
{
    size_t now = 0;

    if (nc_inq_dimlen(p->group, dimension, &now) != NC_NOERR)
        return false;
    for (int i = 0; i < p->ndim; i++)
        if (p->dimensions[i] == dimension && now < p->lengths[i])
            return now == 0 || length == p->lengths[i];
    return length == now;
}
