/*
 * list.h - the chunks that programs see in blosc2_schunk.data: copies of each as it is stored.
 *
 * There is a list where there is no frame: in memory, not contiguous. It belongs to a super-chunk
 * and its views, whose members point to it, and is guarded by `counts` of their access. A chunk
 * that changes is forgotten, and copied again when the call that changed it ends. A run of special
 * chunks has one copy.
 */
#ifndef COMPAT_SCHUNK_LIST_H
#define COMPAT_SCHUNK_LIST_H

#include "schunk/schunk.h"

// Chunks first .. behind were replaced, or changed places. Takes `counts`.
void b2_list_forget(struct b2_schunk *s, int64_t first, int64_t behind);

// All of them. `counts` is locked.
void b2_list_forget_all(struct b2_chunks *c);

// The next b2_list_complete(), in the same call, has the bytes of chunk n from here.
void b2_list_give(struct b2_schunk *s, int64_t n, const uint8_t *chunk, int32_t size);

// Copy the chunks that are not listed, and show the list. `counts` is locked.
void b2_list_complete(struct b2_schunk *s, const tess_info *info);

// From now on the members of s show the list of its access, or no longer. Takes `counts`.
void b2_list_add(struct b2_schunk *s);
void b2_list_remove(struct b2_schunk *s);

void b2_list_free(struct b2_chunks *c);

#endif
