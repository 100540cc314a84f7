/*
 * slices.c - how fast are whole arrays, planes, lines and points written and read?
 *
 * Against memcpy of as many bytes, the codec alone on the same streams, and the codec with placed
 * rows (limit.h). One thread unless told otherwise, because these are. No sync to disk: the files
 * stay in the page cache. See --help.
 */
#include "cells.h"
#include "support.h"

#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

static void
set_threads(int threads)
{
    char text[16];

    snprintf(text, sizeof text, "%d", threads);
    setenv("TESS_NUM_THREADS", text, 1);
}

static void *
array_write(const struct cells_array *array, const char *path, const float *src)
{
    static const int64_t chunk[LAYOUT_NDIM] = LAYOUT_CHUNK, block[LAYOUT_NDIM] = LAYOUT_BLOCK;
    const size_t size = (size_t)(array->side * array->side * array->side) * sizeof *src;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    set_threads(array->threads);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    storage.durability = TESS_DURABILITY_NONE;
    tess_params_init(&params);
    params.dtype = "<f4";
    params.ndim = LAYOUT_NDIM;
    for (int i = 0; i < LAYOUT_NDIM; i++) {
        params.shape[i] = array->side;
        params.chunkshape[i] = chunk[i];
        params.blockshape[i] = block[i];
    }
    params.codec = (tess_codec)array->codec;
    params.clevel = array->level;
    params.filters[TESS_MAX_FILTERS - 1] = (uint8_t)array->filter;

    must(tess_array_from(&storage, &params, src, size, &a, &err), &err);
    if (!path) {
        must(tess_array_flush(a, &err), &err);
        return a;
    }
    must(tess_array_close(a, &err), &err);
    return NULL;
}

static void *
array_open(const struct cells_array *array, void *written, const char *path)
{
    tess_storage storage;
    tess_array *a;
    tess_error err;

    (void)array;
    tess_storage_init(&storage);
    storage.path = path;
    if (!path)
        must(tess_array_image(written, &storage.image, &storage.image_size, &err), &err);
    must(tess_array_open(&storage, &a, &err), &err);
    return a;
}

static void
array_read(void *handle, const struct layout_box *box, float *dst, size_t dst_size)
{
    tess_error err;

    must(tess_array_read(handle, box->start, box->stop, dst, dst_size, &err), &err);
}

static int64_t
array_stored(void *handle)
{
    tess_info info;

    tess_array_info(handle, &info);
    return info.cbytes;
}

static void
array_close(void *handle)
{
    tess_error err;

    must(tess_array_close(handle, &err), &err);
}

int
main(int argc, char **argv)
{
    char name[64];

    snprintf(name, sizeof name, "tessera %s", tess_version());
    const struct cells_library library = {
        .name = name,
        .write = array_write,
        .open = array_open,
        .read = array_read,
        .stored = array_stored,
        .close = array_close,
    };
    return cells_main("slices", &library, argc, argv);
}
