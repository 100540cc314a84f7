/**
 * @file tessera.h
 * N-dimensional compressed arrays in the Blosc2/B2ND format.
 *
 * This header includes all the others; each of them compiles alone, as C11 and as C++.
 *
 *   tessera/version.h   the version, at compile time and at run time
 *   tessera/error.h     status codes, and the sentence that explains a failure
 *   tessera/dtype.h     types of items, in NumPy's notation
 *   tessera/params.h    what a new array looks like: shapes, codec, filters
 *   tessera/plugin.h    codecs and filters of your own
 *   tessera/context.h   what calls may use: threads, memory
 *   tessera/storage.h   where an array lives: a file, memory
 *   tessera/array.h     create, open, read, write, resize, insert, delete, append, close
 *   tessera/slice.h     boxes with steps, memory with strides, fill
 *   tessera/select.h    items of an array: points, indices per axis
 *   tessera/view.h      arrays seen otherwise: slices, axes in another order
 *   tessera/iterate.h   blocks and chunks of an array, one after the other; sums and extremes
 *   tessera/copy.h      arrays to another place
 *   tessera/verify.h    whether what is stored is what was written
 *   tessera/chunk.h     the chunks and blocks of an array, as they are stored
 *   tessera/repair.h    less space for an array; what is left of a damaged one
 *   tessera/meta.h      named bytes attached to an array
 *   tessera/attr.h      named values attached to an array
 */
#ifndef TESSERA_H
#define TESSERA_H

#include "tessera/array.h"
#include "tessera/attr.h"
#include "tessera/chunk.h"
#include "tessera/context.h"
#include "tessera/copy.h"
#include "tessera/dtype.h"
#include "tessera/error.h"
#include "tessera/iterate.h"
#include "tessera/meta.h"
#include "tessera/params.h"
#include "tessera/plugin.h"
#include "tessera/repair.h"
#include "tessera/select.h"
#include "tessera/slice.h"
#include "tessera/storage.h"
#include "tessera/verify.h"
#include "tessera/version.h"
#include "tessera/view.h"

#endif
