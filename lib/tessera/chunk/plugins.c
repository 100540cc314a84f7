/*
 * plugins.c - codecs and filters of the program that uses the library.
 */
#include "chunk/plugins.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "codec/codec.h"
#include "filter/filter.h"

static tess_status
check_id(int id, bool taken, const char *what, const char *name, tess_error *err)
{
    if (!name)
        return err_set(err, TESS_ERR_ARG, -1, "%s %d has no name", what, id);
    if (id < TESS_PLUGIN_FIRST)
        return err_set(err, TESS_ERR_ARG, -1, "%s %d (%s): numbers from %d to %d can be", what, id,
                       name, TESS_PLUGIN_FIRST, TESS_PLUGIN_LAST);
    if (taken)
        return err_set(err, TESS_ERR_ARG, -1, "%s %d (%s): the number is taken", what, id, name);
    return TESS_OK;
}

static tess_status
add_codec(struct plugins *p, const void *element, tess_error *err)
{
    tess_user_codec *const given = &p->user_codecs[p->ncodecs];
    tess_status st = sized_take(given, sizeof *given, SIZED_UP_TO(tess_user_codec, decompress),
                                element, "user_codec", err);
    if (st != TESS_OK)
        return st;
    const bool taken = codec_by_id(given->id) || plugins_codec(p, given->id);
    st = check_id(given->id, taken, "codec", given->name, err);
    if (st != TESS_OK)
        return st;
    if (!given->decompress)
        return err_set(err, TESS_ERR_ARG, -1, "codec %d (%s) cannot decompress", given->id,
                       given->name);
    p->codecs[p->ncodecs] = codec_of_user(given);
    p->ncodecs++;
    return TESS_OK;
}

static bool
has_filter(const struct plugins *p, uint8_t id)
{
    for (int i = 0; i < p->nfilters; i++)
        if (p->filters[i].id == id)
            return true;
    return filter_by_id(id) != NULL;
}

static tess_status
add_filter(struct plugins *p, const void *element, tess_error *err)
{
    tess_user_filter *const given = &p->user_filters[p->nfilters];
    tess_status st = sized_take(given, sizeof *given, SIZED_UP_TO(tess_user_filter, backward),
                                element, "user_filter", err);
    if (st == TESS_OK)
        st = check_id(given->id, has_filter(p, given->id), "filter", given->name, err);
    if (st != TESS_OK)
        return st;
    if (!given->backward)
        return err_set(err, TESS_ERR_ARG, -1, "filter %d (%s) cannot be undone", given->id,
                       given->name);
    p->filters[p->nfilters] = filter_of_user(given);
    p->nfilters++;
    return TESS_OK;
}

tess_status
plugins_init(struct plugins *p, const tess_plugins *given, tess_error *err)
{
    tess_status st = TESS_OK;

    *p = (struct plugins){0};
    if (!given)
        return TESS_OK;
    if (given->ncodecs < 0 || given->nfilters < 0 || (given->ncodecs > 0 && !given->codecs) ||
        (given->nfilters > 0 && !given->filters))
        return err_set(err, TESS_ERR_ARG, -1, "%d codecs and %d filters, and none given",
                       given->ncodecs, given->nfilters);
    p->user_codecs = mem_zeroed((size_t)given->ncodecs + 1, sizeof *p->user_codecs);
    p->codecs = mem_zeroed((size_t)given->ncodecs + 1, sizeof *p->codecs);
    p->user_filters = mem_zeroed((size_t)given->nfilters + 1, sizeof *p->user_filters);
    p->filters = mem_zeroed((size_t)given->nfilters + 1, sizeof *p->filters);
    if (!p->user_codecs || !p->codecs || !p->user_filters || !p->filters)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for plugins");
    for (int i = 0; i < given->ncodecs && st == TESS_OK; i++)
        st = add_codec(p, sized_at(given->codecs, i), err);
    for (int i = 0; i < given->nfilters && st == TESS_OK; i++)
        st = add_filter(p, sized_at(given->filters, i), err);
    if (st != TESS_OK)
        plugins_finish(p);
    return st;
}

void
plugins_finish(struct plugins *p)
{
    mem_free(p->user_codecs);
    mem_free(p->codecs);
    mem_free(p->user_filters);
    mem_free(p->filters);
    *p = (struct plugins){0};
}

const struct codec *
plugins_codec(const struct plugins *p, int id)
{
    for (int i = 0; p && i < p->ncodecs; i++)
        if (p->codecs[i].id == id)
            return &p->codecs[i];
    return NULL;
}
