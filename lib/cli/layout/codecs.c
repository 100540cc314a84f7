/*
 * codecs.c - the codecs, levels and filters that are tried.
 *
 * Levels of Zstandard above 5 are left out: on what they gain, minutes of writing are lost.
 */
#include "cli/layout/codecs.h"

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
seen_before(int n, const struct codecs_fixed *fixed)
{
    for (int i = 0; i < n; i++)
        if ((fixed->codec || squeezes[i].codec == squeezes[n].codec) &&
            (fixed->level || squeezes[i].level == squeezes[n].level))
            return true;
    return false;
}

void
codecs_set_filters(tess_params *params, const uint8_t pipeline[2])
{
    memset(params->filters, 0, sizeof params->filters);
    memset(params->filters_meta, 0, sizeof params->filters_meta);
    memcpy(params->filters + TESS_MAX_FILTERS - 2, pipeline, 2);
}

bool
codecs_next(int n, const struct codecs_fixed *fixed, tess_params *params)
{
    const int npipelines = fixed->filters ? 1 : NPIPELINES;
    int squeeze = 0;

    for (int left = n / npipelines;; squeeze++) {
        if (squeeze == NSQUEEZES)
            return false;
        if (!seen_before(squeeze, fixed) && left-- == 0)
            break;
    }
    if (!fixed->codec)
        params->codec = squeezes[squeeze].codec;
    if (!fixed->level)
        params->clevel = squeezes[squeeze].level;
    if (!fixed->filters) {
        codecs_set_filters(params, pipelines[n % npipelines]);
    }
    return true;
}
