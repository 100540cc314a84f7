/*
 * dictionary.c - whether a new chunk gets a dictionary, and which; and the samples it is made from.
 *
 * A dictionary helps at the start of each stream, before the stream itself has enough to refer to:
 * many short streams gain, few long ones do not. To find out, the last of the samples are not used
 * to make it, but encoded with and without it. Where a large one does not pay, a small one may.
 *
 * Not here: how it is made (codec/dict.c).
 */
#include "chunk/encode/dictionary.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/encode/encoder.h"
#include "codec/codec.h"
#include "codec/dict.h"
#include "filter/kernels.h"

#include <math.h>
#include <string.h>

enum {
    SHARE = 20, // of a chunk's bytes, at most, as c-blosc2 does
    SAMPLES_PER_BYTE = 32, // more does not make the dictionary better
    TRIALS = 32, // samples that are encoded to see what it saves, or
    TRIALS_SHARE = 8, // this part of them
    SMALLER = 4, // one that does not pay is followed by one of this part of its capacity
    LEARNED_MIN = 8, // samples
    UNTRIED = 512, // bytes, where there are too few samples to try it
    DOUBT = 2, // standard errors of what the trials say by which it has to pay
};

size_t
dictionary_capacity(int64_t nbytes)
{
    const int64_t capacity = min_i64(nbytes / SHARE, DICT_SIZE_MAX);
    return capacity < DICT_SIZE_MIN ? 0 : (size_t)capacity;
}

size_t
dictionary_samples_size(size_t capacity)
{
    return capacity * SAMPLES_PER_BYTE;
}

// Bytes of one stream.
static tess_status
encoded_size(const struct codec_call *call, const uint8_t *src, size_t size, uint8_t *tmp,
             int64_t *encoded, tess_error *err)
{
    size_t made;
    const tess_status st = call->codec->encode(call, src, size, tmp, size, &made, err);
    *encoded = st == TESS_OK && made > 0 ? (int64_t)made : (int64_t)size;
    return st;
}

// Bytes that all streams together save, as good as certainly, if n of them save so many.
static int64_t
cautious(double sum, double squares, unsigned n, int64_t nstreams)
{
    if (n < 2)
        return 0;
    const double mean = sum / n;
    const double variance = fmax(squares - sum * mean, 0) / (n - 1);
    return (int64_t)((mean - DOUBT * sqrt(variance / n)) * (double)nstreams);
}

// Bytes that all streams together save, judged by some that it was not made from.
static tess_status
estimate(const struct codec_dict *d, const struct codec_call *call, const struct samples *trials,
         int64_t nstreams, uint8_t *tmp, int64_t *saved, tess_error *err)
{
    const uint8_t *at = trials->bytes;
    struct codec_call with = *call;
    double sum = 0, squares = 0;

    with.dict = d;
    for (unsigned i = 0; i < trials->count; i++) {
        int64_t before = 0, after = 0;
        tess_status st = encoded_size(call, at, trials->sizes[i], tmp, &before, err);
        if (st == TESS_OK)
            st = encoded_size(&with, at, trials->sizes[i], tmp, &after, err);
        if (st != TESS_OK)
            return st;
        const double gain = (double)(before - after);
        sum += gain;
        squares += gain * gain;
        at += trials->sizes[i];
    }
    *saved = cautious(sum, squares, trials->count, nstreams);
    return TESS_OK;
}

// Cut off the last samples.
static struct samples
split_trials(struct samples *samples)
{
    const unsigned n = (unsigned)min_i64(samples->count / TRIALS_SHARE, TRIALS);
    struct samples trials = {samples->bytes, samples->sizes + samples->count - n, n};

    samples->count -= n;
    for (unsigned i = 0; i < samples->count; i++)
        trials.bytes += samples->sizes[i];
    return trials;
}

// The first samples, as many as are enough for a dictionary of this capacity.
static struct samples
enough_for(const struct samples *samples, size_t capacity)
{
    struct samples enough = {samples->bytes, samples->sizes, 0};
    const size_t wanted = dictionary_samples_size(capacity);
    size_t size = 0;

    while (enough.count < samples->count && (size < wanted || enough.count < LEARNED_MIN))
        size += samples->sizes[enough.count++];
    return enough;
}

// *d stays empty where there is nothing to learn.
static tess_status
make_of(struct codec_dict *d, const struct codec_call *call, const struct samples *samples,
        size_t capacity, tess_error *err)
{
    uint8_t bytes[DICT_SIZE_MAX];
    const struct samples learned = enough_for(samples, capacity);
    const size_t size = learned.count > 0
                            ? codec_dict_make(call->codec, call->level, &learned, bytes, capacity)
                            : 0;

    *d = (struct codec_dict){0};
    return size > 0 ? codec_dict_init(d, call->codec, call->level, bytes, size, err) : TESS_OK;
}

// The largest that pays; else *d is the smallest, and *pays false.
static tess_status
largest_that_pays(struct codec_dict *d, const struct codec_call *call,
                  const struct samples *learned, const struct samples *trials, size_t capacity,
                  int64_t nstreams, uint8_t *tmp, bool *pays, tess_error *err)
{
    *pays = false;
    *d = (struct codec_dict){0};
    for (size_t room = capacity; room >= DICT_SIZE_MIN; room /= SMALLER) {
        struct codec_dict next;
        int64_t saved = 0;
        tess_status st = make_of(&next, call, learned, room, err);
        if (st == TESS_OK && next.size > 0)
            st = estimate(&next, call, trials, nstreams, tmp, &saved, err);
        if (st == TESS_OK && next.size == 0)
            continue;
        codec_dict_finish(d);
        if (st != TESS_OK) {
            codec_dict_finish(&next);
            return st;
        }
        *d = next;
        *pays = saved >= (int64_t)next.size;
        if (*pays)
            break;
    }
    return TESS_OK;
}

tess_status
dictionary_make(struct codec_dict *d, const struct codec_call *call, const struct samples *samples,
                size_t capacity, int64_t nstreams, bool always, uint8_t *tmp, tess_error *err)
{
    struct samples learned = *samples;
    const struct samples trials = split_trials(&learned);
    bool pays = false;

    *d = (struct codec_dict){0};
    if (trials.count == 0)
        return always ? make_of(d, call, samples, capacity < UNTRIED ? capacity : UNTRIED, err)
                      : TESS_OK;
    const tess_status st =
        largest_that_pays(d, call, &learned, &trials, capacity, nstreams, tmp, &pays, err);
    if (!pays && !always)
        codec_dict_finish(d);
    return st;
}

// -- samples of a chunk

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
