/*
 * file.c - read with Tessera, whatever wrote it.
 */
#include "file.h"

#include "../support.h"
#include "workloads.h"

#include <tessera.h>

#include <stdio.h>
#include <string.h>

static void
must(tess_status status, const char *path, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", path, err->message);
}

void *
file_load(const char *path, struct side_array *array)
{
    static char dtype[64]; // of the last file: there is one array at a time
    tess_storage storage;
    tess_array *a;
    tess_info info;
    tess_error err;
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    void *items;

    tess_storage_init(&storage);
    storage.path = path;
    must(tess_array_open(&storage, &a, &err), path, &err);
    tess_array_info(a, &info);
    if (info.ndim < 1 || info.ndim > SIDE_MAX_NDIM || info.nbytes == 0)
        bench_die("%s: has %d axes and %lld bytes, but 1 to %d axes and some bytes are wanted",
                  path, info.ndim, (long long)info.nbytes, SIDE_MAX_NDIM);
    snprintf(dtype, sizeof dtype, "%s", info.dtype);
    *array = (struct side_array){.ndim = info.ndim, .typesize = (int)info.typesize, .dtype = dtype};
    for (int i = 0; i < info.ndim; i++) {
        array->shape[i] = info.shape[i];
        array->chunk[i] = info.chunkshape[i];
        array->block[i] = info.blockshape[i];
    }
    items = bench_alloc(array_size(array));
    must(tess_array_read(a, zeros, info.shape, items, array_size(array), &err), path, &err);
    must(tess_array_close(a, &err), path, &err);
    return items;
}

void
file_name(const char *path, char *name, size_t size)
{
    const char *const slash = strrchr(path, '/'), *const start = slash ? slash + 1 : path;

    snprintf(name, size, "%.*s", (int)strcspn(start, ".,"), start);
}
