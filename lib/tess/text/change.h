/*
 * change.h - what a command that changes a shape prints.
 */
#ifndef TESS_TEXT_CHANGE_H
#define TESS_TEXT_CHANGE_H

#include "options.h"

#include <tessera/array.h>

// The shape, and the one before; with --json as an object.
void change_print(const struct arguments *args, const tess_info *before, const tess_info *after);

#endif
