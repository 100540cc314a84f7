/*
 * params.h - layout and codec options (OPTS_LAYOUT) as tess_params.
 */
#ifndef TESS_DATA_PARAMS_H
#define TESS_DATA_PARAMS_H

#include "options.h"

#include <tessera/params.h>

/*
 * Fill codec, filters, split, dictionary, layout, layer, chunk and block shape of *params from the
 * options given, and leave what was not given. params->ndim must be set: the shapes have to match
 * it. TESS_ERR_ARG names the option that is wrong.
 */
tess_status params_set(tess_params *params, const struct arguments *args, tess_error *err);

// Whether a level is given, by --level or as --codec NAME:LEVEL.
bool params_has_level(const struct arguments *args);

#endif
