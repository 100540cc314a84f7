/*
 * grow.h - an array that grows by the items of an input.
 */
#ifndef TESS_FORMATS_GROW_H
#define TESS_FORMATS_GROW_H

#include "options.h"

/*
 * The command "PATH IN" that puts the items of IN at an index of the axis --axis: that of --at, or
 * with at_end behind the last one. Prints the new shape and the one before. If it fails, or a
 * signal comes, the array gets the items back that it had. Returns the exit status.
 */
int grow_run(const struct arguments *args, bool at_end);

#endif
