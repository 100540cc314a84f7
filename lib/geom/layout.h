/*
 * layout.h - chunk and block shapes for those who give none.
 */
#ifndef GEOM_LAYOUT_H
#define GEOM_LAYOUT_H

#include <stdint.h>

/*
 * Fill in the shapes that are all zero; a shape that was given stays. Blocks are sized so that a
 * few of them fit in a core's L2 cache, chunks so that a few fit in L3. Along each axis the
 * lengths divide the array's with little left over.
 */
void layout_choose(int ndim, const int64_t *shape, int64_t typesize, int64_t *chunkshape,
                   int64_t *blockshape);

#endif
