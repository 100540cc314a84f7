/*
 * mask.h - the items of an array that a mask over its first axes chooses.
 *
 * In C order, what is chosen of a piece of whole layers follows what is chosen of the piece before.
 * So a mask is worked off in such pieces, as large as memory allows: those without a chosen item
 * are left out, those with few are a selection of points, and of all others the box around what is
 * chosen is read (and written).
 */
#ifndef ARRAY_MASK_H
#define ARRAY_MASK_H

#include "array/array.h"

#include <tessera/select.h>

// The mask fits the array. *count: chosen items of the array, INT64_MAX if there are more.
tess_status mask_count(const tess_array *a, const tess_mask *mask, int64_t *count,
                       struct watch *watch, tess_error *err);

// dst receives the chosen items.
tess_status mask_get(const tess_array *a, const tess_mask *mask, uint8_t *dst, struct watch *watch,
                     tess_error *err);

// As one change of the base's frame, begun and ended by the caller. src has the chosen items, or,
// if `same` is set, one for all.
tess_status mask_set(tess_array *a, const tess_mask *mask, const uint8_t *src, bool same,
                     struct watch *watch, tess_error *err);

#endif
