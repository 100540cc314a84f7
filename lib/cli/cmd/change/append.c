/*
 * append.c - tess append: more items along one axis.
 *
 * The array grows first; then the items are written box by box, along the borders of its chunks.
 * Those of another array with the same items go through the library, which copies stored chunks
 * where it can. Much of it is committed before the end. So whatever fails, a signal that asks to
 * end included, the array gets its shape back, while no other program may write it.
 */
#include "base/swap.h"
#include "cli/commands.h"
#include "cli/data/compare.h"
#include "cli/data/open.h"
#include "cli/data/walk.h"
#include "cli/formats/input.h"
#include "cli/formats/source.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "cli/text/change.h"
#include "cli/text/item.h"
#include "cli/text/progress.h"
#include "cli/text/text.h"

#include <tessera/array.h>

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

struct append {
    const struct arguments *args;
    const char *path, *in_name;
    tess_array *array;
    tess_info before;
    int axis;

    struct input in; // may be the array itself
    int32_t swapped; // bytes of the words whose bytes change places; 0: none do

    struct progress progress;
    const char *about;
};

// -- where the items come from

static bool
is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static tess_status
open_input(struct append *job, tess_error *err)
{
    const char *const *const values = job->args->values;

    if (values[OPT_DTYPE] || values[OPT_SHAPE] || !is_same_file(job->path, job->in_name))
        return input_open(&job->in, job->in_name, job->args, err);
    input_borrow(&job->in, job->array);
    return TESS_OK;
}

// -- whether they fit

static tess_status
parse_axis(struct append *job, tess_error *err)
{
    const char *const text = job->args->values[OPT_AXIS];
    const int ndim = job->before.ndim;
    int64_t axis = 0;

    if (text && !text_int64(text, &axis))
        return report_set(err, TESS_ERR_ARG, "--axis %s: not a number", text);
    if (axis < -ndim || axis >= ndim)
        return report_set(err, TESS_ERR_ARG, "--axis %" PRId64 ": the array has %d dimensions",
                          axis, ndim);
    job->axis = (int)(axis < 0 ? axis + ndim : axis);
    return TESS_OK;
}

static tess_status
check_types(struct append *job, tess_error *err)
{
    const tess_info *const info = &job->before;
    struct comparison types;

    if (!compare_init(&types, info->dtype, info->typesize, job->in.dtype, job->in.typesize))
        return report_set(err, TESS_ERR_ARG,
                          "items of type %.100s, %" PRId32 " bytes; those of the array are %.100s, "
                          "%" PRId32 " bytes",
                          job->in.dtype ? job->in.dtype : "unknown", job->in.typesize,
                          info->dtype ? info->dtype : "unknown", info->typesize);
    if (types.a.type.order == types.b.type.order || types.a.type.kind == TESS_KIND_OPAQUE)
        return TESS_OK;
    job->swapped = item_word_size(&types.a.type);
    return TESS_OK;
}

static tess_status
check_shapes(const struct append *job, tess_error *err)
{
    const tess_info *const info = &job->before;

    if (job->in.ndim != info->ndim)
        return report_set(err, TESS_ERR_ARG, "%d dimensions, the array has %d", job->in.ndim,
                          info->ndim);
    for (int i = 0; i < job->in.ndim; i++)
        if (i != job->axis && job->in.shape[i] != info->shape[i])
            return report_set(err, TESS_ERR_ARG,
                              "axis %d: %" PRId64 " items, the array has %" PRId64, i,
                              job->in.shape[i], info->shape[i]);
    if (job->in.shape[job->axis] > INT64_MAX - info->shape[job->axis])
        return report_set(err, TESS_ERR_LIMIT, "axis %d would have 2^63 items or more", job->axis);
    return TESS_OK;
}

// Of calls that move all items the bar tells, too. A tess_progress_fn.
static bool
hear(int64_t done, int64_t total, void *user)
{
    struct append *const job = user;

    if (job->in.array && !job->swapped)
        (void)progress_hear(done, total, &job->progress);
    return !signals_came();
}

// -- the items

static tess_status
copy_box(const struct walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    struct append *const job = user;
    const size_t size = (size_t)(w->items * job->in.typesize);
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    tess_status st = TESS_OK;

    job->about = job->in_name;
    TRY(input_read(&job->in, w->start, w->stop, buffer, size, err));
    job->about = job->path;
    if (job->swapped)
        swap_bytes(buffer, size, (size_t)job->swapped);
    memcpy(start, w->start, sizeof start);
    memcpy(stop, w->stop, sizeof stop);
    start[job->axis] += job->before.shape[job->axis];
    stop[job->axis] += job->before.shape[job->axis];
    TRY(tess_array_write(job->array, start, stop, buffer, size, err));
    if (signals_came())
        return report_set(err, TESS_ERR_CANCELLED, "interrupted");
out:
    return st;
}

static tess_status
copy_boxes(struct append *job, tess_error *err)
{
    int64_t skew[TESS_MAX_NDIM] = {0}, longer[TESS_MAX_NDIM];
    tess_status st = TESS_OK;

    memcpy(longer, job->before.shape, sizeof longer);
    longer[job->axis] += job->in.shape[job->axis];
    skew[job->axis] = job->before.shape[job->axis] % job->before.chunkshape[job->axis];
    TRY(tess_array_resize(job->array, longer, err));
    TRY(walk_run(&(struct walk_plan){.ndim = job->in.ndim,
                                     .shape = job->in.shape,
                                     .grain = job->before.chunkshape,
                                     .skew = skew,
                                     .order = job->in.order},
                 job->in.typesize, copy_box, job, err));
    if (job->in.source) {
        job->about = job->in_name;
        TRY(source_finish(job->in.source, err));
        job->about = job->path;
    }
out:
    return st;
}

// Whether the file has the shape that it had.
static bool
is_as_before(const struct append *job)
{
    tess_array *a = NULL;
    tess_info info = {0};
    tess_error ignored;

    if (open_array(job->path, job->args, &a, &ignored) == TESS_OK)
        tess_array_info(a, &info);
    tess_array_discard(a);
    return info.ndim == job->before.ndim &&
           memcmp(info.shape, job->before.shape, (size_t)info.ndim * sizeof info.shape[0]) == 0;
}

// After a failure, which *err describes: the array as it was, or words that say that it is not.
static tess_status
undo(struct append *job, tess_error *err)
{
    if (err->status == TESS_ERR_CANCELLED)
        (void)report_set(err, TESS_ERR_CANCELLED, "interrupted");
    const tess_error first = *err;
    tess_error second;

    progress_set(job->array, NULL, NULL);
    tess_status st = tess_array_resize(job->array, job->before.shape, &second);
    if (st == TESS_OK)
        st = tess_array_flush(job->array, &second);
    if (st == TESS_OK || is_as_before(job))
        return first.status;
    return report_set(err, first.status,
                      "%.200s; some was appended, and taking it away failed, too: %.200s",
                      first.message, second.message);
}

static tess_status
append(struct append *job, tess_error *err)
{
    const bool whole = job->in.array && !job->swapped;
    tess_status st;

    job->about = job->path;
    progress_begin(&job->progress, 1);
    signals_note();
    progress_set(job->array, hear, job);
    st = whole ? tess_array_append_array(job->array, job->axis, job->in.array, err)
               : copy_boxes(job, err);
    if (st == TESS_OK)
        st = tess_array_flush(job->array, err);
    progress_end(&job->progress);
    return st == TESS_OK ? st : undo(job, err);
}

static int
run_append(const struct arguments *args)
{
    struct append job = {.args = args, .path = args->words[0], .in_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_info after;
    tess_error err;

    job.about = job.path;
    TRY(open_array_to_change(job.path, args, &job.array, &err));
    tess_array_info(job.array, &job.before);
    TRY(parse_axis(&job, &err));
    job.about = job.in_name;
    TRY(open_input(&job, &err));
    TRY(check_types(&job, &err));
    TRY(check_shapes(&job, &err));
    TRY(append(&job, &err));
    tess_array_info(job.array, &after);
    change_print(args, &job.before, &after);
out:
    input_close(&job.in);
    tess_array_discard(job.array); // its changes are committed
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}

const struct command cmd_append = {
    .name = "append",
    .purpose = "add items at the end of an axis",
    .words = "PATH IN",
    .nwords = 2,
    .options = OPT_BIT(OPT_AXIS) | OPT_BIT(OPT_DTYPE) | OPT_BIT(OPT_SHAPE) | OPT_BIT(OPT_JSON) |
               OPT_BIT(OPT_THREADS),
    .details =
        "IN is another array, or what tess import reads: name.npy, file.npz, file.nc:variable,\n"
        "file.h5:/dataset, or with --dtype and --shape raw items; - is standard input. It has\n"
        "the same type, in either byte order, and the same shape in all other axes. Prints\n"
        "the new shape and the one before. If it fails, or is interrupted, the array is as it\n"
        "was; tess compact gives back what its file may have grown by.\n",
    .examples =
        (const struct example[]){
            {"another month", "tess append winds.b2nd february.npy"},
            {"more columns, of another array", "tess append winds.b2nd east.b2nd --axis -1"},
            {"raw items", "tess append log.b2nd more.raw --dtype '<f8' --shape 1000"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"shape", "integers", "items along each axis"},
            {"shape_before", "integers", "what it was before"},
            {0},
        },
    .run = run_append,
};
