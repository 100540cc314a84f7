/*
 * layout.c - tess layout: which chunks, blocks, codec and filters suit an array and its use.
 *
 * The library searches (tessera/layout.h); the command prints what it found and, if asked, makes
 * the array in the best layout.
 */
#include "commands.h"
#include "data/open.h"
#include "data/output.h"
#include "formats/ingest.h"
#include "layout/plot.h"
#include "layout/result.h"
#include "layout/subject.h"
#include "options.h"
#include "report.h"
#include "text/text.h"
#include "text/work.h"

#include <tessera/copy.h>
#include <tessera/layout.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct arguments *args;
    struct subject subject;
    tess_context context;
    struct work work; // of the search
    struct result_layout *layouts;
    const char *about;
};

// A number and one of the units.
static tess_status
parse_time(const char *text, double *seconds, tess_error *err)
{
    static const struct {
        const char *text;
        double seconds;
    } units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"", 1}};
    char number[32];

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!text_ends_with(text, units[i].text))
            continue;
        (void)snprintf(number, sizeof number, "%.*s", (int)(strlen(text) - strlen(units[i].text)),
                       text);
        if (!text_amount(number, seconds))
            break;
        *seconds *= units[i].seconds;
        return TESS_OK;
    }
    return report_set(err, TESS_ERR_ARG, "--budget %s: not a time such as 60s or 5m", text);
}

static tess_status
parse_amount(const char *option, const char *text, double unit, double *value, tess_error *err)
{
    if (!text)
        return TESS_OK;
    if (!text_amount(text, value))
        return report_set(err, TESS_ERR_ARG, "%s %s: not a number", option, text);
    *value *= unit;
    return TESS_OK;
}

static tess_status
parse(struct job *job, tess_tuner_options *options, tess_error *err)
{
    const char *const *const values = job->args->values;
    tess_status st = TESS_OK;

    tess_tuner_options_init(options);
    if (values[OPT_BUDGET])
        TRY(parse_time(values[OPT_BUDGET], &options->budget, err));
    TRY(parse_amount("--disk-speed", values[OPT_DISK_SPEED], 1e6, &options->disk_speed, err));
    TRY(parse_amount("--disk-latency", values[OPT_DISK_LATENCY], 1e-3, &options->disk_latency,
                     err));
    if (values[OPT_PLOT])
        TRY(plot_check(values[OPT_PLOT], err));
    TRY(open_context(job->args, &job->context, err));
    work_begin(&job->work, WORK_ENDS);
    work_follow(&job->work, &job->context);
    options->context = &job->context;
    options->exhaustive = values[OPT_EXHAUSTIVE] != NULL;
out:
    return st;
}

// Find out before a long search whether the result can be written.
static tess_status
check_output(struct job *job, int option, enum output_kind kind, tess_error *err)
{
    const char *const name = job->args->values[option];
    struct output file = {0};

    if (!name)
        return TESS_OK;
    job->about = name;
    const tess_status st =
        output_open(&file, name, kind, job->args->values[OPT_FORCE] != NULL, err);
    output_close(&file);
    return st;
}

static enum output_kind
kind_of_array(const struct job *job)
{
    return job->subject.stored.layout == TESS_LAYOUT_SPARSE ? OUTPUT_DIRECTORY : OUTPUT_FILE;
}

static tess_status
check_outputs(struct job *job, tess_error *err)
{
    tess_status st = TESS_OK;

    if (job->args->values[OPT_APPLY] && job->subject.described)
        return report_set(err, TESS_ERR_ARG, "--apply needs PATH: there are no items");
    TRY(check_output(job, OPT_APPLY, kind_of_array(job), err));
    TRY(check_output(job, OPT_PLOT, OUTPUT_FILE, err));
    job->about = job->subject.name;
out:
    return st;
}

// -- what comes of it

static tess_status
copy_array(struct job *job, const struct result_layout *best, tess_error *err)
{
    tess_params params = job->subject.stored;
    struct work work = {0};
    struct output file = {0};
    tess_status st = TESS_OK;
    tess_context context;
    tess_storage storage;

    tess_layout_apply(&params, &best->params);
    TRY(open_context(job->args, &context, err));
    TRY(output_open(&file, job->about, kind_of_array(job), job->args->values[OPT_FORCE] != NULL,
                    err));
    work_begin(&work, WORK_ENDS);
    work_follow(&work, &context);
    open_storage_to_make(file.temporary, &context, &storage);
    st = tess_array_copy(job->subject.in.array, &storage, &params, NULL, err);
    work_end(&work);
    TRY(st);
    TRY(output_publish(&file, err));
out:
    output_close(&file);
    return st;
}

static tess_status
import_input(struct job *job, const struct result_layout *best, tess_error *err)
{
    struct ingest ingest = {
        .in_name = job->subject.name,
        .out_name = job->args->values[OPT_APPLY],
        .in = job->subject.in.source,
    };
    tess_status st = TESS_OK;

    ingest.about = ingest.out_name;
    TRY(ingest_describe(&ingest, job->args, err));
    tess_layout_apply(&ingest.params, &best->params);
    TRY(ingest_run(&ingest, job->args, err));
    ingest_tell_left(&ingest);
out:
    job->about = ingest.about;
    ingest_close(&ingest);
    return st;
}

static tess_status
apply(struct job *job, const struct result *result, tess_error *err)
{
    const struct result_layout *const best = result_find(result, TESS_ROLE_BEST);

    job->about = job->args->values[OPT_APPLY];
    return job->subject.in.array ? copy_array(job, best, err) : import_input(job, best, err);
}

static tess_status
draw(struct job *job, const struct result *result, tess_error *err)
{
    const char *const name = job->args->values[OPT_PLOT];
    struct output file = {0};
    tess_status st = TESS_OK;

    job->about = name;
    TRY(output_open(&file, name, OUTPUT_FILE, job->args->values[OPT_FORCE] != NULL, err));
    TRY(plot_write(result, name, file.temporary, err));
    TRY(output_publish(&file, err));
out:
    output_close(&file);
    return st;
}

static tess_status
load_layouts(struct job *job, struct result *result, tess_error *err)
{
    const tess_tuner *const tuner = job->subject.tuner;
    tess_status st = TESS_OK;

    tess_tuner_get_info(tuner, &result->info);
    for (int i = 0; i < result->info.naccesses; i++)
        (void)tess_tuner_get_access(tuner, i, &result->accesses[i]);
    job->layouts = malloc((size_t)result->info.count * sizeof *job->layouts);
    if (!job->layouts)
        return report_nomem(err, result->info.count * (int64_t)sizeof *job->layouts);
    for (int i = 0; i < result->info.count && st == TESS_OK; i++)
        st = tess_tuner_get_layout(tuner, i, &job->layouts[i].params)
                 ? tess_tuner_result(tuner, i, &job->layouts[i].cost, err)
                 : TESS_ERR_ARG;
    result->layouts = job->layouts;
    return st;
}

static tess_status
tell(struct job *job, tess_error *err)
{
    const char *const *const values = job->args->values;
    struct result result = {
        .array = &job->subject.params,
        .name = job->subject.name,
        .command = job->subject.in.array ? "copy" : "import",
    };
    tess_status st = TESS_OK;

    TRY(load_layouts(job, &result, err));
    if (values[OPT_APPLY]) {
        TRY(apply(job, &result, err));
        result.applied = values[OPT_APPLY];
    }
    if (values[OPT_PLOT])
        TRY(draw(job, &result, err));
    job->about = job->subject.name;
    if (values[OPT_JSON])
        result_json(&result, stdout);
    else if (values[OPT_CSV])
        result_csv(&result, stdout);
    else
        TRY(result_print(&result, stdout, err));
out:
    return st;
}

static int
run_layout(const struct arguments *args)
{
    struct job job = {.args = args, .about = arguments_word(args, 0)};
    tess_tuner_options options;
    tess_status st = TESS_OK;
    tess_error err;

    if (!job.about)
        job.about = "layout";
    TRY(parse(&job, &options, &err));
    TRY(subject_open(&job.subject, args, NULL, &options, &err));
    TRY(check_outputs(&job, &err));
    st = tess_tuner_search(job.subject.tuner, &err);
    work_end(&job.work);
    TRY(st);
    TRY(tell(&job, &err));
out:
    free(job.layouts);
    subject_close(&job.subject);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}

const struct command cmd_layout = {
    .name = "layout",
    .purpose = "find the chunks, blocks, codec and filters that suit an array and its use",
    .words = "[PATH]",
    .nwords = 0,
    .nwords_more = 1,
    .options = OPTIONS(OPT_ACCESS, OPT_DTYPE, OPT_SHAPE, OPT_CHUNKS, OPT_BLOCKS, OPT_CODEC,
                       OPT_LEVEL, OPT_FILTER, OPT_BUDGET, OPT_SAMPLE, OPT_DISK_SPEED,
                       OPT_DISK_LATENCY, OPT_EXHAUSTIVE, OPT_JSON, OPT_CSV, OPT_PLOT, OPT_APPLY,
                       OPT_FORCE, OPT_OFFSET, OPT_THREADS),
    .details =
        "PATH is an array or what tess import takes. Without PATH a smooth field with noise of\n"
        "that --shape and --dtype is made up: then speeds of shapes can be compared, but ratios\n"
        "mean nothing.\n\n"
        "--access lists what is done with the array, with commas in between; *N says how often:\n"
        "  full          all items are read\n"
        "  plane:K[:N]   N indices (1) of axis K\n"
        "  line:K        all of axis K\n"
        "  row           all of the last axis\n"
        "  point         one item\n"
        "  box:SHAPE     a box is read, anywhere\n"
        "  update:SHAPE  such a box is written\n"
        "  append:K[:N]  axis K grows by N indices (1)\n"
        "  write         all items are written\n"
        "If it is not given: full,plane:0*10,plane:1*10,...,point*100.\n\n"
        "A sample of the array is written in many layouts, in memory, and the time of each access\n"
        "is measured. Layouts are ordered by the time of all accesses: the time measured, plus\n"
        "the time in which a disk (--disk-speed) reads or writes the compressed bytes. Shapes,\n"
        "codec, level and filters that are given are kept, the others are searched. Where the\n"
        "best layout gains no more than the noise of the measurement, and does not make the array\n"
        "5 % smaller, the answer is that there is no difference, with the figures.\n",
    .examples =
        (const struct example[]){
            {"the best for planes and single items",
             "tess layout winds.b2nd --access 'plane:0*10,point*100' --budget 2s"},
            {"months are appended, time series of single places are read",
             "tess layout winds.b2nd --access 'append:0,line:0*50' --budget 2s"},
            {"before there is data: a file of that kind, read in boxes",
             "tess layout --shape 400x300x500 --dtype '<f4' --access box:64x64x64 --budget 2s"},
            {"a drawing of sizes and speeds, and the numbers",
             "tess layout winds.b2nd --budget 2s --plot winds.svg --csv >winds.csv"},
            {"any use, and a copy in the best layout",
             "tess layout winds.b2nd --budget 2s --apply best.b2nd"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"name", "string", "name of the data"},
            {"shape", "integers", "items along each axis"},
            {"dtype", "string or null", "type of the items; null: not recorded"},
            {"sample_shape", "integers", "shape of the sample that was measured"},
            {"threads", "integer", "threads that work"},
            {"caches", "integers", "bytes of the CPU caches: L1, L2, L3"},
            {"disk_bytes_per_second", "number or null", "--disk-speed; null: no disk"},
            {"disk_latency_seconds", "number", "--disk-latency"},
            {"mix", "list", "the accesses that were measured"},
            {"mix[].access", "string", "as for --access"},
            {"mix[].weight", "number", "how often it is done"},
            {"seconds", "number", "that measuring took"},
            {"cut_short", "boolean", "the budget was over before all was measured"},
            {"applied", "string or null", "path of the copy; null: none"},
            {"verdict", "string",
             "of the best layout, compared with the stored one (automatic, if none is stored): "
             "better,\nno difference (beyond the noise), or present (it is that one)"},
            {"noise", "number", "part of a time that the measurement may be wrong by"},
            {"layouts", "list", "the best first"},
            {"layouts[].roles", "strings",
             "best, automatic, blosc2 (what it would choose), stored (what the array has), "
             "proposed (the best before --exhaustive); may be empty"},
            {"layouts[].chunkshape", "integers", "items of a chunk along each axis"},
            {"layouts[].blockshape", "integers", "items of a block along each axis"},
            {"layouts[].codec", "string", "its name"},
            {"layouts[].codec_meta", "integer", "its parameter, as the 4 of ndlz:4"},
            {"layouts[].clevel", "integer", "compression level, 0 to 9"},
            {"layouts[].filters", "strings", "names, 6, in the order in which they are applied"},
            {"layouts[].filters_id", "integers", "their numbers in the format"},
            {"layouts[].filters_meta", "integers", "their parameters"},
            {"layouts[].cratio", "number", "uncompressed / compressed bytes"},
            {"layouts[].write_bytes_per_second", "number", "uncompressed bytes"},
            {"layouts[].read_bytes_per_second", "number", "uncompressed bytes"},
            {"layouts[].accesses", "list", "each of the mix"},
            {"layouts[].accesses[].access", "string", "as for --access"},
            {"layouts[].accesses[].seconds", "number", "time of one access"},
            {"layouts[].accesses[].of_disk", "number", "seconds of these that the disk takes"},
            {"layouts[].mix_seconds", "number",
             "time of all accesses, each as often as its weight says"},
            {"layouts[].rounds", "integer", "how often it was measured"},
            {"layouts[].on_front", "boolean", "no other layout is both smaller and faster"},
            {0},
        },
    .run = run_layout,
};
