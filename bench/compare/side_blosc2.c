/*
 * side_blosc2.c - c-blosc2, or what answers its calls, through its N-dimensional interface.
 *
 * For c-blosc2 a module of its own: libblosc2 may export the functions of the codecs it was built
 * with, and in one name space whichever LZ4 was loaded first would serve both sides. For
 * libtessera-b2nd a part of the program, whose build defines SIDE_LIBRARY, the name of the library,
 * SIDE_GET, that of the function which is exported, and SIDE_CONTIGUOUS, the form in memory.
 */
#include "side.h"

#include "../support.h"
#include "layout/blosc2_default.h"

#include <b2nd.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Not in blosc2.h, and not there if libblosc2 hides its codecs.
extern const char *LZ4_versionString(void) __attribute__((weak));

#ifndef SIDE_GET
#define SIDE_LIBRARY "c-blosc2"
#define SIDE_GET side_blosc2_get
#define SIDE_CONTIGUOUS false // in memory, chunks of their own are its fast way
#endif

static void
must(int status, const char *call)
{
    if (status < 0)
        bench_die(SIDE_LIBRARY ": %s: %s", call, blosc2_error_string(status));
}

static const char *
codec_home(void)
{
    static char text[512];
    const char *(*const version)(void) = LZ4_versionString;
    Dl_info info;

    if (!version || !dladdr(*(void *const *)&version, &info))
        return "LZ4 hidden in the library";
    snprintf(text, sizeof text, "LZ4 %s in %s", version(), info.dli_fname);
    return text;
}

static bool
can(const struct side_array *array)
{
    (void)array;
    return true;
}

// What python-blosc2 does if nothing is said.
static void
choose(const struct side_array *array, blosc2_cparams *cparams, int32_t *chunk, int32_t *block)
{
    struct machine machine;
    tess_params chosen = {.ndim = array->ndim, .typesize = array->typesize};

    memcpy(chosen.shape, array->shape, sizeof array->shape);
    machine_query(&machine);
    blosc2_default_choose(&machine, &chosen);
    cparams->compcode = (uint8_t)chosen.codec;
    cparams->clevel = (uint8_t)chosen.clevel;
    memcpy(cparams->filters, chosen.filters, sizeof chosen.filters);
    for (int i = 0; i < array->ndim; i++) {
        chunk[i] = (int32_t)chosen.chunkshape[i];
        block[i] = (int32_t)chosen.blockshape[i];
    }
}

static b2nd_context_t *
context_new(const struct side_array *array, blosc2_cparams *cparams, blosc2_dparams *dparams)
{
    int32_t chunk[SIDE_MAX_NDIM], block[SIDE_MAX_NDIM];
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    b2nd_context_t *ctx;

    *cparams = BLOSC2_CPARAMS_DEFAULTS;
    cparams->compcode = (uint8_t)array->codec;
    cparams->clevel = (uint8_t)array->level;
    cparams->typesize = array->typesize;
    cparams->nthreads = (int16_t)array->threads;
    cparams->filters[BLOSC2_MAX_FILTERS - 1] = (uint8_t)array->filter;
    *dparams = BLOSC2_DPARAMS_DEFAULTS;
    dparams->nthreads = (int16_t)array->threads;
    storage.cparams = cparams;
    storage.dparams = dparams;
    storage.contiguous = array->path != NULL || SIDE_CONTIGUOUS;
    storage.urlpath = (char *)(uintptr_t)array->path;
    for (int i = 0; i < array->ndim; i++) {
        chunk[i] = (int32_t)array->chunk[i];
        block[i] = (int32_t)array->block[i];
    }
    if (array->automatic)
        choose(array, cparams, chunk, block);
    ctx = b2nd_create_ctx(&storage, (int8_t)array->ndim, array->shape, chunk, block, array->dtype,
                          DTYPE_NUMPY_FORMAT, NULL, 0);
    if (!ctx)
        bench_die(SIDE_LIBRARY ": no context");
    return ctx;
}

static void *
array_create(const struct side_array *array, const void *src, size_t size)
{
    blosc2_cparams cparams;
    blosc2_dparams dparams;
    b2nd_context_t *ctx;
    b2nd_array_t *a;

    if (array->path)
        unlink(array->path);
    ctx = context_new(array, &cparams, &dparams);
    if (src)
        must(b2nd_from_cbuffer(ctx, &a, src, (int64_t)size), "b2nd_from_cbuffer");
    else
        must(b2nd_uninit(ctx, &a), "b2nd_uninit");
    b2nd_free_ctx(ctx);
    return a;
}

// In memory there is one handle only; it keeps nothing of what it decoded. Opening takes the number
// of threads from the process.
static void *
array_open(const struct side_array *array, void *created)
{
    b2nd_array_t *a;

    if (!array->path)
        return created;
    blosc2_set_nthreads((int16_t)array->threads);
    must(b2nd_open(array->path, &a), "b2nd_open");
    return a;
}

// c-blosc2 writes each change at once; libtessera-b2nd when the length of the frame is asked for.
static void
array_flush(void *a)
{
    if (blosc2_schunk_frame_len(((b2nd_array_t *)a)->sc) < 0)
        bench_die(SIDE_LIBRARY ": blosc2_schunk_frame_len");
}

static void
array_close(void *a)
{
    must(b2nd_free(a), "b2nd_free");
}

static int64_t
array_stored(void *a)
{
    return ((b2nd_array_t *)a)->sc->cbytes;
}

static void
box_shape(const b2nd_array_t *a, const struct side_box *box, int64_t *shape)
{
    for (int i = 0; i < a->ndim; i++)
        shape[i] = box->stop[i] - box->start[i];
}

static void
array_read(void *a, const struct side_box *box, void *dst, size_t size)
{
    int64_t shape[SIDE_MAX_NDIM];

    box_shape(a, box, shape);
    must(b2nd_get_slice_cbuffer(a, box->start, box->stop, dst, shape, (int64_t)size),
         "b2nd_get_slice_cbuffer");
}

static void
array_set(void *a, const struct side_box *box, const void *src, size_t size)
{
    int64_t shape[SIDE_MAX_NDIM];

    box_shape(a, box, shape);
    must(b2nd_set_slice_cbuffer(src, shape, (int64_t)size, box->start, box->stop, a),
         "b2nd_set_slice_cbuffer");
}

static void
array_append(void *a, int axis, const void *src, size_t size)
{
    must(b2nd_append(a, src, (int64_t)size, (int8_t)axis), "b2nd_append");
}

static void
array_sparse(void *a, const int64_t *indices, int64_t n, void *dst, size_t size)
{
    must(b2nd_get_sparse_cbuffer(a, n, indices, dst, (int64_t)size), "b2nd_get_sparse_cbuffer");
}

static void
array_orthogonal(void *a, int64_t *const *positions, const int64_t *counts, void *dst, size_t size)
{
    int64_t *selection[SIDE_MAX_NDIM], sizes[SIDE_MAX_NDIM], shape[SIDE_MAX_NDIM];

    for (int i = 0; i < ((b2nd_array_t *)a)->ndim; i++) {
        selection[i] = positions[i];
        sizes[i] = shape[i] = counts[i];
    }
    must(b2nd_get_orthogonal_selection(a, selection, sizes, dst, shape, (int64_t)size),
         "b2nd_get_orthogonal_selection");
}

static void
array_set_orthogonal(void *a, int64_t *const *positions, const int64_t *counts, const void *src,
                     size_t size)
{
    int64_t *selection[SIDE_MAX_NDIM], sizes[SIDE_MAX_NDIM], shape[SIDE_MAX_NDIM];

    for (int i = 0; i < ((b2nd_array_t *)a)->ndim; i++) {
        selection[i] = positions[i];
        sizes[i] = shape[i] = counts[i];
    }
    must(b2nd_set_orthogonal_selection(a, selection, sizes, src, shape, (int64_t)size),
         "b2nd_set_orthogonal_selection");
}

static int
array_shape(void *handle, int64_t *shape)
{
    const b2nd_array_t *const a = handle;

    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    return a->ndim;
}

static void
array_resize(void *a, const int64_t *shape, const int64_t *start)
{
    must(b2nd_resize(a, shape, start), "b2nd_resize");
}

static void
array_insert(void *a, int axis, int64_t position, const void *src, size_t size)
{
    must(b2nd_insert(a, src, (int64_t)size, (int8_t)axis, position), "b2nd_insert");
}

static void
array_remove(void *a, int axis, int64_t position, int64_t count)
{
    must(b2nd_delete(a, (int8_t)axis, position, count), "b2nd_delete");
}

static void
array_append_array(void *a, int axis, void *other)
{
    b2nd_array_t *same;

    must(b2nd_concatenate(NULL, a, other, (int8_t)axis, false, &same), "b2nd_concatenate");
}

static void *
array_copy(const struct side_array *array, void *a)
{
    blosc2_cparams cparams;
    blosc2_dparams dparams;
    b2nd_context_t *const ctx = context_new(array, &cparams, &dparams);
    b2nd_array_t *copy;

    must(b2nd_copy(ctx, a, &copy), "b2nd_copy");
    b2nd_free_ctx(ctx);
    return copy;
}

static void *
array_concatenate(const struct side_array *array, void *a, void *b, int axis)
{
    blosc2_cparams cparams;
    blosc2_dparams dparams;
    b2nd_context_t *const ctx = context_new(array, &cparams, &dparams);
    b2nd_array_t *out;

    must(b2nd_concatenate(ctx, a, b, (int8_t)axis, true, &out), "b2nd_concatenate");
    b2nd_free_ctx(ctx);
    return out;
}

static void
array_view(void *a)
{
    const int ndim = ((b2nd_array_t *)a)->ndim;
    const bool axes[SIDE_MAX_NDIM + 1] = {true};
    b2nd_array_t *expanded, *squeezed;

    must(b2nd_expand_dims(a, &expanded, axes, (uint8_t)(ndim + 1)), "b2nd_expand_dims");
    must(b2nd_squeeze(expanded, &squeezed), "b2nd_squeeze");
    must(b2nd_free(squeezed), "b2nd_free");
    must(b2nd_free(expanded), "b2nd_free");
}

__attribute__((visibility("default"))) const struct side *SIDE_GET(void);

const struct side *
SIDE_GET(void)
{
    static char name[64];
    static struct side side = {
        .name = name,
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

    blosc2_init();
    snprintf(name, sizeof name, SIDE_LIBRARY " %s", blosc2_get_version_string());
    return &side;
}
