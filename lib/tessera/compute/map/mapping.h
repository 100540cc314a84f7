/*
 * mapping.h - several arrays in step: which, how their axes belong together, and what is done with
 * their boxes. Filled by the caller and by shape.h; does not change while map_run() works.
 */
#ifndef COMPUTE_MAP_MAPPING_H
#define COMPUTE_MAP_MAPPING_H

#include "array/array.h"
#include "array/convert.h"

#include <tessera/map.h>

struct frame_staged;

struct map_input {
    const tess_array *a;
    const uint8_t *fill; // for TESS_EDGE_FILL; NULL: the array's
    bool converts; // items become those of `typed`
    struct typed typed;
    int64_t itemsize; // as handed out

    // By shape.h.
    int first; // of the common axes: that of its axis 0
    bool broadcast[NDIM_MAX]; // for each common axis: it is one layer again and again
};

struct map_output {
    tess_array *a;
    struct frame_staged *staged; // where its chunks go; NULL: to the open change of its frame
};

struct mapping {
    int ninputs, noutputs;
    struct map_input *inputs;
    struct map_output *outputs;
    int64_t halo[NDIM_MAX];
    tess_edge edge;
    int64_t memory; // bytes of items at once
    int threads; // as in struct task_width
    const tess_executor *executor; // likewise

    // The outputs of a box; any thread, several at once. *next: what is done with it and the rest.
    tess_status (*part)(void *self, const tess_map_part *part, tess_each_next *next,
                        tess_error *err);
    // One item of each output, from one of each input that is the same in all of a box. NULL: such
    // boxes are parts, too.
    void (*constant)(void *self, const void *const *inputs, void *const *outputs);
    void *self;

    // By shape.h.
    int ndim;
    int64_t shape[NDIM_MAX];
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // the box to be done
};

#endif
