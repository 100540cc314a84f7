/*
 * smaller.h - a copy of an array that is downsampled, once or as the levels of a pyramid.
 */
#ifndef TESS_CONVERT_SMALLER_H
#define TESS_CONVERT_SMALLER_H

#include "options.h"

#include <tessera/array.h>
#include <tessera/reduce.h>

#define SMALLER_LEVELS_MOST 40

struct smaller {
    bool wanted;
    bool pyramid;
    int levels; // of a pyramid
    tess_downsampling op;
    int64_t factors[TESS_MAX_NDIM];
    tess_downsample_options options;
};

// What --downsample, --levels and --skip-nan ask for.
tess_status smaller_parse(struct smaller *s, const tess_array *a, const struct arguments *args,
                          tess_error *err);

// Make the array that params describe, up to its shape. Attributes and metalayers come along. *out
// is open, or NULL on failure.
tess_status smaller_copy(const struct smaller *s, const tess_array *a, const tess_storage *storage,
                         const tess_params *params, tess_array **out, tess_error *err);

// Make the levels 1, 2 ... of a pyramid: files 1.b2nd, 2.b2nd ... in a folder that is made first.
tess_status smaller_pyramid(const struct smaller *s, const tess_array *a, const char *folder,
                            const tess_storage *storage, const tess_params *params,
                            tess_error *err);

#endif
