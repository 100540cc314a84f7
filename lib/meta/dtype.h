/*
 * dtype.h - what a NumPy type string says about items.
 *
 * The contract is that of <tessera/dtype.h>; lib/api makes it public.
 */
#ifndef META_DTYPE_H
#define META_DTYPE_H

#include <tessera/dtype.h>

tess_dtype dtype_parse(const char *str);

// Bytes of the words that change places inside an item of a type that has a byte order.
int32_t dtype_word(const tess_dtype *type);

#endif
