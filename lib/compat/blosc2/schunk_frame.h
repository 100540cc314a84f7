/*
 * schunk_frame.h - super-chunks from frames in files and memory, and to them.
 */
#ifndef COMPAT_BLOSC2_SCHUNK_FRAME_H
#define COMPAT_BLOSC2_SCHUNK_FRAME_H

#include "compat/blosc2/schunk.h"

// Write all that the super-chunk has to a file, or, if it is not to be contiguous, to a directory.
// Returns a code.
int b2_schunk_save(struct b2_schunk *s, const char *urlpath, tess_mode mode, bool contiguous);

#endif
