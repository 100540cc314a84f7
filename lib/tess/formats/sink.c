/*
 * sink.c - what all kinds of exports have in common.
 */
#include "formats/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
sink_axes(const struct slice_range *sel, const int64_t *in, int64_t *out)
{
    int n = 0;

    for (int i = 0; i < sel->ndim; i++)
        if (!sel->dropped[i])
            out[n++] = in[i];
    return n;
}

void
sink_remark(struct sink *s, const char *format, ...)
{
    const size_t n = strlen(s->remark);
    const int gap = n > 0 ? snprintf(s->remark + n, sizeof s->remark - n, "; ") : 0;
    const size_t from = n + (size_t)gap < sizeof s->remark ? n + (size_t)gap : n;
    va_list args;

    va_start(args, format);
    (void)vsnprintf(s->remark + from, sizeof s->remark - from, format, args);
    va_end(args);
}

void
sink_check_dimensions(struct sink *s, const struct sink_plan *plan)
{
    const struct attribute *const a = attributes_find(plan->attributes, ATTRIBUTES_DIMENSIONS);
    const int ndim = plan->selection->ndim;

    if (a && a->value.type != TESS_VALUE_LIST)
        sink_remark(s, "dimensions have no names, as %s is no list", ATTRIBUTES_DIMENSIONS);
    else if (a && a->value.as.list.count != (size_t)ndim)
        sink_remark(s, "dimensions have no names, as %s has %zu for %d", ATTRIBUTES_DIMENSIONS,
                    a->value.as.list.count, ndim);
}

const char *
sink_dimension(const struct sink_plan *plan, int axis)
{
    const struct attribute *const a = attributes_find(plan->attributes, ATTRIBUTES_DIMENSIONS);
    const struct slice_range *const sel = plan->selection;
    int n = 0;

    if (!a || a->value.type != TESS_VALUE_LIST || a->value.as.list.count != (size_t)sel->ndim)
        return NULL;
    for (int i = 0; i < sel->ndim; i++) {
        const tess_value *const name = &a->value.as.list.items[i];

        if (sel->dropped[i] || n++ != axis)
            continue;
        return name->type == TESS_VALUE_STRING && name->as.string.size > 0 &&
                       strlen(name->as.string.data) == name->as.string.size
                   ? name->as.string.data
                   : NULL;
    }
    return NULL;
}

void
sink_close(struct sink *sink)
{
    if (sink)
        sink->close(sink);
}
