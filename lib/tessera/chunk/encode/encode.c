/*
 * encode.c - from items to blocks of a chunk, and to whole chunks.
 *
 * A block is filtered and cut in streams; each becomes a run, what the codec makes of it, or stays
 * as it is. What a block becomes depends on nothing but its items and what its chunk shares.
 *
 * Behind the header of a chunk stand the table of blocks, the dictionary, and the blocks in order,
 * without holes. A block of zeros is nothing but stream sizes of zero, so bytes tell whether a
 * chunk is, unless a filter of the program makes zeros of something else.
 *
 * Not here: what makes an encoder (encoder.c), which of a chunk's blocks have to be encoded anew
 * (grid/write/store.c).
 */
#include "chunk/encode/encode.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/encode/dictionary.h"
#include "chunk/header.h"
#include "codec/codec.h"
#include "codec/dict.h"
#include "codec/noise.h"
#include "filter/kernels.h"
#include "filter/pipeline.h"

#include <inttypes.h>

// -- from encoded blocks to a chunk

static int64_t
end_of(const struct assembly *x)
{
    return (int64_t)x->e->h.nbytes + CHUNK_HEADER_SIZE;
}

static bool
assemble_fits(struct assembly *x, int64_t size)
{
    x->full |= end_of(x) - x->at < size;
    return !x->full;
}

static void
add_dictionary(struct assembly *x, const struct codec_dict *dict)
{
    if (!assemble_fits(x, (int64_t)dict->size + 4))
        return;
    put_i32le(x->dst + x->at, (int32_t)dict->size);
    memcpy(x->dst + x->at + 4, dict->bytes, dict->size);
    x->at += 4 + (int64_t)dict->size;
    x->has_dict = true;
}

void
assembly_begin(struct assembly *x, const struct chunk_encoder *e, const struct codec_dict *dict,
               uint8_t *dst, int64_t capacity)
{
    *x = (struct assembly){
        .e = e,
        .dst = dst,
        .capacity = capacity,
        .at = chunk_blocks_start(e),
        .full = chunk_encoder_is_plain(e),
        .zeros = e->h.nbytes > 0 && !e->pipeline.has_user,
    };
    if (dict && dict->size > 0 && !x->full)
        add_dictionary(x, dict);
}

int64_t
assembly_front(const struct chunk_encoder *e)
{
    return chunk_blocks_start(e) + 4 + DICT_SIZE_MAX;
}

int64_t
assembly_bound(const struct chunk_encoder *e)
{
    return chunk_bound(e) + assembly_front(e) + e->h.nblocks * (block_bound(e) - e->h.blocksize);
}

uint8_t *
assembly_room(const struct assembly *x, int64_t size)
{
    return !x->full && x->capacity - x->at >= size ? x->dst + x->at : NULL;
}

static bool
all_zero(const uint8_t *bytes, int64_t size)
{
    int64_t i = 0;
    while (i < size && bytes[i] == 0)
        i++;
    return i == size;
}

static void
assemble_append(struct assembly *x, const uint8_t *bytes, int64_t size)
{
    if (x->capacity > 0 && bytes != x->dst + x->at)
        memcpy(x->dst + x->at, bytes, (size_t)size);
    x->at += size;
    x->zeros = x->zeros && all_zero(bytes, size);
}

static void
note_start(struct assembly *x, int64_t start)
{
    put_i32le(x->dst + CHUNK_HEADER_SIZE + 4 * (size_t)x->nblocks, (int32_t)start);
    x->nblocks++;
}

void
assembly_add(struct assembly *x, const uint8_t *bytes, int32_t size)
{
    if (!assemble_fits(x, size))
        return;
    note_start(x, x->at);
    assemble_append(x, bytes, size);
}

void
assembly_add_run(struct assembly *x, const int32_t *starts, int32_t count, int32_t size,
                 const uint8_t *bytes)
{
    if (!assemble_fits(x, size))
        return;
    for (int32_t i = 0; i < count; i++)
        note_start(x, x->at + (starts[i] - starts[0]));
    assemble_append(x, bytes, size);
}

static void
write_special(const struct chunk_encoder *e, enum chunk_special special, int32_t cbytes,
              uint8_t *dst)
{
    struct chunk_header h = e->h;
    h.special = special;
    h.cbytes = cbytes;
    chunk_header_write(&h, dst);
}

int32_t
assembly_end(const struct assembly *x, enum chunk_special *special)
{
    *special = x->zeros ? SPECIAL_ZEROS : SPECIAL_NONE;
    if (x->zeros) {
        write_special(x->e, SPECIAL_ZEROS, CHUNK_HEADER_SIZE, x->dst);
        return CHUNK_HEADER_SIZE;
    }
    struct chunk_header h = x->e->h;
    h.cbytes = (int32_t)x->at;
    h.has_dict = x->has_dict;
    chunk_header_write(&h, x->dst);
    return h.cbytes;
}

int32_t
chunk_begin_plain(const struct chunk_encoder *e, uint8_t *dst)
{
    struct chunk_header h = e->h;
    h.memcpyed = true;
    h.cbytes = h.nbytes + CHUNK_HEADER_SIZE;
    chunk_header_write(&h, dst);
    return h.cbytes;
}

int32_t
chunk_encode_value(const struct chunk_encoder *e, const uint8_t *item, uint8_t *dst)
{
    const int32_t cbytes = CHUNK_HEADER_SIZE + e->itemsize;
    write_special(e, SPECIAL_VALUE, cbytes, dst);
    memcpy(dst + CHUNK_HEADER_SIZE, item, (size_t)e->itemsize);
    return cbytes;
}

// -- from items to blocks

enum { RUN_TOKEN = 0x01 };

// Whether a sample of the stream says that encode() would not make it smaller; sets call->repeats
// where the codec gains by them.
static bool
is_incompressible(struct codec_call *call, const uint8_t *src, size_t size)
{
    switch (call->codec->gain) {
    case GAIN_BY_FREQUENCIES:
        return bytes_are_noise(src, size);
    case GAIN_BY_REPEATS:
        call->repeats = bytes_repeat(src, size);
        return call->repeats == REPEATS_NONE;
    default:
        return false;
    }
}

tess_status
stream_encode(const struct codec_call *call, const uint8_t *src, size_t size, uint8_t *dst,
              size_t *csize, tess_error *err)
{
    struct codec_call own = *call;
    *csize = 0;
    if (size == 1 || (!call->dict && is_incompressible(&own, src, size)))
        return TESS_OK;
    const tess_status st =
        call->codec->encode(&own, src, size, dst, size - 1 + CODEC_SLACK, csize, err);
    if (*csize >= size)
        *csize = 0;
    return st;
}

// Put a stream into dst; *size receives how many bytes came.
static tess_status
encode_stream(const struct codec_call *call, const uint8_t *src, size_t neblock, uint8_t *dst,
              int32_t *size, tess_error *err)
{
    size_t csize;

    if (filter_kernels()->is_run(src, neblock)) {
        put_i32le(dst, -src[0]);
        dst[4] = RUN_TOKEN;
        *size = src[0] == 0 ? 4 : 5;
        return TESS_OK;
    }
    const tess_status st = stream_encode(call, src, neblock, dst + 4, &csize, err);
    if (st != TESS_OK)
        return st;
    if (csize == 0) {
        csize = neblock;
        memcpy(dst + 4, src, neblock);
    }
    put_i32le(dst, (int32_t)csize);
    *size = 4 + (int32_t)csize;
    return TESS_OK;
}

tess_status
block_encode(const struct encoding *x, int32_t nblock, const uint8_t *items,
             struct chunk_scratch *s, uint8_t *dst, int32_t *size, tess_error *err)
{
    struct codec_call call = chunk_encoder_call(x->e, s->codec);
    struct filtered f;
    tess_status st = block_filter(x, nblock, items, s, &f, err);

    if (x->dict && x->dict->size > 0)
        call.dict = x->dict;
    *size = 0;
    for (int32_t i = 0; i < f.nstreams && st == TESS_OK; i++) {
        int32_t stream = 0;
        st = encode_stream(&call, f.bytes + (size_t)i * f.neblock, f.neblock, dst + *size, &stream,
                           err);
        *size += stream;
    }
    return st;
}

// A chunk in the making.
struct encode_job {
    struct encoding x;
    const struct block_source *source;
    struct chunk_scratch *s;
    struct assembly out;
    uint8_t *ref;
    struct codec_dict dict;
    uint8_t *aside; // room for a block, once there is none in the chunk
};

static tess_status
add_stored(struct encode_job *job, int32_t nblock, bool *done, tess_error *err)
{
    const struct block_source *const source = job->source;
    const uint8_t *stored = NULL;
    int32_t size = 0;

    *done = false;
    if (!source->stored)
        return TESS_OK;
    const tess_status st = source->stored(source->from, nblock, &stored, &size, err);
    if (st != TESS_OK || !stored)
        return st;
    assembly_add(&job->out, stored, size);
    *done = true;
    return TESS_OK;
}

// Room for whatever a block becomes: in its place, or aside.
static uint8_t *
block_room(struct encode_job *job)
{
    const int64_t bound = block_bound(job->x.e);
    uint8_t *const room = assembly_room(&job->out, bound);
    if (!room && !job->aside)
        job->aside = mem_alloc((size_t)bound);
    return room ? room : job->aside;
}

static tess_status
add_encoded(struct encode_job *job, int32_t nblock, tess_error *err)
{
    const uint8_t *items;
    uint8_t *const dst = block_room(job);
    int32_t size = 0;

    if (!dst)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    tess_status st = block_source_items(job->source, nblock, job->s->buffer[0], &items, err);
    if (st == TESS_OK)
        st = block_encode(&job->x, nblock, items, job->s, dst, &size, err);
    if (st == TESS_OK)
        assembly_add(&job->out, dst, size);
    return st;
}

static tess_status
add_blocks(struct encode_job *job, tess_error *err)
{
    for (int32_t i = 0; i < job->x.e->h.nblocks && !job->out.full; i++) {
        bool done;
        tess_status st = add_stored(job, i, &done, err);
        if (st == TESS_OK && !done)
            st = add_encoded(job, i, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

// That of the blocks that are copied, or a new one.
static tess_status
choose_dictionary(struct encode_job *job, tess_error *err)
{
    const struct block_source *const source = job->source;
    const struct chunk_encoder *const e = job->x.e;
    tess_status st = TESS_OK;

    if (source->stored && source->dict)
        st = codec_dict_init(&job->dict, e->codec, e->level, source->dict->bytes,
                             source->dict->size, err);
    else if (!source->stored && e->dictionary)
        st = dictionary_train(&job->dict, &job->x, source, job->s, err);
    job->x.dict = &job->dict;
    return st;
}

// The content of block 0, which other blocks are compared with.
static tess_status
load_reference(struct encode_job *job, tess_error *err)
{
    const struct chunk_encoder *const e = job->x.e;
    if (!chunk_encoder_needs_reference(e))
        return TESS_OK;
    job->ref = job->source->bytes ? NULL : mem_alloc((size_t)e->h.blocksize);
    if (!job->ref && !job->source->bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       e->h.blocksize);
    return block_source_items(job->source, 0, job->ref, &job->x.ref, err);
}

static tess_status
encode_plain(const struct chunk_encoder *e, const struct block_source *source, uint8_t *dst,
             int32_t *cbytes, tess_error *err)
{
    *cbytes = chunk_begin_plain(e, dst);
    for (int32_t i = 0; i < e->h.nblocks; i++) {
        const int64_t at = CHUNK_HEADER_SIZE + (int64_t)i * e->h.blocksize;
        const tess_status st = source->items(source->from, i, dst + at, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

tess_status
chunk_encode(const struct chunk_encoder *e, const struct block_source *source,
             struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes, enum chunk_special *special,
             tess_error *err)
{
    tess_status st = TESS_OK;
    struct encode_job job = {.x = {.e = e}, .source = source, .s = s};

    *special = SPECIAL_NONE;
    if (chunk_encoder_is_plain(e))
        return encode_plain(e, source, dst, cbytes, err);
    TRY(scratch_reserve(s, e->h.blocksize, err));
    TRY(load_reference(&job, err));
    TRY(choose_dictionary(&job, err));
    assembly_begin(&job.out, e, &job.dict, dst, chunk_bound(e));
    TRY(add_blocks(&job, err));
    if (job.out.full)
        TRY(encode_plain(e, source, dst, cbytes, err));
    else
        *cbytes = assembly_end(&job.out, special);
out:
    codec_dict_finish(&job.dict);
    mem_free(job.ref);
    mem_free(job.aside);
    return st;
}
