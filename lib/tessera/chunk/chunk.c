/*
 * chunk.c - what is needed once per chunk: where its blocks are, dictionary, pipeline, codec.
 *
 * Blocks may stand in any order (threads finish when they like) but must not overlap. The stored
 * size of a block is not recorded: its span ends where the next one starts.
 *
 * Not here: decoding (decode.c).
 */
#include "chunk/chunk.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "filter/filter.h"
#include "filter/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FILL_STEP = 4096 }; // bytes that are copied at once, about, to repeat an item

int64_t
chunk_front_size(const struct chunk_header *h)
{
    if (h->special == SPECIAL_VALUE)
        return h->cbytes;
    int64_t size = h->header_size + 4 * (int64_t)h->nblocks;
    if (h->has_dict)
        size += 4 + DICT_SIZE_MAX;
    return min_i64(size, h->cbytes);
}

static int
by_start(const void *a, const void *b)
{
    const int32_t *const x = *(const int32_t *const *)a;
    const int32_t *const y = *(const int32_t *const *)b;
    return (*x > *y) - (*x < *y);
}

// Ends of blocks that do not stand in order: sort pointers to their starts.
static tess_status
end_unsorted(struct chunk *c, tess_error *err)
{
    const size_t n = (size_t)c->h.nblocks;
    const int32_t **const order = mem_alloc(n * sizeof *order);
    c->stops = mem_alloc(n * sizeof *c->stops);
    if (!order || !c->stops) {
        mem_free(order);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " blocks", c->h.nblocks);
    }
    for (size_t i = 0; i < n; i++)
        order[i] = &c->starts[i];
    qsort(order, n, sizeof *order, by_start);
    for (size_t i = 0; i < n; i++)
        c->stops[order[i] - c->starts] = i + 1 < n ? *order[i + 1] : c->h.cbytes;
    mem_free(order);
    return TESS_OK;
}

// The table of block starts, behind it nothing but blocks from `first` on.
static tess_status
parse_spans(struct chunk *c, const uint8_t *table, int32_t first, tess_error *err)
{
    const int32_t n = c->h.nblocks;
    bool sorted = true;

    c->starts = mem_alloc(((size_t)n + 1) * sizeof *c->starts);
    if (!c->starts)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " blocks", n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t start = get_i32le(table + 4 * (size_t)i);
        if (start < first || start >= c->h.cbytes)
            return err_set(err, TESS_ERR_CORRUPT, c->h.header_size + 4 * (int64_t)i,
                           "block %" PRId32 " at %" PRId32 ", from %" PRId32 " to %" PRId32
                           " can be",
                           i, start, first, c->h.cbytes - 1);
        c->starts[i] = start;
        sorted &= i == 0 || c->starts[i - 1] < start;
    }
    c->starts[n] = c->h.cbytes;
    if (!sorted && c->h.vlblocks)
        return err_set(err, TESS_ERR_CORRUPT, c->h.header_size,
                       "blocks of different sizes do not stand in order");
    return sorted ? TESS_OK : end_unsorted(c, err);
}

static tess_status
chunk_copy_bytes(uint8_t **dst, int32_t *dst_size, const uint8_t *src, int32_t size,
                 tess_error *err)
{
    *dst = mem_alloc((size_t)size);
    if (!*dst)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " bytes", size);
    memcpy(*dst, src, (size_t)size);
    *dst_size = size;
    return TESS_OK;
}

// Any codec of the format decodes the chunk; one may be faster on what it made itself.
static const struct codec *
find_codec(const struct chunk_header *h, const struct plugins *plugins, int id)
{
    const struct codec *const made_it = codec_by_id(id);
    if (made_it && made_it->format == h->codec_format && made_it->format != CODEC_FORMAT_OTHER)
        return made_it;
    const struct codec *const ours = codec_by_format(h->codec_format, h->udcodec);
    if (ours || h->codec_format != CODEC_FORMAT_OTHER)
        return ours;
    return plugins_codec(plugins, h->udcodec);
}

static tess_status
refuse_codec(const struct chunk_header *h, tess_error *err)
{
    const char *const name = h->codec_format == CODEC_FORMAT_OTHER ? codec_name(h->udcodec) : NULL;
    if (name)
        return err_set(err, TESS_ERR_UNSUPPORTED, 22, "codec %d: this build has no codec %s",
                       h->udcodec, name);
    if (h->codec_format == CODEC_FORMAT_OTHER && h->udcodec >= TESS_PLUGIN_PRIVATE)
        return err_set(err, TESS_ERR_UNSUPPORTED, 22,
                       "codec %d is private to some program, and not among the plugins of this one",
                       h->udcodec);
    return err_set(err, TESS_ERR_UNSUPPORTED, 2, "codec format %d, codec %d is not known",
                   h->codec_format, h->udcodec);
}

// Filters and codec of a chunk with blocks.
static tess_status
open_coding(struct chunk *c, const struct chunk_surroundings *around, tess_error *err)
{
    const struct chunk_header *const h = &c->h;
    struct filter_spec filters = {
        .typesize = h->typesize,
        .frame_typesize = around->typesize,
        .grid = around->grid,
        .blocksize = h->leftover > 0 ? 0 : h->blocksize,
        .old_bitshuffle = h->version == 2,
        .users = around->plugins ? around->plugins->filters : NULL,
        .nusers = around->plugins ? around->plugins->nfilters : 0,
    };
    memcpy(filters.ids, h->filters, FILTER_SLOTS);
    memcpy(filters.metas, h->filters_meta, FILTER_SLOTS);
    const tess_status st = pipeline_init(&filters, &c->pipeline, err);
    if (st != TESS_OK)
        return st;

    c->codec = find_codec(h, around->plugins, around->codec);
    if (!c->codec)
        return refuse_codec(h, err);
    if (c->codec->needs_items && h->split && h->typesize > 1)
        return err_set(err, TESS_ERR_CORRUPT, 2,
                       "%s works on whole blocks, and these are split in %" PRId32 " streams",
                       c->codec->name, h->typesize);
    return TESS_OK;
}

tess_status
chunk_check_coding(const struct chunk_header *h, const struct chunk_surroundings *around,
                   tess_error *err)
{
    struct chunk c = {.h = *h, .grid = around->grid};
    return h->nblocks > 0 ? open_coding(&c, around, err) : TESS_OK;
}

static tess_status
open_blocks(struct chunk *c, const uint8_t *front, size_t front_size,
            const struct chunk_surroundings *around, tess_error *err)
{
    const struct chunk_header *const h = &c->h;
    tess_status st = open_coding(c, around, err);
    if (st != TESS_OK)
        return st;

    struct rd r = rd_init(front, front_size);
    (void)rd_take(&r, (size_t)h->header_size);
    const uint8_t *const table = rd_take(&r, 4 * (size_t)h->nblocks);
    int32_t first = h->header_size + 4 * h->nblocks;
    if (h->has_dict) {
        const int32_t size = rd_i32le(&r);
        if (!c->codec->dict)
            return err_set(err, TESS_ERR_CORRUPT, 31, "a dictionary for %s, which has none",
                           c->codec->name);
        if (r.bad || size < 1 || size > DICT_SIZE_MAX || (size_t)size > r.left)
            return err_set(err, TESS_ERR_CORRUPT, first,
                           "a dictionary of %" PRId32 " bytes, 1 to %d can be", size,
                           DICT_SIZE_MAX);
        st = codec_dict_init(&c->dict, c->codec, 0, r.at, (size_t)size, err);
        if (st != TESS_OK)
            return st;
        first += 4 + size;
    }
    if (!table)
        return err_set(err, TESS_ERR_CORRUPT, h->header_size,
                       "the table of %" PRId32 " blocks is cut off", h->nblocks);
    return parse_spans(c, table, first, err);
}

tess_status
chunk_open(struct chunk *c, const struct chunk_header *h, const uint8_t *front, size_t front_size,
           const struct chunk_surroundings *around, tess_error *err)
{
    tess_status st = TESS_OK;
    *c = (struct chunk){.h = *h, .grid = around->grid};

    if (h->special == SPECIAL_VALUE) {
        const int32_t size = h->cbytes - h->header_size;
        if (front_size < (size_t)h->cbytes)
            st = err_set(err, TESS_ERR_CORRUPT, h->header_size, "the repeated item is cut off");
        else
            st = chunk_copy_bytes(&c->item, &c->item_size, front + h->header_size, size, err);
    } else if (h->nblocks > 0) {
        st = open_blocks(c, front, front_size, around, err);
    }
    if (st != TESS_OK)
        chunk_close(c);
    return st;
}

void
chunk_close(struct chunk *c)
{
    mem_free(c->starts);
    mem_free(c->stops);
    codec_dict_finish(&c->dict);
    mem_free(c->item);
    *c = (struct chunk){0};
}

void
chunk_of_special(struct chunk *c, enum chunk_special special, int32_t nbytes, int32_t typesize)
{
    *c = (struct chunk){.h = {
                            .typesize = typesize,
                            .nbytes = nbytes,
                            .special = special,
                        }};
}

// Quiet NaNs, as c-blosc2 makes them on little-endian machines.
static const uint8_t nan4[4] = {0x00, 0x00, 0xc0, 0x7f};
static const uint8_t nan8[8] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x7f};

// Repeat an item from its byte `at` on.
static void
repeat_item(uint8_t *dst, size_t size, const uint8_t *item, size_t item_size, size_t at)
{
    size_t done = item_size < size ? item_size : size;
    const size_t front = item_size - at < done ? item_size - at : done;

    memcpy(dst, item + at, front);
    memcpy(dst + front, item, done - front);
    for (size_t step = done; done < size;) { // whole items, as many as are copied quickly
        const size_t n = step < size - done ? step : size - done;
        memcpy(dst + done, dst, n);
        done += n;
        if (step < FILL_STEP)
            step = done;
    }
}

void
chunk_repeat_item(const struct chunk_header *h, const uint8_t *item, int32_t item_size,
                  int32_t offset, uint8_t *dst, size_t size)
{
    if (h->special == SPECIAL_NANS) {
        item = h->typesize == 4 ? nan4 : nan8;
        item_size = h->typesize;
    } else if (h->special != SPECIAL_VALUE) {
        memset(dst, 0, size);
        return;
    }
    if (size > 0)
        repeat_item(dst, size, item, (size_t)item_size, (size_t)offset % (size_t)item_size);
}

void
chunk_special_bytes(const struct chunk *c, int32_t offset, uint8_t *dst, size_t size)
{
    chunk_repeat_item(&c->h, c->item, c->item_size, offset, dst, size);
}
