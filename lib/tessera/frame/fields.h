/*
 * fields.h - what the header of a frame says, in any version of the format.
 */
#ifndef FRAME_FIELDS_H
#define FRAME_FIELDS_H

#include "filter/pipeline.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
