/*
 * trial.c - one layout, measured on the sample.
 */
#include "layout/private.h"

#include "base/error.h"
#include "geom/model.h"
#include "geom/shape.h"
#include "ndcopy/ndcopy.h"
#include "task/watch.h"

#include <tessera/array.h>
#include <tessera/copy.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 3 // of each access, of which the middle one counts
#define BATCH_SECONDS 2e-3
#define BATCH_MOST 64
#define LONG 0.25 // seconds after which no more is appended or updated
#define UPDATES_MOST 32

double
trial_now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
times_middle(const double *values, int count)
{
    double sorted[TRIAL_ROUNDS];

    if (count == 0)
        return 0;
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof sorted[0], compare_doubles);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double
times_median(const struct times *t)
{
    return times_middle(t->seconds, t->count);
}

static void
times_add(struct times *t, double seconds)
{
    if (t->count < TRIAL_ROUNDS)
        t->seconds[t->count++] = seconds;
}

// The layout as it is for the sample, which may be shorter than a chunk.
static struct grid
grid_of_sample(const struct sample *s, const struct grid *g)
{
    struct grid cut = *g;

    for (int i = 0; i < s->ndim; i++) {
        if (cut.chunk[i] > s->shape[i])
            cut.chunk[i] = s->shape[i];
        if (cut.block[i] > cut.chunk[i])
            cut.block[i] = cut.chunk[i];
    }
    return cut;
}

static tess_params
params_of_sample(const struct trial *t, const struct sample *s, const struct grid *g)
{
    tess_params params = t->params;

    for (int i = 0; i < s->ndim; i++) {
        params.shape[i] = s->shape[i];
        params.chunkshape[i] = g->chunk[i];
        params.blockshape[i] = g->block[i];
    }
    params.layout = TESS_LAYOUT_CONTIGUOUS;
    return params;
}

// A tess_progress_fn: the measured calls do not report to the program, but ask whether it cancels.
static bool
trial_poll(int64_t done, int64_t total, void *user)
{
    struct poll *const poll = user;

    (void)done;
    (void)total;
    poll->cancelled = poll->cancelled || watch_look(poll->watch, NULL) != TESS_OK;
    return !poll->cancelled;
}

static void
storage_init(tess_storage *storage, tess_context *context, const struct setting *setting,
             bool cached)
{
    tess_context_init(context);
    context->threads = setting->model.threads;
    context->executor = setting->executor;
    context->cache = cached ? setting->model.cache : 0;
    if (setting->poll && setting->poll->watch->context) {
        context->progress = trial_poll;
        context->progress_user = setting->poll;
        context->progress_interval = setting->poll->watch->context->progress_interval;
    }
    tess_storage_init(storage);
    storage->context = context;
}

// -- the places of accesses

struct place {
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    size_t size; // bytes
};

static void
place_next(struct place *p, const struct access *a, const struct setting *setting, uint64_t *random)
{
    const struct sample *const s = setting->sample;
    int64_t extent[TESS_MAX_NDIM];

    access_extent(a, s->ndim, s->shape, extent);
    p->size = (size_t)setting->typesize;
    for (int i = 0; i < s->ndim; i++) {
        p->start[i] = (int64_t)(sample_random(random) % (uint64_t)(s->shape[i] - extent[i] + 1));
        p->stop[i] = p->start[i] + extent[i];
        p->size *= (size_t)extent[i];
    }
}

// -- the accesses; each gives the seconds of one

static tess_status
read_batch(const tess_array *a, const struct access *access, const struct setting *setting,
           int count, uint64_t *random, double *seconds, tess_error *err)
{
    tess_status st = TESS_OK;
    struct place p;

    const double begin = trial_now();
    for (int i = 0; i < count && st == TESS_OK; i++) {
        place_next(&p, access, setting, random);
        st = tess_array_read(a, p.start, p.stop, setting->buffer, p.size, err);
    }
    *seconds = (trial_now() - begin) / count;
    return st;
}

static tess_status
try_read(const tess_array *a, const struct access *access, const struct setting *setting,
         double *seconds, tess_error *err)
{
    double batches[BATCHES], one = 0;
    uint64_t random = 1;

    tess_status st = read_batch(a, access, setting, 1, &random, &one, err);
    const double wanted = BATCH_SECONDS / (one > 0 ? one : BATCH_SECONDS);
    const int count = wanted < 1 ? 1 : wanted > BATCH_MOST ? BATCH_MOST : (int)wanted;
    for (int i = 0; i < BATCHES && st == TESS_OK; i++)
        st = read_batch(a, access, setting, count, &random, &batches[i], err);
    *seconds = st == TESS_OK ? times_middle(batches, BATCHES) : 0;
    return st;
}

// Boxes get the items that they have, which are encoded all the same.
static tess_status
try_update(tess_array *a, const struct access *access, const struct setting *setting,
           double *seconds, tess_error *err)
{
    tess_status st = TESS_OK;
    tess_array *copy = NULL;
    uint64_t random = 1;
    tess_context context;
    tess_storage storage;
    double sum = 0;
    int count = 0;

    storage_init(&storage, &context, setting, true);
    TRY(tess_array_copy(a, &storage, NULL, &copy, err));
    while (count < UPDATES_MOST && sum < LONG) {
        struct place p;

        place_next(&p, access, setting, &random);
        TRY(tess_array_read(a, p.start, p.stop, setting->buffer, p.size, err));
        const double begin = trial_now();
        TRY(tess_array_write(copy, p.start, p.stop, setting->buffer, p.size, err));
        sum += trial_now() - begin;
        count++;
    }
    const double begin = trial_now();
    TRY(tess_array_flush(copy, err));
    *seconds = (sum + trial_now() - begin) / count;
out:
    tess_array_discard(copy);
    return st;
}

// Indices [from, to) of an axis of the sample, in C order.
static void
cut_out(const struct setting *setting, int axis, int64_t from, int64_t to, uint8_t *dst)
{
    const struct sample *const s = setting->sample;
    int64_t shape[TESS_MAX_NDIM], in_sample[TESS_MAX_NDIM], in_part[TESS_MAX_NDIM];

    memcpy(shape, s->shape, sizeof shape);
    shape[axis] = to - from;
    shape_strides(s->ndim, s->shape, setting->typesize, in_sample);
    shape_strides(s->ndim, shape, setting->typesize, in_part);
    ndcopy(s->ndim, shape, setting->typesize, dst, in_part, s->items + from * in_sample[axis],
           in_sample);
}

// From nothing on, until a row of chunks is full.
static tess_status
try_append(const tess_params *params, const struct access *access, const struct setting *setting,
           double *seconds, tess_error *err)
{
    const struct sample *const s = setting->sample;
    const int axis = access->axis;
    const size_t plane = s->size / (size_t)s->shape[axis];
    tess_params empty = *params;
    tess_status st = TESS_OK;
    tess_array *a = NULL;
    int64_t extent[TESS_MAX_NDIM];
    tess_context context;
    tess_storage storage;
    double sum = 0;
    int count = 0;

    access_extent(access, s->ndim, s->shape, extent);
    empty.shape[axis] = 0;
    storage_init(&storage, &context, setting, true);
    TRY(tess_array_uninit(&storage, &empty, &a, err));
    for (int64_t at = 0; at + extent[axis] <= s->shape[axis] && sum < LONG; count++) {
        if (count > 0 && at >= params->chunkshape[axis])
            break;
        const int64_t to = at + extent[axis];
        const size_t size = (size_t)(to - at) * plane;

        cut_out(setting, axis, at, to, setting->buffer);
        const double begin = trial_now();
        TRY(tess_array_append(a, axis, to - at, setting->buffer, size, NULL, err));
        sum += trial_now() - begin;
        at = to;
    }
    const double begin = trial_now();
    TRY(tess_array_flush(a, err));
    *seconds = (sum + trial_now() - begin) / count;
out:
    tess_array_discard(a);
    return st;
}

// -- all of them

void
trial_forget(struct trial *t)
{
    t->write.count = t->read.count = 0;
    memset(t->accesses, 0, sizeof t->accesses);
}

static tess_status
try_all(struct trial *t, const tess_params *params, const struct setting *setting, tess_error *err)
{
    const struct sample *const s = setting->sample;
    const int64_t zeros[TESS_MAX_NDIM] = {0};
    tess_status st = TESS_OK;
    tess_array *a = NULL;
    tess_context context;
    tess_storage storage;
    tess_info info;

    storage_init(&storage, &context, setting, false);
    double begin = trial_now();
    TRY(tess_array_from(&storage, params, s->items, s->size, &a, err));
    times_add(&t->write, trial_now() - begin);
    tess_array_info(a, &info);
    t->ratio = (double)s->size / (double)(info.cbytes > 0 ? info.cbytes : 1);
    begin = trial_now();
    TRY(tess_array_read(a, zeros, s->shape, setting->buffer, s->size, err));
    times_add(&t->read, trial_now() - begin);

    for (int i = 0; i < setting->mix->count; i++) {
        const struct access *const access = &setting->mix->accesses[i];
        double seconds = 0;

        switch (access->kind) {
        case ACCESS_READ:
            TRY(try_read(a, access, setting, &seconds, err));
            break;
        case ACCESS_UPDATE:
            TRY(try_update(a, access, setting, &seconds, err));
            break;
        case ACCESS_APPEND:
            TRY(try_append(params, access, setting, &seconds, err));
            break;
        case ACCESS_WRITE:
            seconds = times_median(&t->write);
            break;
        }
        times_add(&t->accesses[i], seconds);
    }
out:
    tess_array_discard(a);
    return st;
}

// From the sample to the array.
static void
scale(struct trial *t, const struct grid *cut, const struct setting *setting)
{
    const struct sample *const s = setting->sample;
    struct model model = setting->model;

    model.decode = model.threads * times_median(&t->read) / (double)s->size;
    model.encode = model.threads * times_median(&t->write) / (double)s->size;
    t->mix = 0;
    for (int i = 0; i < setting->mix->count; i++) {
        const struct access *const a = &setting->mix->accesses[i];
        const struct model_cost all =
            model_predict(&model, a, s->ndim, setting->shape, setting->typesize, &t->grid);
        const struct model_cost part =
            model_predict(&model, a, s->ndim, s->shape, setting->typesize, cut);

        t->costs[i].cpu = times_median(&t->accesses[i]);
        if (!s->whole)
            t->costs[i].cpu *= all.cpu / part.cpu;
        t->costs[i].disk =
            model_disk(&model, a, s->ndim, setting->shape, setting->typesize, &t->grid, t->ratio);
        t->mix += setting->mix->items[i].weight * (t->costs[i].cpu + t->costs[i].disk);
    }
}

tess_status
trial_run(struct trial *t, const struct setting *setting, tess_error *err)
{
    const struct grid cut = grid_of_sample(setting->sample, &t->grid);
    const tess_params params = params_of_sample(t, setting->sample, &cut);
    tess_status st = try_all(t, &params, setting, err);

    if (st == TESS_OK && setting->poll && setting->poll->cancelled)
        st = err_set(err, TESS_ERR_CANCELLED, -1, "the program cancelled the call");
    if (st == TESS_OK)
        scale(t, &cut, setting);
    return st;
}
