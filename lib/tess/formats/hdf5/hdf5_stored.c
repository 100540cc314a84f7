/*
 * hdf5_stored.c - which parts of a dataset are stored in the file.
 *
 * Up to FEW stored chunks are listed once. If there are more, the chunks that a box intersects are
 * looked up one by one, until one is stored; if most chunks are stored, this is the first one.
 */
#include "formats/hdf5/hdf5_stored.h"

#include <stdlib.h>

enum { FEW = 1024 }; // HDF5 1.10 needs n steps to find the n-th chunk

static bool
list_chunks(struct hdf5_stored *s, hid_t space)
{
    const size_t ndim = (size_t)s->ndim;
    hsize_t *const first = calloc((size_t)s->count * ndim, sizeof *first);
    bool good = first != NULL;

    for (hsize_t i = 0; good && i < s->count; i++) {
        unsigned mask;
        haddr_t address;
        hsize_t size;
        good =
            H5Dget_chunk_info(s->dataset, space, i, &first[i * ndim], &mask, &address, &size) >= 0;
    }
    if (!good) {
        free(first);
        return false;
    }
    s->first = first;
    return true;
}

static bool
inquire_chunks(struct hdf5_stored *s, hid_t creation)
{
    hsize_t chunk[H5S_MAX_RANK];

    if (H5Pget_chunk(creation, H5S_MAX_RANK, chunk) != s->ndim || s->ndim < 1)
        return false;
    for (int i = 0; i < s->ndim; i++) {
        if (chunk[i] == 0 || chunk[i] > UINT32_MAX) // the format has 32 bits
            return false;
        s->chunk[i] = (int64_t)chunk[i];
    }
    const hid_t space = H5Dget_space(s->dataset); // 1.10 does not take H5S_ALL
    const bool counted = space >= 0 && H5Dget_num_chunks(s->dataset, space, &s->count) >= 0;
    if (counted && s->count > 0 && s->count <= FEW)
        (void)list_chunks(s, space);
    if (space >= 0)
        (void)H5Sclose(space);
    if (!counted)
        return false;
    s->none = s->count == 0;
    return true;
}

void
hdf5_stored_init(struct hdf5_stored *s, hid_t dataset, int ndim)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;

    *s = (struct hdf5_stored){.dataset = dataset, .ndim = ndim, .all = true};
    const bool partly = creation >= 0 && H5Dget_space_status(dataset, &status) >= 0 &&
                        status != H5D_SPACE_STATUS_ALLOCATED;
    const H5D_layout_t layout = partly ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
    if (layout == H5D_CHUNKED) {
        s->all = !inquire_chunks(s, creation);
    } else if (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0) {
        s->none = status == H5D_SPACE_STATUS_NOT_ALLOCATED;
        s->all = !s->none;
    }
    if (creation >= 0)
        (void)H5Pclose(creation);
    (void)H5Eclear2(H5E_DEFAULT);
}

void
hdf5_stored_finish(struct hdf5_stored *s)
{
    free(s->first);
    s->first = NULL;
}

static bool
is_met(const struct hdf5_stored *s, const hsize_t *first, const int64_t *start, const int64_t *stop)
{
    for (int i = 0; i < s->ndim; i++)
        if ((hsize_t)stop[i] <= first[i] || first[i] + (hsize_t)s->chunk[i] <= (hsize_t)start[i])
            return false;
    return true;
}

// Whether a chunk is stored; true if HDF5 does not tell.
static bool
is_stored(const struct hdf5_stored *s, const hsize_t *first)
{
    unsigned mask;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    if (H5Dget_chunk_info_by_coord(s->dataset, first, &mask, &address, &size) < 0)
        return true;
    return address != HADDR_UNDEF;
}

static bool
look_up(const struct hdf5_stored *s, const int64_t *start, const int64_t *stop)
{
    hsize_t from[TESS_MAX_NDIM], at[TESS_MAX_NDIM];

    for (int i = 0; i < s->ndim; i++)
        at[i] = from[i] = (hsize_t)(start[i] - start[i] % s->chunk[i]);
    for (;;) {
        if (is_stored(s, at))
            return true;
        int axis = s->ndim - 1;
        for (; axis >= 0; axis--) {
            at[axis] += (hsize_t)s->chunk[axis];
            if (at[axis] < (hsize_t)stop[axis])
                break;
            at[axis] = from[axis];
        }
        if (axis < 0)
            return false;
    }
}

bool
hdf5_stored_has(const struct hdf5_stored *s, const int64_t *start, const int64_t *stop)
{
    if (s->all || s->none)
        return s->all;
    if (!s->first)
        return look_up(s, start, stop);
    for (hsize_t i = 0; i < s->count; i++)
        if (is_met(s, &s->first[i * (hsize_t)s->ndim], start, stop))
            return true;
    return false;
}
