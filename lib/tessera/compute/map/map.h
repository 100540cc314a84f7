/*
 * map.h - several arrays in step: boxes of the inputs are read, a function makes those of the
 * outputs of them, and these are stored.
 *
 * Boxes go through in *waves*: as many as memory holds are read and computed, by all threads and in
 * any order; then the calling thread stores them in order, box by box, and threads help to encode
 * each. So what is stored does not depend on threads. With one thread, a wave is one box, which is
 * stored while it is in the cache of the CPU.
 *
 * Threads: a mapping is filled by the caller and by map_shape(), and does not change while
 * map_run() works. A struct run belongs to the call. `nslots` changes between jobs; a slot is
 * written by the worker that has it, and read by the calling thread after the job. `stopped` is
 * atomic. No lock is held, and no gate entered, while the function runs.
 */
#ifndef COMPUTE_MAP_MAP_H
#define COMPUTE_MAP_MAP_H

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

    // By map_shape().
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

    // By map_shape().
    int ndim;
    int64_t shape[NDIM_MAX];
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // the box to be done
};

// The shape of the outputs, or, if there are none, that to which the inputs broadcast; and how the
// axes of the inputs belong to it. TESS_ERR_ARG: the shapes do not fit together.
tess_status map_shape(struct mapping *m, tess_error *err);

// The mapping is complete, and its box has items. The caller has the turns of the chunks of the
// outputs, of which none is dirty, or exclusive access (map_commit()).
tess_status map_run(const struct mapping *m, struct watch *watch, tess_error *err);

/*
 * The same for outputs that others may use: all of them change at its end, or none. The box of the
 * mapping has items; no two outputs have the same grid. Their `staged` is set here.
 *
 * Calls that change chunks of one of the outputs, or write to them, wait for each other
 * (grid/write/turns.h). Inputs are read as any reader does; an array that is input and output shows
 * what it had before, since what is staged is in no list of chunks.
 */
tess_status map_commit(struct mapping *m, struct watch *watch, tess_error *err);

#endif
