/*
 * owner.h - the array that packets of strangers are for.
 */
#ifndef FUZZ_OWNER_H
#define FUZZ_OWNER_H

#include <tessera.h>

enum { OWNER_ROWS = 20, OWNER_COLUMNS = 21, OWNER_CHUNKS = 9 };

// In memory, none of its chunks was ever written. Its packets have 4-byte items in chunks of 8 x 8.
tess_array *owner_open(tess_codec codec, uint8_t filter);
// The same in a file.
tess_array *owner_create(const char *path);

#endif
