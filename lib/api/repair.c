/*
 * repair.c - the public function that makes a new array of what is left of a damaged one.
 */
#include "array/repair.h"
#include "api/home.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/home.h"
#include "base/error.h"
#include "frame/commit.h"
#include "frame/frame.h"
#include "frame/options.h"
#include "frame/query.h"
#include "io/folder.h"
#include "io/io.h"
#include "salvage/report.h"
#include "salvage/salvage.h"
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
    tess_status st = home_check(source, err);
    if (st == TESS_OK)
        st = home_check(target, err);
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

// The new array may not take the place of what it is made of.
static tess_status
check_target(const struct home *home, const char *path, tess_error *err)
{
    const bool own = home->folder ? folder_is_at(home->folder, path) : io_is_at(home->io, path);
    if (own || (home->folder && folder_contains(home->folder, path)))
        return err_set(err, TESS_ERR_ARG, -1, "that is where the damaged array is");
    return TESS_OK;
}

static tess_status
open_source(const tess_storage *source, const tess_storage *target, struct home *home,
            tess_error *err)
{
    tess_storage reader = *source;
    reader.mode = TESS_MODE_READ;
    tess_status st = home_open(&reader, home, err);
    if (st != TESS_OK)
        return st;
    st = check_target(home, target->path, err);
    if (st != TESS_OK)
        home_close(home);
    return st;
}

static tess_status
write_target(const tess_array *a, const struct salvage *salvage, const tess_storage *target,
             const tess_repair_options *options, tess_repair_report *report, struct watch *watch,
             tess_error *err)
{
    struct frame_options how = {.limits = target->limits,
                                .durability = target->durability,
                                .checksums = target->checksums,
                                .context = target->context,
                                .wait = target->wait};
    struct frame *copy;
    struct home home;
    tess_status st = home_create(
        target, frame_is_sparse(a->grid->frame) ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS,
        &home, err);
    if (st != TESS_OK)
        return st;
    how.lock_file = home.lock_file;
    how.path = home.path;
    st = array_repair(a, salvage, &home, &how, options, report, watch, &copy, err);
    if (st != TESS_OK)
        return st;
    st = frame_publish(copy, err);
    frame_close(copy);
    return st;
}

static tess_status
repair_to(const tess_storage *source, const tess_storage *target,
          const tess_repair_options *options, tess_repair_report *report, struct watch *watch,
          tess_error *err)
{
    struct salvage salvage = {.keep_header = options->keep_header, .older = options->older};
    const struct watch_range all = watch_divide(watch);
    tess_array *a = NULL;
    struct home home;
    tess_status st = open_source(source, target, &home, err);
    if (st != TESS_OK)
        return st;
    watch_part(watch, &all, 1, 2);
    st = array_salvage(&home, source, &salvage, watch, &a, err);
    watch_part(watch, &all, 2, 2);
    if (st == TESS_OK)
        st = write_target(a, &salvage, target, options, report, watch, err);
    array_free(a);
    return st;
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
    return watch_end(&watch, repair_to(source, target, options, report, &watch, err));
}
