/*
 * hdf5_place.c - the place of a dataset in an HDF5 file that exists: what is there, and how it
 * goes.
 *
 * A dataset goes by its link: what other links lead to stays. Its bytes are free for what is
 * written before the file is closed. Scales of its axes list the datasets that use them
 * (REFERENCE_LIST), so it is detached from them first. The reverse cannot be undone for others: a
 * scale that is in use is not removed, but written over by the caller.
 */
#include "formats/hdf5/hdf5_place.h"

#include "formats/hdf5/hdf5_call.h"
#include "report.h"

#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>

// -- what is there

// Whether an object lies in the same file; objects behind external links do not.
static bool
is_in(hid_t file, hid_t object)
{
    char own[4096], other[4096];
    const ssize_t a = H5Fget_name(file, own, sizeof own);
    const ssize_t b = H5Fget_name(object, other, sizeof other);

    return a > 0 && a < (ssize_t)sizeof own && a == b && memcmp(own, other, (size_t)a) == 0;
}

// A group on the way: *there is false where there is nothing.
static tess_status
look_at_group(hid_t file, const char *name, bool *there, tess_error *err)
{
    *there = H5Lexists(file, name, H5P_DEFAULT) > 0;
    if (!*there)
        return TESS_OK;
    const hid_t group = H5Oopen(file, name, H5P_DEFAULT);
    const bool good = group >= 0 && H5Iget_type(group) == H5I_GROUP;
    const bool here = good && is_in(file, group);

    if (group >= 0)
        (void)H5Oclose(group);
    (void)H5Eclear2(H5E_DEFAULT);
    if (!good)
        return report_set(err, TESS_ERR_IO, "%.200s is no group of the file", name);
    return here ? TESS_OK : report_set(err, TESS_ERR_IO, "%.200s is a link to another file", name);
}

static tess_status
look_at_end(hid_t file, const char *name, enum hdf5_place *place, tess_error *err)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return TESS_OK;
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_DATASET;
    const bool scale = object >= 0 && type == H5I_DATASET && H5DSis_scale(object) > 0;

    if (object >= 0)
        (void)H5Oclose(object);
    *place = scale ? HDF5_PLACE_SCALE : HDF5_PLACE_TAKEN;
    return type == H5I_DATASET
               ? TESS_OK
               : report_set(err, TESS_ERR_IO, "%.200s is a group or a type, and is not replaced",
                            name);
}

tess_status
hdf5_place_look(hid_t file, const char *name, enum hdf5_place *place, tess_error *err)
{
    char *const path = strdup(name);
    char *at = path ? path + strspn(path, "/") : NULL;
    bool there = true;
    tess_status st = TESS_OK;

    *place = HDF5_PLACE_FREE;
    if (!path)
        return report_nomem(err, (int64_t)strlen(name));
    if (!at[0])
        st = report_set(err, TESS_ERR_ARG, "the name behind the colon names no dataset");
    while (st == TESS_OK && there && (at = strchr(at, '/')) != NULL) {
        *at = '\0';
        st = look_at_group(file, path, &there, err);
        *at++ = '/';
        at += strspn(at, "/");
    }
    if (st == TESS_OK && there)
        st = look_at_end(file, path, place, err);
    (void)H5Eclear2(H5E_DEFAULT);
    free(path);
    return st;
}

tess_status
hdf5_place_refuse(const char *name, tess_error *err)
{
    return report_set(err, TESS_ERR_IO, "the file holds %.200s; --force replaces it", name);
}

// -- how it goes

// An H5DS_iterate_t: the first one, to be closed by the caller.
static herr_t
take_scale(hid_t dataset, unsigned axis, hid_t scale, void *user)
{
    (void)dataset;
    (void)axis;
    if (H5Iinc_ref(scale) < 0)
        return -1;
    *(hid_t *)user = scale;
    return 1;
}

// What HDF5 cannot detach stays attached: a list of scales may be damaged.
static void
detach_scales(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    const int ndim = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    bool detached = H5Aexists(dataset, "DIMENSION_LIST") > 0;

    if (space >= 0)
        (void)H5Sclose(space);
    for (int axis = 0; detached && axis < ndim; axis++) {
        while (detached && H5DSget_num_scales(dataset, (unsigned)axis) > 0) {
            hid_t scale = -1;

            detached = H5DSiterate_scales(dataset, (unsigned)axis, NULL, take_scale, &scale) > 0 &&
                       H5DSdetach_scale(dataset, scale, (unsigned)axis) >= 0;
            if (scale >= 0)
                (void)H5Idec_ref(scale);
        }
    }
    (void)H5Eclear2(H5E_DEFAULT);
}

tess_status
hdf5_place_clear(hid_t file, const char *name, tess_error *err)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);

    if (dataset >= 0) {
        H5O_info_t info;

        if (H5Oget_info2(dataset, &info, H5O_INFO_BASIC) >= 0 && info.rc == 1 &&
            is_in(file, dataset)) // else it stays, under another name
            detach_scales(dataset);
        (void)H5Dclose(dataset);
    }
    (void)H5Eclear2(H5E_DEFAULT);
    return H5Ldelete(file, name, H5P_DEFAULT) >= 0 ? TESS_OK
                                                   : hdf5_fail(err, "cannot remove the old one");
}

tess_status
hdf5_place_clear_file(const char *path, const char *name, const char *other, tess_error *err)
{
    hdf5_silence();
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0)
        return hdf5_fail(err, "cannot be changed as HDF5");
    const bool there = H5Lexists(file, name, H5P_DEFAULT) > 0;
    const tess_status st = hdf5_place_clear(file, there ? name : other, err);
    const bool closed = H5Fclose(file) >= 0;
    return st != TESS_OK || closed ? st : hdf5_fail(err, "cannot write");
}
