/*
 * compact.c - the public function that gives back the space a file does not need.
 */
#include "array/keep/compact.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "io/storage.h"

#include <tessera/repair.h>

// Files, and directories of files: what else a path may mean has no other names beside it.
static tess_status
check_place(const tess_storage *storage, tess_error *err)
{
    if (!storage->path || storage->mmap || storage->offset != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "compacting needs a path, offset 0 and no memory map");
    const struct storage_kind *const kind = storage_find(storage);
    if (!kind || !kind->in_files)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "only files can be compacted, not a %s",
                       kind ? kind->name : "path");
    return TESS_OK;
}

TESS_API tess_status
tess_compact(const tess_storage *storage, int64_t *before, int64_t *after, tess_error *err)
{
    UNCANCELLED;
    int64_t old = 0, now = 0;
    struct taken_storage at;
    tess_status st = take_storage(&at, storage, err);
    if (st == TESS_OK)
        st = check_place(&at.storage, err);
    if (st == TESS_OK)
        st = array_compact(&at.storage, &old, &now, err);
    if (st == TESS_OK && before)
        *before = old;
    if (st == TESS_OK && after)
        *after = now;
    return st;
}
