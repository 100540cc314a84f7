/*
 * figure.c - a picture with its title, axes and scale, drawn by cairo.
 *
 *     title
 *     slice
 *     +---------+  units
 *     | picture |  +-+ high
 *     |         |  | |- tick
 *     +---------+  +-+ low
 *        axis      [#] missing
 *
 * The origin is the top left of the picture, a unit is a pixel. All is drawn twice: first into
 * cairo's memory, which tells how large it is, then into a file of that size.
 */
#include "picture/figure.h"

#include "picture/picture.h"
#include "picture/ticks.h"
#include "report.h"
#include "text/text.h"

static const struct figure_format formats[] = {{".png", false}, {".svg", true}, {".pdf", true}};

const struct figure_format *
figure_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (text_ends_with(name, formats[i].suffix))
            return &formats[i];
    return NULL;
}

#ifdef HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#ifdef HAVE_FONTCONFIG
#include <fontconfig/fontconfig.h>
#endif

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LARGE 600 // pixels from which on letters are larger
#define BAR_LINES 8 // of text that the bar is high, at least
#define WORDS_WIDTH 400 // pixels that title and slice may have in any case

struct drawing {
    cairo_t *cr;
    double gap, line; // between things, and a line of text
    const struct picture *picture;
    const struct colorscale *scale;
    const struct caption *caption;
};

static double
text_width(const struct drawing *d, const char *text)
{
    cairo_text_extents_t extents;

    cairo_text_extents(d->cr, text, &extents);
    return extents.x_advance;
}

// A line of text, its left end at (x, y) on the line that letters stand on.
static void
put(const struct drawing *d, double x, double y, const char *text)
{
    cairo_move_to(d->cr, x, y);
    cairo_show_text(d->cr, text);
}

// A border, one pixel wide, around a place.
static void
put_border(const struct drawing *d, double x, double y, double width, double height)
{
    cairo_rectangle(d->cr, x - 0.5, y - 0.5, width + 1, height + 1);
    cairo_stroke(d->cr);
}

static void
put_color(const struct drawing *d, const uint8_t rgb[3])
{
    cairo_set_source_rgb(d->cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
}

// An image in memory. It has all pixels of its place, so that no program that shows it blurs it.
struct image {
    cairo_surface_t *surface;
    uint32_t *pixels; // rows from the top, NULL if there is no memory
    int64_t row; // from one row to the next
};

static struct image
create_image(double width, double height)
{
    struct image image = {
        .surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height)};

    image.pixels = (uint32_t *)(void *)cairo_image_surface_get_data(image.surface); // aligned
    image.row = cairo_image_surface_get_stride(image.surface) / (int)sizeof *image.pixels;
    return image;
}

static uint32_t
pixel(const uint8_t rgb[3])
{
    return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

// Puts it into a border, and releases it. That there was no memory the status of `cr` says.
static void
put_image(const struct drawing *d, struct image image, double x, double y)
{
    cairo_surface_mark_dirty(image.surface);
    cairo_save(d->cr);
    cairo_set_source_surface(d->cr, image.surface, x, y);
    cairo_paint(d->cr);
    cairo_restore(d->cr);
    put_border(d, x, y, cairo_image_surface_get_width(image.surface),
               cairo_image_surface_get_height(image.surface));
    cairo_surface_destroy(image.surface);
}

static void
draw_cells(const struct drawing *d)
{
    const int64_t height = picture_pixels(d->picture, 0), width = picture_pixels(d->picture, 1);
    const struct image image = create_image((double)width, (double)height);

    for (int64_t y = 0; image.pixels && y < height; y++)
        for (int64_t x = 0; x < width; x++)
            image.pixels[y * image.row + x] =
                pixel(colorscale_color(d->scale, picture_at(d->picture, y, x)));
    put_image(d, image, 0, 0);
}

// First index, name and last index along a side of the picture, as far as they do not meet.
static void
draw_side(const struct drawing *d, int side)
{
    const struct picture *p = d->picture;
    const double length = (double)picture_pixels(p, side);
    const bool backwards = side == 0 && !p->flip; // text reads upwards, rows downwards
    const int64_t first = d->caption->first[side], last = d->caption->last[side];
    char ends[2][24];

    (void)snprintf(ends[0], sizeof ends[0], "%" PRId64, backwards ? last : first);
    (void)snprintf(ends[1], sizeof ends[1], "%" PRId64, backwards ? first : last);

    const double low = text_width(d, ends[0]), high = text_width(d, ends[1]);
    const double name = (length - text_width(d, d->caption->sides[side])) / 2;

    cairo_save(d->cr);
    if (side == 0) {
        cairo_translate(d->cr, -d->gap, length);
        cairo_rotate(d->cr, -acos(-1) / 2);
    } else {
        cairo_translate(d->cr, 0, (double)picture_pixels(p, 0) + d->line);
    }
    put(d, 0, 0, ends[0]);
    if (low + d->gap + high <= length)
        put(d, length - high, 0, ends[1]);
    if (name >= fmax(low, high) + d->gap)
        put(d, name, 0, d->caption->sides[side]);
    cairo_restore(d->cr);
}

// A mark and text beside the bar, whose left end is at x, its middle at y.
static void
put_label(const struct drawing *d, double x, double y, const char *text)
{
    cairo_move_to(d->cr, x, round(y) - 0.5);
    cairo_rel_line_to(d->cr, d->gap, 0);
    cairo_stroke(d->cr);
    put(d, x + 2 * d->gap, y + 0.3 * d->line, text);
}

static void
draw_numbers(const struct drawing *d, double x, double top, double height)
{
    const double low = d->scale->low, high = d->scale->high, step = (high - low) / 1000;
    char text[TICKS_TEXT_SIZE];
    struct ticks ticks;

    ticks_label(low, step, text);
    put_label(d, x, top + height, text);
    if (low == high)
        return;
    ticks_make(&ticks, low, high, (int)(height / (2 * d->line)) + 1);
    for (int i = 0; i < ticks.count; i++) {
        const double up = colorscale_part(d->scale, ticks.values[i]) * height;

        if (up > d->line && height - up > d->line)
            put_label(d, x, top + height - up, ticks.labels[i]);
    }
    ticks_label(high, step, text);
    put_label(d, x, top + 1, text);
}

static void
draw_bar(const struct drawing *d)
{
    const struct colorscale *scale = d->scale;
    const double x = (double)picture_pixels(d->picture, 1) + 3 * d->gap, width = 2 * d->line;
    const double top = d->caption->units[0] ? d->line : 0;
    const double below = d->picture->has_missing ? 2 * d->line : 0;
    const double room = (double)picture_pixels(d->picture, 0) - top - below;
    const double height = fmax(room, BAR_LINES * d->line);
    const double key = top + height + 2 * d->gap; // where the colour of missing values is

    put(d, x, top - d->gap, d->caption->units);
    if (scale->low <= scale->high) { // there are numbers
        const struct image image = create_image(width, height);

        for (int64_t i = 0; image.pixels && i < (int64_t)(width * height); i++) {
            const int64_t up = (int64_t)height - 1 - i / (int64_t)width;
            const int64_t color = up * COLORMAP_SIZE / (int64_t)height;

            image.pixels[i / (int64_t)width * image.row + i % (int64_t)width] =
                pixel(scale->low < scale->high ? scale->colors[color]
                                               : colorscale_color(scale, scale->low));
        }
        put_image(d, image, x, top);
        draw_numbers(d, x + width, top, height);
    }
    if (d->picture->has_missing) {
        cairo_rectangle(d->cr, x, key, width, d->line);
        put_color(d, scale->missing);
        cairo_fill(d->cr);
        put_color(d, (const uint8_t[3]){0, 0, 0});
        put_border(d, x, key, width, d->line);
        put(d, x + width + 2 * d->gap, key + 0.8 * d->line, "missing");
    }
}

static void
draw(const struct drawing *d)
{
    const double width = 2 * (double)picture_pixels(d->picture, 1);
    cairo_font_options_t *const options = cairo_font_options_create();

    // Text has one size wherever it is drawn.
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(d->cr, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(d->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(d->cr, 0.75 * d->line);
    cairo_set_line_width(d->cr, 1);
    draw_cells(d);
    draw_side(d, 0);
    draw_side(d, 1);
    draw_bar(d);
    // The words may be wider than all that, but not by much.
    cairo_rectangle(d->cr, 0, -3 * d->line, fmax(width, WORDS_WIDTH), 3 * d->line);
    cairo_clip(d->cr);
    put(d, 0, -d->gap - d->line, d->caption->title);
    put(d, 0, -d->gap, d->caption->slice);
}

static cairo_status_t
write_bytes(void *file, const unsigned char *bytes, unsigned int size)
{
    return fwrite(bytes, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *
create_surface(const struct figure_format *format, FILE *file, double width, double height)
{
    if (!format->vector)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    return text_ends_with(format->suffix, "svg")
               ? cairo_svg_surface_create_for_stream(write_bytes, file, width, height)
               : cairo_pdf_surface_create_for_stream(write_bytes, file, width, height);
}

// Draws what fills `extents` (x, y, width, height) into the file.
static cairo_status_t
write_surface(struct drawing *d, const struct figure_format *format, FILE *file,
              const double extents[4])
{
    const double left = floor(extents[0] - d->gap), top = floor(extents[1] - d->gap);
    const double width = ceil(extents[0] + extents[2] + d->gap) - left;
    const double height = ceil(extents[1] + extents[3] + d->gap) - top;
    cairo_surface_t *const surface = create_surface(format, file, width, height);

    d->cr = cairo_create(surface);
    cairo_set_source_rgb(d->cr, 1, 1, 1);
    cairo_paint(d->cr);
    cairo_set_source_rgb(d->cr, 0, 0, 0);
    cairo_translate(d->cr, -left, -top);
    draw(d);

    cairo_status_t status = cairo_status(d->cr);
    cairo_destroy(d->cr);
    if (status == CAIRO_STATUS_SUCCESS && !format->vector)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    cairo_surface_finish(surface); // vectors are written here
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

// What cairo and fontconfig keep for the next picture, of which there is none.
static void
release_fonts(void)
{
    cairo_debug_reset_static_data();
#ifdef HAVE_FONTCONFIG
    FcFini();
#endif
}

tess_status
figure_supported(tess_error *err)
{
    (void)err;
    return TESS_OK;
}

tess_status
figure_write(const char *path, const struct figure_format *format, const struct picture *p,
             const struct colorscale *scale, const struct caption *caption, tess_error *err)
{
    const bool large = picture_pixels(p, 0) >= LARGE || picture_pixels(p, 1) >= LARGE;
    struct drawing d = {.gap = large ? 10 : 6,
                        .line = large ? 22 : 14,
                        .picture = p,
                        .scale = scale,
                        .caption = caption};
    double extents[4];
    tess_status st = TESS_OK;
    FILE *const file = fopen(path, "wbxe");

    if (!file)
        return report_errno(err, "cannot create");
    cairo_surface_t *const trial = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
    d.cr = cairo_create(trial);
    draw(&d);
    cairo_status_t status = cairo_status(d.cr);
    cairo_destroy(d.cr);
    cairo_recording_surface_ink_extents(trial, &extents[0], &extents[1], &extents[2], &extents[3]);
    cairo_surface_destroy(trial);
    errno = 0;
    if (status == CAIRO_STATUS_SUCCESS)
        status = write_surface(&d, format, file, extents);
    release_fonts();
    if (status == CAIRO_STATUS_WRITE_ERROR && errno != 0)
        st = report_errno(err, "cannot write");
    else if (status != CAIRO_STATUS_SUCCESS)
        st = report_set(err, status == CAIRO_STATUS_NO_MEMORY ? TESS_ERR_NOMEM : TESS_ERR_IO,
                        "cannot draw: %s", cairo_status_to_string(status));
    if (fclose(file) != 0 && st == TESS_OK)
        st = report_errno(err, "cannot write");
    return st;
}

#else

tess_status
figure_supported(tess_error *err)
{
    return report_set(err, TESS_ERR_UNSUPPORTED,
                      "this build of tess does not write PNG, SVG and PDF: install cairo (Debian: "
                      "libcairo2-dev) and build it anew; without --output it draws here");
}

tess_status
figure_write(const char *path, const struct figure_format *format, const struct picture *p,
             const struct colorscale *scale, const struct caption *caption, tess_error *err)
{
    (void)path;
    (void)format;
    (void)p;
    (void)scale;
    (void)caption;
    return figure_supported(err);
}

#endif
