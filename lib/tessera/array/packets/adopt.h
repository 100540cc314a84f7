/*
 * adopt.h - chunks of packets become chunks of the array of one owner.
 *
 * Packets come from strangers. All that a packet says is compared with the array before anything
 * changes; then its chunks get into the list at once, or none does. Nothing is committed here but
 * at the end; and at the beginning, an array that has not replaced the one at its path, or a file
 * whose state is not sealed.
 *
 * Any number of threads may add to one adoption, beside other reads and writes of the array. Each
 * call has the turn of its chunks, so that what it finds adopted stays as it is; the mutex of the
 * adoption guards the set of chunks that were adopted, and is not held while anything is read,
 * decoded or written. The adoption holds the array, like a view.
 */
#ifndef ARRAY_PACKETS_ADOPT_H
#define ARRAY_PACKETS_ADOPT_H

#include "array/array.h"
#include "frame/contiguous/extents.h"

#include <tessera/packet.h>

// The array is writable, and has a grid of chunks. It is committed if it has not replaced the one
// at its path, or if its file is not sealed.
tess_status adoption_begin(tess_array *a, tess_adoption **adoption, tess_error *err);
// Whether the array is still there, and may be changed.
tess_status adoption_check(const tess_adoption *ad, tess_error *err);
// trusted: blocks are not decoded as a check.
tess_status adoption_add(tess_adoption *ad, const void *packet, size_t size, bool trusted,
                         tess_error *err);
// The first chunk from `from` on that was not adopted; -1: there is none.
int64_t adoption_missing(tess_adoption *ad, int64_t from);
// Space that workers write to, and the end of it.
tess_status adoption_lease(tess_adoption *ad, int64_t size, struct extent *lease, tess_error *err);
tess_status adoption_return(tess_adoption *ad, struct extent lease, tess_error *err);
// Also after a failure it is ended.
tess_status adoption_end(tess_adoption *ad, bool commit, tess_error *err);

#endif
