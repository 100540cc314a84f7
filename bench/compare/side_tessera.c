/*
 * side_tessera.c - Tessera, through its public headers.
 */
#include "side.h"

#include "../support.h"

#include <tessera.h>

#include <dlfcn.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("tessera: %s: %s", tess_status_name(status), err->message);
}

// The program is linked with the library's own liblz4, and so sees the functions it runs.
static const char *
codec_home(void)
{
    static char text[512];
    const char *(*const version)(void) = LZ4_versionString;
    Dl_info info;

    if (!dladdr(*(void *const *)&version, &info))
        bench_die("tessera: LZ4 is nowhere");
    snprintf(text, sizeof text, "LZ4 %s in %s", version(), info.dli_fname);
    return text;
}

static bool
can(const struct side_array *array)
{
    (void)array;
    return true;
}

static void
storage_init(tess_storage *storage, tess_context *context, const struct side_array *array)
{
    tess_context_init(context);
    context->threads = array->threads;
    if (!array->cache)
        context->cache = 0;
    tess_storage_init(storage);
    storage->path = array->path;
    storage->durability = TESS_DURABILITY_NONE;
    storage->context = context;
}

static void
new_init(tess_storage *storage, tess_context *context, tess_params *params,
         const struct side_array *array)
{
    storage_init(storage, context, array);
    storage->mode = TESS_MODE_REPLACE;
    tess_params_init(params);
    params->dtype = array->dtype;
    params->ndim = array->ndim;
    for (int i = 0; i < array->ndim; i++)
        params->shape[i] = array->shape[i];
    if (array->automatic)
        return;
    for (int i = 0; i < array->ndim; i++) {
        params->chunkshape[i] = array->chunk[i];
        params->blockshape[i] = array->block[i];
    }
    params->codec = (tess_codec)array->codec;
    params->clevel = array->level;
    params->filters[TESS_MAX_FILTERS - 1] = (uint8_t)array->filter;
}

static void *
array_create(const struct side_array *array, const void *src, size_t size)
{
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_array *a;
    tess_error err;

    new_init(&storage, &context, &params, array);
    must(src ? tess_array_from(&storage, &params, src, size, &a, &err)
             : tess_array_uninit(&storage, &params, &a, &err),
         &err);
    return a;
}

static void *
array_open(const struct side_array *array, void *created)
{
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_error err;

    storage_init(&storage, &context, array);
    if (!array->path)
        must(tess_array_image(created, &storage.image, &storage.image_size, &err), &err);
    must(tess_array_open(&storage, &a, &err), &err);
    return a;
}

static void
array_flush(void *a)
{
    tess_error err;

    must(tess_array_flush(a, &err), &err);
}

static void
array_close(void *a)
{
    tess_error err;

    must(tess_array_close(a, &err), &err);
}

static int64_t
array_stored(void *a)
{
    tess_info info;

    tess_array_info(a, &info);
    return info.cbytes;
}

static void
array_read(void *a, const struct side_box *box, void *dst, size_t size)
{
    tess_error err;

    must(tess_array_read(a, box->start, box->stop, dst, size, &err), &err);
}

static void
array_set(void *a, const struct side_box *box, const void *src, size_t size)
{
    tess_error err;

    must(tess_array_write(a, box->start, box->stop, src, size, &err), &err);
}

// Layers across an axis that are so many bytes.
static int64_t
count_layers(tess_array *a, int axis, size_t size)
{
    tess_info info;
    int64_t layer_size;

    tess_array_info(a, &info);
    layer_size = info.typesize;
    for (int i = 0; i < info.ndim; i++)
        layer_size *= i == axis ? 1 : info.shape[i];
    return (int64_t)size / layer_size;
}

static void
array_append(void *a, int axis, const void *src, size_t size)
{
    tess_error err;

    must(tess_array_append(a, axis, count_layers(a, axis, size), src, size, NULL, &err), &err);
}

// Coordinates of items that are given by their index in C order.
static int64_t *
coordinates(const tess_info *info, const int64_t *indices, int64_t n)
{
    int64_t *const coords = malloc((size_t)n * (size_t)info->ndim * sizeof *coords);

    if (!coords)
        bench_die("no memory for %lld points", (long long)n);
    for (int64_t k = 0; k < n; k++) {
        int64_t rest = indices[k];
        for (int i = info->ndim - 1; i >= 0; i--) {
            coords[k * info->ndim + i] = rest % info->shape[i];
            rest /= info->shape[i];
        }
    }
    return coords;
}

static void
array_sparse(void *a, const int64_t *indices, int64_t n, void *dst, size_t size)
{
    tess_error err;
    tess_info info;

    tess_array_info(a, &info);
    int64_t *const coords = coordinates(&info, indices, n);
    must(tess_array_get_points(a, n, coords, dst, size, &err), &err);
    free(coords);
}

static void
array_orthogonal(void *a, int64_t *const *positions, const int64_t *counts, void *dst, size_t size)
{
    tess_error err;

    must(tess_array_get_orthogonal(a, counts, (const int64_t *const *)positions, dst, size, &err),
         &err);
}

static void
array_set_orthogonal(void *a, int64_t *const *positions, const int64_t *counts, const void *src,
                     size_t size)
{
    tess_error err;

    must(tess_array_set_orthogonal(a, counts, (const int64_t *const *)positions, src, size, &err),
         &err);
}

static int
array_shape(void *a, int64_t *shape)
{
    tess_info info;

    tess_array_info(a, &info);
    memcpy(shape, info.shape, (size_t)info.ndim * sizeof *shape);
    return info.ndim;
}

static void
array_resize(void *a, const int64_t *shape, const int64_t *start)
{
    tess_error err;

    must(tess_array_resize_at(a, shape, start, &err), &err);
}

static void
array_insert(void *a, int axis, int64_t position, const void *src, size_t size)
{
    tess_error err;

    must(tess_array_insert(a, axis, position, count_layers(a, axis, size), src, size, NULL, &err),
         &err);
}

static void
array_remove(void *a, int axis, int64_t position, int64_t count)
{
    tess_error err;

    must(tess_array_delete(a, axis, position, position + count, &err), &err);
}

static void
array_append_array(void *a, int axis, void *other)
{
    tess_error err;

    must(tess_array_append_array(a, axis, other, &err), &err);
}

static void *
array_copy(const struct side_array *array, void *a)
{
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_array *copy;
    tess_error err;

    new_init(&storage, &context, &params, array);
    params.ndim = 0; // the shape is that of the items
    must(tess_array_copy(a, &storage, &params, &copy, &err), &err);
    return copy;
}

static void *
array_concatenate(const struct side_array *array, void *a, void *b, int axis)
{
    tess_array *const both[2] = {a, b};
    tess_storage storage;
    tess_context context;
    tess_params params;
    tess_array *out;
    tess_error err;

    new_init(&storage, &context, &params, array);
    params.ndim = 0;
    must(tess_array_concatenate(both, 2, axis, &storage, &params, &out, &err), &err);
    return out;
}

static void
array_view(void *a)
{
    tess_array *expanded, *squeezed;
    tess_error err;

    must(tess_array_view_expand(a, 0, &expanded, &err), &err);
    must(tess_array_view_squeeze(expanded, -1, &squeezed, &err), &err);
    tess_array_discard(squeezed);
    tess_array_discard(expanded);
}

const struct side side_tessera = {
    .name = "tessera " TESS_VERSION,
    .codec_home = codec_home,
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
    .orthogonal = array_orthogonal,
    .set_orthogonal = array_set_orthogonal,
    .shape = array_shape,
    .resize = array_resize,
    .insert = array_insert,
    .remove = array_remove,
    .append_array = array_append_array,
    .copy = array_copy,
    .concatenate = array_concatenate,
    .view = array_view,
};
