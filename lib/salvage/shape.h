/*
 * shape.h - what the N-dimensional layer of a damaged frame says, and what follows from it: the
 * sizes in the header, the number of chunks, the grid of blocks.
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

// Whether there is a layer that makes the frame an array, damaged or not.
bool salvage_is_array(const struct layers *metas);

// The geometry of the array; typesize and chunksize: of the header, whose items count where the
// layer has no type, or chunks agree with them. False: there is no such layer, or it contradicts
// itself.
bool salvage_find_geometry(const struct layers *metas, int32_t typesize, int32_t chunksize,
                           struct geometry *g);

// Tell the frame which neighbours items have: some filters and codecs need it to decode.
void salvage_use_grid(struct salvage_job *j);

// Whether header, list and N-dimensional layer fit together.
bool salvage_fits(const struct salvage_job *j);

#endif
