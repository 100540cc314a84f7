/*
 * append.c - tess append: more items along one axis.
 */
#include "commands.h"
#include "formats/grow.h"
#include "options.h"

static int
run_append(const struct arguments *args)
{
    return grow_run(args, true);
}

const struct command cmd_append = {
    .name = "append",
    .purpose = "add items at the end of an axis",
    .words = "PATH IN",
    .nwords = 2,
    .options = OPTIONS(OPT_AXIS, OPT_DTYPE, OPT_SHAPE, OPT_UNCHECKED, OPT_JSON, OPT_THREADS),
    .details =
        "IN is another array, or what tess import reads: name.npy, file.npz, file.nc:variable,\n"
        "file.h5:/dataset, or with --dtype and --shape raw items; - is standard input. It has\n"
        "the same type, in either byte order, and the same shape in all other axes. Where its\n"
        "attributes give items another meaning than those of the array (_FillValue, "
        "scale_factor),\n"
        "they are converted or refused, as by tess set --from. Prints\n"
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
