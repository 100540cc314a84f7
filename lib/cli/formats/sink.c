/*
 * sink.c - what all kinds of exports have in common.
 */
#include "cli/formats/sink.h"

#include <string.h>

int
sink_axes(const struct selection *sel, const int64_t *in, int64_t *out)
{
    int n = 0;

    for (int i = 0; i < sel->ndim; i++)
        if (!sel->dropped[i])
            out[n++] = in[i];
    return n;
}

const char *
sink_dimension(const struct sink_plan *plan, int axis)
{
    const struct attribute *const a = attributes_find(plan->attributes, ATTRIBUTES_DIMENSIONS);
    const struct selection *const sel = plan->selection;
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
