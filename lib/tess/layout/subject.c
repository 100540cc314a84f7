/*
 * subject.c - the data that layouts are measured with: an array, what can be imported, or a shape.
 */
#include "layout/subject.h"

#include "data/params.h"
#include "data/shapes.h"
#include "report.h"
#include "text/text.h"

#include <tessera/copy.h>
#include <tessera/dtype.h>

#include <string.h>

#define SAMPLE_MOST 65536.0 // MiB

static tess_status
look_at_input(struct subject *s, const struct arguments *args, tess_error *err)
{
    tess_params *const p = &s->params;
    tess_status st = TESS_OK;
    tess_info info;

    TRY(input_open(&s->in, s->name, args, err));
    if (s->in.source && s->in.source->sequential)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "can be read once only, from its beginning on: import it first");
    p->dtype = s->in.dtype;
    p->typesize = s->in.typesize;
    p->ndim = s->in.ndim;
    memcpy(p->shape, s->in.shape, sizeof p->shape);
    if (s->in.array) {
        tess_array_info(s->in.array, &info);
        tess_array_params(s->in.array, &s->stored);
        s->has_stored = !info.plain;
    }
out:
    return st;
}

static tess_status
describe_field(struct subject *s, const struct arguments *args,
               const struct subject_default *otherwise, tess_error *err)
{
    const char *dtype = args->values[OPT_DTYPE], *shape = args->values[OPT_SHAPE];
    tess_params *const p = &s->params;

    s->described = true;
    s->name = "a field that is made up";
    if (otherwise && !dtype)
        dtype = otherwise->dtype;
    if (otherwise && !shape)
        shape = otherwise->shape;
    if (!dtype || !shape)
        return report_set(err, TESS_ERR_ARG, "PATH is needed, or --shape and --dtype");
    const tess_status st = shapes_parse("--shape", shape, &p->ndim, p->shape, err);
    if (st != TESS_OK)
        return st;
    p->dtype = dtype;
    p->typesize = tess_dtype_parse(dtype).size;
    if (p->typesize <= 0)
        return report_set(err, TESS_ERR_ARG, "--dtype %s: not a type such as <f4", dtype);
    return TESS_OK;
}

static tess_status
read_items(const int64_t *start, const int64_t *stop, void *dst, size_t size, void *input,
           tess_error *err)
{
    return input_read(input, start, stop, dst, size, err);
}

static tess_status
sample_size(const struct arguments *args, int64_t *size, tess_error *err)
{
    const char *const text = args->values[OPT_SAMPLE];
    double mib = 0;

    if (!text)
        return TESS_OK;
    if (!text_amount(text, &mib) || mib > SAMPLE_MOST)
        return report_set(err, TESS_ERR_ARG, "--sample %s: not a number of MiB up to %g", text,
                          SAMPLE_MOST);
    *size = (int64_t)(mib * 0x1p20);
    return TESS_OK;
}

// What the options say of a layout stays as they say.
static unsigned
kept_options(const struct arguments *args)
{
    static const struct {
        int option;
        unsigned keep;
    } kept_by[] = {
        {OPT_CHUNKS, TESS_KEEP_CHUNKS},
        {OPT_BLOCKS, TESS_KEEP_BLOCKS},
        {OPT_CODEC, TESS_KEEP_CODEC},
        {OPT_FILTER, TESS_KEEP_FILTERS},
    };
    unsigned keep = params_has_level(args) ? TESS_KEEP_LEVEL : 0;

    for (size_t i = 0; i < sizeof kept_by / sizeof kept_by[0]; i++)
        if (args->values[kept_by[i].option])
            keep |= kept_by[i].keep;
    return keep;
}

tess_status
subject_accesses(const struct arguments *args, int ndim, const int64_t *shape,
                 tess_access accesses[TESS_MAX_ACCESSES], int *naccesses, tess_error *err)
{
    tess_error wrong;
    const tess_status st = tess_access_parse(args->values[OPT_ACCESS], ndim, shape, accesses,
                                             TESS_MAX_ACCESSES, naccesses, &wrong);

    return st == TESS_OK ? st : report_set(err, st, "--%s", wrong.message); // "access ...: ..."
}

tess_status
subject_open(struct subject *s, const struct arguments *args,
             const struct subject_default *otherwise, tess_tuner_options *options, tess_error *err)
{
    tess_access accesses[TESS_MAX_ACCESSES];
    tess_status st = TESS_OK;

    *s = (struct subject){.name = arguments_word(args, 0)};
    tess_params_init(&s->params);
    if (s->name)
        TRY(look_at_input(s, args, err));
    else
        TRY(describe_field(s, args, otherwise, err));
    TRY(params_set(&s->params, args, err));
    TRY(sample_size(args, &options->sample, err));
    TRY(subject_accesses(args, s->params.ndim, s->params.shape, accesses, &options->naccesses,
                         err));
    options->accesses = accesses;
    options->keep = kept_options(args);
    options->stored = s->has_stored ? &s->stored : NULL;
    st = tess_tuner_open_from(&s->params, s->described ? NULL : read_items, &s->in, options,
                              &s->tuner, err);
    options->accesses = NULL; // they were copied
out:
    return st;
}

void
subject_close(struct subject *s)
{
    tess_tuner_close(s->tuner);
    input_close(&s->in);
}
