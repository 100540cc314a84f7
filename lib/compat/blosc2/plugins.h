/*
 * plugins.h - registered codecs and filters as plugins of libtessera.
 */
#ifndef COMPAT_BLOSC2_PLUGINS_H
#define COMPAT_BLOSC2_PLUGINS_H

#include <blosc2.h>
#include <stdbool.h>
#include <tessera/plugin.h>

// What functions of the program are told besides the bytes.
struct b2_told {
    blosc2_cparams cparams;
    blosc2_dparams dparams;
    const void *chunk; // that is made or read; NULL: not known
};

struct b2_plugins;

// All that are registered now; *p is NULL if there are none. `told` may change, and must stay valid
// until b2_plugins_free(). BLOSC2_ERROR_MEMORY_ALLOC; then *p is NULL.
int b2_plugins_new(const struct b2_told *told, struct b2_plugins **p);
void b2_plugins_free(struct b2_plugins *p); // NULL: fine

// Whether this thread is in a codec or filter of the program that works for the super-chunk: then
// what it calls may have to do without locks, which the call that waits for it holds.
bool b2_plugins_work_for(const blosc2_schunk *schunk);

// For tess_storage and tess_chunk_options; valid as long as p. NULL: there are none.
const tess_plugins *b2_plugins_lists(const struct b2_plugins *p);

#endif
