/*
 * cost.c - how long requests take, roughly.
 *
 * Not here: the numbers of the codecs (struct codec).
 */
#include "grid/cost.h"

#include "chunk/encode/encoder.h"
#include "codec/codec.h"
#include "geom/automatic.h"

#include <tessera/context.h>

enum { PER_COPY = 1 }; // tenths of a nanosecond per byte, as all below

// Plugins, and codecs that work on cells.
static const struct codec_cost others = {{50, 50, 50}, 50, 500, 15};
// None: items are copied.
static const struct codec_cost none = {{0, 0, 0}, 0, 100, 0};

static const struct codec_cost *
cost_of(const struct codec *codec)
{
    if (!codec)
        return &none;
    return codec->cost.decode > 0 ? &codec->cost : &others;
}

static int64_t
total(int64_t nbytes, int tenths)
{
    return nbytes / 10 * (tenths + PER_COPY);
}

int64_t
cost_encode(const struct codec *codec, int level, int64_t nbytes)
{
    return level == 0 ? total(nbytes, 0) : total(nbytes, cost_of(codec)->encode[(level - 1) / 3]);
}

int64_t
cost_decode(const struct codec *codec, int64_t nbytes)
{
    return total(nbytes, cost_of(codec)->decode);
}

#define CACHE_USUAL ((int64_t)32 << 20) // what an array may have of the budget by default

struct model
cost_model(const struct codec *codec, int level)
{
    const struct codec_cost *const c = level == 0 ? &none : cost_of(codec);
    const int encode = c->encode[level < 1 || level > 9 ? 0 : (level - 1) / 3];
    return (struct model){
        .decode = (c->decode + PER_COPY) * 1e-10,
        .encode = (encode + PER_COPY) * 1e-10,
        .block = c->block * 1e-9,
        .threads = 1,
        .cache = CACHE_USUAL,
        .ratio = 1,
        .small_loss = c->small * 1e-3,
    };
}

int32_t
cost_blocksize(const struct chunk_spec *spec)
{
    const int64_t nitems = spec->nbytes / spec->itemsize;
    const struct automatic_wish wish = {
        .typesize = spec->itemsize,
        .model = cost_model(codec_by_id(spec->codec), spec->level),
        .least = 1,
    };
    int64_t chunkshape = nitems, blockshape = 0;
    if (nitems == 0)
        return spec->nbytes;
    automatic_choose(1, &nitems, &wish, &chunkshape, &blockshape);
    return (int32_t)(blockshape * spec->itemsize);
}
