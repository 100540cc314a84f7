/*
 * packing.h - a conversion from attributes, by the conventions of netCDF and CF for packed data:
 * scale_factor, add_offset, _FillValue, missing_value, valid_range, valid_min, valid_max.
 *
 * What they mean, tessera/convert.h says. Functions without state, any thread.
 */
#ifndef ARRAY_CONVERT_PACKING_H
#define ARRAY_CONVERT_PACKING_H

#include "base/error.h"

#include <tessera/attr.h>
#include <tessera/convert.h>

enum { PACKING_NAMES = 7 };

// The attributes, in the order in which they are to be taken.
extern const char *const packing_names[PACKING_NAMES];

// Take one of them, packing_names[n], into a conversion that has the defaults at first.
tess_status packing_take(tess_conversion *how, int n, const tess_value *value, tess_error *err);

#endif
