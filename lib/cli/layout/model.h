/*
 * model.h - how long an access is expected to take in a layout.
 *
 * The model only has to put layouts in an order that is worth measuring, and to tell what part of
 * the work on an array its sample stands for. It counts what an access meets,
 *
 *     chunks and blocks, for a box at a random place: along an axis with parts of length p a range
 *     of e items meets 1 + (e - 1) / p of them; a whole axis meets all, padding included,
 *
 * and gives each a price:
 *
 *     chunks * CHUNK + blocks * BLOCK + decoded bytes * decode + rows * ROW      on all threads
 *   + decoded bytes / ratio / disk speed + chunks * disk latency                 one after the
 * other
 *
 * `decode` and `encode`, seconds per byte, and `ratio` are measured, once, with the automatic
 * layout. Blocks that do not fit the second-level cache together with what is decoded from them
 * cost more per byte, small ones compress less. Writing encodes all bytes. A box that is written
 * decodes and encodes each block that it meets; appended items are encoded once if a row of chunks
 * across the growing axis fits the cache of blocks, else with each append.
 */
#ifndef CLI_LAYOUT_MODEL_H
#define CLI_LAYOUT_MODEL_H

#include "cli/layout/access.h"
#include "cli/layout/grid.h"
#include "cli/layout/machine.h"

struct model {
    struct machine machine;
    int threads;
    int64_t cache; // bytes of decoded blocks that an array keeps
    double decode, encode; // seconds per byte on one thread
    double ratio;
    double disk_speed; // bytes per second; 0: what is read is in memory already
    double disk_latency; // seconds per chunk
};

// Seconds of one access to an array of that shape.
struct model_cost {
    double cpu;
    double disk;
};

// Items per axis are those of `shape`, so that a sample of the array has a cost of its own.
struct model_cost model_predict(const struct model *m, const struct access *a, int ndim,
                                const int64_t *shape, int32_t typesize, const struct grid *g);

// The same for all of a mix, each access as often as it says.
double model_predict_mix(const struct model *m, const struct access_mix *mix,
                         const struct grid_space *space, const struct grid *g);

// Seconds that an access waits for the disk if the array compresses that well.
double model_disk(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
                  int32_t typesize, const struct grid *g, double ratio);

#endif
