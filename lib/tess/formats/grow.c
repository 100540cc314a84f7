/*
 * grow.c - an array that grows by the items of an input.
 *
 * The array grows first; then the items are written box by box, along the borders of its chunks.
 * Those of another array with the same items that come behind the end go through the library, which
 * copies stored chunks where it can. Where attributes give items another meaning, they are
 * converted (input_adapt.c). Much of it is committed before the end. So whatever fails, a signal
 * that asks to end included, the array gets its shape back, while no other program may write it.
 */
#include "formats/grow.h"

#include "data/axis.h"
#include "data/box_walk.h"
#include "data/open.h"
#include "formats/input.h"
#include "formats/source.h"
#include "options.h"
#include "report.h"
#include "signals.h"
#include "text/change.h"
#include "text/text.h"
#include "text/work.h"

#include <tessera/array.h>

#include <inttypes.h>
#include <string.h>

struct growth {
    const struct arguments *args;
    const char *path, *in_name;
    tess_array *array;
    tess_store *store; // that it is in, or NULL
    tess_info before;
    int axis;
    int64_t at; // index of the first new item

    struct input in; // may be the array itself

    const char *about;
};

// -- where the items come from, and where they go

static tess_status
open_input(struct growth *job, tess_error *err)
{
    const char *const *const values = job->args->values;

    if (values[OPT_DTYPE] || values[OPT_SHAPE] || !input_is_same_file(job->path, job->in_name))
        return input_open(&job->in, job->in_name, job->args, err);
    input_borrow(&job->in, job->array);
    return TESS_OK;
}

static tess_status
parse_at(struct growth *job, bool at_end, tess_error *err)
{
    const char *const text = job->args->values[OPT_AT];
    const int64_t length = job->before.shape[job->axis];

    job->at = length;
    if (at_end)
        return TESS_OK;
    if (!text)
        return report_set(err, TESS_ERR_ARG, "--at is missing");
    if (!text_int64(text, &job->at))
        return report_set(err, TESS_ERR_ARG, "--at %s: not a number", text);
    if (job->at < -length || job->at > length)
        return report_set(err, TESS_ERR_ARG, "--at %" PRId64 ": axis %d has %" PRId64 " items",
                          job->at, job->axis, length);
    job->at += job->at < 0 ? length : 0;
    return TESS_OK;
}

static tess_status
check_shapes(const struct growth *job, tess_error *err)
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

// -- the items

// Those of the input from one index of the axis to another.
struct piece {
    struct growth *job;
    int64_t from, to; // in the input as it was
    int64_t moved; // if the input is the array: by how many indices they have moved in it
};

static tess_status
copy_box(const struct box_walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    const struct piece *const piece = user;
    struct growth *const job = piece->job;
    const size_t size = (size_t)(w->items * job->in.typesize);
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    tess_status st = TESS_OK;

    memcpy(start, w->start, sizeof start);
    memcpy(stop, w->stop, sizeof stop);
    start[job->axis] += piece->from + piece->moved;
    stop[job->axis] += piece->from + piece->moved;
    job->about = job->in_name;
    TRY(input_read(&job->in, start, stop, buffer, size, err));
    job->about = job->path;
    start[job->axis] += job->at - piece->moved;
    stop[job->axis] += job->at - piece->moved;
    TRY(input_write(&job->in, job->array, start, stop, buffer, size, NULL, err));
    if (signals_came())
        return report_set(err, TESS_ERR_CANCELLED, "interrupted");
out:
    return st;
}

static tess_status
copy_piece(struct growth *job, int64_t from, int64_t to, int64_t moved, tess_error *err)
{
    struct piece piece = {.job = job, .from = from, .to = to, .moved = moved};
    int64_t skew[TESS_MAX_NDIM] = {0}, shape[TESS_MAX_NDIM];

    memcpy(shape, job->in.shape, sizeof shape);
    shape[job->axis] = to - from;
    skew[job->axis] = (job->at + from) % job->before.chunkshape[job->axis];
    return box_walk_run(&(struct box_walk_plan){.ndim = job->in.ndim,
                                                .shape = shape,
                                                .grain = job->before.chunkshape,
                                                .skew = skew,
                                                .order = job->in.order,
                                                .array = job->array},
                        job->in.typesize, copy_box, &piece, err);
}

static tess_status
copy_boxes(struct growth *job, tess_error *err)
{
    const int64_t count = job->in.shape[job->axis];
    int64_t longer[TESS_MAX_NDIM], position[TESS_MAX_NDIM] = {0};
    tess_status st = TESS_OK;

    memcpy(longer, job->before.shape, sizeof longer);
    longer[job->axis] += count;
    position[job->axis] = job->at;
    TRY(tess_array_resize_at(job->array, longer, position, err));
    if (job->in.borrowed) { // what was behind the new items has moved
        TRY(copy_piece(job, 0, job->at, 0, err));
        TRY(copy_piece(job, job->at, count, count, err));
    } else {
        TRY(copy_piece(job, 0, count, 0, err));
    }
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
is_as_before(const struct growth *job)
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
undo(struct growth *job, tess_error *err)
{
    int64_t position[TESS_MAX_NDIM] = {0};

    (void)work_status(err->status, err);
    const tess_error first = *err;
    tess_error second;

    tess_info now;
    tess_array_info(job->array, &now);
    position[job->axis] = job->at;
    tess_status st = TESS_OK;
    if (now.shape[job->axis] != job->before.shape[job->axis])
        st = tess_array_resize_at(job->array, job->before.shape, position, &second);
    if (st == TESS_OK) {
        st = tess_array_close(job->array, &second); // the file is shortened, too
        job->array = NULL;
    }
    if (st == TESS_OK || is_as_before(job))
        return first.status;
    return report_set(err, first.status,
                      "%.200s; some was added, and taking it away failed, too: %.200s",
                      first.message, second.message);
}

static tess_status
grow(struct growth *job, bool at_end, tess_error *err)
{
    struct work work;
    const bool whole = // by one call of the library
        at_end && job->in.array && !job->in.swapped && !job->in.converted;
    tess_status st;

    job->about = job->path;
    work_begin(&work, whole ? WORK_CANCELS : WORK_CANCELS_STEP);
    work_follow_array(&work, job->array);
    st = whole ? tess_array_append_array(job->array, job->axis, job->in.array, err)
               : copy_boxes(job, err);
    if (st == TESS_OK)
        st = tess_array_flush(job->array, err);
    work_end(&work);
    return st == TESS_OK ? st : undo(job, err);
}

int
grow_run(const struct arguments *args, bool at_end)
{
    struct growth job = {.args = args, .path = args->words[0], .in_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_info after;
    tess_error err;

    job.about = job.path;
    TRY(open_array_to_change(job.path, args, &job.array, &job.store, &err));
    tess_array_info(job.array, &job.before);
    TRY(axis_parse(args->values[OPT_AXIS], job.before.ndim, &job.axis, &err));
    TRY(parse_at(&job, at_end, &err));
    job.about = job.in_name;
    TRY(open_input(&job, &err));
    TRY(input_match(&job.in, &job.before, &err));
    TRY(input_adapt(&job.in, job.array, &job.before, TESS_MISFIT_ERROR, &err));
    TRY(check_shapes(&job, &err));
    TRY(grow(&job, at_end, &err));
    tess_array_info(job.array, &after);
    change_print(args, &job.before, &after);
out:
    input_close(&job.in);
    st = open_close_changed(job.array, job.store, st, &err);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}
