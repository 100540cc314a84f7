/*
 * recall.h - a box whose blocks are all in the cache.
 */
#ifndef ARRAY_RECALL_H
#define ARRAY_RECALL_H

#include "array/array.h"
#include "array/strided.h"

/*
 * Copy a box if all of its blocks are decoded already; false if one is not, dst may then hold some
 * of the items. Nothing of the frame is looked at, and no other thread is asked: this is for
 * requests that are done before one would have woken up.
 */
bool array_recall(const tess_array *a, const int64_t *start, const int64_t *stop,
                  const int64_t *step, const struct strided *dst);

#endif
