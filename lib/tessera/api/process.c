/*
 * process.c - the public functions on what all arrays of a process share.
 */
#include "api/uncancelled.h"
#include "array/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "cache/account.h"
#include "io/open_files.h"

#include <tessera/process.h>

#include <assert.h>

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
