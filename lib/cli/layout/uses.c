/*
 * uses.c - what is done with an array, and how often.
 *
 * Whatever is read is a box, of which some axes are whole: so all that comes later knows boxes
 * only.
 */
#include "cli/layout/uses.h"

#include "cli/report.h"
#include "cli/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What stands behind the name and its colon.
enum argument { NOTHING, AXIS, SHAPE };

static const struct form {
    const char *name;
    enum access_kind kind;
    enum argument argument;
    int64_t named, others; // items along the axis that is named, and along the others
} forms[] = {
    {"full", ACCESS_READ, NOTHING, ACCESS_WHOLE, ACCESS_WHOLE},
    {"plane", ACCESS_READ, AXIS, 1, ACCESS_WHOLE},
    {"line", ACCESS_READ, AXIS, ACCESS_WHOLE, 1},
    {"row", ACCESS_READ, NOTHING, ACCESS_WHOLE, 1}, // the last axis is the one that is named
    {"point", ACCESS_READ, NOTHING, 1, 1},
    {"box", ACCESS_READ, SHAPE, 0, 0},
    {"update", ACCESS_UPDATE, SHAPE, 0, 0},
    {"append", ACCESS_APPEND, AXIS, 1, ACCESS_WHOLE},
    {"write", ACCESS_WRITE, NOTHING, ACCESS_WHOLE, ACCESS_WHOLE},
};

#define NFORMS (sizeof forms / sizeof forms[0])

static const struct form *
find_form(const char *name)
{
    for (size_t i = 0; i < NFORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

static void
set_extent(struct access *a, const struct form *form, int ndim)
{
    for (int i = 0; i < ndim; i++)
        a->extent[i] = form->others;
    if (ndim > 0)
        a->extent[a->axis] = form->named;
}

// K or K:N. The text is cut at the colon.
static tess_status
parse_axis(char *text, int ndim, struct access *a, const struct form *form, tess_error *err)
{
    char *const colon = strchr(text, ':');
    int64_t axis = 0, count = 1;

    if (colon)
        *colon = '\0';
    if (!text_int64(text, &axis) || axis < -ndim || axis >= ndim)
        return report_set(err, TESS_ERR_ARG, "--access %s: %s is no axis of %d dimensions",
                          form->name, text, ndim);
    a->axis = (int)(axis < 0 ? axis + ndim : axis);
    set_extent(a, form, ndim);
    if (!colon)
        return TESS_OK;
    if (form->named == ACCESS_WHOLE || !text_int64(colon + 1, &count) || count < 1)
        return report_set(err, TESS_ERR_ARG, "--access %s:%s:%s: not a number of indices",
                          form->name, text, colon + 1);
    a->extent[a->axis] = count;
    return TESS_OK;
}

static tess_status
parse_shape(const char *text, int ndim, struct access *a, const struct form *form, tess_error *err)
{
    int64_t shape[TESS_MAX_NDIM];
    int n = 0;

    if (!text_shape(text, &n, shape) || n != ndim)
        return report_set(err, TESS_ERR_ARG, "--access %s:%s: not a shape of %d dimensions",
                          form->name, text, ndim);
    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 0)
            return report_set(err, TESS_ERR_ARG, "--access %s:%s: 0 is not a length", form->name,
                              text);
        a->extent[i] = shape[i];
    }
    return TESS_OK;
}

static tess_status
parse_weight(const char *star, double *weight, tess_error *err)
{
    char *end = NULL;

    *weight = 1;
    if (!star)
        return TESS_OK;
    *weight = strtod(star + 1, &end);
    if (end == star + 1 || *end != '\0' || !isfinite(*weight) || *weight <= 0)
        return report_set(err, TESS_ERR_ARG, "--access *%s: not a weight", star + 1);
    return TESS_OK;
}

// One access; its text is changed.
static tess_status
parse_one(char *text, int ndim, struct use *u, tess_error *err)
{
    tess_status st = TESS_OK;

    struct access *const a = &u->access;

    *u = (struct use){.weight = 1};
    char *const star = strchr(text, '*');
    TRY(parse_weight(star, &u->weight, err));
    if (star)
        *star = '\0';
    (void)snprintf(u->text, sizeof u->text, "%s", text);

    char *const colon = strchr(text, ':');
    if (colon)
        *colon = '\0';
    const struct form *const form = find_form(text);
    if (!form)
        return report_set(err, TESS_ERR_ARG,
                          "--access %s: not one of full, plane, line, row, point, box, update, "
                          "append, write",
                          text);
    if ((form->argument == NOTHING) != (colon == NULL))
        return report_set(err, TESS_ERR_ARG, "--access %s: %s", u->text,
                          form->argument == NOTHING ? "takes nothing behind a colon"
                          : form->argument == AXIS  ? "needs an axis, as in plane:0"
                                                    : "needs a shape, as in box:64x64");
    a->kind = form->kind;
    a->axis = ndim > 0 ? ndim - 1 : 0;
    set_extent(a, form, ndim);
    if (form->argument == AXIS)
        TRY(parse_axis(colon + 1, ndim, a, form, err));
    if (form->argument == SHAPE)
        TRY(parse_shape(colon + 1, ndim, a, form, err));
out:
    return st;
}

tess_status
uses_parse(const char *text, int ndim, const int64_t *shape, struct uses *uses, tess_error *err)
{
    tess_status st = TESS_OK;

    uses->count = 0;
    for (const char *p = text;; p++) {
        const size_t length = strcspn(p, ",");
        char one[ACCESS_TEXT_SIZE];

        if (uses->count == ACCESS_MAX)
            return report_set(err, TESS_ERR_ARG, "--access %s: more than %d", text, ACCESS_MAX);
        if (length >= sizeof one)
            return report_set(err, TESS_ERR_ARG, "--access %s: too long", text);
        memcpy(one, p, length);
        one[length] = '\0';
        TRY(parse_one(one, ndim, &uses->items[uses->count], err));
        uses->count++;
        p += length;
        if (*p == '\0')
            break;
    }
    for (int i = 0; i < uses->count; i++) { // what is longer than the array is as long
        struct access *const a = &uses->items[i].access;

        for (int k = 0; k < ndim; k++)
            if (a->extent[k] > shape[k])
                a->extent[k] = shape[k];
    }
out:
    return st;
}

void
uses_default(int ndim, struct uses *uses)
{
    struct use *u = uses->items;
    const int planes = ndim < ACCESS_MAX - 2 ? ndim : ACCESS_MAX - 2;

    *u = (struct use){.text = "full", .weight = 1};
    set_extent(&u++->access, find_form("full"), ndim);
    for (int k = 0; ndim > 1 && k < planes; k++, u++) {
        *u = (struct use){.access = {.axis = k}, .weight = 10};
        (void)snprintf(u->text, sizeof u->text, "plane:%d", k);
        set_extent(&u->access, find_form("plane"), ndim);
    }
    *u = (struct use){.text = "point", .weight = 100};
    set_extent(&u++->access, find_form("point"), ndim);
    uses->count = (int)(u - uses->items);
}

double
uses_predict(const struct uses *uses, const struct model *m, int ndim, const int64_t *shape,
             int32_t typesize, const struct grid *g)
{
    double sum = 0;

    for (int i = 0; i < uses->count; i++) {
        const struct use *const u = &uses->items[i];
        const struct model_cost cost = model_predict(m, &u->access, ndim, shape, typesize, g);
        sum += u->weight * (cost.cpu + cost.disk);
    }
    return sum;
}
