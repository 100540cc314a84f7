/*
 * encode.c - from items to a chunk.
 *
 * Blocks are gathered, filtered and compressed one after the other and stand in order, without
 * holes. As soon as the result would not be smaller than the plain bytes, those are stored.
 *
 * Not here: what makes an encoder (encoder.c), where items come from, nor which of a chunk's blocks
 * have to be encoded anew (array/write.c).
 */
#include "chunk/encode.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "chunk/dictionary.h"
#include "filter/kernels.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    NBYTES_MIN = 32, // smaller buffers are stored plainly
    RUN_TOKEN = 0x01,
    SAMPLED_BLOCKS_MIN = 16, // to make a dictionary from, where there are as many
};

// Output of the blocks: a place in dst, and whether anything but zeros came.
struct output {
    uint8_t *dst;
    int64_t at;
    int64_t end; // CODEC_SLACK bytes more can be written, but not kept
    bool full; // the rest did not fit
    bool zeros;
};

static void
put_stream(struct output *out, int32_t csize, const uint8_t *src, size_t size)
{
    if (out->end - out->at < (int64_t)size + 4) {
        out->full = true;
        return;
    }
    put_i32le(out->dst + out->at, csize);
    if (size > 0 && src != out->dst + out->at + 4)
        memcpy(out->dst + out->at + 4, src, size);
    out->at += 4 + (int64_t)size;
    out->zeros &= csize == 0;
}

// A chunk in the making.
struct job {
    const struct chunk_encoder *e;
    const struct block_source *source;
    struct chunk_scratch *s;
    uint8_t *ref; // content of block 0, where the filters need it
    struct codec_dict dict;
    struct codec_call call;
};

// One stream: a run, compressed straight into its place, or as it is.
static tess_status
encode_stream(const struct job *job, const uint8_t *src, size_t neblock, struct output *out,
              tess_error *err)
{
    static const uint8_t token = RUN_TOKEN;
    size_t csize = 0;

    if (filter_kernels()->is_run(src, neblock)) {
        put_stream(out, -src[0], &token, src[0] != 0);
        return TESS_OK;
    }
    const int64_t room = min_i64(out->end - out->at - 4, (int64_t)neblock - 1);
    if (room > 0) {
        const tess_status st =
            job->e->codec->encode(&job->call, src, neblock, out->dst + out->at + 4,
                                  (size_t)room + CODEC_SLACK, &csize, err);
        if (st != TESS_OK)
            return st;
    }
    if (csize > 0 && csize < neblock)
        put_stream(out, (int32_t)csize, out->dst + out->at + 4, csize);
    else
        put_stream(out, (int32_t)neblock, src, neblock);
    return TESS_OK;
}

// A block as the codec gets it: so many streams of neblock bytes each.
struct filtered {
    const uint8_t *bytes;
    int32_t nstreams;
    size_t neblock;
};

static tess_status
filter_block(const struct job *job, int32_t nblock, struct filtered *f, tess_error *err)
{
    const struct chunk_encoder *const e = job->e;
    struct chunk_scratch *const s = job->s;
    const int32_t bsize = chunk_block_nbytes(&e->h, nblock);
    const bool shorter = bsize < e->h.blocksize;

    f->nstreams = e->h.split && !shorter ? e->h.typesize : 1;
    f->neblock = (size_t)(bsize / f->nstreams);
    const tess_status st = job->source->items(job->source->from, nblock, s->buffer[0], err);
    if (st != TESS_OK)
        return st;
    return pipeline_forward(&e->pipeline, s->buffer[0], nblock, job->ref, s->buffer[1],
                            s->buffer[2], (size_t)bsize, &f->bytes, err);
}

static tess_status
encode_block(const struct job *job, int32_t nblock, struct output *out, tess_error *err)
{
    struct filtered f;
    tess_status st = filter_block(job, nblock, &f, err);
    for (int32_t i = 0; i < f.nstreams && !out->full && st == TESS_OK; i++)
        st = encode_stream(job, f.bytes + (size_t)i * f.neblock, f.neblock, out, err);
    return st;
}

static tess_status
copy_stored(const struct block_source *source, int32_t nblock, struct output *out, bool *done,
            tess_error *err)
{
    const uint8_t *stored = NULL;
    int32_t size = 0;

    *done = false;
    if (!source->stored)
        return TESS_OK;
    const tess_status st = source->stored(source->from, nblock, &stored, &size, err);
    if (st != TESS_OK || !stored)
        return st;
    if (out->end - out->at < size) {
        out->full = true;
    } else {
        memcpy(out->dst + out->at, stored, (size_t)size);
        out->at += size;
        for (int32_t i = 0; i < size && out->zeros; i++) // streams of zeros are sizes of zero
            out->zeros = stored[i] == 0;
    }
    *done = true;
    return TESS_OK;
}

static void
put_dictionary(const struct codec_dict *dict, struct output *out)
{
    if (out->end - out->at < (int64_t)dict->size + 4) {
        out->full = true;
        return;
    }
    put_i32le(out->dst + out->at, (int32_t)dict->size);
    memcpy(out->dst + out->at + 4, dict->bytes, dict->size);
    out->at += 4 + (int64_t)dict->size;
}

// The table, the dictionary and the blocks; out->full when they would not be smaller than the plain
// bytes.
static tess_status
encode_blocks(const struct job *job, struct output *out, tess_error *err)
{
    const int32_t nblocks = job->e->h.nblocks;
    uint8_t *const table = out->dst + CHUNK_HEADER_SIZE;

    out->at = CHUNK_HEADER_SIZE + 4 * (int64_t)nblocks;
    out->full = out->at > out->end;
    if (!out->full && job->dict.size > 0)
        put_dictionary(&job->dict, out);

    for (int32_t i = 0; i < nblocks && !out->full; i++) {
        bool done;
        put_i32le(table + 4 * (size_t)i, (int32_t)out->at);
        tess_status st = copy_stored(job->source, i, out, &done, err);
        if (st == TESS_OK && !done)
            st = encode_block(job, i, out, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

// Room for samples: of some blocks, the start of each stream.
struct sampling {
    size_t capacity; // of the dictionary
    int32_t nblocks; // that are looked at
    size_t per_block; // bytes
    uint8_t *bytes;
    size_t *sizes;
    unsigned count;
};

static void
plan_samples(const struct chunk_encoder *e, struct sampling *p)
{
    const int64_t wanted = (int64_t)dictionary_samples_size(p->capacity);
    const int64_t nblocks = max_i64(SAMPLED_BLOCKS_MIN, wanted / e->h.blocksize);

    p->nblocks = (int32_t)min_i64(nblocks, e->h.nblocks);
    p->per_block = (size_t)min_i64(wanted / p->nblocks, e->h.blocksize);
}

// The k-th block to look at. Steps of the golden section: any run of them is spread evenly.
static int32_t
sampled_block(const struct chunk_encoder *e, int32_t k)
{
    const uint32_t turn = (uint32_t)k * UINT32_C(0x9e3779b9); // of a whole turn of 2^32
    return (int32_t)((uint64_t)turn * (uint32_t)e->h.nblocks >> 32);
}

// Runs are not sampled: they are no work for the codec.
static tess_status
take_samples(const struct job *job, struct sampling *p, tess_error *err)
{
    size_t used = 0;

    for (int32_t k = 0; k < p->nblocks; k++) {
        struct filtered f;
        const tess_status st = filter_block(job, sampled_block(job->e, k), &f, err);
        if (st != TESS_OK)
            return st;
        const size_t share = p->per_block / (size_t)f.nstreams;
        const size_t size = share < f.neblock ? share : f.neblock;
        for (int32_t i = 0; i < f.nstreams && size > 0; i++) {
            const uint8_t *const stream = f.bytes + (size_t)i * f.neblock;
            if (filter_kernels()->is_run(stream, f.neblock))
                continue;
            memcpy(p->bytes + used, stream, size);
            used += size;
            p->sizes[p->count++] = size;
        }
    }
    return TESS_OK;
}

static tess_status
train(struct job *job, tess_error *err)
{
    const struct chunk_encoder *const e = job->e;
    const int32_t nstreams = e->h.split ? e->h.typesize : 1;
    struct sampling p = {.capacity = dictionary_capacity(e->h.nbytes)};

    if (p.capacity == 0)
        return TESS_OK;
    plan_samples(e, &p);
    const size_t most = (size_t)p.nblocks * (size_t)nstreams;
    p.bytes = malloc((size_t)p.nblocks * p.per_block);
    p.sizes = malloc(most * sizeof *p.sizes);
    tess_status st = p.bytes && p.sizes ? take_samples(job, &p, err)
                                        : err_set(err, TESS_ERR_NOMEM, -1, "no memory for samples");
    if (st == TESS_OK) {
        const struct samples samples = {p.bytes, p.sizes, p.count};
        const int64_t work = (int64_t)e->h.nblocks * nstreams * p.count / (int64_t)most;
        st = dictionary_make(&job->dict, &job->call, &samples, p.capacity, work, job->s->buffer[0],
                             err);
    }
    free(p.bytes);
    free(p.sizes);
    return st;
}

// That of the blocks that are copied, or a new one.
static tess_status
choose_dictionary(struct job *job, tess_error *err)
{
    const struct block_source *const source = job->source;
    tess_status st = TESS_OK;

    if (source->stored && source->dict)
        st = codec_dict_init(&job->dict, job->e->codec, job->e->level, source->dict->bytes,
                             source->dict->size, err);
    else if (!source->stored && job->e->dictionary)
        st = train(job, err);
    if (job->dict.size > 0)
        job->call.dict = &job->dict;
    return st;
}

static tess_status
encode_plain(const struct chunk_encoder *e, const struct block_source *source, uint8_t *dst,
             int32_t *cbytes, tess_error *err)
{
    struct chunk_header h = e->h;
    h.memcpyed = true;
    h.cbytes = h.nbytes + CHUNK_HEADER_SIZE;
    chunk_header_write(&h, dst);
    for (int32_t i = 0; i < h.nblocks; i++) {
        const int64_t at = CHUNK_HEADER_SIZE + (int64_t)i * h.blocksize;
        const tess_status st = source->items(source->from, i, dst + at, err);
        if (st != TESS_OK)
            return st;
    }
    *cbytes = h.cbytes;
    return TESS_OK;
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

// The content of block 0, which other blocks are compared with.
static tess_status
load_reference(struct job *job, tess_error *err)
{
    const struct chunk_encoder *const e = job->e;
    if (!e->pipeline.has_delta || e->h.nblocks < 2)
        return TESS_OK;
    job->ref = malloc((size_t)e->h.blocksize);
    if (!job->ref)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       e->h.blocksize);
    return job->source->items(job->source->from, 0, job->ref, err);
}

tess_status
chunk_encode(const struct chunk_encoder *e, const struct block_source *source,
             struct chunk_scratch *s, uint8_t *dst, int32_t *cbytes, enum chunk_special *special,
             tess_error *err)
{
    tess_status st = TESS_OK;
    struct job job = {.e = e, .source = source, .s = s};
    struct output out = {
        .dst = dst,
        .end = (int64_t)e->h.nbytes + CHUNK_HEADER_SIZE,
        .full = e->level == 0 || e->h.nbytes<NBYTES_MIN, .zeros = e->h.nbytes> 0,
    };

    *special = SPECIAL_NONE;
    if (!out.full) {
        TRY(scratch_reserve(s, e->h.blocksize, err));
        job.call = chunk_encoder_call(e, s->codec);
        TRY(load_reference(&job, err));
        TRY(choose_dictionary(&job, err));
        TRY(encode_blocks(&job, &out, err));
    } else {
        out.zeros = false;
    }
    if (out.full) {
        TRY(encode_plain(e, source, dst, cbytes, err));
    } else if (out.zeros) {
        *special = SPECIAL_ZEROS;
        *cbytes = CHUNK_HEADER_SIZE;
        write_special(e, SPECIAL_ZEROS, *cbytes, dst);
    } else {
        struct chunk_header h = e->h;
        h.cbytes = *cbytes = (int32_t)out.at;
        h.has_dict = job.dict.size > 0;
        chunk_header_write(&h, dst);
    }
out:
    codec_dict_finish(&job.dict);
    free(job.ref);
    return st;
}

int32_t
chunk_encode_value(const struct chunk_encoder *e, const uint8_t *item, uint8_t *dst)
{
    const int32_t cbytes = CHUNK_HEADER_SIZE + e->itemsize;
    write_special(e, SPECIAL_VALUE, cbytes, dst);
    memcpy(dst + CHUNK_HEADER_SIZE, item, (size_t)e->itemsize);
    return cbytes;
}
