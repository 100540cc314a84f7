/*
 * cost.c - how long requests take, roughly.
 *
 * Measured on shuffled floats that compress to a third.
 */
#include "array/cost.h"

#include <stddef.h>

enum { PER_COPY = 1 }; // tenths of a nanosecond per byte, as all below

static const struct {
    int id;
    int encode[3]; // levels 1 to 3, 4 to 6, 7 to 9
    int decode;
} costs[] = {
    {CODEC_BLOSCLZ, {10, 20, 40}, 3}, //
    {CODEC_LZ4, {8, 10, 15}, 3}, //
    {CODEC_LZ4HC, {100, 200, 500}, 3}, //
    {CODEC_ZLIB, {80, 150, 400}, 10}, //
    {CODEC_ZSTD, {30, 100, 500}, 10}, //
};

enum { PER_OTHER = 50 }; // plugins, and codecs that work on cells

static int64_t
total(int64_t nbytes, int tenths)
{
    return nbytes / 10 * (tenths + PER_COPY);
}

int64_t
cost_encode(const struct codec *codec, int level, int64_t nbytes)
{
    if (!codec || level == 0)
        return total(nbytes, 0);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i].id == codec->id)
            return total(nbytes, costs[i].encode[(level - 1) / 3]);
    return total(nbytes, PER_OTHER);
}

int64_t
cost_decode(const struct codec *codec, int64_t nbytes)
{
    if (!codec)
        return total(nbytes, 0);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i].id == codec->id)
            return total(nbytes, costs[i].decode);
    return total(nbytes, PER_OTHER);
}
