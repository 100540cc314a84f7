/*
 * set.c - tess set: one value, or those of a file, for the items of a slice.
 *
 * A value, and items that fit into a buffer, are one call of the library, which changes all or
 * nothing. Otherwise box after box is written, and some of it is committed on the way: then the old
 * items are kept in a file beside the array, from which they come back after a failure or a signal.
 */
#include "commands.h"
#include "data/box_walk.h"
#include "data/open.h"
#include "data/output.h"
#include "data/picked/part.h"
#include "data/picked/picked.h"
#include "data/picked/select.h"
#include "data/strided.h"
#include "formats/input.h"
#include "formats/source.h"
#include "help/values.h"
#include "options.h"
#include "report.h"
#include "signals.h"
#include "text/items/item.h"
#include "text/items/item_parse.h"
#include "text/names.h"
#include "text/work.h"

#include <tessera/convert.h>
#include <tessera/copy.h>
#include <tessera/slice.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct set {
    const struct arguments *args;
    const char *path, *in_name;
    tess_array *array; // a view of what is selected, where items come from a file
    struct picked field; // of --field
    tess_info info; // of the field, if there is one
    struct slice_range sel;

    struct input in;
    const char *in_dtype; // NULL: of the array's type, and read in its byte order
    tess_conversion how;

    tess_store *store; // that it is in, or NULL
    tess_array *old; // the items before, or NULL
    struct output old_file;
    const char *about;
};

// -- a value

// Of the array, or of its field.
static tess_status
fill(struct set *job, const uint8_t *item, tess_error *err)
{
    const struct slice_range *const sel = &job->sel;
    int64_t stop[TESS_MAX_NDIM];
    struct work work;
    tess_status st = TESS_OK;

    select_stop(sel, stop);
    work_begin(&work, WORK_CANCELS);
    work_follow_array(&work, job->array);
    if (job->field.dtype)
        TRY(picked_fill(&job->field, job->array, sel, item, err));
    else
        TRY(tess_array_fill(job->array, sel->start, stop, sel->step, item,
                            (size_t)job->info.typesize, err));
    TRY(tess_array_flush(job->array, err));
out:
    work_end(&work);
    return work_status(st, err);
}

static tess_status
set_value(struct set *job, const char *text, tess_error *err)
{
    const char *const field = job->args->values[OPT_FIELD];
    struct item_format format;
    uint8_t *const item = malloc((size_t)job->info.typesize);

    if (!item)
        return report_nomem(err, job->info.typesize);
    item_format_init(&format, job->info.dtype, job->info.typesize);
    tess_status st = item_parse(&format, text, item, err);
    if (st == TESS_OK) {
        st = fill(job, item, err);
    } else if (field) {
        const tess_error reason = *err;

        st = report_set(err, st, "--field %.100s: %s", field, reason.message);
    }
    item_format_finish(&format);
    free(item);
    return st;
}

// -- items of a file: whether they fit

// Of the type of the array, or numbers that the library converts.
static tess_status
match_types(struct set *job, tess_error *err)
{
    const tess_status st = input_match(&job->in, &job->info, err);

    if (st == TESS_OK || !job->in.dtype || !job->info.dtype)
        return st;
    const tess_kind a = tess_dtype_parse(job->in.dtype).kind;
    const tess_kind b = tess_dtype_parse(job->info.dtype).kind;
    if (!strchr("biufcMm", (char)a) || !strchr("biufcMm", (char)b) || a == TESS_KIND_OPAQUE ||
        b == TESS_KIND_OPAQUE)
        return st;
    job->in_dtype = job->in.dtype;
    return TESS_OK;
}

// As NumPy broadcasts: axes from the last on are as long as those selected, or 1.
static tess_status
match_shapes(const struct set *job, tess_error *err)
{
    const struct slice_range *const sel = &job->sel;
    const int more = job->in.ndim - sel->out_ndim;

    for (int i = 0; i < job->in.ndim; i++) {
        const int64_t length = job->in.shape[i];

        if (length == 1 || (i >= more && length == sel->out_shape[i - more]))
            continue;
        if (i < more)
            return report_set(err, TESS_ERR_ARG, "%d dimensions, %d are selected", job->in.ndim,
                              sel->out_ndim);
        return report_set(err, TESS_ERR_ARG, "axis %d: %" PRId64 " items, %" PRId64 " are selected",
                          i, length, sel->out_shape[i - more]);
    }
    return TESS_OK;
}

// -- items of a file: all of them at once

static int64_t
count_items(int ndim, const int64_t *shape)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(n, shape[i], &n))
            return INT64_MAX;
    return n;
}

// Writes items to a box of what is selected. strides NULL: in C order.
static tess_status
write_items(struct set *job, const int64_t *start, const int64_t *stop, const void *items,
            size_t size, const int64_t *strides, tess_error *err)
{
    if (job->in_dtype && !job->in.converted)
        return tess_array_write_as(job->array, start, stop, job->in_dtype, &job->how, items, size,
                                   strides, err);
    return input_write(&job->in, job->array, start, stop, items, size, strides, err);
}

static tess_status
read_all(struct set *job, uint8_t *items, size_t size, tess_error *err)
{
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    tess_status st = TESS_OK;

    job->about = job->in_name;
    if (size > 0)
        TRY(input_read(&job->in, zeros, job->in.shape, items, size, err));
    if (job->in.source)
        TRY(source_finish(job->in.source, err));
    job->about = job->path;
out:
    return st;
}

static tess_status
set_at_once(struct set *job, size_t size, tess_error *err)
{
    const struct slice_range *const sel = &job->sel;
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    const int less = sel->out_ndim - job->in.ndim;
    int64_t strides[TESS_MAX_NDIM] = {0}, in_strides[TESS_MAX_NDIM];
    uint8_t *const items = malloc(size > 0 ? size : 1);
    tess_status st = TESS_OK;
    struct work work;

    if (!items)
        return report_nomem(err, (int64_t)size);
    st = read_all(job, items, size, err);
    work_begin(&work, WORK_CANCELS);
    work_follow_array(&work, job->array);
    TRY(st);
    strided_c_order(job->in.ndim, job->in.shape, (size_t)job->in.typesize, in_strides);
    for (int i = less > 0 ? less : 0; i < sel->out_ndim; i++)
        strides[i] = job->in.shape[i - less] > 1 ? in_strides[i - less] : 0;
    if (count_items(sel->out_ndim, sel->out_shape) > 0)
        TRY(write_items(job, zeros, sel->out_shape, items, size, strides, err));
    TRY(tess_array_flush(job->array, err));
out:
    work_end(&work);
    free(items);
    return work_status(st, err);
}

// -- items of a file: box by box

static tess_status
keep_old(struct set *job, tess_error *err)
{
    tess_status st = TESS_OK;
    tess_context context;
    tess_storage storage;
    tess_params params;

    TRY(open_context(job->args, &context, err));
    TRY(output_open(&job->old_file, job->path, OUTPUT_FILE, true, err));
    open_storage_to_make(job->old_file.temporary, &context, &storage);
    tess_array_params(job->array, &params);
    params.layout = TESS_LAYOUT_CONTIGUOUS;
    TRY(tess_array_copy(job->array, &storage, &params, &job->old, err));
out:
    return st;
}

static tess_status
write_box(const struct box_walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    struct set *const job = user;
    const size_t size = (size_t)(w->items * job->in.typesize);
    tess_status st = TESS_OK;

    job->about = job->in_name;
    TRY(input_read(&job->in, w->start, w->stop, buffer, size, err));
    job->about = job->path;
    TRY(write_items(job, w->start, w->stop, buffer, size, NULL, err));
    if (signals_came())
        st = report_set(err, TESS_ERR_CANCELLED, "interrupted");
out:
    return st;
}

static tess_status
restore_box(const struct box_walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    const struct set *const job = user;
    const size_t size = (size_t)(w->items * job->info.typesize);
    tess_status st = TESS_OK;

    TRY(tess_array_read(job->old, w->start, w->stop, buffer, size, err));
    TRY(tess_array_write(job->array, w->start, w->stop, buffer, size, err));
out:
    return st;
}

static tess_status
walk_selected(struct set *job, box_walk_visit_fn *visit, enum box_walk_order order,
              int32_t typesize, tess_error *err)
{
    tess_info info; // of the view

    tess_array_info(job->array, &info);
    return box_walk_run(
        &(struct box_walk_plan){
            .ndim = info.ndim,
            .shape = info.shape,
            .grain = info.chunkshape,
            .order = order,
            // items that are put back after a signal are not followed: it would cancel that, too
            .array = visit == write_box ? job->array : NULL},
        typesize, visit, job, err);
}

// After a failure, which *err describes: the items as they were, or words that say that some are
// not.
static tess_status
restore(struct set *job, tess_error *err)
{
    const tess_error first = *err;
    tess_error second;

    tess_status st = walk_selected(job, restore_box, BOX_WALK_C, job->info.typesize, &second);
    if (st == TESS_OK) {
        st = tess_array_close(job->array, &second); // the file is shortened, too
        job->array = NULL;
    }
    if (st == TESS_OK)
        return first.status;
    return report_set(err, first.status,
                      "%.200s; some items were set, and setting them back failed, too: %.200s",
                      first.message, second.message);
}

static tess_status
set_box_by_box(struct set *job, tess_error *err)
{
    struct work work;
    tess_status st = TESS_OK;

    if (job->in.ndim != job->sel.out_ndim ||
        memcmp(job->in.shape, job->sel.out_shape, (size_t)job->in.ndim * sizeof(int64_t)) != 0)
        return report_set(err, TESS_ERR_LIMIT,
                          "so many items are not repeated along axes; FILE needs the shape of what "
                          "is selected");
    if (input_is_same_file(job->path, job->in_name))
        return report_set(err, TESS_ERR_ARG, "FILE is the array itself: copy it first");
    TRY(keep_old(job, err));
    work_begin(&work, WORK_CANCELS_STEP); // box_walk_run() has the bar
    work_follow_array(&work, job->array);
    st = walk_selected(job, write_box, job->in.order, job->in.typesize, err);
    if (st == TESS_OK && job->in.source) {
        job->about = job->in_name;
        st = source_finish(job->in.source, err);
    }
    if (st == TESS_OK)
        st = tess_array_flush(job->array, err);
    work_end(&work);
    st = work_status(st, err);
    if (st != TESS_OK)
        st = restore(job, err);
out:
    return st;
}

static tess_status
parse_misfit(struct set *job, tess_error *err)
{
    const char *const text = job->args->values[OPT_MISFIT];

    tess_conversion_init(&job->how);
    if (text && !names_value(names_misfit, text, &job->how.misfit))
        return values_refuse(OPT_MISFIT, text, text, err);
    return TESS_OK;
}

static tess_status
set_from_file(struct set *job, tess_error *err)
{
    int64_t size = 0;
    tess_status st = TESS_OK;

    TRY(parse_misfit(job, err));
    job->about = job->in_name;
    TRY(input_open(&job->in, job->in_name, job->args, err));
    TRY(match_types(job, err));
    TRY(input_adapt(&job->in, job->array, &job->info, job->how.misfit, err));
    TRY(match_shapes(job, err));
    job->about = job->path;
    TRY(part_view(&job->array, &job->sel, NULL, err));
    const int64_t items = count_items(job->in.ndim, job->in.shape);
    if (!__builtin_mul_overflow(items, job->in.typesize, &size) && size <= BOX_WALK_BYTES)
        TRY(set_at_once(job, (size_t)size, err));
    else
        TRY(set_box_by_box(job, err));
out:
    return st;
}

static int
run_set(const struct arguments *args)
{
    const char *const value = arguments_word(args, 2);
    struct set job = {.args = args, .path = args->words[0], .in_name = args->values[OPT_FROM]};
    tess_status st = TESS_OK;
    tess_error err;

    job.about = job.path;
    if (!value == !job.in_name) {
        st = report_set(&err, TESS_ERR_ARG,
                        value ? "VALUE and --from exclude each other"
                              : "VALUE is missing, or --from FILE");
        goto out;
    }
    if (job.in_name && args->values[OPT_FIELD]) {
        st = report_set(&err, TESS_ERR_ARG, "--field takes a VALUE, not --from");
        goto out;
    }
    TRY(open_array_to_change(job.path, args, &job.array, &job.store, &err));
    TRY(picked_init(&job.field, job.array, args->values[OPT_FIELD], &err));
    job.info = job.field.info;
    TRY(select_parse(args->words[1], job.info.ndim, job.info.shape, &job.sel, &err));
    TRY(value ? set_value(&job, value, &err) : set_from_file(&job, &err));
out:
    tess_array_discard(job.old);
    output_close(&job.old_file);
    input_close(&job.in);
    picked_finish(&job.field);
    st = open_close_changed(job.array, job.store, st, &err);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}

const struct command cmd_set = {
    .name = "set",
    .purpose = "give items of an array other values",
    .words = "PATH EXPR [VALUE]",
    .nwords = 2,
    .nwords_more = 1,
    .options =
        OPTIONS(OPT_FIELD, OPT_FROM, OPT_MISFIT, OPT_DTYPE, OPT_SHAPE, OPT_UNCHECKED, OPT_THREADS),
    .details =
        "EXPR selects as in tess slice: 0:10,5,...,::-2; ... alone is the whole array. VALUE is\n"
        "written as tess slice prints it: numbers, nan, inf, True, 1+2j, 2024-01-31T12:00, NaT;\n"
        "strings without quotes; structures as (1, 2.5, \"ab\"), sub-arrays in them as [1, 2],\n"
        "or in hexadecimal. With --field, VALUE is for this field of the items, the others stay;\n"
        "the axes that EXPR selects along are those of the array and of its sub-arrays, as in\n"
        "tess slice. A VALUE or EXPR that begins with - and is no number comes after --.\n"
        "FILE is another array, or what tess import reads; its shape is that of what is selected,\n"
        "or repeats along axes as in NumPy. Its items are of the same type, or numbers that are\n"
        "converted: see --misfit. Where attributes of FILE (_FillValue, missing_value, valid_*,\n"
        "scale_factor, add_offset) differ from those of the array, missing values become missing\n"
        "ones and packed numbers are packed anew, or FILE is refused; items of a FILE without any\n"
        "are as the array stores them, but for floats in packed integers. If it fails, or is "
        "interrupted, the items are as they were.\n",
    .examples =
        (const struct example[]){
            {"one item", "tess set winds.b2nd 0,36,72 1.5"},
            {"a structure", "tess set stations.b2nd 0,0 '(10384, (3.5, 180))'"},
            {"one field of some structures", "tess set stations.b2nd 1:3 0 --field wind.speed"},
            {"no value in a corner of all months", "tess set winds.b2nd :,:10,:10 nan"},
            {"the second month again", "tess set winds.b2nd 1:2 --from february.npy"},
            {"a series of measurements, of another program",
             "cat more.raw | tess set log.b2nd : --from - --dtype '<f8' --shape 1000"},
            {0},
        },
    .run = run_set,
};
