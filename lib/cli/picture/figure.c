/*
 * figure.c - a picture with its title, axes and scale, as an image.
 *
 *     title
 *     slice
 *     +---------+  units
 *     | picture |  +-+ high
 *     |         |  | |- tick
 *     +---------+  +-+ low
 *        axis      [#] missing
 */
#include "cli/picture/figure.h"

#include "cli/picture/ticks.h"

#include <inttypes.h>
#include <stdio.h>

#define LABELS 8 // letters for the numbers at the scale, at least
#define BAR_LINES 8 // of text that the bar is high, at least

static const uint8_t black[3] = {0, 0, 0};

struct place {
    int64_t x, y, width, height;
};

struct layout {
    int dot; // pixels of a dot of the font
    int64_t gap, line; // between things, and a line of text
    int64_t slice_y; // where the line that tells the slice is
    struct place picture, bar;
    int64_t width, height;
};

static void
put(struct canvas *c, const struct layout *l, int64_t x, int64_t y, const char *text)
{
    canvas_text(c, x, y, l->dot, text);
}

// Widest of the labels that may come up at the bar.
static int64_t
label_width(const struct colorscale *scale, const struct caption *caption, int dot)
{
    const char *texts[TICKS_MAX + 4] = {"missing", caption->units};
    char ends[2][TICKS_TEXT_SIZE];
    struct ticks ticks;
    int64_t widest = dot * LABELS * 6;
    int n = 2;

    ticks_make(&ticks, scale->low, scale->high, TICKS_MAX);
    ticks_label(scale->low, (scale->high - scale->low) / 1000, ends[0]);
    ticks_label(scale->high, (scale->high - scale->low) / 1000, ends[1]);
    texts[n++] = ends[0];
    texts[n++] = ends[1];
    for (int i = 0; i < ticks.count; i++)
        texts[n++] = ticks.labels[i];
    for (int i = 0; i < n; i++)
        if (canvas_text_width(texts[i], dot) > widest)
            widest = canvas_text_width(texts[i], dot);
    return widest;
}

static void
lay_out(struct layout *l, const struct picture *p, const struct colorscale *scale,
        const struct caption *caption)
{
    const int64_t width = picture_pixels(p, 1), height = picture_pixels(p, 0);

    l->dot = width >= 600 || height >= 600 ? 2 : 1;
    l->gap = 6 * l->dot;
    l->line = 12 * l->dot;
    l->slice_y = l->gap + (caption->title[0] ? l->line : 0);
    l->picture = (struct place){l->gap + l->line, l->slice_y + l->line + l->gap, width, height};

    const int64_t above = caption->units[0] ? l->line + l->gap / 2 : 0;
    const int64_t below = p->has_missing ? 2 * l->line : 0;
    const int64_t room = height - above - below;

    l->bar = (struct place){l->picture.x + width + 3 * l->gap, l->picture.y + above, 2 * l->line,
                            room > BAR_LINES * l->line ? room : BAR_LINES * l->line};

    const int64_t bar_bottom = l->bar.y + l->bar.height + below;
    const int64_t picture_bottom = l->picture.y + height + l->gap + l->line;
    l->height = (bar_bottom > picture_bottom ? bar_bottom : picture_bottom) + l->gap;
    l->width = l->bar.x + l->bar.width + 2 * l->gap + label_width(scale, caption, l->dot) + l->gap;
    for (int i = 0; i < 2; i++) { // the words above may be wider than all that
        const int64_t words = canvas_text_width(i ? caption->slice : caption->title, l->dot);
        const int64_t most = 2 * l->width < 400 ? 400 : 2 * l->width;

        if (2 * l->gap + words > l->width)
            l->width = 2 * l->gap + words < most ? 2 * l->gap + words : most;
    }
}

static void
draw_cells(struct canvas *c, const struct layout *l, const struct picture *p,
           const struct colorscale *scale)
{
    const struct place *at = &l->picture;

    for (int64_t y = 0; y < at->height; y += p->zoom[0])
        for (int64_t x = 0; x < at->width; x += p->zoom[1])
            canvas_fill(c, at->x + x, at->y + y, p->zoom[1], p->zoom[0],
                        colorscale_color(scale, picture_at(p, y, x)));
    canvas_frame(c, at->x - 1, at->y - 1, at->width + 2, at->height + 2, black);
}

// First index, name and last index along a side of the picture, as far as they do not meet.
static void
draw_sides(struct canvas *c, const struct layout *l, const struct picture *p,
           const struct caption *caption)
{
    const struct place *at = &l->picture;

    for (int side = 0; side < 2; side++) {
        const int64_t length = side == 0 ? at->height : at->width;
        const bool upwards = side == 0 && p->flip;
        char ends[2][24];

        // Text at the left reads upwards: there the lowest row comes first.
        (void)snprintf(ends[0], sizeof ends[0], "%" PRId64,
                       side == 1 || upwards ? caption->first[side] : caption->last[side]);
        (void)snprintf(ends[1], sizeof ends[1], "%" PRId64,
                       side == 1 || upwards ? caption->last[side] : caption->first[side]);

        const int64_t low = canvas_text_width(ends[0], l->dot);
        const int64_t high = canvas_text_width(ends[1], l->dot);
        const int64_t name = canvas_text_width(caption->sides[side], l->dot);
        const struct {
            const char *text;
            int64_t from;
            bool fits;
        } words[] = {
            {ends[0], 0, true},
            {ends[1], length - high, low + l->gap + high <= length},
            {caption->sides[side], (length - name) / 2,
             (length - name) / 2 >= (low > high ? low : high) + l->gap},
        };

        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (!words[i].fits)
                continue;
            if (side == 1)
                put(c, l, at->x + words[i].from, at->y + at->height + l->gap, words[i].text);
            else
                canvas_text_up(c, l->gap, at->y + at->height - words[i].from, l->dot,
                               words[i].text);
        }
    }
}

// Text beside the bar, `y` being its middle.
static void
put_label(struct canvas *c, const struct layout *l, int64_t y, const char *text)
{
    const struct place *at = &l->bar;

    canvas_fill(c, at->x + at->width, y, l->gap, l->dot, black);
    put(c, l, at->x + at->width + 2 * l->gap, y - 3 * l->dot, text);
}

static void
draw_bar(struct canvas *c, const struct layout *l, const struct picture *p,
         const struct colorscale *scale, const struct caption *caption)
{
    const struct place *at = &l->bar;
    const int64_t bottom = at->y + at->height - 1;
    char text[TICKS_TEXT_SIZE];
    struct ticks ticks;

    put(c, l, at->x, at->y - l->line - l->gap / 2, caption->units);
    if (scale->low <= scale->high) { // there are numbers
        for (int64_t y = 0; y < at->height; y++)
            canvas_fill(c, at->x, bottom - y, at->width, 1,
                        scale->low < scale->high ? scale->colors[y * COLORMAP_SIZE / at->height]
                                                 : colorscale_color(scale, scale->low));
        canvas_frame(c, at->x - 1, at->y - 1, at->width + 2, at->height + 2, black);
        ticks_label(scale->low, (scale->high - scale->low) / 1000, text);
        put_label(c, l, bottom, text);
        ticks_make(&ticks, scale->low, scale->high, (int)(at->height / (2 * l->line)) + 1);
        for (int i = 0; i < ticks.count; i++) {
            const int64_t y =
                (int64_t)(colorscale_part(scale, ticks.values[i]) * (double)(at->height - 1));
            if (y > l->line && at->height - y > l->line)
                put_label(c, l, bottom - y, ticks.labels[i]);
        }
        if (scale->low < scale->high) {
            ticks_label(scale->high, (scale->high - scale->low) / 1000, text);
            put_label(c, l, at->y, text);
        }
    }
    if (p->has_missing) {
        canvas_fill(c, at->x, bottom + 2 * l->gap, at->width, l->line, scale->missing);
        canvas_frame(c, at->x - 1, bottom + 2 * l->gap - 1, at->width + 2, l->line + 2, black);
        put(c, l, at->x + at->width + 2 * l->gap, bottom + 2 * l->gap + 2 * l->dot, "missing");
    }
}

tess_status
figure_draw(struct canvas *c, const struct picture *p, const struct colorscale *scale,
            const struct caption *caption, tess_error *err)
{
    struct layout l;

    lay_out(&l, p, scale, caption);
    const tess_status st = canvas_init(c, l.width, l.height, err);
    if (st != TESS_OK)
        return st;
    put(c, &l, l.gap, l.gap, caption->title);
    put(c, &l, l.gap, l.slice_y, caption->slice);
    draw_cells(c, &l, p, scale);
    draw_sides(c, &l, p, caption);
    draw_bar(c, &l, p, scale, caption);
    return TESS_OK;
}
