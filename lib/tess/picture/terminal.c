/*
 * terminal.c - pictures made of characters.
 *
 * U+2580 fills the upper half of its place with the one colour of a character, and leaves the lower
 * half to the other: two pixels, nearly square ones in most fonts.
 */
#include "picture/terminal.h"

#include "picture/picture.h"
#include "picture/ticks.h"
#include "text/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HALF_BLOCK "\xe2\x96\x80"
#define WORD_LINES 5 // title, slice, scale, missing, and where the prompt stands

static const char ramp[] = " .:-=+*#%@"; // from low to high
#define RAMP_SIZE ((int)sizeof ramp - 1)
#define RAMP_MISSING '?'

static bool
is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const value = getenv(names[i]);

        if (value && value[0]) // the first one that is set counts
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

enum terminal_colors
terminal_colors(void)
{
    const char *const no_color = getenv("NO_COLOR");
    const char *const term = getenv("TERM");
    const char *const colorterm = getenv("COLORTERM");

    if ((no_color && no_color[0]) || !term || strcmp(term, "dumb") == 0 || !is_utf8())
        return TERMINAL_ASCII;
    if (colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0))
        return TERMINAL_TRUE;
    if (strstr(term, "-direct"))
        return TERMINAL_TRUE;
    return strstr(term, "256color") ? TERMINAL_256 : TERMINAL_ASCII;
}

void
terminal_size(int64_t most[2])
{
    int64_t columns, lines;

    wrap_screen(&columns, &lines);
    most[0] = lines > WORD_LINES ? 2 * (lines - WORD_LINES) : 2;
    most[1] = columns;
}

// The nearest of the colours 16 to 255.
static int
nearest_256(const uint8_t rgb[3])
{
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    int best = 16, best_distance = INT32_MAX;

    for (int n = 16; n < 256; n++) {
        int distance = 0;

        for (int k = 0; k < 3; k++) {
            const int cube = levels[(n - 16) / (k == 0 ? 36 : k == 1 ? 6 : 1) % 6];
            const int level = n < 232 ? cube : 8 + 10 * (n - 232);

            distance += (level - rgb[k]) * (level - rgb[k]);
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = n;
        }
    }
    return best;
}

// Writes to the screen, and remembers what it is set to.
struct pen {
    FILE *out;
    enum terminal_colors colors;
    const uint8_t *upper, *lower; // NULL: as the terminal has it
};

static void
set_color(struct pen *pen, int ground, const uint8_t *rgb)
{
    if (pen->colors == TERMINAL_TRUE)
        fprintf(pen->out, "\033[%d;2;%d;%d;%dm", ground, rgb[0], rgb[1], rgb[2]);
    else
        fprintf(pen->out, "\033[%d;5;%dm", ground, nearest_256(rgb));
}

// lower: NULL leaves that half as it is.
static void
put_pixels(struct pen *pen, const uint8_t *upper, const uint8_t *lower)
{
    if (upper != pen->upper)
        set_color(pen, 38, upper);
    if (lower && lower != pen->lower)
        set_color(pen, 48, lower);
    pen->upper = upper;
    pen->lower = lower;
    fputs(HALF_BLOCK, pen->out);
}

static void
put_plain(struct pen *pen)
{
    if (pen->upper)
        fputs("\033[0m", pen->out);
    pen->upper = pen->lower = NULL;
}

static char
shade(const struct colorscale *scale, double v)
{
    if (isnan(v))
        return RAMP_MISSING;
    const int i = (int)(colorscale_part(scale, v) * RAMP_SIZE);
    return ramp[i < RAMP_SIZE ? i : RAMP_SIZE - 1];
}

// Two pixels in one character: their mean, or the one that is there.
static double
both(double upper, double lower)
{
    if (isnan(upper))
        return lower;
    return isnan(lower) || upper == lower ? upper : upper / 2 + lower / 2;
}

static void
draw_pixels(struct pen *pen, const struct picture *p, const struct colorscale *scale)
{
    const int64_t height = picture_pixels(p, 0), width = picture_pixels(p, 1);

    for (int64_t y = 0; y < height; y += 2) {
        for (int64_t x = 0; x < width; x++) {
            const bool last = y + 1 == height;
            const double upper = picture_at(p, y, x);
            const double lower = last ? upper : picture_at(p, y + 1, x);

            if (pen->colors == TERMINAL_ASCII)
                fputc(shade(scale, both(upper, lower)), pen->out);
            else
                put_pixels(pen, colorscale_color(scale, upper),
                           last ? NULL : colorscale_color(scale, lower));
        }
        put_plain(pen);
        fputc('\n', pen->out);
    }
}

// The colours between the values at both ends, and that of missing values.
static void
draw_scale(struct pen *pen, const struct picture *p, const struct colorscale *scale,
           const char *units)
{
    const double step = (scale->high - scale->low) / 1000;
    const int size = pen->colors == TERMINAL_ASCII ? RAMP_SIZE : 32;
    char text[TICKS_TEXT_SIZE];

    if (scale->low <= scale->high) {
        ticks_label(scale->low, step, text);
        fprintf(pen->out, "%s ", text);
        for (int i = 0; i < size && scale->low < scale->high; i++) {
            const uint8_t *const color = scale->colors[i * (COLORMAP_SIZE - 1) / (size - 1)];

            if (pen->colors == TERMINAL_ASCII)
                fputc(ramp[i], pen->out);
            else
                put_pixels(pen, color, color);
        }
        put_plain(pen);
        ticks_label(scale->high, step, text);
        if (scale->low < scale->high)
            fprintf(pen->out, " %s ", text);
        fputs(units, pen->out);
        fputc('\n', pen->out);
    }
    if (p->has_missing) {
        if (pen->colors == TERMINAL_ASCII)
            fputc(RAMP_MISSING, pen->out);
        else
            put_pixels(pen, scale->missing, scale->missing);
        put_plain(pen);
        fputs(" missing\n", pen->out);
    }
}

void
terminal_draw(FILE *out, enum terminal_colors colors, const struct picture *p,
              const struct colorscale *scale, const struct caption *caption)
{
    struct pen pen = {.out = out, .colors = colors};

    if (caption->title[0])
        fprintf(out, "%s\n", caption->title);
    fprintf(out, "%s\n", caption->slice);
    draw_pixels(&pen, p, scale);
    draw_scale(&pen, p, scale, caption->units);
}
