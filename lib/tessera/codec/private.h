/*
 * private.h - what encoders and decoders of the codecs of ours share: BloscLZ and NDLZ. All these
 * functions are pure.
 */
#ifndef CODEC_PRIVATE_H
#define CODEC_PRIVATE_H

#include "codec/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- BloscLZ: a byte-oriented LZ77, derived from FastLZ by the Blosc project; its format is
// described in blosclz_decode.c

// Entries of the hash table that an encoder needs, uint32_t each; no initialisation needed.
#define BLOSCLZ_TABLE_SIZE (1u << 14)

// Compress; returns the size of the output, 0 if it would not fit in dst_size bytes.
size_t blosclz_encode(int level, enum repeats repeats, const uint8_t *src, size_t src_size,
                      uint8_t *dst, size_t dst_size, uint32_t *table);

// Decompress; returns the number of bytes made, dst_size if and only if src is a valid stream
// of exactly that many bytes, 0 on any error.
size_t blosclz_decode(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size);

// Decompress the first `need` bytes (0 < need <= dst_size) of a stream of dst_size bytes; what
// stands behind them in dst may be written to. True for every valid stream, false if it is damaged
// as far as it was read: to its end if need is dst_size.
bool blosclz_decode_part(const uint8_t *src, size_t src_size, uint8_t *dst, size_t need,
                         size_t dst_size);

// -- NDLZ: matches of cells and their rows, in two-dimensional arrays of bytes
//
// A stream says its shape, then comes one token per cell of 4 x 4 or 8 x 8 bytes. A cell's rows are
// literal, or found in an earlier part of the *compressed* stream.

enum {
    NDLZ_SIDE_MAX = 8,
    NDLZ_HEADER_SIZE = 9, // number of dimensions, two lengths
    NDLZ_LITERAL = 0x00, // all rows follow
    NDLZ_RUN = 0x40, // one byte for all
    NDLZ_CELL = 0xc0, // all rows at one offset
};

// Which rows of a cell (bit i: row i) stand together at the offset that follows a token; the others
// follow it. 0: another token.
extern const uint8_t ndlz_rows4[256];
extern const uint8_t ndlz_rows8[256];

// The tokens of side 4 with two offsets: the rows at the first; the others are at the second. 0:
// another token.
uint8_t ndlz_first_pair(uint8_t token);

// Whether src is a stream of exactly dst_size bytes, which then are in dst. Any side but 4 is 8.
bool ndlz_decode(int side, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size);

// Entries of the table that the encoder needs.
#define NDLZ_TABLE_SIZE 16384

// Compress rows * columns bytes; returns the size, 0 if dst is too small for it.
size_t ndlz_encode(int side, const uint8_t *src, int32_t rows, int32_t columns, uint8_t *dst,
                   size_t dst_size, uint32_t *table);

#endif
