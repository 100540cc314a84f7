/*
 * context.c - the public functions on the context of an open array.
 */
#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/view.h"
#include "base/error.h"
#include "base/sized.h"
#include "grid/grid.h"
#include "grid/write/write_back.h"

#include <tessera/context.h>

// Another budget for decoded blocks, which are written back and leave.
static tess_status
change_cache(tess_array *a, int64_t budget, tess_error *err)
{
    if (budget == a->context.cache)
        return TESS_OK;
    tess_status st = write_back_all(a->grid, err);
    if (st == TESS_OK)
        st = chunk_grid_set_cache(a->grid, budget, err);
    return st;
}

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
        st = change_cache(a, own.cache, err);
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
