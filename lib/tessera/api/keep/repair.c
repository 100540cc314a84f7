/*
 * repair.c - the public function that makes a new array of what is left of a damaged one.
 */
#include "array/keep/repair.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/sized.h"
#include "task/watch.h"

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
        st = take_storage(&job->target, target, err);
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
