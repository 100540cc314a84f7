/*
 * files.c - the public functions on what is at a path.
 */
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/files.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/storage.h"

#include <tessera/files.h>

#include <inttypes.h>

TESS_API tess_status
tess_probe_sized(const tess_storage *storage, tess_frame_info *frame, size_t frame_size,
                 tess_error *err)
{
    UNCANCELLED;
    tess_frame_info own;
    struct taken_storage at;
    if (!frame)
        return err_set(err, TESS_ERR_ARG, -1, "no place for what is found is given");
    tess_status st = take_storage(&at, storage, err);
    if (st == TESS_OK)
        st = frames_probe(&at.storage, &own, err);
    if (st == TESS_OK)
        sized_give(frame, frame_size, &own, sizeof own);
    return st;
}

// A list whose elements have the size that the program knows.
static tess_status
give_list(tess_frame_info *own, int64_t count, size_t frame_size, tess_frame_info **frames,
          tess_error *err)
{
    uint8_t *list = NULL;
    if (count > 0 && (frame_size == 0 || (uint64_t)count > SIZE_MAX / frame_size))
        return err_set(err, TESS_ERR_ARG, -1, "a list of %" PRId64 " elements of %zu bytes", count,
                       frame_size);
    if (count > 0) {
        list = mem_alloc((size_t)count * frame_size);
        if (!list)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of %" PRId64 " frames",
                           count);
    }
    for (int64_t i = 0; i < count; i++)
        sized_give(list + (size_t)i * frame_size, frame_size, &own[i], sizeof own[i]);
    *frames = (void *)list;
    return TESS_OK;
}

TESS_API tess_status
tess_find_frames_sized(const tess_storage *storage, tess_frame_info **frames, size_t frame_size,
                       int64_t *count, tess_error *err)
{
    UNCANCELLED;
    tess_frame_info *own = NULL;
    int64_t n = 0;
    struct taken_storage at;
    if (!frames || !count)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the list or its length is given");
    *frames = NULL;
    *count = 0;
    tess_status st = take_storage(&at, storage, err);
    if (st == TESS_OK)
        st = frames_list(&at.storage, &own, &n, err);
    if (st == TESS_OK)
        st = give_list(own, n, frame_size, frames, err);
    mem_free(own);
    if (st == TESS_OK)
        *count = n;
    return st;
}

// Files, and directories of files, have a name to be removed.
static tess_status
check_place(const tess_storage *storage, tess_error *err)
{
    if (!storage->path || storage->offset != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "what is removed is a path; a frame inside a file is not, nor memory");
    const struct storage_kind *const kind = storage_find(storage);
    if (!kind || !kind->in_files)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "only files can be removed, not a %s",
                       kind ? kind->name : "path");
    return TESS_OK;
}

TESS_API tess_status
tess_remove(const tess_storage *storage, tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    tess_status st = take_storage(&at, storage, err);
    if (st == TESS_OK)
        st = check_place(&at.storage, err);
    return st == TESS_OK ? array_remove(&at.storage, err) : st;
}
