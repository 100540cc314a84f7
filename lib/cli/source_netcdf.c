/*
 * source_netcdf.c - variables of netCDF files.
 *
 * Their items arrive in the byte order of this machine. Attributes are not carried over.
 */
#include "cli/source.h"

#include "cli/report.h"

#ifdef HAVE_NETCDF

#include <netcdf.h>

#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER ">"
#else
#define ORDER "<"
#endif

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
fail(tess_error *err, const char *what, int status)
{
    const tess_status st = status == NC_ENOMEM ? TESS_ERR_NOMEM : TESS_ERR_IO;
    return report_set(err, st, "%s: %s", what, nc_strerror(status));
}

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
    return status == NC_NOERR ? TESS_OK : fail(err, "cannot read", status);
}

static void
netcdf_close(struct source *s)
{
    struct netcdf *n = (struct netcdf *)s;

    if (n->file >= 0)
        (void)nc_close(n->file);
    free(n);
}

// `variable`, or `group/variable`
static tess_status
find(struct netcdf *n, const char *name, tess_error *err)
{
    const char *slash = strrchr(name, '/');
    int status = NC_NOERR;

    n->group = n->file;
    if (slash && slash != name) {
        char *group = strndup(name, (size_t)(slash - name));
        if (!group)
            return report_nomem(err, slash - name);
        status = nc_inq_grp_full_ncid(n->file, group, &n->group);
        free(group);
    }
    if (status == NC_NOERR)
        status = nc_inq_varid(n->group, slash ? slash + 1 : name, &n->variable);
    return status == NC_NOERR ? TESS_OK : fail(err, name, status);
}

static tess_status
set_type(struct source *s, nc_type type, tess_error *err)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type) {
            s->dtype = strdup(types[i].dtype);
            s->typesize = types[i].size;
            return s->dtype ? TESS_OK : report_nomem(err, 4);
        }
    return report_set(err, TESS_ERR_UNSUPPORTED,
                      "only numbers and characters can be imported from netCDF, not type %d", type);
}

static tess_status
describe(struct netcdf *n, tess_error *err)
{
    struct source *s = &n->source;
    int ids[NC_MAX_VAR_DIMS];
    nc_type type = NC_NAT;
    int64_t nbytes = 0;

    int status = nc_inq_var(n->group, n->variable, NULL, &type, &s->ndim, ids, NULL);
    if (status != NC_NOERR)
        return fail(err, "cannot describe the variable", status);
    if (s->ndim > TESS_MAX_NDIM)
        return report_set(err, TESS_ERR_LIMIT, "%d dimensions; at most %d", s->ndim, TESS_MAX_NDIM);
    for (int i = 0; i < s->ndim; i++) {
        size_t length = 0;

        status = nc_inq_dimlen(n->group, ids[i], &length);
        if (status != NC_NOERR)
            return fail(err, "cannot read a dimension", status);
        if (length > INT64_MAX)
            return report_set(err, TESS_ERR_LIMIT, "a dimension of %zu", length);
        s->shape[i] = (int64_t)length;
    }
    const tess_status st = set_type(s, type, err);
    if (st == TESS_OK && !source_nbytes(s, &nbytes))
        return report_set(err, TESS_ERR_LIMIT, "the variable has 2^63 bytes or more");
    return st;
}

tess_status
source_netcdf_open(const char *path, const char *variable, struct source **source, tess_error *err)
{
    struct netcdf *n = calloc(1, sizeof *n);
    tess_status st = TESS_OK;

    if (!n)
        return report_nomem(err, sizeof *n);
    n->source.read = netcdf_read;
    n->source.close = netcdf_close;
    const int status = nc_open(path, NC_NOWRITE, &n->file);
    if (status != NC_NOERR) {
        n->file = -1;
        st = fail(err, "cannot open as netCDF", status);
        goto out;
    }
    TRY(find(n, variable, err));
    TRY(describe(n, err));
    *source = &n->source;
    n = NULL;
out:
    source_close(n ? &n->source : NULL);
    return st;
}

#else

tess_status
source_netcdf_open(const char *path, const char *variable, struct source **source, tess_error *err)
{
    (void)path;
    (void)variable;
    (void)source;
    return report_set(err, TESS_ERR_UNSUPPORTED, "this build of tess does not read netCDF");
}

#endif
