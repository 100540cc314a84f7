/*
 * blosclz.h - the BloscLZ codec: a byte-oriented LZ77, derived from FastLZ by the Blosc project.
 *
 * The format is described in blosclz_decode.c. The functions are pure.
 */
#ifndef CODEC_BLOSCLZ_H
#define CODEC_BLOSCLZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Entries of the hash table that an encoder needs, uint32_t each; no initialisation needed.
#define BLOSCLZ_TABLE_SIZE (1u << 14)

// Compress; returns the size of the output, 0 if it would not fit in dst_size bytes.
size_t blosclz_encode(int level, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size,
                      uint32_t *table);

// Decompress; returns the number of bytes made, dst_size if and only if src is a valid stream
// of exactly that many bytes, 0 on any error.
size_t blosclz_decode(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size);

// Decompress the first `need` bytes (0 < need <= dst_size) of a stream of dst_size bytes; what
// stands behind them in dst may be written to. True for every valid stream, false if it is damaged
// as far as it was read: to its end if need is dst_size.
bool blosclz_decode_part(const uint8_t *src, size_t src_size, uint8_t *dst, size_t need,
                         size_t dst_size);

#endif
