/*
 * side_hdf5.c - HDF5, with its own shuffle and deflate; one thread.
 *
 * In memory is the core driver without a file. Reading in memory uses the handle that wrote.
 */
#include "side.h"

#include "../support.h"

#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>

#define SHUFFLE 1
#define ZLIB 4
#define CORE_STEP ((size_t)4 << 20)

struct h5array {
    hid_t file, dataset, type;
    int ndim;
    hsize_t shape[SIDE_MAX_NDIM], chunk[SIDE_MAX_NDIM];
};

// Ids are positive; all else of HDF5 that matters here answers with what is negative on failure.
static hid_t
must(hid_t answer, const char *call)
{
    if (answer < 0)
        bench_die("HDF5: %s failed", call);
    return answer;
}

static bool
can(const struct side_array *array)
{
    return array->codec == ZLIB && array->filter == SHUFFLE && array->threads == 1;
}

static hid_t
item_type(const struct side_array *array)
{
    if (array->dtype[1] == 'f')
        return array->typesize == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    return array->typesize == 2 ? H5T_NATIVE_UINT16 : H5T_NATIVE_INT64;
}

static struct h5array *
h5array_new(const struct side_array *array)
{
    struct h5array *const a = bench_alloc(sizeof *a);

    *a = (struct h5array){.type = item_type(array), .ndim = array->ndim};
    for (int i = 0; i < array->ndim; i++) {
        a->shape[i] = (hsize_t)array->shape[i];
        a->chunk[i] = (hsize_t)array->chunk[i];
    }
    return a;
}

// Files in memory, too, need names of their own.
static hid_t
file_create(const struct side_array *array)
{
    static int number;
    char name[32];
    const hid_t access = must(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    hid_t file;

    if (!array->path)
        must(H5Pset_fapl_core(access, CORE_STEP, false), "H5Pset_fapl_core");
    snprintf(name, sizeof name, "memory-%d", number++);
    file = must(H5Fcreate(array->path ? array->path : name, H5F_ACC_TRUNC, H5P_DEFAULT, access),
                "H5Fcreate");
    H5Pclose(access);
    return file;
}

static void *
array_create(const struct side_array *array, const void *src, size_t size)
{
    struct h5array *const a = h5array_new(array);
    hsize_t most[SIDE_MAX_NDIM];
    hid_t space, params;

    (void)size;
    for (int i = 0; i < a->ndim; i++)
        most[i] = i == 0 ? H5S_UNLIMITED : a->shape[i];
    a->file = file_create(array);
    space = must(H5Screate_simple(a->ndim, a->shape, most), "H5Screate_simple");
    params = must(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    must(H5Pset_chunk(params, a->ndim, a->chunk), "H5Pset_chunk");
    must(H5Pset_shuffle(params), "H5Pset_shuffle");
    must(H5Pset_deflate(params, (unsigned)array->level), "H5Pset_deflate");
    a->dataset = must(H5Dcreate2(a->file, "a", a->type, space, H5P_DEFAULT, params, H5P_DEFAULT),
                      "H5Dcreate2");
    if (src)
        must(H5Dwrite(a->dataset, a->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, src), "H5Dwrite");
    H5Pclose(params);
    H5Sclose(space);
    return a;
}

static void *
array_open(const struct side_array *array, void *created)
{
    struct h5array *a;

    if (!array->path)
        return created;
    a = h5array_new(array);
    a->file = must(H5Fopen(array->path, H5F_ACC_RDONLY, H5P_DEFAULT), "H5Fopen");
    a->dataset = must(H5Dopen2(a->file, "a", H5P_DEFAULT), "H5Dopen2");
    return a;
}

static void
array_flush(void *handle)
{
    must(H5Fflush(((struct h5array *)handle)->file, H5F_SCOPE_GLOBAL), "H5Fflush");
}

static void
array_close(void *handle)
{
    struct h5array *const a = handle;

    must(H5Dclose(a->dataset), "H5Dclose");
    must(H5Fclose(a->file), "H5Fclose");
    free(a);
}

static int64_t
array_stored(void *handle)
{
    return (int64_t)H5Dget_storage_size(((struct h5array *)handle)->dataset);
}

// The box as a selection in the file and as memory of its shape.
static void
select_box(const struct h5array *a, const struct side_box *box, hid_t *file, hid_t *memory)
{
    hsize_t start[SIDE_MAX_NDIM], count[SIDE_MAX_NDIM];

    for (int i = 0; i < a->ndim; i++) {
        start[i] = (hsize_t)box->start[i];
        count[i] = (hsize_t)(box->stop[i] - box->start[i]);
    }
    *file = must(H5Dget_space(a->dataset), "H5Dget_space");
    must(H5Sselect_hyperslab(*file, H5S_SELECT_SET, start, NULL, count, NULL),
         "H5Sselect_hyperslab");
    *memory = must(H5Screate_simple(a->ndim, count, NULL), "H5Screate_simple");
}

static void
array_read(void *handle, const struct side_box *box, void *dst, size_t size)
{
    const struct h5array *const a = handle;
    hid_t file, memory;

    (void)size;
    select_box(a, box, &file, &memory);
    must(H5Dread(a->dataset, a->type, memory, file, H5P_DEFAULT, dst), "H5Dread");
    H5Sclose(file);
    H5Sclose(memory);
}

static void
array_set(void *handle, const struct side_box *box, const void *src, size_t size)
{
    const struct h5array *const a = handle;
    hid_t file, memory;

    (void)size;
    select_box(a, box, &file, &memory);
    must(H5Dwrite(a->dataset, a->type, memory, file, H5P_DEFAULT, src), "H5Dwrite");
    H5Sclose(file);
    H5Sclose(memory);
}

static void
array_append(void *handle, int axis, const void *src, size_t size)
{
    struct h5array *const a = handle;
    struct side_box box = {{0}, {0}};

    box.start[axis] = (int64_t)a->shape[axis];
    a->shape[axis] += a->chunk[axis];
    for (int i = 0; i < a->ndim; i++)
        box.stop[i] = (int64_t)a->shape[i];
    must(H5Dset_extent(a->dataset, a->shape), "H5Dset_extent");
    array_set(a, &box, src, size);
}

static void
array_sparse(void *handle, const int64_t *indices, int64_t n, void *dst, size_t size)
{
    const struct h5array *const a = handle;
    hsize_t *const points = bench_alloc((size_t)(n * a->ndim) * sizeof *points);
    const hsize_t count = (hsize_t)n;
    hid_t file, memory;

    (void)size;
    for (int64_t k = 0; k < n; k++) {
        hsize_t index = (hsize_t)indices[k];
        for (int i = a->ndim - 1; i >= 0; i--) {
            points[k * a->ndim + i] = index % a->shape[i];
            index /= a->shape[i];
        }
    }
    file = must(H5Dget_space(a->dataset), "H5Dget_space");
    must(H5Sselect_elements(file, H5S_SELECT_SET, (size_t)n, points), "H5Sselect_elements");
    memory = must(H5Screate_simple(1, &count, NULL), "H5Screate_simple");
    must(H5Dread(a->dataset, a->type, memory, file, H5P_DEFAULT, dst), "H5Dread");
    H5Sclose(file);
    H5Sclose(memory);
    free(points);
}

const struct side side_hdf5 = {
    .name = H5_VERS_INFO,
    .can = can,
    .create = array_create,
    .open = array_open,
    .flush = array_flush,
    .close = array_close,
    .stored = array_stored,
    .read = array_read,
    .set = array_set,
    .append = array_append,
    .sparse = array_sparse,
};
