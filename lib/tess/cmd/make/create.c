/*
 * create.c - tess create: an array of one value.
 */
#include "commands.h"
#include "data/params.h"
#include "data/shapes.h"
#include "data/target.h"
#include "options.h"
#include "report.h"
#include "text/items/item.h"
#include "text/items/item_parse.h"

#include <tessera/dtype.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct create {
    const struct arguments *args;
    tess_params params;
    uint8_t *fill; // an item, or NULL: zeros
    bool nan;
};

static tess_status
describe(struct create *job, tess_error *err)
{
    const char *const dtype = job->args->values[OPT_DTYPE];
    const char *const shape = job->args->values[OPT_SHAPE];
    tess_params *const p = &job->params;

    tess_params_init(p);
    if (!dtype || !shape)
        return report_set(err, TESS_ERR_ARG, "%s is missing", dtype ? "--shape" : "--dtype");
    const tess_status st = shapes_parse("--shape", shape, &p->ndim, p->shape, err);
    if (st != TESS_OK)
        return st;
    p->dtype = dtype;
    p->typesize = tess_dtype_parse(dtype).size;
    if (p->typesize == 0)
        return report_set(err, TESS_ERR_ARG, "--dtype %.80s: not a type such as <f4", dtype);
    return params_set(p, job->args, err);
}

static bool
is_nan(const struct item_format *format, const uint8_t *item)
{
    return format->type.kind == TESS_KIND_FLOAT &&
           isnan(item_load_real(item, format->typesize, format->type.order));
}

static tess_status
parse_fill(struct create *job, tess_error *err)
{
    const char *const text = job->args->values[OPT_FILL];
    struct item_format format;

    if (!text)
        return TESS_OK;
    job->fill = malloc((size_t)job->params.typesize);
    if (!job->fill)
        return report_nomem(err, job->params.typesize);
    item_format_init(&format, job->params.dtype, job->params.typesize);
    tess_status st = item_parse(&format, text, job->fill, err);
    if (st == TESS_OK) {
        job->nan = is_nan(&format, job->fill);
    } else {
        const tess_error reason = *err;

        st = report_set(err, TESS_ERR_ARG, "--fill %s", reason.message);
    }
    item_format_finish(&format);
    return st;
}

static tess_status
make(const struct create *job, const tess_storage *storage, tess_array **a, tess_error *err)
{
    const tess_params *const p = &job->params;

    return job->nan    ? tess_array_nan(storage, p, a, err)
           : job->fill ? tess_array_full(storage, p, job->fill, (size_t)p->typesize, a, err)
                       : tess_array_zeros(storage, p, a, err);
}

static int
run_create(const struct arguments *args)
{
    const char *const path = args->words[0];
    struct create job = {.args = args};
    struct target target = {0};
    tess_array *a = NULL;
    tess_status st = TESS_OK;
    tess_error err;

    TRY(describe(&job, &err));
    TRY(parse_fill(&job, &err));
    TRY(target_open(&target, path, job.params.layout, args, &err));
    TRY(make(&job, &target.storage, &a, &err));
    TRY(target_publish(&target, a, &err));
out:
    target_close(&target);
    free(job.fill);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(path, &err);
}

const struct command cmd_create = {
    .name = "create",
    .purpose = "make an array of zeros, or of another value",
    .words = "PATH",
    .nwords = 1,
    .options = OPTIONS(OPTS_LAYOUT, OPT_SHAPE, OPT_DTYPE, OPT_FILL, OPT_FORCE, OPT_THREADS),
    .details =
        "--shape and --dtype are needed. The items take no space, whatever their number, until\n"
        "something else is written: tess set, tess append. VALUE is written as tess slice prints\n"
        "it, structures as (1, 2.5, \"ab\") or in hexadecimal; of strings without the quotes.\n",
    .examples =
        (const struct example[]){
            {"floats, to be filled month by month",
             "tess create new.b2nd --shape 0x73x144 --dtype '<f4' --chunks 1x73x144"},
            {"not a number, where nothing is written",
             "tess create new.b2nd --shape 400x300 --dtype '<f8' --fill nan"},
            {"days", "tess create new.b2nd --shape 365 --dtype '<M8[D]' --fill 2024-01-01"},
            {0},
        },
    .run = run_create,
};
