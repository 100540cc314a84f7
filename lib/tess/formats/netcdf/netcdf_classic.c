/*
 * netcdf_classic.c - netCDF-3 files without one of their variables.
 *
 * In such a file everything lies one behind the other: a variable goes only with a new file. These
 * files have six types (eleven in CDF-5), attributes and dimensions, so the copy is complete.
 */
#include "formats/netcdf/netcdf_classic.h"

#include "formats/netcdf/netcdf_call.h"
#include "report.h"

#include <netcdf.h>
#include <stdbool.h>
#include <stdlib.h>

#define BUFFER_SIZE ((size_t)8 << 20)

struct copy {
    int from, to;
    void *buffer;
};

static int
create(int from, const char *path, int *to)
{
    int format = 0;
    const int status = nc_inq_format(from, &format);
    const int kind = format == NC_FORMAT_64BIT_OFFSET ? NC_64BIT_OFFSET
                     : format == NC_FORMAT_CDF5       ? NC_64BIT_DATA
                                                      : 0;

    return status == NC_NOERR ? nc_create(path, kind | NC_NOCLOBBER, to) : status;
}

static int
copy_dimensions(const struct copy *c)
{
    char name[NC_MAX_NAME + 1];
    int count = 0, unlimited = -1, id;

    int status = nc_inq_ndims(c->from, &count);
    if (status == NC_NOERR)
        status = nc_inq_unlimdim(c->from, &unlimited);
    for (int i = 0; i < count && status == NC_NOERR; i++) {
        size_t length = 0;

        status = nc_inq_dim(c->from, i, name, &length);
        if (status == NC_NOERR)
            status = nc_def_dim(c->to, name, i == unlimited ? NC_UNLIMITED : length, &id);
    }
    return status;
}

static int
copy_attributes(const struct copy *c, int variable, int copied)
{
    char name[NC_MAX_NAME + 1];
    int count = 0;

    int status = variable == NC_GLOBAL ? nc_inq_natts(c->from, &count)
                                       : nc_inq_varnatts(c->from, variable, &count);
    for (int i = 0; i < count && status == NC_NOERR; i++) {
        status = nc_inq_attname(c->from, variable, i, name);
        if (status == NC_NOERR)
            status = nc_copy_att(c->from, variable, name, c->to, copied);
    }
    return status;
}

// Numbers of dimensions are the same in both files.
static int
copy_variable(const struct copy *c, int variable, int *copied)
{
    char name[NC_MAX_NAME + 1];
    int ndim = 0, dimensions[NC_MAX_VAR_DIMS];
    nc_type type = NC_NAT;

    int status = nc_inq_var(c->from, variable, name, &type, &ndim, dimensions, NULL);
    if (status == NC_NOERR)
        status = nc_def_var(c->to, name, type, ndim, dimensions, copied);
    return status == NC_NOERR ? copy_attributes(c, variable, *copied) : status;
}

// A box of a variable as large as the buffer: whole along the last axes, some items of one more
// axis, one item along those in front.
struct box {
    int ndim;
    int first; // the axis along which the box has some items
    size_t shape[NC_MAX_VAR_DIMS], start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS];
};

static bool
box_first(struct box *b, size_t item_size)
{
    size_t room = BUFFER_SIZE / item_size;
    bool empty = false;

    b->first = b->ndim > 0 ? b->ndim - 1 : 0;
    for (int i = 0; i < b->ndim; i++) {
        b->start[i] = 0;
        b->count[i] = 1;
        empty = empty || b->shape[i] == 0;
    }
    for (int i = b->ndim - 1; i >= 0 && !empty; i--) {
        b->first = i;
        b->count[i] = b->shape[i] < room ? b->shape[i] : room;
        room /= b->count[i];
        if (b->count[i] < b->shape[i] || room == 0)
            break;
    }
    return !empty;
}

static bool
box_next(struct box *b)
{
    for (int i = b->first; i >= 0 && b->ndim > 0; i--) {
        b->start[i] += b->count[i];
        if (b->start[i] < b->shape[i])
            return true;
        b->start[i] = 0;
    }
    return false;
}

static int
copy_items(const struct copy *c, int variable, int copied)
{
    struct box b = {0};
    int dimensions[NC_MAX_VAR_DIMS];
    nc_type type = NC_NAT;
    size_t size = 0;

    int status = nc_inq_var(c->from, variable, NULL, &type, &b.ndim, dimensions, NULL);
    if (status == NC_NOERR)
        status = nc_inq_type(c->from, type, NULL, &size);
    for (int i = 0; i < b.ndim && status == NC_NOERR; i++)
        status = nc_inq_dimlen(c->from, dimensions[i], &b.shape[i]);
    if (status != NC_NOERR || !box_first(&b, size))
        return status;
    do {
        // the last box along the axis may be shorter
        const size_t whole = b.count[b.first], left = b.shape[b.first] - b.start[b.first];

        if (b.ndim > 0 && left < whole)
            b.count[b.first] = left;
        status = nc_get_vara(c->from, variable, b.start, b.count, c->buffer);
        if (status == NC_NOERR)
            status = nc_put_vara(c->to, copied, b.start, b.count, c->buffer);
        b.count[b.first] = whole;
    } while (status == NC_NOERR && box_next(&b));
    return status;
}

// All definitions first: one that comes after items moves them.
static int
copy_all(const struct copy *c, int but)
{
    int count = 0, copied = 0, before = 0;

    int status = copy_dimensions(c);
    if (status == NC_NOERR)
        status = copy_attributes(c, NC_GLOBAL, NC_GLOBAL);
    if (status == NC_NOERR)
        status = nc_inq_nvars(c->from, &count);
    for (int v = 0; v < count && status == NC_NOERR; v++)
        if (v != but)
            status = copy_variable(c, v, &copied);
    if (status == NC_NOERR) // all items are written
        status = nc_set_fill(c->to, NC_NOFILL, &before);
    if (status == NC_NOERR)
        status = nc_enddef(c->to);
    for (int v = 0; v < count && status == NC_NOERR; v++)
        if (v != but)
            status = copy_items(c, v, v > but ? v - 1 : v);
    return status;
}

tess_status
netcdf_classic_copy(int from, const char *path, int but, int *file, tess_error *err)
{
    struct copy c = {.from = from, .to = -1, .buffer = malloc(BUFFER_SIZE)};

    *file = -1;
    if (!c.buffer)
        return report_nomem(err, (int64_t)BUFFER_SIZE);
    int status = create(from, path, &c.to);
    if (status == NC_NOERR) {
        status = copy_all(&c, but);
        if (status == NC_NOERR)
            *file = c.to;
        else
            (void)nc_close(c.to);
    }
    free(c.buffer);
    return status == NC_NOERR ? TESS_OK
                              : netcdf_fail(err, "cannot copy the other variables", status);
}
