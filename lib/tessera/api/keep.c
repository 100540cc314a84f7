/*
 * keep.c - the public functions on files as a whole: what is at a path, checked, copied, made
 * compact, repaired, removed.
 */
#include "array/keep/keep.h"
#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/storage.h"
#include "task/watch.h"

#include <tessera/copy.h>
#include <tessera/files.h>
#include <tessera/repair.h>

#include <inttypes.h>

// -- what is at a path

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
check_removable(const tess_storage *storage, tess_error *err)
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
        st = check_removable(&at.storage, err);
    return st == TESS_OK ? array_remove(&at.storage, err) : st;
}

// -- checks

TESS_API tess_status
tess_array_verify_sized(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
                        size_t verdict_size, tess_error *err)
{
    UNCANCELLED;
    tess_verdict own = {0};
    if (!a || !verdict)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a verdict is given");
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = array_verify(a, fn, user, &own, err);
    if (st == TESS_OK)
        sized_give(verdict, verdict_size, &own, sizeof own);
    return st;
}

// -- copies

TESS_API tess_status
tess_array_save(const tess_array *a, const tess_storage *storage, tess_layout layout,
                tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = take_target(&at, storage, a->grid->plain, err);
    if (st == TESS_OK && !at.storage.path && !at.storage.source)
        st = err_set(err, TESS_ERR_ARG, -1,
                     "no path is given; tess_array_to_image() copies to memory");
    return st == TESS_OK ? array_save(a, &at.storage, layout, err) : st;
}

TESS_API tess_status
tess_array_to_image(const tess_array *a, void **image, size_t *image_size, tess_error *err)
{
    UNCANCELLED;
    if (image)
        *image = NULL;
    if (image_size)
        *image_size = 0;
    if (!a || !image || !image_size)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for its image is given");
    const tess_status st = check_no_view(a, err);
    return st == TESS_OK ? array_to_image(a, image, image_size, err) : st;
}

// -- without what is not needed

// Files, and directories of files: what else a path may mean has no other names beside it.
static tess_status
check_compactable(const tess_storage *storage, tess_error *err)
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
        st = check_compactable(&at.storage, err);
    if (st == TESS_OK)
        st = array_compact(&at.storage, &old, &now, err);
    if (st == TESS_OK && before)
        *before = old;
    if (st == TESS_OK && after)
        *after = now;
    return st;
}

// -- of what is left of a damaged one

TESS_API void
tess_repair_options_init_sized(tess_repair_options *options, size_t struct_size)
{
    const tess_repair_options own = {.struct_size = struct_size};
    sized_give(options, struct_size, &own, sizeof own);
}

struct repair_job {
    struct taken_storage source, target;
    tess_repair_options options;
};

static tess_status
take_job(struct repair_job *job, const tess_storage *source, const tess_storage *target,
         const tess_repair_options *options, tess_error *err)
{
    tess_repair_options_init(&job->options);
    tess_status st = take_storage(&job->source, source, err);
    if (st == TESS_OK)
        st = take_target(&job->target, target, false, err);
    if (st == TESS_OK && options)
        st = sized_take(&job->options, sizeof job->options, SIZED_UP_TO(tess_repair_options, older),
                        options, "repair_options", err);
    if (st != TESS_OK)
        return st;
    const tess_storage *const to = &job->target.storage;
    if (!to->path || (to->mode != TESS_MODE_NEW && to->mode != TESS_MODE_REPLACE))
        return err_set(err, TESS_ERR_ARG, -1,
                       "a repaired array goes to a path, with the mode NEW or REPLACE");
    return TESS_OK;
}

TESS_API tess_status
tess_repair_sized(const tess_storage *source, const tess_storage *target,
                  const tess_repair_options *options, tess_repair_report *report,
                  size_t report_size, tess_error *err)
{
    UNCANCELLED;
    enum { STEPS = 1000 }; // of the progress
    static const tess_context nobody = {0}; // watches
    tess_repair_report found = {0};
    struct repair_job job;
    struct watch watch;
    tess_status st = take_job(&job, source, target, options, err);
    if (st == TESS_OK) {
        const tess_context *const context = job.target.storage.context;
        watch_begin(&watch, context ? context : &nobody, STEPS);
        st = watch_end(&watch, array_repair(&job.source.storage, &job.target.storage, &job.options,
                                            &found, &watch, err));
    }
    if (report)
        sized_give(report, report_size, &found, sizeof found);
    return st;
}
