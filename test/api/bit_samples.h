/*
 * bit_samples.h - small arrays whose bits are flipped (every_bit.c): of every kind that has parts
 * of its own in the file.
 */
#ifndef API_BIT_SAMPLES_H
#define API_BIT_SAMPLES_H

#include <tessera.h>

#include <stdbool.h>

struct bit_sample {
    const char *name;
    bool directory;
    bool sealed; // all of it was written by us, with checksums
    void (*make)(const char *path);
    const char *golden; // or a file of another writer, in the folder that TESS_GOLDEN says
};

// The last one has no name.
extern const struct bit_sample bit_samples[];

// Its file or directory, under a path that is free.
void bit_sample_make(const struct bit_sample *sample, const char *path);

#endif
