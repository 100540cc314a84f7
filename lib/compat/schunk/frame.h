/*
 * frame.h - super-chunks as frames in memory and files.
 */
#ifndef COMPAT_SCHUNK_FRAME_H
#define COMPAT_SCHUNK_FRAME_H

#include "schunk/schunk.h"

// Write all that the super-chunk has to a file, or, if it is not to be contiguous, to a directory.
// Returns a code.
int b2_schunk_save(struct b2_schunk *s, const char *urlpath, tess_mode mode, bool contiguous);

#endif
