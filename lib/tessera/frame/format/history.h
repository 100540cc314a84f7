/*
 * history.h - headers of frames before c-blosc2 2.0.0-rc1, which Caterva 0.1 to 0.4 wrote.
 */
#ifndef FRAME_FORMAT_HISTORY_H
#define FRAME_FORMAT_HISTORY_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct frame_header;

// The fixed parts of the older kinds; called by frame_header_parse().
tess_status frame_header_parse_v1(const uint8_t *src, size_t size, struct frame_header *h,
                                  tess_error *err);
tess_status frame_header_parse_alpha(const uint8_t *src, size_t size, struct frame_header *h,
                                     tess_error *err);

#endif
