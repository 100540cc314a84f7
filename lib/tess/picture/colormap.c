/*
 * colormap.c - colours for numbers.
 *
 * CIELAB (CIE 15:2004) was made so that distances in it are as large as differences look. A map is
 * a path of straight lines in it, cut into pieces of equal length, so that equal steps of a number
 * look equally large along all of it; L* only grows along a sequential one, so that it keeps its
 * order in grey.
 */
#include "picture/colormap.h"

#include <math.h>
#include <string.h>

static const struct colormap maps[] = {
    {.name = "viridis", // ten of the colours of matplotlib's viridis (CC0), #440154 to #fde725
     .nanchors = 10,
     .anchors = {{14.9, 40.6, -32.3},
                 {24.5, 33.3, -40.4},
                 {33.4, 14.5, -36.8},
                 {42.0, -5.7, -26.3},
                 {49.9, -22.1, -14.2},
                 {58.6, -38.0, 1.5},
                 {66.5, -49.4, 21.7},
                 {74.6, -50.3, 48.4},
                 {83.0, -35.8, 74.8},
                 {90.9, -10.3, 85.3}},
     .missing = {200, 200, 200}},
    {.name = "gray", .nanchors = 2, .anchors = {{0, 0, 0}, {100, 0, 0}}, .missing = {222, 120, 90}},
    {.name = "diverging", // blue and red of the same lightness and chroma
     .diverging = true,
     .nanchors = 3,
     .anchors = {{35, 15.5, -47.6}, {95, 0, 0}, {35, 45.3, 21.1}},
     .missing = {90, 90, 90}},
};

#define NMAPS (sizeof maps / sizeof maps[0])

const struct colormap *
colormap_at(size_t n)
{
    return n < NMAPS ? &maps[n] : NULL;
}

const struct colormap *
colormap_find(const char *name)
{
    for (size_t i = 0; i < NMAPS; i++)
        if (strcmp(maps[i].name, name) == 0)
            return &maps[i];
    return NULL;
}

// The inverse of the function by which CIELAB bends X, Y and Z.
static double
unbend(double t)
{
    return t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29);
}

// A linear component as a byte of sRGB (IEC 61966-2-1).
static uint8_t
encode(double linear)
{
    const double v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return v <= 0 ? 0 : v >= 1 ? 255 : (uint8_t)(255 * v + 0.5);
}

static void
lab_to_srgb(const double lab[3], uint8_t rgb[3])
{
    const double fy = (lab[0] + 16) / 116;
    const double x = 0.950470 * unbend(fy + lab[1] / 500); // the white is D65
    const double y = unbend(fy);
    const double z = 1.088830 * unbend(fy - lab[2] / 200);

    rgb[0] = encode(3.2404542 * x - 1.5371385 * y - 0.4985314 * z);
    rgb[1] = encode(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z);
    rgb[2] = encode(0.0556434 * x - 0.2040259 * y + 1.0572252 * z);
}

static double
distance(const double *a, const double *b)
{
    return sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
}

void
colormap_make(const struct colormap *map, uint8_t colors[COLORMAP_SIZE][3])
{
    const double(*anchors)[3] = map->anchors;
    double total = 0, before = 0; // lengths: of the path, and of it up to the current line
    int line = 0;

    for (int i = 0; i + 1 < map->nanchors; i++)
        total += distance(anchors[i], anchors[i + 1]);
    for (int i = 0; i < COLORMAP_SIZE; i++) {
        const double along = total * i / (COLORMAP_SIZE - 1);
        double length = distance(anchors[line], anchors[line + 1]);
        double lab[3];

        while (along > before + length && line + 2 < map->nanchors) {
            before += length;
            line++;
            length = distance(anchors[line], anchors[line + 1]);
        }
        for (int k = 0; k < 3; k++)
            lab[k] = anchors[line][k] +
                     (along - before) / length * (anchors[line + 1][k] - anchors[line][k]);
        lab_to_srgb(lab, colors[i]);
    }
}
