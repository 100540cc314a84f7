/*
 * library.c - the public functions on the library itself: its name and codes, its codecs and
 * filters, what a program brings for all of the process, and what all arrays of one share.
 */
#include "api/uncancelled.h"
#include "array/array.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized.h"
#include "cache/account.h"
#include "codec/codec.h"
#include "filter/filter.h"
#include "io/open_files.h"

#include <tessera/error.h>
#include <tessera/hooks.h>
#include <tessera/params.h>
#include <tessera/process.h>
#include <tessera/version.h>

#include <assert.h>
#include <string.h>

// -- names

TESS_API const char *
tess_version(void)
{
    return TESS_VERSION;
}

TESS_API const char *
tess_status_name(tess_status status)
{
    switch (status) {
    case TESS_OK:
        return "fine";
    case TESS_ERR_ARG:
        return "wrong argument";
    case TESS_ERR_NOMEM:
        return "out of memory";
    case TESS_ERR_IO:
        return "storage failed";
    case TESS_ERR_FORMAT:
        return "not a Blosc2 frame";
    case TESS_ERR_CORRUPT:
        return "damaged file";
    case TESS_ERR_UNSUPPORTED:
        return "not supported";
    case TESS_ERR_LIMIT:
        return "limit exceeded";
    case TESS_ERR_STALE:
        return "changed by another program";
    case TESS_ERR_CANCELLED:
        return "cancelled";
    case TESS_ERR_NOT_FOUND:
        return "not found";
    case TESS_ERR_TYPE:
        return "another type";
    }
    return "unknown status";
}

// -- codecs and filters

TESS_API bool
tess_codec_at_sized(int index, tess_codec_info *info, size_t info_size)
{
    const struct codec *codec;
    int id;

    if (!codec_at(index, &id, &codec))
        return false;
    const tess_codec_info own = {
        .id = id, .name = codec_name(id), .built = codec, .lossy = codec && codec->lossy};
    sized_give(info, info_size, &own, sizeof own);
    return true;
}

TESS_API bool
tess_codec_find_sized(const char *name, tess_codec_info *info, size_t info_size)
{
    tess_codec_info c;

    for (int i = 0; name && tess_codec_at(i, &c); i++)
        if (strcmp(c.name, name) == 0) {
            sized_give(info, info_size, &c, sizeof c);
            return true;
        }
    return false;
}

TESS_API bool
tess_codec_get_sized(int id, tess_codec_info *info, size_t info_size)
{
    return tess_codec_find_sized(codec_name(id), info, info_size);
}

static bool
fill_filter(const struct filter *filter, tess_filter_info *info, size_t info_size)
{
    if (!filter)
        return false;
    const tess_filter_info own = {
        .id = filter->id,
        .name = filter->name,
        .written = filter->forward,
        .lossy = filter->lossy,
    };
    sized_give(info, info_size, &own, sizeof own);
    return true;
}

TESS_API bool
tess_filter_at_sized(int index, tess_filter_info *info, size_t info_size)
{
    return fill_filter(filter_at(index), info, info_size);
}

TESS_API bool
tess_filter_find_sized(const char *name, tess_filter_info *info, size_t info_size)
{
    const struct filter *filter;

    for (int i = 0; name && (filter = filter_at(i)) != NULL; i++)
        if (strcmp(filter->name, name) == 0)
            return fill_filter(filter, info, info_size);
    return false;
}

TESS_API bool
tess_filter_get_sized(int id, tess_filter_info *info, size_t info_size)
{
    return fill_filter(filter_by_id(id), info, info_size);
}

// -- what the program brings

TESS_API void
tess_allocator_init_sized(tess_allocator *allocator, size_t struct_size)
{
    sized_give(allocator, struct_size, &struct_size, sizeof struct_size);
}

TESS_API tess_status
tess_allocator_set(const tess_allocator *allocator, tess_error *err)
{
    UNCANCELLED;
    tess_allocator own;

    if (!allocator)
        return mem_set_allocator(NULL, err);
    tess_allocator_init(&own);
    const tess_status st = sized_take(&own, sizeof own, SIZED_UP_TO(tess_allocator, user),
                                      allocator, "allocator", err);
    if (st != TESS_OK)
        return st;
    if (!own.alloc || !own.resize || !own.free)
        return err_set(err, TESS_ERR_ARG, -1, "an allocator without %s",
                       !own.alloc    ? "alloc"
                       : !own.resize ? "resize"
                                     : "free");
    return mem_set_allocator(&own, err);
}

TESS_API tess_status
tess_log_set(tess_log_level level, tess_log_fn *fn, void *user, tess_error *err)
{
    UNCANCELLED;
    if (level < TESS_LOG_OFF || level > TESS_LOG_DEBUG)
        return err_set(err, TESS_ERR_ARG, -1, "level %d of a log is not known", (int)level);
    log_set(level, fn, user);
    return TESS_OK;
}

// -- what all arrays of a process share

static_assert(ACCOUNT_BUDGET == TESS_CACHE_BUDGET_DEFAULT, "one default of the budget for blocks");

TESS_API void
tess_budgets_init_sized(tess_budgets *budgets, size_t struct_size)
{
    const tess_budgets own = {.struct_size = struct_size, .cache = TESS_CACHE_BUDGET_DEFAULT};
    sized_give(budgets, struct_size, &own, sizeof own);
}

TESS_API tess_status
tess_process_set_budgets(const tess_budgets *budgets, tess_error *err)
{
    UNCANCELLED;
    tess_budgets own;
    tess_budgets_init(&own);
    const tess_status st =
        sized_take(&own, sizeof own, SIZED_UP_TO(tess_budgets, files), budgets, "budgets", err);
    if (st != TESS_OK)
        return st;
    if (own.cache < 0 || own.files < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a budget is negative");
    account_set_budget(own.cache);
    open_files_set_budget(own.files);
    return TESS_OK;
}

TESS_API void
tess_process_get_budgets_sized(tess_budgets *budgets, size_t budgets_size)
{
    UNCANCELLED;
    struct open_files_report files;
    open_files_report(&files);
    const tess_budgets own = {
        .struct_size = budgets_size,
        .cache = account_budget(),
        .files = files.budget,
    };
    sized_give(budgets, budgets_size, &own, sizeof own);
}

TESS_API void
tess_process_usage_sized(tess_usage *usage, size_t usage_size)
{
    UNCANCELLED;
    struct open_files_report files;
    struct account_report blocks;
    open_files_report(&files);
    account_report(&blocks);
    const tess_usage own = {
        .arrays = array_count(),
        .cache = blocks.used,
        .cache_dirty = blocks.dirty,
        .cache_own = blocks.own,
        .files = files.open,
        .files_kept = files.kept,
        .files_reopened = files.again,
    };
    sized_give(usage, usage_size, &own, sizeof own);
}
