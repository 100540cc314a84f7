/*
 * lz4_encode.h - an LZ4 encoder for the streams that blocks are cut into.
 *
 * What is written is the same on all machines, and depends on nothing but the stream and the
 * acceleration.
 */
#ifndef CODEC_LZ4_LZ4_ENCODE_H
#define CODEC_LZ4_LZ4_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#define LZ4_ENCODE_MAX (1 << 16) // largest stream: the table holds positions of 16 bits
#define LZ4_TABLE_SIZE (1 << 13) // entries that the encoder needs; no initialisation needed

/*
 * Compress src, of at most LZ4_ENCODE_MAX bytes, into at most dst_size bytes; returns the size of
 * the block. 0: dst is too small; with CODEC_SLACK bytes more than the block has it is large
 * enough.
 *
 * acceleration, 1 to 9: by how many positions the search goes on where it finds nothing.
 */
size_t lz4_encode(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size,
                  unsigned acceleration, uint16_t *table);

#endif
