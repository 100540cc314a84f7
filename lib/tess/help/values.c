/*
 * values.c - what an option takes.
 */
#include "help/values.h"

#include "help/nearest.h"
#include "picture/colormap.h"
#include "report.h"
#include "text/names.h"

#include <tessera/params.h>

#include <stdio.h>
#include <string.h>

static const struct name *const names[OPT_COUNT] = {
    [OPT_SPLIT] = names_split,   [OPT_LAYOUT] = names_layout, [OPT_LAYER] = names_layer,
    [OPT_REDUCE] = names_reduce, [OPT_TYPE] = names_type,     [OPT_MISFIT] = names_misfit,
    [OPT_OP] = names_op,
};

static const char *
codec_at(size_t n)
{
    tess_codec_info info;

    return tess_codec_at((int)n, &info) && info.built ? info.name : NULL;
}

// "none" comes first; filters that are only read are left out.
static const char *
filter_at(size_t n)
{
    tess_filter_info info;

    if (n == 0)
        return "none";
    for (int i = 0; tess_filter_at(i, &info); i++)
        if (info.written && --n == 0)
            return info.name;
    return NULL;
}

const char *
values_at(int option, size_t n)
{
    const struct name *const table = names[option];

    if (option == OPT_CODEC)
        return codec_at(n);
    if (option == OPT_FILTER)
        return filter_at(n);
    if (option == OPT_COLORS) {
        const struct colormap *const map = colormap_at(n);
        return map ? map->name : NULL;
    }
    if (!table)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!table[i].text)
            return NULL;
    return table[n].text;
}

tess_status
values_refuse(int option, const char *value, const char *word, tess_error *err)
{
    const char *const name = options_table[option].name;
    char known[160] = "";
    struct nearest meant;
    const char *candidate;

    nearest_init(&meant, word, ":,");
    for (size_t i = 0; (candidate = values_at(option, i)) != NULL; i++) {
        const size_t length = strlen(known);

        nearest_try(&meant, candidate);
        (void)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "", candidate);
    }
    if (meant.best && meant.distance > 0)
        return report_set(err, TESS_ERR_ARG, "%s %.40s: none of %s; did you mean %s?", name, value,
                          known, meant.best);
    return report_set(err, TESS_ERR_ARG, "%s %.40s: none of %s", name, value, known);
}

bool
values_are_files(int option)
{
    return option == OPT_FILE || option == OPT_OUTPUT || option == OPT_PLOT ||
           option == OPT_APPLY || option == OPT_FROM || option == OPT_STORE;
}
