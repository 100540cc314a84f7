/*
 * colorscale.h - a range of numbers and the colours that it is shown in.
 */
#ifndef TESS_PICTURE_COLORSCALE_H
#define TESS_PICTURE_COLORSCALE_H

#include "picture/colormap.h"

struct colorscale {
    double low, high; // low <= high
    bool given; // asked for, not taken from the data
    uint8_t colors[COLORMAP_SIZE][3];
    uint8_t missing[3];
};

// low and high may be NaN: there are no numbers. If they are not `given`, a diverging map has 0 in
// its middle where they have both signs.
void colorscale_init(struct colorscale *s, const struct colormap *map, double low, double high,
                     bool given);

// Numbers outside the range have the colours of its ends; NaN that of missing values.
const uint8_t *colorscale_color(const struct colorscale *s, double v);

// 0 to 1 from low to high.
double colorscale_part(const struct colorscale *s, double v);

#endif
