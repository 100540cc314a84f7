/*
 * raw.h - the compression libraries themselves, one stream at a time.
 *
 * What a bench holds the library's own figures against. The levels are the library's: each codec
 * maps 1 to 9 to its own scale in the same way. BloscLZ has no library of its own: Tessera's.
 */
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The contexts of the libraries, for one thread.
struct raw_state;

struct raw_state *raw_state_new(void);
void raw_state_free(struct raw_state *s); // NULL is fine

// Ids of codecs, as the format numbers them.
enum raw_codec_id { RAW_BLOSCLZ = 0, RAW_LZ4 = 1, RAW_LZ4HC = 2, RAW_ZLIB = 4, RAW_ZSTD = 5 };

struct raw_codec {
    // Bytes written to dst, at most dst_size; 0 if they do not fit.
    size_t (*encode)(struct raw_state *s, int level, const uint8_t *src, size_t src_size,
                     uint8_t *dst, size_t dst_size);
    // Whether src made exactly dst_size bytes.
    bool (*decode)(struct raw_state *s, const uint8_t *src, size_t src_size, uint8_t *dst,
                   size_t dst_size);
    // Only the first `upto` of these bytes; dst has room for all. NULL if the library cannot stop.
    bool (*decode_part)(struct raw_state *s, const uint8_t *src, size_t src_size, uint8_t *dst,
                        size_t upto, size_t dst_size);
};

// NULL if there is none.
const struct raw_codec *raw_codec_by_id(int id);

#endif
