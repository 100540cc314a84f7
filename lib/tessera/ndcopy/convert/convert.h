/*
 * convert.h - boxes of items of one type to boxes of another.
 *
 * What the rules are, tessera/convert.h says. A converter is made once and does not change; any
 * number of threads convert with it at once. It points into itself and must not be moved.
 */
#ifndef NDCOPY_CONVERT_CONVERT_H
#define NDCOPY_CONVERT_CONVERT_H

#include "base/limits.h"
#include "ndcopy/convert/steps.h"

#include <tessera/convert.h>

// The first ones are those of number_id.
enum item_id {
    ITEM_F2 = NUMBER_COUNT,
    ITEM_BF16,
    ITEM_C8,
    ITEM_C16,
    ITEM_TIME,
    ITEM_COUNT,
};

struct item_type {
    int id; // number_id or item_id
    bool turned; // not in the byte order of the machine
    struct time_unit unit; // of ITEM_TIME
};

enum { STEPS_MOST = 12 };

struct converter {
    struct step steps[STEPS_MOST];
    int count; // 0: nothing changes, and items are copied as they are
    int last; // the last one that moves
    int64_t from_size, to_size; // of an item
    bool certain; // all items fit
    struct convert_missing missing;
    struct time_ratio ratio;
};

// Bytes of an item.
int64_t convert_item_size(const struct item_type *type);

// How items become others; `writing`: `to` is what is stored, else `from`. `how` is checked.
tess_status converter_init(struct converter *c, const struct item_type *from,
                           const struct item_type *to, const tess_conversion *how, bool writing,
                           tess_error *err);

// Convert a box; strides as for ndcopy(). Returns how many items were converted, in C order: all of
// them, or those before the first that does not fit (MISFIT_STOP).
int64_t convert_box(const struct converter *c, int ndim, const int64_t *extent,
                    uint8_t *restrict dst, const int64_t *dst_stride, const uint8_t *restrict src,
                    const int64_t *src_stride);

// The same without a result: how many items could be converted.
int64_t convert_try(const struct converter *c, int ndim, const int64_t *extent, const uint8_t *src,
                    const int64_t *src_stride);

#endif
