/*
 * request.h - what the caller of a proposal or a search asks for, checked and complete.
 */
#ifndef LAYOUT_REQUEST_H
#define LAYOUT_REQUEST_H

#include "base/sized.h"
#include "layout/grids.h"
#include "layout/machine.h"
#include "layout/mix.h"

#include <tessera/layout.h>

#include <stdbool.h>

#define TUNER_OPTIONS_LEAST SIZED_UP_TO(tess_tuner_options, stored)

struct request {
    tess_params base; // the array, with what is to be kept, and the codec to begin with
    tess_tuner_options options; // its pointers are not used; see below
    tess_context context; // its executor is the one below, or NULL
    tess_executor executor;
    tess_params stored; // the array's own layout
    bool has_stored;

    struct mix mix;
    struct grid automatic; // the library's choice, with the shapes that are kept
    struct grid_space space; // without what depends on a sample
    struct machine machine;
};

// options NULL: the defaults. What params refers to must live as long as the request.
// Bytes of decoded blocks that an array of the request may keep.
int64_t request_cache(const struct request *r);

tess_status request_init(struct request *r, const tess_params *params,
                         const tess_tuner_options *options, tess_error *err);

// The most threads that work on a call with the context of the request; at least 1.
int request_threads(const struct request *r);

#endif
