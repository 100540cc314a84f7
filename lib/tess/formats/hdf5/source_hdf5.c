/*
 * source_hdf5.c - datasets of HDF5 files.
 *
 * Items arrive as they are stored, in either byte order. What a file says of itself is asked
 * through the library; sizes are checked here before memory is taken for them.
 */
#include "formats/hdf5/source_hdf5.h"

#include "data/path.h"
#include "formats/attributes.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_stored.h"
#include "formats/hdf5/hdf5_types.h"
#include "formats/source.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes of chunks that HDF5 keeps, so that a chunk that several boxes share is decoded once.
#define CHUNK_CACHE (64 << 20)
// Largest attribute, in bytes.
#define ATTRIBUTE_MAX (16 << 20)
// Names of datasets that a message lists.
#define LISTED_MAX 5

struct hdf5 {
    struct source source;
    hid_t file, dataset, type, space; // -1: not open
    struct hdf5_stored stored;
};

static bool
hdf5_stores(struct source *s, const int64_t *start, const int64_t *stop)
{
    return hdf5_stored_has(&((struct hdf5 *)s)->stored, start, stop);
}

static tess_status
hdf5_read(struct source *s, const int64_t *start, const int64_t *stop, void *dst, tess_error *err)
{
    const struct hdf5 *const h = (struct hdf5 *)s;
    const hid_t memory = hdf5_select(h->space, s->ndim, start, stop);
    tess_status st = TESS_OK;

    if (memory < 0 || H5Dread(h->dataset, h->type, memory, h->space, H5P_DEFAULT, dst) < 0)
        st = hdf5_fail(err, "cannot read");
    if (memory >= 0)
        (void)H5Sclose(memory);
    return st;
}

static void
hdf5_close(struct source *s)
{
    struct hdf5 *const h = (struct hdf5 *)s;

    hdf5_stored_finish(&h->stored);
    if (h->space >= 0)
        (void)H5Sclose(h->space);
    if (h->type >= 0)
        (void)H5Tclose(h->type);
    if (h->dataset >= 0)
        (void)H5Dclose(h->dataset);
    if (h->file >= 0)
        (void)H5Fclose(h->file);
    free(h);
}

// -- finding the dataset

struct list {
    char text[300];
    char first[200];
    int count;
};

static herr_t
list_one(hid_t object, const char *name, const H5O_info_t *info, void *user)
{
    struct list *const list = user;
    const size_t n = strlen(list->text);

    (void)object;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    if (list->count == 0)
        (void)snprintf(list->first, sizeof list->first, "/%s", name);
    if (list->count++ == LISTED_MAX) {
        (void)snprintf(list->text + n, sizeof list->text - n, ", ...");
        return 1;
    }
    (void)snprintf(list->text + n, sizeof list->text - n, "%s/%s", n > 0 ? ", " : "", name);
    return 0;
}

static void
list_datasets(const struct hdf5 *h, struct list *list)
{
    *list = (struct list){0};
    (void)H5Ovisit2(h->file, H5_INDEX_NAME, H5_ITER_INC, list_one, list, H5O_INFO_BASIC);
    (void)H5Eclear2(H5E_DEFAULT);
}

static tess_status
refuse_name(const struct hdf5 *h, const char *name, tess_error *err)
{
    struct list list;

    list_datasets(h, &list);
    if (list.count == 0)
        return report_set(err, TESS_ERR_ARG, "the file has no datasets");
    return name[0] ? report_set(err, TESS_ERR_ARG, "there is no dataset %.200s; the file holds %s",
                                name, list.text)
                   : report_set(err, TESS_ERR_ARG,
                                "which dataset? Behind the name and a colon, one of %s", list.text);
}

static tess_status
open_dataset(struct hdf5 *h, const char *path, const char *name, tess_error *err)
{
    h->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (h->file < 0)
        return hdf5_fail(err, "cannot open as HDF5");
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    (void)H5Pset_chunk_cache(access, 12421, CHUNK_CACHE, H5D_CHUNK_CACHE_W0_DEFAULT);
    struct list list;
    if (!name[0])
        list_datasets(h, &list);
    h->dataset = H5Dopen2(h->file, name[0] ? name : list.count == 1 ? list.first : "/", access);
    (void)H5Pclose(access);
    return h->dataset >= 0 ? TESS_OK : refuse_name(h, name, err);
}

static tess_status
inquire(struct hdf5 *h, tess_error *err)
{
    struct source *const s = &h->source;
    hsize_t shape[H5S_MAX_RANK];
    char dtype[HDF5_DTYPE_SIZE];
    int64_t nbytes = 0;

    h->type = H5Dget_type(h->dataset);
    h->space = H5Dget_space(h->dataset);
    if (h->type < 0 || h->space < 0)
        return hdf5_fail(err, "cannot describe the dataset");
    if (H5Sget_simple_extent_type(h->space) == H5S_NULL)
        return report_set(err, TESS_ERR_UNSUPPORTED, "the dataset has no shape");
    s->ndim = H5Sget_simple_extent_dims(h->space, shape, NULL);
    if (s->ndim < 0)
        return hdf5_fail(err, "cannot describe the dataset");
    if (s->ndim > TESS_MAX_NDIM)
        return report_set(err, TESS_ERR_LIMIT, "%d dimensions; at most %d", s->ndim, TESS_MAX_NDIM);
    for (int i = 0; i < s->ndim; i++) {
        if (shape[i] > INT64_MAX)
            return report_set(err, TESS_ERR_LIMIT, "a dimension of 2^63 items or more");
        s->shape[i] = (int64_t)shape[i];
    }
    if (hdf5_dtype(h->type, dtype, &s->typesize, err) != TESS_OK)
        return err->status;
    s->dtype = strdup(dtype);
    if (!s->dtype)
        return report_nomem(err, HDF5_DTYPE_SIZE);
    return source_nbytes(s, &nbytes)
               ? TESS_OK
               : report_set(err, TESS_ERR_LIMIT, "the dataset has 2^63 bytes or more");
}

// -- attributes

static tess_status
add_strings(struct hdf5 *h, hid_t attribute, const char *name, hid_t type, hid_t space,
            size_t count, tess_error *err)
{
    struct attributes *const a = &h->source.attributes;
    char **const strings = attributes_alloc(a, count, sizeof *strings);

    if (!strings)
        return report_nomem(err, (int64_t)count);
    if (H5Aread(attribute, type, strings) < 0)
        return hdf5_fail(err, name);
    const tess_status st =
        attributes_add_strings(a, name, count, (const char *const *)strings, err);
    (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, strings);
    return st;
}

// The fill value, if it has the type of the dataset.
static tess_status
set_fill(struct hdf5 *h, hid_t type, const void *item, tess_error *err)
{
    struct source *const s = &h->source;

    if (H5Tequal(type, h->type) <= 0)
        return TESS_OK;
    if (!s->fill)
        s->fill = malloc((size_t)s->typesize);
    if (!s->fill)
        return report_nomem(err, s->typesize);
    memcpy(s->fill, item, (size_t)s->typesize);
    return TESS_OK;
}

static tess_status
add_items(struct hdf5 *h, hid_t attribute, const char *name, hid_t type, size_t count,
          tess_error *err)
{
    struct attributes *const a = &h->source.attributes;
    char dtype[HDF5_DTYPE_SIZE];
    int32_t size = 0;

    if (hdf5_dtype(type, dtype, &size, err) != TESS_OK) {
        attributes_leave(a, name);
        return TESS_OK;
    }
    void *const items = attributes_alloc(a, count, (size_t)size);
    if (!items)
        return report_nomem(err, (int64_t)count);
    if (count > 0 && H5Aread(attribute, type, items) < 0)
        return hdf5_fail(err, name);
    if (strcmp(name, "_FillValue") == 0 && count == 1 && set_fill(h, type, items, err) != TESS_OK)
        return err->status;
    const tess_status st = attributes_add_items(a, name, dtype, count, items, err);
    if (st != TESS_ERR_UNSUPPORTED)
        return st;
    attributes_leave(a, name);
    return TESS_OK;
}

static tess_status
add_attribute(struct hdf5 *h, hid_t attribute, const char *name, tess_error *err)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    const size_t size = type >= 0 ? H5Tget_size(type) : 0;
    tess_status st;

    if (count < 0 || size == 0) {
        st = hdf5_fail(err, name);
    } else if (H5Sget_simple_extent_type(space) == H5S_NULL) {
        st = attributes_add(&h->source.attributes, name, &(tess_value){.type = TESS_VALUE_NULL},
                            err);
    } else if ((uint64_t)count > ATTRIBUTE_MAX / size) {
        st = report_set(err, TESS_ERR_LIMIT, "attribute %.100s has more than %d bytes", name,
                        ATTRIBUTE_MAX);
    } else if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
        st = add_strings(h, attribute, name, type, space, (size_t)count, err);
    } else {
        st = add_items(h, attribute, name, type, (size_t)count, err);
    }
    if (space >= 0)
        (void)H5Sclose(space);
    if (type >= 0)
        (void)H5Tclose(type);
    return st;
}

struct visit {
    struct hdf5 *h;
    tess_status st;
    tess_error *err;
};

static herr_t
visit_attribute(hid_t dataset, const char *name, const H5A_info_t *info, void *user)
{
    struct visit *const v = user;

    (void)info;
    if (hdf5_is_internal(name) ||
        (strcmp(name, ATTRIBUTES_DIMENSIONS) == 0 &&
         attributes_find(&v->h->source.attributes, ATTRIBUTES_DIMENSIONS)))
        return 0;
    const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
    if (attribute < 0) {
        v->st = hdf5_fail(v->err, name);
        return -1;
    }
    v->st = add_attribute(v->h, attribute, name, v->err);
    (void)H5Aclose(attribute);
    return v->st == TESS_OK ? 0 : -1;
}

// -- names of dimensions

// The last part of the path of an object, to be freed, or NULL.
static char *
own_name(hid_t object)
{
    const ssize_t size = H5Iget_name(object, NULL, 0);
    char *const path = size > 0 && size < ATTRIBUTE_MAX ? malloc((size_t)size + 1) : NULL;
    char *name = NULL;

    if (path && H5Iget_name(object, path, (size_t)size + 1) > 0)
        name = strdup(path + path_folder_size(path));
    free(path);
    return name;
}

// The attribute if it is there, with one entry of that class per dimension; else -1.
static hid_t
open_per_dimension(const struct hdf5 *h, const char *name, H5T_class_t class, size_t size)
{
    if (H5Aexists(h->dataset, name) <= 0)
        return -1;
    const hid_t attribute = H5Aopen(h->dataset, name, H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    const bool good = type >= 0 && space >= 0 && H5Tget_class(type) == class &&
                      H5Tget_size(type) == size &&
                      H5Sget_simple_extent_npoints(space) == h->source.ndim;

    if (type >= 0)
        (void)H5Tclose(type);
    if (space >= 0)
        (void)H5Sclose(space);
    if (good)
        return attribute;
    if (attribute >= 0)
        (void)H5Aclose(attribute);
    return -1;
}

// From what the first scale of each axis is called.
static void
name_by_scales(const struct hdf5 *h, char **names)
{
    const hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    const hid_t attribute = open_per_dimension(h, "DIMENSION_LIST", H5T_VLEN, H5Tget_size(type));
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    hvl_t lists[TESS_MAX_NDIM] = {{0}};

    if (attribute >= 0 && H5Aread(attribute, type, lists) >= 0) {
        for (int i = 0; i < h->source.ndim; i++) {
            const hid_t scale =
                lists[i].len > 0 ? H5Rdereference2(h->dataset, H5P_DEFAULT, H5R_OBJECT, lists[i].p)
                                 : -1;
            if (scale >= 0) {
                names[i] = own_name(scale);
                (void)H5Oclose(scale);
            }
        }
        (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
    }
    if (space >= 0)
        (void)H5Sclose(space);
    if (attribute >= 0)
        (void)H5Aclose(attribute);
    (void)H5Tclose(type);
}

static void
name_by_labels(const struct hdf5 *h, char **names)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, H5T_VARIABLE);
    const hid_t attribute =
        open_per_dimension(h, "DIMENSION_LABELS", H5T_STRING, H5Tget_size(type));
    const hid_t own = attribute >= 0 ? H5Aget_type(attribute) : -1;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    char *labels[TESS_MAX_NDIM] = {NULL};

    if (attribute >= 0 && H5Tis_variable_str(own) > 0 && H5Aread(attribute, own, labels) >= 0) {
        for (int i = 0; i < h->source.ndim; i++)
            if (!names[i] && labels[i])
                names[i] = strdup(labels[i]);
        (void)H5Dvlen_reclaim(own, space, H5P_DEFAULT, labels);
    }
    if (space >= 0)
        (void)H5Sclose(space);
    if (own >= 0)
        (void)H5Tclose(own);
    if (attribute >= 0)
        (void)H5Aclose(attribute);
    (void)H5Tclose(type);
}

static tess_status
add_dimensions(struct hdf5 *h, tess_error *err)
{
    struct source *const s = &h->source;
    char *names[TESS_MAX_NDIM] = {NULL};

    if (s->ndim == 0)
        return TESS_OK;
    name_by_scales(h, names);
    name_by_labels(h, names);
    if (!names[0] && s->ndim == 1 && H5Aexists(h->dataset, "CLASS") > 0) // is a scale itself
        names[0] = own_name(h->dataset);
    (void)H5Eclear2(H5E_DEFAULT);
    const tess_status st =
        attributes_add_dimensions(&s->attributes, s->ndim, (const char *const *)names, err);
    for (int i = 0; i < s->ndim; i++)
        free(names[i]);
    return st;
}

static tess_status
add_attributes(struct hdf5 *h, tess_error *err)
{
    struct visit visit = {h, TESS_OK, err};
    hsize_t at = 0;

    if (H5Aiterate2(h->dataset, H5_INDEX_NAME, H5_ITER_INC, &at, visit_attribute, &visit) < 0 &&
        visit.st == TESS_OK)
        return hdf5_fail(err, "cannot read the attributes");
    (void)H5Eclear2(H5E_DEFAULT);
    return visit.st;
}

tess_status
source_hdf5_group_attributes(hid_t group, struct attributes *a, tess_error *err)
{
    struct hdf5 h = {.file = -1, .dataset = group, .type = -1, .space = -1};

    h.source.attributes = *a;
    const tess_status st = add_attributes(&h, err);
    *a = h.source.attributes;
    return st;
}

static tess_status
hdf5_describe(struct source *s, tess_error *err)
{
    struct hdf5 *const h = (struct hdf5 *)s;

    if (s->rest) {
        s->fill = malloc((size_t)s->typesize);
        if (!s->fill)
            return report_nomem(err, s->typesize);
        memcpy(s->fill, s->rest, (size_t)s->typesize);
    }
    const tess_status st = add_dimensions(h, err);
    return st == TESS_OK ? add_attributes(h, err) : st;
}

// The fill value, if one is set; what is not stored, is this, or zeros.
static tess_status
inquire_rest(struct hdf5 *h, tess_error *err)
{
    struct source *const s = &h->source;
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    tess_status st = TESS_OK;

    const hid_t creation = H5Dget_create_plist(h->dataset);
    if (creation >= 0 && H5Pfill_value_defined(creation, &defined) >= 0 &&
        defined == H5D_FILL_VALUE_USER_DEFINED) {
        s->rest = calloc(1, (size_t)s->typesize);
        if (!s->rest)
            st = report_nomem(err, s->typesize);
        else if (H5Pget_fill_value(creation, h->type, s->rest) < 0)
            st = hdf5_fail(err, "cannot read the fill value");
    }
    if (creation >= 0)
        (void)H5Pclose(creation);
    hdf5_stored_init(&h->stored, h->dataset, s->ndim);
    if (!h->stored.all)
        s->stores = hdf5_stores;
    return st;
}

tess_status
source_hdf5_open(const char *path, const char *dataset, struct source **source, tess_error *err)
{
    struct hdf5 *h = calloc(1, sizeof *h);
    tess_status st = TESS_OK;

    if (!h)
        return report_nomem(err, sizeof *h);
    hdf5_silence();
    h->file = h->dataset = h->type = h->space = -1;
    h->source.read = hdf5_read;
    h->source.describe = hdf5_describe;
    h->source.close = hdf5_close;
    TRY(open_dataset(h, path, dataset, err));
    TRY(inquire(h, err));
    TRY(inquire_rest(h, err));
    *source = &h->source;
    h = NULL;
out:
    source_close(h ? &h->source : NULL);
    return st;
}
