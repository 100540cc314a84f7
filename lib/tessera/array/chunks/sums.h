/*
 * sums.h - checksums of stored chunks for readers, loaded when one is asked for.
 *
 * An array that was opened for reading has them in its frame only if each read compares them. To
 * load them for each chunk that is copied would take as long as there are chunks, so they stay.
 *
 * Locks: one inside, which is held while the ledger is read: threads that come meanwhile wait for
 * it instead of reading it, too. What was loaded does not change before sums_forget(), which
 * requires exclusive access.
 */
#ifndef ARRAY_CHUNKS_SUMS_H
#define ARRAY_CHUNKS_SUMS_H

#include "base/error.h"

struct checksums;
struct frame;
struct sums;

struct sums *sums_new(void); // NULL: no memory
void sums_free(struct sums *s); // NULL: fine

// Those of the frame's chunks: its own, if it has them. Inside the gate of the grid.
tess_status sums_get(struct sums *s, const struct frame *f, const struct checksums **checksums,
                     tess_error *err);

void sums_forget(struct sums *s); // the frame becomes another one

#endif
