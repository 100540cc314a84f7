/*
 * names.c - the names of the axes of an array, out of the attribute that has them, and into it; and
 * the array in the same folder that a name means: a coordinate.
 */
#include "array/dims/dims.h"

#include "array/array.h"
#include "array/open/open.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/int128.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/encode/flat.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "geom/index_map.h"
#include "io/file.h"
#include "meta/layers.h"
#include "meta/value.h"

#include <tessera/dims.h>

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKSIZE = 1 << 16 }; // of the stored attribute

// One name of the list.
static tess_status
take_name(const tess_value *item, size_t n, const char **name, tess_error *err)
{
    *name = "";
    if (item->type == TESS_VALUE_NULL)
        return TESS_OK;
    if (item->type != TESS_VALUE_STRING || memchr(item->as.string.data, '\0', item->as.string.size))
        return err_set(err, TESS_ERR_TYPE, -1, TESS_DIMS_ATTRIBUTE ": element %zu is no name", n);
    if (item->as.string.size > TESS_DIMS_NAME_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       TESS_DIMS_ATTRIBUTE ": a name of %zu bytes, at most %d can be",
                       item->as.string.size, TESS_DIMS_NAME_MAX);
    *name = item->as.string.data;
    return TESS_OK;
}

tess_status
names_take(const tess_array *a, const tess_value *value, struct names *names, tess_error *err)
{
    const int ndim = view_base_const(a)->g->ndim;
    const char *of_base[NDIM_MAX];
    struct index_map map;
    tess_status st = view_map(a, &map, err);
    if (st != TESS_OK)
        return st;
    if (value->type != TESS_VALUE_LIST)
        return err_set(err, TESS_ERR_TYPE, -1, TESS_DIMS_ATTRIBUTE " is no list");
    if (value->as.list.count != (size_t)ndim)
        return err_set(err, TESS_ERR_TYPE, -1,
                       TESS_DIMS_ATTRIBUTE " has %zu names, the array has %d dimensions",
                       value->as.list.count, ndim);
    for (int i = 0; i < ndim && st == TESS_OK; i++)
        st = take_name(&value->as.list.items[i], (size_t)i, &of_base[i], err);
    for (int i = 0; i < map.ndim && st == TESS_OK; i++)
        names->of[i] = map.axis[i] < 0 ? "" : of_base[map.axis[i]];
    return st;
}

tess_status
names_copy(const struct names *names, int ndim, const char ***out, tess_error *err)
{
    size_t size = ((size_t)ndim + 1) * sizeof(char *);
    for (int i = 0; i < ndim; i++)
        size += strlen(names->of[i]) + 1;
    const char **const list = mem_alloc(size);
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d names", ndim);
    char *text = (char *)(list + ndim + 1);
    for (int i = 0; i < ndim; i++) {
        const size_t length = strlen(names->of[i]) + 1;
        list[i] = memcpy(text, names->of[i], length);
        text += length;
    }
    list[ndim] = NULL;
    *out = list;
    return TESS_OK;
}

tess_status
names_pack(const char *const *names, int ndim, uint8_t **content, size_t *size, tess_error *err)
{
    tess_value items[NDIM_MAX];
    for (int i = 0; i < ndim; i++) {
        const char *const name = names[i] ? names[i] : "";
        const size_t length = strnlen(name, TESS_DIMS_NAME_MAX + 1);
        if (length > TESS_DIMS_NAME_MAX)
            return err_set(err, TESS_ERR_LIMIT, -1, "the name of axis %d has more than %d bytes", i,
                           TESS_DIMS_NAME_MAX);
        items[i] = (tess_value){.type = TESS_VALUE_STRING, .as = {.string = {name, length}}};
    }
    const tess_value list = {.type = TESS_VALUE_LIST,
                             .as = {.list = {.items = items, .count = (size_t)ndim}}};
    return value_pack(&list, content, size, err);
}

// From the names of the base to those of the view, both as content of the attribute.
static tess_status
repack(const tess_array *view, const uint8_t *content, size_t size, uint8_t **out, size_t *out_size,
       tess_error *err)
{
    const tess_limits *const limits = frame_limits(view->grid->frame);
    tess_value *value;
    struct names names;
    tess_status st = value_parse(content, size, limits->nesting, limits->memory, &value, err);
    if (st == TESS_OK)
        st = names_take(view, value, &names, err);
    if (st == TESS_OK)
        st = names_pack(names.of, view->g->ndim, out, out_size, err);
    mem_free(value);
    return st;
}

tess_status
names_of_copy(const tess_array *view, const struct layer *layer, uint8_t **chunk, int32_t *cbytes,
              tess_error *err)
{
    uint8_t *content = NULL, *own = NULL;
    size_t size, own_size;
    tess_error why;
    *chunk = NULL;
    if (!view->view || strcmp(layer->name, TESS_DIMS_ATTRIBUTE) != 0)
        return TESS_OK;
    tess_status st = chunk_content(layer->content, layer->size,
                                   frame_limits(view->grid->frame)->memory, &content, &size, &why);
    if (st == TESS_OK)
        st = repack(view, content, size, &own, &own_size, &why);
    if (st == TESS_OK)
        st = chunk_of_bytes(own, own_size, BLOCKSIZE, chunk, cbytes, &why);
    mem_free(content);
    mem_free(own);
    if (st != TESS_ERR_NOMEM && st != TESS_ERR_STALE)
        return TESS_OK; // it is what it is
    if (err)
        *err = why;
    return st;
}

// -- numbers of a coordinate, in their order, without loss

bool
order_is_nan(const tess_number *x)
{
    return x->kind == TESS_KIND_FLOAT && isnan(x->f);
}

static int128
wide_of(const tess_number *x)
{
    return x->kind == TESS_KIND_INT ? int128_of(x->i) : int128_of_u64(x->u);
}

int
order_compare(const tess_number *x, const tess_number *y)
{
    const bool fx = x->kind == TESS_KIND_FLOAT, fy = y->kind == TESS_KIND_FLOAT;
    if (fx && fy)
        return (x->f > y->f) - (x->f < y->f);
    if (fy)
        return int128_compare_double(wide_of(x), y->f);
    if (fx)
        return -int128_compare_double(wide_of(y), x->f);
    return int128_compare(wide_of(x), wide_of(y));
}

// An exact sum: the nearest double, and the difference between the sum and that double.
struct sum {
    double high, low;
};

// Each has at most 64 bits.
static struct sum
sum_of_integers(int128 x, int128 y)
{
    const int128 sum = int128_add(x, y);
    const double high = int128_to_double(sum);
    return (struct sum){high, int128_to_double(int128_sub(sum, int128_of_double(high)))};
}

// The sum is finite.
static struct sum
sum_of_floats(double x, double y)
{
    double sum[2] = {x, 0};
    exact_add(sum, y);
    return (struct sum){sum[0], sum[1]};
}

// Rounding keeps the order, so the low parts decide only where the high ones are equal.
static bool
is_at_most(struct sum x, struct sum y)
{
    return x.high < y.high || (x.high == y.high && x.low <= y.low);
}

// y - value <= value - x: whether the sum of both is at most twice the value.
bool
order_is_nearer(const tess_number *x, const tess_number *value, const tess_number *y)
{
    double scale = 1;
    assert(x->kind == y->kind);
    if (x->kind == TESS_KIND_FLOAT) {
        if (isinf(x->f) || isinf(y->f))
            return isinf(x->f);
        if (isinf(x->f + y->f)) // large, and so is the value in between: halves lose nothing
            scale = 0.5;
    }
    const struct sum items = x->kind == TESS_KIND_FLOAT ? sum_of_floats(scale * x->f, scale * y->f)
                                                        : sum_of_integers(wide_of(x), wide_of(y));
    const struct sum twice = value->kind == TESS_KIND_FLOAT
                                 ? (struct sum){scale * value->f * 2, 0}
                                 : sum_of_integers(wide_of(value), wide_of(value));
    return is_at_most(items, twice);
}

// -- the array beside it that has a name

// Where the last part of a path begins, and where its extension does; slashes at its end are no
// part of it.
static void
divide(const char *path, size_t *folder, size_t *extension, size_t *end)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    *end = *extension = length;
    for (*folder = length; *folder > 0 && path[*folder - 1] != '/';)
        --*folder;
    for (size_t i = length; i > *folder + 1; i--)
        if (path[i - 1] == '.') {
            *extension = i - 1;
            break;
        }
}

static bool
is_name(const char *name)
{
    return name[0] != '\0' && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

// How the array was opened, for another path.
static tess_storage
storage_beside(const tess_array *base, const tess_plugins *plugins, const tess_context *context,
               const char *path)
{
    const struct frame_options *const options = frame_options(base->grid->frame);
    return (tess_storage){
        .struct_size = sizeof(tess_storage),
        .path = path,
        .mmap = base->mapped,
        .checksums = options->checksums,
        .limits = options->limits,
        .plugins = plugins,
        .context = context ? context : &base->context,
    };
}

// What is no array counts as nothing, and so do a name that is too long for a file and a link that
// leads nowhere.
static bool
is_none(const tess_error *why)
{
    return why->status == TESS_ERR_NOT_FOUND || why->status == TESS_ERR_FORMAT ||
           (why->status == TESS_ERR_IO && (why->sys == ENAMETOOLONG || why->sys == ELOOP));
}

static tess_status
open_at(const tess_array *base, const char *path, const tess_context *context, tess_array **out,
        tess_error *err)
{
    if (io_file_is_special(path))
        return err_set(err, TESS_ERR_FORMAT, -1, "is neither a file nor a directory");
    const struct plugins *const p = &base->grid->plugins;
    const tess_plugins plugins = {p->user_codecs, p->ncodecs, p->user_filters, p->nfilters};
    const tess_storage storage = storage_beside(base, &plugins, context, path);
    return array_open_newest(&storage, out, err);
}

tess_status
beside_open(const tess_array *a, const char *name, const tess_context *context, tess_array **out,
            tess_error *err)
{
    const tess_array *const base = view_base_const(a);
    size_t folder, extension, end;
    tess_error why;
    tess_status st = TESS_ERR_NOT_FOUND;
    *out = NULL;
    if (!base->path)
        return err_set(err, TESS_ERR_NOT_FOUND, -1,
                       "the array has no path, so nothing is beside it");
    if (!is_name(name))
        return err_set(err, TESS_ERR_NOT_FOUND, -1,
                       "\"%.80s\" cannot be the name of an array in the folder", name);
    divide(base->path, &folder, &extension, &end);
    const char *const own = base->path + extension;
    const struct {
        const char *text;
        size_t size;
    } extensions[] = {{own, end - extension}, {".b2nd", 5}, {"", 0}};
    const size_t size = folder + strlen(name) + (end - extension) + sizeof ".b2nd";
    char *const path = mem_alloc(size);
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions && st != TESS_OK; i++) {
        (void)snprintf(path, size, "%.*s%s%.*s", (int)folder, base->path, name,
                       (int)extensions[i].size, extensions[i].text);
        st = open_at(base, path, context, out, &why);
        if (st != TESS_OK && !is_none(&why)) {
            if (err)
                *err = why;
            mem_free(path);
            return st;
        }
    }
    mem_free(path);
    return st == TESS_OK ? st
                         : err_set(err, TESS_ERR_NOT_FOUND, -1,
                                   "there is no array \"%.80s\" in the folder of the array", name);
}
