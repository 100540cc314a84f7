/*
 * geometry.h - the members of an array that follow from its shapes.
 */
#ifndef COMPAT_B2ND_GEOMETRY_H
#define COMPAT_B2ND_GEOMETRY_H

#include <b2nd.h>

// Whether an array can have these shapes, apart from products that are too large. Returns a code.
int nd_geometry_check(int ndim, const int64_t *shape, const int32_t *chunkshape,
                      const int32_t *blockshape);

// Set ndim, shapes, counts and strides. Returns a code; on failure *array is undefined.
int nd_geometry_set(b2nd_array_t *array, int ndim, const int64_t *shape, const int32_t *chunkshape,
                    const int32_t *blockshape);

// *product becomes a * b; false if one is negative, or the product exceeds most.
bool nd_multiply(int64_t a, int64_t b, int64_t most, int64_t *product);

#endif
