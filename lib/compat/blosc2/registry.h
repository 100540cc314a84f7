/*
 * registry.h - codecs and filters that the program registered for the whole process.
 *
 * Any thread may call. What is registered stays until b2_registry_clear().
 */
#ifndef COMPAT_BLOSC2_REGISTRY_H
#define COMPAT_BLOSC2_REGISTRY_H

#include <blosc2.h>

// Copies of what is registered now.
struct b2_registered {
    blosc2_codec *codecs;
    int ncodecs;
    blosc2_filter *filters;
    int nfilters;
};

// Whether anything is registered.
bool b2_registry_used(void);

// BLOSC2_ERROR_MEMORY_ALLOC; then *r is empty.
int b2_registered_copy(struct b2_registered *r);
void b2_registered_free(struct b2_registered *r); // zeroed: fine

// The codec with a number, or with a name; false: there is none.
bool b2_codec_by_id(int id, blosc2_codec *codec);
bool b2_codec_by_name(const char *name, blosc2_codec *codec);

// Forget everything.
void b2_registry_clear(void);

#endif
