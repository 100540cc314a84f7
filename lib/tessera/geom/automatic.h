/*
 * automatic.h - automatic chunk and block shapes.
 *
 * Nothing is known of how the array will be used. So blocks are those in which, of a standard mix,
 *
 *     a plane and a line along each axis, single items, boxes of 10 and of 64 items along each
 *     axis, and a plane that is appended along the first axis,
 *
 * the access that is worst off, compared with blocks made for it alone, is best off; among those in
 * which reading everything, writing everything and the stored bytes are near the best that can be.
 * What that costs is predicted by geom/model.h with the prices of the codec: of a byte, of a block,
 * and of small blocks, which compress less.
 */
#ifndef GEOM_AUTOMATIC_H
#define GEOM_AUTOMATIC_H

#include "geom/model.h"

#include <stdint.h>

// What the choice depends on, besides the shape; never the machine.
struct automatic_wish {
    int64_t typesize;
    struct model model; // prices of the codec
    int64_t least; // items of a block along each axis that has so many: cells of the codec
};

/*
 * Fill in the shapes that are all zero; a shape that was given stays. Along each axis the lengths
 * divide the array's with little left over. Chunks have about 4 MiB.
 */
void automatic_choose(int ndim, const int64_t *shape, const struct automatic_wish *wish,
                      int64_t *chunkshape, int64_t *blockshape);

#endif
