/*
 * accesses.c - what is done with an array: accesses as text, and as the model counts them.
 *
 * Every access is a box of which some axes are whole; nothing but this unit knows planes, lines and
 * points.
 */
#include "layout/private.h"

#include "api/uncancelled.h"
#include "base/error.h"
#include "base/sized.h"
#include "geom/model.h"
#include "meta/text.h"

#include <tessera/layout.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- text, from and to

// What stands behind the name and its colon.
enum argument { NOTHING, AXIS, SHAPE };

static const struct form {
    const char *name;
    tess_access_kind kind;
    enum argument argument;
    int64_t named, others; // items along the axis that is named, and along the others
} forms[] = {
    {"full", TESS_ACCESS_READ, NOTHING, TESS_ACCESS_WHOLE, TESS_ACCESS_WHOLE},
    {"plane", TESS_ACCESS_READ, AXIS, 1, TESS_ACCESS_WHOLE},
    {"line", TESS_ACCESS_READ, AXIS, TESS_ACCESS_WHOLE, 1},
    {"row", TESS_ACCESS_READ, NOTHING, TESS_ACCESS_WHOLE, 1}, // its named axis is the last one
    {"point", TESS_ACCESS_READ, NOTHING, 1, 1},
    {"box", TESS_ACCESS_READ, SHAPE, 0, 0},
    {"update", TESS_ACCESS_UPDATE, SHAPE, 0, 0},
    {"append", TESS_ACCESS_APPEND, AXIS, 1, TESS_ACCESS_WHOLE},
    {"write", TESS_ACCESS_WRITE, NOTHING, TESS_ACCESS_WHOLE, TESS_ACCESS_WHOLE},
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

// A decimal number at *text, which then points behind it.
static bool
parse_int(const char **text, int64_t *value)
{
    char *end = NULL;

    if (!isdigit((unsigned char)**text) && **text != '-')
        return false;
    errno = 0;
    const long long v = strtoll(*text, &end, 10);
    if (end == *text || errno != 0)
        return false;
    *text = end;
    *value = v;
    return true;
}

static void
set_extent(tess_access *a, const struct form *form, int ndim)
{
    for (int i = 0; i < ndim; i++)
        a->extent[i] = form->others;
    if (ndim > 0)
        a->extent[a->axis] = form->named;
}

// K or K:N.
static tess_status
access_parse_axis(const char *text, int ndim, tess_access *a, const struct form *form,
                  tess_error *err)
{
    const int length = (int)strcspn(text, ":");
    const char *at = text;
    int64_t axis = 0, count = 1;

    if (!parse_int(&at, &axis) || at != text + length || axis < -ndim || axis >= ndim)
        return err_set(err, TESS_ERR_ARG, -1, "access %s: %.*s is no axis of %d dimensions",
                       form->name, length, text, ndim);
    a->axis = (int)(axis < 0 ? axis + ndim : axis);
    set_extent(a, form, ndim);
    if (*at == '\0')
        return TESS_OK;
    at++;
    if (form->named == TESS_ACCESS_WHOLE || !parse_int(&at, &count) || *at != '\0' || count < 1)
        return err_set(err, TESS_ERR_ARG, -1, "access %s:%s: not a number of indices", form->name,
                       text);
    a->extent[a->axis] = count;
    return TESS_OK;
}

// As many lengths as the array has dimensions, an x between two.
static tess_status
access_parse_shape(const char *text, int ndim, tess_access *a, const struct form *form,
                   tess_error *err)
{
    const char *at = text;

    for (int i = 0; i < ndim; i++) {
        if ((i > 0 && *at++ != 'x') || *at == '-' || !parse_int(&at, &a->extent[i]))
            return err_set(err, TESS_ERR_ARG, -1, "access %s:%s: not a shape of %d dimensions",
                           form->name, text, ndim);
        if (a->extent[i] == 0)
            return err_set(err, TESS_ERR_ARG, -1, "access %s:%s: 0 is not a length", form->name,
                           text);
    }
    if (*at != '\0')
        return err_set(err, TESS_ERR_ARG, -1, "access %s:%s: not a shape of %d dimensions",
                       form->name, text, ndim);
    return TESS_OK;
}

static tess_status
parse_weight(const char *star, double *weight, tess_error *err)
{
    char local[TESS_ACCESS_NAME_SIZE + RADIX_SIZE], radix[RADIX_SIZE], *end = NULL;

    *weight = 1;
    if (!star)
        return TESS_OK;
    const char *const text = star + 1;
    const int whole = (int)strcspn(text, ".");
    radix_get(radix); // "0.5" is written with a point, whatever the locale
    (void)snprintf(local, sizeof local, "%.*s%s%s", whole, text, text[whole] ? radix : "",
                   text[whole] ? text + whole + 1 : "");
    *weight = strtod(local, &end);
    if (end == local || *end != '\0' || !isfinite(*weight) || *weight <= 0)
        return err_set(err, TESS_ERR_ARG, -1, "access *%s: not a weight", text);
    return TESS_OK;
}

// One access; its text is cut into parts.
static tess_status
parse_one(char *text, int ndim, tess_access *a, tess_error *err)
{
    tess_status st = TESS_OK;

    *a = (tess_access){.struct_size = sizeof *a, .axis = ndim > 0 ? ndim - 1 : 0};
    char *const star = strchr(text, '*');
    TRY(parse_weight(star, &a->weight, err));
    if (star)
        *star = '\0';
    (void)snprintf(a->name, sizeof a->name, "%s", text);

    char *const colon = strchr(text, ':');
    if (colon)
        *colon = '\0';
    const struct form *const form = find_form(text);
    if (!form)
        return err_set(err, TESS_ERR_ARG, -1,
                       "access %s: not one of full, plane, line, row, point, box, update, append, "
                       "write",
                       text);
    if ((form->argument == NOTHING) != (colon == NULL))
        return err_set(err, TESS_ERR_ARG, -1, "access %s: %s", a->name,
                       form->argument == NOTHING ? "takes nothing behind a colon"
                       : form->argument == AXIS  ? "needs an axis, as in plane:0"
                                                 : "needs a shape, as in box:64x64");
    a->kind = form->kind;
    set_extent(a, form, ndim);
    if (form->argument == AXIS)
        TRY(access_parse_axis(colon + 1, ndim, a, form, err));
    if (form->argument == SHAPE)
        TRY(access_parse_shape(colon + 1, ndim, a, form, err));
out:
    return st;
}

// All items, a plane across each axis, and some points.
static int
default_mix(int ndim, tess_access *accesses)
{
    const int planes = ndim < TESS_MAX_ACCESSES - 2 ? ndim : TESS_MAX_ACCESSES - 2;
    tess_access *a = accesses;

    *a = (tess_access){.struct_size = sizeof *a, .name = "full", .weight = 1};
    set_extent(a++, find_form("full"), ndim);
    for (int k = 0; ndim > 1 && k < planes; k++, a++) {
        *a = (tess_access){.struct_size = sizeof *a, .axis = k, .weight = 10};
        (void)snprintf(a->name, sizeof a->name, "plane:%d", k);
        set_extent(a, find_form("plane"), ndim);
    }
    *a = (tess_access){.struct_size = sizeof *a, .name = "point", .weight = 100};
    set_extent(a++, find_form("point"), ndim);
    return (int)(a - accesses);
}

// What is longer than the array becomes as long as it.
static void
cut_extents(tess_access *accesses, int naccesses, int ndim, const int64_t *shape)
{
    for (int i = 0; i < naccesses; i++)
        for (int k = 0; k < ndim; k++)
            if (accesses[i].extent[k] > shape[k])
                accesses[i].extent[k] = shape[k];
}

static tess_status
parse_all(const char *text, int ndim, tess_access *accesses, int *naccesses, tess_error *err)
{
    tess_status st = TESS_OK;

    *naccesses = 0;
    for (const char *p = text;; p++) {
        const size_t length = strcspn(p, ",");
        char one[TESS_ACCESS_NAME_SIZE];

        if (*naccesses == TESS_MAX_ACCESSES)
            return err_set(err, TESS_ERR_ARG, -1, "access %s: more than %d", text,
                           TESS_MAX_ACCESSES);
        if (length >= sizeof one)
            return err_set(err, TESS_ERR_ARG, -1, "access %s: too long", text);
        memcpy(one, p, length);
        one[length] = '\0';
        TRY(parse_one(one, ndim, &accesses[*naccesses], err));
        ++*naccesses;
        p += length;
        if (*p == '\0')
            break;
    }
out:
    return st;
}

TESS_API void
tess_access_init_sized(tess_access *access, size_t struct_size)
{
    tess_access own = {.struct_size = struct_size, .weight = 1};
    for (int i = 0; i < TESS_MAX_NDIM; i++)
        own.extent[i] = 1;
    sized_give(access, struct_size, &own, sizeof own);
}

TESS_API tess_status
tess_access_parse_sized(const char *text, int ndim, const int64_t *shape, tess_access *accesses,
                        size_t access_size, int most, int *naccesses, tess_error *err)
{
    UNCANCELLED;
    tess_access own[TESS_MAX_ACCESSES];
    tess_status st = TESS_OK;

    if (ndim < 0 || ndim > TESS_MAX_NDIM || (!shape && ndim > 0) || !accesses || !naccesses)
        return err_set(err, TESS_ERR_ARG, -1,
                       "no shape, no place for accesses, or %d dimensions; 0 to %d can be", ndim,
                       TESS_MAX_NDIM);
    if (text)
        st = parse_all(text, ndim, own, naccesses, err);
    else
        *naccesses = default_mix(ndim, own);
    if (st != TESS_OK)
        return st;
    if (*naccesses > most)
        return err_set(err, TESS_ERR_ARG, -1, "%d accesses, there is room for %d", *naccesses,
                       most);
    cut_extents(own, *naccesses, ndim, shape);
    for (int i = 0; i < *naccesses; i++) {
        own[i].struct_size = access_size;
        sized_give((uint8_t *)accesses + (size_t)i * access_size, access_size, &own[i],
                   sizeof own[i]);
    }
    return TESS_OK;
}

// -- a mix: accesses with weights

static tess_status
check_access(const tess_access *a, int number, int ndim, tess_error *err)
{
    if ((int)a->kind < TESS_ACCESS_READ || (int)a->kind > TESS_ACCESS_WRITE)
        return err_set(err, TESS_ERR_ARG, -1, "access %d: kind %d is not known", number,
                       (int)a->kind);
    if (a->kind == TESS_ACCESS_APPEND && (a->axis < 0 || a->axis >= ndim))
        return err_set(err, TESS_ERR_ARG, -1, "access %d: %d is no axis of %d dimensions", number,
                       a->axis, ndim);
    if (!isfinite(a->weight) || a->weight <= 0)
        return err_set(err, TESS_ERR_ARG, -1, "access %d: the weight is %g, not above 0", number,
                       a->weight);
    if (!memchr(a->name, '\0', sizeof a->name))
        return err_set(err, TESS_ERR_ARG, -1, "access %d: its name has no end", number);
    for (int k = 0; k < ndim; k++)
        if (a->extent[k] < 1 && a->extent[k] != TESS_ACCESS_WHOLE)
            return err_set(err, TESS_ERR_ARG, -1,
                           "access %d: a box of %" PRId64 " items along axis %d", number,
                           a->extent[k], k);
    return TESS_OK;
}

static enum access_kind
access_kind_of(tess_access_kind kind)
{
    static const enum access_kind kinds[] = {
        [TESS_ACCESS_READ] = ACCESS_READ,
        [TESS_ACCESS_UPDATE] = ACCESS_UPDATE,
        [TESS_ACCESS_APPEND] = ACCESS_APPEND,
        [TESS_ACCESS_WRITE] = ACCESS_WRITE,
    };

    return kinds[kind];
}

tess_status
mix_init(struct mix *mix, const tess_access *items, int count, int ndim, const int64_t *shape,
         tess_error *err)
{
    tess_status st = TESS_OK;

    if (!items)
        st = tess_access_parse(NULL, ndim, shape, mix->items, TESS_MAX_ACCESSES, &count, err);
    else if (count < 1 || count > TESS_MAX_ACCESSES)
        st =
            err_set(err, TESS_ERR_ARG, -1, "%d accesses, 1 to %d can be", count, TESS_MAX_ACCESSES);
    for (int i = 0; items && i < count && st == TESS_OK; i++)
        st = sized_take(&mix->items[i], sizeof mix->items[i], SIZED_UP_TO(tess_access, name),
                        sized_at(items, i), "access", err);
    mix->count = count;
    for (int i = 0; i < count && st == TESS_OK; i++) {
        const tess_access *const from = &mix->items[i];
        struct access *const a = &mix->accesses[i];

        st = check_access(from, i, ndim, err);
        if (st != TESS_OK)
            break;
        *a = (struct access){.kind = access_kind_of(from->kind), .axis = from->axis};
        for (int k = 0; k < ndim; k++)
            a->extent[k] = a->kind == ACCESS_WRITE      ? ACCESS_WHOLE
                           : from->extent[k] > shape[k] ? shape[k]
                                                        : from->extent[k];
    }
    return st;
}

double
mix_predict(const struct mix *mix, const struct model *m, const struct grid_space *space,
            const struct grid *g)
{
    double sum = 0;

    for (int i = 0; i < mix->count; i++) {
        const struct model_cost cost =
            model_predict(m, &mix->accesses[i], space->ndim, space->shape, space->typesize, g);
        sum += mix->items[i].weight * (cost.cpu + cost.disk);
    }
    return sum;
}
