/*
 * layers.h - fixed metalayers that make the frame another one.
 *
 * A frame has room for the metalayers that it was created with, and an N-dimensional one says
 * whether it is an array: with these the frame is written, or opened again.
 */
#ifndef COMPAT_SCHUNK_LAYERS_H
#define COMPAT_SCHUNK_LAYERS_H

#include "schunk/schunk.h"

#include <stdbool.h>
#include <tessera/meta.h>

// Whether a metalayer of that name is N-dimensional.
bool b2_layers_is_nd(const char *name);

// Add a metalayer. An N-dimensional one makes a super-chunk without chunks an array, whose chunks
// are to be appended; one that does not describe the chunks is kept as it is. Returns a code.
int b2_layers_add(struct b2_schunk *s, const tess_metalayer *layer);

// Replace the N-dimensional layer by one of the same size; the super-chunk is an array afterwards
// if that describes its chunks. Not for views. Returns a code.
int b2_layers_replace_nd(struct b2_schunk *s, const tess_metalayer *layer);

#endif
