/*
 * lz4_loop.h - the loops over the sequences of an LZ4 block that lie far from its ends.
 *
 * A loop reads and writes in wide steps, more than a sequence has, and stops in front of the first
 * one that it does not take: near an end, long beyond measure, into a dictionary, or damaged. That
 * one is decoded by lz4_decode.c, with all checks.
 */
#ifndef CODEC_LZ4_LZ4_LOOP_H
#define CODEC_LZ4_LZ4_LOOP_H

#include <stddef.h>
#include <stdint.h>

// Bytes of input and room for output with which a loop is worth calling; and output that must be
// there, for loops that read up to so many bytes before a match.
#define LZ4_LOOP_IN 40
#define LZ4_LOOP_OUT 64
#define LZ4_LOOP_MADE 16

struct lz4 {
    const uint8_t *src;
    const uint8_t *end;
    const uint8_t *first; // of the output
    uint8_t *dst;
    const uint8_t *wanted; // where to stop
    const uint8_t *stop; // end of the output
};

// Decodes from d->src to d->dst, as far as it can; not far beyond d->wanted.
typedef void lz4_loop_fn(struct lz4 *d);

// The one for a mask of base/cpu.h; 0 gives plain C.
lz4_loop_fn *lz4_loop_for(unsigned cpu);

lz4_loop_fn lz4_loop_c, lz4_loop_ssse3, lz4_loop_avx2, lz4_loop_neon;

#endif
