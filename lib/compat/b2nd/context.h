/*
 * context.h - how arrays are created.
 */
#ifndef COMPAT_B2ND_CONTEXT_H
#define COMPAT_B2ND_CONTEXT_H

#include <b2nd.h>
#include <tessera/params.h>

// Members and order are those of c-blosc2: some programs declare the struct and look at it.
struct b2nd_context_s {
    int8_t ndim;
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM];
    int32_t blockshape[B2ND_MAX_DIM];
    char *dtype;
    int8_t dtype_format;
    blosc2_storage *b2_storage; // a copy of the program's, with cparams of its own
    blosc2_metalayer metalayers[B2ND_MAX_METALAYERS]; // contents are the program's
    int32_t nmetalayers;

    bool dtype_given; // by the program; else dtype is |S with the item size
    tess_layer layer; // name of the metalayer; `b2nd`, unless the interface of Caterva sets it
};

// The parameters of an array, as ctx says; metalayers has room for B2ND_MAX_METALAYERS. Returns a
// code.
int nd_context_params(const b2nd_context_t *ctx, tess_params *params, tess_metalayer *metalayers);

#endif
