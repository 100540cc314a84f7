/*
 * copy.c - tess copy: an array, or a part of it, in another layout, codec or container.
 *
 * Where only the container may differ, the frame is saved as it is stored, of whatever kind it is.
 * Else the library makes an array of a view of the other one.
 */
#include "cli/commands.h"
#include "cli/data/open.h"
#include "cli/data/output.h"
#include "cli/data/params.h"
#include "cli/data/select.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/text/progress.h"

#include <tessera/copy.h>
#include <tessera/view.h>

#include <string.h>

// Options that leave each chunk as it is stored.
#define OPTS_CONTAINER \
    (OPT_BIT(OPT_LAYOUT) | OPT_BIT(OPT_OFFSET) | OPT_BIT(OPT_FORCE) | OPT_BIT(OPT_THREADS))

struct copy {
    const struct arguments *args;
    const char *in_name, *out_name;
    tess_array *in; // the array, or a view of it
    bool reshaped; // it has axes that are not those of the array, but for their length
    tess_params params;
    struct output file;
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
check_names(struct copy *job, tess_error *err)
{
    const char *const names[] = {job->in_name, job->out_name};

    for (int i = 0; i < 2; i++) {
        job->about = names[i];
        if (strcmp(names[i], "-") == 0)
            return report_set(err, TESS_ERR_ARG,
                              "an array is a file or a directory; tess export writes to a pipe");
    }
    return TESS_OK;
}

// In the place of the array comes a view of it, which goes on without it.
static void
look_through(struct copy *job, tess_array *view)
{
    tess_error ignored; // it is only read: closing commits nothing

    (void)tess_array_close(job->in, &ignored);
    job->in = view;
}

static tess_status
select_part(struct copy *job, const char *expr, tess_error *err)
{
    int64_t stop[TESS_MAX_NDIM];
    struct selection sel;
    tess_array *view;
    tess_status st = TESS_OK;
    tess_info info;

    tess_array_info(job->in, &info);
    TRY(select_parse(expr, info.ndim, info.shape, &sel, err));
    for (int i = 0; i < sel.ndim; i++) {
        const int64_t last = sel.start[i] + (sel.count[i] - 1) * sel.step[i];

        stop[i] = sel.count[i] == 0 ? sel.start[i] : sel.step[i] > 0 ? last + 1 : last - 1;
        job->reshaped |= sel.step[i] != 1 || sel.dropped[i];
    }
    TRY(tess_array_view_slice(job->in, sel.start, stop, sel.step, &view, err));
    look_through(job, view);
    for (int i = sel.ndim - 1; i >= 0; i--)
        if (sel.dropped[i]) {
            TRY(tess_array_view_squeeze(job->in, i, &view, err));
            look_through(job, view);
        }
out:
    return st;
}

// Shapes of chunks and blocks are the array's, cut to what is copied of it. They are chosen anew
// for other axes; and so are blocks for other chunks.
static void
choose_shapes(struct copy *job)
{
    tess_params *const p = &job->params;
    const bool chunks = job->reshaped;
    const bool blocks = chunks || job->args->values[OPT_CHUNKS];

    for (int i = 0; i < p->ndim; i++) {
        const int64_t length = p->shape[i] > 0 ? p->shape[i] : 1;

        if (p->chunkshape[i] > length)
            p->chunkshape[i] = length;
        if (p->blockshape[i] > p->chunkshape[i])
            p->blockshape[i] = p->chunkshape[i];
    }
    if (chunks)
        memset(p->chunkshape, 0, sizeof p->chunkshape);
    if (blocks)
        memset(p->blockshape, 0, sizeof p->blockshape);
}

static tess_status
describe(struct copy *job, tess_error *err)
{
    const struct arguments *const args = job->args;
    tess_params *const p = &job->params;

    tess_array_params(job->in, p);
    if (args->values[OPT_SLICE])
        choose_shapes(job);
    else if (args->values[OPT_CHUNKS])
        memset(p->blockshape, 0, sizeof p->blockshape);
    if (args->values[OPT_CODEC])
        p->dictionary = false; // not every codec takes one
    if (args->values[OPT_DTYPE])
        p->dtype = args->values[OPT_DTYPE];
    return params_set(p, args, err);
}

static tess_status
write_out(struct copy *job, tess_error *err)
{
    struct progress progress = {0};
    tess_status st = TESS_OK;
    tess_context context;
    tess_storage storage;

    TRY(open_context(job->args, &context, err));
    progress_follow(&progress, &context);
    open_storage_to_make(job->file.temporary, &context, &storage);
    if (is_as_stored(job->args)) {
        tess_array_set_progress(job->in, progress_hear, &progress);
        TRY(tess_array_save(job->in, &storage, job->params.layout, err));
    } else {
        TRY(tess_array_copy(job->in, &storage, &job->params, NULL, err));
    }
out:
    if (st == TESS_ERR_CORRUPT || st == TESS_ERR_STALE)
        job->about = job->in_name;
    progress_end(&progress);
    return st;
}

static int
run_copy(const struct arguments *args)
{
    struct copy job = {.args = args, .in_name = args->words[0], .out_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_error err;

    TRY(check_names(&job, &err));
    job.about = job.in_name;
    TRY(open_array(job.in_name, args, &job.in, &err));
    if (args->values[OPT_SLICE])
        TRY(select_part(&job, args->values[OPT_SLICE], &err));
    job.about = job.out_name;
    TRY(describe(&job, &err));
    TRY(output_open(&job.file, job.out_name,
                    job.params.layout == TESS_LAYOUT_SPARSE ? OUTPUT_DIRECTORY : OUTPUT_FILE,
                    args->values[OPT_FORCE] != NULL, &err));
    TRY(write_out(&job, &err));
    TRY(output_publish(&job.file, &err));
out:
    output_close(&job.file);
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
