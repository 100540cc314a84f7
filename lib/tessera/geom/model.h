/*
 * model.h - how long an access is expected to take in a layout.
 *
 * It counts what an access meets,
 *
 *     chunks and blocks, for a box at a random place: along an axis with parts of length p a range
 *     of e items meets 1 + (e - 1) / p of them; a whole axis meets all, padding included,
 *
 * and gives each a price:
 *
 *     chunks * chunk + blocks * block + decoded bytes * decode + rows * row    on all threads
 *   + decoded bytes / ratio / disk speed + chunks * disk latency               one after another
 *
 * Blocks that do not fit the second-level cache together with what is decoded from them cost more
 * per byte, small ones compress less. Writing encodes all bytes. A box that is written decodes and
 * encodes each block that it meets; appended items are encoded once if a row of chunks across the
 * growing axis fits the cache of blocks, else with each append.
 *
 * Who asks brings the prices: those of the codec when an array is created without shapes
 * (geom/automatic.h), measured ones in `tess layout`, where the model only has to put layouts in an
 * order that is worth measuring, and to tell what part of the work on an array its sample stands
 * for.
 */
#ifndef GEOM_MODEL_H
#define GEOM_MODEL_H

#include "base/limits.h"

#include <stdint.h>

enum access_kind {
    ACCESS_READ, // a box, anywhere in the array
    ACCESS_UPDATE, // likewise, written
    ACCESS_APPEND, // the array grows by the box
    ACCESS_WRITE // the array is made from its items
};

#define ACCESS_WHOLE (-1)

struct access {
    enum access_kind kind;
    int axis; // that grows
    int64_t extent[NDIM_MAX]; // of the box; ACCESS_WHOLE: all of the axis
};

// The box in an array of that shape: the extent, whole axes and too long ones cut to it.
static inline void
access_extent(const struct access *a, int ndim, const int64_t *shape, int64_t *extent)
{
    for (int i = 0; i < ndim; i++)
        extent[i] =
            a->extent[i] == ACCESS_WHOLE || a->extent[i] > shape[i] ? shape[i] : a->extent[i];
}

struct grid {
    int64_t chunk[NDIM_MAX];
    int64_t block[NDIM_MAX];
};

struct model {
    double decode, encode; // seconds per byte on one thread
    double block; // seconds per block, whatever it has
    int threads;
    int64_t l2; // bytes of the second-level cache; 0: blocks of all sizes cost the same per byte
    int64_t cache; // bytes of decoded blocks that an array keeps
    double ratio;
    double small_loss; // of the ratio, with each half of a block below MODEL_SMALL_BLOCK bytes
    double disk_speed; // bytes per second; 0: what is read is in memory already
    double disk_latency; // seconds per chunk
};

#define MODEL_SMALL_BLOCK (INT64_C(32) << 10)

// Prices of blocks where the codec gives none.
#define MODEL_BLOCK 0.7e-6
#define MODEL_SMALL_LOSS 0.04

// Seconds of one access to an array of that shape.
struct model_cost {
    double cpu;
    double disk;
};

// Items per axis are those of `shape`, so that a sample of the array has a cost of its own.
struct model_cost model_predict(const struct model *m, const struct access *a, int ndim,
                                const int64_t *shape, int32_t typesize, const struct grid *g);

// A grid of an array, counted once for many accesses. It refers to what it was made from.
struct model_counts {
    int ndim;
    const int64_t *shape;
    int32_t typesize;
    const struct grid *grid;
    double chunks[NDIM_MAX], blocks[NDIM_MAX]; // of the array, along each axis
    double block_bytes;
};

void model_count(struct model_counts *c, int ndim, const int64_t *shape, int32_t typesize,
                 const struct grid *g);

// model_predict().cpu
double model_cpu(const struct model *m, const struct access *a, const struct model_counts *c);

// Seconds that an access waits for the disk if the array compresses that well.
double model_disk(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
                  int32_t typesize, const struct grid *g, double ratio);

// Seconds of reading or writing so many bytes of items, in so many rows, where blocks have just
// these items and `block_bytes` or less.
double model_best(const struct model *m, enum access_kind kind, double bytes, double rows,
                  double block_bytes);

// How much larger an array is in blocks of so many bytes than in large ones; 1 for these.
double model_growth(const struct model *m, double block_bytes);

#endif
