/*
 * storage.c - what any call asks of a storage and a context, before it uses them.
 */
#include "api/storage.h"

#include "base/error.h"

#include <tessera/attr.h>

tess_status
check_context(const tess_context *context, tess_error *err)
{
    if (context->struct_size != sizeof *context)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a context of %zu bytes, not %zu: call tess_context_init()",
                       context->struct_size, sizeof *context);
    if (context->threads < 0 || context->cache < 0 || context->memory < 0 ||
        context->progress_interval < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a context with a negative number");
    return TESS_OK;
}

tess_status
check_storage(const tess_storage *storage, tess_error *err)
{
    if (!storage)
        return err_set(err, TESS_ERR_ARG, -1, "no storage is given");
    if (storage->struct_size != sizeof *storage)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a storage of %zu bytes, not %zu: call tess_storage_init()",
                       storage->struct_size, sizeof *storage);
    if (storage->mode < TESS_MODE_READ || storage->mode > TESS_MODE_APPEND)
        return err_set(err, TESS_ERR_ARG, -1, "mode %d is not known", (int)storage->mode);
    if (storage->durability < TESS_DURABILITY_NONE || storage->durability > TESS_DURABILITY_FSYNC)
        return err_set(err, TESS_ERR_ARG, -1, "durability %d is not known",
                       (int)storage->durability);
    if (storage->checksums < TESS_CHECKSUMS_WRITE || storage->checksums > TESS_CHECKSUMS_NONE)
        return err_set(err, TESS_ERR_ARG, -1, "checksums %d are not known",
                       (int)storage->checksums);
    if (storage->limits.memory < 0 || storage->limits.nchunks < 0 || storage->limits.ndim < 0 ||
        storage->limits.nesting < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a limit is negative");
    if (storage->limits.nesting > TESS_VALUE_MAX_DEPTH)
        return err_set(err, TESS_ERR_ARG, -1, "a limit of %d levels of nesting, %d at most",
                       storage->limits.nesting, TESS_VALUE_MAX_DEPTH);
    return storage->context ? check_context(storage->context, err) : TESS_OK;
}
