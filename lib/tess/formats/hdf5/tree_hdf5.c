/*
 * tree_hdf5.c - what a whole HDF5 file holds.
 *
 * Each object is listed once, by the first of its names. Links that lead elsewhere, and types, are
 * named as what cannot become an array. A dimension of netCDF-4 without values is a dataset in
 * HDF5, but says nothing that the datasets with that dimension do not say.
 */
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/source_hdf5.h"
#include "formats/tree/tree.h"
#include "report.h"

#include <hdf5_hl.h>
#include <string.h>

struct visit {
    struct tree *t;
    tess_status st;
    tess_error *err;
};

// The group that a name lies in; the rest of the name is *last.
static struct tree_group *
find_group(const struct tree *t, const char *name, const char **last)
{
    const char *const slash = strrchr(name, '/');
    const size_t size = slash ? (size_t)(slash - name) : 0;

    *last = slash ? slash + 1 : name;
    for (int i = 0; i < t->ngroups; i++)
        if (strlen(t->groups[i]->path) == size && memcmp(t->groups[i]->path, name, size) == 0)
            return t->groups[i];
    return NULL;
}

static bool
is_bare_dimension(hid_t dataset)
{
    static const char words[] = "This is a netCDF dimension but not a netCDF variable";
    char name[sizeof words] = "";
    const bool bare = H5DSis_scale(dataset) > 0 &&
                      H5DSget_scale_name(dataset, name, sizeof name) > 0 &&
                      strcmp(name, words) == 0;

    (void)H5Eclear2(H5E_DEFAULT);
    return bare;
}

// A dimension scale stands for a dimension of its name.
static void
note_dimension(hid_t dataset, const char *name, struct visit *v, struct tree_group *g)
{
    hsize_t shape[H5S_MAX_RANK], most[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset);
    const int ndim = space >= 0 ? H5Sget_simple_extent_dims(space, shape, most) : -1;

    if (ndim == 1 && shape[0] <= INT64_MAX && H5DSis_scale(dataset) > 0 &&
        !tree_add_dimension(v->t, g, name, (int64_t)shape[0], most[0] == H5S_UNLIMITED))
        v->st = report_nomem(v->err, (int64_t)strlen(name));
    if (space >= 0)
        (void)H5Sclose(space);
    (void)H5Eclear2(H5E_DEFAULT);
}

static void
add_group(hid_t file, const char *name, struct visit *v)
{
    struct tree_group *const g = tree_add_group(v->t, name);
    const hid_t group = H5Oopen(file, name[0] ? name : "/", H5P_DEFAULT);

    if (!g)
        v->st = report_nomem(v->err, sizeof *g);
    else if (group < 0)
        v->st = hdf5_fail(v->err, "cannot open a group");
    else
        v->st = source_hdf5_group_attributes(group, &g->attributes, v->err);
    if (group >= 0)
        (void)H5Oclose(group);
}

static void
add_dataset(hid_t file, const char *name, struct visit *v)
{
    const char *last;
    struct tree_group *const g = find_group(v->t, name, &last);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);

    (void)H5Eclear2(H5E_DEFAULT);
    if (!g)
        v->st = report_set(v->err, TESS_ERR_CORRUPT, "%.200s lies in no group", name);
    else if (dataset < 0 || !is_bare_dimension(dataset)) {
        if (!tree_add_variable(v->t, g, last, NULL))
            v->st = report_nomem(v->err, (int64_t)strlen(name));
    }
    if (g && dataset >= 0 && v->st == TESS_OK)
        note_dimension(dataset, last, v, g);
    if (dataset >= 0)
        (void)H5Dclose(dataset);
}

static void
add_skipped(const char *name, const char *why, struct visit *v)
{
    const char *last;
    struct tree_group *const g = find_group(v->t, name, &last);

    if (g && !tree_add_variable(v->t, g, last, why))
        v->st = report_nomem(v->err, (int64_t)strlen(name));
}

static herr_t
visit_object(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    struct visit *const v = user;

    if (info->type == H5O_TYPE_GROUP)
        add_group(file, strcmp(name, ".") == 0 ? "" : name, v);
    else if (info->type == H5O_TYPE_DATASET)
        add_dataset(file, name, v);
    else
        add_skipped(name, "is a type, not a dataset", v);
    return v->st == TESS_OK ? 0 : -1;
}

static herr_t
visit_link(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
    struct visit *const v = user;

    (void)file;
    if (info->type != H5L_TYPE_HARD)
        add_skipped(name, "is a link to something else", v);
    return v->st == TESS_OK ? 0 : -1;
}

tess_status
tree_hdf5_list(const char *path, struct tree *t, tess_error *err)
{
    struct visit v = {.t = t, .err = err};

    hdf5_silence();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return hdf5_fail(err, "cannot open as HDF5");
    const bool listed =
        H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit_object, &v, H5O_INFO_BASIC) >= 0 &&
        H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit_link, &v) >= 0;
    if (!listed && v.st == TESS_OK)
        v.st = hdf5_fail(err, "cannot list what it holds");
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Fclose(file);
    return v.st;
}
