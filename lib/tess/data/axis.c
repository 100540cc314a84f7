/*
 * axis.c - axes as options name them.
 */
#include "data/axis.h"

#include "report.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static tess_status
parse(const char *option, const char *text, int ndim, int *axis, tess_error *err)
{
    int64_t value = 0;

    if (!text_int64(text, &value))
        return report_set(err, TESS_ERR_ARG, "%s %s: not a number", option, text);
    if (value < -ndim || value >= ndim)
        return report_set(err, TESS_ERR_ARG, "%s %" PRId64 ": the array has %d dimensions", option,
                          value, ndim);
    *axis = (int)(value < 0 ? value + ndim : value);
    return TESS_OK;
}

tess_status
axis_parse(const char *text, int ndim, int *axis, tess_error *err)
{
    return parse("--axis", text ? text : "0", ndim, axis, err);
}

tess_status
axis_parse_list(const char *option, const char *text, int ndim, int *axes, int *naxes,
                tess_error *err)
{
    bool named[TESS_MAX_NDIM] = {false};

    *naxes = 0;
    for (const char *p = text;; p++) {
        const size_t length = strcspn(p, ",");
        char word[24];
        int axis = 0;

        (void)snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), p);
        const tess_status st = parse(option, word, ndim, &axis, err);
        if (st != TESS_OK)
            return st;
        if (named[axis])
            return report_set(err, TESS_ERR_ARG, "%s %s: axis %d twice", option, text, axis);
        named[axis] = true;
        axes[(*naxes)++] = axis;
        p += length;
        if (*p == '\0')
            return TESS_OK;
    }
}
