/*
 * combine.c - the public functions that make arrays of others: arguments are checked here, once.
 */
#include "api/check.h"
#include "api/copy.h"
#include "api/home.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/copy_items.h"
#include "array/create.h"
#include "array/home.h"
#include "array/view.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/swap.h"
#include "frame/format/header.h"
#include "frame/metas.h"
#include "frame/query.h"
#include "grid/write_back.h"
#include "meta/dtype.h"
#include "meta/fill_layer.h"

#include <tessera/copy.h>
#include <tessera/view.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

TESS_API void
tess_array_params(const tess_array *a, tess_params *params)
{
    const struct frame_header *const h = frame_header(a->grid->frame);

    tess_params_init(params);
    params->dtype = a->nd.dtype;
    params->typesize = a->g->typesize;
    params->ndim = a->g->ndim;
    memcpy(params->shape, a->g->shape, sizeof params->shape);
    memcpy(params->chunkshape, a->g->chunkshape, sizeof params->chunkshape);
    memcpy(params->blockshape, a->g->blockshape, sizeof params->blockshape);
    params->codec = (tess_codec)h->codec;
    params->codec_meta = (uint8_t)h->codec_meta;
    params->clevel = h->clevel;
    memcpy(params->filters, h->filters, sizeof params->filters);
    memcpy(params->filters_meta, h->filters_meta, sizeof params->filters_meta);
    if (h->split >= TESS_SPLIT_ALWAYS && h->split <= TESS_SPLIT_AUTO)
        params->split = (tess_split)h->split;
    params->dictionary = h->use_dict;
    params->fill = a->fill;
    params->fill_size = a->fill ? (size_t)a->g->typesize : 0;
    params->layout = h->sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    if (a->layer && strcmp(a->layer, "caterva") == 0)
        params->layer = TESS_LAYER_CATERVA;
}

// Of times: what follows the byte order, if there is one.
static bool
same_unit(const char *from, const char *to)
{
    return strcmp(from + strspn(from, "<>=|"), to + strspn(to, "<>=|")) == 0;
}

// Whether items of two arrays are the same, but for the order of bytes, which is what *word has.
static tess_status
compare_types(const char *from, const char *to, int32_t typesize, bool *swapped, int32_t *word,
              tess_error *err)
{
    *swapped = false;
    *word = typesize;
    if (!from || !to || strcmp(from, to) == 0)
        return TESS_OK;
    const tess_dtype x = dtype_parse(from), y = dtype_parse(to);
    const bool times = x.kind == TESS_KIND_DATETIME || x.kind == TESS_KIND_TIMEDELTA;
    if (x.kind != y.kind || x.size != y.size || x.kind == TESS_KIND_OPAQUE ||
        x.kind == TESS_KIND_STRUCT || (times && !same_unit(from, to)))
        return err_set(err, TESS_ERR_ARG, -1,
                       "items of type \"%.64s\" do not become items of type \"%.64s\"", from, to);
    *swapped = x.order != y.order && x.order != '|' && y.order != '|';
    *word = dtype_word(&x);
    return TESS_OK;
}

static tess_status
check_alike(const tess_array *a, const tess_array *b, int axis, tess_error *err)
{
    bool swapped;
    int32_t word;
    if (a->g->ndim != b->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "arrays with %d and %d dimensions", a->g->ndim,
                       b->g->ndim);
    if (a->g->typesize != b->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1, "items of %" PRId32 " and of %" PRId32 " bytes",
                       a->g->typesize, b->g->typesize);
    for (int i = 0; i < a->g->ndim; i++)
        if (i != axis && a->g->shape[i] != b->g->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "arrays with %" PRId64 " and %" PRId64 " items along axis %d",
                           a->g->shape[i], b->g->shape[i], i);
    const tess_status st =
        compare_types(a->nd.dtype, b->nd.dtype, a->g->typesize, &swapped, &word, err);
    if (st == TESS_OK && swapped)
        return err_set(err, TESS_ERR_ARG, -1, "items of different byte orders");
    return st;
}

// Metalayers of the first array, but for those that the params bring, too, or the library writes.
static tess_status
gather_metalayers(const tess_array *a, tess_params *p, tess_metalayer *all, tess_error *err)
{
    const struct layers *const own = frame_metas(a->grid->frame);
    int n = 0;

    if (p->nmetalayers < 0 || p->nmetalayers > LAYERS_FIXED_MAX ||
        (p->nmetalayers > 0 && !p->metalayers))
        return err_set(err, TESS_ERR_ARG, -1, "%d metalayers, or none given", p->nmetalayers);
    for (; n < p->nmetalayers; n++)
        all[n] = p->metalayers[n];
    for (int i = 0; i < own->count; i++) {
        const struct layer *const l = &own->items[i];
        bool wanted = strcmp(l->name, "b2nd") != 0 && strcmp(l->name, "caterva") != 0 &&
                      strcmp(l->name, FILL_LAYER) != 0;
        for (int k = 0; k < p->nmetalayers; k++)
            wanted &= !all[k].name || strcmp(l->name, all[k].name) != 0;
        if (wanted && n < LAYERS_FIXED_MAX)
            all[n++] = (tess_metalayer){l->name, l->content, l->size};
    }
    p->metalayers = all;
    p->nmetalayers = n;
    return TESS_OK;
}

// The caller's params, with what they leave open from the first array.
static tess_status
complete_params(const tess_array *a, const tess_params *params, const tess_storage *storage,
                const int64_t *shape, tess_params *p, tess_error *err)
{
    if (params && params->struct_size != sizeof *params)
        return err_set(err, TESS_ERR_ARG, -1, "the params are not by tess_params_init()");
    if (params && params->ndim != 0 && params->ndim != a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "params for %d dimensions, there are %d",
                       params->ndim, a->g->ndim);
    if (params && params->typesize != 0 && params->typesize != a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "params for items of %" PRId32 " bytes, these have %" PRId32,
                       params->typesize, a->g->typesize);
    tess_array_params(a, p);
    if (params) {
        const char *const dtype = p->dtype;
        *p = *params;
        if (!p->fill) {
            p->fill = a->fill;
            p->fill_size = a->fill ? (size_t)a->g->typesize : 0;
        }
        p->dtype = params->dtype ? params->dtype : dtype;
        p->typesize = a->g->typesize;
        p->ndim = a->g->ndim;
    } else if (!storage->path) {
        p->layout = TESS_LAYOUT_CONTIGUOUS;
    }
    memcpy(p->shape, shape, (size_t)a->g->ndim * sizeof *shape);
    return TESS_OK;
}

// The fill value of the first array is not in the order of bytes that the new one has.
static tess_status
swap_fill(const tess_array *a, const struct copy_sources *sources, tess_params *p, uint8_t **fill,
          tess_error *err)
{
    const size_t size = (size_t)a->g->typesize;
    if (!sources->swapped || !p->fill || p->fill != a->fill)
        return TESS_OK;
    *fill = malloc(size);
    if (!*fill)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    memcpy(*fill, a->fill, size);
    swap_bytes(*fill, size, (size_t)sources->word);
    p->fill = *fill;
    return TESS_OK;
}

// The arrays side by side along an axis; they are alike.
static tess_status
combine(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
        const tess_params *params, tess_array **out, tess_error *err)
{
    tess_metalayer metalayers[LAYERS_FIXED_MAX];
    const tess_array *const first = arrays[0];
    struct copy_sources sources = {
        .arrays = (const tess_array *const *)arrays, .n = n, .axis = axis};
    const struct array_content content = {.special = SPECIAL_NONE, .sources = &sources};
    int64_t shape[NDIM_MAX] = {0};
    tess_array *made = NULL;
    uint8_t *fill = NULL;
    struct home home;
    tess_params p;

    int64_t *const starts = malloc(((size_t)n + 1) * sizeof *starts);
    if (!starts)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " arrays", n);
    memcpy(shape, first->g->shape, sizeof shape);
    shape[axis] = 0;
    starts[0] = 0;
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (!add_i64(shape[axis], arrays[i]->g->ndim > 0 ? arrays[i]->g->shape[axis] : 1,
                     &shape[axis]))
            st = err_set(err, TESS_ERR_LIMIT, -1, "axis %d would have 2^63 items or more", axis);
        starts[i + 1] = shape[axis];
    }
    sources.starts = starts;
    if (st == TESS_OK)
        st = complete_params(first, params, storage, shape, &p, err);
    if (st == TESS_OK)
        st = compare_types(first->nd.dtype, p.dtype, first->g->typesize, &sources.swapped,
                           &sources.word, err);
    if (st == TESS_OK)
        st = swap_fill(first, &sources, &p, &fill, err);
    if (st == TESS_OK)
        st = gather_metalayers(first, &p, metalayers, err);
    for (int64_t i = 0; i < n && st == TESS_OK; i++) // what waits is not in the frames yet
        if (frame_is_writable(arrays[i]->grid->frame))
            st = write_back_all(arrays[i]->grid, err);
    if (st == TESS_OK)
        st = home_create(storage, p.layout, &home, err);
    if (st == TESS_OK)
        st = array_create(&home, storage, &p, &content, &made, err);
    free(starts);
    free(fill);
    if (st == TESS_OK && !out)
        return tess_array_close(made, err);
    if (st == TESS_OK)
        *out = made;
    return st;
}

static tess_status
check_sources(tess_array *const *arrays, int64_t n, const tess_storage *storage, tess_array **out,
              tess_error *err)
{
    if (out)
        *out = NULL;
    if (n < 1 || !arrays)
        return err_set(err, TESS_ERR_ARG, -1, "no arrays are given");
    tess_status st = home_check(storage, err);
    if (st == TESS_OK && !storage->path && !out)
        st = err_set(err, TESS_ERR_ARG, -1, "no place for the array, and no path is given");
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (!arrays[i])
            return err_set(err, TESS_ERR_ARG, -1, "array %" PRId64 " is not given", i);
        st = view_check(arrays[i], err);
        if (st == TESS_OK && storage->path)
            st = copy_check_target(arrays[i], storage, err);
    }
    return st;
}

TESS_API tess_status
tess_array_copy(tess_array *a, const tess_storage *storage, const tess_params *params,
                tess_array **copy, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = check_sources(&a, 1, storage, copy, err);
    return st == TESS_OK ? combine(&a, 1, 0, storage, params, copy, err) : st;
}

TESS_API tess_status
tess_array_concatenate(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
                       const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    tess_status st = check_sources(arrays, n, storage, out, err);
    if (st != TESS_OK)
        return st;
    if (axis < 0 || axis >= arrays[0]->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d of arrays with %d dimensions", axis,
                       arrays[0]->g->ndim);
    for (int64_t i = 1; i < n && st == TESS_OK; i++)
        st = check_alike(arrays[0], arrays[i], axis, err);
    return st == TESS_OK ? combine(arrays, n, axis, storage, params, out, err) : st;
}

TESS_API tess_status
tess_array_stack(tess_array *const *arrays, int64_t n, int axis, const tess_storage *storage,
                 const tess_params *params, tess_array **out, tess_error *err)
{
    UNCANCELLED;
    tess_params chosen;
    int64_t made = 0;
    tess_status st = check_sources(arrays, n, storage, out, err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = 1; i < n && st == TESS_OK; i++)
        st = check_alike(arrays[0], arrays[i], -1, err);
    tess_array **const views = st == TESS_OK ? calloc((size_t)n, sizeof(tess_array *)) : NULL;
    if (st == TESS_OK && !views)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " arrays", n);
    for (; made < n && st == TESS_OK; made += st == TESS_OK)
        st = tess_array_view_expand(arrays[made], axis, &views[made], err);
    if (st == TESS_OK && !params) { // blocks of one item along the new axis are rarely wanted
        tess_array_params(views[0], &chosen);
        memset(chosen.chunkshape, 0, sizeof chosen.chunkshape);
        memset(chosen.blockshape, 0, sizeof chosen.blockshape);
        if (!storage->path)
            chosen.layout = TESS_LAYOUT_CONTIGUOUS;
        params = &chosen;
    }
    if (st == TESS_OK)
        st = combine(views, n, axis, storage, params, out, err);
    for (int64_t i = 0; i < made; i++)
        array_free(views[i]);
    free(views);
    return st;
}
