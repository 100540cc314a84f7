/*
 * place.h - where the files of one input lie: under a name in a temporary directory that is made
 * once, in TMPDIR or else in memory, and is gone at the end of the program.
 */
#ifndef FUZZ_PLACE_H
#define FUZZ_PLACE_H

#include "fuzz/fuzz.h"

#define PLACE_NAME_SIZE 24 // of a file, the NUL included

// The path of an array. Nothing stands there after place_clear().
const char *place_path(void);
// Removes a file, or a directory without directories in it.
void place_clear(void);

// Writes the file that stands there, or if `name` is not NULL one in a directory there.
void place_put(const char *name, const uint8_t *bytes, size_t size);

// The file of chunk `number` of a sparse frame.
void place_chunk_name(unsigned number, char name[PLACE_NAME_SIZE]);

#endif
