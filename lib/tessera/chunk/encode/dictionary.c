/*
 * dictionary.c - whether a new chunk gets a dictionary, and which.
 *
 * A dictionary helps at the start of each stream, before the stream itself has enough to refer to:
 * many short streams gain, few long ones do not. To find out, the last of the samples are not used
 * to make it, but encoded with and without it. Where a large one does not pay, a small one may.
 *
 * Not here: how it is made (codec/dict.c), which samples (train.c).
 */
#include "chunk/encode/dictionary.h"

#include "base/checked.h"
#include "codec/codec.h"

#include <math.h>

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
