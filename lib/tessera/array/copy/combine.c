/*
 * combine.c - the description of an array that is made of others.
 */
#include "array/copy/copy.h"

#include "array/open/params.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/swap.h"
#include "frame/query.h"
#include "grid/write/write_back.h"
#include "meta/dtype.h"
#include "meta/ndlayer.h"

#include <inttypes.h>
#include <string.h>

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

tess_status
combine_check_alike(const tess_array *a, const tess_array *b, int axis, tess_error *err)
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
complete_params(const tess_array *a, const tess_params *params, bool to_path, const int64_t *shape,
                tess_params *p, tess_error *err)
{
    if (params && params->ndim != 0 && params->ndim != a->g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "params for %d dimensions, there are %d",
                       params->ndim, a->g->ndim);
    if (params && params->typesize != 0 && params->typesize != a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "params for items of %" PRId32 " bytes, these have %" PRId32,
                       params->typesize, a->g->typesize);
    array_params(a, p);
    if (params) {
        const char *const dtype = p->dtype;
        const int dtype_format = p->dtype_format;
        *p = *params;
        if (!p->fill) {
            p->fill = a->fill;
            p->fill_size = a->fill ? (size_t)a->g->typesize : 0;
        }
        p->dtype = params->dtype ? params->dtype : dtype;
        p->dtype_format = params->dtype ? params->dtype_format : dtype_format;
        p->typesize = a->g->typesize;
        p->ndim = a->g->ndim;
    } else if (!to_path) {
        p->layout = TESS_LAYOUT_CONTIGUOUS;
    }
    memcpy(p->shape, shape, (size_t)a->g->ndim * sizeof *shape);
    return TESS_OK;
}

// The fill value of the first array is not in the order of bytes that the new one has.
static tess_status
swap_fill(struct combination *c, const tess_array *a, tess_error *err)
{
    const size_t size = (size_t)a->g->typesize;
    if (!c->sources.swapped || !c->params.fill || c->params.fill != a->fill)
        return TESS_OK;
    c->fill = mem_alloc(size);
    if (!c->fill)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    memcpy(c->fill, a->fill, size);
    swap_bytes(c->fill, size, (size_t)c->sources.word);
    c->params.fill = c->fill;
    return TESS_OK;
}

// Where each source begins along the axis, and the shape of all.
static tess_status
place_sources(struct combination *c, int64_t *shape, tess_error *err)
{
    const struct copy_sources *const s = &c->sources;
    const tess_array *const first = s->arrays[0];

    c->starts = mem_alloc(((size_t)s->n + 1) * sizeof *c->starts);
    if (!c->starts)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " arrays", s->n);
    memcpy(shape, first->g->shape, sizeof first->g->shape);
    shape[s->axis] = 0;
    c->starts[0] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const struct geometry *const g = s->arrays[i]->g;

        if (!add_i64(shape[s->axis], g->ndim > 0 ? g->shape[s->axis] : 1, &shape[s->axis]))
            return err_set(err, TESS_ERR_LIMIT, -1, "axis %d would have 2^63 items or more",
                           s->axis);
        c->starts[i + 1] = shape[s->axis];
    }
    c->sources.starts = c->starts;
    return TESS_OK;
}

tess_status
combination_init(struct combination *c, const tess_array *const *arrays, int64_t n, int axis,
                 const tess_params *params, bool to_path, tess_error *err)
{
    const tess_array *const first = arrays[0];
    int64_t shape[NDIM_MAX] = {0};
    tess_status st = TESS_OK;

    c->starts = NULL;
    c->fill = NULL;
    c->sources = (struct copy_sources){.arrays = arrays, .n = n, .axis = axis};
    c->content = (struct array_content){.special = SPECIAL_NONE, .sources = &c->sources};
    TRY(place_sources(c, shape, err));
    TRY(complete_params(first, params, to_path, shape, &c->params, err));
    TRY(compare_types(first->nd.dtype, c->params.dtype, first->g->typesize, &c->sources.swapped,
                      &c->sources.word, err));
    TRY(swap_fill(c, first, err));
    TRY(gather_metalayers(first, &c->params, c->metalayers, err));
    for (int64_t i = 0; i < n; i++) // what waits is not in the frames yet
        if (frame_is_writable(arrays[i]->grid->frame))
            TRY(write_back_all(arrays[i]->grid, err));
out:
    return st;
}

void
combination_finish(struct combination *c)
{
    mem_free(c->starts);
    mem_free(c->fill);
}
