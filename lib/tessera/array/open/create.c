/*
 * create.c - from a description to an array.
 *
 * A new array starts as a list of special chunks that takes no space. What has items of its own is
 * written then. It is committed once, before a file gets its name; where it replaces something and
 * its items come later, it gets that with the first commit that the program asks for.
 */
#include "array/open/open.h"

#include "array/array.h"
#include "array/copy/copy.h"
#include "array/dims/dims.h"
#include "array/open/params.h"
#include "array/shape/shape.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "chunk/chunk.h"
#include "codec/codec.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "geom/automatic.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "grid/cost.h"
#include "grid/grid.h"
#include "grid/write/write.h"
#include "meta/dtype.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "task/gate.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CELL_LENGTH = 4 }; // items along each axis of the cells that some codecs work on

static tess_status
init_geometry(tess_array *a, const tess_params *p, int32_t typesize, tess_error *err)
{
    int64_t chunkshape[NDIM_MAX] = {0}, blockshape[NDIM_MAX] = {0};

    if (p->ndim < 0 || p->ndim > NDIM_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "%d dimensions, 0 to %d can be", p->ndim, NDIM_MAX);
    memcpy(chunkshape, p->chunkshape, sizeof(int64_t) * (size_t)p->ndim);
    memcpy(blockshape, p->blockshape, sizeof(int64_t) * (size_t)p->ndim);
    const struct codec *const codec = codec_by_id((int)p->codec);
    const struct automatic_wish wish = {
        .typesize = typesize,
        .model = cost_model(codec, p->clevel),
        .least = codec && codec->needs_items ? CELL_LENGTH : 1,
    };
    automatic_choose(p->ndim, p->shape, &wish, chunkshape, blockshape);
    for (int i = 0; i < p->ndim; i++)
        if (blockshape[i] > chunkshape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d: blocks of %" PRId64 " items in chunks of %" PRId64, i,
                           blockshape[i], chunkshape[i]);
    return geometry_init(&a->grid->g, p->ndim, p->shape, chunkshape, blockshape, typesize,
                         TESS_ERR_ARG, err);
}

static tess_status
init_ndlayer(tess_array *a, const tess_params *p, tess_error *err)
{
    char opaque[24];
    const char *dtype = p->dtype;

    if (!dtype) {
        snprintf(opaque, sizeof opaque, "|V%" PRId32, a->g->typesize);
        dtype = opaque;
    }
    if (strlen(dtype) > TESS_DTYPE_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "a type of %zu characters, at most %d can be",
                       strlen(dtype), TESS_DTYPE_MAX);
    if (p->layer != TESS_LAYER_B2ND && p->layer != TESS_LAYER_CATERVA)
        return err_set(err, TESS_ERR_ARG, -1, "metalayer kind %d is not known", (int)p->layer);
    a->nd.ndim = a->g->ndim;
    for (int i = 0; i < a->g->ndim; i++) {
        a->nd.shape[i] = a->g->shape[i];
        a->nd.chunkshape[i] = (int32_t)a->g->chunkshape[i];
        a->nd.blockshape[i] = (int32_t)a->g->blockshape[i];
    }
    a->layer = p->layer == TESS_LAYER_CATERVA ? "caterva" : "b2nd";
    if (p->layer == TESS_LAYER_CATERVA)
        return TESS_OK; // that layer has no place for a type
    a->nd.dtype = mem_string(dtype);
    a->nd.dtype_format = p->dtype ? p->dtype_format : 0;
    return a->nd.dtype ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a type");
}

// What growth shows: as the caller says, or what the items of the new array are.
static tess_status
init_fill(tess_array *a, const tess_params *p, const struct array_content *content, tess_error *err)
{
    const size_t typesize = (size_t)a->g->typesize;
    const uint8_t *item = content->special == SPECIAL_VALUE ? content->item : NULL;
    uint8_t nan[8];

    if (p->fill ? p->fill_size < typesize : p->fill_size != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a fill value of %zu bytes%s, items of the array have %zu", p->fill_size,
                       p->fill ? "" : " that is not given", typesize);
    if (content->special == SPECIAL_NANS) {
        const struct chunk nans = {.h = {.special = SPECIAL_NANS, .typesize = a->g->typesize}};
        chunk_special_bytes(&nans, 0, nan, typesize);
        item = nan;
    }
    if (item && p->fill && memcmp(item, p->fill, typesize) != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the fill value is not the value that all items are created with");
    return array_set_fill(a, item ? item : p->fill, err);
}

// Whether metalayers of that name are the library's. A plain frame has no N-dimensional one, and
// gets that of the program if it says that it is one like others.
static bool
is_own_layer(const tess_array *a, const char *name)
{
    const bool nd = strcmp(name, "b2nd") == 0 || strcmp(name, "caterva") == 0;
    return strcmp(name, FILL_LAYER) == 0 || (nd && !(a->as_plain && a->grid->plain));
}

static tess_status
add_metalayers(const tess_array *a, const tess_params *p, struct layers *metas, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int i = 0; i < p->nmetalayers && st == TESS_OK; i++) {
        const tess_metalayer *const m = &p->metalayers[i];
        if (!m->name || (!m->content && m->size > 0))
            return err_set(err, TESS_ERR_ARG, -1, "metalayer %d has no name or no content", i);
        if (is_own_layer(a, m->name))
            return err_set(err, TESS_ERR_ARG, -1, "the metalayer %s is written by the library",
                           m->name);
        st = layers_add(metas, LAYERS_FIXED_MAX, m->name, m->content, m->size, err);
    }
    return st;
}

// The N-dimensional layer first, so that the shape lies in the header's first sector.
static tess_status
make_metas(const tess_array *a, const tess_params *p, struct layers *metas, tess_error *err)
{
    uint8_t *content = NULL;
    size_t size = 0;
    tess_status st = TESS_OK;

    if (p->nmetalayers < 0 || (p->nmetalayers > 0 && !p->metalayers))
        return err_set(err, TESS_ERR_ARG, -1, "%d metalayers, and none given", p->nmetalayers);
    if (a->layer) {
        st = ndlayer_write(&a->nd, p->layer == TESS_LAYER_CATERVA, &content, &size, err);
        if (st == TESS_OK)
            st = layers_add(metas, LAYERS_FIXED_MAX, a->layer, content, size, err);
        mem_free(content);
    }
    if (st == TESS_OK && a->fill)
        st = fill_layer_add(metas, a->fill, (size_t)a->g->typesize, err);
    if (st == TESS_OK)
        st = add_metalayers(a, p, metas, err);
    if (st == TESS_OK && layers_size(metas) > INT32_MAX / 2)
        st = err_set(err, TESS_ERR_LIMIT, -1, "metalayers of %zu bytes", layers_size(metas));
    return st;
}

static void
init_header(const tess_array *a, const tess_params *p, struct frame_header *h)
{
    *h = (struct frame_header){
        .typesize = a->g->typesize,
        .blocksize = a->g->blocksize,
        .chunksize = a->g->chunksize,
        .codec = (int)p->codec,
        .codec_meta = p->codec_meta,
        .clevel = p->clevel,
        .split = (int)p->split,
        .use_dict = p->dictionary,
    };
    memcpy(h->filters, p->filters, FILTER_SLOTS);
    memcpy(h->filters_meta, p->filters_meta, FILTER_SLOTS);
}

// A type that stays as it is stays in its notation, also where the params do not tell it.
static void
keep_dtype_format(tess_array *a, const tess_array *from)
{
    if (a->nd.dtype && from->nd.dtype && strcmp(a->nd.dtype, from->nd.dtype) == 0)
        a->nd.dtype_format = from->nd.dtype_format;
}

static tess_status
check_content(const tess_array *a, const struct array_content *content, tess_error *err)
{
    if (content->special == SPECIAL_NANS && a->g->typesize != 4 && a->g->typesize != 8)
        return err_set(err, TESS_ERR_ARG, -1,
                       "NaNs need items of 4 or 8 bytes, these have %" PRId32, a->g->typesize);
    return TESS_OK;
}

// A frame of chunks that are to come. One block size may be given.
static tess_status
init_plain(tess_array *a, const tess_params *p, int32_t typesize, tess_error *err)
{
    struct geometry *const g = &a->grid->g;
    int64_t size = 0;
    if (p->ndim < 0 || p->ndim > 1)
        return err_set(err, TESS_ERR_ARG, -1, "%d dimensions, a super-chunk has none or 1",
                       p->ndim);
    if (p->fill || p->fill_size != 0)
        return err_set(err, TESS_ERR_ARG, -1, "a fill value, which a super-chunk does not have");
    if (p->ndim == 1 && (p->blockshape[0] < 0 || !mul_i64(p->blockshape[0], typesize, &size) ||
                         size > BLOCK_NBYTES_MAX))
        return err_set(err, TESS_ERR_ARG, -1, "blocks of %" PRId64 " items of %" PRId32 " bytes",
                       p->blockshape[0], typesize);
    *g = (struct geometry){.ndim = 1, .typesize = typesize, .blocksize = (int32_t)size};
    a->grid->plain = true;
    return TESS_OK;
}

// All of it but the storage, in memory: an array, or a plain frame.
static tess_status
init_array(tess_array *a, const tess_params *p, const struct array_content *content,
           struct frame_header *h, tess_error *err)
{
    int32_t typesize;
    tess_params own = *p;
    tess_status st = params_typesize(p, &typesize, err);
    if (st == TESS_OK && content->plain)
        st = init_plain(a, p, typesize, err);
    if (st != TESS_OK || content->plain) {
        init_header(a, p, h);
        h->chunksize = -1;
        return st == TESS_OK ? params_check_coding(p, err) : st;
    }
    st = init_geometry(a, p, typesize, err);
    if (st == TESS_OK)
        st = init_ndlayer(a, p, err);
    if (st == TESS_OK && content->sources)
        keep_dtype_format(a, content->sources->arrays[0]);
    if (st == TESS_OK)
        st = check_content(a, content, err);
    if (st == TESS_OK)
        st = init_fill(a, p, content, err);
    if (st == TESS_OK)
        st = params_check_coding(p, err);
    if (st == TESS_OK && content->inherits)
        params_fit(&own, a->g, &a->grid->plugins);
    init_header(a, &own, h);
    return st;
}

static tess_status
put_sources(tess_array *a, const struct copy_sources *sources, struct watch *watch, tess_error *err)
{
    frame_begin(a->grid->frame);
    const tess_status st = array_copy_items(a, sources, watch, err);
    frame_keep(a->grid->frame); // on failure the whole array goes
    return st;
}

// Names of axes follow a view.
static tess_status
create_copy_attribute(tess_array *a, const tess_array *from, const struct layer *l, tess_error *err)
{
    uint8_t *names;
    int32_t size;
    tess_status st = names_of_copy(from, l, &names, &size, err);
    if (st == TESS_OK)
        st = layers_add(frame_edit_vlmetas(a->grid->frame), LAYERS_VL_MAX, l->name,
                        names ? names : l->content, names ? (size_t)size : l->size, err);
    mem_free(names);
    return st;
}

static tess_status
create_copy_attributes(tess_array *a, const struct copy_sources *sources, tess_error *err)
{
    const tess_array *const source = sources->arrays[0];
    tess_status st = TESS_OK;
    gate_enter(source->grid->gate);
    const struct layers *const from = frame_vlmetas(source->grid->frame);
    for (int i = 0; i < from->count && st == TESS_OK; i++)
        st = create_copy_attribute(a, source, &from->items[i], err);
    gate_leave(source->grid->gate);
    return st;
}

static tess_status
make_items(tess_array *a, const struct array_content *content, struct watch *watch, tess_error *err)
{
    frame_begin(a->grid->frame);
    const tess_status st = content->make(content->user, a, watch, err);
    frame_keep(a->grid->frame); // on failure the whole array goes
    return st;
}

// The items of an array that is not made of special chunks alone.
static tess_status
write_content(tess_array *a, const struct array_content *content, tess_error *err)
{
    const int64_t start[NDIM_MAX] = {0};
    struct box_memory_const src = {0};
    struct watch watch;

    array_watch(&watch, a, a->g->nitems);
    if (content->sources)
        return watch_end(&watch, put_sources(a, content->sources, &watch, err));
    if (content->make)
        return watch_end(&watch, make_items(a, content, &watch, err));
    if (content->special == SPECIAL_VALUE) {
        src.items = content->item; // strides 0: the same item everywhere
    } else {
        src.items = content->src;
        shape_strides(a->g->ndim, a->g->shape, a->g->typesize, src.stride);
    }
    frame_begin(a->grid->frame);
    tess_status st =
        grid_write(a->grid, &(struct box){start, a->g->shape, NULL}, &src, NULL, &watch, err);
    frame_keep(a->grid->frame); // on failure the whole array goes
    return watch_end(&watch, st);
}

static tess_status
create_frame(const struct home *home, const struct frame_header *h, struct layers *metas,
             int64_t nchunks, enum chunk_special special, const struct frame_options *options,
             struct frame **frame, tess_error *err)
{
    if (home->at.folder)
        return frame_create_folder(home->at.folder, h, metas, nchunks, special, options, frame,
                                   err);
    return frame_create(home->at.io, h, metas, nchunks, special, options, frame, err);
}

// Whether what is replaced stays until the items are there, which the program writes.
static bool
is_published_later(const tess_storage *storage, const struct array_content *content)
{
    if (content->plain)
        return storage->path && storage->mode == TESS_MODE_REPLACE;
    return storage->path && storage->mode == TESS_MODE_REPLACE && !content->sources &&
           !content->make && content->special != SPECIAL_NONE;
}

tess_status
array_create(const struct home *home, const tess_storage *storage, const tess_params *p,
             const struct array_content *content, tess_array **out, tess_error *err)
{
    tess_status st = TESS_OK;
    struct layers metas = {0};
    struct frame_options options;
    struct frame_header h;
    bool given = false;
    const bool stored = content->special == SPECIAL_NONE || content->special == SPECIAL_VALUE;
    tess_array *a = array_new();

    if (!a) {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
        goto out;
    }
    a->offset = home->at.offset;
    TRY(array_take_options(a, storage, &options, err));
    options.lock_file = home->lock_file;
    options.path = home->path;
    TRY(init_array(a, p, content, &h, err));
    TRY(make_metas(a, p, &metas, err));
    chunk_grid_tell_frame(a->grid);
    if (!content->plain)
        TRY(chunk_grid_prepare_encoder(a->grid, &h, err));

    given = true; // now the frame's
    TRY(create_frame(home, &h, &metas, a->g->nchunks, stored ? SPECIAL_ZEROS : content->special,
                     &options, &a->grid->frame, err));
    chunk_grid_tell_frame(a->grid);
    TRY(chunk_grid_prepare_memory(a->grid, err));
    TRY(chunk_grid_prepare_cache(a->grid, err));
    if (content->sources)
        TRY(create_copy_attributes(a, content->sources, err));
    if (stored && a->g->nitems > 0)
        TRY(write_content(a, content, err));
    TRY(frame_commit(a->grid->frame, err));
    if (!is_published_later(storage, content))
        TRY(frame_publish(a->grid->frame, err));
    if (!storage->path && storage->source)
        a->source = *storage->source;
    if (storage->store)
        home_maker_of(storage)->made(home_maker_of(storage), storage, a);
    *out = a;
    a = NULL; // now the caller's
out:
    if (!given)
        home_close(home);
    layers_finish(&metas);
    array_free(a);
    return st;
}
