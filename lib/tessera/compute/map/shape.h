/*
 * shape.h - arrays of different shapes as one.
 */
#ifndef COMPUTE_MAP_SHAPE_H
#define COMPUTE_MAP_SHAPE_H

#include "compute/map/mapping.h"

// The shape of the outputs, or, if there are none, that to which the inputs broadcast; and how the
// axes of the inputs belong to it. TESS_ERR_ARG: the shapes do not fit together.
tess_status map_shape(struct mapping *m, tess_error *err);

#endif
