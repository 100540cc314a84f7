/*
 * export.c - tess export: an array, or a part of one, as a file of another format.
 *
 * A file is written box by box along the borders of chunks, each to its places. Standard output
 * takes bytes in one order only: there the boxes follow that order.
 */
#include "commands.h"
#include "data/box_walk.h"
#include "data/open.h"
#include "data/output.h"
#include "data/path.h"
#include "data/picked/pick.h"
#include "data/picked/picked.h"
#include "data/picked/select.h"
#include "formats/attributes.h"
#include "formats/sink.h"
#include "formats/tree/tree_export.h"
#include "options.h"
#include "report.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool
is_npy(const char *path)
{
    return text_ends_with(path, ".npy");
}

static bool
is_raw(const char *path)
{
    return text_ends_with(path, ".bin") || text_ends_with(path, ".raw");
}

static bool
is_netcdf(const char *path)
{
    return text_ends_with(path, ".nc") || text_ends_with(path, ".nc4");
}

struct format {
    bool (*is)(const char *path);
    sink_open_fn *open;
    bool to_stdout;
    bool has_parts; // with names, attributes, and compressed
    const struct sink_file_kind *(*whole)(void); // for folders of arrays
};

static const struct format formats[] = {
    {.is = is_stdout, .open = sink_stdout_open, .to_stdout = true},
    {.is = is_npy, .open = sink_npy_open},
    {.is = is_raw, .open = sink_raw_open},
    {.is = is_netcdf, .open = sink_netcdf_open, .has_parts = true, .whole = sink_file_netcdf},
    {.is = text_is_hdf5, .open = sink_hdf5_open, .has_parts = true, .whole = sink_file_hdf5},
};

struct export
{
    const char *in_name, *out_name;
    const struct format *format;
    char *path, *part; // of OUT: the file, and what it is called inside
    bool named; // OUT says what
    tess_array *in;
    struct picked picked; // of it
    struct slice_range sel;
    int64_t grain[TESS_MAX_NDIM], skew[TESS_MAX_NDIM];
    struct attributes attributes;
    int level; // -1: not given
    struct output file;
    struct sink *sink;
    const char *about;
};

static const struct format *
format_of(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].is(path))
            return &formats[i];
    return NULL;
}

// `name.nc:part` or `name.nc`, where the part is called like the file, without its suffix.
static tess_status
understand_name(struct export *job, tess_error *err)
{
    const char *const name = job->out_name, *const colon = strrchr(name, ':');

    job->format = format_of(name);
    job->path = strdup(name);
    if (!job->format && colon && job->path) {
        job->path[colon - name] = '\0';
        job->format = format_of(job->path);
        if (job->format && !job->format->has_parts)
            job->format = NULL;
        job->named = true;
        job->part = strdup(colon + 1);
    } else if (job->path) {
        const char *const base = name + path_folder_size(name);
        const char *const dot = strrchr(base, '.');
        job->part = dot ? strndup(base, (size_t)(dot - base)) : strdup(base);
    }
    if (!job->path || !job->part)
        return report_nomem(err, (int64_t)strlen(name));
    if (!job->format)
        return report_set(
            err, TESS_ERR_ARG,
            "must end in .npy, .bin, .raw, .nc or .h5, the last two followed by :NAME "
            "or not, or be -");
    if (!job->part[0])
        return report_set(err, TESS_ERR_ARG, "the name behind the colon is missing");
    return TESS_OK;
}

static tess_status
parse_level(struct export *job, const struct arguments *args, tess_error *err)
{
    const char *const text = args->values[OPT_LEVEL];
    int64_t level = -1;

    if (text && (!text_int64(text, &level) || level < 0 || level > 9))
        return report_set(err, TESS_ERR_ARG, "--level %s: not a number from 0 to 9", text);
    if (text && !job->format->has_parts)
        return report_set(err, TESS_ERR_ARG, "--level is for netCDF and HDF5");
    job->level = (int)level;
    return TESS_OK;
}

// Where OUT names a part of a file, the file may exist, and the rest of it stays.
static tess_status
open_output(struct export *job, bool force, tess_error *err)
{
    const bool changes = job->format->has_parts && job->named;
    struct stat there;

    if (job->format->to_stdout)
        return TESS_OK;
    if (job->format->has_parts && !changes && !force && stat(job->path, &there) == 0)
        return report_set(err, TESS_ERR_IO,
                          "exists; --force replaces the whole file, %.100s:NAME adds to it",
                          job->path);
    return output_open(&job->file, job->path, changes ? OUTPUT_CHANGED : OUTPUT_FILE, force, err);
}

static tess_status
open_sink(struct export *job, bool force, tess_error *err)
{
    const struct sink_plan plan = {.info = &job->picked.info,
                                   .selection = &job->sel,
                                   .grain = job->grain,
                                   .attributes = &job->attributes,
                                   .level = job->level,
                                   .part = job->part,
                                   .old = job->file.changes ? job->file.path : NULL,
                                   .replace = force};

    return job->format->open(job->file.temporary, &plan, &job->sink, err);
}

static tess_status
write_box(const struct box_walk *w, uint8_t *items, void *user, tess_error *err)
{
    struct export *const job = user;
    const size_t size = (size_t)(w->items * job->picked.info.typesize);

    job->about = job->out_name;
    const tess_status st = job->sink->write(job->sink, w->start, w->stop, items, size, err);
    if (st == TESS_OK)
        job->about = job->in_name;
    return st;
}

static tess_status
copy(struct export *job, tess_error *err)
{
    const enum box_walk_order order = job->format->to_stdout ? BOX_WALK_STREAM : BOX_WALK_C;

    job->about = job->in_name;
    const tess_status st = picked_run(&job->picked, &job->sel, order, write_box, job, err);
    if (st != TESS_OK)
        return st;
    job->about = job->out_name;
    return job->sink->finish(job->sink, err);
}

// Not all that can be in an array can be in a file.
static void
tell_what_is_left(const struct export *job)
{
    tess_error note;

    if (job->attributes.left[0]) {
        (void)report_set(&note, TESS_OK, "not carried over, as their types have no counterpart: %s",
                         job->attributes.left);
        (void)report_print(job->out_name, &note);
    }
    if (job->sink->remark[0]) {
        (void)report_set(&note, TESS_OK, "%s", job->sink->remark);
        (void)report_print(job->out_name, &note);
    }
}

// HDF5, of which netCDF makes use, falls over its own feet in an exit handler when it could not
// write a file (1.10.8). There is nothing left to do for any handler then.
static int
leave(const struct export *job, int status)
{
    if (status != EXIT_STATUS_FINE && job->format && job->format->has_parts) {
        (void)fflush(stderr);
        _exit(status);
    }
    return status;
}

// Of a folder of arrays. An exit status.
static int
export_folder(struct export *job, const struct arguments *args, tess_error *err)
{
    static const int single[] = {OPT_SLICE, OPT_FIELD, OPT_OFFSET};
    const struct sink_file_kind *const kind = job->format->whole ? job->format->whole() : NULL;

    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
        if (args->values[single[i]]) {
            (void)report_set(err, TESS_ERR_ARG, "%s is for a single array",
                             options_table[single[i]].name);
            return report_print(job->in_name, err);
        }
    if (!job->format->whole || job->named) {
        (void)report_set(err, TESS_ERR_ARG,
                         "a folder of arrays goes to a whole file: name.nc or name.h5");
        return report_print(job->out_name, err);
    }
    if (!kind) {
        (void)report_set(err, TESS_ERR_UNSUPPORTED,
                         "this build of tess does not write that format");
        return report_print(job->out_name, err);
    }
    return tree_export(job->in_name, job->out_name, kind, job->level, args);
}

static int
run_export(const struct arguments *args)
{
    const char *const expr = args->values[OPT_SLICE];
    const bool force = args->values[OPT_FORCE] != NULL;
    struct export job = {.in_name = args->words[0], .out_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_info *info;
    tess_error err;

    job.about = job.out_name;
    TRY(understand_name(&job, &err));
    TRY(parse_level(&job, args, &err));
    if (tree_is_whole(job.in_name)) {
        const int status = export_folder(&job, args, &err);

        free(job.path);
        free(job.part);
        return leave(&job, status);
    }
    job.about = job.in_name;
    TRY(open_array(job.in_name, args, &job.in, &err));
    TRY(picked_init(&job.picked, job.in, args->values[OPT_FIELD], &err));
    info = &job.picked.info;
    TRY(select_parse(expr ? expr : "...", info->ndim, info->shape, &job.sel, &err));
    pick_grid(info, &job.sel, job.grain, job.skew);
    if (job.format->has_parts) {
        if (args->values[OPT_NO_ATTRIBUTES])
            info->fill = NULL;
        else
            TRY(attributes_load(&job.attributes, job.in, &err));
    }
    job.about = job.out_name;
    TRY(open_output(&job, force, &err));
    TRY(open_sink(&job, force, &err));
    TRY(copy(&job, &err));
    if (!job.format->to_stdout)
        TRY(output_publish(&job.file, &err));
    tell_what_is_left(&job);
out:
    sink_close(job.sink);
    output_close(&job.file);
    attributes_finish(&job.attributes);
    picked_finish(&job.picked);
    tess_array_discard(job.in);
    free(job.path);
    free(job.part);
    return leave(&job, st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err));
}

const struct command cmd_export = {
    .name = "export",
    .purpose = "write an array, or a part of it, as a file of another format",
    .words = "PATH OUT",
    .nwords = 2,
    .options = OPTIONS(OPT_SLICE, OPT_OFFSET, OPT_UNCHECKED, OPT_FORCE, OPT_THREADS, OPT_LEVEL,
                       OPT_NO_ATTRIBUTES, OPT_FIELD, OPT_STRICT),
    .details =
        "OUT is one of\n"
        "  name.npy            a NumPy array\n"
        "  name.bin, name.raw  the items in C order and nothing else\n"
        "  name.nc:variable    a variable of a netCDF file (.nc, .nc4)\n"
        "  name.h5:/dataset    a dataset of an HDF5 file (.h5, .hdf5, .he5, .hdf)\n"
        "  -                   the items on standard output\n"
        "A netCDF or HDF5 file that exists gets one variable more; with --force, a variable of\n"
        "that name is replaced. All other variables, groups, attributes and dimensions stay. The\n"
        "change is made in a copy beside the file, which takes its place when it is complete.\n"
        "What was replaced leaves unused space in netCDF-4 and HDF5, which h5repack gives back.\n"
        "Without :NAME, --force replaces the whole file. New files are netCDF-4. A netCDF-3 file\n"
        "keeps its format: types of items that it does not have, groups and --level are\n"
        "refused. A dimension scale of HDF5 and the variable of a netCDF-4 dimension, such as\n"
        "lat(lat), are replaced by items of the same type and shape only.\n"
        "In netCDF and HDF5, chunks are those of the array, compressed by deflate (--level);\n"
        "attributes, the fill value and the names of dimensions come along; what cannot be\n"
        "written of them is told on standard error. netCDF has no byte order, complex numbers and "
        "long strings: items are\n"
        "converted to the order of the machine, halves to floats and booleans to unsigned\n"
        "bytes, and other types are refused.\n\n"
        "A folder of arrays (PATH), as tess import makes it of a whole file or with any arrays\n"
        "NAME.b2nd in it, becomes a whole file, OUT without :NAME: subfolders are groups,\n"
        "dimensions of the same name and length are shared, an array called like its only\n"
        "dimension has the coordinates of that axis. What the format cannot hold is named and\n"
        "skipped, with exit status 1, or with --strict a failure.\n",
    .examples =
        (const struct example[]){
            {"for NumPy", "tess export winds.b2nd winds.npy"},
            {"the first month only", "tess export winds.b2nd january.npy --slice 0"},
            {"one field of structures", "tess export stations.b2nd speed.npy --field wind.speed"},
            {"as netCDF, with attributes and names of dimensions",
             "tess export winds.b2nd out.nc:uwnd"},
            {"as HDF5, smaller", "tess export winds.b2nd out.h5:/uwnd --level 9"},
            {"as one more variable of a file", "tess export winds.b2nd winds.nc:wind_speed"},
            {"in place of a dataset of a file", "tess export winds.b2nd winds.h5:/uwnd --force"},
            {"a folder of arrays as a whole file", "tess export folder all.nc"},
            {"the items to another program",
             "tess export winds.b2nd - | od -A d -t f4 | head -n 3"},
            {0},
        },
    .run = run_export,
};
