/*
 * insert.c - tess insert: more items at an index of one axis.
 */
#include "commands.h"
#include "formats/grow.h"
#include "options.h"

static int
run_insert(const struct arguments *args)
{
    return grow_run(args, false);
}

const struct command cmd_insert = {
    .name = "insert",
    .purpose = "put items at an index of an axis; those behind it move",
    .words = "PATH IN",
    .nwords = 2,
    .options =
        OPTIONS(OPT_AT, OPT_AXIS, OPT_DTYPE, OPT_SHAPE, OPT_UNCHECKED, OPT_JSON, OPT_THREADS),
    .details =
        "IN is as for tess append. --at is needed; the length of the axis is its end. Where index\n"
        "and number of the new items are multiples of the length of a chunk, chunks get other\n"
        "numbers and are not decoded; otherwise all items behind the index are written anew.\n"
        "Prints the new shape and the one before. If it fails, or is interrupted, the items of "
        "the\n"
        "array are as they were; tess compact gives back what its file may have grown by.\n",
    .examples =
        (const struct example[]){
            {"a month that was missing", "tess insert winds.b2nd february.npy --at 1"},
            {"columns before the last one", "tess insert winds.b2nd east.b2nd --axis -1 --at -1"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"shape", "integers", "items along each axis"},
            {"shape_before", "integers", "what it was before"},
            {0},
        },
    .run = run_insert,
};
