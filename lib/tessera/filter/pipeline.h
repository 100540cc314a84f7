/*
 * pipeline.h - the transformations between items and codec, on one block.
 *
 * A pipeline has six slots. Compressing, slots 0 to 5 are applied in this order; decoding, slots
 * 5 to 0 are undone. All filters keep the size of the block. The bytes behind the last whole
 * element are copied unchanged by every filter, in both directions.
 *
 * pipeline_init() is the one place that looks filters up and has their metas checked; the rest
 * relies on it. Each step is one call per block through its filter's object.
 *
 * Not here: the filters (filter.h), their kernels (kernels.h), cutting a block into streams
 * (chunk/).
 */
#ifndef FILTER_PIPELINE_H
#define FILTER_PIPELINE_H

#include "filter/filter.h"

// A checked pipeline: only the slots in use, in the order of compression.
struct pipeline {
    int count;
    int nfront; // steps in front of the others that leave nothing to undo
    filter_fn *undo[FILTER_SLOTS]; // of each step; NULL: nothing to undo
    int32_t planes; // width of the first step to undo, if it makes planes; else 0
    struct filter_step step[FILTER_SLOTS];
    struct filter_blocks blocks;
    const struct filter *referring; // the filter that needs the content of block 0; NULL: none
    bool lossy; // holds a filter that loses information when compressing
    bool has_user; // holds a filter of the program, which may make zeros of any items
};

// Check a pipeline for decoding: TESS_ERR_UNSUPPORTED for filters this build cannot undo, or which
// need the width or the grid of an array that is not at hand; TESS_ERR_CORRUPT for a typesize out
// of range, or cells that do not go with the blocks.
tess_status pipeline_init(const struct filter_spec *spec, struct pipeline *p, tess_error *err);

// Whether what was encoded and decoded once is the same each time from then on: bits that were
// cleared stay so, means of cells do not stay what they are.
bool pipeline_brings_back(const struct pipeline *p);

// Further checks for encoding (TESS_ERR_ARG): metas of the lossy filters, typesizes they work
// and cells they work with, filters that are only read, lossy filters before delta.
// pipeline_forward() needs it.
tess_status pipeline_check_encode(const struct pipeline *p, tess_error *err);

// Whether a block may stand at this place: filters of the program get blocks that are aligned for
// all types, others take any.
bool pipeline_takes(const struct pipeline *p, const void *place);

/*
 * Apply the pipeline to `block` of `size` bytes, block number `nblock` of its chunk.
 *
 * ref is the original content of block 0, `size` bytes at least of it; used if there is a referring
 * filter and nblock > 0, may be NULL otherwise. tmp1 and tmp2 hold `size` bytes each and overlap
 * nothing. The pipeline takes all three places (pipeline_takes()). *out tells where the result is:
 * block itself (no filter), tmp1 or tmp2. block is not written to. Only filters of the program can
 * fail.
 */
tess_status pipeline_forward(const struct pipeline *p, const uint8_t *block, int32_t nblock,
                             const uint8_t *ref, uint8_t *tmp1, uint8_t *tmp2, size_t size,
                             const uint8_t **out, tess_error *err);

/*
 * Undo the pipeline, from its last step down to (not including) the first `keep` steps; those in
 * front that leave nothing to undo do not count.
 *
 * keep = 0 undoes all of it; keep = 1 leaves the first step for a caller that undoes it while
 * placing the items (see pipeline_planes()). src holds the filtered block; tmp2 may be src, if it
 * is not needed any more. The result is in src itself (nothing to undo), tmp1 or tmp2, as *out
 * tells. ref is the final content of block 0, for nblock > 0. Only filters of the program can fail.
 */
tess_status pipeline_backward(const struct pipeline *p, int keep, const uint8_t *src,
                              int32_t nblock, const uint8_t *ref, uint8_t *tmp1, uint8_t *tmp2,
                              size_t size, const uint8_t **out, tess_error *err);

// If the first step to undo is a shuffle as wide as an item of `itemsize` bytes, so that items can
// be picked out of the planes one by one: that width; else 0. Then keep = 1 above leaves plane j of
// `size / width` bytes at j * (size / width).
int32_t pipeline_planes(const struct pipeline *p, int32_t itemsize);

// How many steps pipeline_backward() undoes behind the first `keep`. Each writes to the other of
// tmp1 and tmp2, the first to tmp1.
int pipeline_count_undone(const struct pipeline *p, int keep);

// Whether pipeline_backward() would find nothing to undo behind the first `keep` steps.
bool pipeline_is_undone(const struct pipeline *p, int keep);

// Whether a step, of whatever width, makes planes.
bool pipeline_makes_planes(const struct pipeline *p);

// Whether what the codec is given still are items, though changed or in another order.
bool pipeline_keeps_items(const struct pipeline *p);

#endif
