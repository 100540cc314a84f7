/*
 * shapes.h - shapes of chunks and blocks of an array that is made from another one.
 */
#ifndef CLI_SHAPES_H
#define CLI_SHAPES_H

#include "cli/options.h"

#include <tessera/params.h>

/*
 * params are those of the other one, with the shape of the new one. Chunks and blocks are cut to
 * it; they are chosen anew for other axes (reshaped); and so are blocks for other chunks, which
 * --chunks gives. Dictionaries go with --codec.
 */
void shapes_adapt(tess_params *params, bool reshaped, const struct arguments *args);

#endif
