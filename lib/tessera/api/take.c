/*
 * take.c - what programs give in structs: their defaults; completed, and checked as far as every
 * call asks for it. And what is asked of them later: the context of an open array, the reading of a
 * source.
 */
#include "api/take.h"

#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "io/io.h"
#include "io/source.h"
#include "meta/dtype.h"
#include "store/store.h"
#include "store/writer.h"

#include <tessera/attr.h>
#include <tessera/context.h>
#include <tessera/dtype.h>
#include <tessera/params.h>
#include <tessera/plugin.h>
#include <tessera/source.h>
#include <tessera/storage.h>

// -- defaults, and types

enum { DEFAULT_LEVEL = 5 };

// Nothing but the size.
static void
init_zeros(void *dst, size_t struct_size)
{
    sized_give(dst, struct_size, &struct_size, sizeof struct_size);
}

TESS_API void
tess_params_init_sized(tess_params *params, size_t struct_size)
{
    const tess_params own = {
        .struct_size = struct_size,
        .codec = TESS_CODEC_LZ4,
        .clevel = DEFAULT_LEVEL,
        .filters = {[TESS_MAX_FILTERS - 1] = TESS_FILTER_SHUFFLE},
        .split = TESS_SPLIT_AUTO,
        .layer = TESS_LAYER_B2ND,
    };
    sized_give(params, struct_size, &own, sizeof own);
}

TESS_API void
tess_context_init_sized(tess_context *context, size_t struct_size)
{
    const tess_context own = {
        .struct_size = struct_size,
        .cache = TESS_CACHE_SHARED,
        .memory = TESS_MEMORY_DEFAULT,
        .progress_interval = TESS_PROGRESS_INTERVAL_DEFAULT,
        .ahead = TESS_AHEAD_DEFAULT,
    };
    sized_give(context, struct_size, &own, sizeof own);
}

TESS_API void
tess_executor_init_sized(tess_executor *executor, size_t struct_size)
{
    init_zeros(executor, struct_size);
}

TESS_API void
tess_storage_init_sized(tess_storage *storage, size_t struct_size)
{
    const tess_storage own = {
        .struct_size = struct_size,
        .mode = TESS_MODE_READ,
        .durability = TESS_DURABILITY_ORDERED,
    };
    sized_give(storage, struct_size, &own, sizeof own);
}

TESS_API void
tess_user_codec_init_sized(tess_user_codec *codec, size_t struct_size)
{
    init_zeros(codec, struct_size);
}

TESS_API void
tess_user_filter_init_sized(tess_user_filter *filter, size_t struct_size)
{
    init_zeros(filter, struct_size);
}

TESS_API tess_dtype
tess_dtype_parse(const char *str)
{
    return dtype_parse(str);
}

// -- what a call is given

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
take_own_source(tess_source *own, const tess_source *given, tess_error *err)
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
take_storage_or_store(struct taken_storage *own, const tess_storage *given, tess_error *err)
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
        st = take_own_source(&own->source, s->source, err);
        s->source = &own->source;
    }
    return st;
}

tess_status
take_storage(struct taken_storage *own, const tess_storage *given, tess_error *err)
{
    const tess_status st = take_storage_or_store(own, given, err);
    if (st != TESS_OK || !own->storage.store)
        return st;
    return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                   "a path in a store, with which arrays are only made and opened");
}

tess_status
take_target(struct taken_storage *own, const tess_storage *given, bool plain, tess_error *err)
{
    const tess_status st = take_storage_or_store(own, given, err);
    return st == TESS_OK && own->storage.store
               ? writer_place(own->storage.store, &own->storage,
                              plain ? TESS_ENTRY_SCHUNK : TESS_ENTRY_ARRAY, err)
               : st;
}

tess_status
take_params(tess_params *own, const tess_params *given, tess_error *err)
{
    tess_params_init(own);
    return sized_take(own, sizeof *own, SIZED_UP_TO(tess_params, nmetalayers), given, "params",
                      err);
}

// -- the context of an open array

TESS_API tess_status
tess_array_set_context(tess_array *a, const tess_context *context, tess_error *err)
{
    UNCANCELLED;
    tess_context own;
    tess_executor executor;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = view_check(a, err);
    if (st == TESS_OK)
        st = take_context(&own, &executor, context, err);
    if (st == TESS_OK && !a->view)
        st = array_set_cache(a, own.cache, err);
    if (st != TESS_OK)
        return st;
    if (a->view) { // threads, cache and executor of its base count
        own.executor = NULL;
    } else if (own.executor) {
        a->executor = executor;
        own.executor = &a->executor;
    }
    a->context = own;
    return TESS_OK;
}

TESS_API void
tess_array_get_context_sized(const tess_array *a, tess_context *context, size_t context_size)
{
    tess_context own = a->context;
    if (a->view) {
        own.threads = a->grid->context->threads;
        own.cache = a->grid->context->cache;
        own.executor = a->grid->context->executor;
    }
    own.struct_size = context_size;
    sized_give(context, context_size, &own, sizeof own);
}

// -- what functions of a source call (tessera/source.h)

TESS_API void
tess_source_init_sized(tess_source *source, size_t struct_size)
{
    sized_give(source, struct_size, &struct_size, sizeof struct_size);
}

TESS_API void
tess_reading_arrived(const tess_reading *reading, size_t i)
{
    const struct io_progress *const p = reading ? reading->progress : NULL;
    if (p && p->arrived && i < reading->nranges)
        p->arrived(p, i);
}

TESS_API bool
tess_reading_cancelled(const tess_reading *reading)
{
    const struct io_progress *const p = reading ? reading->progress : NULL;
    return p && p->cancelled(p);
}
