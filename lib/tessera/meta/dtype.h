/*
 * dtype.h - what a NumPy type string says about items.
 *
 * The contract is that of <tessera/dtype.h>; the module api makes it public.
 */
#ifndef META_DTYPE_H
#define META_DTYPE_H

#include <tessera/dtype.h>

#include <stdbool.h>
#include <stdint.h>

tess_dtype dtype_parse(const char *str);

// Bytes of the words that change places inside an item of a type that has a byte order.
int32_t dtype_word(const tess_dtype *type);

// Whether items are numbers that the CPU counts with: bool, integers and floats of at most 8 bytes.
bool dtype_is_number(const tess_dtype *type);

// Whether items have a byte order, and not that of the machine.
bool dtype_is_turned(const tess_dtype *type);

// NaN as an item of that type, with 0 as its imaginary part; at most 16 bytes. False: it has none.
bool dtype_nan(const tess_dtype *type, uint8_t *item);

#endif
