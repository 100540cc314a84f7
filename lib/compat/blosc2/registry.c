/*
 * registry.c - codecs and filters that the program registered for the whole process.
 *
 * One mutex guards both lists. A number is registered once: again with the same name changes
 * nothing, with another name it is refused. Functions may be missing: calls that need them fail.
 *
 * Not here: how registered functions become plugins of libtessera (plugins.c).
 */
#include "blosc2/registry.h"

#include "blosc2/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = UINT8_MAX };

static struct {
    pthread_mutex_t lock;
    blosc2_codec codecs[MOST];
    int ncodecs;
    blosc2_filter filters[MOST];
    int nfilters;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Whether an id is new; else *code says what comes of registering it again.
static bool
is_new(const char *what, int id, const char *name, const char *before, int taken, int *code)
{
    *code = 0;
    if (!before)
        return true;
    if (strcmp(before, name) != 0)
        *code = b2_fail(taken, "%s %d (%s) is registered as %s", what, id, name, before);
    return false;
}

static const char *
codec_name(int id)
{
    for (int i = 0; i < registry.ncodecs; i++)
        if (registry.codecs[i].compcode == id)
            return registry.codecs[i].compname;
    return NULL;
}

static int
add_codec(const blosc2_codec *codec)
{
    int code;
    if (!is_new("codec", codec->compcode, codec->compname, codec_name(codec->compcode),
                BLOSC2_ERROR_CODEC_PARAM, &code))
        return code;
    if (registry.ncodecs == MOST)
        return b2_fail(BLOSC2_ERROR_CODEC_SUPPORT, "%d codecs are registered", MOST);
    registry.codecs[registry.ncodecs++] = *codec;
    return 0;
}

int
blosc2_register_codec(blosc2_codec *codec)
{
    if (!codec || !codec->compname)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a codec without a name");
    if (codec->compcode < BLOSC2_USER_REGISTERED_CODECS_START)
        return b2_fail(BLOSC2_ERROR_CODEC_PARAM, "codec %d (%s): numbers from %d can be",
                       codec->compcode, codec->compname, BLOSC2_USER_REGISTERED_CODECS_START);
    pthread_mutex_lock(&registry.lock);
    const int code = add_codec(codec);
    pthread_mutex_unlock(&registry.lock);
    return code;
}

static const char *
filter_name(int id)
{
    for (int i = 0; i < registry.nfilters; i++)
        if (registry.filters[i].id == id)
            return registry.filters[i].name;
    return NULL;
}

static int
add_filter(const blosc2_filter *filter)
{
    int code;
    if (!is_new("filter", filter->id, filter->name, filter_name(filter->id), BLOSC2_ERROR_FAILURE,
                &code))
        return code;
    if (registry.nfilters == MOST)
        return b2_fail(BLOSC2_ERROR_CODEC_SUPPORT, "%d filters are registered", MOST);
    registry.filters[registry.nfilters++] = *filter;
    return 0;
}

int
blosc2_register_filter(blosc2_filter *filter)
{
    if (!filter || !filter->name)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a filter without a name");
    if (filter->id < BLOSC2_USER_REGISTERED_FILTERS_START)
        return b2_fail(BLOSC2_ERROR_FAILURE, "filter %d (%s): numbers from %d can be", filter->id,
                       filter->name, BLOSC2_USER_REGISTERED_FILTERS_START);
    pthread_mutex_lock(&registry.lock);
    const int code = add_filter(filter);
    pthread_mutex_unlock(&registry.lock);
    return code;
}

int
blosc2_register_tuner(blosc2_tuner *tuner)
{
    (void)tuner;
    return b2_fail(BLOSC2_ERROR_TUNER, "tuners do not exist here");
}

bool
b2_registry_used(void)
{
    pthread_mutex_lock(&registry.lock);
    const bool used = registry.ncodecs + registry.nfilters > 0;
    pthread_mutex_unlock(&registry.lock);
    return used;
}

static void *
copy_of(const void *list, int n, size_t size)
{
    void *const copy = calloc((size_t)n + 1, size);
    if (copy)
        memcpy(copy, list, (size_t)n * size);
    return copy;
}

int
b2_registered_copy(struct b2_registered *r)
{
    pthread_mutex_lock(&registry.lock);
    r->ncodecs = registry.ncodecs;
    r->nfilters = registry.nfilters;
    r->codecs = copy_of(registry.codecs, r->ncodecs, sizeof *r->codecs);
    r->filters = copy_of(registry.filters, r->nfilters, sizeof *r->filters);
    pthread_mutex_unlock(&registry.lock);
    if (r->codecs && r->filters)
        return 0;
    b2_registered_free(r);
    return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for registered codecs and filters");
}

void
b2_registered_free(struct b2_registered *r)
{
    free(r->codecs);
    free(r->filters);
    *r = (struct b2_registered){0};
}

bool
b2_codec_by_id(int id, blosc2_codec *codec)
{
    bool found = false;
    pthread_mutex_lock(&registry.lock);
    for (int i = 0; i < registry.ncodecs && !found; i++) {
        found = registry.codecs[i].compcode == id;
        *codec = registry.codecs[i];
    }
    pthread_mutex_unlock(&registry.lock);
    return found;
}

bool
b2_codec_by_name(const char *name, blosc2_codec *codec)
{
    bool found = false;
    pthread_mutex_lock(&registry.lock);
    for (int i = 0; i < registry.ncodecs && !found; i++) {
        found = strcmp(registry.codecs[i].compname, name) == 0;
        *codec = registry.codecs[i];
    }
    pthread_mutex_unlock(&registry.lock);
    return found;
}

void
b2_registry_clear(void)
{
    pthread_mutex_lock(&registry.lock);
    registry.ncodecs = registry.nfilters = 0;
    pthread_mutex_unlock(&registry.lock);
}

// What the Blosc project registered is in libtessera, and always there.
BLOSC_EXPORT void register_codecs(void);
BLOSC_EXPORT void register_filters(void);
BLOSC_EXPORT void register_tuners(void);

void
register_codecs(void)
{
}

void
register_filters(void)
{
}

void
register_tuners(void)
{
}
