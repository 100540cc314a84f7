/*
 * import.c - tess import: an array from .npy, raw bytes, or a variable of a file.
 */
#include "commands.h"
#include "formats/ingest.h"
#include "formats/source.h"
#include "formats/tree/tree_import.h"
#include "options.h"
#include "report.h"

static int
run_import(const struct arguments *args)
{
    struct ingest job = {.in_name = args->words[0], .out_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_error err;

    if (tree_import_takes(job.in_name, job.out_name))
        return tree_import(job.in_name, job.out_name, args);
    job.about = job.in_name;
    TRY(source_open(job.in_name, args->values[OPT_DTYPE], args->values[OPT_SHAPE], &job.in, &err));
    job.about = job.out_name;
    TRY(ingest_describe(&job, args, &err));
    TRY(ingest_run(&job, args, &err));
    ingest_tell_left(&job);
out:
    ingest_close(&job);
    source_close(job.in);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}

const struct command cmd_import = {
    .name = "import",
    .purpose = "make an array from .npy, raw bytes, or a variable of a file; or all variables",
    .words = "IN PATH",
    .nwords = 2,
    .options = OPTIONS(OPTS_LAYOUT, OPT_DTYPE, OPT_SHAPE, OPT_FORCE, OPT_THREADS, OPT_NO_ATTRIBUTES,
                       OPT_STRICT),
    .details =
        "IN is one of\n"
        "  name.npy          a NumPy array, in C or Fortran order\n"
        "  file.npz:member   one of several of them; the only one needs no name\n"
        "  file.nc:variable  a variable of a netCDF file\n"
        "  file.h5:/dataset  a dataset of an HDF5 file: .h5, .hdf5, .he5 or .hdf\n"
        "  -                 standard input: .npy, or with --dtype and --shape raw items\n"
        "  any other file    one of these by its first bytes, or raw items in C order;\n"
        "                    these need --dtype and --shape\n"
        "What begins as an array, or as a file of a format that tess does not read, is not taken\n"
        "for raw items, except from standard input.\n"
        "Attributes come along, the names of the dimensions as _ARRAY_DIMENSIONS. Where there\n"
        "are more than 14, or names are longer than 31 bytes, the rest becomes one map,\n"
        "attributes.\n"
        "PATH, a file or with --layout sparse a directory, appears when it is complete.\n\n"
        "A whole netCDF or HDF5 file (IN without :NAME) becomes a folder when PATH ends in /:\n"
        "each variable NAME an array PATH/NAME.b2nd, coordinates, too; each group a folder in\n"
        "it. Attributes of groups (global ones), dimensions, which of them are unlimited, and\n"
        "the order of the variables stand in group.json in each folder. In names of files, / and\n"
        "other characters that have a meaning are %XX. Variables that no array can hold (strings\n"
        "of variable length, compounds, ...) are named and skipped; the exit status is 1 then.\n"
        "So are those that cannot be read (a filter that HDF5 lacks, a damaged chunk); it is 3.\n"
        "With --strict they, and attributes without counterpart, are failures. The folder\n"
        "appears when it is complete; --force replaces one that holds arrays and nothing else.\n"
        "Where PATH is a store, climate.b2d, or a group of one with / behind it, each group is\n"
        "one of the store, with its attributes, and all is one commit.\n",
    .examples =
        (const struct example[]){
            {"a NumPy array", "tess import winds.npy winds.b2nd"},
            {"small, in chunks of one month",
             "tess import winds.npy winds.b2nd --chunks 1x73x144 --codec zstd --level 9"},
            {"raw items, floats of 8 bytes",
             "tess import values.raw values.b2nd --dtype '<f8' --shape 400x300"},
            {"a variable of a netCDF file", "tess import winds.nc:uwnd winds.b2nd"},
            {"a dataset of an HDF5 file", "tess import winds.h5:/uwnd winds.b2nd"},
            {"a whole netCDF file", "tess import winds.nc climate/"},
            {"the same, as a store", "tess import winds.nc climate.b2d"},
            {"one of the arrays in an .npz file", "tess import winds.npz:uwnd winds.b2nd"},
            {"from another program", "cat winds.npy | tess import - winds.b2nd"},
            {"a directory with one file per chunk",
             "tess import winds.npy winds.d --layout sparse"},
            {0},
        },
    .run = run_import,
};
