/*
 * blocksize.c - the size of blocks that c-blosc2 chooses.
 *
 * Programs that name no size get chunks of about the sizes that they had with c-blosc2; libtessera
 * itself prefers smaller blocks, which are faster to read in part.
 */
#include "chunk/blocksize.h"

enum {
    UNIT = 32 << 10, // what all sizes are multiples of
    SPLIT_MOST = 4 << 20, // of blocks that are split
    SPLIT_TYPESIZE_MAX = 16,
    SPLIT_NITEMS_MIN = 32,
    LEVELS = 10,
};

static bool
is_shuffled(const blosc2_cparams *c)
{
    for (int i = 0; i < BLOSC2_MAX_FILTERS; i++)
        if (c->filters[i] == BLOSC_SHUFFLE)
            return true;
    return false;
}

static bool
is_split(const blosc2_cparams *c, int32_t nbytes)
{
    if (c->splitmode == BLOSC_ALWAYS_SPLIT || c->splitmode == BLOSC_NEVER_SPLIT)
        return c->splitmode == BLOSC_ALWAYS_SPLIT;
    return (c->compcode == BLOSC_BLOSCLZ || c->compcode == BLOSC_LZ4 ||
            (c->compcode == BLOSC_ZSTD && c->clevel <= 5)) &&
           is_shuffled(c) && c->typesize <= SPLIT_TYPESIZE_MAX &&
           nbytes / c->typesize >= SPLIT_NITEMS_MIN;
}

// Of each stream, by level, in units; of level 0, which does not split, any.
static int32_t
split_size(const blosc2_cparams *c, int level)
{
    static const uint8_t units[LEVELS] = {1, 1, 1, 1, 2, 2, 2, 4, 8, 16};
    const int64_t size = (int64_t)units[level] * UNIT * c->typesize;
    return size > SPLIT_MOST ? SPLIT_MOST : (int32_t)size;
}

bool
b2_compresses_more(int compcode)
{
    return compcode == BLOSC_LZ4HC || compcode == BLOSC_ZLIB || compcode == BLOSC_ZSTD;
}

// By level, in quarters of a unit. Codecs that compress more get twice as much.
static int32_t
whole_size(const blosc2_cparams *c, int level)
{
    static const uint8_t quarters[LEVELS] = {1, 2, 4, 8, 16, 16, 32, 32, 32, 32};
    const bool high = b2_compresses_more(c->compcode);
    const int32_t size = quarters[level] * (UNIT / 4) * (high ? 2 : 1);
    return high && level == LEVELS - 1 ? 2 * size : size;
}

static int32_t
chosen_size(const blosc2_cparams *c, int32_t nbytes)
{
    const int level = c->clevel < LEVELS ? c->clevel : LEVELS - 1;
    if (level > 0 && is_split(c, nbytes))
        return split_size(c, level);
    return nbytes < UNIT ? nbytes : whole_size(c, level);
}

int32_t
b2_blocksize(const blosc2_cparams *c, int32_t nbytes)
{
    if (nbytes < c->typesize)
        return nbytes > 0 ? nbytes : 1;
    int32_t size = c->blocksize > 0 ? c->blocksize : chosen_size(c, nbytes);
    size = size < nbytes ? size : nbytes;
    return size > c->typesize ? size - size % c->typesize : c->typesize;
}
