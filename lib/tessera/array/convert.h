/*
 * convert.h - boxes of an array, which may be a view, in memory of another type.
 *
 * What the rules are, tessera/convert.h says. A struct typed is made for one call and read by its
 * workers; it points into itself and must not be moved. Functions otherwise without state; no lock.
 *
 * What packed data means is taken from attributes, by the conventions of netCDF and CF:
 * scale_factor, add_offset, _FillValue, missing_value, valid_range, valid_min, valid_max.
 */
#ifndef ARRAY_CONVERT_H
#define ARRAY_CONVERT_H

#include "array/array.h"
#include "base/error.h"
#include "grid/box_memory.h"
#include "ndcopy/convert/convert.h"

#include <tessera/attr.h>
#include <tessera/convert.h>

struct typed {
    struct converter converter;
    struct converted as;
    int64_t itemsize; // bytes of an item in memory
};

// Between items of the array and of memory; writing: to the array. `how` is complete and checked,
// and stays while the struct is used, and so does dtype.
tess_status typed_init(struct typed *t, const tess_array *a, const char *dtype,
                       const tess_conversion *how, bool writing, tess_error *err);

// As array_read() (array/items/box.h), without steps.
tess_status typed_read(struct typed *t, const tess_array *a, const struct box *box,
                       const struct box_memory *dst, struct watch *watch, tess_error *err);

// As array_update_box() (array/update.h), without steps. Items are looked at before the first is
// written, if one may not fit and that is an error.
tess_status typed_write(const struct typed *t, tess_array *a, const struct box *box,
                        const struct box_memory_const *src, struct watch *watch, tess_error *err);

enum { PACKING_NAMES = 7 };

// The attributes, in the order in which they are to be taken.
extern const char *const packing_names[PACKING_NAMES];

// Take one of them, packing_names[n], into a conversion that has the defaults at first.
tess_status packing_take(tess_conversion *how, int n, const tess_value *value, tess_error *err);

#endif
