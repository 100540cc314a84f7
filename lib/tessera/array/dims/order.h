/*
 * order.h - numbers of a coordinate, in their order, without loss: integers and floats compared
 * with each other.
 *
 * Functions without state, any thread.
 */
#ifndef ARRAY_DIMS_ORDER_H
#define ARRAY_DIMS_ORDER_H

#include <tessera/iterate.h>

#include <stdbool.h>

// < 0, 0 or > 0, as x is less than y, equal, or greater. Neither is NaN.
int order_compare(const tess_number *x, const tess_number *y);

// Whether y is nearer to a value than x, or as near, where x < value < y; exactly. x and y are of
// one kind. An infinite item is farther than a finite one.
bool order_is_nearer(const tess_number *x, const tess_number *value, const tess_number *y);

bool order_is_nan(const tess_number *x);

#endif
