/*
 * header.h - the fixed part at the front of a frame, in every version that existed.
 *
 *   first byte  version  fixed part  trailer                 written by
 *   9e          2, 3     87 bytes    named layers            c-blosc2 2.0.0-rc1 and later
 *   9d          1        82 bytes    nameless user metadata  betas of 2.0, Caterva 0.1 to 0.4
 *   9c          4        64 bytes    none                    alphas of early 2019
 *
 * frame_header_parse() is the one place that looks at these bytes. The struct it fills is that of
 * today; frames of the older kinds are only read.
 */
#ifndef FRAME_HEADER_H
#define FRAME_HEADER_H

#include "base/error.h"
#include "filter/pipeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAGIC "b2frame" // with its NUL, from byte 2 on
#define FRAME_HEADER_SIZE 87 // the fixed part we write
#define FRAME_HEADER_MIN 64 // of the oldest frames
#define FRAME_HEADER_SECTOR 47 // bytes 16 to 46 are what a commit changes
#define FRAME_TRAILER_MIN 35
// A reserved byte, which others write as 0. Ours says that the first sector of a header of several
// sectors is ours (ledger.h).
#define FRAME_HEADER_MARK_AT 86
#define FRAME_HEADER_MARK 0x54

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

// history.c: the fixed parts of the older kinds; called by frame_header_parse().
tess_status frame_header_parse_v1(const uint8_t *src, size_t size, struct frame_header *h,
                                  tess_error *err);
tess_status frame_header_parse_alpha(const uint8_t *src, size_t size, struct frame_header *h,
                                     tess_error *err);

#endif
