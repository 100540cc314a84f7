/*
 * blosc2_default.h - the layout that python-blosc2 gives an array when no shapes are given.
 *
 * c-blosc2 and Caterva choose no shapes, their callers must. What most files have therefore comes
 * from python-blosc2 (blosc2.asarray() and the like): shapes that follow the caches and grow from
 * the last axis on, Zstandard 5, shuffle. The rule is that of compute_chunks_blocks() in its
 * release 3, on x86-64.
 *
 * It, and the search, look at the caches of the CPU, which are asked for here.
 */
#ifndef LAYOUT_BLOSC2_DEFAULT_H
#define LAYOUT_BLOSC2_DEFAULT_H

#include <tessera/params.h>

#include <stdint.h>

// The caches of the CPU, which blocks should suit.
struct machine {
    int64_t l1, l2, l3; // bytes of the data caches; usual ones where the system does not say
};

void machine_query(struct machine *m);

// Sets chunkshape, blockshape, codec, level and filters; needs shape and typesize, with no empty
// axis.
void blosc2_default_choose(const struct machine *machine, tess_params *params);

#endif
