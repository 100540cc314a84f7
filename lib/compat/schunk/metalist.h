/*
 * metalist.h - the lists of metalayers that a super-chunk shows.
 */
#ifndef COMPAT_SCHUNK_METALIST_H
#define COMPAT_SCHUNK_METALIST_H

#include "schunk/schunk.h"

// Set the lists of metalayers from the handle. The super-chunk is locked exclusively, or new.
// Returns a code; on failure the lists are what they were.
int b2_metas_load(struct b2_schunk *s);
void b2_metas_free(struct b2_schunk *s);

// Replace what the list shows of a metalayer; not what the array has. Returns a code.
int b2_metas_show(struct b2_schunk *s, const char *name, const uint8_t *content, int32_t size);

// The content of a listed variable-length metalayer, to be freed; NULL if it is empty. Returns a
// code.
int b2_metas_content(const struct b2_schunk *s, int index, uint8_t **content, int32_t *size);

#endif
