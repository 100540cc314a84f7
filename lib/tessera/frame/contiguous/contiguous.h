/*
 * contiguous.h - all of a frame in one file or buffer.
 */
#ifndef FRAME_CONTIGUOUS_CONTIGUOUS_H
#define FRAME_CONTIGUOUS_CONTIGUOUS_H

#include "frame/container.h"

extern const struct container container_contiguous;

#endif
