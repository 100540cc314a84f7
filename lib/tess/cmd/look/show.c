/*
 * show.c - tess show: two axes of an array as a picture.
 */
#include "commands.h"
#include "data/numbers.h"
#include "data/open.h"
#include "data/output.h"
#include "data/picked/picked.h"
#include "data/picked/select.h"
#include "help/values.h"
#include "options.h"
#include "picture/caption.h"
#include "picture/colormap.h"
#include "picture/colorscale.h"
#include "picture/figure.h"
#include "picture/missing.h"
#include "picture/picture.h"
#include "picture/terminal.h"
#include "report.h"
#include "text/json.h"
#include "text/names.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_SIDE 1024 // pixels of a picture, if nothing else is asked for
#define MAX_SIDE 8192

struct show {
    const char *in_name, *out_name; // out_name NULL: text on stdout
    const struct figure_format *format; // of out_name
    enum picture_reduce reduce;
    const struct colormap *map;
    int64_t most[2]; // pixels: rows, columns
    bool has_range;
    double low, high;
    bool has_axes;
    int axes[2];

    tess_array *a;
    struct picked picked;
    struct numbers numbers;
    struct missing missing;
    struct slice_range sel;
    struct picture picture;
};

// -- what is asked for

static tess_status
parse_reduce(struct show *s, const char *value, tess_error *err)
{
    int reduce = PICTURE_SAMPLE;

    if (value && !names_value(names_reduce, value, &reduce))
        return values_refuse(OPT_REDUCE, value, value, err);
    s->reduce = (enum picture_reduce)reduce;
    return TESS_OK;
}

static tess_status
parse_colors(struct show *s, const char *value, tess_error *err)
{
    s->map = value ? colormap_find(value) : colormap_at(0);
    return s->map ? TESS_OK : values_refuse(OPT_COLORS, value, value, err);
}

static tess_status
parse_range(struct show *s, const char *value, tess_error *err)
{
    char *end = NULL;

    if (!value)
        return TESS_OK;
    s->low = strtod(value, &end);
    if (end > value && *end == ':') {
        const char *const rest = end + 1;

        s->high = strtod(rest, &end);
        s->has_range = end > rest && *end == '\0';
    }
    if (!s->has_range || !isfinite(s->low) || !isfinite(s->high) || s->low >= s->high)
        return report_set(err, TESS_ERR_ARG, "--range %s: not two numbers LO:HI with LO < HI",
                          value);
    return TESS_OK;
}

static tess_status
parse_axes(struct show *s, const char *value, tess_error *err)
{
    char rest;

    if (!value)
        return TESS_OK;
    s->has_axes = sscanf(value, "%d,%d%c", &s->axes[0], &s->axes[1], &rest) == 2;
    if (!s->has_axes)
        return report_set(err, TESS_ERR_ARG, "--axes %s: not two axes, as 0,2", value);
    return TESS_OK;
}

static tess_status
parse_side(int64_t *most, const char *name, const char *value, tess_error *err)
{
    if (value && (!text_int64(value, most) || *most < 1 || *most > MAX_SIDE))
        return report_set(err, TESS_ERR_ARG, "%s %s: not a number of pixels from 1 to %d", name,
                          value, MAX_SIDE);
    return TESS_OK;
}

static tess_status
parse(struct show *s, const struct arguments *args, tess_error *err)
{
    const char *const out_name = args->values[OPT_OUTPUT];
    tess_status st = TESS_OK;

    if (out_name && strcmp(out_name, "-") == 0 && args->values[OPT_JSON])
        return report_set(err, TESS_ERR_ARG, "--json and --output -: both go to standard output");
    if (out_name && strcmp(out_name, "-") != 0) {
        s->out_name = out_name;
        s->format = figure_format_find(out_name);
        if (!s->format)
            return report_set(err, TESS_ERR_ARG,
                              "--output %s: must end in .png, .svg or .pdf, or be -", out_name);
        TRY(figure_supported(err));
        s->most[0] = s->most[1] = FILE_SIDE;
    } else {
        terminal_size(s->most);
    }
    TRY(parse_reduce(s, args->values[OPT_REDUCE], err));
    TRY(parse_colors(s, args->values[OPT_COLORS], err));
    TRY(parse_range(s, args->values[OPT_RANGE], err));
    TRY(parse_axes(s, args->values[OPT_AXES], err));
    TRY(parse_side(&s->most[0], "--height", args->values[OPT_HEIGHT], err));
    TRY(parse_side(&s->most[1], "--width", args->values[OPT_WIDTH], err));
out:
    return st;
}

// -- which axes are shown

static bool
is_shown(const struct show *s, int axis)
{
    return axis == s->axes[0] || axis == s->axes[1];
}

// The last two axes with more than one item; if there are less, others that the slice leaves.
static tess_status
choose_axes(struct show *s, tess_error *err)
{
    bool shown[TESS_MAX_NDIM] = {false};
    int wanted = 2, naxes = 0;

    for (int least = 2; least >= 1; least--) {
        if (least == 1 && wanted > 0 && s->sel.out_ndim < 2)
            return report_set(err, TESS_ERR_ARG, "a picture needs 2 axes, the slice leaves %d",
                              s->sel.out_ndim);
        for (int i = s->sel.ndim - 1; i >= 0 && wanted > 0; i--)
            if (!shown[i] && s->sel.count[i] >= least) {
                shown[i] = true;
                wanted--;
            }
    }
    for (int i = 0; i < s->sel.ndim; i++)
        if (shown[i])
            s->axes[naxes++] = i;
    return TESS_OK;
}

static tess_status
check_axes(const struct show *s, tess_error *err)
{
    for (int k = 0; k < 2; k++)
        if (s->axes[k] < 0 || s->axes[k] >= s->sel.ndim)
            return report_set(err, TESS_ERR_ARG, "--axes: there is no axis %d; the array has %d",
                              s->axes[k], s->sel.ndim);
    if (s->axes[0] == s->axes[1])
        return report_set(err, TESS_ERR_ARG, "--axes: the same axis twice");
    return TESS_OK;
}

// Of axes that are neither shown nor reduced, the item in the middle; and words about that.
static void
take_middle(struct show *s)
{
    char words[200] = "";

    for (int i = 0; i < s->sel.ndim; i++) {
        if (is_shown(s, i) || s->sel.count[i] == 1)
            continue;
        s->sel.start[i] += s->sel.step[i] * (s->sel.count[i] / 2);
        s->sel.count[i] = s->sel.step[i] = 1;
        (void)snprintf(words + strlen(words), sizeof words - strlen(words),
                       "%s%" PRId64 " of axis %d", words[0] ? ", " : "", s->sel.start[i], i);
    }
    if (words[0] == '\0')
        return;
    fputs("tess: ", stderr);
    text_write(stderr, s->in_name);
    fprintf(stderr, ": shown is index %s; --slice takes another, --reduce mean all of them\n",
            words);
}

static tess_status
choose(struct show *s, const char *expr, tess_error *err)
{
    tess_status st = TESS_OK;

    TRY(select_parse(expr ? expr : "...", s->picked.info.ndim, s->picked.info.shape, &s->sel, err));
    for (int i = 0; i < s->sel.ndim; i++)
        if (s->sel.count[i] == 0) {
            st = report_set(err, TESS_ERR_ARG, "nothing is selected: axis %d has no items", i);
            goto out;
        }
    if (s->has_axes)
        TRY(check_axes(s, err));
    else
        TRY(choose_axes(s, err));
    if (s->reduce == PICTURE_SAMPLE)
        take_middle(s);
out:
    return st;
}

// -- what is shown, for programs

static void
json_values(struct json *j, const struct picture *p)
{
    json_open(j, "values", '[');
    for (int64_t y = 0; y < p->cells[0]; y++) {
        const int64_t row = p->flip ? p->cells[0] - 1 - y : y;

        json_open(j, NULL, '[');
        for (int64_t x = 0; x < p->cells[1]; x++)
            json_real(j, NULL, p->values[row * p->cells[1] + x]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void
print_json(const struct show *s, const struct caption *caption)
{
    const struct picture *const p = &s->picture;
    const int64_t axes[2] = {s->axes[0], s->axes[1]};
    struct json j;

    json_begin(&j, stdout);
    json_string(&j, "slice", caption->slice);
    json_ints(&j, "axes", 2, axes);
    json_open(&j, "names", '[');
    for (int k = 0; k < 2; k++)
        json_string(&j, NULL, caption->sides[k]);
    json_close(&j, ']');
    json_ints(&j, "cells", 2, p->cells);
    json_ints(&j, "box", 2, p->box);
    json_string(&j, "reduce",
                s->reduce == PICTURE_SAMPLE ? "sample" : names_text(names_reduce, (int)s->reduce));
    json_real(&j, "least", p->least);
    json_real(&j, "greatest", p->greatest);
    json_bool(&j, "missing", p->has_missing);
    json_string(&j, "output", s->out_name);
    if (!s->out_name)
        json_values(&j, p);
    json_end(&j);
}

// -- the command

static int
run_show(const struct arguments *args)
{
    struct show s = {.in_name = args->words[0]};
    const bool colored = args->values[OPT_OUTPUT] != NULL || isatty(STDOUT_FILENO);
    const char *about = s.in_name;
    struct colorscale scale;
    struct caption caption;
    struct output file = {0};
    tess_status st = TESS_OK;
    tess_error err;

    TRY(parse(&s, args, &err));
    TRY(open_array(s.in_name, args, &s.a, &err));
    TRY(picked_init(&s.picked, s.a, args->values[OPT_FIELD], &err));
    if (!numbers_init(&s.numbers, s.picked.info.dtype, s.picked.info.typesize)) {
        st = report_set(&err, TESS_ERR_UNSUPPORTED,
                        "items of type %.40s are no numbers that have a colour",
                        s.picked.info.dtype ? s.picked.info.dtype : "unknown");
        st = picked_explain(s.picked.info.dtype, st, &err);
        goto out;
    }
    TRY(choose(&s, args->values[OPT_SLICE], &err));
    TRY(missing_find(&s.missing, &s.picked, &s.numbers, args->values[OPT_MISSING], &err));
    if (s.out_name) {
        about = s.out_name;
        TRY(output_open(&file, s.out_name, OUTPUT_FILE, args->values[OPT_FORCE] != NULL, &err));
        about = s.in_name;
    }
    picture_plan(&s.picture, &s.sel, s.axes, s.most);
    s.picture.flip = args->values[OPT_FLIP] != NULL;
    TRY(picture_read(&s.picture, &s.picked, &s.sel, s.reduce, &s.numbers, &s.missing, &err));
    colorscale_init(&scale, s.map, s.has_range ? s.low : s.picture.least,
                    s.has_range ? s.high : s.picture.greatest, s.has_range);
    caption_init(&caption, s.in_name, args->values[OPT_FIELD], &s.picked, &s.sel, &s.picture,
                 s.reduce);
    if (s.out_name) {
        about = s.out_name;
        TRY(figure_write(file.temporary, s.format, &s.picture, &scale, &caption, &err));
        TRY(output_publish(&file, &err));
    }
    if (args->values[OPT_JSON]) {
        print_json(&s, &caption);
    } else if (!s.out_name) {
        terminal_draw(stdout, colored ? terminal_colors() : TERMINAL_ASCII, &s.picture, &scale,
                      &caption);
    }
out:
    output_close(&file);
    picture_finish(&s.picture);
    picked_finish(&s.picked);
    tess_array_discard(s.a);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(about, &err);
}

const struct command cmd_show = {
    .name = "show",
    .purpose = "show two axes of an array as a picture",
    .words = "PATH",
    .nwords = 1,
    .options = OPTIONS(OPT_SLICE, OPT_OFFSET, OPT_UNCHECKED, OPT_FORCE, OPT_OUTPUT, OPT_AXES,
                       OPT_REDUCE, OPT_WIDTH, OPT_HEIGHT, OPT_RANGE, OPT_MISSING, OPT_COLORS,
                       OPT_FLIP, OPT_THREADS, OPT_FIELD, OPT_JSON),
    .details =
        "The last two axes of the slice are rows and columns, or those that --axes names. Of\n"
        "others the index in the middle is taken, unless --slice gives one, or --reduce takes all. "
        "What\n"
        "is larger than the picture is shown in part: one item per pixel is read; --reduce takes\n"
        "all that a pixel stands for. Without --output the picture is text, with colours if\n"
        "it goes to a terminal or to --output -. NO_COLOR, TERM, COLORTERM and the locale say\n"
        "which. A range of values that is not given is that of what is shown; missing values\n"
        "are not in it. Those are NaN, what the attributes _FillValue and missing_value say, the\n"
        "fill value unless it is 0, and what valid_range, valid_min and valid_max leave out; or\n"
        "what --missing says instead. --json prints what is shown; without an image file its "
        "values, too, instead of the text.\n",
    .examples =
        (const struct example[]){
            {"in the terminal", "tess show winds.b2nd --slice 0"},
            {"latitudes grow upwards", "tess show winds.b2nd --slice 0 --flip -o january.png"},
            {"the mean over the months", "tess show winds.b2nd --reduce mean -o mean.png"},
            {"one field of structures", "tess show stations.b2nd --field wind.speed"},
            {"80 x 40 means for a program",
             "tess show winds.b2nd --slice 0 --reduce mean --width 80 --height 40 --json"},
            {"for a paper", "tess show winds.b2nd --slice 0 -o january.pdf"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"slice", "string", "what is shown, as in the caption"},
            {"axes", "integers", "rows and columns: two axes of the array"},
            {"names", "strings", "of these axes"},
            {"cells", "integers", "rows and columns of the picture"},
            {"box", "integers", "items that a cell stands for, along both"},
            {"reduce", "string", "sample (one of these items), mean, min or max"},
            {"least", "number or null", "of the cells; null: all are missing or infinite"},
            {"greatest", "number or null", "likewise"},
            {"missing", "boolean", "some cells have no value"},
            {"output", "string or null", "the image file; null: none"},
            {"values", "any or absent",
             "rows from the top, lists of numbers; null: missing or infinite. Without an image\n"
             "file only"},
            {0},
        },
    .run = run_show,
};
