/*
 * shape.h - reads the N-dimensional layer of a damaged frame, and derives from it the sizes in the
 * header, the number of chunks, and the grid of blocks.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_SHAPE_H
#define SALVAGE_SHAPE_H

#include "geom/shape.h"
#include "meta/layers.h"
#include "salvage/job.h"

#include <stdbool.h>
#include <stdint.h>

// Whether there is an N-dimensional layer, intact or damaged.
bool salvage_is_array(const struct layers *metas);

// Compute the geometry of the array. typesize, chunksize: according to the header. That typesize is
// used if the layer names no type, or if with it the chunk shape gives that chunksize. False: there
// is no such layer, or it is inconsistent.
bool salvage_find_geometry(const struct layers *metas, int32_t typesize, int32_t chunksize,
                           struct geometry *g);

// Pass the grid of blocks to the frame: some filters and codecs need the block shape to decode.
void salvage_use_grid(struct salvage_job *j);

// Whether header, list and N-dimensional layer are consistent.
bool salvage_fits(const struct salvage_job *j);

#endif
