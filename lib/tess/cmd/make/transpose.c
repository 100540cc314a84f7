/*
 * transpose.c - tess transpose: an array with its axes in another order.
 */
#include "commands.h"
#include "data/axis.h"
#include "data/open.h"
#include "data/params.h"
#include "data/picked/part.h"
#include "data/shapes.h"
#include "data/target.h"
#include "options.h"
#include "report.h"

#include <tessera/copy.h>
#include <tessera/view.h>

// *a becomes a view of it.
static tess_status
permute(tess_array **a, const char *text, tess_error *err)
{
    int axes[TESS_MAX_NDIM], naxes = 0;
    tess_array *view = NULL;
    tess_info info;
    tess_status st = TESS_OK;

    tess_array_info(*a, &info);
    if (text) {
        TRY(axis_parse_list("--axes", text, info.ndim, axes, &naxes, err));
        if (naxes != info.ndim)
            return report_set(err, TESS_ERR_ARG, "--axes %s: %d axes, the array has %d", text,
                              naxes, info.ndim);
    }
    TRY(tess_array_view_permute(*a, text ? axes : NULL, &view, err));
    part_look_through(a, view);
out:
    return st;
}

static tess_status
write_out(const tess_array *a, const char *out_name, bool reshaped, const struct arguments *args,
          tess_error *err)
{
    struct target target = {0};
    tess_status st = TESS_OK;
    tess_params params;

    tess_array_params(a, &params);
    shapes_adapt(&params, reshaped, args);
    TRY(params_set(&params, args, err));
    TRY(target_open(&target, out_name, params.layout, args, err));
    target_follow(&target);
    TRY(tess_array_copy(a, &target.storage, &params, NULL, err));
    TRY(target_publish(&target, NULL, err));
out:
    target_close(&target);
    return st;
}

static int
run_transpose(const struct arguments *args)
{
    const char *about = args->words[0];
    bool reshaped = false;
    tess_array *a = NULL;
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_array(about, args, &a, &err));
    TRY(part_view_expr(&a, args->values[OPT_SLICE], &reshaped, &err));
    TRY(permute(&a, args->values[OPT_ORDER], &err));
    st = write_out(a, args->words[1], reshaped, args, &err);
    if (st != TESS_ERR_CORRUPT && st != TESS_ERR_STALE)
        about = args->words[1];
out:
    tess_array_discard(a);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(about, &err);
}

const struct command cmd_transpose = {
    .name = "transpose",
    .purpose = "copy an array, or a part of it, with its axes in another order",
    .words = "PATH OUT",
    .nwords = 2,
    .options = OPTIONS(OPTS_LAYOUT, OPT_ORDER, OPT_SLICE, OPT_OFFSET, OPT_UNCHECKED, OPT_FORCE,
                       OPT_THREADS),
    .details =
        "Chunks and blocks are turned, too. Attributes, metalayers and fill value go with the\n"
        "items; the names of dimensions in _ARRAY_DIMENSIONS are put in the new order of the "
        "axes.\n"
        "With --slice, the axes are those that it leaves. OUT appears when it is complete, and may "
        "with --force be\n"
        "PATH.\n",
    .examples =
        (const struct example[]){
            {"a matrix, turned round", "tess transpose winds.b2nd turned.b2nd --slice 0"},
            {"months last: series of single places are together",
             "tess transpose winds.b2nd series.b2nd --axes 1,2,0 --chunks 10x20x12"},
            {0},
        },
    .run = run_transpose,
};
