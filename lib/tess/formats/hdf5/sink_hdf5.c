/*
 * sink_hdf5.c - exports to HDF5 files. Items keep their bytes, and so their byte order.
 *
 * In a file that exists a dataset that is replaced is made anew. Only one that others use as the
 * scale of an axis is written over, since it must stay the same object for them.
 */
#include "data/path.h"
#include "formats/attributes.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_place.h"
#include "formats/hdf5/hdf5_types.h"
#include "formats/sink.h"
#include "formats/tree/tree.h"
#include "report.h"

#include <tessera/convert.h>
#include <tessera/dtype.h>

#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>

struct hdf5_file {
    struct sink_file base;
    hid_t id; // -1: closed
    struct member *members; // the datasets, the last one first; in memory of the tree
};

// What a dataset of such a file says of others.
struct member {
    struct member *next;
    const char *part, *group; // names of it, and of its group
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    const char *names[TESS_MAX_NDIM]; // of its axes; NULL: none
};

struct hdf5 {
    struct sink sink;
    bool shared; // the file has other datasets, too, and is not ours to close
    const struct slice_range *sel;
    tess_dtype dtype; // of the items
    hid_t file, dataset, type, space; // -1: not open
};

static tess_status
hdf5_write(struct sink *s, const int64_t *start, const int64_t *stop, void *src, size_t size,
           tess_error *err)
{
    const struct hdf5 *const h = (struct hdf5 *)s;
    int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM];
    tess_status st = TESS_OK;

    (void)size;
    const int ndim = sink_axes(h->sel, start, from);
    (void)sink_axes(h->sel, stop, to);
    const hid_t memory = hdf5_select(h->space, ndim, from, to);
    if (memory < 0 || H5Dwrite(h->dataset, h->type, memory, h->space, H5P_DEFAULT, src) < 0)
        st = hdf5_fail(err, "cannot write");
    if (memory >= 0)
        (void)H5Sclose(memory);
    return st;
}

static void
shut(struct hdf5 *h)
{
    if (h->space >= 0)
        (void)H5Sclose(h->space);
    if (h->type >= 0)
        (void)H5Tclose(h->type);
    if (h->dataset >= 0)
        (void)H5Dclose(h->dataset);
    h->space = h->type = h->dataset = -1;
}

static tess_status
hdf5_finish(struct sink *s, tess_error *err)
{
    struct hdf5 *const h = (struct hdf5 *)s;
    if (h->shared) {
        shut(h);
        h->file = -1;
        return TESS_OK;
    }
    const bool flushed = H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
    shut(h);
    const bool closed = flushed && H5Fclose(h->file) >= 0;
    if (closed)
        h->file = -1;
    return closed ? TESS_OK : hdf5_fail(err, "cannot write");
}

static void
hdf5_close(struct sink *s)
{
    struct hdf5 *const h = (struct hdf5 *)s;

    shut(h);
    if (h->file >= 0 && !h->shared)
        (void)H5Fclose(h->file);
    free(h);
}

// -- what the file says of itself

static hid_t
creation_of(const struct hdf5 *h, const struct sink_plan *plan)
{
    const struct slice_range *const sel = plan->selection;
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[TESS_MAX_NDIM];
    int64_t grain[TESS_MAX_NDIM];
    const int level = plan->level < 0 ? SINK_LEVEL : plan->level;
    bool good = how >= 0;

    const int ndim = sink_axes(sel, plan->grain, grain);
    for (int i = 0; i < ndim; i++) {
        const int64_t most = sel->out_shape[i] > 0 ? sel->out_shape[i] : 1;
        chunk[i] = (hsize_t)(grain[i] < most ? grain[i] : most);
    }
    if (good && ndim > 0) {
        good = H5Pset_chunk(how, ndim, chunk) >= 0;
        if (good && level > 0)
            good = H5Pset_shuffle(how) >= 0 && H5Pset_deflate(how, (unsigned)level) >= 0;
    }
    if (good && plan->info->fill)
        good = H5Pset_fill_value(how, h->type, plan->info->fill) >= 0;
    if (good)
        return how;
    if (how >= 0)
        (void)H5Pclose(how);
    return -1;
}

// Whether an axis has a dimension that can grow.
static bool
is_unlimited(const struct sink_plan *plan, int axis)
{
    const char *const name = plan->tree ? sink_dimension(plan, axis) : NULL;
    const struct tree_dimension *const d =
        name ? tree_find_dimension(plan->tree, plan->group, name) : NULL;
    return d && d->unlimited;
}

// With the groups that its name goes through.
static tess_status
make_dataset(struct hdf5 *h, const struct sink_plan *plan, tess_error *err)
{
    const struct slice_range *const sel = plan->selection;
    const hid_t how = creation_of(h, plan), link = H5Pcreate(H5P_LINK_CREATE);
    hsize_t shape[TESS_MAX_NDIM] = {0}, most[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < sel->out_ndim; i++) {
        shape[i] = (hsize_t)sel->out_shape[i];
        most[i] = is_unlimited(plan, i) ? H5S_UNLIMITED : shape[i];
    }
    h->space = H5Screate_simple(sel->out_ndim, shape, most);
    if (how >= 0 && link >= 0 && h->space >= 0 && H5Pset_create_intermediate_group(link, 1) >= 0)
        h->dataset = H5Dcreate2(h->file, plan->part, h->type, h->space, link, how, H5P_DEFAULT);
    const tess_status st = h->dataset >= 0 ? TESS_OK : hdf5_fail(err, "cannot make the dataset");
    if (how >= 0)
        (void)H5Pclose(how);
    if (link >= 0)
        (void)H5Pclose(link);
    return st;
}

static hid_t
text_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    (void)H5Tset_size(type, H5T_VARIABLE);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

// `stored` in the file, `given` in memory; `count` 0: one value that is no list.
static bool
put(hid_t dataset, const char *name, hid_t stored, hid_t given, size_t count, const void *items)
{
    const hsize_t length = count;
    const hid_t space = count ? H5Screate_simple(1, &length, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute =
        space >= 0 ? H5Acreate2(dataset, name, stored, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    const bool good = attribute >= 0 && H5Awrite(attribute, given, items) >= 0;

    if (attribute >= 0)
        (void)H5Aclose(attribute);
    if (space >= 0)
        (void)H5Sclose(space);
    return good;
}

static bool
is_number(char kind)
{
    return kind == 'i' || kind == 'u' || kind == 'f';
}

// Whether numbers of an attribute are items of the dataset.
static bool
is_own(const struct hdf5 *h, const char *name)
{
    const H5T_class_t class = h->type >= 0 ? H5Tget_class(h->type) : H5T_NO_CLASS;
    return tess_attr_holds_items(name) && (class == H5T_INTEGER || class == H5T_FLOAT);
}

// Whether they are, but no item can be one of them: HDF5 would cut them to the range of its type.
static bool
is_misfit(const struct hdf5 *h, const struct attribute *a, char kind, size_t count,
          const void *items)
{
    return is_number(kind) && is_own(h, a->name) &&
           !(a->dtype && attributes_fit(kind, count, items, a->dtype)) &&
           !attributes_become(kind, count, items, &h->dtype);
}

// The type that numbers had where they came from, if they are still what they are in it; else that
// of the items that they are. -1: neither.
static hid_t
type_of_numbers(const struct hdf5 *h, const struct attribute *a, char kind, size_t count,
                const void *items)
{
    hid_t type = -1;
    tess_error ignored;

    if (a->dtype && attributes_fit(kind, count, items, a->dtype) &&
        hdf5_type(a->dtype, tess_dtype_parse(a->dtype).size, &type, &ignored) == TESS_OK)
        return type;
    return is_own(h, a->name) ? H5Tcopy(h->type) : -1;
}

static bool
put_attribute(const struct hdf5 *h, const struct attribute *a, char kind, size_t count,
              const void *items)
{
    const char *const name = a->name;
    const hid_t given = kind == 'i'   ? H5Tcopy(H5T_NATIVE_INT64)
                        : kind == 'u' ? H5Tcopy(H5T_NATIVE_UINT64)
                        : kind == 'f' ? H5Tcopy(H5T_NATIVE_DOUBLE)
                        : kind == 'S' ? text_type()
                                      : -1;
    hid_t boolean = -1;
    tess_error ignored;

    if (kind == 'b' && hdf5_type("|b1", 1, &boolean, &ignored) != TESS_OK)
        return false;
    const hid_t type = kind == 'b' ? boolean : given;
    const hid_t stored =
        is_number(kind) ? type_of_numbers(h, a, kind, count ? count : 1, items) : -1;
    const bool good = put(h->dataset, name, stored >= 0 ? stored : type, type, count, items);
    if (stored >= 0)
        (void)H5Tclose(stored);
    (void)H5Tclose(type);
    return good;
}

// Whether NULs of a text are all at its end, which strings of HDF5 end with.
static bool
is_ended(const tess_value *value)
{
    const tess_value *const text = value->type == TESS_VALUE_LIST ? value->as.list.items : value;
    size_t size = text->as.string.size;
    while (size > 0 && text->as.string.data[size - 1] == '\0')
        size--;
    return strlen(text->as.string.data) == size;
}

static tess_status
put_attributes(const struct hdf5 *h, struct attributes *a, tess_error *err)
{
    for (int i = 0; i < a->count; i++) {
        const char *const name = a->items[i].name;
        const bool list = a->items[i].value.type == TESS_VALUE_LIST;
        const void *items = NULL;
        size_t count = 0;
        char kind = '\0';

        if (strcmp(name, ATTRIBUTES_DIMENSIONS) == 0)
            continue;
        if (attributes_array(a, &a->items[i].value, &kind, &count, &items, err) != TESS_OK)
            return err->status;
        if (kind == 'Z' && is_ended(&a->items[i].value))
            kind = 'S';
        if (kind == '\0' || kind == 'Z' || is_misfit(h, &a->items[i], kind, count, items))
            attributes_leave(a, name);
        else if (!put_attribute(h, &a->items[i], kind, list ? count : 0, items))
            return hdf5_fail(err, name);
    }
    return TESS_OK;
}

// As h5py's dims[i].label has them. An axis without a name has an empty one.
static tess_status
put_labels(struct hdf5 *h, const struct sink_plan *plan, tess_error *err)
{
    const int ndim = plan->selection->out_ndim;
    const char *labels[TESS_MAX_NDIM];
    bool any = false;

    sink_check_dimensions(&h->sink, plan);
    for (int i = 0; i < ndim; i++) {
        labels[i] = sink_dimension(plan, i);
        any = any || labels[i];
        if (!labels[i])
            labels[i] = "";
    }
    if (!any)
        return TESS_OK;
    const hid_t type = text_type();
    const bool good = put(h->dataset, "DIMENSION_LABELS", type, type, (size_t)ndim, labels);
    (void)H5Tclose(type);
    return good ? TESS_OK : hdf5_fail(err, "cannot write the names of dimensions");
}

// -- a file that exists

// What the file has in that place, before anything is copied.
static tess_status
look(const struct sink_plan *plan, enum hdf5_place *place, tess_error *err)
{
    const hid_t file = H5Fopen(plan->old, H5F_ACC_RDONLY, H5P_DEFAULT);

    if (file < 0)
        return hdf5_fail(err, "exists, and cannot be opened as HDF5");
    const tess_status st = hdf5_place_look(file, plan->part, place, err);
    (void)H5Fclose(file);
    if (st == TESS_OK && *place != HDF5_PLACE_FREE && !plan->replace)
        return hdf5_place_refuse(plan->part, err);
    return st;
}

// Whether the fill value of a dataset is another one. It cannot be changed.
static bool
has_other_fill(const struct hdf5 *h, const tess_info *info)
{
    const hid_t how = H5Dget_create_plist(h->dataset);
    uint8_t *const fill = calloc(1, (size_t)info->typesize);
    const bool known = how >= 0 && fill && H5Pget_fill_value(how, h->type, fill) >= 0;
    bool zeros = true;

    for (int32_t i = 0; known && i < info->typesize; i++)
        zeros = zeros && fill[i] == 0;
    const bool same =
        known && (info->fill ? memcmp(fill, info->fill, (size_t)info->typesize) == 0 : zeros);
    free(fill);
    if (how >= 0)
        (void)H5Pclose(how);
    return !same;
}

// Opens a scale to be written over.
static tess_status
open_scale(struct hdf5 *h, const struct sink_plan *plan, tess_error *err)
{
    const struct slice_range *const sel = plan->selection;
    hsize_t shape[H5S_MAX_RANK] = {0};

    h->dataset = H5Dopen2(h->file, plan->part, H5P_DEFAULT);
    h->space = h->dataset >= 0 ? H5Dget_space(h->dataset) : -1;
    const hid_t type = h->dataset >= 0 ? H5Dget_type(h->dataset) : -1;
    if (h->space < 0 || type < 0)
        return hdf5_fail(err, "cannot open the old one");
    bool same = H5Tequal(type, h->type) > 0 &&
                H5Sget_simple_extent_dims(h->space, shape, NULL) == sel->out_ndim;
    for (int i = 0; same && i < sel->out_ndim; i++)
        same = shape[i] == (hsize_t)sel->out_shape[i];
    (void)H5Tclose(type);
    return same ? TESS_OK
                : report_set(err, TESS_ERR_IO,
                             "%.150s is a dimension scale, which other datasets refer to: only "
                             "items of the same type and shape can replace it",
                             plan->part);
}

// An H5A_operator2_t: the first attribute that belongs to the values.
static herr_t
take_attribute(hid_t dataset, const char *name, const H5A_info_t *info, void *user)
{
    (void)dataset;
    (void)info;
    if (hdf5_is_internal(name) && strcmp(name, "DIMENSION_LABELS") != 0)
        return 0;
    *(char **)user = strdup(name);
    return 1;
}

static tess_status
remove_attributes(const struct hdf5 *h, tess_error *err)
{
    herr_t more = 1;

    while (more > 0) {
        char *name = NULL;
        hsize_t at = 0;

        more = H5Aiterate2(h->dataset, H5_INDEX_NAME, H5_ITER_INC, &at, take_attribute, &name);
        if (more > 0 && (!name || H5Adelete(h->dataset, name) < 0))
            more = -1;
        free(name);
    }
    return more == 0 ? TESS_OK : hdf5_fail(err, "cannot remove the attributes of the old one");
}

// The dataset in a copy of plan->old.
static tess_status
change(struct hdf5 *h, const char *path, const struct sink_plan *plan, tess_error *err)
{
    enum hdf5_place place = HDF5_PLACE_FREE;
    tess_status st = TESS_OK;

    TRY(look(plan, &place, err));
    TRY(path_copy(plan->old, path, err));
    h->file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (h->file < 0)
        return hdf5_fail(err, "cannot be changed as HDF5");
    if (place == HDF5_PLACE_SCALE) {
        TRY(open_scale(h, plan, err));
        if (has_other_fill(h, plan->info))
            sink_remark(&h->sink, "the fill value is still that of the old one");
        return remove_attributes(h, err);
    }
    if (place == HDF5_PLACE_TAKEN)
        TRY(hdf5_place_clear(h->file, plan->part, err));
    TRY(make_dataset(h, plan, err));
out:
    return st;
}

static tess_status
create(struct hdf5 *h, const char *path, const struct sink_plan *plan, tess_error *err)
{
    h->file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    return h->file >= 0 ? make_dataset(h, plan, err) : hdf5_fail(err, "cannot create");
}

// -- one of several datasets

static tess_status
note_member(struct hdf5_file *f, const struct sink_plan *plan, tess_error *err)
{
    const struct slice_range *const sel = plan->selection;
    struct member *const m = attributes_alloc(&plan->tree->memory, 1, sizeof *m);

    if (!m)
        return report_nomem(err, sizeof *m);
    *m = (struct member){
        .next = f->members, .part = plan->part, .group = plan->group, .ndim = sel->out_ndim};
    for (int i = 0; i < m->ndim; i++) {
        const char *const name = sink_dimension(plan, i);

        m->shape[i] = sel->out_shape[i];
        m->names[i] = name ? tree_join(plan->tree, "", name) : NULL;
        if (name && !m->names[i])
            return report_nomem(err, (int64_t)strlen(name));
    }
    f->members = m;
    return TESS_OK;
}

tess_status
sink_hdf5_open(const char *path, const struct sink_plan *plan, struct sink **sink, tess_error *err)
{
    struct hdf5 *h = calloc(1, sizeof *h);
    tess_status st = TESS_OK;

    if (!h)
        return report_nomem(err, sizeof *h);
    hdf5_silence();
    h->sink = (struct sink){.write = hdf5_write, .finish = hdf5_finish, .close = hdf5_close};
    h->sel = plan->selection;
    h->file = h->dataset = h->type = h->space = -1;
    h->dtype = tess_dtype_parse(plan->info->dtype);
    TRY(hdf5_type(plan->info->dtype, plan->info->typesize, &h->type, err));
    if (plan->file) {
        h->shared = true;
        h->file = ((struct hdf5_file *)plan->file)->id;
        TRY(make_dataset(h, plan, err));
        TRY(note_member((struct hdf5_file *)plan->file, plan, err));
    } else {
        TRY(plan->old ? change(h, path, plan, err) : create(h, path, plan, err));
    }
    TRY(put_labels(h, plan, err));
    TRY(put_attributes(h, plan->attributes, err));
    *sink = &h->sink;
    h = NULL;
out:
    sink_close(h ? &h->sink : NULL);
    return st;
}

// -- a file for several datasets

// As netCDF has them: the values of an axis are what is called like it.
static bool
is_scale(const struct member *m)
{
    return m->ndim == 1 && m->names[0] &&
           strcmp(m->names[0], m->part + path_folder_size(m->part)) == 0;
}

// The scale of an axis, in the group of the dataset or the nearest one around it.
static const struct member *
find_scale(const struct hdf5_file *f, const struct member *m, int axis)
{
    const struct member *best = NULL;

    for (const struct member *s = f->members; s; s = s->next) {
        const size_t size = strlen(s->group);
        const bool around = strncmp(s->group, m->group, size) == 0 &&
                            (size == 0 || m->group[size] == '/' || m->group[size] == '\0');

        if (around && s != m && is_scale(s) && strcmp(s->names[0], m->names[axis]) == 0 &&
            s->shape[0] == m->shape[axis] && (!best || size > strlen(best->group)))
            best = s;
    }
    return best;
}

static tess_status
attach(const struct hdf5_file *f, const struct member *m, tess_error *err)
{
    const hid_t dataset = H5Dopen2(f->id, m->part, H5P_DEFAULT);
    bool good = dataset >= 0;

    for (int i = 0; good && i < m->ndim && !is_scale(m); i++) {
        const struct member *const s = m->names[i] ? find_scale(f, m, i) : NULL;
        const hid_t scale = s ? H5Dopen2(f->id, s->part, H5P_DEFAULT) : -1;

        if (s)
            good = scale >= 0 && H5DSattach_scale(dataset, scale, (unsigned)i) >= 0;
        if (scale >= 0)
            (void)H5Dclose(scale);
    }
    if (dataset >= 0)
        (void)H5Dclose(dataset);
    return good ? TESS_OK : hdf5_fail(err, "cannot attach a dimension scale");
}

static tess_status
make_scale(const struct hdf5_file *f, const struct member *m, tess_error *err)
{
    const hid_t dataset = H5Dopen2(f->id, m->part, H5P_DEFAULT);
    const bool good = dataset >= 0 && H5DSset_scale(dataset, m->names[0]) >= 0;

    if (dataset >= 0)
        (void)H5Dclose(dataset);
    return good ? TESS_OK : hdf5_fail(err, "cannot make a dimension scale");
}

// A group with its attributes.
static tess_status
make_group(struct hdf5_file *f, struct tree_group *g, tess_error *err)
{
    const hid_t id = g->path[0] ? H5Gcreate2(f->id, g->path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                                : H5Gopen2(f->id, "/", H5P_DEFAULT);
    const struct hdf5 h = {.dataset = id, .type = -1};

    if (id < 0)
        return hdf5_fail(err, "cannot make a group");
    const tess_status st = put_attributes(&h, &g->attributes, err);
    (void)H5Gclose(id);
    (void)H5Eclear2(H5E_DEFAULT);
    return st;
}

static tess_status
file_create(const char *path, struct tree *t, struct sink_file **file, tess_error *err)
{
    struct hdf5_file *const f = calloc(1, sizeof *f);
    tess_status st = TESS_OK;

    if (!f)
        return report_nomem(err, sizeof *f);
    *file = &f->base;
    f->base.kind = sink_file_hdf5();
    hdf5_silence();
    f->id = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    if (f->id < 0)
        return hdf5_fail(err, "cannot create");
    for (int i = 0; i < t->ngroups && st == TESS_OK; i++)
        st = make_group(f, t->groups[i], err);
    return st;
}

static tess_status
file_ready(struct sink_file *file, tess_error *err)
{
    (void)file;
    (void)err;
    return TESS_OK;
}

static tess_status
file_finish(struct sink_file *file, struct tree *t, tess_error *err)
{
    struct hdf5_file *const f = (struct hdf5_file *)file;
    tess_status st = TESS_OK;

    (void)t;
    for (const struct member *m = f->members; m; m = m->next)
        if (is_scale(m))
            TRY(make_scale(f, m, err));
    for (const struct member *m = f->members; m; m = m->next)
        TRY(attach(f, m, err));
    if (H5Fflush(f->id, H5F_SCOPE_LOCAL) < 0 || H5Fclose(f->id) < 0)
        return hdf5_fail(err, "cannot write");
    f->id = -1;
out:
    return st;
}

static void
file_close(struct sink_file *file)
{
    struct hdf5_file *const f = (struct hdf5_file *)file;

    if (f->id >= 0)
        (void)H5Fclose(f->id);
    free(f);
}

const struct sink_file_kind *
sink_file_hdf5(void)
{
    static const struct sink_file_kind kind = {.create = file_create,
                                               .open = sink_hdf5_open,
                                               .ready = file_ready,
                                               .finish = file_finish,
                                               .close = file_close};
    return &kind;
}
