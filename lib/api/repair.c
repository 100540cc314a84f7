/*
 * repair.c - the public function that makes a new array of what is left of a damaged one.
 */
#include "array/repair.h"
#include "api/storage.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "task/watch.h"

TESS_API void
tess_repair_options_init(tess_repair_options *options)
{
    *options = (tess_repair_options){.struct_size = sizeof *options};
}

static tess_status
check_arguments(const tess_storage *source, const tess_storage *target,
                const tess_repair_options *options, tess_error *err)
{
    tess_status st = check_storage(source, err);
    if (st == TESS_OK)
        st = check_storage(target, err);
    if (st != TESS_OK)
        return st;
    if (options->struct_size != sizeof *options)
        return err_set(err, TESS_ERR_ARG, -1,
                       "options of %zu bytes, not %zu: call tess_repair_options_init()",
                       options->struct_size, sizeof *options);
    if (!target->path || (target->mode != TESS_MODE_NEW && target->mode != TESS_MODE_REPLACE))
        return err_set(err, TESS_ERR_ARG, -1,
                       "a repaired array goes to a path, with the mode NEW or REPLACE");
    return TESS_OK;
}

TESS_API tess_status
tess_repair(const tess_storage *source, const tess_storage *target,
            const tess_repair_options *options, tess_repair_report *report, tess_error *err)
{
    UNCANCELLED;
    enum { STEPS = 1000 }; // of the progress
    static const tess_context nobody = {0}; // watches
    static const tess_repair_options defaults = {.struct_size = sizeof defaults};
    tess_repair_report found;
    struct watch watch;
    if (!report)
        report = &found;
    *report = (tess_repair_report){0};
    if (!options)
        options = &defaults;
    const tess_status st = check_arguments(source, target, options, err);
    if (st != TESS_OK)
        return st;
    watch_begin(&watch, target->context ? target->context : &nobody, STEPS);
    return watch_end(&watch, array_repair(source, target, options, report, &watch, err));
}
