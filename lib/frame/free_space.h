/*
 * free_space.h - what of a file is free when a contiguous frame is opened to be changed.
 */
#ifndef FRAME_FREE_SPACE_H
#define FRAME_FREE_SPACE_H

#include "frame/frame.h"

// Tell f->space what is free between the chunks, which end at section_end at the latest.
tess_status free_space_map(struct frame *f, int64_t section_end, tess_error *err);

// Whether what stands behind the frame may be overwritten. TESS_ERR_UNSUPPORTED: another frame.
tess_status free_space_check_behind(const struct frame *f, tess_error *err);

#endif
