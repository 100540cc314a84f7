/*
 * variants.h - the codecs, levels and filters that are tried, all without loss.
 */
#ifndef LAYOUT_VARIANTS_H
#define LAYOUT_VARIANTS_H

#include <tessera/layout.h>

#include <stdbool.h>

// Number n of those that are worth trying, as codec, level and filters of *params, except for those
// that TESS_KEEP_ bits keep as they are; false if there are no more.
bool variants_next(int n, unsigned keep, tess_params *params);

#endif
