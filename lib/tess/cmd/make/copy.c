/*
 * copy.c - tess copy: an array, or a part of it, in another layout, codec, type or container.
 *
 * Where only the container may differ, the frame is saved as it is stored, of whatever kind it is.
 * Else the library makes an array of a view of the other one, or a smaller one; or items are
 * converted on the way.
 */
#include "commands.h"
#include "convert/convert.h"
#include "convert/smaller.h"
#include "data/open.h"
#include "data/params.h"
#include "data/picked/part.h"
#include "data/remote.h"
#include "data/shapes.h"
#include "data/store_path.h"
#include "data/target.h"
#include "options.h"
#include "report.h"
#include "text/work.h"

#include <tessera/copy.h>

#include <string.h>

// Options that leave each chunk as it is stored.
static const enum option_id container[] = {OPT_LAYOUT, OPT_OFFSET, OPT_FORCE, OPT_THREADS,
                                           OPT_COUNT};

struct copy {
    const struct arguments *args;
    const char *in_name, *out_name;
    tess_array *in; // the array, or a view of it
    bool reshaped; // it has axes that are not those of the array, but for their length
    tess_params params;
    struct convert convert;
    struct smaller smaller;
    const char *dtype; // of the copy, or NULL
    bool converts;
    struct target target;
    const char *about;
};

static bool
is_as_stored(const struct arguments *args)
{
    for (int id = 0; id < OPT_COUNT; id++)
        if (args->values[id] && !options_include(container, id))
            return false;
    return true;
}

// What becomes of the items.
static tess_status
parse(struct copy *job, tess_error *err)
{
    const struct arguments *const args = job->args;
    tess_status st = TESS_OK;

    TRY(convert_parse(&job->convert, job->in, args, &job->dtype, &job->converts, err));
    TRY(smaller_parse(&job->smaller, job->in, args, err));
    if (job->smaller.wanted && job->converts)
        return report_set(err, TESS_ERR_ARG,
                          "items are converted or downsampled, not both: two copies do it");
out:
    return st;
}

static tess_status
describe(struct copy *job, tess_error *err)
{
    const struct arguments *const args = job->args;
    const bool levels = job->smaller.pyramid;
    tess_params *const p = &job->params;

    tess_array_params(job->in, p);
    if (levels)
        p->layout = TESS_LAYOUT_CONTIGUOUS;
    for (int i = 0; job->smaller.wanted && i < p->ndim; i++)
        p->shape[i] =
            p->shape[i] / job->smaller.factors[i] + (p->shape[i] % job->smaller.factors[i] > 0);
    shapes_adapt(p, job->reshaped, args);
    if (job->dtype)
        p->dtype = job->dtype;
    if (job->converts) {
        p->typesize = 0; // from dtype; and blocks of such items are chosen
        memset(p->blockshape, 0, sizeof p->blockshape);
    }
    const tess_status st = params_set(p, args, err);
    if (st == TESS_OK && levels && p->layout == TESS_LAYOUT_SPARSE)
        return report_set(err, TESS_ERR_ARG, "--layout sparse: levels are files in a folder");
    return st;
}

static tess_status
write_out(struct copy *job, tess_array **out, tess_error *err)
{
    struct target *const t = &job->target;

    if (job->converts) // box by box, with a bar for all
        return convert_copy(&job->convert, job->in, &t->storage, &job->params, out, err);
    target_follow(t);
    if (!job->smaller.pyramid && !job->smaller.wanted && !is_as_stored(job->args))
        return tess_array_copy(job->in, &t->storage, &job->params, NULL, err);
    work_follow_array(&t->work, job->in);
    if (job->smaller.pyramid)
        return smaller_pyramid(&job->smaller, job->in, t->file.temporary, &t->storage, &job->params,
                               err);
    if (job->smaller.wanted)
        return smaller_copy(&job->smaller, job->in, &t->storage, &job->params, out, err);
    return tess_array_save(job->in, &t->storage, job->params.layout, err);
}

// What comes in more than one call of the library needs a file first.
static tess_status
open_target(struct copy *job, tess_error *err)
{
    const bool levels = job->smaller.pyramid;
    if (!remote_is_url(job->out_name))
        return target_open(&job->target, job->out_name,
                           levels ? TESS_LAYOUT_SPARSE : job->params.layout, job->args, err);
    if (levels || job->smaller.wanted || job->converts)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "items are converted or downsampled to a file, which can then be copied");
    return target_open_url(&job->target, job->out_name, job->params.layout, job->args, err);
}

// Not every type can hold what attributes say of items.
static void
tell_left(const struct copy *job)
{
    tess_error note;

    if (job->convert.left[0]) {
        (void)report_set(&note, TESS_OK, "attributes that do not fit in %.40s are left out: %.300s",
                         job->dtype, job->convert.left);
        (void)report_print(job->out_name, &note);
    }
}

// All of a store, to another one.
static int
copy_store(const struct arguments *args)
{
    const char *const in = args->words[0], *const out = args->words[1];
    const char *about = in;
    struct target target = {0};
    tess_store *store = NULL;
    tess_storage to;
    tess_status st = TESS_OK;
    tess_error err;

    if (!is_as_stored(args) || args->values[OPT_OFFSET] || args->values[OPT_LAYOUT])
        st = report_set(&err, TESS_ERR_ARG, "a store is copied as it is; its arrays one by one");
    else if (!store_path_is_name(out) || store_path_parse(out, STORE_PATH_WHOLE).commit)
        st = report_set(&err, TESS_ERR_ARG, "a store is copied to a .b2z or .b2d, not to %.200s",
                        out);
    TRY(st);
    TRY(open_store(in, args, &store, &err));
    about = out;
    tess_storage_init(&to);
    if (remote_is_url(out)) {
        TRY(target_open_url(&target, out, TESS_LAYOUT_CONTIGUOUS, args, &err));
        to = target.storage;
    } else {
        to.path = out;
        to.mode = args->values[OPT_FORCE] ? TESS_MODE_REPLACE : TESS_MODE_NEW;
    }
    TRY(tess_store_save(store, &to, &err));
out:
    tess_store_close(store);
    if (target.remote)
        target_close(&target);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(about, &err);
}

static int
run_copy(const struct arguments *args)
{
    if (open_is_store(args->words[0]))
        return copy_store(args);

    struct copy job = {.args = args, .in_name = args->words[0], .out_name = args->words[1]};
    tess_array *out = NULL;
    tess_status st = TESS_OK;
    tess_error err;

    job.about = job.in_name;
    TRY(open_array(job.in_name, args, &job.in, &err));
    TRY(part_view_expr(&job.in, args->values[OPT_SLICE], &job.reshaped, &err));
    TRY(parse(&job, &err));
    job.about = job.out_name;
    TRY(describe(&job, &err));
    TRY(open_target(&job, &err));
    st = write_out(&job, &out, &err);
    if (st == TESS_ERR_CORRUPT || st == TESS_ERR_STALE)
        job.about = job.in_name;
    TRY(st);
    st = target_publish(&job.target, out, &err);
    out = NULL;
    if (st == TESS_OK)
        tell_left(&job);
out:
    tess_array_discard(out);
    target_close(&job.target);
    tess_array_discard(job.in);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}

const struct command cmd_copy = {
    .name = "copy",
    .purpose = "copy an array, or a part, to another layout, codec, type, size or container",
    .words = "PATH OUT",
    .nwords = 2,
    .options = OPTIONS(OPTS_LAYOUT, OPT_SLICE, OPT_DTYPE, OPT_MISFIT, OPT_UNPACK, OPT_PACK,
                       OPT_MISSING, OPT_DOWNSAMPLE, OPT_LEVELS, OPT_SKIP_NAN, OPT_OFFSET,
                       OPT_UNCHECKED, OPT_FORCE, OPT_THREADS),
    .details =
        "Attributes, metalayers and fill value go with the items. What no option names stays as\n"
        "it is in PATH, and where that is all, chunks are copied as they are stored. --chunks\n"
        "alone has new blocks chosen; --codec alone leaves out dictionaries; a --slice with\n"
        "steps or single indices has chunks and blocks chosen for it, if they are not given.\n"
        "OUT appears when it is complete, and may with --force be PATH. It may be "
        "s3://BUCKET/KEY,\n"
        "of which all parts are sent before the object appears; or a path in a store, as\n"
        "climate.b2d/winds/u: the store is made if it is not there. Where PATH is a store, OUT is\n"
        "one, too: .b2z, a zip file, or .b2d, a new directory.\n\n"
        "Numbers and times are converted to the type --dtype; floats become integers by leaving\n"
        "out what is behind the point. --unpack makes numbers of what netCDF packs: the type is\n"
        "<f8, of floats their own, unless --dtype says; --pack is the reverse, rounds to the\n"
        "nearest. --missing is what missing values (NaN, attributes _FillValue and missing_value)\n"
        "become, attribute _FillValue. An item that does not fit ends the copy, or see --misfit.\n"
        "The fill value is converted like an item, and so are the attributes _FillValue,\n"
        "missing_value, valid_min, valid_max, valid_range, actual_range and flag_values; one that\n"
        "does not fit is left out, and named. A missing value that would become a number which\n"
        "items may have, too, is refused: --missing gives it another.\n\n"
        "--downsample: cells at the ends may have fewer items; types stay. --levels: OUT is a new\n"
        "folder with 1.b2nd (half as long, or as --downsample says), 2.b2nd, ...; level 0 is "
        "PATH,\n"
        "which is not copied.\n",
    .examples =
        (const struct example[]){
            {"smaller, and slower to write", "tess copy winds.b2nd small.b2nd --codec zstd:9"},
            {"in chunks of one month", "tess copy winds.b2nd months.b2nd --chunks 1x73x144"},
            {"a directory with one file per chunk", "tess copy winds.b2nd winds.d --layout sparse"},
            {"every other column of the first month",
             "tess copy winds.b2nd january.b2nd --slice 0,...,::2"},
            {"halves of two bytes",
             "tess copy winds.b2nd half.b2nd --dtype '<f2' --misfit saturate"},
            {"packed in integers, as netCDF does",
             "tess copy winds.b2nd packed.b2nd --dtype '<i2' --pack 0.01,5 --missing -32768 "
             "--misfit saturate"},
            {"and back", "tess copy winds.b2nd unpacked.b2nd --unpack"},
            {"means of 4x4 places", "tess copy winds.b2nd coarse.b2nd --downsample 1x4x4:mean"},
            {"a pyramid for a viewer",
             "tess copy winds.b2nd pyramid --downsample 1x2x2:max --levels 3"},
            {0},
        },
    .run = run_copy,
};
