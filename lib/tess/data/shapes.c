/*
 * shapes.c - shapes on the command line, and those of an array that is made from another one.
 */
#include "data/shapes.h"

#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

tess_status
shapes_parse(const char *option, const char *text, int *ndim, int64_t *shape, tess_error *err)
{
    const char *const gap = option[0] ? " " : "";
    const char *at = text;

    *ndim = 0;
    while (*text) {
        char *end = NULL;

        if (!isdigit((unsigned char)*at))
            break;
        if (*ndim == TESS_MAX_NDIM)
            return report_set(err, TESS_ERR_ARG, "%s%s%.80s: more than %d dimensions", option, gap,
                              text, TESS_MAX_NDIM);
        errno = 0;
        shape[(*ndim)++] = strtoll(at, &end, 10);
        if (errno != 0)
            return report_set(err, TESS_ERR_ARG, "%s%s%.80s: 2^63 or more along an axis", option,
                              gap, text);
        if (*end == '\0')
            return TESS_OK;
        if (*end != 'x')
            break;
        at = end + 1;
    }
    return *text == '\0' ? TESS_OK
                         : report_set(err, TESS_ERR_ARG, "%s%s%.80s: not a shape such as 400x300",
                                      option, gap, text);
}

void
shapes_adapt(tess_params *p, bool reshaped, const struct arguments *args)
{
    for (int i = 0; i < p->ndim; i++) {
        const int64_t length = p->shape[i] > 0 ? p->shape[i] : 1;

        if (p->chunkshape[i] > length)
            p->chunkshape[i] = length;
        if (p->blockshape[i] > p->chunkshape[i])
            p->blockshape[i] = p->chunkshape[i];
    }
    if (reshaped)
        memset(p->chunkshape, 0, sizeof p->chunkshape);
    if (reshaped || args->values[OPT_CHUNKS])
        memset(p->blockshape, 0, sizeof p->blockshape);
    if (args->values[OPT_CODEC])
        p->dictionary = false; // not every codec takes one
}
