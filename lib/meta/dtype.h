/*
 * dtype.h - what a NumPy type string says about items.
 *
 * The contract is that of <tessera/dtype.h>; lib/api makes it public.
 */
#ifndef META_DTYPE_H
#define META_DTYPE_H

#include <tessera/dtype.h>

tess_dtype dtype_parse(const char *str);

#endif
