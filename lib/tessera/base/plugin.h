/*
 * plugin.h - what codecs and filters of the program are told, and what they say.
 */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

#include "base/grid.h"

#include <tessera/plugin.h>

// Blocks of `blocksize` bytes; grid may be NULL. typesize: of the chunk.
tess_block plugin_block(const struct block_grid *grid, int32_t blocksize, int32_t typesize);

// A status that a plugin gave back; TESS_ERR_CORRUPT for what is none.
tess_status plugin_status(tess_status st);

#endif
