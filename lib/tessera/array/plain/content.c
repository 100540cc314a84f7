/*
 * content.c - the content of a chunk of an array, and chunks for plain frames.
 */
#include "array/plain/plain.h"

#include "array/chunks/chunks.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "chunk/chunk.h"
#include "chunk/content.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "chunk/header.h"
#include "chunk/parallel.h"
#include "chunk/scratch.h"
#include "filter/filter.h"
#include "frame/chunks/stored.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "frame/watched.h"
#include "grid/cost.h"
#include "grid/pool.h"

#include <inttypes.h>
#include <limits.h>

// -- read

static tess_status
decode(const struct chunk_grid *grid, const struct stored_chunk *sc, uint8_t *dst,
       struct watch *watch, tess_error *err)
{
    struct watched watched;
    struct chunk_scratch *const s = pool_take(grid->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    watched_init(&watched, watch);
    s->progress = watched_progress(&watched);
    const struct task_width width =
        chunk_grid_width(grid, cost_decode(sc->chunk.codec, (int64_t)sc->chunk.h.nbytes), watch);
    const tess_status st = chunk_decode_parallel(&sc->chunk, &sc->bytes, s, dst, &width, err);
    pool_give(grid->pool, s);
    return st;
}

tess_status
chunk_content_read(const tess_array *a, int64_t n, uint8_t *dst, size_t dst_size,
                   struct watch *watch, tess_error *err)
{
    const struct chunk_grid *const grid = a->grid;
    struct watched watched;
    struct stored_chunk sc;
    struct chunk_scratch *const s = pool_take(grid->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    watched_init(&watched, watch);
    s->progress = watched_progress(&watched);
    tess_status st = stored_chunk_open_entry(&sc, grid->frame, n, STORED_IN_LIST, true, s, err);
    if (st != TESS_OK) {
        pool_give(grid->pool, s);
        return st;
    }
    stored_chunk_keep(&sc, s);
    pool_give(grid->pool, s);
    if ((size_t)sc.chunk.h.nbytes > dst_size)
        st = err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for a chunk of %" PRId32, dst_size,
                     sc.chunk.h.nbytes);
    else
        st = decode(grid, &sc, dst, watch, err);
    if (st != TESS_OK && st != TESS_ERR_ARG)
        stored_chunk_blame(&sc, n, st, err);
    stored_chunk_close(&sc);
    return st;
}

// -- make

static tess_status
check_size(uint64_t size, tess_error *err)
{
    if (size == 0)
        return err_set(err, TESS_ERR_ARG, -1, "a chunk without content");
    if (size > CHUNK_NBYTES_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%" PRIu64 " bytes, a chunk has at most %d", size,
                       CHUNK_NBYTES_MAX);
    return TESS_OK;
}

static void
spec_of_content(const tess_array *a, int32_t nbytes, struct chunk_spec *spec)
{
    const struct frame_header *const h = frame_header(a->grid->frame);
    *spec = (struct chunk_spec){
        .itemsize = h->typesize,
        .nbytes = nbytes,
        .codec = h->codec,
        .level = h->clevel,
        .codec_meta = h->codec_meta,
        .split = h->split,
        .dictionary = h->use_dict,
        .plugins = &a->grid->plugins,
    };
    for (int i = 0; i < FILTER_SLOTS; i++) {
        spec->filters[i] = h->filters[i];
        spec->filters_meta[i] = h->filters_meta[i];
    }
    spec->blocksize =
        h->blocksize > 0 ? (int32_t)min_i64(h->blocksize, nbytes) : cost_blocksize(spec);
    if (spec->blocksize > h->typesize) // as readers of the frame round it (chunk_header_parse())
        spec->blocksize -= spec->blocksize % h->typesize;
}

tess_status
plain_chunk_encode(const tess_array *a, const uint8_t *items, size_t size, struct watch *watch,
                   struct plain_chunk *chunk, uint8_t **room, tess_error *err)
{
    struct chunk_encoder e;
    struct chunk_spec spec;
    *room = NULL;
    tess_status st = check_size(size, err);
    if (st != TESS_OK)
        return st;
    spec_of_content(a, (int32_t)size, &spec);
    st = chunk_encoder_init(&e, &spec, err);
    if (st == TESS_ERR_ARG) // no argument of the caller's: it stands in the file
        st = err_prefix(err, TESS_ERR_UNSUPPORTED, "chunks of this frame cannot be written");
    if (st != TESS_OK)
        return st;
    *room = mem_alloc((size_t)chunk_bound(&e));
    if (!*room)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    *chunk = (struct plain_chunk){.bytes = *room, .nbytes = (int32_t)size};
    const struct task_width width =
        chunk_grid_width(a->grid, cost_encode(e.codec, e.level, (int64_t)size), watch);
    struct chunk_scratch *const s = pool_take(a->grid->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    st = chunk_encode_parallel(&e, items, s, *room, &chunk->cbytes, &chunk->special, &width, err);
    pool_give(a->grid->pool, s);
    return st;
}

tess_status
plain_chunk_special(const tess_array *a, enum chunk_special special, int64_t nbytes,
                    struct plain_chunk *chunk, tess_error *err)
{
    const struct frame_header *const h = frame_header(a->grid->frame);
    tess_status st = check_size(nbytes < 0 ? 0 : (uint64_t)nbytes, err);
    if (st != TESS_OK)
        return st;
    if (special == SPECIAL_NANS &&
        ((h->typesize != 4 && h->typesize != 8) || nbytes % h->typesize != 0))
        return err_set(err, TESS_ERR_ARG, -1,
                       "NaNs need items of 4 or 8 bytes, these are %" PRId64 " bytes of items of "
                       "%" PRId32,
                       nbytes, h->typesize);
    *chunk = (struct plain_chunk){.nbytes = (int32_t)nbytes, .special = special};
    return TESS_OK;
}

tess_status
plain_special_encode(const tess_array *a, enum chunk_special special, int32_t nbytes,
                     uint8_t **bytes, int32_t *cbytes, tess_error *err)
{
    const int32_t typesize = frame_header(a->grid->frame)->typesize;
    struct chunk_encoder e;
    struct chunk_spec spec;
    struct chunk c;
    *bytes = NULL;
    spec_of_content(a, nbytes, &spec);
    tess_status st = chunk_encoder_init(&e, &spec, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const item = mem_zeroed(1, (size_t)typesize);
    *bytes = mem_zeroed(1, (size_t)chunk_bound(&e));
    if (!item || !*bytes) {
        mem_free(item);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " bytes", nbytes);
    }
    chunk_of_special(&c, special, nbytes, typesize);
    if (special == SPECIAL_NANS)
        chunk_special_bytes(&c, 0, item, (size_t)typesize);
    *cbytes = nbytes % typesize == 0 ? chunk_encode_value(&e, item, *bytes)
                                     : chunk_begin_plain(&e, *bytes); // zeros follow it
    mem_free(item);
    return TESS_OK;
}

// Reject bytedelta with meta 0 (the width is the typesize of the frame) if the typesize of the
// chunk differs: the width would change.
static tess_status
check_widths(const struct chunk_header *h, int32_t typesize, tess_error *err)
{
    const int32_t recorded = typesize > UINT8_MAX ? 1 : typesize;
    for (int i = 0; i < FILTER_SLOTS && h->typesize != recorded; i++)
        if ((h->filters[i] == TESS_FILTER_BYTEDELTA || h->filters[i] == FILTER_BYTEDELTA_OLD) &&
            h->filters_meta[i] == 0)
            return err_set(err, TESS_ERR_ARG, 24 + i,
                           "filter %d as wide as an item of the frame, which has %" PRId32
                           " bytes, in a chunk of items of %" PRId32,
                           h->filters[i], typesize, h->typesize);
    return TESS_OK;
}

// typesize: of the frame that the chunk is stored in; 0: check it as a chunk without a frame.
static tess_status
check_content_chunk(const tess_array *a, const uint8_t *bytes, size_t size, int32_t typesize,
                    bool trusted, struct plain_chunk *chunk, tess_error *err)
{
    const struct chunk_surroundings around = {.typesize = typesize,
                                              .codec = frame_header(a->grid->frame)->codec,
                                              .plugins = &a->grid->plugins};
    struct whole_chunk w = {0};
    const bool is_special = whole_chunk_special(bytes, size, typesize, &w.chunk.h);
    tess_status st =
        is_special ? TESS_OK : whole_chunk_open(&w, bytes, size, INT32_MAX, &around, err);
    if (st == TESS_OK)
        st = chunk_check_format(&w.chunk.h, err);
    if (st == TESS_OK && typesize > 0)
        st = check_widths(&w.chunk.h, typesize, err);
    if (st == TESS_OK)
        st = check_size((uint64_t)w.chunk.h.nbytes, err);
    if (st == TESS_OK && !trusted && !is_special)
        st = chunk_check_blocks(a->grid, &w, err);
    *chunk = (struct plain_chunk){.bytes = bytes,
                                  .cbytes = (int32_t)size,
                                  .nbytes = w.chunk.h.nbytes,
                                  .special = w.chunk.h.special,
                                  .vlblocks = w.chunk.h.vlblocks};
    whole_chunk_close(&w);
    return st;
}

// Whether the blocksize of a chunk in a frame of that typesize differs from its blocksize without a
// frame (chunk_header_parse()).
static bool
is_cut_otherwise(const uint8_t *bytes, size_t size, int32_t typesize)
{
    const size_t head = size < CHUNK_HEADER_SIZE ? size : CHUNK_HEADER_SIZE;
    struct chunk_header alone, here;
    return typesize > UINT8_MAX &&
           chunk_header_parse(bytes, head, (int64_t)size, 0, &alone, NULL) == TESS_OK &&
           (chunk_header_parse(bytes, head, (int64_t)size, typesize, &here, NULL) != TESS_OK ||
            here.blocksize != alone.blocksize);
}

tess_status
plain_chunk_check(const tess_array *a, const uint8_t *bytes, size_t size, bool trusted,
                  struct plain_chunk *chunk, tess_error *err)
{
    const int32_t typesize = frame_header(a->grid->frame)->typesize;
    struct plain_chunk other;
    size = whole_chunk_size(bytes, size);
    // Some writers record blocksizes that readers round. Decoding shows whether this is one.
    const bool doubtful = is_cut_otherwise(bytes, size, typesize);
    const tess_status st =
        check_content_chunk(a, bytes, size, typesize, trusted && !doubtful, chunk, err);
    if (!doubtful || st != TESS_ERR_CORRUPT ||
        check_content_chunk(a, bytes, size, 0, false, &other, NULL) != TESS_OK)
        return st;
    return err_set(err, TESS_ERR_ARG, 8,
                   "a chunk whose blocks are no whole items of the frame, which have %" PRId32
                   " bytes: its readers would cut it otherwise",
                   typesize);
}
