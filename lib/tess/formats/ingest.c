/*
 * ingest.c - an array that is made from an input, box by box.
 */
#include "formats/ingest.h"

#include "data/box_walk.h"
#include "data/open.h"
#include "data/params.h"
#include "formats/attributes.h"
#include "report.h"

#include <tessera/repair.h>

#include <stdlib.h>
#include <string.h>

#define FULL_MOST (1 << 20) // largest item in bytes that a new array can be filled with

/*
 * Choose the chunk shape for a stream. Each chunk is written once only if a row of chunks fits in a
 * box. Otherwise chunks are written in parts, which takes longer and leaves gaps in the file. So
 * the chunk shape is computed for the largest box, unless the user has chosen one.
 */
static tess_status
cut_chunks(struct ingest *job, tess_error *err)
{
    const int64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct source *const in = job->in;
    tess_params params = job->params;
    tess_storage storage; // in memory
    tess_array *a = NULL;
    struct box_walk walk;
    tess_info info;
    tess_status st = TESS_OK;

    _Static_assert(sizeof ones / sizeof ones[0] == TESS_MAX_NDIM, "a 1 per axis");
    box_walk_init(&walk, &(struct box_walk_plan){.ndim = in->ndim,
                                                 .shape = in->shape,
                                                 .grain = ones,
                                                 .max_items = BOX_WALK_BYTES / in->typesize,
                                                 .order = source_order(in)});
    if (walk.empty)
        return TESS_OK;
    tess_storage_init(&storage);
    params.layout = TESS_LAYOUT_CONTIGUOUS;
    memcpy(params.shape, walk.extent, sizeof params.shape);
    TRY(tess_array_uninit(&storage, &params, &a, err));
    tess_array_info(a, &info);
    memcpy(job->params.chunkshape, info.chunkshape, sizeof info.chunkshape);
out:
    tess_array_discard(a);
    return st;
}

tess_status
ingest_describe(struct ingest *job, const struct arguments *args, tess_error *err)
{
    struct source *in = job->in;
    tess_params *params = &job->params;

    tess_params_init(params);
    params->dtype = in->dtype;
    params->typesize = in->typesize;
    params->ndim = in->ndim;
    memcpy(params->shape, in->shape, sizeof params->shape);
    if (in->describe && !args->values[OPT_NO_ATTRIBUTES]) {
        job->about = job->in_name;
        if (in->describe(in, err) != TESS_OK)
            return err->status;
        job->about = job->out_name;
    }
    params->fill = in->fill;
    params->fill_size = in->fill ? (size_t)in->typesize : 0;
    const tess_status st = params_set(params, args, err);
    const bool chosen = args->values[OPT_CHUNKS] || args->values[OPT_BLOCKS];
    return st == TESS_OK && in->sequential && !chosen ? cut_chunks(job, err) : st;
}

// Whether items of the new array already have the value of items that the source does not store:
// then boxes without stored items are not read.
static bool
starts_as_rest(const struct ingest *job)
{
    const struct source *const in = job->in;
    const void *const fill = job->params.fill;

    if (!in->stores || !in->rest)
        return in->stores != NULL;
    return fill && in->typesize <= FULL_MOST && memcmp(fill, in->rest, (size_t)in->typesize) == 0;
}

static tess_status
create(struct ingest *job, const struct arguments *args, tess_error *err)
{
    tess_status st = TESS_OK;
    tess_context context;
    tess_storage storage;

    TRY(open_context(args, &context, err));
    if (job->path) {
        open_storage_to_make(job->path, &context, &storage);
        storage.store = job->store;
        storage.mode = job->store && args->values[OPT_FORCE] ? TESS_MODE_REPLACE : TESS_MODE_NEW;
    } else {
        TRY(target_open(&job->target, job->out_name, job->params.layout, args, err));
        storage = job->target.storage;
    }
    job->sparse = starts_as_rest(job);
    if (!job->sparse)
        st = tess_array_uninit(&storage, &job->params, &job->out, err);
    else if (job->in->rest)
        st = tess_array_full(&storage, &job->params, job->in->rest, (size_t)job->in->typesize,
                             &job->out, err);
    else
        st = tess_array_zeros(&storage, &job->params, &job->out, err);
out:
    return st;
}

static tess_status
copy_box(const struct box_walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    struct ingest *const job = user;
    const size_t size = (size_t)(w->items * job->in->typesize);
    tess_status st = TESS_OK;

    job->about = job->in_name;
    if (job->sparse && !job->in->stores(job->in, w->start, w->stop))
        return TESS_OK;
    TRY(job->in->read(job->in, w->start, w->stop, buffer, err));
    job->about = job->out_name;
    TRY(tess_array_write(job->out, w->start, w->stop, buffer, size, err));
out:
    return st;
}

static tess_status
copy(struct ingest *job, tess_error *err)
{
    struct source *in = job->in;
    tess_status st = TESS_OK;
    tess_info info;

    tess_array_info(job->out, &info);
    TRY(box_walk_run(&(struct box_walk_plan){.ndim = in->ndim,
                                             .shape = in->shape,
                                             .grain = info.chunkshape,
                                             .order = source_order(in),
                                             .array = job->out},
                     in->typesize, copy_box, job, err));
    job->about = job->in_name;
    TRY(source_finish(in, err));
    job->about = job->out_name;
    TRY(attributes_store(&in->attributes, job->out, err));
    TRY(tess_array_flush(job->out, err));
out:
    return st;
}

// Remove the gaps that chunks leave if they are written in parts.
static tess_status
close_gaps(const struct ingest *job, tess_error *err)
{
    tess_storage storage;

    tess_storage_init(&storage);
    storage.path = job->path ? job->path : job->target.file.temporary;
    storage.durability = TESS_DURABILITY_NONE;
    return tess_compact(&storage, NULL, NULL, err);
}

tess_status
ingest_run(struct ingest *job, const struct arguments *args, tess_error *err)
{
    tess_status st = TESS_OK;

    job->about = job->out_name;
    TRY(create(job, args, err));
    TRY(copy(job, err));
    st = tess_array_close(job->out, err);
    job->out = NULL;
    TRY(st);
    if (job->in->sequential && args->values[OPT_CHUNKS] && !job->store && !job->target.store)
        TRY(close_gaps(job, err));
    if (!job->path)
        TRY(target_publish(&job->target, NULL, err));
out:
    return st;
}

// Some types of attributes have no counterpart in an array.
void
ingest_tell_left(const struct ingest *job)
{
    const char *const left = job->in->attributes.left;
    tess_error note;

    if (left[0]) {
        (void)report_set(&note, TESS_OK, "not carried over, as their types have no counterpart: %s",
                         left);
        (void)report_print(job->in_name, &note);
    }
}

void
ingest_close(struct ingest *job)
{
    tess_array_discard(job->out);
    job->out = NULL;
    if (!job->path)
        target_close(&job->target);
}
