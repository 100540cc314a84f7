/*
 * caption.h - what is written around a picture.
 */
#ifndef TESS_PICTURE_CAPTION_H
#define TESS_PICTURE_CAPTION_H

#include "picture/picture.h"

#define CAPTION_TEXT_SIZE 256

// Sides: rows are [0], columns are [1].
struct caption {
    char title[CAPTION_TEXT_SIZE]; // what the array is about; may be ""
    char slice[CAPTION_TEXT_SIZE]; // what is shown of it, and how
    char units[CAPTION_TEXT_SIZE]; // may be ""
    char sides[2][CAPTION_TEXT_SIZE]; // names of the axes
    int64_t first[2], last[2]; // the indices that the sides begin and end with, before a flip
};

/*
 * `path` is what the array was opened by; field NULL: whole items are shown. Its attributes are
 * asked for long_name, units and the names of its dimensions, a list of strings `_ARRAY_DIMENSIONS`
 * (as in Zarr 2), `dimension_names` (Zarr 3) or `dims`; what is not there, or something else, is
 * left out.
 */
void caption_init(struct caption *c, const char *path, const char *field,
                  const struct picked *picked, const struct slice_range *sel,
                  const struct picture *p, enum picture_reduce reduce);

#endif
