/*
 * parallel.c - a chunk in memory, encoded or decoded by several threads.
 *
 * A grain is a run of blocks, with a scratch of its own: so many that the contexts of a codec,
 * which are made for each scratch, cost little. Encoded runs are put behind each other in order;
 * decoded blocks go to their places, which are known.
 *
 * Chunks without blocks, and those whose blocks differ in size, are left to the calling thread.
 */
#include "chunk/parallel.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/decode.h"
#include "chunk/encode/dictionary.h"
#include "chunk/encode/encode.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "codec/dict.h"

#include <inttypes.h>
#include <string.h>

enum { RUN_SIZE = 256 << 10 }; // bytes of the blocks of a grain, or one block

static int32_t
run_length(const struct chunk_header *h)
{
    return (int32_t)max_i64(RUN_SIZE / h->blocksize, 1);
}

struct run {
    int32_t first, count; // blocks
    uint8_t *bytes; // encoded blocks; NULL: none yet
    int32_t *starts; // of each of them in bytes
    int32_t size; // of all
};

static bool
next_run(const struct chunk_header *h, int32_t *at, struct run *run)
{
    *run = (struct run){.first = *at};
    run->count = (int32_t)min_i64(run_length(h), h->nblocks - *at);
    *at += run->count;
    return run->count > 0;
}

// -- encode

struct encode_job {
    struct encoding x;
    const uint8_t *src;
    struct assembly out;
    int32_t at; // first block of the next run
};

static tess_status
encode_next(void *job, void *grain, bool *more, tess_error *err)
{
    struct encode_job *const j = job;
    (void)err;
    *more = !j->out.full && next_run(&j->x.e->h, &j->at, grain);
    return TESS_OK;
}

static tess_status
encode_blocks(const struct encode_job *j, struct run *run, struct chunk_scratch *s, tess_error *err)
{
    const struct chunk_header *const h = &j->x.e->h;
    tess_status st = scratch_reserve(s, h->blocksize, err);
    for (int32_t i = 0; i < run->count && st == TESS_OK; i++) {
        const int32_t n = run->first + i;
        int32_t size = 0;
        run->starts[i] = run->size;
        st = block_encode(&j->x, n, j->src + (int64_t)n * h->blocksize, s, run->bytes + run->size,
                          &size, err);
        run->size += size;
    }
    return st;
}

static tess_status
encode_work(void *job, void *grain, tess_error *err)
{
    const struct encode_job *const j = job;
    struct run *const run = grain;
    struct chunk_scratch scratch = {0};
    run->bytes = mem_alloc((size_t)(block_bound(j->x.e) * run->count));
    run->starts = mem_alloc((size_t)run->count * sizeof *run->starts);
    const tess_status st =
        run->bytes && run->starts
            ? encode_blocks(j, run, &scratch, err)
            : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " blocks", run->count);
    scratch_finish(&scratch);
    return st;
}

static tess_status
encode_finish(void *job, void *grain, tess_error *err)
{
    struct encode_job *const j = job;
    const struct run *const run = grain;
    (void)err;
    assembly_add_run(&j->out, run->starts, run->count, run->size, run->bytes);
    return TESS_OK;
}

static void
encode_drop(void *job, void *grain)
{
    const struct run *const run = grain;
    (void)job;
    mem_free(run->bytes);
    mem_free(run->starts);
}

static const uint8_t *
bytes_of_block(void *from, int32_t nblock)
{
    const struct encode_job *const j = from;
    return j->src + (int64_t)nblock * j->x.e->h.blocksize;
}

static tess_status
copy_block(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct encode_job *const j = from;
    (void)err;
    memcpy(dst, bytes_of_block(from, nblock), (size_t)chunk_block_nbytes(&j->x.e->h, nblock));
    return TESS_OK;
}

static tess_status
make_dictionary(struct encode_job *j, struct chunk_scratch *s, struct codec_dict *dict,
                tess_error *err)
{
    const struct block_source source = {.from = j, .items = copy_block, .bytes = bytes_of_block};
    if (!j->x.e->dictionary)
        return TESS_OK;
    const tess_status st = scratch_reserve(s, j->x.e->h.blocksize, err);
    return st == TESS_OK ? dictionary_train(dict, &j->x, &source, s, err) : st;
}

static void
end_chunk(const struct encode_job *j, uint8_t *dst, int32_t *cbytes, enum chunk_special *special)
{
    if (!j->out.full) {
        *cbytes = assembly_end(&j->out, special);
        return;
    }
    *cbytes = chunk_begin_plain(j->x.e, dst);
    memcpy(dst + CHUNK_HEADER_SIZE, j->src, (size_t)j->x.e->h.nbytes);
}

static tess_status
encode_alone(const struct chunk_encoder *e, const uint8_t *src, struct chunk_scratch *s,
             uint8_t *dst, int32_t *cbytes, enum chunk_special *special, tess_error *err)
{
    struct encode_job job = {.x = {.e = e}, .src = src};
    const struct block_source source = {.from = &job, .items = copy_block, .bytes = bytes_of_block};
    return chunk_encode(e, &source, s, dst, cbytes, special, err);
}

// Whether the chunk is smaller as one item: each item equals the one before it.
static bool
is_value(const struct chunk_encoder *e, const uint8_t *src, int32_t cbytes)
{
    const int32_t size = e->itemsize, nbytes = e->h.nbytes;
    return !chunk_encoder_is_plain(e) && nbytes % size == 0 && CHUNK_HEADER_SIZE + size < cbytes &&
           memcmp(src, src + size, (size_t)(nbytes - size)) == 0;
}

static tess_status
encode_divided(const struct chunk_encoder *e, const uint8_t *src, struct chunk_scratch *s,
               uint8_t *dst, int32_t *cbytes, enum chunk_special *special,
               const struct task_width *width, tess_error *err)
{
    static const struct task task = {.next = encode_next,
                                     .work = encode_work,
                                     .finish = encode_finish,
                                     .drop = encode_drop,
                                     .grain_size = sizeof(struct run)};
    struct encode_job job = {.x = {.e = e}, .src = src};
    struct codec_dict dict = {0};

    if (chunk_encoder_needs_reference(e))
        job.x.ref = src;
    tess_status st = make_dictionary(&job, s, &dict, err);
    job.x.dict = &dict;
    assembly_begin(&job.out, e, &dict, dst, chunk_bound(e));
    if (st == TESS_OK)
        st = task_run(&task, &job, width, err);
    if (st == TESS_OK)
        end_chunk(&job, dst, cbytes, special);
    codec_dict_finish(&dict);
    return st;
}

tess_status
chunk_encode_parallel(const struct chunk_encoder *e, const uint8_t *src, struct chunk_scratch *s,
                      uint8_t *dst, int32_t *cbytes, enum chunk_special *special,
                      const struct task_width *width, tess_error *err)
{
    const bool alone =
        width->threads == 1 || chunk_encoder_is_plain(e) || e->h.nblocks <= run_length(&e->h);
    *special = SPECIAL_NONE;
    const tess_status st = alone ? encode_alone(e, src, s, dst, cbytes, special, err)
                                 : encode_divided(e, src, s, dst, cbytes, special, width, err);
    if (st == TESS_OK && *special == SPECIAL_NONE && is_value(e, src, *cbytes)) {
        *cbytes = chunk_encode_value(e, src, dst);
        *special = SPECIAL_VALUE;
    }
    return st;
}

// -- decode

struct decode_job {
    const struct chunk *c;
    const struct chunk_bytes *bytes;
    const struct chunk_scratch *of_call; // that of the calling thread, whose bounds hold for all
    uint8_t *dst;
    uint8_t *ref; // content of block 0, where the filters need it
    int32_t at; // first block of the next run
};

static tess_status
decode_next(void *job, void *grain, bool *more, tess_error *err)
{
    struct decode_job *const j = job;
    (void)err;
    *more = next_run(&j->c->h, &j->at, grain);
    return TESS_OK;
}

static tess_status
decode_work(void *job, void *grain, tess_error *err)
{
    const struct decode_job *const j = job;
    const struct run *const run = grain;
    const struct chunk *const c = j->c;
    struct chunk_scratch scratch = {.limit = j->of_call->limit, .progress = j->of_call->progress};
    tess_status st = TESS_OK;
    for (int32_t n = run->first; n < run->first + run->count && st == TESS_OK; n++) {
        struct decoded out;
        const struct block_need need = {.into = j->dst + (int64_t)n * c->h.blocksize};
        st = block_load(c, n, j->bytes, j->ref, &need, &scratch, &out, err);
        if (st == TESS_OK && out.bytes != need.into)
            memcpy(need.into, out.bytes, (size_t)out.nbytes);
    }
    scratch_finish(&scratch);
    return st;
}

static bool
is_divided(const struct chunk_header *h)
{
    return h->special == SPECIAL_NONE && !h->memcpyed && !h->vlblocks && h->nblocks > run_length(h);
}

static tess_status
decode_alone(const struct chunk *c, const struct chunk_bytes *bytes, struct chunk_scratch *s,
             uint8_t *dst, tess_error *err)
{
    struct chunk_cursor cur;
    tess_status st = cursor_init(&cur, c, bytes, s, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, 0, dst, (size_t)c->h.nbytes, err);
    cursor_finish(&cur);
    return st;
}

tess_status
chunk_decode_parallel(const struct chunk *c, const struct chunk_bytes *bytes,
                      struct chunk_scratch *s, uint8_t *dst, const struct task_width *width,
                      tess_error *err)
{
    static const struct task task = {
        .next = decode_next, .work = decode_work, .grain_size = sizeof(struct run)};
    struct decode_job job = {.c = c, .bytes = bytes, .of_call = s, .dst = dst};

    if (width->threads == 1 || !is_divided(&c->h))
        return decode_alone(c, bytes, s, dst, err);
    tess_status st = chunk_reference(c, bytes, s, &job.ref, err);
    if (st == TESS_OK)
        st = task_run(&task, &job, width, err);
    mem_free(job.ref);
    return st;
}
