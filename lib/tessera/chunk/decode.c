/*
 * decode.c - from the stored bytes of a block to its items.
 *
 * A block is cut in streams; each is a run of one byte, plain bytes, or the output of the codec.
 * Every size found on the way is compared with what is left of the span before it is used.
 *
 * Where a part of the items is enough and their bytes can be told before the filters are undone,
 * the rest of the streams is neither filled nor copied, and decoded only as far as the codec can
 * stop.
 *
 * Not here: where the span is (chunk.c), the filters (filter/), parts of a chunk in order
 * (content.c).
 */
#include "chunk/decode.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "codec/codec.h"
#include "filter/pipeline.h"

#include <inttypes.h>

enum { RUN_TOKEN = 0x01 }; // bit 0: a run of one byte; the rest is reserved

// What is wanted of a block ahead of its filters: bytes [first, stop) of every `period` bytes.
struct wanted {
    int32_t period;
    int32_t first, stop;
};

// Bytes of a stream.
struct part {
    int32_t first, stop;
};

static struct wanted
all_of(int32_t bsize)
{
    return (struct wanted){.period = bsize, .stop = bsize};
}

// Early Blosc 1.x never set the bit that says "not split" and split by this rule.
static bool
may_be_unsplit(const struct chunk_header *h)
{
    return h->header_size == CHUNK_HEADER_MIN &&
           !(h->typesize <= 16 && h->blocksize / h->typesize >= 128);
}

// Which of the two readings is right shows only when all is decoded.
static struct wanted
what_is_wanted(const struct chunk *c, const struct block_need *need, int32_t planes, int32_t bsize)
{
    if (need->stop == 0 || may_be_unsplit(&c->h) || !pipeline_is_undone(&c->pipeline, planes > 0))
        return all_of(bsize);
    const int32_t period = planes > 0 ? bsize / planes : bsize;
    const int64_t size = planes > 0 ? 1 : need->itemsize;
    return (struct wanted){
        .period = period,
        .first = (int32_t)min_i64(need->first * size, period),
        .stop = (int32_t)min_i64(need->stop * size, period),
    };
}

// Of the stream at byte `at` of its block. An empty one begins and ends at 0 or neblock.
static struct part
wanted_part(const struct wanted *w, int32_t at, int32_t neblock)
{
    const int32_t offset = at % w->period; // 0 if the stream is as long or longer
    if (neblock % w->period == 0)
        return (struct part){w->first, neblock - w->period + w->stop};
    if (w->period % neblock != 0)
        return (struct part){0, neblock};
    return (struct part){
        .first = (int32_t)max_i64(0, min_i64(w->first - offset, neblock)),
        .stop = (int32_t)max_i64(0, min_i64(w->stop - offset, neblock)),
    };
}

static tess_status
decode_run(const struct chunk *c, struct rd *r, int32_t csize, uint8_t *dst,
           const struct part *part, tess_error *err)
{
    uint8_t value = 0;
    if (c->h.header_size != CHUNK_HEADER_SIZE)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "a stream of %" PRId32 " bytes under a 16-byte header", csize);
    if (csize < 0) {
        const uint8_t token = rd_u8(r);
        if (r->bad || csize < -255 || !(token & RUN_TOKEN))
            return err_set(err, TESS_ERR_CORRUPT, -1,
                           "a stream of %" PRId32 " bytes with token 0x%02x", csize, token);
        value = (uint8_t)-csize;
    }
    memset(dst + part->first, value, (size_t)(part->stop - part->first));
    return TESS_OK;
}

static tess_status
run_codec(const struct chunk *c, const uint8_t *src, size_t size, uint8_t *dst, size_t dst_size,
          const struct part *part, struct chunk_scratch *s, tess_error *err)
{
    const struct codec_call call = {
        .codec = c->codec,
        .state = s->codec,
        .meta = c->h.codec_meta,
        .dict = c->dict.size > 0 ? &c->dict : NULL,
        .grid = c->grid,
        .typesize = c->h.typesize,
        .blocksize = c->h.leftover > 0 ? 0 : c->h.blocksize,
    };
    if (part->first >= part->stop)
        return TESS_OK;
    if (c->codec->decode_part && (size_t)part->stop < dst_size)
        return c->codec->decode_part(&call, src, size, dst, (size_t)part->stop, dst_size, err);
    return c->codec->decode(&call, src, size, dst, dst_size, err);
}

// Bytes that the codec made, or those of the stream themselves if they are as many.
static tess_status
decode_bytes(const struct chunk *c, const uint8_t *src, size_t size, uint8_t *dst, int32_t neblock,
             const struct part *part, struct chunk_scratch *s, tess_error *err)
{
    if (size != (size_t)neblock)
        return run_codec(c, src, size, dst, (size_t)neblock, part, s, err);
    memcpy(dst + part->first, src + part->first, (size_t)(part->stop - part->first));
    return TESS_OK;
}

static tess_status
decode_stream(const struct chunk *c, struct rd *r, uint8_t *dst, int32_t neblock,
              const struct part *part, struct chunk_scratch *s, tess_error *err)
{
    const int32_t csize = rd_i32le(r);
    if (r->bad)
        return err_set(err, TESS_ERR_CORRUPT, -1, "the size of a stream is cut off");
    if (csize <= 0)
        return decode_run(c, r, csize, dst, part, err);

    const uint8_t *const src = rd_take(r, (size_t)csize);
    if (!src)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "a stream of %" PRId32 " bytes, %zu are left of its block", csize, r->left);
    return decode_bytes(c, src, (size_t)csize, dst, neblock, part, s, err);
}

static tess_status
decode_streams(const struct chunk *c, struct rd r, int32_t nstreams, uint8_t *dst, int32_t bsize,
               const struct wanted *w, struct chunk_scratch *s, tess_error *err)
{
    const int32_t neblock = bsize / nstreams;
    if (neblock == 0 || bsize % nstreams != 0)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "a block of %" PRId32 " bytes in %" PRId32 " streams", bsize, nstreams);
    for (int32_t at = 0; at < bsize; at += neblock) {
        const struct part part = wanted_part(w, at, neblock);
        const tess_status st = decode_stream(c, &r, dst + at, neblock, &part, s, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

static tess_status
decode_regular(const struct chunk *c, int32_t nblock, struct rd r, uint8_t *dst, int32_t bsize,
               const struct wanted *w, struct chunk_scratch *s, tess_error *err)
{
    const bool shorter = nblock == c->h.nblocks - 1 && c->h.leftover > 0;
    if (!c->h.split || shorter || c->h.typesize == 1)
        return decode_streams(c, r, 1, dst, bsize, w, s, err);
    if (!may_be_unsplit(&c->h))
        return decode_streams(c, r, c->h.typesize, dst, bsize, w, s, err);

    tess_error first; // the one that counts if both readings fail
    tess_status st = decode_streams(c, r, c->h.typesize, dst, bsize, w, s, &first);
    if (st != TESS_OK && decode_streams(c, r, 1, dst, bsize, w, s, NULL) == TESS_OK)
        return TESS_OK;
    if (st != TESS_OK && err)
        *err = first;
    return st;
}

tess_status
block_vl_nbytes(const struct chunk *c, int32_t nblock, const uint8_t *stored, int32_t left,
                int32_t *nbytes, tess_error *err)
{
    const struct span span = chunk_span(c, nblock);
    const int32_t size = span.stop - span.start;
    struct rd r = rd_init(stored, (size_t)min_i64(size, VL_SIZE));
    *nbytes = rd_i32le(&r);
    if (size <= VL_SIZE)
        return err_set(err, TESS_ERR_CORRUPT, span.start,
                       "block %" PRId32 " is stored in %" PRId32 " bytes", nblock, size);
    if (*nbytes < 1 || *nbytes > left)
        return err_set(err, TESS_ERR_CORRUPT, span.start,
                       "block %" PRId32 " of %" PRId32 " bytes, %" PRId32
                       " are left of its chunk of %" PRId32,
                       nblock, *nbytes, left, c->h.nbytes);
    return TESS_OK;
}

// A block of its own size: the size, then its bytes, plain or compressed, as one stream.
static tess_status
decode_vl(const struct chunk *c, struct rd r, uint8_t *dst, int32_t bsize, const struct wanted *w,
          struct chunk_scratch *s, tess_error *err)
{
    const struct part part = wanted_part(w, 0, bsize);
    (void)rd_take(&r, VL_SIZE);
    return decode_bytes(c, r.at, r.left, dst, bsize, &part, s, err);
}

static tess_status
blame(const struct span *span, int32_t nblock, tess_status st, tess_error *err)
{
    if (err)
        err->offset = span->start;
    return err_prefix(err, st, "block %" PRId32, nblock);
}

tess_status
block_decode(const struct chunk *c, int32_t nblock, const uint8_t *stored, const uint8_t *ref,
             const struct block_need *need, struct chunk_scratch *s, struct decoded *out,
             tess_error *err)
{
    const struct span span = chunk_span(c, nblock);
    const struct rd r = rd_init(stored, (size_t)(span.stop - span.start));
    int32_t bsize = chunk_block_nbytes(&c->h, nblock);
    tess_status st = TESS_OK;

    if (c->h.vlblocks)
        st = block_vl_nbytes(c, nblock, stored, c->h.nbytes, &bsize, err);
    if (st == TESS_OK)
        st = scratch_reserve(s, bsize, err);
    if (st != TESS_OK)
        return st;
    out->planes = need->planes && bsize % need->itemsize == 0
                      ? pipeline_planes(&c->pipeline, need->itemsize)
                      : 0;
    out->nbytes = bsize;
    const struct wanted w = what_is_wanted(c, need, out->planes, bsize);
    st = c->h.vlblocks ? decode_vl(c, r, s->buffer[0], bsize, &w, s, err)
                       : decode_regular(c, nblock, r, s->buffer[0], bsize, &w, s, err);
    if (st != TESS_OK)
        return blame(&span, nblock, st, err);

    // To and fro between two buffers: the streams are not needed again. `into` is the one that the
    // last step writes, if filters can write there.
    const bool is_odd = pipeline_count_undone(&c->pipeline, out->planes > 0) % 2 == 1;
    uint8_t *const into = pipeline_takes(&c->pipeline, need->into) ? need->into : NULL;
    uint8_t *const odd = into && is_odd ? into : s->buffer[1];
    uint8_t *const even = !into ? s->buffer[0] : is_odd ? s->buffer[1] : into;
    st = pipeline_backward(&c->pipeline, out->planes > 0, s->buffer[0], c->h.vlblocks ? 0 : nblock,
                           ref, odd, even, (size_t)bsize, &out->bytes, err);
    return st == TESS_OK ? st : blame(&span, nblock, st, err);
}

static tess_status
load_vl_sizes(const struct chunk *c, const struct chunk_bytes *source, struct chunk_scratch *s,
              int32_t *sizes, tess_error *err)
{
    int32_t left = c->h.nbytes;
    for (int32_t i = 0; i < c->h.nblocks; i++) {
        const struct span span = chunk_span(c, i);
        const int32_t size = (int32_t)min_i64(span.stop - span.start, VL_SIZE);
        const uint8_t *stored;
        tess_status st = source->fetch(source->from, span.start, size, s, &stored, err);
        if (st == TESS_OK)
            st = block_vl_nbytes(c, i, stored, left, &sizes[i], err);
        if (st != TESS_OK)
            return st;
        left -= sizes[i];
    }
    if (left > 0)
        return err_set(err, TESS_ERR_CORRUPT, 4,
                       "blocks of %" PRId32 " bytes in all, in a chunk of %" PRId32,
                       c->h.nbytes - left, c->h.nbytes);
    return TESS_OK;
}

tess_status
chunk_block_sizes(const struct chunk *c, const struct chunk_bytes *source, struct chunk_scratch *s,
                  int32_t *sizes, tess_error *err)
{
    if (c->h.vlblocks)
        return load_vl_sizes(c, source, s, sizes, err);
    for (int32_t i = 0; i < c->h.nblocks; i++)
        sizes[i] = chunk_block_nbytes(&c->h, i);
    return TESS_OK;
}

tess_status
block_load(const struct chunk *c, int32_t nblock, const struct chunk_bytes *source,
           const uint8_t *ref, const struct block_need *need, struct chunk_scratch *s,
           struct decoded *out, tess_error *err)
{
    const struct span span = chunk_span(c, nblock);
    const uint8_t *stored;
    const tess_status st =
        source->fetch(source->from, span.start, span.stop - span.start, s, &stored, err);
    if (st != TESS_OK)
        return st;
    return block_decode(c, nblock, stored, ref, need, s, out, err);
}

tess_status
chunk_reference(const struct chunk *c, const struct chunk_bytes *source, struct chunk_scratch *s,
                uint8_t **ref, tess_error *err)
{
    static const struct block_need all = {0};
    struct decoded first;
    *ref = NULL;
    if (!chunk_needs_reference(c))
        return TESS_OK;
    const tess_status st = block_load(c, 0, source, NULL, &all, s, &first, err);
    if (st != TESS_OK)
        return st;
    *ref = mem_alloc((size_t)first.nbytes);
    if (!*ref)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       first.nbytes);
    memcpy(*ref, first.bytes, (size_t)first.nbytes);
    return TESS_OK;
}
