/*
 * copy.c - tess copy: an array, or a part of it, in another layout, codec or container.
 *
 * Where only the container may differ, the frame is saved as it is stored, of whatever kind it is.
 * Else the library makes an array of a view of the other one.
 */
#include "cli/commands.h"
#include "cli/data/open.h"
#include "cli/data/params.h"
#include "cli/data/part.h"
#include "cli/data/shapes.h"
#include "cli/data/target.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/text/progress.h"

#include <tessera/copy.h>

// Options that leave each chunk as it is stored.
#define OPTS_CONTAINER \
    (OPT_BIT(OPT_LAYOUT) | OPT_BIT(OPT_OFFSET) | OPT_BIT(OPT_FORCE) | OPT_BIT(OPT_THREADS))

struct copy {
    const struct arguments *args;
    const char *in_name, *out_name;
    tess_array *in; // the array, or a view of it
    bool reshaped; // it has axes that are not those of the array, but for their length
    tess_params params;
    struct target target;
    const char *about;
};

static bool
is_as_stored(const struct arguments *args)
{
    for (int id = 0; id < OPT_COUNT; id++)
        if (args->values[id] && !(OPTS_CONTAINER & OPT_BIT(id)))
            return false;
    return true;
}

static tess_status
describe(struct copy *job, tess_error *err)
{
    const struct arguments *const args = job->args;
    tess_params *const p = &job->params;

    tess_array_params(job->in, p);
    shapes_adapt(p, job->reshaped, args);
    if (args->values[OPT_DTYPE])
        p->dtype = args->values[OPT_DTYPE];
    return params_set(p, args, err);
}

static tess_status
write_out(struct copy *job, tess_error *err)
{
    struct target *const t = &job->target;
    tess_status st;

    target_follow(t);
    if (is_as_stored(job->args)) {
        progress_set(job->in, progress_hear, &t->progress);
        st = tess_array_save(job->in, &t->storage, job->params.layout, err);
    } else {
        st = tess_array_copy(job->in, &t->storage, &job->params, NULL, err);
    }
    if (st == TESS_ERR_CORRUPT || st == TESS_ERR_STALE)
        job->about = job->in_name;
    return st;
}

static int
run_copy(const struct arguments *args)
{
    struct copy job = {.args = args, .in_name = args->words[0], .out_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_error err;

    job.about = job.in_name;
    TRY(open_array(job.in_name, args, &job.in, &err));
    TRY(part_view_expr(&job.in, args->values[OPT_SLICE], &job.reshaped, &err));
    job.about = job.out_name;
    TRY(describe(&job, &err));
    TRY(target_open(&job.target, job.out_name, job.params.layout, args, &err));
    TRY(write_out(&job, &err));
    TRY(target_publish(&job.target, NULL, &err));
out:
    target_close(&job.target);
    tess_array_discard(job.in);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}

const struct command cmd_copy = {
    .name = "copy",
    .purpose = "copy an array, or a part of it, to another layout, codec or container",
    .words = "PATH OUT",
    .nwords = 2,
    .options = OPTS_LAYOUT | OPT_BIT(OPT_SLICE) | OPT_BIT(OPT_DTYPE) | OPT_BIT(OPT_OFFSET) |
               OPT_BIT(OPT_FORCE) | OPT_BIT(OPT_THREADS),
    .details =
        "Attributes, metalayers and fill value go with the items. What no option names stays as\n"
        "it is in PATH, and where that is all, chunks are copied as they are stored. --chunks\n"
        "alone has new blocks chosen; --codec alone leaves out dictionaries; a --slice with\n"
        "steps or single indices has chunks and blocks chosen for it, if they are not given.\n"
        "--dtype is the type that the items have, in either byte order. OUT appears when it is\n"
        "complete, and may with --force be PATH.\n",
    .examples =
        (const struct example[]){
            {"smaller, and slower to write",
             "tess copy winds.b2nd small.b2nd --codec zstd --level 9"},
            {"in chunks of one month", "tess copy winds.b2nd months.b2nd --chunks 1x73x144"},
            {"a directory with one file per chunk", "tess copy winds.b2nd winds.d --layout sparse"},
            {"every other column of the first month",
             "tess copy winds.b2nd january.b2nd --slice 0,...,::2"},
            {0},
        },
    .run = run_copy,
};
