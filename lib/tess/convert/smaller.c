/*
 * smaller.c - a copy of an array that is downsampled, once or as the levels of a pyramid.
 */
#include "convert/smaller.h"

#include "convert/layers.h"
#include "data/shapes.h"
#include "report.h"
#include "text/names.h"
#include "text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SMALL = 256 }; // the longest axis of the last level, if their number is chosen

// CELL[:HOW]
static tess_status
parse_cell(struct smaller *s, const char *text, int ndim, tess_error *err)
{
    const size_t length = strcspn(text, ":");
    const char *const how = text[length] ? text + length + 1 : "mean";
    char shape[TESS_MAX_NDIM * 20];
    int op = 0, n = 0;

    (void)snprintf(shape, sizeof shape, "%.*s", (int)(length < sizeof shape ? length : 0), text);
    const tess_status st = shapes_parse("--downsample", shape, &n, s->factors, err);
    if (st != TESS_OK)
        return st;
    if (n != ndim)
        return report_set(err, TESS_ERR_ARG,
                          "--downsample %s: the array has %d dimensions, this cell %d", text, ndim,
                          n);
    for (int i = 0; i < n; i++)
        if (s->factors[i] == 0)
            return report_set(err, TESS_ERR_ARG, "--downsample %s: 0 is not a length", text);
    if (!names_value(names_downsampling, how, &op))
        return report_set(err, TESS_ERR_ARG,
                          "--downsample %s: %s: none of mean, nearest, min, max, mode", text, how);
    s->op = (tess_downsampling)op;
    return TESS_OK;
}

static tess_status
parse_levels(struct smaller *s, const tess_array *a, const char *text, tess_error *err)
{
    int64_t levels = 0;

    s->pyramid = true;
    if (strcmp(text, "auto") == 0)
        levels = tess_pyramid_levels(a, s->factors, SMALL);
    else if (!text_int64(text, &levels) || levels < 1 || levels > SMALLER_LEVELS_MOST)
        return report_set(err, TESS_ERR_ARG, "--levels %s: not auto or a number from 1 to %d", text,
                          SMALLER_LEVELS_MOST);
    if (levels == 0)
        return report_set(err, TESS_ERR_ARG, "--levels auto: no axis is longer than %d", SMALL);
    s->levels = (int)(levels > SMALLER_LEVELS_MOST ? SMALLER_LEVELS_MOST : levels);
    return TESS_OK;
}

tess_status
smaller_parse(struct smaller *s, const tess_array *a, const struct arguments *args, tess_error *err)
{
    const char *const cell = args->values[OPT_DOWNSAMPLE], *const levels = args->values[OPT_LEVELS];
    tess_status st = TESS_OK;
    tess_info info;

    *s = (struct smaller){.wanted = cell || levels, .op = TESS_DOWNSAMPLE_MEAN};
    tess_downsample_options_init(&s->options);
    s->options.skip_nan = args->values[OPT_SKIP_NAN] != NULL;
    if (args->values[OPT_SKIP_NAN] && !s->wanted)
        return report_set(err, TESS_ERR_ARG, "--skip-nan is for --downsample and --levels");
    tess_array_info(a, &info);
    for (int i = 0; i < info.ndim; i++)
        s->factors[i] = 2;
    if (cell)
        TRY(parse_cell(s, cell, info.ndim, err));
    if (levels)
        TRY(parse_levels(s, a, levels, err));
out:
    return st;
}

tess_status
smaller_copy(const struct smaller *s, const tess_array *a, const tess_storage *storage,
             const tess_params *params, tess_array **out, tess_error *err)
{
    tess_params p = *params;
    struct layers layers;
    tess_status st = TESS_OK;

    *out = NULL;
    TRY(layers_load(&layers, a, err));
    p.metalayers = layers.fixed;
    p.nmetalayers = layers.nfixed;
    TRY(tess_array_downsample(a, s->op, s->factors, &s->options, storage, &p, out, err));
    TRY(layers_store(&layers, *out, err));
out:
    if (st != TESS_OK) {
        tess_array_discard(*out);
        *out = NULL;
    }
    return st;
}

// Where the levels go. Memory of paths and storages: one allocation for each.
struct places {
    tess_storage storages[SMALLER_LEVELS_MOST];
    const tess_storage *list[SMALLER_LEVELS_MOST];
    char *paths[SMALLER_LEVELS_MOST];
};

static tess_status
name_levels(struct places *places, int levels, const char *folder, const tess_storage *storage,
            tess_error *err)
{
    for (int i = 0; i < levels; i++) {
        if (asprintf(&places->paths[i], "%s/%d.b2nd", folder, i + 1) < 0) {
            places->paths[i] = NULL;
            return report_nomem(err, (int64_t)strlen(folder));
        }
        places->storages[i] = *storage;
        places->storages[i].path = places->paths[i];
        places->list[i] = &places->storages[i];
    }
    return TESS_OK;
}

tess_status
smaller_pyramid(const struct smaller *s, const tess_array *a, const char *folder,
                const tess_storage *storage, const tess_params *params, tess_error *err)
{
    tess_array *levels[SMALLER_LEVELS_MOST] = {NULL};
    struct places places = {0};
    tess_params p = *params;
    struct layers layers;
    tess_status st = TESS_OK;

    if (mkdir(folder, 0777) != 0)
        return report_errno(err, "cannot be made");
    TRY(name_levels(&places, s->levels, folder, storage, err));
    TRY(layers_load(&layers, a, err));
    p.metalayers = layers.fixed;
    p.nmetalayers = layers.nfixed;
    TRY(tess_array_pyramid(a, s->op, s->factors, &s->options, places.list, s->levels, &p, levels,
                           err));
    for (int i = 0; i < s->levels; i++) {
        TRY(layers_store(&layers, levels[i], err));
        st = tess_array_close(levels[i], err);
        levels[i] = NULL;
        TRY(st);
    }
out:
    for (int i = 0; i < s->levels; i++) {
        tess_array_discard(levels[i]);
        free(places.paths[i]);
    }
    return st;
}
