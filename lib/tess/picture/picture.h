/*
 * picture.h - two axes of an array as a grid of cells, not larger than what shows it.
 */
#ifndef TESS_PICTURE_PICTURE_H
#define TESS_PICTURE_PICTURE_H

#include "data/numbers.h"
#include "data/picked/picked.h"
#include "data/picked/select.h"
#include "picture/missing.h"

#include <tessera/array.h>

enum picture_reduce {
    PICTURE_SAMPLE, // a cell is one item, in the middle of those it stands for
    PICTURE_MEAN, // or what becomes of all of them, missing ones left out
    PICTURE_MIN,
    PICTURE_MAX
};

// Rows are [0], columns are [1].
struct picture {
    int axes[2]; // of the array
    int64_t box[2]; // selected items that a cell stands for
    int64_t cells[2];
    int64_t zoom[2]; // pixels of a cell
    bool flip; // the first row is the lowest
    double *values; // of cells in C order; NaN where all is missing

    double least, greatest; // of the finite ones; NaN if there are none
    bool has_missing;
};

/*
 * Choose boxes and zoom, such that `most` pixels are not exceeded, for a selection that has items.
 * Boxes and pixels are square if no side suffers too much from that.
 */
void picture_plan(struct picture *p, const struct slice_range *sel, const int axes[2],
                  const int64_t most[2]);

/*
 * Read the cells. Axes that are not shown have one item, or are reduced: then each item is read
 * once, in boxes of bounded size. A sample reads no more than its items need. After a failure
 * there are no values.
 */
tess_status picture_read(struct picture *p, const struct picked *picked,
                         const struct slice_range *sel, enum picture_reduce reduce,
                         const struct numbers *numbers, const struct missing *missing,
                         tess_error *err);

// The value at a pixel, from the top left.
double picture_at(const struct picture *p, int64_t y, int64_t x);

static inline int64_t
picture_pixels(const struct picture *p, int side)
{
    return p->cells[side] * p->zoom[side];
}

void picture_finish(struct picture *p);

#endif
