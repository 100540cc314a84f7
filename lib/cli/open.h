/*
 * open.h - the array that a command is about.
 */
#ifndef CLI_OPEN_H
#define CLI_OPEN_H

#include "cli/options.h"

#include <tessera/array.h>

// Open for reading the array at `path`, as --offset says.
tess_status open_array(const char *path, const struct arguments *args, tess_array **a,
                       tess_error *err);

#endif
