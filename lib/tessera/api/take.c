/*
 * take.c - what programs give in structs: completed, and checked as far as every call asks for it.
 */
#include "api/take.h"

#include "base/error.h"
#include "base/sized.h"

#include <tessera/attr.h>

static tess_status
take_executor(tess_executor *own, const tess_executor *given, tess_error *err)
{
    tess_executor_init(own);
    const tess_status st =
        sized_take(own, sizeof *own, SIZED_UP_TO(tess_executor, threads), given, "executor", err);
    if (st != TESS_OK)
        return st;
    if (!own->submit && !own->run_all)
        return err_set(err, TESS_ERR_ARG, -1, "an executor without submit");
    if (own->threads < 0 || own->least < 0)
        return err_set(err, TESS_ERR_ARG, -1, "an executor with a negative number");
    return TESS_OK;
}

tess_status
take_context(tess_context *own, tess_executor *executor, const tess_context *given, tess_error *err)
{
    tess_context_init(own);
    if (!given)
        return TESS_OK;
    tess_status st = sized_take(own, sizeof *own, SIZED_UP_TO(tess_context, progress_interval),
                                given, "context", err);
    if (st != TESS_OK)
        return st;
    if (own->threads < 0 || (own->cache < 0 && own->cache != TESS_CACHE_SHARED) ||
        own->memory < 0 || own->progress_interval < 0 || own->ahead < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a context with a negative number");
    if (own->ahead == 0)
        own->ahead = TESS_AHEAD_DEFAULT;
    if (!own->executor)
        return TESS_OK;
    st = take_executor(executor, own->executor, err);
    own->executor = executor;
    return st;
}

static tess_status
check_limits(const tess_limits *limits, tess_error *err)
{
    if (limits->memory < 0 || limits->nchunks < 0 || limits->ndim < 0 || limits->nesting < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a limit is negative");
    if (limits->nesting > TESS_VALUE_MAX_DEPTH)
        return err_set(err, TESS_ERR_ARG, -1, "a limit of %d levels of nesting, %d at most",
                       limits->nesting, TESS_VALUE_MAX_DEPTH);
    for (size_t i = 0; i < sizeof limits->reserved / sizeof *limits->reserved; i++)
        if (limits->reserved[i] != 0)
            return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                           "a limit that this version of the library does not know");
    return TESS_OK;
}

static tess_status
take_source(tess_source *own, const tess_source *given, tess_error *err)
{
    tess_source_init(own);
    const tess_status st =
        sized_take(own, sizeof *own, SIZED_UP_TO(tess_source, publish), given, "source", err);
    if (st != TESS_OK)
        return st;
    if (own->latency < 0 || own->requests < 0 || own->head < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a source with a negative number");
    if (own->part && own->read)
        return err_set(err, TESS_ERR_ARG, -1, "a source with both read and part");
    if (own->read && !own->state && !own->ends)
        return err_set(err, TESS_ERR_ARG, -1, "a source with read, without state and ends");
    if (!own->part && !own->read && !own->write)
        return err_set(err, TESS_ERR_ARG, -1, "a source without functions");
    return TESS_OK;
}

tess_status
take_storage(struct taken_storage *own, const tess_storage *given, tess_error *err)
{
    tess_storage *const s = &own->storage;
    tess_storage_init(s);
    tess_status st =
        sized_take(s, sizeof *s, SIZED_UP_TO(tess_storage, context), given, "storage", err);
    if (st != TESS_OK)
        return st;
    if (s->mode < TESS_MODE_READ || s->mode > TESS_MODE_APPEND)
        return err_set(err, TESS_ERR_ARG, -1, "mode %d is not known", (int)s->mode);
    if (s->durability < TESS_DURABILITY_NONE || s->durability > TESS_DURABILITY_FSYNC)
        return err_set(err, TESS_ERR_ARG, -1, "durability %d is not known", (int)s->durability);
    if (s->checksums < TESS_CHECKSUMS_WRITE || s->checksums > TESS_CHECKSUMS_NONE)
        return err_set(err, TESS_ERR_ARG, -1, "checksums %d are not known", (int)s->checksums);
    st = check_limits(&s->limits, err);
    if (st == TESS_OK)
        st = take_context(&own->context, &own->executor, s->context, err);
    s->context = s->context ? &own->context : NULL;
    if (st == TESS_OK && s->source) {
        st = take_source(&own->source, s->source, err);
        s->source = &own->source;
    }
    return st;
}

tess_status
take_params(tess_params *own, const tess_params *given, tess_error *err)
{
    tess_params_init(own);
    return sized_take(own, sizeof *own, SIZED_UP_TO(tess_params, nmetalayers), given, "params",
                      err);
}
