/*
 * ndlayer.h - the metalayers of an array.
 *
 * The N-dimensional one, `b2nd` or `caterva`, has had these layouts:
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
 *
 * `tess_fill` has the item that growth shows: a msgpack bin of one item, in its shortest form.
 * Arrays that grow with zeros do not have it. To others it is a metalayer that they do not know,
 * which they keep.
 */
#ifndef META_NDLAYER_H
#define META_NDLAYER_H

#include "base/error.h"
#include "base/limits.h"
#include "meta/layers.h"

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

#define FILL_LAYER "tess_fill"
#define FILL_SIZE_MAX (1 << 20) // bytes of an item: a header is read with each opening

// Add the layer. TESS_ERR_LIMIT: the item is too large, or there are too many layers.
tess_status fill_layer_add(struct layers *metas, const uint8_t *item, size_t size, tess_error *err);

// Whether a layer has that name.
bool fill_layer_is(const struct layer *layer);

// Find the item in the layer's content. TESS_ERR_CORRUPT: it is no bin of `size` bytes.
tess_status fill_layer_parse(const struct layer *layer, size_t size, const uint8_t **item,
                             tess_error *err);

#endif
