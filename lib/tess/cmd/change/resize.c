/*
 * resize.c - tess resize: an array of another shape in the same place.
 */
#include "commands.h"
#include "data/open.h"
#include "data/shapes.h"
#include "options.h"
#include "report.h"
#include "text/change.h"
#include "text/work.h"

static tess_status
parse_shape(const char *text, const tess_info *info, int64_t *shape, tess_error *err)
{
    int ndim;

    const tess_status st = shapes_parse("", text, &ndim, shape, err);
    if (st != TESS_OK)
        return st;
    if (ndim != info->ndim)
        return report_set(err, TESS_ERR_ARG, "%s: the array has %d dimensions, this shape %d", text,
                          info->ndim, ndim);
    return TESS_OK;
}

static tess_status
resize(tess_array *a, const int64_t *shape, tess_error *err)
{
    struct work work;
    tess_status st = TESS_OK;

    work_begin(&work, WORK_CANCELS);
    work_follow_array(&work, a);
    TRY(tess_array_resize(a, shape, err));
    TRY(tess_array_flush(a, err));
out:
    work_end(&work);
    return work_status(st, err);
}

static int
run_resize(const struct arguments *args)
{
    int64_t shape[TESS_MAX_NDIM];
    tess_info before, after;
    tess_array *a = NULL;
    tess_store *store = NULL;
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_array_to_change(args->words[0], args, &a, &store, &err));
    tess_array_info(a, &before);
    TRY(parse_shape(args->words[1], &before, shape, &err));
    TRY(resize(a, shape, &err));
    tess_array_info(a, &after);
    change_print(args, &before, &after);
out:
    st = open_close_changed(a, store, st, &err);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(args->words[0], &err);
}

const struct command cmd_resize = {
    .name = "resize",
    .purpose = "make axes longer or shorter at their ends",
    .words = "PATH SHAPE",
    .nwords = 2,
    .options = OPTIONS(OPT_JSON, OPT_THREADS),
    .details = "Prints the new shape and the one before. New items are the fill value that the\n"
               "array was made with, or zero; items outside the new shape are gone. Chunks keep\n"
               "their shape. The number of dimensions cannot change.\n",
    .examples =
        (const struct example[]){
            {"room for two years of months", "tess resize winds.b2nd 24x73x144"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"shape", "integers", "items along each axis"},
            {"shape_before", "integers", "what it was before"},
            {0},
        },
    .run = run_resize,
};
