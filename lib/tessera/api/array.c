/*
 * array.c - the public functions on arrays: arguments are checked here, once.
 */
#include "array/array.h"
#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/items/box.h"
#include "array/keep/keep.h"
#include "array/open/open.h"
#include "array/open/params.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "grid/read/read.h"
#include "meta/dtype.h"
#include "store/store.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What a call that creates an array is given, completed.
struct creation {
    struct taken_storage at;
    tess_params params;
};

static tess_status
creation_begin(struct creation *c, const tess_storage *storage, const tess_params *params,
               tess_array **a, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the array is given");
    *a = NULL;
    const tess_status st = take_target(&c->at, storage, false, err);
    return st == TESS_OK ? take_params(&c->params, params, err) : st;
}

static tess_status
creation_end(const struct creation *c, const struct array_content *content, tess_array **a,
             tess_error *err)
{
    struct home home;
    const tess_status st = home_create(&c->at.storage, c->params.layout, &home, err);
    return st == TESS_OK ? array_create(&home, &c->at.storage, &c->params, content, a, err) : st;
}

static tess_status
create_array(const tess_storage *storage, const tess_params *params,
             const struct array_content *content, tess_array **a, tess_error *err)
{
    struct creation c;
    const tess_status st = creation_begin(&c, storage, params, a, err);
    return st == TESS_OK ? creation_end(&c, content, a, err) : st;
}

TESS_API tess_status
tess_array_uninit(const tess_storage *storage, const tess_params *params, tess_array **a,
                  tess_error *err)
{
    UNCANCELLED;
    const struct array_content content = {.special = SPECIAL_UNINIT};
    return create_array(storage, params, &content, a, err);
}

TESS_API tess_status
tess_array_zeros(const tess_storage *storage, const tess_params *params, tess_array **a,
                 tess_error *err)
{
    UNCANCELLED;
    const struct array_content content = {.special = SPECIAL_ZEROS};
    return create_array(storage, params, &content, a, err);
}

// Chunks of NaNs, of the format, are those of little-endian floats of 4 and 8 bytes.
TESS_API tess_status
tess_array_nan(const tess_storage *storage, const tess_params *params, tess_array **a,
               tess_error *err)
{
    UNCANCELLED;
    struct array_content content = {.special = SPECIAL_NANS};
    struct creation c;
    uint8_t item[16];
    const tess_status st = creation_begin(&c, storage, params, a, err);
    if (st != TESS_OK)
        return st;
    if (c.params.dtype && c.params.dtype_format == 0) {
        const tess_dtype dtype = dtype_parse(c.params.dtype);
        const bool known = dtype.kind == TESS_KIND_FLOAT && dtype.order == '<' && dtype.size >= 4;
        if (!known && dtype_nan(&dtype, item))
            content = (struct array_content){.special = SPECIAL_VALUE, .item = item};
    }
    return creation_end(&c, &content, a, err);
}

// Bytes of an item as the params say, where they do; array_create() settles the rest.
static int64_t
params_itemsize(const tess_params *params)
{
    if (params->typesize != 0)
        return params->typesize;
    const int64_t size = params->dtype ? dtype_parse(params->dtype).size : 1;
    return size > 0 ? size : 1;
}

TESS_API tess_status
tess_array_full(const tess_storage *storage, const tess_params *params, const void *item,
                size_t item_size, tess_array **a, tess_error *err)
{
    UNCANCELLED;
    const struct array_content content = {.special = SPECIAL_VALUE, .item = item};
    struct creation c;
    const tess_status st = creation_begin(&c, storage, params, a, err);
    if (st != TESS_OK)
        return st;
    if (!item)
        return err_set(err, TESS_ERR_ARG, -1, "no item is given");
    if ((uint64_t)item_size < (uint64_t)params_itemsize(&c.params))
        return err_set(err, TESS_ERR_ARG, -1,
                       "an item of %zu bytes, items of the array have %" PRId64, item_size,
                       params_itemsize(&c.params));
    return creation_end(&c, &content, a, err);
}

static tess_status
check_source(const tess_params *params, const void *src, size_t src_size, tess_error *err)
{
    int64_t nbytes = params_itemsize(params);
    bool fits = true, empty = false;
    size_t needed;

    for (int i = 0; i < params->ndim && i < TESS_MAX_NDIM; i++) {
        empty |= params->shape[i] == 0;
        fits = fits && mul_i64(nbytes, params->shape[i], &nbytes);
    }
    if (empty)
        return TESS_OK;
    if (!fits || !to_size(nbytes, &needed))
        return err_set(err, TESS_ERR_LIMIT, -1, "the array does not fit in memory");
    if (src_size < needed || !src)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes are given, the array has %zu",
                       src ? src_size : 0, needed);
    return TESS_OK;
}

TESS_API tess_status
tess_array_from(const tess_storage *storage, const tess_params *params, const void *src,
                size_t src_size, tess_array **a, tess_error *err)
{
    UNCANCELLED;
    const struct array_content content = {.special = SPECIAL_NONE, .src = src};
    struct creation c;
    tess_status st = creation_begin(&c, storage, params, a, err);
    if (st == TESS_OK)
        st = check_source(&c.params, src, src_size, err);
    return st == TESS_OK ? creation_end(&c, &content, a, err) : st;
}

TESS_API tess_status
tess_array_open(const tess_storage *storage, tess_array **a, tess_error *err)
{
    UNCANCELLED;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the array is given");
    *a = NULL;
    struct taken_storage at;
    const tess_status st = take_storage_or_store(&at, storage, err);
    if (st != TESS_OK)
        return st;
    if (at.storage.store)
        return store_open_path(at.storage.store, at.storage.path, a, err);
    if (at.storage.mode != TESS_MODE_READ && at.storage.mode != TESS_MODE_UPDATE)
        return err_set(err, TESS_ERR_ARG, -1, "opening an array needs the mode READ or UPDATE");
    return array_open_newest(&at.storage, a, err);
}

TESS_API tess_status
tess_array_refresh(tess_array *a, bool *changed, tess_error *err)
{
    UNCANCELLED;
    bool newer = false;
    if (changed)
        *changed = false;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = array_refresh(a, &newer, err);
    if (st == TESS_OK && changed)
        *changed = newer;
    return st;
}

TESS_API tess_status
tess_array_lock(tess_array *a, tess_error *err)
{
    UNCANCELLED;
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = check_no_view(a, err);
    return st == TESS_OK ? array_lock(a, err) : st;
}

TESS_API tess_status
tess_array_flush(tess_array *a, tess_error *err)
{
    UNCANCELLED;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    const tess_status st = view_check(a, err);
    return st == TESS_OK ? array_commit(a, err) : st;
}

TESS_API tess_status
tess_array_close(tess_array *a, tess_error *err)
{
    UNCANCELLED;
    return a ? array_close(a, err) : TESS_OK;
}

TESS_API void
tess_array_discard(tess_array *a)
{
    UNCANCELLED;
    if (a && !a->view)
        a->discarded = true;
    array_free(a);
}

TESS_API void
tess_array_info_sized(const tess_array *a, tess_info *info, size_t info_size)
{
    tess_info own;
    array_info(a, &own);
    sized_give(info, info_size, &own, sizeof own);
}

TESS_API tess_status
tess_array_measure_sized(const tess_array *a, tess_info *info, size_t info_size, tess_error *err)
{
    UNCANCELLED;
    if (!a || !info)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for what it is, is given");
    const tess_status st = array_measure(a, err);
    if (st == TESS_OK)
        tess_array_info_sized(a, info, info_size);
    return st;
}

// A box and memory for it.
static tess_status
array_check_box(const tess_array *a, const struct box *box, const void *memory, size_t size,
                int64_t *nitems, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    const tess_status st = geometry_check_box(a->g, box, nitems, err);
    if (st != TESS_OK)
        return st;
    if ((uint64_t)*nitems > size / (size_t)a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu bytes of memory for %" PRId64 " items of %" PRId32 " bytes", size,
                       *nitems, a->g->typesize);
    if (*nitems > 0 && !memory)
        return err_set(err, TESS_ERR_ARG, -1, "no memory is given");
    return TESS_OK;
}

static tess_status
read_box(const tess_array *a, const struct box *box, int64_t nitems, const struct box_memory *to,
         tess_error *err)
{
    UNCANCELLED;
    struct reading r;
    tess_status st = reading_begin(&r, a, nitems, err);
    if (st == TESS_OK)
        st = array_read(a, box, to, &r.watch, err);
    return reading_end(&r, st, err);
}

static tess_status
read_rest(const tess_array *a, struct grid_reading *r, int64_t nitems, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    array_watch(&watch, a, nitems);
    return watch_end(&watch, grid_read_rest(r, &watch, err));
}

TESS_API tess_status
tess_array_read(const tess_array *a, const int64_t *start, const int64_t *stop, void *dst,
                size_t dst_size, tess_error *err)
{
    int64_t nitems;
    const struct box box = {start, stop, NULL};
    struct box_memory to = {.items = dst};
    struct grid_reading r;
    const tess_status st = array_check_box(a, &box, dst, dst_size, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    box_strides(a->g->ndim, &box, a->g->typesize, to.stride);
    if (!array_reads_cache_first(a))
        return read_box(a, &box, nitems, &to, err);
    // Items that are cached are copied before the thread is made safe from cancellation, which
    // would be a quarter of what an item costs.
    return grid_read_begin(&r, a->grid, &box, &to) ? TESS_OK : read_rest(a, &r, nitems, err);
}

TESS_API tess_status
tess_array_write(tess_array *a, const int64_t *start, const int64_t *stop, const void *src,
                 size_t src_size, tess_error *err)
{
    UNCANCELLED;
    int64_t nitems;
    const struct box box = {start, stop, NULL};
    struct box_memory_const from = {.items = src};
    struct watch watch;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = array_check_box(a, &box, src, src_size, &nitems, err);
    if (st != TESS_OK || nitems == 0)
        return st;
    box_strides(a->g->ndim, &box, a->g->typesize, from.stride);
    array_watch(&watch, a, nitems);
    return watch_end(&watch, array_update_box(a, &box, &from, &watch, err));
}

// The end of a box of one item. TESS_ERR_ARG: there is no such item.
static tess_status
check_index(const tess_array *a, const int64_t *index, int64_t *stop, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (a->g->ndim > 0 && !index)
        return err_set(err, TESS_ERR_ARG, -1, "no index is given");
    for (int i = 0; i < a->g->ndim; i++) {
        if (index[i] < 0 || index[i] >= a->g->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d: index %" PRId64 ", there are %" PRId64 " items", i, index[i],
                           a->g->shape[i]);
        stop[i] = index[i] + 1;
    }
    return TESS_OK;
}

TESS_API tess_status
tess_array_get_item(const tess_array *a, const int64_t *index, void *dst, size_t dst_size,
                    tess_error *err)
{
    int64_t stop[NDIM_MAX];
    const tess_status st = check_index(a, index, stop, err);
    return st == TESS_OK ? tess_array_read(a, index, stop, dst, dst_size, err) : st;
}

TESS_API tess_status
tess_array_set_item(tess_array *a, const int64_t *index, const void *src, size_t src_size,
                    tess_error *err)
{
    UNCANCELLED;
    int64_t stop[NDIM_MAX];
    const tess_status st = check_index(a, index, stop, err);
    return st == TESS_OK ? tess_array_write(a, index, stop, src, src_size, err) : st;
}

TESS_API tess_status
tess_array_image(tess_array *a, const void **image, size_t *image_size, tess_error *err)
{
    UNCANCELLED;
    if (!a || !image || !image_size)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for its image is given");
    *image = NULL;
    *image_size = 0;
    const tess_status st = check_no_view(a, err);
    return st == TESS_OK ? array_image(a, image, image_size, err) : st;
}

TESS_API void
tess_free(void *memory)
{
    mem_free(memory);
}
