/*
 * delete.c - tess delete: items of one axis go away.
 *
 * It is one call of the library, in one commit; a signal cancels it.
 */
#include "commands.h"
#include "data/axis.h"
#include "data/open.h"
#include "data/picked/select.h"
#include "options.h"
#include "report.h"
#include "text/change.h"
#include "text/work.h"

// RANGE: one index, or start:stop, as in a slice of that axis alone.
static tess_status
parse_range(const char *text, const tess_info *info, int axis, struct slice_range *range,
            tess_error *err)
{
    const tess_status st = select_parse(text, 1, &info->shape[axis], range, err);

    if (st == TESS_OK && range->step[0] != 1)
        return report_set(err, TESS_ERR_ARG, "%s: a range of items without a step between them",
                          text);
    return st;
}

static tess_status
delete_range(tess_array *a, int axis, const struct slice_range *range, tess_error *err)
{
    struct work work;
    tess_status st = TESS_OK;

    work_begin(&work, WORK_CANCELS);
    work_follow_array(&work, a);
    TRY(tess_array_delete(a, axis, range->start[0], range->start[0] + range->count[0], err));
    TRY(tess_array_flush(a, err));
out:
    work_end(&work);
    return work_status(st, err);
}

static int
run_delete(const struct arguments *args)
{
    tess_info before, after;
    struct slice_range range;
    tess_array *a = NULL;
    tess_store *store = NULL;
    tess_status st = TESS_OK;
    tess_error err;
    int axis = 0;

    TRY(open_array_to_change(args->words[0], args, &a, &store, &err));
    tess_array_info(a, &before);
    TRY(axis_parse(args->values[OPT_AXIS], before.ndim, &axis, &err));
    TRY(parse_range(args->words[1], &before, axis, &range, &err));
    TRY(delete_range(a, axis, &range, &err));
    tess_array_info(a, &after);
    change_print(args, &before, &after);
out:
    st = open_close_changed(a, store, st, &err);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(args->words[0], &err);
}

const struct command cmd_delete = {
    .name = "delete",
    .purpose = "remove items of an axis; those behind them move",
    .words = "PATH RANGE",
    .nwords = 2,
    .options = OPTIONS(OPT_AXIS, OPT_JSON, OPT_THREADS),
    .details =
        "RANGE is start:stop, or one index; negative ones count from the end. Where start and\n"
        "stop are multiples of the length of a chunk, chunks get other numbers and are not\n"
        "decoded; otherwise all items behind them are written anew. Prints the new shape and the\n"
        "one before. If it fails, or is interrupted, the array is as it was.\n",
    .examples =
        (const struct example[]){
            {"the first month", "tess delete winds.b2nd 0"},
            {"all but nine columns", "tess delete winds.b2nd 9: --axis -1"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"shape", "integers", "items along each axis"},
            {"shape_before", "integers", "what it was before"},
            {0},
        },
    .run = run_delete,
};
