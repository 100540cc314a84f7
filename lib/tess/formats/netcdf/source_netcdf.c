/*
 * source_netcdf.c - variables of netCDF files.
 *
 * Their items arrive in the byte order of this machine. A value of _FillValue that has their type
 * is the fill value.
 */
#include "formats/netcdf/source_netcdf.h"

#include "formats/attributes.h"
#include "formats/netcdf/netcdf_call.h"
#include "formats/source.h"
#include "report.h"

#include <netcdf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER ">"
#else
#define ORDER "<"
#endif

// Names of variables that a message lists.
#define LISTED_MAX 8

struct netcdf {
    struct source source;
    int file; // -1: not open
    int group, variable;
};

static const struct {
    nc_type type;
    const char *dtype;
    int32_t size;
} types[] = {
    {NC_BYTE, "|i1", 1},       {NC_UBYTE, "|u1", 1},       {NC_CHAR, "|S1", 1},
    {NC_SHORT, ORDER "i2", 2}, {NC_USHORT, ORDER "u2", 2}, {NC_INT, ORDER "i4", 4},
    {NC_UINT, ORDER "u4", 4},  {NC_INT64, ORDER "i8", 8},  {NC_UINT64, ORDER "u8", 8},
    {NC_FLOAT, ORDER "f4", 4}, {NC_DOUBLE, ORDER "f8", 8},
};

static tess_status
netcdf_read(struct source *s, const int64_t *start, const int64_t *stop, void *dst, tess_error *err)
{
    const struct netcdf *n = (struct netcdf *)s;
    size_t first[TESS_MAX_NDIM] = {0}, count[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < s->ndim; i++) {
        first[i] = (size_t)start[i];
        count[i] = (size_t)(stop[i] - start[i]);
    }
    const int status = nc_get_vara(n->group, n->variable, first, count, dst);
    return status == NC_NOERR ? TESS_OK : netcdf_fail(err, "cannot read", status);
}

static void
netcdf_close(struct source *s)
{
    struct netcdf *n = (struct netcdf *)s;

    if (n->file >= 0)
        (void)nc_close(n->file);
    free(n);
}

// Whether variable v has the values of an axis: it is called like its only dimension.
static bool
is_coordinate(const struct netcdf *n, int v, const char *name)
{
    char dimension[NC_MAX_NAME + 1];
    int ndims = 0, dims[NC_MAX_VAR_DIMS];

    return nc_inq_varndims(n->file, v, &ndims) == NC_NOERR && ndims == 1 &&
           nc_inq_vardimid(n->file, v, dims) == NC_NOERR &&
           nc_inq_dimname(n->file, dims[0], dimension) == NC_NOERR && strcmp(dimension, name) == 0;
}

// The names of variables that are no coordinates, as far as there is room; how many there are, and
// one of them.
static int
list_variables(const struct netcdf *n, char *text, size_t size, int *one)
{
    char name[NC_MAX_NAME + 1];
    size_t length = 0;
    int nvars = 0, count = 0;

    text[0] = '\0';
    (void)nc_inq_nvars(n->file, &nvars);
    for (int v = 0; v < nvars; v++) {
        if (nc_inq_varname(n->file, v, name) != NC_NOERR || is_coordinate(n, v, name))
            continue;
        *one = v;
        if (count++ <= LISTED_MAX && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s", count > 1 ? ", " : "",
                                       count <= LISTED_MAX ? name : "...");
    }
    return count;
}

// `variable`, or `group/variable`
static tess_status
find(struct netcdf *n, const char *name, tess_error *err)
{
    const char *slash = strrchr(name, '/');
    int status = NC_NOERR;
    char names[200];

    n->group = n->file;
    if (!name[0] && list_variables(n, names, sizeof names, &n->variable) == 1)
        return TESS_OK;
    if (slash && slash != name) {
        char *group = strndup(name, (size_t)(slash - name));
        if (!group)
            return report_nomem(err, slash - name);
        status = nc_inq_grp_full_ncid(n->file, group, &n->group);
        free(group);
    }
    if (status == NC_NOERR)
        status = nc_inq_varid(n->group, slash ? slash + 1 : name, &n->variable);
    if (status == NC_NOERR)
        return TESS_OK;
    if (list_variables(n, names, sizeof names, &n->variable) == 0)
        return report_set(err, TESS_ERR_ARG, "the file has no variables");
    return name[0] ? report_set(err, TESS_ERR_ARG, "there is no variable %.100s; the file has %s",
                                name, names)
                   : report_set(err, TESS_ERR_ARG,
                                "which variable? Behind the name and a colon, one of %s", names);
}

// In the notation of NumPy; NULL for strings and what users define.
static const char *
dtype_of(nc_type type, int32_t *size)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type) {
            *size = types[i].size;
            return types[i].dtype;
        }
    return NULL;
}

static tess_status
set_type(const struct netcdf *n, struct source *s, nc_type type, tess_error *err)
{
    const char *const dtype = dtype_of(type, &s->typesize);
    char name[NC_MAX_NAME + 1] = "";

    if (!dtype) {
        (void)nc_inq_type(n->group, type, name, NULL);
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "only numbers and characters can be imported from netCDF, not type %s",
                          name);
    }
    s->dtype = strdup(dtype);
    return s->dtype ? TESS_OK : report_nomem(err, 4);
}

static tess_status
inquire(struct netcdf *n, tess_error *err)
{
    struct source *s = &n->source;
    int ids[NC_MAX_VAR_DIMS];
    nc_type type = NC_NAT;
    int64_t nbytes = 0;

    int status = nc_inq_var(n->group, n->variable, NULL, &type, &s->ndim, ids, NULL);
    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot describe the variable", status);
    if (s->ndim > TESS_MAX_NDIM)
        return report_set(err, TESS_ERR_LIMIT, "%d dimensions; at most %d", s->ndim, TESS_MAX_NDIM);
    for (int i = 0; i < s->ndim; i++) {
        size_t length = 0;

        status = nc_inq_dimlen(n->group, ids[i], &length);
        if (status != NC_NOERR)
            return netcdf_fail(err, "cannot read a dimension", status);
        if (length > SIZE_MAX / 2)
            return report_set(err, TESS_ERR_LIMIT, "a dimension of %zu", length);
        s->shape[i] = (int64_t)length;
    }
    const tess_status st = set_type(n, s, type, err);
    if (st == TESS_OK && !source_nbytes(s, &nbytes))
        return report_set(err, TESS_ERR_LIMIT, "the variable has 2^63 bytes or more");
    return st;
}

// -- attributes

static tess_status
add_strings(struct netcdf *n, const char *name, size_t count, tess_error *err)
{
    struct attributes *const a = &n->source.attributes;
    char **const strings = attributes_alloc(a, count, sizeof *strings);

    if (!strings)
        return report_nomem(err, (int64_t)count);
    const int status = nc_get_att_string(n->group, n->variable, name, strings);
    if (status != NC_NOERR)
        return netcdf_fail(err, name, status);
    const tess_status st =
        attributes_add_strings(a, name, count, (const char *const *)strings, err);
    (void)nc_free_string(count, strings);
    if (st == TESS_OK)
        a->items[a->count - 1].dtype = "string";
    return st;
}

// The fill value, if it has the type of the variable.
static tess_status
set_fill(struct netcdf *n, nc_type type, size_t count, const void *item, tess_error *err)
{
    struct source *const s = &n->source;
    nc_type own = NC_NAT;

    if (nc_inq_vartype(n->group, n->variable, &own) != NC_NOERR || own != type || count != 1)
        return TESS_OK;
    s->fill = malloc((size_t)s->typesize);
    if (!s->fill)
        return report_nomem(err, s->typesize);
    memcpy(s->fill, item, (size_t)s->typesize);
    return TESS_OK;
}

static tess_status
add_attribute(struct netcdf *n, int index, tess_error *err)
{
    struct attributes *const a = &n->source.attributes;
    char name[NC_MAX_NAME + 1] = "";
    nc_type type = NC_NAT;
    size_t count = 0;
    int32_t size = 0;
    tess_status st = TESS_OK;

    int status = nc_inq_attname(n->group, n->variable, index, name);
    if (status == NC_NOERR)
        status = nc_inq_att(n->group, n->variable, name, &type, &count);
    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot read an attribute", status);
    if (type == NC_STRING)
        return add_strings(n, name, count, err);
    const char *const dtype = dtype_of(type, &size);
    if (!dtype) {
        attributes_leave(a, name);
        return TESS_OK;
    }
    void *const items = attributes_alloc(a, count, (size_t)size);
    if (!items)
        return report_nomem(err, (int64_t)count);
    status = nc_get_att(n->group, n->variable, name, items);
    if (status != NC_NOERR)
        return netcdf_fail(err, name, status);
    if (strcmp(name, "_FillValue") == 0)
        st = set_fill(n, type, count, items, err);
    if (st != TESS_OK)
        return st;
    return type == NC_CHAR ? attributes_add_text(a, name, items, count, err)
                           : attributes_add_items(a, name, dtype, count, items, err);
}

static tess_status
add_attributes(struct netcdf *n, tess_error *err)
{
    int count = 0;
    tess_status st = TESS_OK;

    const int status = nc_inq_varnatts(n->group, n->variable, &count);
    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot count the attributes", status);
    for (int i = 0; i < count && st == TESS_OK; i++)
        st = add_attribute(n, i, err);
    return st;
}

tess_status
source_netcdf_group_attributes(int group, struct attributes *a, tess_error *err)
{
    struct netcdf n = {.file = -1, .group = group, .variable = NC_GLOBAL};

    n.source.attributes = *a;
    const tess_status st = add_attributes(&n, err);
    *a = n.source.attributes;
    return st;
}

static tess_status
add_dimensions(struct netcdf *n, tess_error *err)
{
    struct source *const s = &n->source;
    char names[TESS_MAX_NDIM][NC_MAX_NAME + 1];
    const char *pointers[TESS_MAX_NDIM];
    int ids[NC_MAX_VAR_DIMS];

    int status = nc_inq_vardimid(n->group, n->variable, ids);
    for (int i = 0; i < s->ndim && status == NC_NOERR; i++) {
        status = nc_inq_dimname(n->group, ids[i], names[i]);
        pointers[i] = names[i];
    }
    if (status != NC_NOERR)
        return netcdf_fail(err, "cannot read a dimension", status);
    return attributes_add_dimensions(&s->attributes, s->ndim, pointers, err);
}

static tess_status
netcdf_describe(struct source *s, tess_error *err)
{
    struct netcdf *const n = (struct netcdf *)s;
    const tess_status st = add_dimensions(n, err);

    return st == TESS_OK ? add_attributes(n, err) : st;
}

tess_status
source_netcdf_open(const char *path, const char *variable, struct source **source, tess_error *err)
{
    struct netcdf *n = calloc(1, sizeof *n);
    tess_status st = TESS_OK;

    if (!n)
        return report_nomem(err, sizeof *n);
    n->source.read = netcdf_read;
    n->source.describe = netcdf_describe;
    n->source.close = netcdf_close;
    const int status = nc_open(path, NC_NOWRITE, &n->file);
    if (status != NC_NOERR) {
        n->file = -1;
        st = netcdf_fail(err, "cannot open as netCDF", status);
        goto out;
    }
    TRY(find(n, variable, err));
    TRY(inquire(n, err));
    *source = &n->source;
    n = NULL;
out:
    source_close(n ? &n->source : NULL);
    return st;
}
