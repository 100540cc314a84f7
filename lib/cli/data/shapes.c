/*
 * shapes.c - shapes of chunks and blocks of an array that is made from another one.
 */
#include "cli/data/shapes.h"

#include <string.h>

void
shapes_adapt(tess_params *p, bool reshaped, const struct arguments *args)
{
    for (int i = 0; i < p->ndim; i++) {
        const int64_t length = p->shape[i] > 0 ? p->shape[i] : 1;

        if (p->chunkshape[i] > length)
            p->chunkshape[i] = length;
        if (p->blockshape[i] > p->chunkshape[i])
            p->blockshape[i] = p->chunkshape[i];
    }
    if (reshaped)
        memset(p->chunkshape, 0, sizeof p->chunkshape);
    if (reshaped || args->values[OPT_CHUNKS])
        memset(p->blockshape, 0, sizeof p->blockshape);
    if (args->values[OPT_CODEC])
        p->dictionary = false; // not every codec takes one
}
