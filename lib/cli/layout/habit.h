/*
 * habit.h - the layout that other programs give an array when nothing is said of its use.
 *
 * c-blosc2 and Caterva choose no shapes, their callers must. What most files have therefore comes
 * from python-blosc2 (blosc2.asarray() and the like): shapes that follow the caches and grow from
 * the last axis on, Zstandard 5, shuffle. The rule is that of compute_chunks_blocks() in its
 * release 3, on x86-64.
 */
#ifndef CLI_LAYOUT_HABIT_H
#define CLI_LAYOUT_HABIT_H

#include "cli/layout/machine.h"

#include <tessera/params.h>

// Sets chunkshape, blockshape, codec, level and filters; needs shape and typesize, with no empty
// axis.
void habit_choose(const struct machine *machine, tess_params *params);

#endif
