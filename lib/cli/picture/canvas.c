/*
 * canvas.c - an image in memory, with rectangles and text.
 */
#include "cli/picture/canvas.h"

#include "cli/picture/font.h"
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t black[3] = {0, 0, 0};

tess_status
canvas_init(struct canvas *c, int64_t width, int64_t height, tess_error *err)
{
    const size_t size = (size_t)(3 * width * height);

    *c = (struct canvas){.width = width, .height = height, .rgb = malloc(size)};
    if (!c->rgb)
        return report_nomem(err, (int64_t)size);
    memset(c->rgb, 255, size);
    return TESS_OK;
}

void
canvas_finish(struct canvas *c)
{
    free(c->rgb);
    *c = (struct canvas){0};
}

static int64_t
clip(int64_t v, int64_t end)
{
    return v < 0 ? 0 : v > end ? end : v;
}

void
canvas_fill(struct canvas *c, int64_t x, int64_t y, int64_t width, int64_t height,
            const uint8_t rgb[3])
{
    const int64_t left = clip(x, c->width), right = clip(x + width, c->width);
    const int64_t top = clip(y, c->height), bottom = clip(y + height, c->height);

    for (int64_t row = top; row < bottom; row++)
        for (int64_t column = left; column < right; column++)
            memcpy(c->rgb + 3 * (row * c->width + column), rgb, 3);
}

void
canvas_frame(struct canvas *c, int64_t x, int64_t y, int64_t width, int64_t height,
             const uint8_t rgb[3])
{
    canvas_fill(c, x, y, width, 1, rgb);
    canvas_fill(c, x, y + height - 1, width, 1, rgb);
    canvas_fill(c, x, y, 1, height, rgb);
    canvas_fill(c, x + width - 1, y, 1, height, rgb);
}

void
canvas_text(struct canvas *c, int64_t x, int64_t y, int scale, const char *text)
{
    for (const uint8_t *glyph; (glyph = font_next(&text)) != NULL; x += scale * FONT_ADVANCE)
        for (int column = 0; column < FONT_WIDTH; column++)
            for (int row = 0; row < FONT_HEIGHT; row++)
                if (glyph[column] >> row & 1)
                    canvas_fill(c, x + scale * column, y + scale * row, scale, scale, black);
}

void
canvas_text_up(struct canvas *c, int64_t x, int64_t y, int scale, const char *text)
{
    for (const uint8_t *glyph; (glyph = font_next(&text)) != NULL; y -= scale * FONT_ADVANCE)
        for (int column = 0; column < FONT_WIDTH; column++)
            for (int row = 0; row < FONT_HEIGHT; row++)
                if (glyph[column] >> row & 1)
                    canvas_fill(c, x + scale * row, y - scale * (column + 1), scale, scale, black);
}

int64_t
canvas_text_width(const char *text, int scale)
{
    int64_t n = 0;

    while (font_next(&text))
        n++;
    return n > 0 ? scale * (n * FONT_ADVANCE - (FONT_ADVANCE - FONT_WIDTH)) : 0;
}

int64_t
canvas_text_height(int scale)
{
    return (int64_t)scale * FONT_HEIGHT;
}
