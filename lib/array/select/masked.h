/*
 * masked.h - what a mask chooses of a box, as a selection.
 */
#ifndef ARRAY_SELECT_MASKED_H
#define ARRAY_SELECT_MASKED_H

#include "array/select/selection.h"

// Of the box from start to stop along the first `ndim` axes, and of all along the others; it has
// items, but maybe none is chosen. `bytes` stay until the end. On failure *s is empty. What is
// chosen of a view is a selection of its base.
tess_status selection_of_mask(struct selection *s, const tess_array *a, int ndim,
                              const int64_t *start, const int64_t *stop, const uint8_t *bytes,
                              tess_error *err);

#endif
