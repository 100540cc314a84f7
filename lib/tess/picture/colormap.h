/*
 * colormap.h - colours for numbers: equal steps of a number look equally large.
 */
#ifndef TESS_PICTURE_COLORMAP_H
#define TESS_PICTURE_COLORMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLORMAP_SIZE 256
#define COLORMAP_ANCHORS 10

// A path through CIELAB, in straight lines.
struct colormap {
    const char *name;
    bool diverging; // two ends that lead away from a middle
    int nanchors;
    double anchors[COLORMAP_ANCHORS][3]; // L*, a*, b*
    uint8_t missing[3]; // a colour that the path does not come near
};

// The map of that name, or NULL.
const struct colormap *colormap_find(const char *name);

// The n-th map, or NULL behind the last one; the first is the default.
const struct colormap *colormap_at(size_t n);

// Its colours in sRGB, at equal distances along the path.
void colormap_make(const struct colormap *map, uint8_t colors[COLORMAP_SIZE][3]);

#endif
