/*
 * values.c - what an option takes.
 */
#include "cli/values.h"

#include "cli/colormap.h"
#include "cli/names.h"

static const struct name *const names[OPT_COUNT] = {
    [OPT_CODEC] = names_codec,   [OPT_FILTER] = names_filter, [OPT_SPLIT] = names_split,
    [OPT_LAYOUT] = names_layout, [OPT_LAYER] = names_layer,   [OPT_REDUCE] = names_reduce,
    [OPT_TYPE] = names_type,
};

const char *
values_at(int option, size_t n)
{
    const struct name *const table = names[option];

    if (option == OPT_COLORS) {
        const struct colormap *const map = colormap_at(n);
        return map ? map->name : NULL;
    }
    if (!table)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!table[i].text)
            return NULL;
    if (option == OPT_FILTER && n == 0)
        return "none"; // where the table has the filter that does nothing
    return table[n].text;
}

bool
values_are_files(int option)
{
    return option == OPT_FILE || option == OPT_OUTPUT;
}
