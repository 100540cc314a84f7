/*
 * flat_chunk.c - a chunk whose content stands in memory as a whole: encoded and decoded.
 */
#include "grid/flat_chunk.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/assemble.h"
#include "chunk/cursor.h"
#include "chunk/encode.h"
#include "chunk/flat.h"
#include "chunk/scratch.h"
#include "codec/codec.h"
#include "geom/automatic.h"
#include "grid/cost.h"
#include "grid/pool.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"
#include "task/watch.h"

#include <string.h>

enum { RUN_LEAST = 1 << 16 }; // bytes that are worth a grain

static struct task_width
width_of(const struct flat_call *call, int64_t cost)
{
    return (struct task_width){
        .threads = call->context->threads,
        .executor = call->context->executor,
        .cost = cost,
        .watch = call->watch,
    };
}

static tess_status
take_scratch(const struct flat_call *call, int64_t blocksize, struct chunk_scratch **s,
             tess_error *err)
{
    *s = pool_take(call->pool);
    if (!*s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    const tess_status st = scratch_reserve(*s, blocksize, err);
    if (st == TESS_OK)
        return st;
    pool_give(call->pool, *s);
    *s = NULL;
    return st;
}

int32_t
flat_chunk_blocksize(const struct chunk_spec *spec)
{
    const int64_t nitems = spec->nbytes / spec->itemsize;
    const struct automatic_wish wish = {
        .typesize = spec->itemsize,
        .model = cost_model(codec_by_id(spec->codec), spec->level),
        .least = 1,
    };
    int64_t chunkshape = nitems, blockshape = 0;
    if (nitems > 0)
        automatic_choose(1, &nitems, &wish, &chunkshape, &blockshape);
    return nitems > 0 ? (int32_t)(blockshape * spec->itemsize) : spec->nbytes;
}

// -- encode

struct encoding_job {
    const struct flat_call *call;
    struct encoding x;
    const uint8_t *src;
    int32_t next;
    struct assembly out;
};

struct encoded_block {
    int32_t n;
    uint8_t *bytes;
    int32_t size;
};

// Blocks that come after the chunk is known to be smaller as plain bytes are not encoded.
static tess_status
encode_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct encoding_job *const job = arg;
    (void)err;
    *more = job->next < job->x.e->h.nblocks && !job->out.full;
    if (*more)
        *(struct encoded_block *)grain = (struct encoded_block){.n = job->next++};
    return TESS_OK;
}

static tess_status
encode_work(void *arg, void *grain, tess_error *err)
{
    const struct encoding_job *const job = arg;
    const struct chunk_encoder *const e = job->x.e;
    struct encoded_block *const b = grain;
    struct chunk_scratch *s;
    tess_status st = take_scratch(job->call, e->h.blocksize, &s, err);
    if (st != TESS_OK)
        return st;
    b->bytes = mem_alloc((size_t)block_bound(e));
    if (!b->bytes) {
        pool_give(job->call->pool, s);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    }
    // Filters and codecs may read a block only where it stands aligned, and as a whole.
    memcpy(s->buffer[0], job->src + (int64_t)b->n * e->h.blocksize,
           (size_t)chunk_block_nbytes(&e->h, b->n));
    st = block_encode(&job->x, b->n, s->buffer[0], s, b->bytes, &b->size, err);
    pool_give(job->call->pool, s);
    return st;
}

static tess_status
encode_finish(void *arg, void *grain, tess_error *err)
{
    struct encoding_job *const job = arg;
    const struct encoded_block *const b = grain;
    (void)err;
    if (!job->out.full)
        assembly_add(&job->out, b->bytes, b->size);
    return TESS_OK;
}

static void
encode_drop(void *arg, void *grain)
{
    (void)arg;
    mem_free(((struct encoded_block *)grain)->bytes);
}

static tess_status
encode_blocks(const struct flat_call *call, const struct chunk_encoder *e, const uint8_t *src,
              uint8_t *dst, int32_t *cbytes, enum chunk_special *special, tess_error *err)
{
    const struct task task = {.next = encode_next,
                              .work = encode_work,
                              .finish = encode_finish,
                              .drop = encode_drop,
                              .grain_size = sizeof(struct encoded_block)};
    const struct task_width width =
        width_of(call, cost_encode(e->codec, e->level, (int64_t)e->h.nbytes));
    struct encoding_job job = {
        .call = call,
        .x = {.e = e, .ref = chunk_encoder_needs_reference(e) ? src : NULL},
        .src = src,
    };
    assembly_begin(&job.out, e, NULL, dst, chunk_bound(e));
    const tess_status st = task_run(&task, &job, &width, err);
    if (st != TESS_OK)
        return st;
    if (job.out.full) {
        *cbytes = chunk_begin_plain(e, dst);
        memcpy(dst + CHUNK_HEADER_SIZE, src, (size_t)e->h.nbytes);
    } else {
        *cbytes = assembly_end(&job.out, special);
    }
    return TESS_OK;
}

// Whether the chunk is smaller as one item.
static bool
is_value(const struct chunk_encoder *e, const uint8_t *src, int32_t cbytes)
{
    const int64_t nitems = e->h.nbytes / e->itemsize, stride = e->itemsize;
    return !chunk_encoder_is_plain(e) && CHUNK_HEADER_SIZE + (int64_t)e->itemsize < cbytes &&
           e->h.nbytes % e->itemsize == 0 && ndconstant(1, &nitems, e->itemsize, src, &stride);
}

tess_status
flat_chunk_encode(const struct flat_call *call, const struct chunk_encoder *e, const uint8_t *src,
                  uint8_t *dst, int32_t *cbytes, enum chunk_special *special, tess_error *err)
{
    *special = SPECIAL_NONE;
    // A dictionary is made of all blocks, before the first.
    const tess_status st = e->h.nblocks < 1 || e->dictionary || chunk_encoder_is_plain(e)
                               ? chunk_encode_flat(e, src, dst, cbytes, err)
                               : encode_blocks(call, e, src, dst, cbytes, special, err);
    if (st == TESS_OK && *special == SPECIAL_NONE && is_value(e, src, *cbytes)) {
        *cbytes = chunk_encode_value(e, src, dst);
        *special = SPECIAL_VALUE;
    }
    return st;
}

// -- decode

struct decoding_job {
    const struct flat_call *call;
    const struct chunk *c;
    const struct chunk_bytes *bytes;
    const uint8_t *ref;
    uint8_t *dst;
    int32_t next, run; // blocks
};

struct decoded_run {
    int32_t from, to;
};

static tess_status
decode_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct decoding_job *const job = arg;
    const int32_t n = job->c->h.nblocks;
    (void)err;
    *more = job->next < n;
    if (*more) {
        struct decoded_run *const r = grain;
        r->from = job->next;
        r->to = job->next = n - job->next < job->run ? n : job->next + job->run;
    }
    return TESS_OK;
}

static tess_status
decode_work(void *arg, void *grain, tess_error *err)
{
    const struct decoding_job *const job = arg;
    const struct decoded_run *const r = grain;
    const struct block_need all = {0};
    struct chunk_scratch *const s = pool_take(job->call->pool);
    tess_status st = TESS_OK;
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    for (int32_t n = r->from; n < r->to && st == TESS_OK; n++) {
        struct decoded out;
        st = block_load(job->c, n, job->bytes, job->ref, &all, s, &out, err);
        if (st == TESS_OK)
            memcpy(job->dst + (int64_t)n * job->c->h.blocksize, out.bytes, (size_t)out.nbytes);
    }
    pool_give(job->call->pool, s);
    return st;
}

static tess_status
decode_in_order(const struct flat_call *call, const struct chunk *c,
                const struct chunk_bytes *bytes, uint8_t *dst, tess_error *err)
{
    struct chunk_cursor cur = {0};
    struct chunk_scratch *const s = pool_take(call->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    tess_status st = cursor_init(&cur, c, bytes, s, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, 0, dst, (size_t)c->h.nbytes, err);
    cursor_finish(&cur);
    pool_give(call->pool, s);
    return st;
}

static tess_status
decode_blocks(const struct flat_call *call, const struct chunk *c, const struct chunk_bytes *bytes,
              uint8_t *dst, tess_error *err)
{
    const struct task task = {
        .next = decode_next, .work = decode_work, .grain_size = sizeof(struct decoded_run)};
    const struct task_width width = width_of(call, cost_decode(c->codec, (int64_t)c->h.nbytes));
    struct decoding_job job = {.call = call, .c = c, .bytes = bytes, .dst = dst};
    uint8_t *ref = NULL;
    struct chunk_scratch *const s = pool_take(call->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    tess_status st = chunk_reference(c, bytes, s, &ref, err);
    pool_give(call->pool, s);
    job.ref = ref;
    job.run = (int32_t)max_i64(RUN_LEAST / max_i64(c->h.blocksize, 1), 1);
    if (st == TESS_OK)
        st = task_run(&task, &job, &width, err);
    mem_free(ref);
    return st;
}

tess_status
flat_chunk_decode(const struct flat_call *call, const struct chunk *c,
                  const struct chunk_bytes *bytes, uint8_t *dst, tess_error *err)
{
    const bool alike = c->h.special == SPECIAL_NONE && !c->h.vlblocks && !c->h.memcpyed;
    return alike && c->h.nblocks > 1 ? decode_blocks(call, c, bytes, dst, err)
                                     : decode_in_order(call, c, bytes, dst, err);
}
