/*
 * canvas.h - an image in memory, with rectangles and text.
 */
#ifndef CLI_PICTURE_CANVAS_H
#define CLI_PICTURE_CANVAS_H

#include <tessera/error.h>

#include <stdint.h>

struct canvas {
    int64_t width, height;
    uint8_t *rgb; // rows from the top
};

// White.
tess_status canvas_init(struct canvas *c, int64_t width, int64_t height, tess_error *err);
void canvas_finish(struct canvas *c);

// What lies outside of the canvas is left out, here and below.
void canvas_fill(struct canvas *c, int64_t x, int64_t y, int64_t width, int64_t height,
                 const uint8_t rgb[3]);

// Only the border, one pixel wide.
void canvas_frame(struct canvas *c, int64_t x, int64_t y, int64_t width, int64_t height,
                  const uint8_t rgb[3]);

// A line of text in black, its top left at (x, y), `scale` pixels for a dot of the font.
void canvas_text(struct canvas *c, int64_t x, int64_t y, int scale, const char *text);

// The same turned to the left: it reads upwards, its bottom left at (x, y).
void canvas_text_up(struct canvas *c, int64_t x, int64_t y, int scale, const char *text);

int64_t canvas_text_width(const char *text, int scale);
int64_t canvas_text_height(int scale);

#endif
