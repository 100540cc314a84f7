/*
 * variants.c - the codecs, levels and filters that are tried.
 *
 * Levels of Zstandard above 5 are left out: on what they gain, minutes of writing are lost.
 */
#include "layout/variants.h"

#include <string.h>

static const struct {
    tess_codec codec;
    int level;
} squeezes[] = {
    {TESS_CODEC_LZ4, 5},     {TESS_CODEC_ZSTD, 1}, {TESS_CODEC_ZSTD, 3},  {TESS_CODEC_ZSTD, 5},
    {TESS_CODEC_BLOSCLZ, 5}, {TESS_CODEC_LZ4, 9},  {TESS_CODEC_LZ4HC, 5},
};

#define NSQUEEZES ((int)(sizeof squeezes / sizeof squeezes[0]))

static const uint8_t pipelines[][2] = {
    {TESS_FILTER_NONE, TESS_FILTER_SHUFFLE},
    {TESS_FILTER_NONE, TESS_FILTER_BITSHUFFLE},
    {TESS_FILTER_SHUFFLE, TESS_FILTER_BYTEDELTA},
    {TESS_FILTER_NONE, TESS_FILTER_NONE},
};

#define NPIPELINES ((int)(sizeof pipelines / sizeof pipelines[0]))

static bool
seen_before(int n, unsigned keep)
{
    for (int i = 0; i < n; i++)
        if (((keep & TESS_KEEP_CODEC) || squeezes[i].codec == squeezes[n].codec) &&
            ((keep & TESS_KEEP_LEVEL) || squeezes[i].level == squeezes[n].level))
            return true;
    return false;
}

// The last two filters of the pipeline, and no others.
static void
set_last_filters(tess_params *params, const uint8_t pipeline[2])
{
    memset(params->filters, 0, sizeof params->filters);
    memset(params->filters_meta, 0, sizeof params->filters_meta);
    memcpy(params->filters + TESS_MAX_FILTERS - 2, pipeline, 2);
}

bool
variants_next(int n, unsigned keep, tess_params *params)
{
    const int npipelines = keep & TESS_KEEP_FILTERS ? 1 : NPIPELINES;
    int squeeze = 0;

    for (int left = n / npipelines;; squeeze++) {
        if (squeeze == NSQUEEZES)
            return false;
        if (!seen_before(squeeze, keep) && left-- == 0)
            break;
    }
    if (!(keep & TESS_KEEP_CODEC))
        params->codec = squeezes[squeeze].codec;
    if (!(keep & TESS_KEEP_LEVEL))
        params->clevel = squeezes[squeeze].level;
    if (!(keep & TESS_KEEP_FILTERS))
        set_last_filters(params, pipelines[n % npipelines]);
    return true;
}
