/*
 * limit.h - what the codec alone would need for an array, and the codec with placed rows.
 *
 * A cube of float32 is cut into the blocks of layout.h, filtered and cut into streams by the
 * rules of the format. Encoding and decoding these, on one thread and with nothing around it, is
 * the time that no library on top of the same codec can beat by much. Placing the rows of the
 * blocks in the user's memory is work that cannot be avoided either: with it, it is the limit.
 */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include "layout.h"

#include <stdint.h>

// Ids of filters, as the format numbers them.
enum limit_filter { LIMIT_NONE = 0, LIMIT_SHUFFLE = 1, LIMIT_BITSHUFFLE = 2 };

// A cube as filtered blocks.
struct limit_blocks;

struct limit_blocks *limit_blocks_new(const float *field, int64_t side, enum limit_filter filter);
void limit_blocks_free(struct limit_blocks *b); // NULL is fine

// The compressed streams of these blocks.
struct limit_streams;

// NULL if the codec cannot be had without the library (BloscLZ). The blocks must stay.
struct limit_streams *limit_streams_new(const struct limit_blocks *b, int codec, int level);
void limit_streams_free(struct limit_streams *s); // NULL is fine

// Compress all blocks.
void limit_encode(struct limit_streams *s);

// Copy the rows of all blocks to scratch, as a writer must.
void limit_gather(const struct limit_blocks *b, const float *field);

// Decompress the blocks that a box touches, whole, into scratch. With dst not NULL also copy their
// rows to where they belong in it; their bytes are still filtered, what counts is the movement.
void limit_decode(struct limit_streams *s, const struct layout_box *box, float *dst);

// End the program unless the streams decode to the blocks.
void limit_check(struct limit_streams *s);

#endif
