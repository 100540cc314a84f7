/*
 * plot.h - what a search for layouts has found, as a drawing.
 *
 * Above, size against speed: each layout is a point, the front of those that no other beats in both
 * is a line, and the known ones have their names. Below, each access as bars, how many times faster
 * than in the automatic layout.
 */
#ifndef TESS_LAYOUT_PLOT_H
#define TESS_LAYOUT_PLOT_H

#include "layout/result.h"

// Before the work: whether there is a program that draws, gnuplot (TESS_ERR_UNSUPPORTED), and the
// name ends in .svg or .png (TESS_ERR_ARG).
tess_status plot_check(const char *name, tess_error *err);

// Draw to a new file `path`, as what the ending of `name` says.
tess_status plot_write(const struct result *r, const char *name, const char *path, tess_error *err);

#endif
