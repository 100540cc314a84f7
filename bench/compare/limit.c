/*
 * limit.c - the streams of an array, encoded and decoded by the codec alone.
 *
 * The codecs and filters are those of the library, as are the rules which streams there are and
 * which are worth encoding: what is left out is all else.
 *
 * Axes are counted from the back and filled up to four at the front, so that one set of loops does
 * for all arrays. Streams of one repeated byte and streams that do not shrink are treated as the
 * format does: neither goes through the codec.
 */
#include "limit.h"

#include "../support.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "codec/codec.h"
#include "filter/kernels.h"

#include <tessera.h>

#include <stdlib.h>
#include <string.h>

#define NDIM SIDE_MAX_NDIM
#define ROWS_AHEAD 20 // how far prefetching runs before the copy
#define LINE 64
#define SHUFFLE 1
#define BITSHUFFLE 2

struct stream {
    size_t offset, size;
    enum { CODED, STORED, CONSTANT } kind;
};

struct limit {
    int skip; // axes that the array does not have
    int64_t shape[NDIM], chunk[NDIM], block[NDIM];
    int64_t blocks_per_chunk[NDIM], grid[NDIM]; // blocks along each axis, of a chunk and of all
    int64_t nblocks, block_items;
    size_t typesize, block_size;
    int filter, per_block;
    size_t neblock; // uncompressed bytes of a stream
    struct codec_call call;
    const struct codec *decoder;
    struct stream *streams;
    uint8_t *filtered, *encoded;
    uint8_t *scratch; // one block
};

// The items of one block that a box covers, as rows on both sides; counts and steps in items.
struct overlap {
    int64_t in_block, in_user; // first item
    int64_t n[NDIM];
    int64_t block_step[NDIM], user_step[NDIM];
    int64_t last_item; // of the block
};

static void
block_place(const struct limit *l, const int64_t *at, int64_t *origin, int64_t *end)
{
    for (int i = 0; i < NDIM; i++) {
        const int64_t chunk = at[i] / l->blocks_per_chunk[i] * l->chunk[i];
        const int64_t chunk_end =
            chunk + l->chunk[i] < l->shape[i] ? chunk + l->chunk[i] : l->shape[i];

        origin[i] = chunk + at[i] % l->blocks_per_chunk[i] * l->block[i];
        end[i] = origin[i] + l->block[i] < chunk_end ? origin[i] + l->block[i] : chunk_end;
    }
}

static bool
overlap_init(struct overlap *o, const struct limit *l, const int64_t *at, const int64_t *start,
             const int64_t *stop)
{
    int64_t origin[NDIM], end[NDIM], block_step = 1, user_step = 1;

    *o = (struct overlap){0};
    block_place(l, at, origin, end);
    for (int i = NDIM - 1; i >= 0; i--) {
        const int64_t lo = start[i] > origin[i] ? start[i] : origin[i];
        const int64_t hi = stop[i] < end[i] ? stop[i] : end[i];

        if (hi <= lo)
            return false;
        o->n[i] = hi - lo;
        o->in_block += (lo - origin[i]) * block_step;
        o->last_item += (hi - 1 - origin[i]) * block_step;
        o->in_user += (lo - start[i]) * user_step;
        o->block_step[i] = block_step;
        o->user_step[i] = user_step;
        block_step *= l->block[i];
        user_step *= stop[i] - start[i];
    }
    return true;
}

// Ask for the row that comes ROWS_AHEAD rows after row k of plane j on the user's side.
static void
prefetch(const struct overlap *o, const uint8_t *user, int64_t j, int64_t k, size_t typesize,
         bool write)
{
    const int64_t r = k + ROWS_AHEAD, plane = j + r / o->n[2], row = r % o->n[2];
    const uint8_t *const p =
        user + (size_t)(plane * o->user_step[1] + row * o->user_step[2]) * typesize;

    if (plane >= o->n[1])
        return;
    for (size_t b = 0; b < (size_t)o->n[3] * typesize; b += LINE)
        if (write)
            __builtin_prefetch(p + b, 1);
        else
            __builtin_prefetch(p + b, 0);
}

// Copy rows from the block to the user, or to the block.
static void
move_rows(const struct overlap *o, uint8_t *block, uint8_t *user, size_t typesize, bool to_block)
{
    const size_t n = (size_t)o->n[3] * typesize;

    for (int64_t i = 0; i < o->n[0]; i++) {
        uint8_t *const u = user + (size_t)(o->in_user + i * o->user_step[0]) * typesize;
        uint8_t *const b = block + (size_t)(o->in_block + i * o->block_step[0]) * typesize;

        for (int64_t j = 0; j < o->n[1]; j++)
            for (int64_t k = 0; k < o->n[2]; k++) {
                uint8_t *const ur =
                    u + (size_t)(j * o->user_step[1] + k * o->user_step[2]) * typesize;
                uint8_t *const br =
                    b + (size_t)(j * o->block_step[1] + k * o->block_step[2]) * typesize;

                prefetch(o, u, j, k, typesize, !to_block);
                memcpy(to_block ? br : ur, to_block ? ur : br, n);
            }
    }
}

static void
block_at(const struct limit *l, int64_t index, int64_t *at)
{
    for (int i = NDIM - 1; i >= 0; i--) {
        at[i] = index % l->grid[i];
        index /= l->grid[i];
    }
}

static void
gather(const struct limit *l, int64_t index, const uint8_t *src, uint8_t *block)
{
    static const int64_t zeros[NDIM];
    int64_t at[NDIM];
    struct overlap o;

    block_at(l, index, at);
    if (overlap_init(&o, l, at, zeros, l->shape))
        move_rows(&o, block, (uint8_t *)(uintptr_t)src, l->typesize, true);
}

static void
filter_blocks(struct limit *l, const uint8_t *src)
{
    const struct filter_kernels *const k = filter_kernels();

    for (int64_t n = 0; n < l->nblocks; n++) {
        uint8_t *const dst = l->filtered + (size_t)n * l->block_size;

        memset(l->scratch, 0, l->block_size); // padding
        gather(l, n, src, l->scratch);
        memcpy(dst, l->scratch, l->block_size);
        if (l->filter == SHUFFLE)
            k->shuffle(dst, l->scratch, (size_t)l->block_items, l->typesize);
        else if (l->filter == BITSHUFFLE) // items behind the last whole group of 8 stay
            k->bitshuffle(dst, l->scratch, (size_t)l->block_items / 8 * 8, l->typesize);
    }
}

static size_t
encode_stream(const struct limit *l, const uint8_t *src, uint8_t *dst)
{
    size_t size;
    tess_error err;

    if (stream_encode(&l->call, src, l->neblock, dst, &size, &err) != TESS_OK)
        bench_die("%s: %s", l->call.codec->name, err.message);
    return size;
}

static void
encode(struct limit *l)
{
    size_t offset = 0;

    for (int64_t i = 0; i < l->nblocks * l->per_block; i++) {
        const uint8_t *const src = l->filtered + (size_t)i * l->neblock;
        uint8_t *const dst = l->encoded + offset;
        struct stream *const s = &l->streams[i];

        *s = (struct stream){.offset = offset, .kind = CODED};
        if (filter_kernels()->is_run(src, l->neblock)) {
            s->kind = CONSTANT;
            s->size = 1;
            dst[0] = src[0];
        } else {
            s->size = encode_stream(l, src, dst);
            if (s->size == 0 || s->size >= l->neblock) {
                s->kind = STORED;
                s->size = l->neblock;
                memcpy(dst, src, l->neblock);
            }
        }
        offset += s->size;
    }
}

// Bytes of each stream of a block that hold its items up to `last`.
static size_t
needed(const struct limit *l, int64_t last)
{
    const size_t planes = l->filter == BITSHUFFLE ? 8 * l->typesize : l->typesize;
    const size_t plane = l->neblock * (size_t)l->per_block / planes;
    const size_t in_plane = (l->filter == BITSHUFFLE ? (size_t)last / 8 : (size_t)last) + 1;

    if (l->filter != SHUFFLE && l->filter != BITSHUFFLE)
        return ((size_t)last + 1) * l->typesize;
    if (l->filter == BITSHUFFLE && last >= l->block_items / 8 * 8)
        return l->neblock;
    return l->per_block > 1 ? in_plane : (planes - 1) * plane + in_plane;
}

static void
decode_stream(struct limit *l, const struct stream *s, uint8_t *dst, size_t upto)
{
    const uint8_t *const src = l->encoded + s->offset;
    const struct codec *const codec = l->decoder;
    tess_status st = TESS_OK;
    tess_error err;

    if (s->kind == CONSTANT)
        memset(dst, src[0], upto);
    else if (s->kind == STORED)
        memcpy(dst, src, upto);
    else if (upto < l->neblock && codec->decode_part)
        st = codec->decode_part(&l->call, src, s->size, dst, upto, l->neblock, &err);
    else
        st = codec->decode(&l->call, src, s->size, dst, l->neblock, &err);
    if (st != TESS_OK)
        bench_die("%s: %s", codec->name, err.message);
}

static void
decode_block(struct limit *l, int64_t index, size_t upto)
{
    for (int j = 0; j < l->per_block; j++)
        decode_stream(l, &l->streams[index * l->per_block + j], l->scratch + (size_t)j * l->neblock,
                      upto);
}

static void
set_shapes(struct limit *l, const struct side_array *array)
{
    const int skip = l->skip = NDIM - array->ndim;

    l->nblocks = l->block_items = 1;
    for (int i = 0; i < NDIM; i++) {
        l->shape[i] = i < skip ? 1 : array->shape[i - skip];
        l->chunk[i] = i < skip ? 1 : array->chunk[i - skip];
        l->block[i] = i < skip ? 1 : array->block[i - skip];
        l->blocks_per_chunk[i] = (l->chunk[i] + l->block[i] - 1) / l->block[i];
        l->grid[i] = (l->shape[i] + l->chunk[i] - 1) / l->chunk[i] * l->blocks_per_chunk[i];
        l->nblocks *= l->grid[i];
        l->block_items *= l->block[i];
    }
}

// The codec and the number of streams of a block, as the library has them. The size of the chunk
// matters for neither.
static void
set_codec(struct limit *l, const struct side_array *array)
{
    struct chunk_encoder e;
    tess_error err;
    const struct chunk_spec spec = {
        .itemsize = array->typesize,
        .nbytes = (int32_t)l->block_size,
        .blocksize = (int32_t)l->block_size,
        .codec = array->codec,
        .level = array->level,
        .filters = {[FILTER_SLOTS - 1] = (uint8_t)array->filter},
        .split = TESS_SPLIT_AUTO,
    };

    if (chunk_encoder_init(&e, &spec, &err) != TESS_OK)
        bench_die("%s", err.message);
    l->call = chunk_encoder_call(&e, codec_state_new());
    l->call.grid = NULL;
    l->per_block = e.h.split ? array->typesize : 1;
    l->neblock = l->block_size / (size_t)l->per_block;
    if (!l->call.state)
        bench_die("no memory for the contexts of the codecs");
}

struct limit *
limit_new(const struct side_array *array, const void *src, bool liblz4)
{
    struct limit *const l = bench_alloc(sizeof *l);

    *l = (struct limit){.filter = array->filter};
    set_shapes(l, array);
    l->typesize = (size_t)array->typesize;
    l->block_size = (size_t)l->block_items * l->typesize;
    set_codec(l, array);
    l->decoder = l->call.codec;
    if (liblz4 && l->call.codec->id == TESS_CODEC_LZ4)
        l->decoder = codec_by_id(TESS_CODEC_LZ4HC); // the same streams
    l->streams = bench_alloc((size_t)(l->nblocks * l->per_block) * sizeof *l->streams);
    l->filtered = bench_alloc((size_t)l->nblocks * l->block_size);
    l->encoded = bench_alloc((size_t)l->nblocks * l->block_size + CODEC_SLACK);
    l->scratch = bench_alloc(l->block_size + LINE);
    filter_blocks(l, src);
    encode(l);
    for (int64_t n = 0; n < l->nblocks; n++) {
        decode_block(l, n, l->neblock);
        if (memcmp(l->scratch, l->filtered + (size_t)n * l->block_size, l->block_size) != 0)
            bench_die("block %lld does not survive the codec", (long long)n);
    }
    return l;
}

void
limit_free(struct limit *l)
{
    if (!l)
        return;
    codec_state_free(l->call.state);
    free(l->streams);
    free(l->filtered);
    free(l->encoded);
    free(l->scratch);
    free(l);
}

void
limit_write(struct limit *l, const void *src)
{
    encode(l);
    for (int64_t n = 0; n < l->nblocks; n++) {
        gather(l, n, src, l->scratch);
        __asm__ volatile("" : : "r"(l->scratch) : "memory"); // the copies are wanted
    }
}

static int64_t
block_of(const struct limit *l, int axis, int64_t item)
{
    return item / l->chunk[axis] * l->blocks_per_chunk[axis] +
           item % l->chunk[axis] / l->block[axis];
}

void
limit_read(struct limit *l, const struct side_box *box, uint8_t *dst, bool part)
{
    int64_t start[NDIM], stop[NDIM], first[NDIM], last[NDIM], at[NDIM];
    const int skip = l->skip;

    for (int i = 0; i < NDIM; i++) {
        start[i] = i < skip ? 0 : box->start[i - skip];
        stop[i] = i < skip ? 1 : box->stop[i - skip];
        first[i] = block_of(l, i, start[i]);
        last[i] = block_of(l, i, stop[i] - 1);
    }
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
                for (at[3] = first[3]; at[3] <= last[3]; at[3]++) {
                    const int64_t index =
                        ((at[0] * l->grid[1] + at[1]) * l->grid[2] + at[2]) * l->grid[3] + at[3];
                    struct overlap o;

                    if (!overlap_init(&o, l, at, start, stop))
                        continue; // padding
                    decode_block(l, index, part ? needed(l, o.last_item) : l->neblock);
                    move_rows(&o, l->scratch, dst, l->typesize, false);
                }
}
