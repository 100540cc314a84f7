/*
 * codec.c - the public functions on one chunk in memory, without an array.
 */
#include "api/chunk/private.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/chunks/chunks.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/plugin.h"
#include "base/sized.h"
#include "chunk/chunk.h"
#include "chunk/content.h"
#include "chunk/encode/encoder.h"
#include "chunk/encode/flat.h"
#include "chunk/header.h"
#include "chunk/parallel.h"
#include "chunk/plugins.h"
#include "grid/cost.h"

#include <tessera/chunk.h>
#include <tessera/context.h>

#include <inttypes.h>
#include <string.h>

// -- encode

TESS_API size_t
tess_chunk_bound(size_t src_size)
{
    const size_t more = CHUNK_HEADER_SIZE + CODEC_SLACK;
    return src_size > SIZE_MAX - more ? SIZE_MAX : src_size + more;
}

static bool
names_blocks(const tess_params *p)
{
    bool any = false;
    for (int i = 0; i < p->ndim; i++)
        any |= p->blockshape[i] != 0;
    return any;
}

// Blocks of the shape that the caller gives, and what is told of it where all are whole.
static tess_status
given_blocks(const tess_params *p, struct chunk_spec *spec, struct block_grid *grid,
             tess_error *err)
{
    int64_t size = spec->itemsize;
    *grid = (struct block_grid){.ndim = p->ndim, .typesize = spec->itemsize};
    for (int i = 0; i < p->ndim; i++) {
        if (p->blockshape[i] < 1)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d: blocks of %" PRId64 " items", i,
                           p->blockshape[i]);
        if (!mul_i64(size, p->blockshape[i], &size) || size > BLOCK_NBYTES_MAX)
            return err_set(err, TESS_ERR_LIMIT, -1, "blocks of more than %d bytes",
                           BLOCK_NBYTES_MAX);
        grid->shape[i] = (int32_t)p->blockshape[i];
    }
    const bool whole = spec->nbytes % size == 0;
    if (p->ndim > 1 && !whole)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%" PRId32 " bytes, which are no whole blocks of %" PRId64, spec->nbytes,
                       size);
    spec->blocksize = (int32_t)min_i64(size, spec->nbytes);
    spec->grid = whole ? grid : NULL;
    return TESS_OK;
}

static tess_status
spec_of(const tess_params *p, const struct chunk_options *o, size_t src_size,
        struct chunk_spec *spec, struct block_grid *grid, tess_error *err)
{
    const tess_status st = chunk_spec_take(p, o, src_size, spec, err);
    if (st != TESS_OK)
        return st;
    if (p->ndim < 0 || p->ndim > NDIM_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "%d dimensions, 0 to %d can be", p->ndim, NDIM_MAX);
    if (!o->given.partial_item && src_size % (size_t)spec->itemsize != 0)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes, which are no whole items of %" PRId32,
                       src_size, spec->itemsize);
    if (names_blocks(p))
        return given_blocks(p, spec, grid, err);
    spec->blocksize = cost_blocksize(spec);
    return TESS_OK;
}

// Into memory that may be too small while the chunk is made.
static tess_status
encode_aside(const struct chunk_encoder *e, const uint8_t *src, uint8_t *dst, size_t dst_size,
             int32_t *cbytes, struct chunk_scratch *s, const struct task_width *width,
             tess_error *err)
{
    enum chunk_special special;
    uint8_t *const room = mem_alloc((size_t)chunk_bound(e));
    if (!room)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " bytes", e->h.nbytes);
    const tess_status st = chunk_encode_parallel(e, src, s, room, cbytes, &special, width, err);
    if (st == TESS_OK && (size_t)*cbytes <= dst_size)
        memcpy(dst, room, (size_t)*cbytes);
    mem_free(room);
    return st;
}

static tess_status
encode_taken(const tess_params *p, struct chunk_options *o, const void *src, size_t src_size,
             void *dst, size_t dst_size, int32_t *cbytes, tess_error *err)
{
    struct chunk_encoder e;
    struct chunk_spec spec;
    struct block_grid grid;
    enum chunk_special special;
    tess_status st = spec_of(p, o, src_size, &spec, &grid, err);
    if (st == TESS_OK)
        st = chunk_encoder_init(&e, &spec, err);
    if (st != TESS_OK)
        return st;
    const struct task_width width =
        chunk_options_width(o, cost_encode(e.codec, e.level, spec.nbytes));
    struct chunk_scratch *const s = chunk_options_scratch(o, 0);
    return dst_size < (size_t)chunk_bound(&e)
               ? encode_aside(&e, src, dst, dst_size, cbytes, s, &width, err)
               : chunk_encode_parallel(&e, src, s, dst, cbytes, &special, &width, err);
}

TESS_API tess_status
tess_chunk_encode_with(const tess_params *params, const tess_chunk_options *options,
                       const void *src, size_t src_size, void *dst, size_t dst_size, size_t *cbytes,
                       tess_error *err)
{
    UNCANCELLED;
    tess_params own;
    struct chunk_options taken;
    int32_t size = 0;
    if (cbytes)
        *cbytes = 0;
    if (!cbytes || (!src && src_size > 0) || (!dst && dst_size > 0))
        return err_set(err, TESS_ERR_ARG, -1, "no items, or no place for a chunk are given");
    tess_status st = chunk_options_take(&taken, options, err);
    if (st == TESS_OK)
        st = take_params(&own, params, err);
    if (st == TESS_OK)
        st = encode_taken(&own, &taken, src, src_size, dst, dst_size, &size, err);
    chunk_options_finish(&taken);
    if (st != TESS_OK)
        return st;
    *cbytes = (size_t)size;
    if (*cbytes > dst_size)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for a chunk of %zu", dst_size,
                       *cbytes);
    return TESS_OK;
}

TESS_API tess_status
tess_chunk_encode(const tess_params *params, const void *src, size_t src_size, void *dst,
                  size_t dst_size, size_t *cbytes, tess_error *err)
{
    UNCANCELLED;
    return tess_chunk_encode_with(params, NULL, src, src_size, dst, dst_size, cbytes, err);
}

// -- decode

// Items of 2 to 255 bytes are recorded as they are; 1 may stand for wider ones.
static struct chunk_surroundings
surroundings_of(const uint8_t *chunk, size_t size, const struct chunk_options *o)
{
    enum { AT_TYPESIZE = 3 };
    const int32_t recorded = size > AT_TYPESIZE ? chunk[AT_TYPESIZE] : 0;
    const int32_t typesize = o->given.typesize > 0 ? o->given.typesize : recorded;
    return (struct chunk_surroundings){
        .typesize = typesize > 1 ? typesize : 0,
        .grid = chunk_options_grid(o),
        .plugins = &o->plugins,
    };
}

static tess_status
open_alone(struct whole_chunk *w, const void *chunk, size_t size, const struct chunk_options *o,
           tess_error *err)
{
    *w = (struct whole_chunk){0};
    if (!chunk)
        return err_set(err, TESS_ERR_ARG, -1, "no chunk is given");
    size = whole_chunk_size(chunk, size);
    const struct chunk_surroundings around = surroundings_of(chunk, size, o);
    return whole_chunk_open(w, chunk, size, INT32_MAX, &around, err);
}

TESS_API tess_status
tess_chunk_decode_with(const void *chunk, size_t chunk_size, const tess_chunk_options *options,
                       void *dst, size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    struct chunk_options taken;
    struct whole_chunk w = {0};
    tess_status st = chunk_options_take(&taken, options, err);
    if (st == TESS_OK)
        st = open_alone(&w, chunk, chunk_size, &taken, err);
    const size_t nbytes = (size_t)w.chunk.h.nbytes;
    if (st == TESS_OK && (nbytes > dst_size || (nbytes > 0 && !dst)))
        st = err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for the %zu of a chunk",
                     dst ? dst_size : 0, nbytes);
    if (st == TESS_OK && nbytes > 0) {
        const struct task_width width =
            chunk_options_width(&taken, cost_decode(w.chunk.codec, (int64_t)nbytes));
        st = chunk_decode_parallel(&w.chunk, &w.bytes, chunk_options_scratch(&taken, INT32_MAX),
                                   dst, &width, err);
    }
    whole_chunk_close(&w);
    chunk_options_finish(&taken);
    return st;
}

TESS_API tess_status
tess_chunk_decode(const void *chunk, size_t chunk_size, void *dst, size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    return tess_chunk_decode_with(chunk, chunk_size, NULL, dst, dst_size, err);
}

static tess_status
check_items(const struct chunk_header *h, size_t itemsize, int64_t start, int64_t stop,
            const void *dst, size_t dst_size, tess_error *err)
{
    const int64_t nitems = itemsize > INT32_MAX ? 0 : h->nbytes / (int64_t)itemsize;
    if (start < 0 || start > stop || stop > nitems)
        return err_set(err, TESS_ERR_ARG, -1,
                       "items %" PRId64 " to %" PRId64 ", the chunk has %" PRId64 " of %zu bytes",
                       start, stop, nitems, itemsize);
    if (start < stop && (!dst || (uint64_t)(stop - start) > dst_size / itemsize))
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for %" PRId64 " items of %zu",
                       dst ? dst_size : 0, stop - start, itemsize);
    return TESS_OK;
}

static tess_status
decode_items(const struct whole_chunk *w, struct chunk_options *o, size_t itemsize, int64_t start,
             int64_t stop, void *dst, size_t dst_size, tess_error *err)
{
    if (itemsize == 0)
        itemsize = (size_t)(o->given.typesize > 0 ? o->given.typesize : w->chunk.h.typesize);
    const tess_status st = check_items(&w->chunk.h, itemsize, start, stop, dst, dst_size, err);
    if (st != TESS_OK || start == stop)
        return st;
    return whole_chunk_read(w, (int32_t)((size_t)start * itemsize), dst,
                            (size_t)(stop - start) * itemsize,
                            chunk_options_scratch(o, TESS_MEMORY_DEFAULT), err);
}

// Whether it is a special chunk without faults; then its header.
static bool
read_special(const uint8_t *chunk, size_t size, struct chunk_header *h)
{
    static const struct chunk_options none;
    if (!chunk)
        return false;
    size = whole_chunk_size(chunk, size);
    return whole_chunk_special(chunk, size, surroundings_of(chunk, size, &none).typesize, h);
}

// All items are equal: what blocks are decoded with is not needed.
static tess_status
decode_special(const uint8_t *chunk, const struct chunk_header *h, size_t itemsize, int64_t start,
               int64_t stop, void *dst, size_t dst_size, tess_error *err)
{
    if (itemsize == 0)
        itemsize = (size_t)h->typesize;
    const tess_status st = check_items(h, itemsize, start, stop, dst, dst_size, err);
    if (st == TESS_OK && start < stop)
        chunk_repeat_item(h, chunk + h->header_size, h->cbytes - h->header_size,
                          (int32_t)((size_t)start * itemsize), dst,
                          (size_t)(stop - start) * itemsize);
    return st;
}

TESS_API tess_status
tess_chunk_decode_items_with(const void *chunk, size_t chunk_size,
                             const tess_chunk_options *options, size_t itemsize, int64_t start,
                             int64_t stop, void *dst, size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    struct chunk_header h;
    if (!options && read_special(chunk, chunk_size, &h))
        return decode_special(chunk, &h, itemsize, start, stop, dst, dst_size, err);
    struct chunk_options taken;
    struct whole_chunk w = {0};
    tess_status st = chunk_options_take(&taken, options, err);
    if (st == TESS_OK)
        st = open_alone(&w, chunk, chunk_size, &taken, err);
    if (st == TESS_OK)
        st = decode_items(&w, &taken, itemsize, start, stop, dst, dst_size, err);
    whole_chunk_close(&w);
    chunk_options_finish(&taken);
    return st;
}

TESS_API tess_status
tess_chunk_decode_items(const void *chunk, size_t chunk_size, size_t itemsize, int64_t start,
                        int64_t stop, void *dst, size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    return tess_chunk_decode_items_with(chunk, chunk_size, NULL, itemsize, start, stop, dst,
                                        dst_size, err);
}

TESS_API tess_status
tess_chunk_describe_sized(const void *chunk, size_t chunk_size, tess_chunk_info *info,
                          size_t info_size, tess_error *err)
{
    UNCANCELLED;
    const struct chunk_options none = {0};
    tess_chunk_info own;
    struct whole_chunk w;
    if (!info)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a chunk is given");
    const tess_status st = open_alone(&w, chunk, chunk_size, &none, err);
    if (st == TESS_OK) {
        describe_chunk(&w.chunk, &own);
        sized_give(info, info_size, &own, sizeof own);
    }
    whole_chunk_close(&w);
    return st;
}

// -- blocks that differ in size

static tess_status
check_blocks(size_t src_size, const int32_t *sizes, int32_t nblocks, tess_error *err)
{
    uint64_t sum = 0;
    if (nblocks < 1 || !sizes)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId32 " blocks", sizes ? nblocks : 0);
    for (int32_t i = 0; i < nblocks; i++) {
        if (sizes[i] < 1 || sizes[i] > BLOCK_NBYTES_MAX)
            return err_set(err, TESS_ERR_ARG, -1, "block %" PRId32 " of %" PRId32 " bytes", i,
                           sizes[i]);
        sum += (uint64_t)sizes[i];
    }
    if (sum != src_size)
        return err_set(err, TESS_ERR_ARG, -1, "blocks of %" PRIu64 " bytes in all, %zu are given",
                       sum, src_size);
    return TESS_OK;
}

static tess_status
encode(const tess_params *p, struct chunk_options *o, const void *src, size_t src_size,
       const int32_t *sizes, int32_t nblocks, uint8_t **chunk, int32_t *cbytes, tess_error *err)
{
    struct chunk_spec spec;
    tess_status st = check_blocks(src_size, sizes, nblocks, err);
    if (st == TESS_OK)
        st = chunk_spec_take(p, o, src_size, &spec, err);
    if (st != TESS_OK)
        return st;
    const int64_t bound = chunk_vl_bound(&spec, nblocks);
    if (bound > INT32_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "a chunk of %" PRId64 " bytes", bound);
    *chunk = mem_alloc((size_t)bound);
    if (!*chunk)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", bound);
    return chunk_encode_vl(&spec, src, sizes, nblocks, chunk_options_scratch(o, 0), *chunk, cbytes,
                           err);
}

TESS_API tess_status
tess_chunk_encode_blocks(const tess_params *params, const tess_chunk_options *options,
                         const void *src, size_t src_size, const int32_t *sizes, int32_t nblocks,
                         void *dst, size_t dst_size, size_t *cbytes, tess_error *err)
{
    UNCANCELLED;
    tess_params own;
    struct chunk_options taken = {0};
    uint8_t *chunk = NULL;
    int32_t size = 0;
    if (cbytes)
        *cbytes = 0;
    if (!cbytes || !src || (!dst && dst_size > 0))
        return err_set(err, TESS_ERR_ARG, -1, "no blocks, or no place for a chunk are given");
    tess_status st = chunk_options_take(&taken, options, err);
    if (st == TESS_OK)
        st = take_params(&own, params, err);
    if (st == TESS_OK)
        st = encode(&own, &taken, src, src_size, sizes, nblocks, &chunk, &size, err);
    chunk_options_finish(&taken);
    if (st == TESS_OK) {
        *cbytes = (size_t)size;
        if (*cbytes <= dst_size)
            memcpy(dst, chunk, *cbytes);
        else
            st = err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for a chunk of %zu", dst_size,
                         *cbytes);
    }
    mem_free(chunk);
    return st;
}
