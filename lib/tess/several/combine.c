/*
 * combine.c - an array made of several.
 *
 * All of them are open at once. Each may need a descriptor, of which there are more for the asking.
 */
#include "several/combine.h"

#include "data/axis.h"
#include "data/open.h"
#include "data/params.h"
#include "data/target.h"
#include "formats/input.h"
#include "report.h"

#include <tessera/copy.h>
#include <tessera/view.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct combination {
    const struct arguments *args;
    const char *about;
    int n;
    tess_array **arrays;
    tess_params params;
    int axis;
};

static void
allow_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static tess_status
open_arrays(struct combination *job, tess_error *err)
{
    tess_status st = TESS_OK;

    allow_descriptors();
    job->arrays = calloc((size_t)job->n, sizeof(tess_array *));
    if (!job->arrays)
        return report_nomem(err, job->n * (int64_t)sizeof(tess_array *));
    for (int i = 0; i < job->n && st == TESS_OK; i++) {
        job->about = job->args->words[i];
        st = open_array(job->about, job->args, &job->arrays[i], err);
    }
    return st;
}

// The name of the first array that does not fit to the first of all is in the message of the
// library by its number only.
static void
tell_misfit(struct combination *job, int new_axes)
{
    tess_info first, other;

    tess_array_info(job->arrays[0], &first);
    for (int i = 1; i < job->n; i++) {
        tess_array_info(job->arrays[i], &other);
        bool fits = other.ndim == first.ndim && other.typesize == first.typesize;

        for (int k = 0; fits && k < first.ndim; k++)
            fits = other.shape[k] == first.shape[k] || (new_axes == 0 && k == job->axis);
        if (!fits) {
            job->about = job->args->words[i];
            return;
        }
    }
}

// Choose codec and filters that support one more dimension.
static tess_status
fit_coding(const struct combination *job, tess_params *p, tess_error *err)
{
    tess_array *view = NULL;
    tess_params fit;
    const tess_status st = tess_array_view_expand(job->arrays[0], job->axis, &view, err);
    if (st != TESS_OK)
        return st;
    tess_array_params(view, &fit);
    p->codec = fit.codec;
    p->codec_meta = fit.codec_meta;
    p->split = fit.split;
    p->dictionary = fit.dictionary;
    memcpy(p->filters, fit.filters, sizeof p->filters);
    memcpy(p->filters_meta, fit.filters_meta, sizeof p->filters_meta);
    return tess_array_close(view, err);
}

static tess_status
describe(struct combination *job, int new_axes, tess_error *err)
{
    tess_params *const p = &job->params;
    tess_status st = TESS_OK;

    tess_array_params(job->arrays[0], p);
    p->ndim += new_axes;
    if (p->ndim > TESS_MAX_NDIM)
        return report_set(err, TESS_ERR_ARG, "more than %d dimensions", TESS_MAX_NDIM);
    if (new_axes > 0) {
        memset(p->shape, 0, sizeof p->shape); // the library has the shape
        memset(p->chunkshape, 0, sizeof p->chunkshape);
    }
    if (new_axes > 0 || job->args->values[OPT_CHUNKS])
        memset(p->blockshape, 0, sizeof p->blockshape);
    TRY(axis_parse(job->args->values[OPT_AXIS], p->ndim, &job->axis, err));
    if (new_axes > 0)
        TRY(fit_coding(job, p, err));
    if (job->args->values[OPT_CODEC])
        p->dictionary = false; // not every codec takes one
    TRY(params_set(p, job->args, err));
out:
    return st;
}

// The result has the attributes of the first array, and stored items of all arrays. So the
// attributes about items must be equal in all arrays.
static tess_status
compare_meanings(struct combination *job, tess_error *err)
{
    tess_status st = TESS_OK;
    tess_info info;

    tess_array_info(job->arrays[0], &info);
    for (int i = 1; i < job->n && st == TESS_OK; i++) {
        st = input_compare(job->arrays[i], job->arrays[0], &info, err);
        if (st != TESS_OK)
            job->about = job->args->words[i];
    }
    return st;
}

int
combine_run(const struct arguments *args, combine_fn *combine, int new_axes)
{
    struct combination job = {.args = args, .n = args->nwords - 1};
    struct target target = {0};
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_arrays(&job, &err));
    job.about = args->words[job.n];
    TRY(describe(&job, new_axes, &err));
    TRY(compare_meanings(&job, &err));
    TRY(target_open(&target, job.about, job.params.layout, args, &err));
    target_follow(&target);
    st = combine(job.arrays, job.n, job.axis, &target.storage, &job.params, NULL, &err);
    if (st == TESS_ERR_ARG)
        tell_misfit(&job, new_axes);
    TRY(st);
    TRY(target_publish(&target, NULL, &err));
out:
    target_close(&target);
    for (int i = 0; job.arrays && i < job.n; i++)
        tess_array_discard(job.arrays[i]);
    free(job.arrays);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(job.about, &err);
}
