/*
 * ndlayer.h - the N-dimensional metalayer, `b2nd` or `caterva`, in every layout that existed.
 *
 *   first byte  name      written by                  layout
 *   97          b2nd      c-blosc2 2.7.0 and later    version, ndim, shapes, dtype format, dtype
 *   96          b2nd      development, February 2023  the same with or without dtype format
 *   95          b2nd      development, January 2023   ends after blockshape
 *   95          caterva   Caterva 0.2 and later       ends after blockshape, which before 0.4 is
 *                                                     undefined (0.2) or zero (0.3)
 *   93          caterva   Caterva 0.1                 ndim, shape, chunkshape; little or big endian
 *
 * This file reads bytes into shapes that are within the limits of the format each; whether they
 * fit together and with the frame is checked by geom/ and array/.
 */
#ifndef META_NDLAYER_H
#define META_NDLAYER_H

#include "base/error.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ndlayer {
    int ndim;
    int64_t shape[NDIM_MAX];
    int32_t chunkshape[NDIM_MAX];
    int32_t blockshape[NDIM_MAX];
    bool linear; // chunks hold their items in C order, without a grid of blocks;
                 // blockshape equals chunkshape then
    int dtype_format;
    char *dtype; // owned, NUL-terminated; NULL if the layer has none (written as empty)
};

void ndlayer_finish(struct ndlayer *nd); // zeroed and half-built: fine

/*
 * Parse a layer. is_caterva: it was found under the name `caterva`.
 * Checked: markers and lengths, 0 <= ndim <= 16, entries >= 0, dtype without NUL inside,
 * nothing left over. In a caterva layer of 5 elements with a blockshape entry outside
 * 1..chunkshape `linear` is set. TESS_ERR_CORRUPT, TESS_ERR_UNSUPPORTED (layer version), NOMEM.
 */
tess_status ndlayer_parse(const uint8_t *src, size_t size, bool is_caterva, struct ndlayer *nd,
                          tess_error *err);

/*
 * Write the layer: b2nd with 7 elements, or caterva with 5. *out is allocated for the caller.
 * 16 dimensions: the marker of the three arrays is `a0`, as c-blosc2 writes it. A linear layer can
 * only be written as caterva, and gets a blockshape of zeros, as in Caterva 0.3.
 */
tess_status ndlayer_write(const struct ndlayer *nd, bool as_caterva, uint8_t **out,
                          size_t *out_size, tess_error *err);

#endif
