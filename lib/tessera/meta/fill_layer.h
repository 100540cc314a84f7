/*
 * fill_layer.h - the metalayer `tess_fill`: the item that growth shows.
 *
 * Its content is a msgpack bin of one item, in its shortest form. Arrays that grow with zeros do
 * not have it. To others it is a metalayer that they do not know, which they keep.
 */
#ifndef META_FILL_LAYER_H
#define META_FILL_LAYER_H

#include "meta/layers.h"

#include <stdbool.h>

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
