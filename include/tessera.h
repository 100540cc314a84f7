/**
 * @file tessera.h
 * N-dimensional compressed arrays in the Blosc2/B2ND format.
 *
 * This header includes all the others, but tessera/http.h: that is of a library of its own,
 * tessera-http, which is optional. Each of them also compiles alone, as C11 and as C++.
 *
 *   tessera/version.h   the version, at compile time and at run time
 *   tessera/error.h     status codes and error messages
 *   tessera/dtype.h     item types, in NumPy's notation
 *   tessera/params.h    parameters of a new array: type, shapes, codec, filters
 *   tessera/plugin.h    codecs and filters of the program
 *   tessera/context.h   resources of calls: threads, memory, progress, executors
 *   tessera/process.h   what all arrays of a process share: budgets, usage
 *   tessera/storage.h   where an array is stored: file, directory, memory
 *   tessera/source.h    bytes from anywhere: functions of the program instead of a path
 *   tessera/array.h     create, open, read, write, resize, insert, delete, append, close
 *   tessera/slice.h     boxes with steps, memory with strides, fill
 *   tessera/convert.h   items in memory of another type than the array's
 *   tessera/select.h    points, lists of indices per axis, masks; numbers added at points
 *   tessera/boxes.h     many boxes of one size, also past the edges
 *   tessera/reduce.h    sums, means, extremes ... along axes; downsampling
 *   tessera/compare.h   comparisons of items into masks, and masks combined
 *   tessera/map.h       functions applied to boxes of several arrays in step
 *   tessera/histogram.h histograms of values
 *   tessera/view.h      slices and reordered axes as arrays, without a copy
 *   tessera/iterate.h   functions applied to all blocks or chunks; statistics
 *   tessera/copy.h      copy, concatenate and stack arrays
 *   tessera/layout.h    find the layout in which a use costs least
 *   tessera/verify.h    check what is stored
 *   tessera/chunk.h     properties of stored chunks and blocks
 *   tessera/packet.h    encoded chunks as packets: many processes write one array
 *   tessera/store.h     stores: many arrays under one name, directories and zip files
 *   tessera/schunk.h    super-chunks: lists of chunks without an N-dimensional layer
 *   tessera/files.h     what is at a path: frames in a file; removing an array
 *   tessera/repair.h    compact an array; recover a damaged one
 *   tessera/meta.h      metalayers: named bytes attached to an array
 *   tessera/attr.h      attributes: named values attached to an array
 *   tessera/dims.h      names of dimensions; coordinates: the index of a value
 *   tessera/hooks.h     allocator and log of the process
 */
#ifndef TESSERA_H
#define TESSERA_H

#include "tessera/array.h"
#include "tessera/attr.h"
#include "tessera/boxes.h"
#include "tessera/chunk.h"
#include "tessera/compare.h"
#include "tessera/context.h"
#include "tessera/convert.h"
#include "tessera/copy.h"
#include "tessera/dims.h"
#include "tessera/dtype.h"
#include "tessera/error.h"
#include "tessera/files.h"
#include "tessera/histogram.h"
#include "tessera/hooks.h"
#include "tessera/iterate.h"
#include "tessera/layout.h"
#include "tessera/map.h"
#include "tessera/meta.h"
#include "tessera/packet.h"
#include "tessera/params.h"
#include "tessera/plugin.h"
#include "tessera/process.h"
#include "tessera/reduce.h"
#include "tessera/repair.h"
#include "tessera/schunk.h"
#include "tessera/select.h"
#include "tessera/slice.h"
#include "tessera/source.h"
#include "tessera/storage.h"
#include "tessera/store.h"
#include "tessera/verify.h"
#include "tessera/version.h"
#include "tessera/view.h"

#endif
