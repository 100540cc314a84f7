/*
 * subject.c - the array that layouts are measured with: one that exists, or one that is described.
 */
#include "cli/layout/subject.h"

#include "cli/data/params.h"
#include "cli/report.h"
#include "cli/text/text.h"

#include <tessera/copy.h>
#include <tessera/dtype.h>

#include <stdlib.h>
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
describe(struct subject *s, const struct arguments *args, const struct subject_default *otherwise,
         tess_error *err)
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
    if (!text_shape(shape, &p->ndim, p->shape))
        return report_set(err, TESS_ERR_ARG, "--shape %s: not a shape such as 400x300", shape);
    p->dtype = dtype;
    p->typesize = tess_dtype_parse(dtype).size;
    if (p->typesize <= 0)
        return report_set(err, TESS_ERR_ARG, "--dtype %s: not a type such as <f4", dtype);
    return TESS_OK;
}

static tess_status
check_shape(const tess_params *p, tess_error *err)
{
    int64_t bytes = p->typesize;

    if (p->ndim == 0)
        return report_set(err, TESS_ERR_ARG, "an array without dimensions has one layout only");
    for (int i = 0; i < p->ndim; i++)
        if (p->shape[i] == 0)
            return report_set(err, TESS_ERR_ARG,
                              "axis %d is empty; --shape and --dtype describe what it will be", i);
    for (int i = 0; i < p->ndim; i++)
        if (__builtin_mul_overflow(bytes, p->shape[i], &bytes))
            return report_set(err, TESS_ERR_LIMIT, "the shape has more than 2^63 bytes");
    return TESS_OK;
}

static tess_status
read_items(void *input, const int64_t *start, const int64_t *stop, void *dst, size_t size,
           tess_error *err)
{
    return input_read(input, start, stop, dst, size, err);
}

static tess_status
sample_size(const struct arguments *args, int32_t typesize, int64_t *size, tess_error *err)
{
    const char *const text = args->values[OPT_SAMPLE];
    double mib = SUBJECT_SAMPLE;

    if (text && (!text_amount(text, &mib) || mib > SAMPLE_MOST))
        return report_set(err, TESS_ERR_ARG, "--sample %s: not a number of MiB up to %g", text,
                          SAMPLE_MOST);
    *size = (int64_t)(mib * 0x1p20);
    if (*size < typesize)
        *size = typesize;
    return TESS_OK;
}

tess_status
subject_open(struct subject *s, const struct arguments *args,
             const struct subject_default *otherwise, tess_error *err)
{
    int64_t size = 0;
    tess_status st = TESS_OK;

    *s = (struct subject){.name = arguments_word(args, 0)};
    tess_params_init(&s->params);
    if (s->name)
        TRY(look_at_input(s, args, err));
    else
        TRY(describe(s, args, otherwise, err));
    TRY(check_shape(&s->params, err));
    TRY(params_set(&s->params, args, err));
    TRY(sample_size(args, s->params.typesize, &size, err));
    if (s->described)
        TRY(sample_invent(&s->sample, &s->params, size, err));
    else
        TRY(sample_take(&s->sample, &s->params, size, read_items, &s->in, err));
    s->buffer = malloc(s->sample.size);
    if (!s->buffer)
        return report_nomem(err, (int64_t)s->sample.size);
    memset(s->buffer, 0, s->sample.size); // the pages are there when they are first timed
out:
    return st;
}

void
subject_close(struct subject *s)
{
    free(s->buffer);
    s->buffer = NULL;
    sample_close(&s->sample);
    input_close(&s->in);
}
