/*
 * params.c - layout and codec options as tess_params.
 *
 * Only the text is checked here. Whether the values go together is the library's to say.
 */
#include "data/params.h"

#include "data/shapes.h"
#include "help/values.h"
#include "report.h"
#include "text/names.h"
#include "text/text.h"

#include <string.h>

static tess_status
set_shape(const char *option, const char *text, int ndim, int64_t *shape, tess_error *err)
{
    int64_t parsed[TESS_MAX_NDIM];
    int n = 0;

    if (!text)
        return TESS_OK;
    const tess_status st = shapes_parse(option, text, &n, parsed, err);
    if (st != TESS_OK)
        return st;
    if (n != ndim)
        return report_set(err, TESS_ERR_ARG, "%s %s: the array has %d dimensions, this shape %d",
                          option, text, ndim, n);
    for (int i = 0; i < n; i++) {
        if (parsed[i] == 0)
            return report_set(err, TESS_ERR_ARG, "%s %s: 0 is not a length", option, text);
        shape[i] = parsed[i];
    }
    return TESS_OK;
}

static tess_status
set_named(int option, const char *text, const struct name *table, int *value, tess_error *err)
{
    if (text && !names_value(table, text, value))
        return values_refuse(option, text, text, err);
    return TESS_OK;
}

typedef bool find_fn(const char *name, int *id);

// A codec or filter, name[:meta], of `length` bytes.
struct method {
    bool known; // the name
    bool right; // the meta, too
    int id;
    uint8_t meta; // 0 where none is given
};

static struct method
parse_method(find_fn *find, const char *text, size_t length)
{
    const char *const colon = memchr(text, ':', length);
    const size_t size = colon ? (size_t)(colon - text) : length;
    struct method m = {0};
    int64_t parameter = 0;
    char word[32];

    (void)snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : 0), text);
    m.known = find(word, &m.id);
    if (colon) {
        const size_t rest = length - size - 1;

        (void)snprintf(word, sizeof word, "%.*s", (int)(rest < sizeof word ? rest : 0), colon + 1);
        m.right = text_int64(word, &parameter) && parameter >= INT8_MIN && parameter <= UINT8_MAX;
        m.meta = (uint8_t)parameter; // the format keeps negative ones as two's complement
    } else {
        m.right = true;
    }
    return m;
}

// Filters go to the last slots, where every Blosc2 writer puts them.
static tess_status
set_filters(const char *text, tess_params *params, tess_error *err)
{
    uint8_t ids[TESS_MAX_FILTERS] = {0};
    uint8_t metas[TESS_MAX_FILTERS] = {0};
    int n = 0;

    if (!text)
        return TESS_OK;
    memset(params->filters, 0, sizeof params->filters);
    memset(params->filters_meta, 0, sizeof params->filters_meta);
    if (strcmp(text, "none") == 0)
        return TESS_OK;

    for (const char *p = text;; p++) {
        const size_t length = strcspn(p, ",");

        if (n == TESS_MAX_FILTERS)
            return report_set(err, TESS_ERR_ARG, "--filter %s: more than %d filters", text,
                              TESS_MAX_FILTERS);
        const struct method m = parse_method(names_find_filter, p, length);
        if (!m.known)
            return values_refuse(OPT_FILTER, text, p, err);
        if (!m.right)
            return report_set(err, TESS_ERR_ARG,
                              "--filter %s: %.*s: not a filter with a number from -128 to 255",
                              text, (int)(length < 64 ? length : 64), p);
        ids[n] = (uint8_t)m.id;
        metas[n++] = m.meta;
        p += length;
        if (*p == '\0')
            break;
    }
    memcpy(params->filters + TESS_MAX_FILTERS - n, ids, (size_t)n);
    memcpy(params->filters_meta + TESS_MAX_FILTERS - n, metas, (size_t)n);
    return TESS_OK;
}

static tess_status
set_level(const char *text, tess_params *params, tess_error *err)
{
    int64_t level = 0;

    if (!text)
        return TESS_OK;
    if (!text_int64(text, &level) || level < 0 || level > 9)
        return report_set(err, TESS_ERR_ARG, "--level %s: not a number from 0 to 9", text);
    params->clevel = (int)level;
    return TESS_OK;
}

// Whether what follows the name of a codec is a parameter of its own. Those of Blosc2 itself have
// none, and there it is the level.
static bool
has_parameter(int codec)
{
    return codec > TESS_CODEC_ZSTD;
}

// name[:level], name[:parameter]
static tess_status
set_codec(const char *text, const char *level, tess_params *params, tess_error *err)
{
    if (!text)
        return TESS_OK;
    const struct method m = parse_method(names_find_codec, text, strlen(text));
    if (!m.known)
        return values_refuse(OPT_CODEC, text, text, err);
    params->codec = (tess_codec)m.id;
    params->codec_meta = 0;
    const char *const colon = strchr(text, ':');
    if (!colon)
        return TESS_OK;
    if (has_parameter(m.id)) {
        if (!m.right)
            return report_set(err, TESS_ERR_ARG,
                              "--codec %s: behind the : stands a number from -128 to 255", text);
        params->codec_meta = m.meta;
        return TESS_OK;
    }
    if (level)
        return report_set(err, TESS_ERR_ARG, "--codec %s has a level, and --level %s another", text,
                          level);
    if (set_level(colon + 1, params, err) != TESS_OK)
        return report_set(err, TESS_ERR_ARG, "--codec %s: behind the : stands a level from 0 to 9",
                          text);
    return TESS_OK;
}

tess_status
params_set(tess_params *params, const struct arguments *args, tess_error *err)
{
    const char *const *values = args->values;
    int split = (int)params->split;
    int layout = (int)params->layout, layer = (int)params->layer;
    tess_status st = TESS_OK;

    TRY(set_shape("--chunks", values[OPT_CHUNKS], params->ndim, params->chunkshape, err));
    TRY(set_shape("--blocks", values[OPT_BLOCKS], params->ndim, params->blockshape, err));
    TRY(set_codec(values[OPT_CODEC], values[OPT_LEVEL], params, err));
    TRY(set_level(values[OPT_LEVEL], params, err));
    TRY(set_filters(values[OPT_FILTER], params, err));
    TRY(set_named(OPT_SPLIT, values[OPT_SPLIT], names_split, &split, err));
    TRY(set_named(OPT_LAYOUT, values[OPT_LAYOUT], names_layout, &layout, err));
    TRY(set_named(OPT_LAYER, values[OPT_LAYER], names_layer, &layer, err));
    params->split = (tess_split)split;
    params->dictionary |= values[OPT_DICTIONARY] != NULL;
    params->layout = (tess_layout)layout;
    params->layer = (tess_layer)layer;
out:
    return st;
}

bool
params_has_level(const struct arguments *args)
{
    const char *const codec = args->values[OPT_CODEC];

    if (args->values[OPT_LEVEL] || !codec || !strchr(codec, ':'))
        return args->values[OPT_LEVEL] != NULL;
    const struct method m = parse_method(names_find_codec, codec, strlen(codec));
    return m.known && !has_parameter(m.id);
}
