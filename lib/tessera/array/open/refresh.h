/*
 * refresh.h - an open array becomes a newer state of itself.
 *
 * Requires exclusive access to the array and to its views. The struct of the array, its grid and
 * its frame stay where they are in memory, as views point to them; what they hold is exchanged. No
 * mutex; the lock file is held shared while the newest state is read (open.h).
 */
#ifndef ARRAY_OPEN_REFRESH_H
#define ARRAY_OPEN_REFRESH_H

#include "array/array.h"

// An array that is no view becomes the newest state at its path; *changed: it was another one. Of
// a writer, and of memory: only whether another program changed or moved it (TESS_ERR_STALE).
tess_status array_refresh(tess_array *a, bool *changed, tess_error *err);

// a, open for reading, becomes what another one is, which ends. Its views stay what they
// are if that has all their items, in the same layout; else they may not be used any more.
void array_replace_state(tess_array *a, tess_array *newest);

#endif
