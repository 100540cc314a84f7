/*
 * change.h - what a command that changes a shape prints.
 */
#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include "cli/options.h"

#include <tessera/array.h>

// The shape, and the one before; with --json as an object.
void change_print(const struct arguments *args, const tess_info *before, const tess_info *after);

#endif
