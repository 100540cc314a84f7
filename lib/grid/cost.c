/*
 * cost.c - how long requests take, roughly.
 *
 * Measured on shuffled floats that compress to a third.
 */
#include "grid/cost.h"

#include <tessera/context.h>

#include <stddef.h>

enum { PER_COPY = 1 }; // tenths of a nanosecond per byte, as all below

struct codec_cost {
    int id;
    int encode[3]; // levels 1 to 3, 4 to 6, 7 to 9
    int decode;
    int block; // nanoseconds more, for each block
    int small; // thousandths that it grows by with each half of a block below 32 KiB
};

static const struct codec_cost costs[] = {
    {CODEC_BLOSCLZ, {10, 20, 40}, 3, 350, 20}, //
    {CODEC_LZ4, {8, 10, 15}, 3, 350, 15}, //
    {CODEC_LZ4HC, {100, 200, 500}, 3, 350, 20}, //
    {CODEC_ZLIB, {80, 150, 400}, 10, 12000, 20}, //
    {CODEC_ZSTD, {30, 100, 500}, 8, 12000, 20}, //
};

// Plugins, and codecs that work on cells.
static const struct codec_cost others = {-1, {50, 50, 50}, 50, 500, 15};
// None: items are copied.
static const struct codec_cost none = {-1, {0, 0, 0}, 0, 100, 0};

static const struct codec_cost *
cost_of(const struct codec *codec)
{
    if (!codec)
        return &none;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i].id == codec->id)
            return &costs[i];
    return &others;
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
        .cache = TESS_CACHE_DEFAULT,
        .ratio = 1,
        .small_loss = c->small * 1e-3,
    };
}
