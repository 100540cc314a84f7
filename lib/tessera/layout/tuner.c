/*
 * tuner.c - the public functions that measure layouts and search for the best one.
 *
 * A tuner is used by one thread at a time, so it has no lock. The calls that it measures use the
 * threads of the library, which see only the arrays of that trial.
 */
#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "layout/private.h"
#include "task/watch.h"

#include <tessera/copy.h>

#include <string.h>

#define CHUNKS_IN_SAMPLE 2 // at least, if it is not all of the array

struct tess_tuner {
    char *dtype; // of the array, copied; NULL: that of the caller's params
    struct request request;
    struct sample sample;
    uint8_t *buffer; // as large as the sample
    struct setting setting; // without mix and poll, which the calls add
    struct search search;
    tess_params measured; // the last layout of tess_tuner_measure()
};

static void
init_setting(tess_tuner *t)
{
    const struct request *const r = &t->request;
    struct setting *const s = &t->setting;
    struct model *const m = &s->model;

    s->sample = &t->sample;
    memcpy(s->shape, r->base.shape, sizeof s->shape);
    s->typesize = r->base.typesize;
    s->buffer = t->buffer;
    m->threads = request_threads(r);
    s->executor = r->context.executor;
    m->cache = request_cache(r);
    m->l2 = r->machine.l2;
    m->block = MODEL_BLOCK;
    m->small_loss = MODEL_SMALL_LOSS;
    m->disk_speed = r->options.disk_speed;
    m->disk_latency = r->options.disk_latency;
}

static tess_status
take_sample(tess_tuner *t, tess_tuner_read_fn *read, void *user, tess_error *err)
{
    const struct request *const r = &t->request;
    const int64_t least = r->base.typesize;
    const int64_t size = r->options.sample > least ? r->options.sample : least;
    const tess_status st = read ? sample_take(&t->sample, &r->base, size, read, user, err)
                                : sample_generate(&t->sample, &r->base, size, err);
    if (st != TESS_OK)
        return st;
    t->buffer = mem_alloc(t->sample.size);
    if (!t->buffer)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a buffer of %zu bytes",
                       t->sample.size);
    memset(t->buffer, 0, t->sample.size); // the pages are there when they are first timed
    return TESS_OK;
}

static tess_status
open_tuner(tess_tuner *t, const tess_params *params, tess_tuner_read_fn *read, void *user,
           const tess_tuner_options *options, tess_error *err)
{
    tess_status st = request_init(&t->request, params, options, err);

    if (st == TESS_OK)
        st = take_sample(t, read, user, err);
    if (st == TESS_OK)
        init_setting(t);
    return st;
}

static tess_status
new_tuner(tess_tuner **tuner, tess_error *err)
{
    if (!tuner)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the tuner is given");
    *tuner = mem_zeroed(1, sizeof **tuner);
    return *tuner ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a tuner");
}

// Either the tuner is complete, or there is none.
static tess_status
finish_opening(tess_tuner **tuner, tess_status st)
{
    if (st != TESS_OK && tuner) {
        tess_tuner_close(*tuner);
        *tuner = NULL;
    }
    return st;
}

TESS_API tess_status
tess_tuner_open_from(const tess_params *params, tess_tuner_read_fn *read, void *user,
                     const tess_tuner_options *options, tess_tuner **tuner, tess_error *err)
{
    UNCANCELLED;
    tess_status st = new_tuner(tuner, err);

    if (st == TESS_OK)
        st = open_tuner(*tuner, params, read, user, options, err);
    return finish_opening(tuner, st);
}

// A tess_tuner_read_fn.
static tess_status
read_array(const int64_t *start, const int64_t *stop, void *dst, size_t size, void *array,
           tess_error *err)
{
    return tess_array_read(array, start, stop, dst, size, err);
}

// Type and shape of the array, and of the wanted parameters the rest.
static tess_status
describe_array(tess_tuner *t, const tess_array *a, const tess_params *wanted, tess_params *params,
               tess_error *err)
{
    tess_info info;

    tess_array_info(a, &info);
    tess_params_init(params);
    if (wanted) {
        const tess_status st = take_params(params, wanted, err);
        if (st != TESS_OK)
            return st;
    }
    params->ndim = info.ndim;
    memcpy(params->shape, info.shape, sizeof params->shape);
    params->typesize = info.typesize;
    params->dtype = NULL;
    if (!info.dtype)
        return TESS_OK;
    params->dtype = t->dtype = mem_string(info.dtype);
    return t->dtype ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a type");
}

static tess_status
open_on_array(tess_tuner *t, const tess_array *a, const tess_params *wanted,
              const tess_tuner_options *options, tess_error *err)
{
    tess_tuner_options with_stored;
    tess_params params, stored;
    tess_info info;
    tess_status st = TESS_OK;

    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_tuner_options_init(&with_stored);
    if (options)
        TRY(sized_take(&with_stored, sizeof with_stored, TUNER_OPTIONS_LEAST, options,
                       "tuner_options", err));
    tess_array_info(a, &info);
    tess_array_params(a, &stored);
    if (!with_stored.stored && !info.plain)
        with_stored.stored = &stored;
    TRY(describe_array(t, a, wanted, &params, err));
    st = open_tuner(t, &params, read_array, (void *)(uintptr_t)a, &with_stored, err);
out:
    return st;
}

TESS_API tess_status
tess_tuner_open(const tess_array *a, const tess_params *params, const tess_tuner_options *options,
                tess_tuner **tuner, tess_error *err)
{
    UNCANCELLED;
    tess_status st = new_tuner(tuner, err);

    if (st == TESS_OK)
        st = open_on_array(*tuner, a, params, options, err);
    return finish_opening(tuner, st);
}

TESS_API void
tess_tuner_close(tess_tuner *tuner)
{
    UNCANCELLED;

    if (!tuner)
        return;
    search_finish(&tuner->search);
    sample_close(&tuner->sample);
    mem_free(tuner->buffer);
    mem_free(tuner->dtype);
    mem_free(tuner);
}

TESS_API void
tess_tuner_get_info_sized(const tess_tuner *tuner, tess_tuner_info *info, size_t info_size)
{
    const struct sample *const s = &tuner->sample;
    const struct machine *const m = &tuner->request.machine;

    tess_tuner_info own = {
        .ndim = s->ndim,
        .sample = s->items,
        .sample_size = s->size,
        .whole = s->whole,
        .threads = tuner->setting.model.threads,
        .caches = {m->l1, m->l2, m->l3},
        .disk_speed = tuner->request.options.disk_speed,
        .disk_latency = tuner->request.options.disk_latency,
        .naccesses = tuner->request.mix.count,
        .count = tuner->search.count,
        .seconds = tuner->search.seconds,
        .cut_short = tuner->search.cut_short,
    };
    memcpy(own.sample_shape, s->shape, sizeof own.sample_shape);
    sized_give(info, info_size, &own, sizeof own);
}

TESS_API bool
tess_tuner_get_access_sized(const tess_tuner *tuner, int index, tess_access *access,
                            size_t access_size)
{
    if (!tuner || !access || index < 0 || index >= tuner->request.mix.count)
        return false;
    tess_access own = tuner->request.mix.items[index];
    own.struct_size = access_size;
    sized_give(access, access_size, &own, sizeof own);
    return true;
}

static void
fill_result(const struct trial *t, int naccesses, tess_layout_result *dst, size_t dst_size)
{
    tess_layout_result own = {
        .roles = t->roles,
        .rounds = t->read.count,
        .ratio = t->ratio,
        .write = times_median(&t->write),
        .read = times_median(&t->read),
        .naccesses = naccesses,
        .seconds = t->mix,
        .optimal = t->optimal,
    };
    for (int i = 0; i < naccesses; i++)
        own.accesses[i] = (tess_access_cost){
            .seconds = t->costs[i].cpu + t->costs[i].disk,
            .disk = t->costs[i].disk,
            .measured = times_median(&t->accesses[i]),
        };
    sized_give(dst, dst_size, &own, sizeof own);
}

// The calls on arrays that measure are cancelled by the same function, in words of their own.
static tess_status
tell_cancelled(tess_status st, const char *what, tess_error *err)
{
    if (st != TESS_ERR_CANCELLED)
        return st;
    return err_set(err, st, -1, "the program cancelled %s", what);
}

static tess_status
measure_layout(tess_tuner *t, const tess_params *layout, struct setting *setting,
               struct trial *trial, tess_error *err)
{
    const struct request *const r = &t->request;
    tess_status st = TESS_OK;

    trial->params = r->base;
    tess_layout_apply(&trial->params, layout);
    TRY(grids_automatic(&trial->params, &trial->grid, &setting->typesize, err));
    grids_put(&trial->grid, &trial->params);
    watch_job(setting->poll->watch, 1);
    TRY(trial_run(trial, setting, err));
    watch_add(setting->poll->watch, 1);
out:
    return tell_cancelled(st, "a measurement", err);
}

TESS_API tess_status
tess_tuner_measure_sized(tess_tuner *tuner, const tess_params *layout, const tess_access *accesses,
                         int naccesses, int threads, tess_layout_result *result, size_t result_size,
                         tess_error *err)
{
    UNCANCELLED;
    tess_params wanted;
    struct trial *const trial = mem_zeroed(1, sizeof *trial);
    struct mix *const mix = mem_zeroed(1, sizeof *mix);
    tess_status st = TESS_OK;
    struct setting setting;
    struct watch watch;
    struct poll poll = {.watch = &watch};

    if (!trial || !mix)
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for a measurement"));
    if (!tuner || !result || threads < 0 || (accesses ? naccesses < 0 : naccesses != 0))
        TRY(err_set(err, TESS_ERR_ARG, -1,
                    "no tuner or no place for a result is given, or a negative number"));
    TRY(take_params(&wanted, layout, err));
    setting = tuner->setting;
    if (naccesses > 0)
        TRY(mix_init(mix, accesses, naccesses, tuner->request.base.ndim, tuner->request.base.shape,
                     err));
    setting.mix = mix;
    setting.poll = &poll;
    if (threads > 0)
        setting.model.threads = threads;
    watch_begin(&watch, &tuner->request.context, 1);
    TRY(watch_end(&watch, measure_layout(tuner, &wanted, &setting, trial, err)));
    tuner->measured = trial->params;
    fill_result(trial, naccesses, result, result_size);
out:
    mem_free(mix);
    mem_free(trial);
    return st;
}

TESS_API tess_status
tess_tuner_search(tess_tuner *tuner, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    struct poll poll = {.watch = &watch};

    if (!tuner)
        return err_set(err, TESS_ERR_ARG, -1, "no tuner is given");
    struct search *const s = &tuner->search;
    const struct request *const r = &tuner->request;
    const struct sample *const sample = &tuner->sample;

    search_finish(s);
    *s = (struct search){
        .want = r,
        .setting = tuner->setting,
        .space = r->space,
        .budget = r->options.budget,
    };
    s->setting.mix = &r->mix;
    s->setting.poll = &poll;
    if (!sample->whole && (int64_t)sample->size / CHUNKS_IN_SAMPLE < s->space.chunk_most)
        s->space.chunk_most = (int64_t)sample->size / CHUNKS_IN_SAMPLE;
    watch_begin(&watch, &r->context, (int64_t)(s->budget * 1e3) + 1); // milliseconds
    const tess_status st = tell_cancelled(search_run(s, err), "the search", err);
    s->setting.poll = NULL;
    if (st != TESS_OK)
        search_finish(s);
    return watch_end(&watch, st);
}

TESS_API tess_status
tess_tuner_result_sized(const tess_tuner *tuner, int rank, tess_layout_result *result,
                        size_t result_size, tess_error *err)
{
    UNCANCELLED;
    if (!tuner || !result)
        return err_set(err, TESS_ERR_ARG, -1, "no tuner, or no place for a result is given");
    if (rank < 0 || rank >= tuner->search.count)
        return err_set(err, TESS_ERR_ARG, -1, "rank %d of %d measured layouts", rank,
                       tuner->search.count);
    fill_result(&tuner->search.trials[rank], tuner->request.mix.count, result, result_size);
    return TESS_OK;
}

TESS_API bool
tess_tuner_get_layout_sized(const tess_tuner *tuner, int rank, tess_params *params,
                            size_t params_size)
{
    const bool measured = tuner && rank == TESS_RANK_MEASURED && tuner->measured.struct_size > 0;
    if (!params || !tuner || (!measured && (rank < 0 || rank >= tuner->search.count)))
        return false;
    tess_params own = measured ? tuner->measured : tuner->search.trials[rank].params;
    own.struct_size = params_size;
    sized_give(params, params_size, &own, sizeof own);
    return true;
}

TESS_API int
tess_tuner_find(const tess_tuner *tuner, unsigned role)
{
    for (int i = 0; tuner && i < tuner->search.count; i++)
        if (tuner->search.trials[i].roles & role)
            return i;
    return -1;
}
