/*
 * codecs.h - the codecs, levels and filters that are tried, all without loss.
 */
#ifndef CLI_LAYOUT_CODECS_H
#define CLI_LAYOUT_CODECS_H

#include <tessera/params.h>

#include <stdbool.h>

// The last two filters of the pipeline, and no others; TESS_FILTER_NONE leaves a place empty.
void codecs_set_filters(tess_params *params, const uint8_t pipeline[2]);

struct codecs_fixed {
    bool codec, level, filters;
};

// Number n of those that are worth trying, as codec, level and filters of *params, which are left
// as they are where they are fixed; false if there are no more.
bool codecs_next(int n, const struct codecs_fixed *fixed, tess_params *params);

#endif
