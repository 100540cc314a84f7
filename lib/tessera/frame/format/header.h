/*
 * header.h - the fixed part at the front of a frame, in every version that existed.
 *
 *   first byte  version  fixed part  trailer                 written by
 *   9e          2, 3     87 bytes    named layers            c-blosc2 2.0.0-rc1 and later
 *   9d          1        82 bytes    nameless user metadata  betas of 2.0, Caterva 0.1 to 0.4
 *   9c          4        64 bytes    none                    alphas of early 2019
 *
 * frame_header_parse() checks these bytes and fills a struct, which is that of today; frames of the
 * older kinds are only read. A commit changes a few fields of the bytes that are on the disk, and a
 * frame that is damaged is judged by single fields: this unit alone knows their places and widths.
 * Nothing here does I/O or takes memory.
 */
#ifndef FRAME_FORMAT_HEADER_H
#define FRAME_FORMAT_HEADER_H

#include "base/error.h"
#include "filter/pipeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAGIC "b2frame" // with its NUL, from byte 2 on
#define FRAME_HEADER_SIZE 87 // the fixed part we write
#define FRAME_HEADER_MIN 64 // of the oldest frames
#define FRAME_HEADER_SECTOR 47 // bytes 16 to 46 are what a commit changes
#define FRAME_HEADER_COMMIT_FIRST 16
#define FRAME_TRAILER_MIN 35

// Where fields stand in a header of today, for messages that name a byte. The values are read and
// written by the functions below.
enum {
    FRAME_HEADER_AT_LEN = 11,
    FRAME_HEADER_AT_FRAME_LEN = 16,
    FRAME_HEADER_AT_FLAGS = 25,
    FRAME_HEADER_AT_TYPE = 26,
    FRAME_HEADER_AT_NBYTES = 30,
    FRAME_HEADER_AT_CBYTES = 39,
    FRAME_HEADER_AT_TYPESIZE = 48,
    FRAME_HEADER_AT_BLOCKSIZE = 53,
    FRAME_HEADER_AT_CHUNKSIZE = 58,
};

// What a header says, in any version of the format.
struct frame_header {
    int version; // 2 or 3; 1: betas; 0: alphas
    int fixed_size; // where the metalayers start
    bool has_layers; // metalayers follow
    bool has_trailer; // a trailer follows the index
    bool sparse;
    bool vlblocks; // blocks of different sizes in all chunks

    int32_t header_len;
    int64_t frame_len;
    int64_t nbytes;
    int64_t cbytes; // of the chunks section
    int32_t typesize;
    int32_t blocksize;
    int32_t chunksize; // 0: chunks of different sizes; -1: no chunk yet
    int codec;
    int codec_meta;
    int clevel;
    int split;
    uint8_t filters[FILTER_SLOTS];
    uint8_t filters_meta[FILTER_SLOTS];
    bool has_vlmeta;
    bool use_dict;
};

// Parse the fixed part; `size` bytes are at hand, `room` bytes lie between the start of the frame
// and the end of the file. TESS_ERR_FORMAT: not a frame; TESS_ERR_CORRUPT; TESS_ERR_UNSUPPORTED.
tess_status frame_header_parse(const uint8_t *src, size_t size, int64_t room,
                               struct frame_header *h, tess_error *err);

// Write FRAME_HEADER_SIZE bytes.
void frame_header_write(const struct frame_header *h, uint8_t *dst);

// Single fields of FRAME_HEADER_SIZE bytes of today's kind, unchecked: they may be negative.
int64_t frame_header_get_len(const uint8_t *head);
int64_t frame_header_get_frame_len(const uint8_t *head);
int64_t frame_header_get_nbytes(const uint8_t *head);
int64_t frame_header_get_cbytes(const uint8_t *head);
int32_t frame_header_get_chunksize(const uint8_t *head);
int32_t frame_header_get_typesize(const uint8_t *head);
// Whether the field at `at` has the msgpack marker of its type. Without the marker the value is
// unknown: a 0 among overwritten bytes is not a length of 0.
bool frame_header_has_field(const uint8_t *head, int at);

// Change in such bytes what commits change; all other fields stay as they are.
void frame_header_update(uint8_t *head, const struct frame_header *h); // lengths, sizes, has_vlmeta
void frame_header_set_lengths(uint8_t *head, int64_t frame_len, int64_t cbytes);
void frame_header_set_vlmeta(uint8_t *head, bool has_vlmeta);

// A reserved byte, which others write as 0. The mark says that the first sector of a header of
// several sectors is ours (ledger.h).
void frame_header_mark(uint8_t *head);
bool frame_header_is_marked(const uint8_t *head);

// What the rest of a frame says of a header that is damaged.
struct frame_header_facts {
    bool sparse;
    int32_t header_len;
    bool is_array; // the members below are known; there are no chunks or blocks of other sizes
    int32_t typesize;
    int32_t chunksize; // 0: there is no chunk, and it may be anything
    int32_t blocksize; // for one that cannot be
    int64_t nbytes;
};
// Make the fixed part agree with that: bytes that never vary, version, type, sizes.
void frame_header_mend(uint8_t *head, const struct frame_header_facts *facts);

// Uncompressed bytes of chunk n, where all but the last have the same size.
static inline int32_t
frame_header_chunk_nbytes(const struct frame_header *h, int64_t n)
{
    const int64_t left = h->nbytes - n * h->chunksize;
    return left < h->chunksize ? (int32_t)left : h->chunksize;
}

#endif
