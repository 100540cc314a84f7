/*
 * store_place.h - a store in a directory of its own, the same for each input but for its newest
 * commit.
 */
#ifndef FUZZ_STORE_PLACE_H
#define FUZZ_STORE_PLACE_H

#include <stddef.h>
#include <stdint.h>

// Where it is; removed when the program ends.
const char *store_place(void);

// The store as it was made, of two commits; its newest one is that instead, with such an ending.
void store_place_put(const char *ending, const uint8_t *bytes, size_t size);

// The newest commit as it was made.
const uint8_t *store_place_commit(size_t *size);

#endif
