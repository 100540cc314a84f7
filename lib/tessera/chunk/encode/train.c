/*
 * train.c - samples of a chunk, to make a dictionary from.
 *
 * Not here: whether the dictionary pays (dictionary.c).
 */
#include "chunk/encode/train.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/encode/block_filter.h"
#include "chunk/encode/dictionary.h"
#include "chunk/encode/encoder.h"
#include "codec/codec.h"
#include "codec/dict.h"
#include "filter/kernels.h"

#include <string.h>

enum { SAMPLED_BLOCKS_MIN = 16 }; // where there are as many

// Of some blocks, the start of each stream.
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
take_samples(const struct encoding *x, const struct block_source *source, struct chunk_scratch *s,
             struct sampling *p, tess_error *err)
{
    size_t used = 0;

    for (int32_t k = 0; k < p->nblocks; k++) {
        const int32_t nblock = sampled_block(x->e, k);
        const uint8_t *items;
        struct filtered f;
        tess_status st = block_source_items(source, nblock, s->buffer[0], &items, err);
        if (st == TESS_OK)
            st = block_filter(x, nblock, items, s, &f, err);
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

tess_status
dictionary_train(struct codec_dict *d, const struct encoding *x, const struct block_source *source,
                 struct chunk_scratch *s, tess_error *err)
{
    const struct chunk_encoder *const e = x->e;
    const int32_t nstreams = e->h.split ? e->h.typesize : 1;
    struct sampling p = {.capacity = dictionary_capacity(e->h.nbytes)};

    *d = (struct codec_dict){0};
    if (p.capacity == 0)
        return TESS_OK;
    plan_samples(e, &p);
    const size_t most = (size_t)p.nblocks * (size_t)nstreams;
    p.bytes = mem_alloc((size_t)p.nblocks * p.per_block);
    p.sizes = mem_alloc(most * sizeof *p.sizes);
    tess_status st = p.bytes && p.sizes ? take_samples(x, source, s, &p, err)
                                        : err_set(err, TESS_ERR_NOMEM, -1, "no memory for samples");
    if (st == TESS_OK) {
        const struct samples samples = {p.bytes, p.sizes, p.count};
        const struct codec_call call = chunk_encoder_call(e, s->codec);
        const int64_t work = (int64_t)e->h.nblocks * nstreams * p.count / (int64_t)most;
        st = dictionary_make(d, &call, &samples, p.capacity, work, e->dictionary_always,
                             s->buffer[0], err);
    }
    mem_free(p.bytes);
    mem_free(p.sizes);
    return st;
}
