/*
 * sink_netcdf.c - exports to netCDF-4 files.
 *
 * Items become numbers in the byte order of this machine; halves, which netCDF does not have,
 * become floats, and booleans unsigned bytes.
 */
#include "base/swap.h"
#include "formats/attributes.h"
#include "formats/netcdf/netcdf_call.h"
#include "formats/netcdf/netcdf_place.h"
#include "formats/sink.h"
#include "formats/tree/tree.h"
#include "report.h"
#include "text/items/item.h"

#include <tessera/convert.h>
#include <tessera/dtype.h>

#include <netcdf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER '>'
#else
#define ORDER '<'
#endif

// A cache that chunks do not wait in: they are compressed when they are written, while the bar
// moves, and not at the end. netCDF's own has 16 MiB and more.
enum { CACHE_BYTES = 1 << 20, CACHE_SLOTS = 521 };

struct netcdf {
    struct sink sink;
    struct netcdf_place place;
    int group, variable;
    const struct slice_range *sel;
    tess_dtype dtype;
    nc_type type;
    bool shared; // the file has other variables, too, and is not ours to close
    const struct tree *tree; // then
    const char *path; // of the group
    float *widened; // halves of a box
    size_t widened_size;
};

static const struct {
    tess_kind kind;
    int32_t size;
    nc_type type;
} types[] = {
    {TESS_KIND_INT, 1, NC_BYTE},    {TESS_KIND_UINT, 1, NC_UBYTE},   {TESS_KIND_BYTES, 1, NC_CHAR},
    {TESS_KIND_INT, 2, NC_SHORT},   {TESS_KIND_UINT, 2, NC_USHORT},  {TESS_KIND_INT, 4, NC_INT},
    {TESS_KIND_UINT, 4, NC_UINT},   {TESS_KIND_INT, 8, NC_INT64},    {TESS_KIND_UINT, 8, NC_UINT64},
    {TESS_KIND_FLOAT, 4, NC_FLOAT}, {TESS_KIND_FLOAT, 8, NC_DOUBLE}, {TESS_KIND_FLOAT, 2, NC_FLOAT},
    {TESS_KIND_BOOL, 1, NC_UBYTE},
};

static tess_status
find_type(struct netcdf *n, const tess_info *info, tess_error *err)
{
    n->dtype = tess_dtype_parse(info->dtype);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].kind == n->dtype.kind && types[i].size == n->dtype.size &&
            n->dtype.size == info->typesize) {
            n->type = types[i].type;
            return TESS_OK;
        }
    if (n->dtype.kind == TESS_KIND_STRUCT)
        return report_set(
            err, TESS_ERR_UNSUPPORTED,
            "structures are not exported to netCDF; --field exports one of their fields");
    return report_set(err, TESS_ERR_UNSUPPORTED,
                      "items of type %.100s have no counterpart in netCDF",
                      info->dtype ? info->dtype : "unknown");
}

// Items as they are to be written; *out is src, or memory of n.
static tess_status
convert(struct netcdf *n, uint8_t *src, size_t size, const void **out, tess_error *err)
{
    const size_t nitems = size / (size_t)n->dtype.size;

    *out = src;
    if (n->dtype.kind == TESS_KIND_FLOAT && n->dtype.size == 2) {
        if (nitems > n->widened_size) {
            free(n->widened);
            n->widened = malloc(nitems * sizeof *n->widened);
            n->widened_size = n->widened ? nitems : 0;
            if (!n->widened)
                return report_nomem(err, (int64_t)(nitems * sizeof *n->widened));
        }
        for (size_t i = 0; i < nitems; i++)
            n->widened[i] = (float)item_load_real(src + 2 * i, 2, n->dtype.order);
        *out = n->widened;
    } else if (n->dtype.order != '|' && n->dtype.order != ORDER) {
        swap_bytes(src, size, (size_t)item_word_size(&n->dtype));
    }
    return TESS_OK;
}

static tess_status
netcdf_write(struct sink *s, const int64_t *start, const int64_t *stop, void *src, size_t size,
             tess_error *err)
{
    struct netcdf *const n = (struct netcdf *)s;
    int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM];
    size_t first[TESS_MAX_NDIM] = {0}, count[TESS_MAX_NDIM] = {0};
    const void *items = NULL;

    const int ndim = sink_axes(n->sel, start, from);
    (void)sink_axes(n->sel, stop, to);
    for (int i = 0; i < ndim; i++) {
        first[i] = (size_t)from[i];
        count[i] = (size_t)(to[i] - from[i]);
    }
    const tess_status st = convert(n, src, size, &items, err);
    if (st != TESS_OK)
        return st;
    const int status = nc_put_vara(n->group, n->variable, first, count, items);
    return status == NC_NOERR ? TESS_OK : netcdf_fail(err, "cannot write", status);
}

static tess_status
netcdf_finish(struct sink *s, tess_error *err)
{
    struct netcdf *const n = (struct netcdf *)s;
    // what HDF5 keeps of the variable goes: there may be many
    const int status = n->shared ? nc_set_var_chunk_cache(n->group, n->variable, 0, 1, 0.75F)
                                 : nc_close(n->place.file);

    n->place.file = -1;
    return n->shared            ? TESS_OK
           : status == NC_NOERR ? TESS_OK
                                : netcdf_fail(err, "cannot write", status);
}

static void
netcdf_close(struct sink *s)
{
    struct netcdf *const n = (struct netcdf *)s;

    if (n->place.file >= 0 && !n->shared)
        (void)nc_close(n->place.file);
    free(n->widened);
    free(n);
}

// -- what the file says of itself

// The dimension of that name, if it has that length, or a new one. NC_ENAMEINUSE: another length,
// or it cannot be this axis's.
static int
take_dimension(const struct netcdf *n, const char *name, size_t length, int axis, int *id)
{
    int unlimited = -1;

    if (nc_inq_dimid(n->group, name, id) != NC_NOERR)
        return nc_def_dim(n->group, name, length, id); // 0: unlimited, and empty
    const struct tree_dimension *const d =
        n->shared ? tree_find_dimension(n->tree, n->path, name) : NULL;
    if (d ? d->length != (int64_t)length : !netcdf_place_fits(&n->place, *id, length))
        return NC_ENAMEINUSE;
    if (n->place.classic && axis > 0 && nc_inq_unlimdim(n->place.file, &unlimited) == NC_NOERR &&
        unlimited == *id)
        return NC_ENAMEINUSE; // that of netCDF-3 comes first
    return NC_NOERR;
}

// By its name, if it has one that can be used.
static int
define_dimension(struct netcdf *n, const struct sink_plan *plan, int axis, int *id)
{
    const char *const name = sink_dimension(plan, axis);
    const size_t length = (size_t)plan->selection->out_shape[axis];
    const int named = name ? take_dimension(n, name, length, axis, id) : NC_EBADNAME;
    int status = named;
    char plain[32];

    (void)snprintf(plain, sizeof plain, "dim_%d", axis);
    for (int i = 1; status != NC_NOERR && i < 1000; i++) {
        status = take_dimension(n, plain, length, axis, id);
        if (status != NC_NOERR && status != NC_ENAMEINUSE)
            return status;
        if (status != NC_NOERR)
            (void)snprintf(plain, sizeof plain, "dim_%d_%d", axis, i);
    }
    if (name && named == NC_ENAMEINUSE)
        sink_remark(&n->sink, "dimension %d is called %s, as %s has another length in the file",
                    axis, plain, name);
    else if (name && named != NC_NOERR)
        sink_remark(&n->sink, "dimension %d is called %s, as netCDF does not take %s", axis, plain,
                    name);
    return status;
}

// Whether each box that is written consists of whole chunks of the file.
static bool
is_written_by_chunks(const struct sink_plan *plan)
{
    const struct slice_range *const sel = plan->selection;
    for (int i = 0; i < sel->ndim; i++)
        if (sel->step[i] == 1 && sel->start[i] % plan->grain[i] != 0)
            return false; // boxes are aligned with chunks of the array
    return true;
}

static tess_status
define_variable(struct netcdf *n, const struct sink_plan *plan, tess_error *err)
{
    const struct slice_range *const sel = plan->selection;
    const char *const name = n->place.name;
    const int level = plan->level < 0 ? SINK_LEVEL : plan->level;
    int64_t grain[TESS_MAX_NDIM];
    size_t chunk[TESS_MAX_NDIM];
    int ids[TESS_MAX_NDIM] = {0};

    const int ndim = sink_axes(sel, plan->grain, grain);
    for (int i = 0; i < ndim; i++) {
        const int64_t most = sel->out_shape[i] > 0 ? sel->out_shape[i] : 1;
        const int status = define_dimension(n, plan, i, &ids[i]);

        if (status != NC_NOERR)
            return netcdf_fail(err, "cannot make a dimension", status);
        chunk[i] = (size_t)(grain[i] < most ? grain[i] : most);
    }
    int status = nc_def_var(n->group, name, n->type, ndim, ids, &n->variable);
    if (status == NC_NOERR && ndim > 0 && !n->place.classic)
        status = nc_def_var_chunking(n->group, n->variable, NC_CHUNKED, chunk);
    if (status == NC_NOERR && ndim > 0 && !n->place.classic)
        status = nc_def_var_deflate(n->group, n->variable, 1, level > 0, level);
    if (status == NC_NOERR && ndim > 0 && !n->place.classic && is_written_by_chunks(plan))
        status = nc_set_var_chunk_cache(n->group, n->variable, CACHE_BYTES, CACHE_SLOTS, 0.75F);
    return status == NC_NOERR ? TESS_OK : netcdf_fail(err, name, status);
}

static bool
fits_int(size_t count, const int64_t *items)
{
    for (size_t i = 0; i < count; i++)
        if (items[i] < INT32_MIN || items[i] > INT32_MAX)
            return false;
    return true;
}

// The type that numbers had where they came from, if they are still what they are in it.
static nc_type
recorded_type(const char *dtype, char kind, size_t count, const void *items)
{
    const tess_dtype type = tess_dtype_parse(dtype);

    if (dtype && (kind == 'i' || kind == 'u' || kind == 'f') &&
        attributes_fit(kind, count, items, dtype))
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            if (types[i].kind == type.kind && types[i].size == type.size)
                return types[i].type;
    return NC_NAT;
}

static int
put_numbers(const struct netcdf *n, const char *name, char kind, nc_type type, size_t count,
            const void *items)
{
    if (kind == 'i')
        return nc_put_att_longlong(n->group, n->variable, name, type, count, items);
    if (kind == 'u')
        return nc_put_att_ulonglong(n->group, n->variable, name, type, count, items);
    return nc_put_att_double(n->group, n->variable, name, type, count, items);
}

static int
put_text(const struct netcdf *n, const char *name, const tess_value *value)
{
    const tess_value *const text = value->type == TESS_VALUE_LIST ? value->as.list.items : value;
    return nc_put_att_text(n->group, n->variable, name, text->as.string.size, text->as.string.data);
}

// An item of a variable of characters, padded with NULs.
static int
put_character(const struct netcdf *n, const char *name, const tess_value *value)
{
    const size_t size = value->as.bytes.size;
    return nc_put_att_text(n->group, n->variable, name, size > 0 ? size : 1,
                           size > 0 ? value->as.bytes.data : "");
}

static int
put_attribute(const struct netcdf *n, const struct attribute *a, char kind, size_t count,
              const void *items)
{
    const char *const name = a->name, *const dtype = a->dtype;
    const nc_type recorded = recorded_type(dtype, kind, count, items);
    const bool own = tess_attr_holds_items(name) && n->type != NC_CHAR;
    const bool strings = dtype && strcmp(dtype, "string") == 0;

    if (a->value.type == TESS_VALUE_BYTES && n->type == NC_CHAR && tess_attr_holds_items(name))
        return put_character(n, name, &a->value);
    if (recorded != NC_NAT)
        return put_numbers(n, name, kind, recorded, count, items);
    if (own && strchr("iuf", kind) && !attributes_become(kind, count, items, &n->dtype))
        return NC_ERANGE; // netCDF would truncate fractions silently
    switch (kind) {
    case 'S':
        if (count == 1 && !strings)
            return put_text(n, name, &a->value);
        // netCDF declares what it does not change without const
        return nc_put_att_string(n->group, n->variable, name, count, (const char **)(void *)items);
    case 'Z':
        return strings ? NC_EBADTYPE : put_text(n, name, &a->value);
    case 'b':
        return nc_put_att_uchar(n->group, n->variable, name, NC_UBYTE, count, items);
    case 'i':
        return put_numbers(n, name, kind,
                           own                      ? n->type
                           : fits_int(count, items) ? NC_INT
                                                    : NC_INT64,
                           count, items);
    case 'u':
        return put_numbers(n, name, kind, own ? n->type : NC_UINT64, count, items);
    case 'f':
        return put_numbers(n, name, kind, own ? n->type : NC_DOUBLE, count, items);
    default:
        return NC_EBADTYPE;
    }
}

// Whether that is what netCDF says of an attribute that cannot be in this file.
static bool
has_no_counterpart(int status)
{
    static const int all[] = {NC_EBADTYPE,   NC_EBADNAME, NC_ERANGE,    NC_ENAMEINUSE, NC_ECHAR,
                              NC_ESTRICTNC3, NC_ENOTNC4,  NC_ELATEFILL, NC_EINVAL,     NC_EMAXNAME};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (status == all[i])
            return true;
    return false;
}

// *fill: whether one of them is the fill value.
static tess_status
put_attributes(const struct netcdf *n, struct attributes *a, bool *fill, tess_error *err)
{
    *fill = false;
    for (int i = 0; i < a->count; i++) {
        const char *const name = a->items[i].name;
        const void *items = NULL;
        size_t count = 0;
        char kind = '\0';

        if (strcmp(name, ATTRIBUTES_DIMENSIONS) == 0)
            continue;
        if (attributes_array(a, &a->items[i].value, &kind, &count, &items, err) != TESS_OK)
            return err->status;
        const int status = put_attribute(n, &a->items[i], kind, count, items);
        *fill |= status == NC_NOERR && strcmp(name, "_FillValue") == 0;
        if (has_no_counterpart(status))
            attributes_leave(a, name);
        else if (status != NC_NOERR)
            return netcdf_fail(err, name, status);
    }
    return TESS_OK;
}

static tess_status
put_fill(struct netcdf *n, const tess_info *info, struct attributes *a, tess_error *err)
{
    const void *item = NULL;
    tess_status st = TESS_OK;

    if (!info->fill)
        return TESS_OK;
    uint8_t *const copy = malloc((size_t)info->typesize);
    if (!copy)
        return report_nomem(err, info->typesize);
    memcpy(copy, info->fill, (size_t)info->typesize);
    st = convert(n, copy, (size_t)info->typesize, &item, err);
    if (st == TESS_OK) {
        const int status = nc_put_att(n->group, n->variable, "_FillValue", n->type, 1, item);
        if (has_no_counterpart(status) && !attributes_find(a, "_FillValue"))
            attributes_leave(a, "_FillValue");
        else if (has_no_counterpart(status))
            st = TESS_OK; // it is left already
        else if (status != NC_NOERR)
            st = netcdf_fail(err, "_FillValue", status);
    }
    free(copy);
    return st;
}

tess_status
sink_netcdf_open(const char *path, const struct sink_plan *plan, struct sink **sink,
                 tess_error *err)
{
    struct netcdf *n = calloc(1, sizeof *n);
    tess_status st = TESS_OK;

    if (!n)
        return report_nomem(err, sizeof *n);
    n->sink = (struct sink){.write = netcdf_write, .finish = netcdf_finish, .close = netcdf_close};
    n->place.file = -1;
    n->sel = plan->selection;
    n->shared = plan->file != NULL;
    n->tree = plan->tree;
    n->path = plan->group;
    TRY(find_type(n, plan->info, err));
    TRY(netcdf_place_open(&n->place, path, plan, n->type, err));
    n->group = n->place.group;
    n->variable = n->place.variable;
    sink_check_dimensions(&n->sink, plan);
    if (n->variable < 0)
        TRY(define_variable(n, plan, err));
    bool fill;
    TRY(put_attributes(n, plan->attributes, &fill, err));
    if (!fill)
        TRY(put_fill(n, plan->info, plan->attributes, err));
    const int status = n->shared ? NC_NOERR : nc_enddef(n->place.file);
    if (status != NC_NOERR) {
        st = netcdf_fail(err, "cannot create", status);
        goto out;
    }
    *sink = &n->sink;
    n = NULL;
out:
    sink_close(n ? &n->sink : NULL);
    return st;
}

// -- a file for several variables

static tess_status
define_dimensions(int group, const struct tree_group *g, tess_error *err)
{
    int id;

    for (int i = 0; i < g->ndimensions; i++) {
        const struct tree_dimension *const d = &g->dimensions[i];
        const int status =
            nc_def_dim(group, d->name, d->unlimited ? NC_UNLIMITED : (size_t)d->length, &id);

        if (status != NC_NOERR)
            return netcdf_fail(err, d->name, status);
    }
    return TESS_OK;
}

// Those of a group have types of their own, as if it had no items.
static tess_status
put_group_attributes(int group, struct attributes *a, tess_error *err)
{
    const struct netcdf n = {.group = group, .variable = NC_GLOBAL, .type = NC_CHAR};
    bool fill;
    return put_attributes(&n, a, &fill, err);
}

static tess_status
file_create(const char *path, struct tree *t, struct sink_file **file, tess_error *err)
{
    struct netcdf_file *const f = calloc(1, sizeof *f);
    tess_status st = TESS_OK;

    if (!f)
        return report_nomem(err, sizeof *f);
    *file = &f->base;
    f->base.kind = sink_file_netcdf();
    const int status = nc_create(path, NC_NETCDF4 | NC_NOCLOBBER, &f->id);
    if (status != NC_NOERR) {
        f->id = -1;
        return netcdf_fail(err, "cannot create", status);
    }
    for (int i = 0; i < t->ngroups && st == TESS_OK; i++) {
        // the name of a variable stands behind the group: any will do
        const char *const part = tree_join(t, t->groups[i]->path, "x");
        int group = -1;

        st = part ? netcdf_place_group(f->id, part, true, &group, err) : report_nomem(err, 1);
        if (st == TESS_OK)
            st = define_dimensions(group, t->groups[i], err);
        if (st == TESS_OK)
            st = put_group_attributes(group, &t->groups[i]->attributes, err);
    }
    return st;
}

static tess_status
file_ready(struct sink_file *file, tess_error *err)
{
    const int status = nc_enddef(((struct netcdf_file *)file)->id);
    return status == NC_NOERR ? TESS_OK : netcdf_fail(err, "cannot create", status);
}

static tess_status
file_finish(struct sink_file *file, struct tree *t, tess_error *err)
{
    struct netcdf_file *const f = (struct netcdf_file *)file;
    const int status = nc_close(f->id);

    (void)t;
    f->id = -1;
    return status == NC_NOERR ? TESS_OK : netcdf_fail(err, "cannot write", status);
}

static void
file_close(struct sink_file *file)
{
    struct netcdf_file *const f = (struct netcdf_file *)file;

    if (f->id >= 0)
        (void)nc_close(f->id);
    free(f);
}

const struct sink_file_kind *
sink_file_netcdf(void)
{
    static const struct sink_file_kind kind = {.create = file_create,
                                               .open = sink_netcdf_open,
                                               .ready = file_ready,
                                               .finish = file_finish,
                                               .close = file_close};
    return &kind;
}
