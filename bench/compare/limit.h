/*
 * limit.h - what the codec alone would need for the same array, with the rows placed or gathered.
 *
 * The array is cut into blocks, which are filtered, cut into streams and encoded as the library
 * does it. Decoding such streams, up to the last item that a box needs, and moving rows of the same
 * lengths is work that no reader can avoid; encoding all of them and moving the rows once is what
 * no writer can avoid. One thread.
 */
#ifndef COMPARE_LIMIT_H
#define COMPARE_LIMIT_H

#include "side.h"

#include <stdbool.h>
#include <stdint.h>

struct limit;

// The streams of src. With `liblz4` streams of LZ4 are decoded by its library, else by our decoder.
struct limit *limit_new(const struct side_array *array, const void *src, bool liblz4);
void limit_free(struct limit *l); // NULL is fine

// Encode all blocks, and gather the rows of all of them.
void limit_write(struct limit *l, const void *src);

// Decode the blocks that a box touches and copy their rows to where they belong in dst; their bytes
// are still filtered, what counts is the movement. With `part` codecs that can stop do so behind
// the last byte that is needed; where they are slow at that, whole streams are faster.
void limit_read(struct limit *l, const struct side_box *box, uint8_t *dst, bool part);

#endif
