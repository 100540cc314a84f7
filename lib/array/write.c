/*
 * write.c - memory into a box of an array.
 *
 * A chunk that the box covers (but for what the array's edge cuts off) is encoded from the
 * caller's memory, block by block. Of a chunk that is covered in part, the touched blocks are
 * decoded, overlaid and encoded; the stored bytes of the others are copied as they are. Chunks that
 * come out constant are stored as special values.
 *
 * Padding is zeros.
 */
#include "array/array.h"

#include "array/cache.h"
#include "array/visit.h"
#include "base/checked.h"
#include "geom/walk.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Bytes of an item beyond which a constant chunk may be smaller in blocks: with LZ4, one block of
// a constant takes some 30 bytes.
#define WIDE 64

struct write_job {
    tess_array *a;
    const struct strided_const *src;
    struct walk chunks;
    bool more;
};

// One chunk on its way.
struct new_chunk {
    const tess_array *a;
    const struct strided_const *src;
    const uint8_t *items; // where the chunk's part of the box starts in src
    struct walk *w; // the part of the chunk inside the box
    struct visit *old; // NULL if nothing of it is needed
    bool keep_stored; // blocks that are not touched can be copied as they are stored
    struct chunk_scratch *decode;
    struct chunk_scratch *encode;
};

static int64_t
offset_of(const struct strided_const *src, int ndim, const int64_t *from)
{
    int64_t offset = 0;
    for (int i = 0; i < ndim; i++)
        offset += from[i] * src->stride[i];
    return offset;
}

// The part of block `nblock` that the box covers; false if none. lo and hi are relative to the
// block, from to the chunk's part of the box.
static bool
overlap(const struct new_chunk *c, int32_t nblock, int64_t *lo, int64_t *hi, int64_t *from)
{
    const struct geometry *const g = &c->a->g;
    int64_t rest = nblock;
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t origin = rest % g->bgrid[i] * g->blockshape[i];
        rest /= g->bgrid[i];
        lo[i] = max_i64(c->w->lo[i] - origin, 0);
        hi[i] = min_i64(c->w->hi[i] - origin, g->blockshape[i]);
        from[i] = origin + lo[i] - c->w->lo[i];
        if (lo[i] >= hi[i])
            return false;
    }
    return true;
}

// Whether nothing of a block is kept: padding counts for nothing.
static bool
replaces_block(const struct new_chunk *c, const int64_t *lo, const int64_t *hi)
{
    const struct geometry *const g = &c->a->g;
    for (int i = 0; i < g->ndim; i++)
        if (hi[i] - lo[i] != g->blockshape[i])
            return false;
    return true;
}

// The block as it will be.
static tess_status
items(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct new_chunk *const c = from;
    const struct geometry *const g = &c->a->g;
    int64_t lo[NDIM_MAX], hi[NDIM_MAX], start[NDIM_MAX], extent[NDIM_MAX], stride[NDIM_MAX];
    const bool touched = overlap(c, nblock, lo, hi, start);

    if (!touched || !replaces_block(c, lo, hi)) {
        if (!c->old) {
            memset(dst, 0, (size_t)g->blocksize);
        } else {
            const tess_status st = visit_block(c->a, c->old, nblock, dst, c->decode, err);
            if (st != TESS_OK)
                return st;
        }
    }
    if (!touched)
        return TESS_OK;

    int64_t at = 0;
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (int i = 0; i < g->ndim; i++) {
        extent[i] = hi[i] - lo[i];
        at += lo[i] * stride[i];
    }
    ndcopy(g->ndim, extent, g->typesize, dst + at, stride,
           c->items + offset_of(c->src, g->ndim, start), c->src->stride);
    return TESS_OK;
}

// The stored bytes of a block that the box does not touch.
static tess_status
stored(void *from, int32_t nblock, const uint8_t **bytes, int32_t *size, tess_error *err)
{
    const struct new_chunk *const c = from;
    int64_t lo[NDIM_MAX], hi[NDIM_MAX], start[NDIM_MAX];

    *bytes = NULL;
    if (overlap(c, nblock, lo, hi, start))
        return TESS_OK;
    const struct stored_chunk *const sc = &c->old->stored;
    const struct span span = chunk_span(&sc->chunk, nblock);
    *size = span.stop - span.start;
    return sc->bytes.fetch(sc->bytes.from, span.start, *size, c->decode, bytes, err);
}

// Whether streams of the old chunk mean the same in a new one.
static bool
same_encoding(const struct chunk_header *old, const struct chunk_encoder *e)
{
    const struct chunk_header *const h = &e->h;
    return old->header_size == CHUNK_HEADER_SIZE && old->version >= 4 &&
           old->codec_format == h->codec_format && old->codec_meta == h->codec_meta &&
           old->split == h->split && old->typesize == h->typesize &&
           (old->codec_format != CODEC_FORMAT_OTHER || old->udcodec == h->udcodec) &&
           memcmp(old->filters, h->filters, FILTER_SLOTS) == 0 &&
           memcmp(old->filters_meta, h->filters_meta, FILTER_SLOTS) == 0;
}

static tess_status
open_old(struct new_chunk *c, int64_t n, tess_error *err)
{
    int64_t lo[NDIM_MAX], hi[NDIM_MAX], from[NDIM_MAX];
    const tess_status st = visit_open(c->a, n, c->decode, &c->old, err);
    if (st != TESS_OK)
        return st;
    c->keep_stored = c->old->kind == VISIT_BLOCKS &&
                     same_encoding(&c->old->stored.chunk.h, &c->a->encoder) &&
                     !(c->a->encoder.pipeline.has_delta && overlap(c, 0, lo, hi, from));
    return TESS_OK;
}

static bool
is_zero(const uint8_t *item, int64_t size)
{
    return item[0] == 0 && memcmp(item, item + 1, (size_t)size - 1) == 0;
}

// Encode a chunk into c->encode->stored, where there is room for its value as well.
static tess_status
encode(tess_array *a, struct new_chunk *c, int32_t *cbytes, enum chunk_special *special,
       tess_error *err)
{
    const struct chunk *const old = c->keep_stored ? &c->old->stored.chunk : NULL;
    const struct block_source source = {
        .from = c,
        .items = items,
        .stored = old ? stored : NULL,
        .dict = old && old->dict.size > 0 ? &old->dict : NULL,
    };
    const tess_status st = scratch_reserve_chunk(c->encode, chunk_bound(&a->encoder), err);
    if (st != TESS_OK)
        return st;
    return chunk_encode(&a->encoder, &source, c->encode, c->encode->stored, cbytes, special, err);
}

static tess_status
put(tess_array *a, const struct new_chunk *c, int64_t n, int32_t cbytes, enum chunk_special special,
    tess_error *err)
{
    cache_forget_chunk(a->cache, n, a->g.nblocks);
    return special == SPECIAL_ZEROS ? frame_put_special(a->frame, n, special, err)
                                    : frame_put(a->frame, n, c->encode->stored, cbytes, err);
}

static tess_status
put_encoded(tess_array *a, struct new_chunk *c, int64_t n, tess_error *err)
{
    enum chunk_special special;
    int32_t cbytes;
    const tess_status st = encode(a, c, &cbytes, &special, err);
    return st == TESS_OK ? put(a, c, n, cbytes, special, err) : st;
}

// A chunk whose items are all equal to the first needs no blocks, unless they take fewer bytes than
// one item does.
static tess_status
put_constant(tess_array *a, struct new_chunk *c, int64_t n, tess_error *err)
{
    const struct chunk nans = {.h = {.special = SPECIAL_NANS, .typesize = a->g.typesize}};
    const int64_t value_size = (int64_t)a->g.typesize + CHUNK_HEADER_SIZE;
    enum chunk_special special = SPECIAL_NONE;
    int32_t cbytes = INT32_MAX;
    uint8_t nan[8];
    tess_status st;

    cache_forget_chunk(a->cache, n, a->g.nblocks);
    if (is_zero(c->items, a->g.typesize))
        return frame_put_special(a->frame, n, SPECIAL_ZEROS, err);
    if (a->g.typesize == 4 || a->g.typesize == 8) {
        chunk_special_bytes(&nans, 0, nan, (size_t)a->g.typesize);
        if (memcmp(c->items, nan, (size_t)a->g.typesize) == 0)
            return frame_put_special(a->frame, n, SPECIAL_NANS, err);
    }

    st = a->g.typesize > WIDE ? encode(a, c, &cbytes, &special, err)
                              : scratch_reserve_chunk(c->encode, value_size, err);
    if (st != TESS_OK)
        return st;
    if (cbytes > value_size)
        cbytes = chunk_encode_value(&a->encoder, c->items, c->encode->stored);
    return put(a, c, n, cbytes, special, err);
}

static tess_status
write_chunk(tess_array *a, const struct strided_const *src, struct walk *w, tess_error *err)
{
    tess_status st = TESS_OK;
    int64_t extent[NDIM_MAX];
    struct new_chunk c = {
        .a = a,
        .src = src,
        .items = src->items + offset_of(src, a->g.ndim, w->from),
        .w = w,
        .decode = pool_take(a->pool),
        .encode = pool_take(a->pool),
    };

    if (!c.decode || !c.encode) {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
        goto out;
    }
    if (walk_covers(w, a->g.shape)) {
        for (int i = 0; i < a->g.ndim; i++)
            extent[i] = w->hi[i] - w->lo[i];
        if (ndconstant(a->g.ndim, extent, a->g.typesize, c.items, src->stride)) {
            TRY(put_constant(a, &c, w->index, err));
            goto out;
        }
    } else {
        TRY(open_old(&c, w->index, err));
    }
    TRY(put_encoded(a, &c, w->index, err));
out:
    visit_release(c.old);
    pool_give(a->pool, c.decode);
    pool_give(a->pool, c.encode);
    return st;
}

static tess_status
next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct write_job *const job = arg;
    (void)err;
    *more = job->more;
    if (job->more) {
        *(struct walk **)grain = &job->chunks;
        job->more = false; // until this chunk is done
    }
    return TESS_OK;
}

static tess_status
work(void *arg, void *grain, tess_error *err)
{
    struct write_job *const job = arg;
    struct walk *const w = *(struct walk **)grain;
    const tess_status st = write_chunk(job->a, job->src, w, err);
    job->more = walk_next(w);
    return st;
}

tess_status
array_write(tess_array *a, const int64_t *start, const int64_t *stop,
            const struct strided_const *src, tess_error *err)
{
    static const struct task task = {
        .next = next, .work = work, .grain_size = sizeof(struct walk *)};
    struct write_job job = {.a = a, .src = src};
    job.more = walk_begin(&job.chunks, a->g.ndim, a->g.chunkshape, a->g.grid, start, stop);
    return task_run(&task, &job, &(struct task_width){.threads = 1}, err);
}
