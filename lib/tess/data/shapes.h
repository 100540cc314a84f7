/*
 * shapes.h - shapes on the command line, and those of an array that is made from another one.
 */
#ifndef TESS_DATA_SHAPES_H
#define TESS_DATA_SHAPES_H

#include "options.h"

#include <tessera/params.h>

// "400x400x400", the value of an option or of a word (""): one length per axis, none negative. The
// empty string is the shape of 0 dimensions. *ndim and *shape hold anything after TESS_ERR_ARG.
tess_status shapes_parse(const char *option, const char *text, int *ndim, int64_t *shape,
                         tess_error *err);

/*
 * params are those of the other one, with the shape of the new one. Chunks and blocks are cut to
 * it; they are chosen anew for other axes (reshaped); and so are blocks for other chunks, which
 * --chunks gives. Dictionaries go with --codec.
 */
void shapes_adapt(tess_params *params, bool reshaped, const struct arguments *args);

#endif
