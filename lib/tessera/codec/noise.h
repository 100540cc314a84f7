/*
 * noise.h - telling bytes that no codec makes smaller.
 *
 * The low byte of measured floats is noise more often than not. Zstandard and the encoders of
 * DEFLATE spend on it what they spend on other bytes, only to give up at the end.
 */
#ifndef CODEC_NOISE_H
#define CODEC_NOISE_H

#include "codec/codec.h"

/*
 * Whether all values are equally frequent everywhere in src, and next to nothing in it comes
 * again: an encoder would gain nothing, or at most a few per cent. Costs a few microseconds when
 * the answer is no. Always false below 4096 bytes, which are too few to tell.
 */
bool bytes_are_noise(const uint8_t *src, size_t size);

// Whether to leave a stream to the codec of a call, or to store it as it is at once.
bool is_worth_encoding(const struct codec_call *call, const uint8_t *src, size_t size);

#endif
