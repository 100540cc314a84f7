/*
 * frame.h - arrays from frames.
 */
#ifndef COMPAT_CATERVA_FRAME_H
#define COMPAT_CATERVA_FRAME_H

#include "caterva/array.h"

// caterva_from_cframe(), which only one of the states of Caterva has.
int cat_from_frame(const caterva_ctx_t *ctx, uint8_t *frame, int64_t size, bool copy,
                   caterva_array_t **array);

#endif
