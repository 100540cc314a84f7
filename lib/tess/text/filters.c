/*
 * filters.c - a pipeline of filters, for people and as JSON.
 */
#include "text/filters.h"

#include "text/names.h"

#include <tessera/params.h>

static void
filter_name(uint8_t id, char *text, size_t size)
{
    const char *const name = names_filter(id);

    if (name)
        (void)snprintf(text, size, "%s", name);
    else
        (void)snprintf(text, size, "filter %d", id);
}

void
filters_write(FILE *out, const uint8_t *ids, const uint8_t *metas)
{
    const char *separator = "";

    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        char name[32];

        if (ids[i] == TESS_FILTER_NONE)
            continue;
        filter_name(ids[i], name, sizeof name);
        fprintf(out, "%s%s", separator, name);
        if (metas[i])
            fprintf(out, ":%d", metas[i]);
        separator = ", ";
    }
    if (!separator[0])
        fputs("none", out);
}

static void
json_bytes(struct json *j, const char *key, const uint8_t *values)
{
    json_open(j, key, '[');
    for (int i = 0; i < TESS_MAX_FILTERS; i++)
        json_int(j, NULL, values[i]);
    json_close(j, ']');
}

void
filters_json(struct json *j, const uint8_t *ids, const uint8_t *metas)
{
    char name[32];

    json_open(j, "filters", '[');
    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        filter_name(ids[i], name, sizeof name);
        json_string(j, NULL, name);
    }
    json_close(j, ']');
    json_bytes(j, "filters_id", ids);
    json_bytes(j, "filters_meta", metas);
}
