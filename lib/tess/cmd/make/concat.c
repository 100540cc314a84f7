/*
 * concat.c - tess concat: arrays one behind the other.
 */
#include "commands.h"
#include "options.h"
#include "several/combine.h"

#include <tessera/copy.h>

static int
run_concat(const struct arguments *args)
{
    return combine_run(args, tess_array_concatenate, 0);
}

const struct command cmd_concat = {
    .name = "concat",
    .purpose = "make one array of several that follow each other along an axis",
    .words = "PATH... OUT",
    .nwords = 2,
    .nwords_more = OPTIONS_MORE,
    .options = OPTIONS(OPTS_LAYOUT, OPT_AXIS, OPT_UNCHECKED, OPT_FORCE, OPT_THREADS),
    .details =
        "The arrays have the same type, and the same shape in all other axes; missing values,\n"
        "bounds and scales, as attributes name them, are those of the first one, too, or not\n"
        "named: tess append converts items that have others. What no option\n"
        "names is as in the first one, attributes and fill value, too; chunks that fit are copied\n"
        "as they are stored. OUT appears when it is complete, and may with --force be one of "
        "them.\n",
    .examples =
        (const struct example[]){
            {"two years", "tess concat winds.b2nd copy.b2nd years.b2nd"},
            {"halves of the earth side by side",
             "tess concat east.b2nd east.b2nd both.b2nd --axis -1 --codec zstd"},
            {0},
        },
    .run = run_concat,
};
