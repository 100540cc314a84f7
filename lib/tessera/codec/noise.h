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

// Which share of the words of a stream, of four bytes, occurred before in it.
enum repeats {
    REPEATS_UNKNOWN, // was not looked for
    REPEATS_NONE, // at most 1 word in 64: an LZ77 encoder would gain nothing
    REPEATS_FEW, // at most 1 word in 4
    REPEATS_MANY,
};

// The answer comes from a sample of one word of each 32 bytes, 4096 words at most, and fewer where
// words come again early.
// REPEATS_MANY for streams of less than 1 KiB, which are too short for a sample.
enum repeats bytes_repeat(const uint8_t *src, size_t size);

// Whether all values are equally frequent everywhere in src, and hardly any word of three bytes
// occurs twice, so that no encoder makes it smaller by more than a few per cent. The answer comes
// from samples; it is false below 4096 bytes, which are too few for them.
bool bytes_are_noise(const uint8_t *src, size_t size);

#endif
