/*
 * fill.c - the fill value of an array: what growth shows; and zeros where the shape gets smaller.
 *
 * The value stands in a metalayer, unless it is zeros. Chunks that growth adds are special chunks,
 * or hold the value once. Those at the old border hold padding, which may be anything; what of it
 * comes into sight becomes the fill value.
 */
#include "array/shape/shape.h"

#include "array/array.h"
#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/encode/encoder.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "codec/codec.h"
#include "filter/pipeline.h"
#include "frame/chunks/usage.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/write/constant.h"
#include "grid/write/write.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

tess_status
array_set_fill(tess_array *a, const uint8_t *item, tess_error *err)
{
    const size_t size = (size_t)a->g->typesize;
    if (!item || constant_special(item, a->g->typesize) == SPECIAL_ZEROS)
        return TESS_OK;
    a->fill = mem_alloc(size);
    if (!a->fill)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a fill value of %zu bytes", size);
    memcpy(a->fill, item, size);
    return TESS_OK;
}

tess_status
array_load_fill(tess_array *a, tess_error *err)
{
    const struct layer *const layer = layers_find(frame_metas(a->grid->frame), FILL_LAYER);
    const uint8_t *item;
    if (!layer)
        return TESS_OK;
    const tess_status st = fill_layer_parse(layer, (size_t)a->g->typesize, &item, err);
    return st == TESS_OK ? array_set_fill(a, item, err) : st;
}

bool
array_is_fill_layer(const tess_array *a, const struct layer *layer)
{
    return a->layer && fill_layer_is(layer);
}

enum chunk_special
array_fill_special(const tess_array *a)
{
    const bool nans = a->fill && constant_special(a->fill, a->g->typesize) == SPECIAL_NANS;
    return nans ? SPECIAL_NANS : SPECIAL_ZEROS;
}

// What filling needs, while it lasts.
struct filler {
    tess_array *a;
    const uint8_t *item;
    uint8_t *zeros; // the item, if it is that
    struct watch *watch;
};

static tess_status
fill_begin(struct filler *f, tess_array *a, struct watch *watch, tess_error *err)
{
    *f = (struct filler){.a = a, .item = a->fill, .watch = watch};
    if (!a->fill)
        f->item = f->zeros = mem_zeroed(1, (size_t)a->g->typesize);
    return f->item ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
}

static void
fill_end(struct filler *f)
{
    mem_free(f->zeros);
}

static tess_status
fill_write_item(struct filler *f, const struct box *box, tess_error *err)
{
    const struct box_memory_const src = {.items = f->item}; // strides 0: the same item everywhere
    if (box_is_empty(f->a->g->ndim, box))
        return TESS_OK;
    return array_write(f->a, box, &src, NULL, f->watch, err);
}

// Whether a chunk that is not stored shows the item.
static bool
special_is_filled(const tess_array *a, int64_t n)
{
    const enum chunk_special special = frame_special(a->grid->frame, n);
    if (!a->fill)
        return special == SPECIAL_ZEROS || special == SPECIAL_UNINIT;
    return special == SPECIAL_NANS && array_fill_special(a) == SPECIAL_NANS;
}

// Parts of chunks that came into sight, and which of them show something else than the item.
struct exposed {
    struct filler *f;
    struct box box;
    struct walk w; // stands on the next chunk
    bool more;
    int64_t at; // its place among the chunks
    bool *wanted; // of each: it is to be written
};

struct fill_grain {
    struct walk chunk;
    bool *wanted;
};

_Static_assert(sizeof(struct fill_grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

// Whether a part of a chunk shows the item already; lo and hi are relative to the chunk. `block`
// has room for one.
static tess_status
is_filled(const struct filler *f, struct open_chunk *v, const struct walk *chunk, uint8_t *block,
          struct chunk_scratch *s, bool *filled, tess_error *err)
{
    const struct geometry *const g = f->a->g;
    const size_t typesize = (size_t)g->typesize;
    int64_t extent[NDIM_MAX], stride[NDIM_MAX];
    struct walk w;

    if (constant_chunk(&v->stored.chunk, g->typesize, block)) {
        *filled = memcmp(block, f->item, typesize) == 0;
        return TESS_OK;
    }
    *filled = true;
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (bool more = walk_blocks(&w, g, chunk); more && *filled; more = walk_next(&w)) {
        const tess_status st = open_chunk_block(f->a->grid, v, (int32_t)w.index, block, s, err);
        if (st != TESS_OK)
            return st;
        int64_t at = 0;
        for (int i = 0; i < g->ndim; i++) {
            extent[i] = w.hi[i] - w.lo[i];
            at += w.lo[i] * stride[i];
        }
        *filled = ndconstant(g->ndim, extent, g->typesize, block + at, stride) &&
                  memcmp(block + at, f->item, typesize) == 0;
    }
    return TESS_OK;
}

static tess_status
look_at(const struct filler *f, const struct walk *chunk, struct chunk_scratch *s, bool *filled,
        tess_error *err)
{
    const int32_t blocksize = f->a->g->blocksize; // as the file says
    struct open_chunk *v = NULL;
    tess_status st = scratch_check(s, blocksize, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const block = mem_alloc((size_t)blocksize);
    st = block ? open_chunks_get(f->a->grid, chunk->index, false, NULL, NULL, &v, err)
               : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    if (st == TESS_OK)
        st = is_filled(f, v, chunk, block, s, filled, err);
    open_chunk_release(v);
    mem_free(block);
    return st;
}

static tess_status
fill_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct exposed *const x = arg;
    struct fill_grain *const g = grain;
    (void)err;
    while (x->more && special_is_filled(x->f->a, x->w.index)) {
        x->more = walk_next(&x->w);
        x->at++;
    }
    *more = x->more;
    if (!x->more)
        return TESS_OK;
    *g = (struct fill_grain){.chunk = x->w, .wanted = &x->wanted[x->at++]};
    x->more = walk_next(&x->w);
    return TESS_OK;
}

static tess_status
fill_work(void *arg, void *grain, tess_error *err)
{
    const struct exposed *const x = arg;
    struct fill_grain *const g = grain;
    bool filled = false;
    struct chunk_scratch *const s = pool_take(x->f->a->grid->pool);
    const tess_status st = s ? look_at(x->f, &g->chunk, s, &filled, err)
                             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(x->f->a->grid->pool, s);
    *g->wanted = !filled;
    return st;
}

// Find the parts that show something else, then write the item to them.
static tess_status
fill_exposed(struct exposed *x, tess_error *err)
{
    static const struct task task = {
        .next = fill_next, .work = fill_work, .grain_size = sizeof(struct fill_grain)};
    tess_array *const a = x->f->a;
    const struct geometry *const g = a->g;
    const struct codec *const codec = codec_by_id(frame_header(a->grid->frame)->codec);
    const int64_t nbytes = geometry_blocks_nbytes(g, &x->box);
    const struct task_width width =
        chunk_grid_width(a->grid, cost_decode(codec, nbytes), x->f->watch);
    bool any = false;
    int64_t n = 1;

    for (int i = 0; i < g->ndim; i++)
        n *= (x->box.stop[i] - 1) / g->chunkshape[i] - x->box.start[i] / g->chunkshape[i] + 1;
    x->at = 0;
    x->more = walk_chunks(&x->w, g, &x->box);
    x->wanted = mem_zeroed((size_t)n, sizeof *x->wanted);
    if (!x->wanted)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", n);
    tess_status st = task_run(&task, x, &width, err);
    for (int64_t i = 0; i < n && st == TESS_OK && !any; i++)
        any = x->wanted[i];
    if (any)
        st = grid_write_some(a->grid, &x->box, x->f->item, x->wanted, x->f->watch, err);
    mem_free(x->wanted);
    return st;
}

// The padding of chunks that were there before, as far as it is inside the shape now.
static tess_status
fill_padding(struct filler *f, const struct geometry *before, tess_error *err)
{
    const struct geometry *const g = f->a->g;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    struct exposed x = {.f = f, .box = {start, stop, NULL}};
    tess_status st = TESS_OK;

    for (int i = 0; i < g->ndim; i++)
        stop[i] = min_i64(g->shape[i], before->grid[i] * before->chunkshape[i]);
    for (int axis = 0; axis < g->ndim && st == TESS_OK; axis++) {
        for (int i = 0; i < g->ndim; i++)
            start[i] = i == axis ? min_i64(before->shape[i], stop[i]) : 0;
        if (!box_is_empty(g->ndim, &x.box))
            st = fill_exposed(&x, err);
    }
    return st;
}

// Chunks that were not there before: axis by axis those beyond the old grid, of rows that were
// inside of it along the axes before.
static tess_status
fill_chunks(struct filler *f, const struct geometry *before, tess_error *err)
{
    const struct geometry *const g = f->a->g;
    int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX];
    const struct watch_range all = watch_divide(f->watch);
    tess_status st = TESS_OK;

    memcpy(stop, g->shape, sizeof stop);
    for (int axis = 0; axis < g->ndim && st == TESS_OK; axis++) {
        watch_part(f->watch, &all, axis + 1, g->ndim);
        const int64_t covered = before->grid[axis] * before->chunkshape[axis];
        start[axis] = covered;
        st = fill_write_item(f, &(struct box){start, stop, NULL}, err);
        start[axis] = 0;
        stop[axis] = min_i64(g->shape[axis], covered);
    }
    return st;
}

tess_status
array_fill_grown(tess_array *a, const struct geometry *before, struct watch *watch, tess_error *err)
{
    struct filler f;
    tess_status st = fill_begin(&f, a, watch, err);
    if (st == TESS_OK)
        st = fill_padding(&f, before, err);
    if (st == TESS_OK && a->fill && array_fill_special(a) == SPECIAL_ZEROS)
        st = fill_chunks(&f, before, err);
    fill_end(&f);
    return st;
}

tess_status
array_fill_box(tess_array *a, const struct box *box, struct watch *watch, tess_error *err)
{
    struct filler f;
    if (a->g->nchunks > 0 && frame_is_uniform(a->grid->frame) && special_is_filled(a, 0))
        return TESS_OK; // all chunks are, and the list takes no memory
    tess_status st = fill_begin(&f, a, watch, err);
    if (st == TESS_OK)
        st = fill_write_item(&f, box, err);
    fill_end(&f);
    return st;
}

// -- items that are cut off do not stay in the padding of chunks

// Whether blocks that are decoded and encoded again hold the items that they held.
static bool
brings_back(const tess_array *a)
{
    const struct chunk_encoder *const e = &a->grid->encoder;
    return chunk_encoder_is_plain(e) ||
           (pipeline_brings_back(&e->pipeline) && !(e->codec && e->codec->lossy));
}

// Zeros from the index `first` on along an axis, up to stop[axis]; in one row of chunks.
static tess_status
clear(tess_array *a, int axis, int64_t first, const int64_t *stop, struct watch *watch,
      tess_error *err)
{
    const int64_t chunkshape = a->g->chunkshape[axis], blockshape = a->g->blockshape[axis];
    const int64_t origin = first - first % chunkshape;
    int64_t start[NDIM_MAX] = {0};

    start[axis] = first;
    if (!brings_back(a))
        start[axis] = origin + ceil_div(first - origin, blockshape) * blockshape;
    const struct box box = {start, stop, NULL};
    return box_is_empty(a->g->ndim, &box) ? TESS_OK : grid_write_padding(a->grid, &box, watch, err);
}

tess_status
padding_clear(tess_array *a, int axis, int64_t first, int64_t stop, struct watch *watch,
              tess_error *err)
{
    int64_t to[NDIM_MAX];
    memcpy(to, a->g->shape, sizeof to);
    to[axis] = stop;
    return clear(a, axis, first, to, watch, err);
}

tess_status
padding_cut(tess_array *a, const int64_t *shape, struct watch *watch, tess_error *err)
{
    const struct geometry *const g = a->g;
    int64_t stop[NDIM_MAX]; // of the chunks that stay
    tess_status st = TESS_OK;

    for (int i = 0; i < g->ndim; i++)
        stop[i] =
            shape[i] < g->shape[i]
                ? min_i64(g->shape[i], ceil_div(shape[i], g->chunkshape[i]) * g->chunkshape[i])
                : g->shape[i];
    const struct watch_range all = watch_divide(watch);
    for (int axis = 0; axis < g->ndim && st == TESS_OK; axis++) {
        watch_part(watch, &all, axis + 1, g->ndim);
        if (shape[axis] < stop[axis])
            st = clear(a, axis, shape[axis], stop, watch, err);
        stop[axis] = min_i64(stop[axis], shape[axis]); // what is behind is done
    }
    return st;
}
