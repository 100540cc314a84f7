/*
 * lz4_decode.h - decoding LZ4 blocks, as far as wanted; the format is described in lz4_decode.c.
 *
 * Where the processor shuffles bytes, this is faster than the library on what shuffled items
 * become, matches near by. The library's own function for parts is slower everywhere, on blocks
 * with many literals by far on some CPUs.
 */
#ifndef CODEC_LZ4_LZ4_DECODE_H
#define CODEC_LZ4_LZ4_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- loops over the sequences that lie far from the ends of a block

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

// -- blocks

struct lz4_dict {
    const uint8_t *bytes;
    size_t size; // 0: there is none
};

/*
 * Decompress the first `need` bytes (0 < need <= dst_size) of a block of dst_size bytes; what
 * stands behind them in dst may be written to. Matches may reach back into a dictionary.
 *
 * All of a block: true if the library takes it, with the same bytes. A part: true for every block
 * that the library takes, with the same bytes; for others only if the damage lies behind what was
 * needed, or changes nothing but what the bytes are.
 */
bool lz4_decode(const uint8_t *src, size_t src_size, const struct lz4_dict *dict, uint8_t *dst,
                size_t need, size_t dst_size);

// The same with the loop of some machine, for tests.
bool lz4_decode_with(lz4_loop_fn *loop, const uint8_t *src, size_t src_size,
                     const struct lz4_dict *dict, uint8_t *dst, size_t need, size_t dst_size);

// Whether all of a block is decoded faster than by the library.
bool lz4_decode_is_fast(void);

#endif
