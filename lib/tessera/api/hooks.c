/*
 * hooks.c - what the program brings for all of the process.
 */
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized.h"

#include <tessera/hooks.h>

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
