/*
 * stack.c - tess stack: arrays side by side along a new axis.
 */
#include "commands.h"
#include "options.h"
#include "several/combine.h"

#include <tessera/copy.h>

static int
run_stack(const struct arguments *args)
{
    return combine_run(args, tess_array_stack, 1);
}

const struct command cmd_stack = {
    .name = "stack",
    .purpose = "make one array of several that lie side by side along a new axis",
    .words = "PATH... OUT",
    .nwords = 2,
    .nwords_more = OPTIONS_MORE,
    .options = OPTIONS(OPTS_LAYOUT, OPT_AXIS, OPT_UNCHECKED, OPT_FORCE, OPT_THREADS),
    .details =
        "The arrays have the same type and shape. --axis is the place of the new axis in OUT, as\n"
        "long as there are arrays. Chunks and blocks are chosen if they are not given; all else\n"
        "that no option names is as in the first one, attributes and fill value, too. OUT appears\n"
        "when it is complete.\n",
    .examples =
        (const struct example[]){
            {"two components of the wind", "tess stack winds.b2nd copy.b2nd uv.b2nd"},
            {"next to each other in memory", "tess stack winds.b2nd copy.b2nd uv.b2nd --axis -1"},
            {0},
        },
    .run = run_stack,
};
