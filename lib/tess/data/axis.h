/*
 * axis.h - axes as options name them: 0 is the first one, -1 the last one.
 */
#ifndef TESS_DATA_AXIS_H
#define TESS_DATA_AXIS_H

#include <tessera/params.h>

// The axis that the value of --axis names, of `ndim`; 0 if there is no value (NULL).
tess_status axis_parse(const char *text, int ndim, int *axis, tess_error *err);

// Several, each once, with commas between them. axes: room for ndim. option: for the message.
tess_status axis_parse_list(const char *option, const char *text, int ndim, int *axes, int *naxes,
                            tess_error *err);

#endif
