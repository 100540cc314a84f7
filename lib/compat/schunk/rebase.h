/*
 * rebase.h - views follow the handle of their base.
 */
#ifndef COMPAT_SCHUNK_REBASE_H
#define COMPAT_SCHUNK_REBASE_H

#include "schunk/schunk.h"

// Whether s is a view of a handle that its base has no more. The lock is held.
bool b2_view_is_behind(const struct b2_schunk *s);

// If it is, make it a view of the handle that the base has. The lock is held exclusively. Returns
// a code; after a failure s is as it was.
int b2_view_renew(struct b2_schunk *s);

#endif
