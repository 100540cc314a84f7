/*
 * result.c - the names of layouts, the same in every form of output.
 */
#include "layout/result.h"

#include "text/names.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    unsigned role;
    const char *name, *key;
} roles[] = {
    {TESS_ROLE_BEST, "best", "best"},
    {TESS_ROLE_AUTOMATIC, "automatic", "automatic"},
    {TESS_ROLE_BLOSC2, "blosc2 default", "blosc2"},
    {TESS_ROLE_STORED, "as stored", "stored"},
    {TESS_ROLE_PROPOSED, "proposed", "proposed"},
};

#define NROLES (sizeof roles / sizeof roles[0])

const struct result_layout *
result_find(const struct result *r, unsigned role)
{
    for (int i = 0; i < r->info.count; i++)
        if (r->layouts[i].cost.roles & role)
            return &r->layouts[i];
    return NULL;
}

void
result_role(const struct result_layout *t, char text[RESULT_NAME_SIZE])
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < NROLES; i++)
        if (t->cost.roles & roles[i].role)
            length += (size_t)snprintf(text + length, RESULT_NAME_SIZE - length, "%s%s",
                                       length > 0 ? ", " : "", roles[i].name);
}

const char *
result_role_key(const struct result_layout *t, int n)
{
    for (size_t i = 0; i < NROLES; i++)
        if (t->cost.roles & roles[i].role && n-- == 0)
            return roles[i].key;
    return NULL;
}

void
result_shape(int ndim, const int64_t *shape, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < ndim && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%" PRId64, i ? "x" : "", shape[i]);
}

void
result_codec(const tess_params *p, char text[RESULT_NAME_SIZE])
{
    const char *const name = names_codec(p->codec);

    if (p->codec_meta)
        (void)snprintf(text, RESULT_NAME_SIZE, "%s:%d %d", name ? name : "?", p->codec_meta,
                       p->clevel);
    else
        (void)snprintf(text, RESULT_NAME_SIZE, "%s %d", name ? name : "?", p->clevel);
}

void
result_filters(const tess_params *p, char text[RESULT_NAME_SIZE])
{
    size_t length = 0;

    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        const char *const name = names_filter(p->filters[i]);

        if (p->filters[i] == TESS_FILTER_NONE || length >= RESULT_NAME_SIZE)
            continue;
        length += (size_t)snprintf(text + length, RESULT_NAME_SIZE - length, "%s%s",
                                   length > 0 ? "," : "", name ? name : "?");
        if (p->filters_meta[i] && length < RESULT_NAME_SIZE)
            length += (size_t)snprintf(text + length, RESULT_NAME_SIZE - length, ":%d",
                                       p->filters_meta[i]);
    }
    if (length == 0)
        (void)snprintf(text, RESULT_NAME_SIZE, "none");
}
