/*
 * cmd_export.c - tess export: an array, or a part of one, as a file of another format.
 *
 * A file is written box by box along the borders of chunks, each to its places. Standard output
 * takes bytes in one order only: there the boxes follow that order.
 */
#include "cli/commands.h"
#include "cli/formats/sink.h"
#include "cli/open.h"
#include "cli/output.h"
#include "cli/path.h"
#include "cli/pick.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LEVEL 4

enum format { FORMAT_UNKNOWN, FORMAT_STDOUT, FORMAT_NPY, FORMAT_RAW, FORMAT_NETCDF, FORMAT_HDF5 };

struct export
{
    const char *in_name, *out_name;
    enum format format;
    char *path, *part; // of OUT: the file, and what it is called inside
    tess_array *in;
    tess_info info;
    struct selection sel;
    int64_t grain[TESS_MAX_NDIM], skew[TESS_MAX_NDIM];
    struct attributes attributes;
    int level;
    struct output file;
    struct sink *sink;
    const char *about;
};

static enum format
format_of(const char *path)
{
    if (strcmp(path, "-") == 0)
        return FORMAT_STDOUT;
    if (text_ends_with(path, ".npy"))
        return FORMAT_NPY;
    if (text_ends_with(path, ".bin") || text_ends_with(path, ".raw"))
        return FORMAT_RAW;
    if (text_ends_with(path, ".nc") || text_ends_with(path, ".nc4"))
        return FORMAT_NETCDF;
    return text_is_hdf5(path) ? FORMAT_HDF5 : FORMAT_UNKNOWN;
}

// `name.nc:part` or `name.nc`, where the part is called like the file, without its suffix.
static tess_status
understand_name(struct export *job, tess_error *err)
{
    const char *const name = job->out_name, *const colon = strrchr(name, ':');

    job->format = format_of(name);
    job->path = strdup(name);
    if (job->format == FORMAT_UNKNOWN && colon && job->path) {
        job->path[colon - name] = '\0';
        job->format = format_of(job->path);
        if (job->format != FORMAT_NETCDF && job->format != FORMAT_HDF5)
            job->format = FORMAT_UNKNOWN;
        job->part = strdup(colon + 1);
    } else if (job->path) {
        const char *const base = name + path_folder_size(name);
        const char *const dot = strrchr(base, '.');
        job->part = dot ? strndup(base, (size_t)(dot - base)) : strdup(base);
    }
    if (!job->path || !job->part)
        return report_nomem(err, (int64_t)strlen(name));
    if (job->format == FORMAT_UNKNOWN)
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
    int64_t level = DEFAULT_LEVEL;

    if (text && (!text_int64(text, &level) || level < 0 || level > 9))
        return report_set(err, TESS_ERR_ARG, "--level %s: not a number from 0 to 9", text);
    if (text && job->format != FORMAT_NETCDF && job->format != FORMAT_HDF5)
        return report_set(err, TESS_ERR_ARG, "--level is for netCDF and HDF5");
    job->level = (int)level;
    return TESS_OK;
}

static tess_status
open_sink(struct export *job, tess_error *err)
{
    const struct sink_plan plan = {.info = &job->info,
                                   .selection = &job->sel,
                                   .grain = job->grain,
                                   .attributes = &job->attributes,
                                   .level = job->level};
    const char *const path = job->file.temporary;

    switch (job->format) {
    case FORMAT_NPY:
        return sink_npy_open(path, &plan, &job->sink, err);
    case FORMAT_RAW:
        return sink_raw_open(path, &plan, &job->sink, err);
    case FORMAT_NETCDF:
        return sink_netcdf_open(path, job->part, &plan, &job->sink, err);
    case FORMAT_HDF5:
        return sink_hdf5_open(path, job->part, &plan, &job->sink, err);
    default:
        return sink_stdout_open(&plan, &job->sink, err);
    }
}

static tess_status
copy_boxes(struct export *job, struct walk *walk, uint8_t *buffer, tess_error *err)
{
    const struct selection *sel = &job->sel;
    struct progress progress;
    double total = 1;
    tess_status st = TESS_OK;

    for (int i = 0; i < sel->ndim; i++)
        total *= (double)sel->count[i];
    progress_begin(&progress, total);
    while (walk_step(walk)) {
        const size_t size = (size_t)(walk->items * job->info.typesize);

        job->about = job->in_name;
        TRY(pick_read(job->in, sel, walk->start, walk->stop, buffer, size, err));
        job->about = job->out_name;
        TRY(job->sink->write(job->sink, walk->start, walk->stop, buffer, size, err));
        progress_add(&progress, (double)walk->items);
    }
    TRY(job->sink->finish(job->sink, err));
out:
    progress_end(&progress);
    return st;
}

static tess_status
copy(struct export *job, tess_error *err)
{
    const bool to_stdout = job->format == FORMAT_STDOUT;
    struct walk walk;

    walk_init(&walk, &(struct walk_plan){.ndim = job->sel.ndim,
                                         .shape = job->sel.count,
                                         .grain = job->grain,
                                         .skew = job->skew,
                                         .max_items = WALK_BYTES / job->info.typesize,
                                         .order = to_stdout ? WALK_STREAM : WALK_C});
    const int64_t size = walk.box_items * job->info.typesize;
    uint8_t *buffer = malloc(size > 0 ? (size_t)size : 1);
    if (!buffer)
        return report_nomem(err, size);
    const tess_status st = copy_boxes(job, &walk, buffer, err);
    free(buffer);
    return st;
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
}

// HDF5, of which netCDF makes use, falls over its own feet in an exit handler when it could not
// write a file (1.10.8). There is nothing left to do for any handler then.
static int
leave(const struct export *job, int status)
{
    if (status != EXIT_STATUS_FINE &&
        (job->format == FORMAT_NETCDF || job->format == FORMAT_HDF5)) {
        (void)fflush(stderr);
        _exit(status);
    }
    return status;
}

static int
run(const struct arguments *args)
{
    const char *expr = args->values[OPT_SLICE];
    struct export job = {.in_name = args->words[0], .out_name = args->words[1]};
    tess_status st = TESS_OK;
    tess_error err;

    job.about = job.out_name;
    TRY(understand_name(&job, &err));
    TRY(parse_level(&job, args, &err));
    job.about = job.in_name;
    TRY(open_array(job.in_name, args, &job.in, &err));
    tess_array_info(job.in, &job.info);
    TRY(select_parse(expr ? expr : "...", job.info.ndim, job.info.shape, &job.sel, &err));
    pick_grid(&job.info, &job.sel, job.grain, job.skew);
    if ((job.format == FORMAT_NETCDF || job.format == FORMAT_HDF5)) {
        if (args->values[OPT_NO_ATTRIBUTES])
            job.info.fill = NULL;
        else
            TRY(attributes_load(&job.attributes, job.in, &err));
    }
    job.about = job.out_name;
    if (job.format != FORMAT_STDOUT)
        TRY(output_open(&job.file, job.path, OUTPUT_FILE, args->values[OPT_FORCE] != NULL, &err));
    TRY(open_sink(&job, &err));
    TRY(copy(&job, &err));
    if (job.format != FORMAT_STDOUT)
        TRY(output_publish(&job.file, &err));
    tell_what_is_left(&job);
out:
    sink_close(job.sink);
    output_close(&job.file);
    attributes_finish(&job.attributes);
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
    .options = OPT_BIT(OPT_SLICE) | OPT_BIT(OPT_OFFSET) | OPT_BIT(OPT_UNCHECKED) |
               OPT_BIT(OPT_FORCE) | OPT_BIT(OPT_THREADS) | OPT_BIT(OPT_LEVEL) |
               OPT_BIT(OPT_NO_ATTRIBUTES),
    .details =
        "OUT is one of\n"
        "  name.npy            a NumPy array\n"
        "  name.bin, name.raw  the items in C order and nothing else\n"
        "  name.nc:variable    a netCDF-4 file (.nc, .nc4) with one variable\n"
        "  name.h5:/dataset    an HDF5 file (.h5, .hdf5, .he5, .hdf) with one dataset\n"
        "  -                   the items on standard output\n"
        "In netCDF and HDF5, chunks are those of the array, compressed by deflate (--level,\n"
        "here 4 by default); attributes, the fill value and the names of dimensions come\n"
        "along. netCDF has no byte order, complex numbers and long strings: items are\n"
        "converted to the order of the machine, halves to floats and booleans to unsigned\n"
        "bytes, and other types are refused.\n",
    .examples =
        (const struct example[]){
            {"for NumPy", "tess export winds.b2nd winds.npy"},
            {"the first month only", "tess export winds.b2nd january.npy --slice 0"},
            {"as netCDF, with attributes and names of dimensions",
             "tess export winds.b2nd out.nc:uwnd"},
            {"as HDF5, smaller", "tess export winds.b2nd out.h5:/uwnd --level 9"},
            {"the items to another program",
             "tess export winds.b2nd - | od -A d -t f4 | head -n 3"},
            {0},
        },
    .run = run,
};
