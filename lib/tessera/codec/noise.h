/*
 * noise.h - what a look at samples of a stream says about it, before an encoder spends time on it.
 *
 * The low bytes of measured numbers are noise more often than not: encoders spend on them what
 * they spend on other bytes, only to give up at the end.
 */
#ifndef CODEC_NOISE_H
#define CODEC_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How much of a stream comes again in it, in words of four bytes or more.
enum repeats {
    REPEATS_UNKNOWN, // nobody looked
    REPEATS_NONE, // of at most one word in 64: an LZ77 encoder would gain nothing
    REPEATS_FEW, // of at most 3 words in 16
    REPEATS_MANY,
};

// By one word in each 32 bytes; of streams beyond 128 KiB, by 4096 words. Streams of less than 1
// KiB, which are too short to tell, are said to have many repeats.
enum repeats bytes_repeat(const uint8_t *src, size_t size);

// Whether all values are equally frequent everywhere in src, and next to nothing in it comes
// again, so that no encoder makes it smaller by more than a few per cent. By samples; always false
// below 4096 bytes, which are too few to tell.
bool bytes_are_noise(const uint8_t *src, size_t size);

#endif
